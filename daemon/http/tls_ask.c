/*
 * tls_ask.c - one question over TLS.
 */
#include <gnutls/gnutls.h>

#include "daemon/http/tls.h"

static size_t
ask(gnutls_session_t session, const void *request, size_t len, char *answer, size_t room)
{
	size_t got = 0;
	ssize_t rc;

	do
		rc = gnutls_handshake(session);
	while (rc < 0 && !gnutls_error_is_fatal((int)rc) && rc != GNUTLS_E_AGAIN);
	if (rc < 0 || gnutls_record_send(session, request, len) != (ssize_t)len)
		return 0;
	/* A message about the session may come between, as TLS 1.3 sends tickets. */
	do {
		rc = gnutls_record_recv(session, answer + got, room - got);
		got += rc > 0 ? (size_t)rc : 0;
	} while (got < room && (rc > 0 || rc == GNUTLS_E_INTERRUPTED));
	return got;
}

size_t
tls_ask(int fd, const void *request, size_t len, char *answer, size_t room)
{
	gnutls_certificate_credentials_t credentials = NULL;
	gnutls_session_t session = NULL;
	size_t got = 0;

	if (gnutls_certificate_allocate_credentials(&credentials) == 0 &&
	    gnutls_init(&session, GNUTLS_CLIENT) == 0 &&
	    gnutls_set_default_priority(session) == 0 &&
	    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials) == 0) {
		gnutls_transport_set_int(session, fd);
		got = ask(session, request, len, answer, room);
	}
	if (session != NULL)
		gnutls_deinit(session);
	if (credentials != NULL)
		gnutls_certificate_free_credentials(credentials);
	return got;
}
