/*
 * reply.c - what came back: read, or said to be wrong.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/ctl/client.h"

void
reply_fini(struct reply *reply)
{
	json_free(reply->json);
	buffer_fini(&reply->body);
	*reply = (struct reply){0};
}

/* The last piece's bytes of a character that goes on in the next. */
static uint8_t tail[4];
static size_t tail_len;

static size_t
tail_of(struct hrw_bytes text)
{
	for (size_t n = 1; n < sizeof(tail) && n <= text.len; n++) {
		uint8_t byte = text.data[text.len - n];

		if (byte < 0x80 || byte >= 0xc0)
			return (byte >= 0xf0	  ? 4u
				   : byte >= 0xe0 ? 3u
				   : byte >= 0xc0 ? 2u
						  : 1u) > n
				   ? n
				   : 0;
	}
	return 0;
}

/* Line by line: their ends are the only control bytes that are meant. */
static void
put_shown(struct hrw_bytes text)
{
	char *room = malloc(text.len * 4 + 8);
	const uint8_t *at = text.data, *end = text.data + text.len;

	while (room != NULL && at < end) {
		const uint8_t *feed = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((feed != NULL ? feed : end) - at);

		fputs(hrw_show(hrw_bytes(at, len), room, len * 4 + 8), stdout);
		if (feed != NULL)
			putchar('\n');
		at += len + 1;
	}
	free(room);
}

void
client_put(struct hrw_bytes piece)
{
	struct buffer text = {0};
	size_t left;

	if (isatty(STDOUT_FILENO) != 1) {
		fwrite(piece.data, 1, piece.len, stdout);
		return;
	}
	buffer_add(&text, tail, tail_len);
	buffer_add(&text, piece.data, piece.len);
	left = tail_of(buffer_bytes(&text));
	put_shown(hrw_bytes(text.data, text.len - left));
	tail_len = left;
	if (left > 0)
		memcpy(tail, text.data + text.len - left, left);
	buffer_fini(&text);
}

void
client_put_end(void)
{
	put_shown(hrw_bytes(tail, tail_len));
	tail_len = 0;
}

void
client_print(const struct buffer *json)
{
	client_put(buffer_bytes(json));
	if (json->len == 0 || json->data[json->len - 1] != '\n')
		client_put(hrw_text("\n"));
}

bool
client_write(void *arg, struct hrw_bytes piece)
{
	struct ctl *ctl = arg;

	errno = 0;
	client_put(piece);
	if (ferror(stdout))
		ctl->output_error = errno;
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

const char *
client_shown(const struct json *j, const char *pointer)
{
	return ctl_shown(client_text(j, pointer));
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
	bool is_last; /* the rest of the sentence is dropped */
} words[] = {
    {"send force=", "give --force ", false},
    {"ask with Accept: application/x-ndjson", "give --format ndjson", false},
    {"POST /nodes?pool=", "hrwctl add NODE ADDRESS --pool ", false},
    {"PUT /pools/", "hrwctl pool add ", false},
    {"GET /nodes?pool=", "hrwctl nodes --pool ", false},
    {" on the admin listener makes one", " makes one", false},
    {"GET /nodes lists", "hrwctl nodes lists", false},
    {"GET /pools lists", "hrwctl pools lists", false},
    {"GET /history lists", "hrwctl history lists", false},
    {"(limits.plans)", "(limits.plans); hrwctl plans lists those there are", false},
    {"GET /plans/", "hrwctl plan show ", false},
    {"?wait=30 says", " --watch says", false},
    {"(PUT /nodes)", "(hrwctl apply)", false},
    {"patch it, or", "hrwctl reweight or hrwctl address changes it, or", false},
    {"look at what changed, then send If-Match: ",
	"hrwctl history says what changed; then plan it again", true},
    {"If-None-Match is *, but ", "", false},
    {"send If-None-Match: * to make it", "give the command again to make it", true},
    {": send If-", ": give the command again", true},
    {": send a header Authorization: ", "", true},
    {"the Authorization header is no bearer token: ", "the token that was given is none", true},
    {"(?dry_run=true)", "(--dry-run)", false},
    {": curl -G --data-urlencode ", "", true},
    {"; GET /openapi.json lists those there are",
	": it is hrwd's lookup listener, or an older hrwd; --admin ADDR or HRW_ADMIN names another",
	false},
};

char *
client_advice(const char *detail)
{
	struct buffer out = {0};

	while (*detail != '\0') {
		size_t i = 0, count = sizeof(words) / sizeof(words[0]);

		while (i < count && strncmp(detail, words[i].api, strlen(words[i].api)) != 0)
			i++;
		if (i == count) {
			buffer_add(&out, detail++, 1);
			continue;
		}
		buffer_add_text(&out, words[i].here);
		detail += words[i].is_last ? strlen(detail) : strlen(words[i].api);
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

void
client_warn(const struct json *j)
{
	json_each (warning, json_get(j, "warnings")) {
		const char *text = json_text(warning);
		char *advice = client_advice(text != NULL ? text : client_text(warning, "/detail"));

		ctl_fail(CTL_DONE, "warning: %s", advice != NULL ? advice : "");
		free(advice);
	}
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

/* Is the member what its mark says? */
static bool
is_marked(const struct json *j, char mark)
{
	switch (mark) {
	case '#':
		return j != NULL && json_type(j) == JSON_NUMBER;
	case '$':
		return j != NULL && json_text(j) != NULL;
	case '[':
	case ']':
		if (j == NULL && mark == ']')
			return true;
		if (j == NULL || json_type(j) != JSON_ARRAY)
			return false;
		json_each (element, j)
			if (json_type(element) != JSON_OBJECT)
				return false;
		return true;
	default:
		return j != NULL;
	}
}

bool
client_has_shape(const struct json *j, const char *shape)
{
	char name[32];

	if (j == NULL || json_type(j) != JSON_OBJECT)
		return false;
	while (*shape != '\0') {
		size_t len = strcspn(shape, " ");

		snprintf(name, sizeof(name), "%.*s", (int)len - 1, shape);
		if (!is_marked(json_get(j, name), shape[len - 1]))
			return false;
		shape += len + (shape[len] == ' ');
	}
	return true;
}

int
client_stranger(const struct ctl *ctl)
{
	return ctl_fail(CTL_REFUSED,
	    "what answers at %s is not an hrwd, or not its admin listener: --admin ADDR or "
	    "HRW_ADMIN names another",
	    ctl->options.admin);
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
client_get(struct ctl *ctl, const char *path, const char *shape, struct reply *reply)
{
	const struct ask ask = {.method = "GET", .path = path, .shape = shape};

	return client_want(ctl, &ask, reply);
}
