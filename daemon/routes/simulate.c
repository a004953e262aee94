/*
 * simulate.c - POST /simulate: what hit rates a fleet would have had.
 *
 * A trace is a key a line, in order of time, with what to do in the query; or a
 * JSON object that holds both. Keys are gathered while they arrive, all else is
 * done off the loop.
 */
#include <stdlib.h>

#include "daemon/members/simulation.h"
#include "daemon/members/source.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"
#include "daemon/routes/noticed.h"
#include "daemon/routes/turns.h"

enum { CAPACITY_MAX = 1 << 30, WINDOW_MAX = SIMULATION_REQUESTS_MAX, WINDOW = 1000 };

struct asking {
	struct request *req;
	struct keylist *list; /* a trace by lines; NULL: JSON */
	struct buffer body;   /* JSON, until it is whole */
	struct json *json;
	struct simulation *simulation;
	enum turn turn;
};

static void
asking_free(void *state)
{
	struct asking *a = state;

	keylist_free(a->list);
	buffer_fini(&a->body);
	json_free(a->json);
	simulation_free(a->simulation);
	turn_give_back(a->turn);
	free(a);
}

static int
no_memory(struct request *req)
{
	return hrw_fault(&req->fault, HRW_INTERNAL, "no memory for the trace");
}

static int
add_key(void *arg, struct hrw_bytes key)
{
	struct asking *a = arg;
	struct simulation *s = a->simulation;

	if (s->requests == SIMULATION_REQUESTS_MAX)
		return hrw_fault(&a->req->fault, HRW_TOO_LARGE,
		    "the trace has more than %d requests: send a part of it",
		    SIMULATION_REQUESTS_MAX);
	record_add(&s->keys, key);
	s->requests++;
	return s->keys.failed ? no_memory(a->req) : 0;
}

static int
read_placements(struct asking *a, const struct json *list)
{
	struct simulation *s = a->simulation;

	return document_placements_read(
	    list, SIMULATION_PLACEMENTS_MAX, s->template, &s->count, &a->req->fault);
}

/* Makes place for an event, whose task is added next. */
static int
begin_event(struct asking *a, size_t at, enum hrw_error error)
{
	struct simulation *s = a->simulation;

	if (s->events == NULL)
		s->events = change_new("");
	if (s->events == NULL)
		return no_memory(a->req);
	if (s->events->count == SIMULATION_EVENTS_MAX)
		return hrw_fault(&a->req->fault, error,
		    "more than %d nodes leave or join: name fewer", SIMULATION_EVENTS_MAX);
	s->at[s->events->count] = at;
	return 0;
}

/* A node of which but the name is said. */
static int
add_named(struct asking *a, enum task_op op, struct hrw_bytes name, size_t at, enum hrw_error error)
{
	struct request *req = a->req;
	struct task *task;
	int rc = begin_event(a, at, error);

	if (rc == 0)
		rc = hrw_check_name(name, req->app->config->members.limits->name_bytes,
		    HRW_BAD_SERVER, &req->fault);
	if (rc < 0)
		return rc;
	task = change_add(a->simulation->events, op);
	if (task == NULL)
		return no_memory(req);
	task->node = (struct hrw_node){
	    .name = strndup((const char *)name.data, name.len), .weight = 1, .id = HRW_ID_UNSET};
	task->set = NODE_NAME;
	return task->node.name != NULL ? 0 : no_memory(req);
}

/* The query */

static int
bad_parameter(struct request *req, const char *name)
{
	req->fault.error = HRW_BAD_PARAMETER;
	hrw_fault_at(&req->fault, "%s", name);
	return HRW_BAD_PARAMETER;
}

/* Names with commas between as the JSON array that they stand for. */
static void
write_array(struct hrw_bytes list, struct buffer *out)
{
	struct json_out o = json_out(out);
	size_t at = 0;

	json_open_array(&o, NULL);
	for (size_t end = 0; end <= list.len; end++) {
		if (end < list.len && list.data[end] != ',')
			continue;
		json_put_bytes(&o, NULL, hrw_bytes(list.data + at, end - at));
		at = end + 1;
	}
	json_close_array(&o);
}

