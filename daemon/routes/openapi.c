/*
 * openapi.c - GET /openapi.json, made from the route table.
 *
 * It says what the rows say, with the types of shapes.h. The answers of a row
 * are words: "+ETag" a header, "200:owner" a status with a JSON body,
 * "200:text/csv" one with another, "304" one with none, "409" a refusal.
 *
 * Source: OpenAPI Specification 3.1.
 */
#include <stdlib.h>
#include <uv.h>

#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"
#include "daemon/routes/routes.h"
#include "daemon/routes/shapes.h"

enum { WORD = 96, ERROR_MIN = 400 };

/* A query parameter or a header: a row for each name that routes[] has. */
struct parameter {
	const char *name, *type, *help;
};

static const struct parameter parameters[] = {
    {"pool", "text", "The pool; the configuration's default_pool without"},
    {"key", "text", "The key, any bytes, percent-encoded; or the header Hrw-Key"},
    {"copies", "copies", "So many copies, the pool's own number without"},
    {"limit", "count(1..1000)", "At most so many entries (100)"},
    {"after", "text", "What next said: goes on from there"},
    {"epoch", "epoch", "As it was at that epoch"},
    {"verbose", "flag", "Say why"},
    {"dry_run", "flag", "Only report what it would do"},
    {"force", "text", "Guards to override, separated by commas"},
    {"settle", "'later'", "The settled membership stays as it is"},
    {"report", "'none'", "No report"},
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
    {NULL, NULL, NULL},
};

static const struct parameter request_headers[] = {
    {"Hrw-Key", "text", "The key's raw bytes, instead of key="},
    {"If-Match", "text", "ETags or epochs in quotes, or *: only on this version of the pool"},
    {"If-None-Match", "text", "304 where it still is this version; * makes a pool only"},
    {"Last-Event-ID", "text", "The id of the last event that came: goes on from there"},
    {"Hrw-Reason", "text", "Why, for the history"},
    {"Prefer", "text", "respond-async: answers at once, without the report"},
    {NULL, NULL, NULL},
};

static const struct parameter answer_headers[] = {
    {"ETag", "text", "\"EPOCH-LINEAGE\" of the pool"},
    {"Hrw-Epoch", "epoch", "Of the pool"},
    {"Hrw-Fingerprint", "fingerprint", "Equal on daemons that place alike"},
    {"Hrw-Owner", "name", "The node ranked first"},
    {"Hrw-Address", "address", "Where to go now"},
    {"Hrw-Read", "text", "Addresses to try in turn: warm holders, the others, the fallback"},
    {"Cache-Control", "text", NULL},
    {"X-Accel-Buffering", "text", "no: a proxy is to pass each event on at once"},
    {"Location", "text", "What was made, or where its report will be"},
    {"Preference-Applied", "text", NULL},
    {"Retry-After", "count", "Seconds"},
    {"Allow", "text", "The methods that the path has"},
    {"WWW-Authenticate", "text", NULL},
    {NULL, NULL, NULL},
};

/* What a status means, and which headers it adds. */
static const struct status {
	unsigned status;
	const char *help, *headers;
} statuses[] = {
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
    {415, "Not with a body of this type", ""},
    {428, "If-Match is needed", ""},
    {429, "Too much at once", "Retry-After"},
    {431, "The request's head is too long: the HTTP library's own answer", ""},
    {500, "Our own fault", ""},
    {503, "It cannot be done now", "Retry-After"},
};

enum { STATUSES = sizeof(statuses) / sizeof(*statuses) };

static const char *const methods[] = {"get", "head", "post", "put", "patch", "delete"};

static const struct {
	enum hrw_error error;
	const char *code;
} errors[] = {
#define ERROR(name, number, code, title) {HRW_##name, code},
    HRW_ERRORS(ERROR)
#undef ERROR
};

/* The next word of a list separated by spaces, cut off; "" at its end. */
static const char *
next_word(const char **at, char word[WORD])
{
	size_t len;

	*at += strspn(*at, " ");
	len = strcspn(*at, " ");
	snprintf(word, WORD, "%.*s", (int)len, *at);
	*at += len;
	return word;
}

static void
put_reference(struct json_out *o, const char *name, const char *kind, const char *to)
{
	char target[2 * WORD];

	snprintf(target, sizeof(target), "#/components/%s/%s", kind, to);
	json_open_object(o, name);
	json_put_text(o, "$ref", target);
	json_close_object(o);
}

