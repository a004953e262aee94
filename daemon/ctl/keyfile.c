/*
 * keyfile.c - key sets sent and fetched, a piece at a time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/ctl/client.h"
#include "daemon/ctl/command.h"
#include "daemon/ctl/dump.h"
#include "daemon/ctl/table.h"
#include "daemon/ctl/url.h"

/* A file on its way to the daemon. */
struct upload {
	struct ctl *ctl;
	const char *path;
	FILE *file;
	uint64_t size, sent; /* of the file; size 0: not known */
	bool failed;	     /* and said so */

	/* A dump on its way into NDJSON. */
	enum dump_kind kind;
	struct buffer key, pending;
	size_t at; /* in pending */
	char *line;
	size_t room;
	uint64_t number; /* of the line */
};

/* The media types, by the words of --format. */
static const char *
type_of(const char *format)
{
	if (strcmp(format, "json") == 0)
		return "application/json";
	return strcmp(format, "ndjson") == 0 ? "application/x-ndjson" : "text/plain";
}

static void
show_progress(const struct upload *u)
{
	if (u->size > 0 && u->sent <= u->size)
		terminal_bar(
		    &u->ctl->terminal, (double)u->sent / (double)u->size, u->size, "bytes");
}

static long
fail(struct upload *u, const char *why)
{
	terminal_clear(&u->ctl->terminal);
	ctl_fail(CTL_USAGE, "%s: %s", u->path, why);
	u->failed = true;
	return -1;
}

static long
read_file(void *arg, char *room, size_t size)
{
	struct upload *u = arg;
	size_t len = fread(room, 1, size, u->file);

	if (len == 0 && ferror(u->file))
		return fail(u, strerror(errno));
	u->sent += len;
	show_progress(u);
	return (long)len;
}

/* Lines become NDJSON, until there is `size` of it. 0, or -1 after saying why. */
static long
convert(struct upload *u, size_t size)
{
	struct json_out o;
	struct hrw_fault fault;
	char why[HRW_FAULT_DETAIL + 64];
	ssize_t len;
	int rc;

	buffer_clear(&u->pending);
	u->at = 0;
	while (u->pending.len < size && (len = getline(&u->line, &u->room, u->file)) > 0) {
		u->number++;
		u->sent += (uint64_t)len;
		if (u->line[len - 1] == '\n')
			len--;
		rc = dump_line(u->kind, hrw_bytes(u->line, (size_t)len), &u->key, &fault);
		if (rc < 0) {
			snprintf(why, sizeof(why), "line %llu: %s", (unsigned long long)u->number,
			    fault.detail);
			return fail(u, why);
		}
		if (rc == 0)
			continue;
		o = json_out(&u->pending);
		json_put_key_element(&o, buffer_bytes(&u->key));
		buffer_add_text(&u->pending, "\n");
	}
	if (ferror(u->file))
		return fail(u, strerror(errno));
	return u->pending.failed ? fail(u, "no memory") : 0;
}

static long
read_dump(void *arg, char *room, size_t size)
{
	struct upload *u = arg;
	size_t left;

	if (u->at == u->pending.len) {
		if (convert(u, size) < 0)
			return -1;
		show_progress(u);
	}
	left = u->pending.len - u->at;
	if (left > size)
		left = size;
	if (left > 0)
		memcpy(room, u->pending.data + u->at, left);
	u->at += left;
	return (long)left;
}

static int
upload_open(struct upload *u, struct ctl *ctl, const char *path)
{
	struct stat st;

	*u = (struct upload){.ctl = ctl, .path = path};
	u->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	if (u->file == NULL)
		return ctl_fail(CTL_USAGE, "%s: %s", path, strerror(errno));
	if (fstat(fileno(u->file), &st) == 0 && S_ISREG(st.st_mode))
		u->size = (uint64_t)st.st_size;
	return 0;
}

static void
upload_close(struct upload *u)
{
	if (u->file != NULL && u->file != stdin)
		fclose(u->file);
	buffer_fini(&u->key);
	buffer_fini(&u->pending);
	free(u->line);
}

