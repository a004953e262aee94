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
#include "daemon/routes/openapi.h"
#include "daemon/routes/routes.h"
#include "daemon/routes/shapes.h"

static const char *const methods[] = {"get", "head", "post", "put", "patch", "delete"};

static void
put_references(struct json_out *o, const char *words)
{
	char word[OPENAPI_WORD];

	while (openapi_word(&words, word)[0] != '\0')
		openapi_put_reference(o, NULL, "parameters", word);
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
	char name[OPENAPI_WORD];

	json_open_array(o, "parameters");
	while ((at = strchr(at, '{')) != NULL) {
		at++;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "}"), at);
		put_path_parameter(o, name);
	}
	put_references(o, route->parameters);
	put_references(o, route->headers);
	/* Whatever is asked. */
	put_references(o, "Request-Id traceparent");
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
	char media[OPENAPI_WORD];

	if (route->body == BODY_NONE)
		return;
	json_open_object(o, "requestBody");
	json_put_bool(o, "required", true);
	json_open_object(o, "content");
	while (openapi_word(&at, media)[0] != '\0')
		put_content(o, media, route->sends);
	json_close_object(o);
	json_close_object(o);
}

/* Every body that one status may have. */
static void
put_contents(struct json_out *o, const char *answers, unsigned status)
{
	char word[OPENAPI_WORD];

	json_open_object(o, "content");
	while (openapi_word(&answers, word)[0] != '\0') {
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

static const struct openapi_status *
status_find(unsigned status)
{
	const struct openapi_status *s = openapi_statuses;

	while (s->status != status && s->status != 0)
		s++;
	return s;
}

static void
put_response(struct json_out *o, const char *answers, unsigned status, bool has_body)
{
	const struct openapi_status *s = status_find(status);
	char name[16];

	snprintf(name, sizeof(name), "%u", status);
	if (status >= OPENAPI_ERROR && !has_body) {
		openapi_put_reference(o, name, "responses", name);
		return;
	}
	json_open_object(o, name);
	json_put_text(o, "description", s->help);
	openapi_put_headers(o, answers, s->headers);
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
	char word[OPENAPI_WORD];

	json_open_object(o, "responses");
	while (openapi_word(&at, word)[0] != '\0') {
		unsigned status = (unsigned)strtoul(word, NULL, 10);

		/* The words of one status stand together. */
		if (status == 0 || status == last)
			continue;
		put_response(o, route->answers, status, strchr(word, ':') != NULL);
		last = status;
	}
	for (const struct openapi_status *s = openapi_statuses; s->status != 0; s++)
		if (may_refuse(route, s->status))
			put_response(o, "", s->status, false);
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
	char id[OPENAPI_WORD], *to = id;

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
	openapi_put_components(&o);
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
