/*
 * owners.c - many keys by one request.
 */
#include <string.h>

#include "daemon/ctl/owners.h"
#include "daemon/ctl/upload.h"
#include "daemon/ctl/url.h"

bool
owners_are_asked(const struct ctl *ctl)
{
	return ctl->argument_count > 1 || strcmp(ctl->argument[0], "-") == 0;
}

/* "key<TAB>cache-d" or "key<TAB>cache-d,cache-a", as POST /owners has it as text; in
 * the order of the arguments. */
static void
show_results(const struct ctl *ctl, const struct json *j)
{
	struct buffer line = {0};
	size_t at = 0;

	json_each (result, json_get(j, "results")) {
		const struct json *replicas = json_get(result, "replicas");

		if (at == ctl->argument_count)
			break;
		buffer_clear(&line);
		buffer_printf(&line, "%s\t%s", ctl->argument[at++], client_text(result, "/owner"));
		json_each (node, replicas)
			buffer_printf(&line, "%s%s", node == json_first(replicas) ? "" : ",",
			    client_text(node, ""));
		buffer_add_text(&line, "\n");
		client_put(buffer_bytes(&line));
	}
	buffer_fini(&line);
}

/* The keys that are given, as a JSON array: a key may have a line feed. */
static void
put_keys(const struct ctl *ctl, struct buffer *body)
{
	struct json_out o = json_out(body);

	json_open_array(&o, NULL);
	for (size_t i = 0; i < ctl->argument_count; i++)
		json_put_key_element(&o, hrw_text(ctl->argument[i]));
	json_close_array(&o);
}

static bool
write_answer(void *arg, struct hrw_bytes piece)
{
	const struct upload *u = arg;

	return client_write(u->ctl, piece);
}

static void
warn_of_lines(const struct reply *reply)
{
	struct buffer text = {0};
	struct json *j;

	buffer_printf(&text, "{\"warnings\":%s}", reply->warnings);
	j = json_parse(buffer_bytes(&text), JSON_STRICT, NULL);
	if (j != NULL)
		client_warn(j);
	json_free(j);
	buffer_fini(&text);
}

/* Lines of stdin, answered in the form in which they are sent: however many, none is
 * kept here. */
static int
ask_stdin(struct ctl *ctl, const char *path)
{
	struct ask ask = {.method = "POST",
	    .path = path,
	    .type = ctl->is_json ? "application/x-ndjson" : "text/plain",
	    .read = ctl->is_json ? upload_read_dump : upload_read,
	    .write = write_answer};
	struct reply reply = {0};
	struct upload u;
	int rc = upload_open(&u, ctl, "-");

	u.kind = DUMP_REDIS; /* a key a line */
	u.may_be_empty = u.keeps_empty = true;
	ask.accept = ask.type;
	if (rc == 0)
		rc = upload_send(&u, &ask, &reply);
	warn_of_lines(&reply);
	reply_fini(&reply);
	upload_close(&u);
	return rc;
}

/* The pool's number of copies: POST /owners has to be told how many to answer with. */
static int
copies_of_pool(struct ctl *ctl, uint64_t *out)
{
	struct buffer url = {0};
	struct reply reply = {0};
	int rc;

	buffer_add_text(&url, "/replicas?key=k");
	if (ctl->options.pool != NULL)
		url_parameter(&url, "pool", hrw_text(ctl->options.pool));
	rc = url.failed ? ctl_no_memory() : client_get(ctl, buffer_text(&url), "copies#", &reply);
	*out = client_count(reply.json, "/copies");
	reply_fini(&reply);
	buffer_fini(&url);
	return rc;
}

int
owners_ask(struct ctl *ctl, bool all_holders)
{
	struct ask ask = {.method = "POST", .type = "application/json", .shape = "results["};
	struct buffer url = {0}, body = {0};
	struct reply reply = {0};
	uint64_t copies = ctl->options.copies;
	int rc = all_holders && copies == 0 ? copies_of_pool(ctl, &copies) : 0;

	if (rc != 0)
		return rc;
	buffer_add_text(&url, "/owners");
	if (all_holders)
		url_number(&url, "copies", copies);
	if (ctl->options.pool != NULL)
		url_parameter(&url, "pool", hrw_text(ctl->options.pool));
	ask.path = buffer_text(&url);
	if (ctl->argument_count == 1) {
		rc = url.failed ? ctl_no_memory() : ask_stdin(ctl, ask.path);
		goto out;
	}
	put_keys(ctl, &body);
	ask.body = buffer_bytes(&body);
	rc = url.failed || body.failed ? ctl_no_memory() : client_want(ctl, &ask, &reply);
	if (rc == 0 && ctl->is_json)
		client_print(&reply.body);
	else if (rc == 0)
		show_results(ctl, reply.json);
out:
	reply_fini(&reply);
	buffer_fini(&body);
	buffer_fini(&url);
	return rc;
}
