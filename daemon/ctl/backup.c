/*
 * backup.c - takes a backup of a running daemon's store, and puts one in the place of a
 * stopped daemon's.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/ctl/client.h"
#include "daemon/ctl/command.h"
#include "daemon/store/claim.h"
#include "daemon/store/copy.h"

/* A file that appears under its name when it is whole. */
struct draft {
	char *path;
	int fd;
	int error; /* errno of a write that failed; 0: none did */
	uint64_t bytes;
};

static bool
draft_write(void *arg, struct hrw_bytes piece)
{
	struct draft *d = arg;
	const uint8_t *at = piece.data;
	size_t left = piece.len;

	while (left > 0) {
		ssize_t put = write(d->fd, at, left);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0) {
			d->error = errno;
			return false;
		}
		at += put;
		left -= (size_t)put;
		d->bytes += (uint64_t)put;
	}
	return true;
}

static int
not_written(const char *file, int error)
{
	return ctl_fail(CTL_OUTPUT, "%s cannot be written: %s", file, strerror(error));
}

/* Beside its place and for its owner alone (mkstemp's mode, 0600). */
static int
draft_open(struct draft *d, const char *file)
{
	struct stat st;

	*d = (struct draft){.fd = -1};
	if (stat(file, &st) == 0 && !S_ISREG(st.st_mode))
		return ctl_fail(CTL_USAGE, "%s is no regular file: a backup is one file", file);
	if (asprintf(&d->path, "%s.XXXXXX", file) < 0) {
		d->path = NULL;
		return ctl_no_memory();
	}
	d->fd = mkostemp(d->path, O_CLOEXEC);
	if (d->fd >= 0)
		return 0;
	free(d->path);
	d->path = NULL;
	return not_written(file, errno);
}

/* Judged as a daemon would, and only then given its name. */
static int
draft_end(struct draft *d, const char *file)
{
	struct hrw_fault fault = {0};
	int fd = d->fd;

	d->fd = -1;
	if (claim_flush(fd) < 0)
		return not_written(file, errno);
	if (copy_judge(d->path, &fault) < 0)
		return ctl_fail(
		    CTL_REFUSED, "what came is no whole backup, and is not kept: %s", fault.detail);
	if (rename(d->path, file) < 0 || claim_flush(claim_open_folder(file)) < 0)
		return not_written(file, errno);
	free(d->path);
	d->path = NULL;
	return 0;
}

static void
draft_close(struct draft *d)
{
	if (d->fd >= 0)
		close(d->fd);
	if (d->path != NULL)
		unlink(d->path);
	free(d->path);
}

static void
show_backup(const struct ctl *ctl, const char *file, uint64_t bytes)
{
	struct buffer out = {0};
	struct json_out o = json_out(&out);

	if (!ctl->is_json) {
		fprintf(ctl->out,
		    "%s: the store as it is now, %llu bytes. Key sets are not in it (hrwctl keys "
		    "get).\n",
		    ctl_shown(file), (unsigned long long)bytes);
		return;
	}
	json_open_object(&o, NULL);
	json_put_text(&o, "file", file);
	json_put_count(&o, "bytes", bytes);
	json_close_object(&o);
	client_print(&out);
	buffer_fini(&out);
}

int
backup_take(struct ctl *ctl)
{
	const char *file = ctl->argument[0];
	struct draft draft;
	struct ask ask = {.method = "GET",
	    .path = "/backup",
	    .accept = "application/vnd.sqlite3",
	    .write = draft_write,
	    .arg = &draft};
	struct reply reply = {0};
	int rc;

	signal(SIGXFSZ, SIG_IGN); /* a limit is told by errno */
	rc = draft_open(&draft, file);
	if (rc != 0)
		return rc;
	rc = client_ask(ctl, &ask, &reply);
	if (draft.error != 0)
		rc = not_written(file, draft.error);
	else if (rc == 0 && reply.status != 200)
		rc = client_refused(ctl, &reply);
	if (rc == 0)
		rc = draft_end(&draft, file);
	if (rc == 0)
		show_backup(ctl, file, draft.bytes);
	draft_close(&draft);
	reply_fini(&reply);
	return rc;
}

static void
show_restored(const struct ctl *ctl, const struct copy_restored *r)
{
	const char *from = ctl->argument[0], *store = ctl->argument[1];
	struct buffer out = {0};
	struct json_out o = json_out(&out);

	if (!ctl->is_json) {
		fprintf(ctl->out, "%s is the store %s now, with %zu pool%s.\n", ctl_shown(from),
		    ctl_shown(store), r->pools, r->pools == 1 ? "" : "s");
		if (r->kept != NULL)
			fprintf(ctl->out, "The store that was there is kept as %s.\n",
			    ctl_shown(r->kept));
		fputs("Start hrwd on it: each pool goes on under a new lineage, so no client takes "
		      "an old answer for a present one.\n",
		    ctl->out);
		return;
	}
	json_open_object(&o, NULL);
	json_put_text(&o, "store", store);
	json_put_text(&o, "kept", r->kept);
	json_put_count(&o, "pools", r->pools);
	json_close_object(&o);
	client_print(&out);
	buffer_fini(&out);
}

int
backup_restore(struct ctl *ctl)
{
	struct copy_restored restored;
	struct hrw_fault fault = {0};
	int rc;

	signal(SIGXFSZ, SIG_IGN);
	rc = copy_restore(ctl->argument[0], ctl->argument[1], &restored, &fault);
	if (rc == 0)
		show_restored(ctl, &restored);
	free(restored.kept);
	return rc == 0 ? CTL_DONE : ctl_fail(CTL_REFUSED, "%s", fault.detail);
}
