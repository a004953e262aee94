/*
 * backup.c - GET /backup: the whole store as it is at one moment.
 *
 * It is copied into a file of its own first, beside the store, where there is room for
 * its like. That file has no name any more when it is sent, so nothing is left behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"
#include "daemon/routes/turns.h"

enum { PIECE = 256 << 10 };

struct backup {
	struct store *store;
	const char *beside; /* the store's path; NULL: it has none */
	enum turn turn;
	int fd;
	uint64_t bytes;
	int rc;
};

static void
backup_free(void *state)
{
	struct backup *b = state;

	if (b->fd >= 0)
		close(b->fd);
	turn_give_back(b->turn);
	free(b);
}

/* Removes the draft, and what SQLite may have made beside it. */
static void
remove_draft(const char *draft)
{
	static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		struct buffer name = {0};

		buffer_printf(&name, "%s%s", draft, suffixes[i]);
		if (!name.failed)
			unlink(buffer_text(&name));
		buffer_fini(&name);
	}
}

static int
no_draft(const char *draft, struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_STORE_FAILED,
	    "no backup is made: %s: %s (nothing was changed; make room on its disk, or let the "
	    "daemon's user write to its folder)",
	    draft, strerrordesc_np(errno));
}

/* On the libuv pool. */
static void
make(struct request *req)
{
	struct backup *b = req->state;
	struct buffer name = {0};
	char *draft;
	int fd;

	buffer_printf(&name, "%s.backup", b->beside != NULL ? b->beside : "/var/tmp/hrwd.db");
	if (name.failed) {
		b->rc = hrw_fault(&req->fault, HRW_INTERNAL, "no memory for a backup");
		goto out;
	}
	draft = (char *)buffer_text(&name);
	remove_draft(draft); /* of a daemon that was killed */
	fd = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		b->rc = no_draft(draft, &req->fault);
		goto out;
	}
	close(fd);
	b->rc = store_copy(b->store, draft, &req->fault);
	if (b->rc == 0 && (b->fd = open(draft, O_RDONLY | O_CLOEXEC)) < 0)
		b->rc = no_draft(draft, &req->fault);
	remove_draft(draft);
out:
	buffer_fini(&name);
}

static int
fill(void *state, struct buffer *out)
{
	struct backup *b = state;
	ssize_t got;

	if (buffer_reserve(out, PIECE) < 0)
		return HRW_INTERNAL;
	do
		got = read(b->fd, out->data + out->len, PIECE);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		log_error("a backup is cut short: %s", strerrordesc_np(errno));
		return HRW_STORE_FAILED;
	}
	out->len += (size_t)got;
	b->bytes += (uint64_t)got;
	if (got == 0)
		log_event(LOG_INFO, "backup sent", log_count("bytes", b->bytes));
	return got > 0;
}

static int
made(struct request *req)
{
	struct backup *b = req->state;

	if (b->rc < 0)
		return b->rc;
	req->state = NULL; /* the stream's from here on */
	req->state_free = NULL;
	respond_text(req, "Cache-Control", "no-store");
	return respond_stream(req, 200, "application/vnd.sqlite3", fill, b, backup_free);
}

/* Who sees some pools alone would get all of them. */
static bool
sees_all(const struct token *token)
{
	bool sees = token == NULL || token->pattern_count == 0;

	for (size_t i = 0; !sees && i < token->pattern_count; i++)
		sees = strcmp(token->pattern[i], "*") == 0;
	return sees;
}

int
backup_get(struct request *req)
{
	const struct config *c = req->app->config;
	struct backup *b = calloc(1, sizeof(*b));
	int rc;

	if (b == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory for a backup");
	if (!sees_all(req->token)) {
		free(b);
		return hrw_fault(&req->fault, HRW_FORBIDDEN,
		    "a backup has every pool in it, and this token is bound to some: use one "
		    "without patterns");
	}
	b->fd = -1;
	b->store = req->app->store;
	req->state = b;
	req->state_free = backup_free;
	if (c->members.store_path != NULL && strcmp(c->members.store_path, ":memory:") != 0)
		b->beside = c->members.store_path;
	rc = turn_take(req, TURN_BACKUP, &b->turn);
	return rc < 0 ? rc : request_background(req, make, made);
}