static void
put_references(struct json_out *o, const char *words)
{
	char word[WORD];

	while (next_word(&words, word)[0] != '\0')
		put_reference(o, NULL, "parameters", word);
}

static void
put_path_parameter(struct json_out *o, const char *name)
{
	json_open_object(o, NULL);
	json_put_text(o, "name", name);
	json_put_text(o, "in", "path");
	json_put_bool(o, "required", true);
	shape_put_type(o, "schema", "text", NULL);
	json_close_object(o);
}

static void
put_parameters(struct json_out *o, const struct route *route)
{
	const char *at = route->path;
	char name[WORD];

	json_open_array(o, "parameters");
	while ((at = strchr(at, '{')) != NULL) {
		at++;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "}"), at);
		put_path_parameter(o, name);
	}
	put_references(o, route->parameters);
	put_references(o, route->headers);
	json_close_array(o);
}

/* The body of one media type: text has no shape but its lines'. */
static void
put_content(struct json_out *o, const char *media, const char *type)
{
	bool is_json = strcmp(media, "application/x-ndjson") != 0 && strstr(media, "json") != NULL;

	json_open_object(o, media);
	shape_put_type(o, "schema", is_json ? type : "text", NULL);
	json_close_object(o);
}

static void
put_body(struct json_out *o, const struct route *route)
{
	const char *at = route->types;
	char media[WORD];

	if (route->body == BODY_NONE)
		return;
	json_open_object(o, "requestBody");
	json_put_bool(o, "required", true);
	json_open_object(o, "content");
	while (next_word(&at, media)[0] != '\0')
		put_content(o, media, route->sends);
	json_close_object(o);
	json_close_object(o);
}

static const struct status *
status_find(unsigned status)
{
	for (size_t i = 0; i < STATUSES; i++)
		if (statuses[i].status == status)
			return &statuses[i];
	return NULL;
}

/* Headers of an answer: those of the row, and those of the status. */
static void
put_headers(struct json_out *o, const char *answers, const char *more)
{
	char word[WORD];

	json_open_object(o, "headers");
	while (next_word(&answers, word)[0] != '\0')
		if (word[0] == '+')
			put_reference(o, word + 1, "headers", word + 1);
	while (next_word(&more, word)[0] != '\0')
		put_reference(o, word, "headers", word);
	json_close_object(o);
}

/* Every body that one status may have. */
static void
put_contents(struct json_out *o, const char *answers, unsigned status)
{
	char word[WORD];

	json_open_object(o, "content");
	while (next_word(&answers, word)[0] != '\0') {
		char *type = strchr(word, ':');

		if (type == NULL || strtoul(word, NULL, 10) != status)
			continue;
		type++;
		if (strchr(type, '/') != NULL)
			put_content(o, type, NULL);
		else
			put_content(o, "application/json", type);
	}
	json_close_object(o);
}

static void
put_response(struct json_out *o, const char *answers, unsigned status, bool has_body)
{
	const struct status *s = status_find(status);
	char name[16];

	snprintf(name, sizeof(name), "%u", status);
	if (status >= ERROR_MIN && !has_body) {
		put_reference(o, name, "responses", name);
		return;
	}
	json_open_object(o, name);
	json_put_text(o, "description", s != NULL ? s->help : "");
	put_headers(o, answers, s != NULL ? s->headers : "");
	if (has_body)
		put_contents(o, answers, status);
	json_close_object(o);
}

/* What a route may answer for what it is, whatever its row says. */
static bool
may_refuse(const struct route *route, unsigned status)
{
	switch (status) {
	case 400:
	case 408:
	case 414:
	case 429:
	case 431:
	case 500:
		return true;
	case 401:
	case 403:
		return route->role != ROLE_NONE;
	case 404:
		return route->reach == REACH_POOL || route->reach == REACH_POOLS ||
		       route->where == LISTENER_ADMIN || strchr(route->path, '{') != NULL;
	case 405:
		return route->where == LISTENER_ADMIN;
	case 413:
	case 415:
		return route->body != BODY_NONE;
	case 503:
		return route->reach != REACH_NOTHING;
	default:
		return false;
	}
}

static void
put_responses(struct json_out *o, const struct route *route)
{
	const char *at = route->answers;
	unsigned last = 0;
	char word[WORD];

	json_open_object(o, "responses");
	while (next_word(&at, word)[0] != '\0') {
		unsigned status = (unsigned)strtoul(word, NULL, 10);

		/* The words of one status stand together. */
		if (status == 0 || status == last)
			continue;
		put_response(o, route->answers, status, strchr(word, ':') != NULL);
		last = status;
	}
	for (size_t i = 0; i < STATUSES; i++)
		if (may_refuse(route, statuses[i].status))
			put_response(o, "", statuses[i].status, false);
	json_close_object(o);
}

