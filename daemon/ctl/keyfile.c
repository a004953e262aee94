/*
 * keyfile.c - key sets sent and fetched, a piece at a time.
 */
#include <string.h>

#include "daemon/ctl/command.h"
#include "daemon/ctl/table.h"
#include "daemon/ctl/upload.h"
#include "daemon/ctl/url.h"

/* The media types, by the words of --format. */
static const char *
type_of(const char *format)
{
	if (strcmp(format, "json") == 0)
		return "application/json";
	return strcmp(format, "ndjson") == 0 ? "application/x-ndjson" : "text/plain";
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
	client_warn(j);
	fprintf(ctl->out, "pool %s: %s keys", client_shown(j, "/pool"),
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
	ask->shape = "pool$ keys#";
	ask->reason = ctl->options.reason;
	terminal_catch();
	rc = url.failed ? ctl_no_memory() : upload_send(u, ask, &reply);
	if (rc == CTL_LEFT)
		ctl_fail(rc, "left: the keys are as they were, unless all were sent already");
	if (rc == 0) {
		show_stats(ctl, &reply);
		upload_remark(u);
	}
	reply_fini(&reply);
	buffer_fini(&url);
	return rc;
}

static int
send_file(struct ctl *ctl, const char *method)
{
	const struct options *o = &ctl->options;
	struct ask ask = {.method = method,
	    .type = type_of(o->format),
	    .read = o->has_crlf ? upload_read_crlf : upload_read,
	    .read_as = o->has_crlf ? "the lines without CR" : NULL};
	struct upload u;
	int rc;

	if (o->has_crlf && strcmp(o->format, "text") != 0)
		return ctl_fail(CTL_USAGE,
		    "--crlf is for lines of text: in %s a line end is no part of a key", o->format);
	rc = upload_open(&u, ctl, ctl->argument[0]);
	/* What adds nothing does no harm. */
	u.may_be_empty = u.may_be_empty || strcmp(method, "POST") == 0;
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
	    .read = upload_read_dump,
	    .read_as = "a JSON string a line, the keys"};
	bool is_redis = strcmp(ctl->argument[0], "redis") == 0;
	struct upload u;
	int rc;

	if (ctl->options.is_quoted && !is_redis)
		return ctl_fail(CTL_USAGE, "--no-raw is for what redis-cli --no-raw printed");
	rc = upload_open(&u, ctl, ctl->argument[1]);

	u.kind =
	    is_redis ? ctl->options.is_quoted ? DUMP_REDIS_QUOTED : DUMP_REDIS : DUMP_MEMCACHED;
	u.may_be_empty = u.may_be_empty || ctl->options.extends;
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
	url_page(&url, ctl->options.limit, ctl->options.after);
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
	rc = url.failed ? ctl_no_memory()
			: client_get(ctl, buffer_text(&url), "pool$ keys#", &reply);
	if (rc == 0)
		show_stats(ctl, &reply);
	reply_fini(&reply);
	buffer_fini(&url);
	return rc;
}
