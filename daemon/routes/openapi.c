/*
 * openapi.c - GET /openapi.json, made from the route table.
 *
 * It says what the rows say and no more: paths, parameters, bodies' types and
 * the one form of every error.
 *
 * Source: OpenAPI Specification 3.1.
 */
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"
#include "daemon/routes/routes.h"

/* A query parameter: a row for each name that routes[] takes. */
struct parameter {
	const char *name, *type, *help;
};

static const struct parameter parameters[] = {
    {"pool", "string", "The pool; the configuration's default_pool without"},
    {"key", "string", "The key, any bytes, percent-encoded; or the header Hrw-Key"},
    {"copies", "integer", "So many copies, the pool's own number without"},
    {"limit", "integer", "At most so many entries, 1 to 1000 (100)"},
    {"after", "string", "What next said: goes on from there"},
    {"epoch", "integer", "As it was at that epoch"},
    {"verbose", "boolean", "Say why"},
    {"dry_run", "boolean", "Only report what it would do"},
    {"force", "string", "Guards to override, separated by commas"},
    {"settle", "string", "later: the settled membership stays as it is"},
    {"report", "string", "none: no report"},
    {"wait", "integer", "Seconds to wait for the report, 0 to 300"},
    {"changes", "integer", "List at most so many single changes, 0 to 1000"},
    {"placements", "string",
	"Placements to simulate: names with commas between, or a JSON array of them with "
	"parameters; the pool's own without"},
    {"capacity", "integer", "Entries of each node's cache; without a limit when left out"},
    {"window", "integer", "Requests of a window of the hit rate (1000)"},
    {"leave", "string", "NODE@POSITION: leaves before that request, the first being 0; a list"},
    {"join", "string", "NODE@POSITION: joins before that request; a list"},
    {"lost", "string", "Only keys that lose a copy on this node; empty: on none"},
    {"gained", "string", "Only keys that gain a copy on this node; empty: on none"},
    {"from", "string", "Only keys copied from this node; empty: without a source"},
};

static const char *const methods[] = {"get", "head", "post", "put", "patch", "delete"};

/* The next word of a list separated by spaces; len 0 at its end. */
static struct hrw_bytes
next_word(const char **at)
{
	struct hrw_bytes word;

	*at += strspn(*at, " ");
	word = hrw_bytes(*at, strcspn(*at, " "));
	*at += word.len;
	return word;
}

static const struct parameter *
find(struct hrw_bytes name)
{
	for (size_t i = 0; i < sizeof(parameters) / sizeof(*parameters); i++)
		if (hrw_bytes_equal(hrw_text(parameters[i].name), name))
			return &parameters[i];
	return NULL;
}

static void
put_parameter(
    struct json_out *o, struct hrw_bytes name, const char *in, const char *type, const char *help)
{
	json_open_object(o, NULL);
	json_put_bytes(o, "name", name);
	json_put_text(o, "in", in);
	if (strcmp(in, "path") == 0)
		json_put_bool(o, "required", true);
	if (help != NULL)
		json_put_text(o, "description", help);
	json_open_object(o, "schema");
	json_put_text(o, "type", type);
	json_close_object(o);
	json_close_object(o);
}

static void
put_parameters(struct json_out *o, const struct route *route)
{
	const char *at = route->path;
	struct hrw_bytes word;

	json_open_array(o, "parameters");
	while ((at = strchr(at, '{')) != NULL) {
		size_t len = strcspn(++at, "}");

		put_parameter(o, hrw_bytes(at, len), "path", "string", NULL);
	}
	at = route->parameters;
	while ((word = next_word(&at)).len > 0) {
		const struct parameter *p = find(word);

		put_parameter(
		    o, word, "query", p != NULL ? p->type : "string", p != NULL ? p->help : NULL);
	}
	json_close_array(o);
}

static void
put_body(struct json_out *o, const struct route *route)
{
	const char *at = route->types;
	struct hrw_bytes word;
	char type[64];

	if (route->body == BODY_NONE)
		return;
	json_open_object(o, "requestBody");
	json_put_bool(o, "required", true);
	json_open_object(o, "content");
	while ((word = next_word(&at)).len > 0) {
		snprintf(type, sizeof(type), "%.*s", (int)word.len, (const char *)word.data);
		json_open_object(o, type);
		json_close_object(o);
	}
	json_close_object(o);
	json_close_object(o);
}

static void
put_responses(struct json_out *o, const struct route *route)
{
	json_open_object(o, "responses");
	json_open_object(o, "2XX");
	json_put_text(o, "description", route->summary);
	json_close_object(o);
	json_open_object(o, "default");
	json_put_text(o, "$ref", "#/components/responses/problem");
	json_close_object(o);
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

static void
put_route(struct json_out *o, const struct route *route)
{
	json_open_object(o, methods[route->method]);
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
put_member(struct json_out *o, const char *name, const char *type, const char *help)
{
	json_open_object(o, name);
	json_put_text(o, "type", type);
	json_put_text(o, "description", help);
	json_close_object(o);
}

/* The one form of an error, with every code there is. */
static void
put_problem(struct json_out *o)
{
	static const char *const codes[] = {
#define CODE(name, number, code, title) code,
	    HRW_ERRORS(CODE)
#undef CODE
	};

	json_open_object(o, "problem");
	json_put_text(o, "type", "object");
	json_put_raw(
	    o, "required", hrw_text("[\"type\",\"title\",\"status\",\"detail\",\"code\"]"));
	json_open_object(o, "properties");
	put_member(o, "type", "string", "A URI reference; about:blank");
	put_member(o, "title", "string", "The code in words");
	put_member(o, "status", "integer", "The status of the answer");
	put_member(o, "detail", "string", "What was wrong, with the value, and how to mend it");
	json_open_object(o, "code");
	json_put_text(o, "type", "string");
	json_open_array(o, "enum");
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		json_put_text(o, NULL, codes[i]);
	json_close_array(o);
	json_close_object(o);
	put_member(o, "reason", "string", "Which case of the code");
	put_member(o, "field", "string", "JSON pointer or parameter at fault");
	json_close_object(o);
	json_close_object(o);
}

static void
put_schemes(struct json_out *o)
{
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
}

static void
put_components(struct json_out *o)
{
	json_open_object(o, "components");
	put_schemes(o);
	json_open_object(o, "schemas");
	put_problem(o);
	json_close_object(o);
	json_open_object(o, "responses");
	json_open_object(o, "problem");
	json_put_text(o, "description", "An error (RFC 9457)");
	json_put_raw(o, "content",
	    hrw_text("{\"application/problem+json\":"
		     "{\"schema\":{\"$ref\":\"#/components/schemas/problem\"}}}"));
	json_close_object(o);
	json_close_object(o);
	json_close_object(o);
}

int
openapi_get(struct request *req)
{
	struct buffer body = {0};
	struct json_out o = json_out(&body);

	json_open_object(&o, NULL);
	json_put_text(&o, "openapi", "3.1.0");
	json_open_object(&o, "info");
	json_put_text(&o, "title", "hrwd");
	json_put_text(&o, "version", HRW_VERSION);
	json_put_text(&o, "description",
	    "Which cache node is home to a key, and what a change of nodes does to keys. "
	    "Paths tagged admin answer on the admin listener alone; HEAD works wherever GET "
	    "does.");
	json_close_object(&o);
	json_put_raw(&o, "servers", hrw_text("[{\"url\":\"/\"},{\"url\":\"/v1\"}]"));
	put_paths(&o);
	put_components(&o);
	json_close_object(&o);
	return respond_json(req, 200, &body);
}