/* A token is asked for only where there are any: hence the empty alternative. */
static void
put_security(struct json_out *o, const struct route *route)
{
	if (route->role == ROLE_NONE) {
		json_put_raw(o, "security", hrw_text("[]"));
		return;
	}
	json_put_raw(o, "security", hrw_text("[{\"token\":[]},{}]"));
	json_put_text(o, "x-role", role_name(route->role));
}

/* "get_nodes_name" of GET /nodes/{name}. */
static void
put_operation_id(struct json_out *o, const struct route *route)
{
	char id[WORD], *to = id;

	snprintf(id, sizeof(id), "%s%s", methods[route->method], route->path);
	for (const char *from = id; *from != '\0'; from++)
		if (strchr("{}", *from) == NULL)
			*to++ = *from == '/' || *from == '.' ? '_' : *from;
	*to = '\0';
	json_put_text(o, "operationId", id);
}

static void
put_route(struct json_out *o, const struct route *route)
{
	json_open_object(o, methods[route->method]);
	put_operation_id(o, route);
	json_put_text(o, "summary", route->summary);
	json_open_array(o, "tags");
	json_put_text(o, NULL, route->where == LISTENER_ADMIN ? "admin" : "lookup");
	json_close_array(o);
	put_security(o, route);
	put_parameters(o, route);
	put_body(o, route);
	put_responses(o, route);
	json_close_object(o);
}

/* The rows of one path stand together in the table. */
static void
put_paths(struct json_out *o)
{
	json_open_object(o, "paths");
	for (size_t i = 0; i < route_count; i++) {
		bool is_first = i == 0 || strcmp(routes[i].path, routes[i - 1].path) != 0;
		bool is_last =
		    i + 1 == route_count || strcmp(routes[i].path, routes[i + 1].path) != 0;

		if (is_first)
			json_open_object(o, routes[i].path);
		put_route(o, &routes[i]);
		if (is_last)
			json_close_object(o);
	}
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
	put_reference(o, NULL, "schemas", "problem");
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
put_refusal(struct json_out *o, const struct status *s)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", s->status);
	json_open_object(o, name);
	json_put_text(o, "description", s->help);
	put_headers(o, "", s->headers);
	if (is_ours(s->status))
		put_problem(o, s->status);
	json_close_object(o);
}

static void
put_components(struct json_out *o)
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
	for (size_t i = 0; i < STATUSES; i++)
		if (statuses[i].status >= ERROR_MIN)
			put_refusal(o, &statuses[i]);
	json_close_object(o);
	json_open_object(o, "schemas");
	shape_put_all(o);
	json_close_object(o);
	json_close_object(o);
}

static void
put_info(struct json_out *o)
{
	json_open_object(o, "info");
	json_put_text(o, "title", "hrwd");
	json_put_text(o, "version", HRW_VERSION);
	json_put_text(o, "description",
	    "Which cache node is home to a key, and what a change of nodes does to keys. "
	    "Paths tagged admin answer on the admin listener alone; HEAD works wherever GET "
	    "does. Members may be added to answers: clients ignore what they do not know.");
	json_close_object(o);
	json_put_raw(o, "servers", hrw_text("[{\"url\":\"/\"},{\"url\":\"/v1\"}]"));
	json_put_raw(o, "tags",
	    hrw_text("[{\"name\":\"lookup\",\"description\":\"On both listeners\"},"
		     "{\"name\":\"admin\",\"description\":\"On the admin listener alone\"}]"));
}

/* It is the same every time: made once, so that who asks for it often takes no
 * time from lookups. */
static struct buffer document;
static uv_once_t once = UV_ONCE_INIT;

static void
write_document(void)
{
	struct json_out o = json_out(&document);

	json_open_object(&o, NULL);
	json_put_text(&o, "openapi", "3.1.0");
	put_info(&o);
	put_paths(&o);
	put_components(&o);
	json_close_object(&o);
}

int
openapi_get(struct request *req)
{
	struct buffer *body = request_buffer(req);

	uv_once(&once, write_document);
	buffer_add(body, document.data, document.len);
	body->failed = body->failed || document.failed;
	return respond_json(req, 200, body);
}
