/*
 * reply.c - what came back: read, or said to be wrong.
 */
#include <stdlib.h>
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

/* What the API calls it, and what this program does: an answer's advice is for who
 * sends requests by hand. */
static const struct {
	const char *api, *here;
} words[] = {
    {"send force=", "give --force "},
    {"ask with Accept: application/x-ndjson", "give --format ndjson"},
    {"POST /nodes?pool=", "hrwctl add NODE ADDRESS --pool "},
    {"PUT /pools/", "hrwctl apply FILE --pool "},
    {" on the admin listener makes one", " makes one"},
    {"GET /nodes lists", "hrwctl nodes lists"},
    {"GET /pools lists", "hrwctl pools lists"},
    {"GET /plans/", "hrwctl plan show "},
    {"?wait=30 says", " --watch says"},
    {"(PUT /nodes)", "(hrwctl apply)"},
};

char *
client_advice(const char *detail)
{
	struct buffer out = {0};

	while (*detail != '\0') {
		size_t i = 0, count = sizeof(words) / sizeof(words[0]);

		while (i < count && strncmp(detail, words[i].api, strlen(words[i].api)) != 0)
			i++;
		buffer_add(&out, i < count ? words[i].here : detail,
		    i < count ? strlen(words[i].here) : 1);
		detail += i < count ? strlen(words[i].api) : 1;
	}
	return buffer_take(&out);
}

/* What would do instead, where this program knows more than the daemon. */
static const char *
remedy(const struct ctl *ctl, const char *code)
{
	if (strcmp(code, "unauthorized") == 0)
		return ": --token-file FILE or HRW_TOKEN gives one";
	if (strcmp(code, "too-large") == 0 && ctl->options.keys != NULL)
		return ": hrwctl keys put FILE stores so many keys, which a plan without --keys "
		       "counts; --offline POOL.json counts a file of any length here";
	return "";
}

int
client_refused(struct ctl *ctl, const struct reply *reply)
{
	static const char *const conflicts[] = {
	    "stale-epoch", "precondition-required", "conflict", "keys-changed", NULL};
	const char *code = client_text(reply->json, "/code");
	int status = CTL_REFUSED;
	char *advice;

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
	advice = client_advice(client_text(reply->json, "/detail"));
	ctl_fail(status, "%s (%s)%s", advice != NULL ? advice : "", code, remedy(ctl, code));
	free(advice);
	return status;
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
