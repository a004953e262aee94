/*
 * upload.h - a file of keys on its way to the daemon, a piece at a time: as it is,
 * without another system's line ends, or as a cache's dump turned into NDJSON.
 */
#ifndef HRWD_CTL_UPLOAD_H
#define HRWD_CTL_UPLOAD_H

#include "daemon/ctl/client.h"
#include "daemon/ctl/dump.h"

struct upload {
	struct ctl *ctl;
	const char *path;
	FILE *file;
	bool may_be_empty;
	uint64_t size, sent; /* bytes of the file; size 0: not known */
	bool failed;	     /* and said so */
	bool has_cr;	     /* --crlf: the piece before ended in one */

	/* A dump. */
	enum dump_kind kind;
	struct buffer key, pending;
	size_t at; /* in pending */
	char *line;
	size_t room;
	uint64_t number;		 /* of the line */
	uint64_t keys, empty, in_quotes; /* keys sent; empty ones left out; those in quotes */
	bool keeps_empty;		 /* an empty key is sent, for the daemon to refuse */
	bool has_end;			 /* the last line says that the dump is whole */
};

/* Opens a file; "-" is stdin. 0 or CTL_USAGE after saying why. */
int upload_open(struct upload *u, struct ctl *ctl, const char *path);
void upload_close(struct upload *u);

/* For an ask's `read`: the file's bytes; the same for --crlf; a dump as NDJSON. Each
 * says why it gives up. */
long upload_read(void *upload, char *room, size_t size);
long upload_read_crlf(void *upload, char *room, size_t size);
long upload_read_dump(void *upload, char *room, size_t size);

/* Sends it. As client_ask(), but what client_refused() returns where it was not taken,
 * and CTL_USAGE where it could not be read. */
int upload_send(struct upload *u, struct ask *ask, struct reply *reply);

/* Says what a dump had that may surprise, on stderr. */
void upload_remark(const struct upload *u);

#endif