static int
query_placements(struct asking *a)
{
	struct request *req = a->req;
	struct hrw_bytes list = request_parameter(req, "placements");
	struct buffer text = {0};
	struct json *json;
	int rc;

	if (list.data == NULL)
		return 0;
	if (list.len > 0 && list.data[0] == '[')
		buffer_add(&text, list.data, list.len);
	else
		write_array(list, &text);
	json = json_parse(buffer_bytes(&text), JSON_STRICT, &req->fault);
	rc = json != NULL ? read_placements(a, json) : (int)req->fault.error;
	json_free(json);
	buffer_fini(&text);
	return rc < 0 && rc != HRW_INTERNAL ? bad_parameter(req, "placements") : rc;
}

/* A position: digits alone. */
static bool
read_position(struct hrw_bytes text, size_t *out)
{
	*out = 0;
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] < '0' || text.data[i] > '9' || *out > SIMULATION_REQUESTS_MAX)
			return false;
		*out = *out * 10 + (size_t)(text.data[i] - '0');
	}
	return text.len > 0;
}

/* One NAME@POSITION. */
static int
query_event(struct asking *a, const char *parameter, enum task_op op, struct hrw_bytes event)
{
	const uint8_t *sign = event.len > 0 ? memchr(event.data, '@', event.len) : NULL;
	struct request *req = a->req;
	char shown[HRW_SHOWN];
	size_t name, at;
	int rc;

	name = sign != NULL ? (size_t)(sign - event.data) : event.len;
	if (sign == NULL ||
	    !read_position(hrw_bytes(event.data + name + 1, event.len - name - 1), &at)) {
		hrw_fault(&req->fault, HRW_BAD_PARAMETER,
		    "%s is \"%s\": use NODE@POSITION, the number of requests before it, with "
		    "commas between several",
		    parameter, hrw_show(event, shown, sizeof(shown)));
		return hrw_fault_at(&req->fault, "%s", parameter);
	}
	rc = add_named(a, op, hrw_bytes(event.data, name), at, HRW_BAD_PARAMETER);
	if (rc < 0)
		hrw_fault_at(&req->fault, "%s", parameter);
	return rc;
}

static int
query_events(struct asking *a, const char *parameter, enum task_op op)
{
	struct hrw_bytes list = request_parameter(a->req, parameter);
	size_t at = 0;
	int rc = 0;

	for (size_t end = 0; list.data != NULL && rc == 0 && end <= list.len; end++) {
		if (end < list.len && list.data[end] != ',')
			continue;
		rc = query_event(a, parameter, op, hrw_bytes(list.data + at, end - at));
		at = end + 1;
	}
	return rc;
}

static int
read_query(struct asking *a)
{
	struct simulation *s = a->simulation;
	struct request *req = a->req;
	int64_t capacity = 0, window = 0;
	int rc;

	rc = request_number(req, "capacity", 1, CAPACITY_MAX, 0, HRW_BAD_PARAMETER, &capacity);
	if (rc == 0)
		rc = request_number(
		    req, "window", 1, WINDOW_MAX, WINDOW, HRW_BAD_PARAMETER, &window);
	if (rc < 0)
		return rc;
	s->capacity = (size_t)capacity;
	s->window = (size_t)window;
	rc = query_placements(a);
	if (rc == 0)
		rc = query_events(a, "leave", TASK_REMOVE);
	if (rc == 0)
		rc = query_events(a, "join", TASK_ADD);
	return rc;
}

/* The JSON body */

