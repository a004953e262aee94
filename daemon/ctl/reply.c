/*
 * reply.c - what came back: read, or said to be wrong.
 */
#include <string.h>

#include "daemon/ctl/client.h"

void
reply_fini(struct reply *reply)
{
	json_free(reply->json);
	buffer_fini(&reply->body);
	*reply = (struct reply){0};
}

void
client_print(const struct buffer *json)
{
	fwrite(json->data, 1, json->len, stdout);
	if (json->len == 0 || json->data[json->len - 1] != '\n')
		fputc('\n', stdout);
}

bool
client_write(void *arg, struct hrw_bytes piece)
{
	const struct ctl *ctl = arg;

	if (!ctl->terminal.is_screen)
		return fwrite(piece.data, 1, piece.len, stdout) == piece.len;
	for (size_t i = 0; i < piece.len; i++) {
		uint8_t byte = piece.data[i];

		if ((byte < 0x20 && byte != '\n') || byte == 0x7f)
			printf("\\x%02x", byte);
		else
			putchar(byte);
	}
	return !ferror(stdout);
}

uint64_t
client_count(const struct json *j, const char *pointer)
{
	int64_t number;
	const struct json *at = json_at(j, pointer);

	return at != NULL && json_integer(at, &number) && number > 0 ? (uint64_t)number : 0;
}

const char *
client_text(const struct json *j, const char *pointer)
{
	const struct json *at = json_at(j, pointer);
	const char *text = at != NULL ? json_text(at) : NULL;

	return text != NULL ? text : "";
}

bool
client_has_code(const struct reply *reply, const char *code)
{
	return strcmp(client_text(reply->json, "/code"), code) == 0;
}

int
client_refused(struct ctl *ctl, const struct reply *reply)
{
	static const char *const conflicts[] = {
	    "stale-epoch", "precondition-required", "conflict", "keys-changed", NULL};
	const char *code = client_text(reply->json, "/code");
	int status = CTL_REFUSED;

	if (*code == '\0')
		return ctl_fail(CTL_UNREACHABLE,
		    "%s answered with status %ld, and not as hrwd does: is it hrwd's admin "
		    "listener? --admin ADDR or HRW_ADMIN names another",
		    ctl->options.admin, reply->status);
	for (size_t i = 0; conflicts[i] != NULL; i++)
		if (strcmp(code, conflicts[i]) == 0)
			status = CTL_CONFLICT;
	if (ctl->is_json)
		client_print(&reply->body);
	return ctl_fail(status, "%s (%s)%s", client_text(reply->json, "/detail"), code,
	    strcmp(code, "unauthorized") == 0 ? ": --token-file FILE or HRW_TOKEN gives one" : "");
}

int
client_want(struct ctl *ctl, const struct ask *ask, struct reply *reply)
{
	int rc = client_ask(ctl, ask, reply);

	if (rc != 0)
		return rc;
	if (reply->status >= 200 && reply->status < 300 && reply->json != NULL)
		return 0;
	return client_refused(ctl, reply);
}

int
client_get(struct ctl *ctl, const char *path, struct reply *reply)
{
	const struct ask ask = {.method = "GET", .path = path};

	return client_want(ctl, &ask, reply);
}
