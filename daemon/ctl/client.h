/*
 * client.h - asks the daemon over HTTP, by libcurl: TCP, TLS or a unix socket.
 *
 * With trouble.c and verbose.c the one place that includes curl.h. No proxy is used,
 * whatever the environment says: a daemon's admin listener is not out there. With
 * --verbose each request is printed as the curl command that sends it, a token
 * by where it came from.
 */
#ifndef HRWD_CTL_CLIENT_H
#define HRWD_CTL_CLIENT_H

#include "daemon/base/json.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/trouble.h"

struct ask {
	const char *method;
	const char *path;      /* with its query, encoded */
	struct hrw_bytes body; /* data NULL: none */
	const char *type;      /* of the body */
	const char *accept;    /* NULL: application/json */
	/* What hrwd's answer to it has: names with a mark behind each. [ is a list of
	 * objects, ] one that may be missing, # a number, $ a text, = anything. NULL: whatever it
	 * likes */
	const char *shape;
	const char *if_match, *if_none_match, *reason; /* NULL: not sent */
	bool is_async;				       /* a report is not waited for */
	unsigned wait_seconds;			       /* that the daemon was asked to wait */
	const char *last_event_id;		       /* of a stream; NULL: not sent */
	bool is_stream;				       /* silence is no fault of it */
	bool is_patient; /* that nobody answers is not said, only why, in the reply */

	/* A long body, piece by piece: bytes written to `room`, 0 at its end, negative
	 * to give up. */
	long (*read)(void *arg, char *room, size_t size);
	const char *read_from; /* a file's name, for --verbose */
	const char *read_as;   /* what is made of it on the way; NULL: nothing */
	/* A long answer, piece by piece, where its status is below 300; false gives up. */
	bool (*write)(void *arg, struct hrw_bytes piece);
	void *arg;
};

struct reply {
	long status;
	struct buffer body;
	struct json *json; /* NULL: the body is not JSON */
	char etag[64];
	char epoch[24];	       /* Hrw-Epoch */
	char type[64];	       /* of the body */
	char warnings[2048];   /* Hrw-Warnings, of an answer that is no object */
	char why[TROUBLE_WHY]; /* nobody answered; "" otherwise */
};

/* Asks.
 *   reply    filled where there was an answer, whatever its status; reply_fini()
 *            in any case
 *   returns  0; CTL_UNREACHABLE, CTL_USAGE or CTL_REFUSED (an answer of success that
 *            is none of hrwd's) after saying why; CTL_LEFT without
 *            a word: Ctrl-C, or a callback gave up */
int client_ask(struct ctl *ctl, const struct ask *ask, struct reply *reply);

/* The same, where nothing but success with JSON will do: else what
 * client_refused() returns. */
int client_want(struct ctl *ctl, const struct ask *ask, struct reply *reply);
int client_get(struct ctl *ctl, const char *path, const char *shape, struct reply *reply);

/* A report of a change, and a pool, as `shape` of an ask. */
#define CLIENT_REPORT "pool$ outcome$ epoch_before= epoch_after= change[ nodes]"
#define CLIENT_POOL   "name$ epoch# nodes["

/* Has it all of a shape? */
bool client_has_shape(const struct json *j, const char *shape);
/* Says that what answered is no hrwd. Returns CTL_REFUSED. */
int client_stranger(const struct ctl *ctl);

/* Says that nobody answers. Returns CTL_UNREACHABLE. */
int client_unreachable(const struct ctl *ctl, const char *why);

/* Says what the daemon's problem is. Returns the exit status for it. */
int client_refused(struct ctl *ctl, const struct reply *reply);
/* What a problem's detail advises, in this program's words; to free(), NULL: no
 * memory. */
char *client_advice(const char *detail);
bool client_has_code(const struct reply *reply, const char *code);

void reply_fini(struct reply *reply);
void client_free(struct client *client);

/* Prints a JSON text on stdout with a line feed behind it. */
void client_print(const struct buffer *json);

/* For an ask's `write`: to stdout. */
bool client_write(void *ctl, struct hrw_bytes piece);

/* Bytes to stdout as they are; on a terminal those that it would obey are escaped. */
void client_put(struct hrw_bytes piece);
/* Behind the last of them: a piece may have ended within a character. */
void client_put_end(void);

/* That header, of --token-file or HRW_TOKEN, to free(); NULL: none. 0 or CTL_USAGE. */
int client_login(struct ctl *ctl, char **authorization);

/* What curl needs to know of --admin: "http://host:port" to put a path behind, and the
 * unix socket's path or "". Both to free(). 0 or CTL_USAGE. */
int client_address(const char *address, char **base, char **socket_path);

/* Says what an answer warns of, on stderr. */
void client_warn(const struct json *j);

/* Numbers and texts of an answer by their JSON pointer; 0 and "" where there is
 * none. */
uint64_t client_count(const struct json *j, const char *pointer);
const char *client_text(const struct json *j, const char *pointer);
/* The text as a terminal may get it: ctl_shown(). */
const char *client_shown(const struct json *j, const char *pointer);

#endif