static int
check_no_query(struct request *req)
{
	static const char *const names[] = {"placements", "capacity", "window", "leave", "join"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (request_parameter(req, names[i]).data != NULL) {
			hrw_fault(&req->fault, HRW_BAD_PARAMETER,
			    "%s goes with a trace by lines: here it stands in the body, as %s",
			    names[i], i < 3 ? names[i] : "events");
			return hrw_fault_at(&req->fault, "%s", names[i]);
		}
	return 0;
}

/* A whole number of the body, or what is given where it is absent. */
static int
read_count(
    struct asking *a, const char *name, int64_t max, bool takes_null, size_t otherwise, size_t *out)
{
	const struct json *j = json_get(a->json, name);
	char shown[HRW_SHOWN];
	int64_t number;

	*out = otherwise;
	if (j == NULL || (takes_null && json_type(j) == JSON_NULL))
		return 0;
	if (!json_integer(j, &number) || number < 1 || number > max)
		return json_fault(j, &a->req->fault, HRW_BAD_FIELD,
		    "\"%s\" is %s here: use a whole number from 1 to %lld%s", name,
		    hrw_show(json_source(j), shown, sizeof(shown)), (long long)max,
		    takes_null ? ", or null" : "");
	*out = (size_t)number;
	return 0;
}

static int
read_node(struct asking *a, const struct json *node, enum task_op op, size_t at)
{
	struct request *req = a->req;
	char pointer[HRW_FAULT_FIELD];
	int rc;

	if (json_type(node) == JSON_STRING) {
		rc = add_named(a, op, json_bytes(node), at, HRW_BAD_FIELD);
		json_pointer(node, pointer, sizeof(pointer));
		if (rc < 0)
			hrw_fault_at(&req->fault, "%s", pointer);
		return rc;
	}
	if (op == TASK_REMOVE)
		return json_fault(node, &req->fault, HRW_BAD_FIELD,
		    "a node that leaves is %s: give its name", json_type_name(json_type(node)));
	rc = begin_event(a, at, HRW_BAD_FIELD);
	/* As that of a plan: a name is enough. */
	return rc < 0 ? rc
		      : change_read_node(a->simulation->events, op, hrw_bytes(NULL, 0), node, true,
			    req->app->config->members.limits, &req->fault);
}

/* Where the last event is asked for. */
static int
note_place(struct asking *a, const struct json *event)
{
	struct change *events = a->simulation->events;
	struct task *task = &events->task[events->count - 1];
	char pointer[HRW_FAULT_FIELD];

	json_pointer(event, pointer, sizeof(pointer));
	free(task->at);
	task->at = strdup(pointer);
	return task->at != NULL ? 0 : no_memory(a->req);
}

static int
read_event(struct asking *a, const struct json *event)
{
	static const char *const names[] = {"at", "leave", "join", NULL};
	const struct json *at = json_get(event, "at"), *leave = json_get(event, "leave"),
			  *join = json_get(event, "join");
	struct hrw_fault *fault = &a->req->fault;
	int64_t position;
	int rc;

	if (json_type(event) == JSON_OBJECT) {
		rc = json_only(event, names, fault);
		if (rc < 0)
			return rc;
	}
	if (at == NULL || (leave == NULL) == (join == NULL) || !json_integer(at, &position) ||
	    position < 0 || position > SIMULATION_REQUESTS_MAX)
		return json_fault(event, fault, HRW_BAD_FIELD,
		    "an event is {\"at\":POSITION,\"leave\":\"NODE\"} or "
		    "{\"at\":POSITION,\"join\":\"NODE\"}, where POSITION is the number of "
		    "requests before it");
	rc = read_node(a, leave != NULL ? leave : join, leave != NULL ? TASK_REMOVE : TASK_ADD,
	    (size_t)position);
	return rc < 0 ? rc : note_place(a, event);
}

static int
read_events(struct asking *a)
{
	const struct json *events = json_get(a->json, "events");
	int rc = 0;

	if (events == NULL)
		return 0;
	if (json_type(events) != JSON_ARRAY)
		return json_fault(events, &a->req->fault, HRW_BAD_FIELD,
		    "\"events\" is %s, not an array", json_type_name(json_type(events)));
	json_each (event, events) {
		rc = read_event(a, event);
		if (rc < 0)
			break;
	}
	return rc;
}

static int
read_body(struct asking *a)
{
	static const char *const names[] = {
	    "placements", "capacity", "window", "events", "keys", NULL};
	const struct json *placements, *keys;
	struct request *req = a->req;
	struct simulation *s = a->simulation;
	int rc;

	a->json = json_parse(buffer_bytes(&a->body), JSON_STRICT, &req->fault);
	if (a->json == NULL)
		return (int)req->fault.error;
	placements = json_get(a->json, "placements");
	keys = json_get(a->json, "keys");
	if (keys == NULL)
		return json_lacks(a->json, "keys", &req->fault, HRW_BAD_FIELD,
		    "the body has no \"keys\": give an object with the requests in order of time, "
		    "such as {\"keys\":[\"a\",\"b\",\"a\"],\"capacity\":100}");
	rc = json_only(a->json, names, &req->fault);
	if (rc == 0 && placements != NULL)
		rc = read_placements(a, placements);
	if (rc == 0)
		rc = read_count(a, "capacity", CAPACITY_MAX, true, 0, &s->capacity);
	if (rc == 0)
		rc = read_count(a, "window", WINDOW_MAX, false, WINDOW, &s->window);
	if (rc == 0)
		rc = read_events(a);
	return rc < 0 ? rc : common_json_keys(req, keys, add_key, a);
}

int
simulate_begin(struct request *req)
{
	struct asking *a = calloc(1, sizeof(*a));
	enum keylist_form form = common_keylist_form(req);
	const struct pool *pool;
	int rc;

	if (a == NULL)
		return no_memory(req);
	req->state = a;
	req->state_free = asking_free;
	a->req = req;
	a->simulation = calloc(1, sizeof(*a->simulation));
	if (a->simulation == NULL)
		return no_memory(req);
	if (form == KEYLIST_JSON) {
		rc = check_no_query(req);
	} else {
		a->list =
		    keylist_new(form, req->app->config->members.limits->key_bytes, add_key, a);
		rc = a->list != NULL ? read_query(a) : no_memory(req);
	}
	if (rc == 0)
		rc = common_pool(req, &pool);
	if (rc == 0)
		rc = turn_take(req, TURN_TRACE, &a->turn);
	if (rc == 0)
		a->simulation->pool = pool_acquire((struct pool *)pool);
	return rc;
}

int
simulate_feed(struct request *req, struct hrw_bytes piece)
{
	size_t limit = req->app->config->http.json_bytes;
	struct asking *a = req->state;

	if (a->list != NULL)
		return keylist_feed(a->list, piece, &req->fault);
	if (a->body.len + piece.len > limit)
		return hrw_fault(&req->fault, HRW_TOO_LARGE,
		    "the body is longer than %zu bytes (limits.json_bytes): send a long trace as "
		    "text/plain, a key a line",
		    limit);
	buffer_add(&a->body, piece.data, piece.len);
	return a->body.failed ? no_memory(req) : 0;
}

static void
gone(struct request *req)
{
	struct asking *a = req->state;

	errand_stop(&a->simulation->errand);
}

static void
simulated(struct errand *errand)
{
	struct asking *a = errand->owner;
	struct request *req = a->req;
	struct simulation *s = a->simulation;

	if (s->rc < 0) {
		req->fault = s->fault;
		if (s->rc == HRW_BAD_FIELD && a->list != NULL)
			s->rc = bad_parameter(req, "capacity");
		else if (s->rc == HRW_BAD_FIELD)
			hrw_fault_at(&req->fault, "/capacity");
		request_resume(req, s->rc);
	} else if (atomic_load(&errand->is_stopping)) {
		request_resume(req, respond_empty(req, 204)); /* nobody reads it */
	} else {
		request_resume(req, respond_json(req, 200, &s->answer));
	}
}

int
simulate_end(struct request *req)
{
	struct asking *a = req->state;
	struct simulation *s = a->simulation;
	int rc = a->list != NULL ? keylist_end(a->list, &req->fault) : read_body(a);

	if (rc < 0)
		return rc;
	if (s->requests == 0)
		return hrw_fault(&req->fault, HRW_BAD_KEY,
		    "the trace is empty: send the key of each request, in order of time");
	simulation_sort_events(s);
	rc = simulation_check_events(
	    s, a->list != NULL ? HRW_BAD_PARAMETER : HRW_BAD_FIELD, &req->fault);
	if (rc < 0)
		return rc;
	if (a->list != NULL)
		noticed_add(keylist_notice(a->list), &s->warnings);
	common_headers(req, s->pool);
	s->errand = (struct errand){.run = simulation_run, .done = simulated, .owner = a};
	rc = errand_start(req->app->reports, &s->errand, &req->fault);
	return rc < 0 ? rc : request_suspend(req, gone);
}