static void
pool_path(const struct ctl *ctl, const char *path, struct buffer *url)
{
	buffer_add_text(url, path);
	if (ctl->options.pool != NULL)
		url_parameter(url, "pool", hrw_text(ctl->options.pool));
}

static void
show_stats(struct ctl *ctl, const struct reply *reply)
{
	const struct json *j = reply->json;
	char keys[TABLE_COUNT], added[TABLE_COUNT], removed[TABLE_COUNT];

	if (ctl->is_json) {
		client_print(&reply->body);
		return;
	}
	fprintf(ctl->out, "pool %s: %s keys", client_text(j, "/pool"),
	    table_number(client_count(j, "/keys"), keys));
	if (json_get(j, "added") != NULL)
		fprintf(ctl->out, ", %s added, %s removed",
		    table_number(client_count(j, "/added"), added),
		    table_number(client_count(j, "/removed"), removed));
	fputc('\n', ctl->out);
}

static int
send_keys(struct ctl *ctl, struct upload *u, struct ask *ask)
{
	struct buffer url = {0};
	struct reply reply = {0};
	int rc;

	pool_path(ctl, "/keys", &url);
	ask->path = buffer_text(&url);
	ask->reason = ctl->options.reason;
	ask->read_from = u->path;
	ask->arg = u;
	terminal_catch();
	rc = url.failed ? ctl_no_memory() : client_ask(ctl, ask, &reply);
	terminal_clear(&ctl->terminal);
	if (rc == CTL_LEFT && u->failed)
		rc = CTL_USAGE;
	else if (rc == CTL_LEFT)
		ctl_fail(rc, "left: the keys are as they were, unless all were sent already");
	else if (rc == 0 && reply.status != 200)
		rc = client_refused(ctl, &reply);
	if (rc == 0)
		show_stats(ctl, &reply);
	reply_fini(&reply);
	buffer_fini(&url);
	return rc;
}

static int
send_file(struct ctl *ctl, const char *method)
{
	struct ask ask = {
	    .method = method, .type = type_of(ctl->options.format), .read = read_file};
	struct upload u;
	int rc = upload_open(&u, ctl, ctl->argument[0]);

	if (rc == 0)
		rc = send_keys(ctl, &u, &ask);
	upload_close(&u);
	return rc;
}

int
keyfile_put(struct ctl *ctl)
{
	return send_file(ctl, "PUT");
}

int
keyfile_add(struct ctl *ctl)
{
	return send_file(ctl, "POST");
}

int
keyfile_import(struct ctl *ctl)
{
	struct ask ask = {.method = ctl->options.extends ? "POST" : "PUT",
	    .type = "application/x-ndjson",
	    .read = read_dump,
	    .read_as = "a JSON string a line, the keys"};
	struct upload u;
	int rc = upload_open(&u, ctl, ctl->argument[1]);

	u.kind = strcmp(ctl->argument[0], "redis") == 0 ? DUMP_REDIS : DUMP_MEMCACHED;
	if (rc == 0)
		rc = send_keys(ctl, &u, &ask);
	upload_close(&u);
	return rc;
}

int
keyfile_get(struct ctl *ctl)
{
	struct ask ask = {.method = "GET",
	    .accept = type_of(ctl->is_json ? "json" : ctl->options.format),
	    .write = client_write,
	    .arg = ctl};
	struct buffer url = {0};
	struct reply reply = {0};
	int rc;

	pool_path(ctl, "/keys", &url);
	ask.path = buffer_text(&url);
	rc = url.failed ? ctl_no_memory() : client_ask(ctl, &ask, &reply);
	if (rc == 0 && reply.status != 200)
		rc = client_refused(ctl, &reply);
	reply_fini(&reply);
	buffer_fini(&url);
	return rc;
}

int
keyfile_stats(struct ctl *ctl)
{
	struct buffer url = {0};
	struct reply reply = {0};
	int rc;

	pool_path(ctl, "/keys/stats", &url);
	rc = url.failed ? ctl_no_memory() : client_get(ctl, buffer_text(&url), &reply);
	if (rc == 0)
		show_stats(ctl, &reply);
	reply_fini(&reply);
	buffer_fini(&url);
	return rc;
}
