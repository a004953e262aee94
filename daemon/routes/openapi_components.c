/*
 * openapi_components.c - what routes share: parameters, headers, refusals.
 */
#include <stdio.h>

#include "daemon/http/request.h"
#include "daemon/routes/openapi.h"
#include "daemon/routes/shapes.h"

/* A query parameter or a header: a row for each name that routes[] has. */
struct parameter {
	const char *name, *type, *help;
};

static const struct parameter parameters[] = {
    {"pool", "text", "The pool; the configuration's default_pool without"},
    {"key", "text", "The key, any bytes, percent-encoded; or the header Hrw-Key"},
    {"copies", "copies", "So many copies, the pool's own number without"},
    {"limit", "count(1..2147483647)",
	"At most so many entries: of a page 1 to 1000 (100), of a list of keys any number (all)"},
    {"after", "text", "What next said, or in a list of keys the last one: goes on from there"},
    {"epoch", "epoch", "As it was at that epoch"},
    {"verbose", "flag", "Say why"},
    {"dry_run", "flag", "Only report what it would do"},
    {"force", "text", "Guards to override, separated by commas"},
    {"settle", "'now'|'later'",
	"now: all copies are in place once the change is made; later: they are not, as without it"},
    {"report", "'none'", "No report"},
    {"keep", "flag", "false: of a dry run no report is kept"},
    {"sample", "flag", "Estimate by sample keys although keys are stored"},
    {"wait", "count(0..300)", "Seconds to wait for the report, or for a change"},
    {"heartbeat", "count(1..300)", "Seconds between comment lines where nothing changes (15)"},
    {"changes", "count(0..1000)", "List at most so many single changes"},
    {"placements", "text",
	"Placements to simulate: names with commas between, or a JSON array of them with "
	"parameters; the pool's own without"},
    {"capacity", "count", "Entries of each node's cache; without a limit when left out"},
    {"window", "count", "Requests of a window of the hit rate (1000)"},
    {"leave", "text", "NODE@POSITION: leaves before that request, the first being 0; a list"},
    {"join", "text", "NODE@POSITION: joins before that request; a list"},
    {"lost", "text", "Only keys that lose a copy on this node; empty: on none"},
    {"gained", "text", "Only keys that gain a copy on this node; empty: on none"},
    {"from", "text", "Only keys copied from this node; empty: without a source"},
    {"to", "text", "Only keys whose copy on this node is to be made"},
    {"leftover", "flag", "Only keys of which a gaining node may have an old copy"},
    {NULL, NULL, NULL},
};

static const struct parameter request_headers[] = {
    {"Hrw-Key", "text", "The key's raw bytes, instead of key="},
    {"If-Match", "text", "ETags or epochs in quotes, or *: only on this version of the pool"},
    {"If-None-Match", "text", "304 where it still is this version; * makes a pool only"},
    {"Last-Event-ID", "text", "The id of the last event that came: goes on from there"},
    {"Hrw-Reason", "text", "Why, for the history"},
    {"Prefer", "text", "respond-async: answers at once, without the report"},
    {"Request-Id", "text",
	"What the request is called in the answer and the log: 1 to 64 of [A-Za-z0-9._-]; one that "
	"is not, or two, are replaced"},
    {"traceparent", "text",
	"W3C Trace Context: its trace stands in the log; a malformed one is left out, and so are "
	"two"},
    {NULL, NULL, NULL},
};

static const struct parameter answer_headers[] = {
    {"ETag", "text", "\"EPOCH-LINEAGE\" of the pool"},
    {"Hrw-Epoch", "epoch", "Of the pool"},
    {"Hrw-Fingerprint", "fingerprint", "Equal on daemons that place alike"},
    {"Hrw-Owner", "name", "The node ranked first"},
    {"Hrw-Address", "address", "Where to go now"},
    {"Hrw-Read", "text",
	"Addresses to try in turn: the warm holders, the fallback, the cold holders"},
    {"Hrw-Holders", "text",
	"The holders, where these are not the addresses to read: a set goes to each"},
    {"Hrw-Fallback", "text", "The fallback, where there is one: a set goes to it too"},
    {"Hrw-Truncated", "text",
	"true: a list of addresses had no room for all of them; the body of /replicas has"},
    {"Hrw-Warnings", "text",
	"A JSON array of what is odd about the lines of text that were sent: see warning"},
    {"Cache-Control", "text", NULL},
    {"X-Accel-Buffering", "text", "no: a proxy is to pass each event on at once"},
    {"Location", "text", "What was made, or where its report will be"},
    {"Preference-Applied", "text", NULL},
    {"Request-Id", "text", "The client's own, or one that was made: it stands in the log"},
    {"Retry-After", "count", "Seconds"},
    {"Allow", "text", "The methods that the path has"},
    {"Accept-Encoding", "text", "The Content-Encoding that a body may have"},
    {"WWW-Authenticate", "text", NULL},
    {NULL, NULL, NULL},
};

