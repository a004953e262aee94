/*
 * tls.h - the certificate that listeners show, and whose they ask clients for.
 *
 * libmicrohttpd makes the sessions, but has no way to change their certificate
 * while it runs; so each session is given ours when its connection begins, and
 * keeps that one. What was read is never written again: a reload reads another.
 */
#ifndef HRWD_HTTP_TLS_H
#define HRWD_HTTP_TLS_H

#include <stdbool.h>

#include "core/error.h"
#include "core/hash/sha256.h"

struct gnutls_certificate_credentials_st;
struct gnutls_session_int;

struct tls {
	struct gnutls_certificate_credentials_st *credentials;
	bool asks_clients;		/* for a certificate of client_ca's */
	uint8_t text[HRW_SHA256_BYTES]; /* of the files: are they the same still? */
	struct tls *older;		/* the owner's: those that this one replaced */
};

/* What sessions may speak, as GnuTLS writes it: TLS 1.2 and 1.3. */
extern const char tls_priorities[];

/* Reads PEM files, to tls_free().
 *   certificate  the server's, followed by those that lead to its root
 *   key          its own, for nobody else to read
 *   client_ca    NULL: clients are asked for no certificate
 *   errors       BAD_FIELD with the option at fault as its field: unreadable, no
 *                PEM, not a pair, not valid at this time. NULL then */
struct tls *tls_read(
    const char *certificate, const char *key, const char *client_ca, struct hrw_fault *fault);
void tls_free(struct tls *tls); /* without `older`; NULL is fine */

/* Gives a server's session that has not begun this certificate: false when it
 * cannot be. */
bool tls_begin(const struct tls *tls, struct gnutls_session_int *session);

/* As a client, asks a server of this machine once, whoever it says it is.
 *   fd       connected; its own timeouts bind each step
 *   returns  bytes of the answer's beginning, `room` at most; 0: none came */
size_t tls_ask(int fd, const void *request, size_t len, char *answer, size_t room);

#endif