const struct openapi_status openapi_statuses[] = {
    {200, "As asked", ""},
    {201, "It was made", "Location"},
    {202, "It is done, its report is under way", "Location Preference-Applied"},
    {304, "It still is the version that If-None-Match names", ""},
    {400, "The request is at fault", ""},
    {401, "A token is needed", "WWW-Authenticate"},
    {403, "Not for this token, Host or Origin; or a store that takes no changes", ""},
    {404, "There is no such thing", ""},
    {405, "Not with this method", "Allow"},
    {408, "The request did not end in time", ""},
    {409, "What is there stands against it", ""},
    {412, "The pool has moved on", ""},
    {413, "The body is too large", ""},
    {414, "The request's line is too long: the HTTP library's own answer", ""},
    {415, "Not with a body of this type, or encoded so", "Accept-Encoding"},
    {428, "If-Match is needed", ""},
    {429, "Too much at once", "Retry-After"},
    {431, "The request's head is too long: far too long, the HTTP library's own answer", ""},
    {500, "Our own fault", ""},
    {503, "It cannot be done now", "Retry-After"},
    {0, NULL, NULL},
};

static const struct {
	enum hrw_error error;
	const char *code;
} errors[] = {
#define ERROR(name, number, code, title) {HRW_##name, code},
    HRW_ERRORS(ERROR)
#undef ERROR
};

const char *
openapi_word(const char **at, char word[OPENAPI_WORD])
{
	size_t len;

	*at += strspn(*at, " ");
	len = strcspn(*at, " ");
	snprintf(word, OPENAPI_WORD, "%.*s", (int)len, *at);
	*at += len;
	return word;
}

void
openapi_put_reference(struct json_out *o, const char *name, const char *kind, const char *to)
{
	char target[2 * OPENAPI_WORD];

	snprintf(target, sizeof(target), "#/components/%s/%s", kind, to);
	json_open_object(o, name);
	json_put_text(o, "$ref", target);
	json_close_object(o);
}

void
openapi_put_headers(struct json_out *o, const char *answers, const char *more)
{
	char word[OPENAPI_WORD];

	json_open_object(o, "headers");
	openapi_put_reference(o, "Request-Id", "headers", "Request-Id");
	while (openapi_word(&answers, word)[0] != '\0')
		if (word[0] == '+')
			openapi_put_reference(o, word + 1, "headers", word + 1);
	while (openapi_word(&more, word)[0] != '\0')
		openapi_put_reference(o, word, "headers", word);
	json_close_object(o);
}

static void
put_named(struct json_out *o, const struct parameter *p, const char *in)
{
	json_open_object(o, p->name);
	if (in != NULL) {
		json_put_text(o, "name", p->name);
		json_put_text(o, "in", in);
	}
	if (p->help != NULL)
		json_put_text(o, "description", p->help);
	shape_put_type(o, "schema", p->type, NULL);
	json_close_object(o);
}

static bool
has_status(enum hrw_error error, unsigned status)
{
	return respond_status(error, NULL) == status || respond_status(error, "taken") == status;
}

static bool
is_ours(unsigned status)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (has_status(errors[i].error, status))
			return true;
	return false;
}

/* The one form that errors have, with the codes of one status. */
static void
put_problem(struct json_out *o, unsigned status)
{
	json_open_object(o, "content");
	json_open_object(o, "application/problem+json");
	json_open_object(o, "schema");
	json_open_array(o, "allOf");
	openapi_put_reference(o, NULL, "schemas", "problem");
	json_open_object(o, NULL);
	json_open_object(o, "properties");
	json_open_object(o, "code");
	json_open_array(o, "enum");
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (has_status(errors[i].error, status))
			json_put_text(o, NULL, errors[i].code);
	json_close_array(o);
	json_close_object(o);
	json_close_object(o);
	json_close_object(o);
	json_close_array(o);
	json_close_object(o);
	json_close_object(o);
	json_close_object(o);
}

static void
put_refusal(struct json_out *o, const struct openapi_status *s)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", s->status);
	json_open_object(o, name);
	json_put_text(o, "description", s->help);
	openapi_put_headers(o, "", s->headers);
	if (is_ours(s->status))
		put_problem(o, s->status);
	json_close_object(o);
}

void
openapi_put_components(struct json_out *o)
{
	json_open_object(o, "components");
	json_open_object(o, "securitySchemes");
	json_open_object(o, "token");
	json_put_text(o, "type", "http");
	json_put_text(o, "scheme", "bearer");
	json_put_text(o, "description",
	    "Asked for where auth.tokens names a file of them. x-role is the least role that may "
	    "use a path: read, plan, operate or admin. What changes a pool may be planned with "
	    "plan (dry_run=true), and needs operate to be done where it drains, activates, "
	    "rejoins, settles or reweights without force, else admin.");
	json_close_object(o);
	json_close_object(o);
	json_open_object(o, "parameters");
	for (const struct parameter *p = parameters; p->name != NULL; p++)
		put_named(o, p, "query");
	for (const struct parameter *p = request_headers; p->name != NULL; p++)
		put_named(o, p, "header");
	json_close_object(o);
	json_open_object(o, "headers");
	for (const struct parameter *p = answer_headers; p->name != NULL; p++)
		put_named(o, p, NULL);
	json_close_object(o);
	json_open_object(o, "responses");
	for (const struct openapi_status *s = openapi_statuses; s->status != 0; s++)
		if (s->status >= OPENAPI_ERROR)
			put_refusal(o, s);
	json_close_object(o);
	json_open_object(o, "schemas");
	shape_put_all(o);
	json_close_object(o);
	json_close_object(o);
}
