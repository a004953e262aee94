/*
 * simulation.c - the phases of a pool under each placement, and what its caches
 * made of the trace.
 */
#include <stdlib.h>

#include "core/range.h"
#include "core/simulate.h"
#include "daemon/members/build.h"
#include "daemon/members/comparison.h"
#include "daemon/members/nobody.h"
#include "daemon/members/simulation.h"
#include "daemon/members/source.h"
#include "daemon/members/warnings.h"

/* Requests between two looks at whether anybody still waits. */
enum { STEP = 1 << 16 };

/* One router's turn. */
struct turn {
	const struct hrw_membership *template; /* NULL: the pool's own */
	enum hrw_router router;
	struct hrw_phase phase[SIMULATION_EVENTS_MAX + 1];
	size_t phase_count;
	struct hrw_membership *owned[SIMULATION_EVENTS_MAX + 1]; /* the same, to be freed */
};

void
simulation_sort_events(struct simulation *s)
{
	for (size_t i = 1; s->events != NULL && i < s->events->count; i++) {
		struct task task = s->events->task[i];
		size_t at = s->at[i], j = i;

		for (; j > 0 && s->at[j - 1] > at; j--) {
			s->events->task[j] = s->events->task[j - 1];
			s->at[j] = s->at[j - 1];
		}
		s->events->task[j] = task;
		s->at[j] = at;
	}
}

/* Is the node there before event number `event`? */
static bool
is_there(const struct simulation *s, const char *name, size_t event)
{
	bool is_listed = hrw_membership_find(s->pool->present, name) != NULL;

	for (size_t i = 0; i < event; i++)
		if (strcmp(s->events->task[i].node.name, name) == 0)
			is_listed = s->events->task[i].op == TASK_ADD;
	return is_listed;
}

/* At a member of the event, or the parameter that it was a part of. */
static int
at_event(const struct task *task, const char *member, struct hrw_fault *fault)
{
	if (task->at != NULL)
		return hrw_fault_at(fault, "%s/%s", task->at, member);
	return hrw_fault_at(fault, "%s", task->op == TASK_ADD ? "join" : "leave");
}

/* Between two requests of the trace? */
static int
check_position(
    const struct simulation *s, size_t event, enum hrw_error error, struct hrw_fault *fault)
{
	const struct task *task = &s->events->task[event];
	const char *does = task->op == TASK_ADD ? "joins" : "leaves";
	char range[HRW_RANGE_SHOWN];

	if (s->at[event] > 0 && s->at[event] < s->requests)
		return 0;
	if (s->requests == 1)
		hrw_fault(fault, error,
		    "\"%s\" %s at %zu, but the trace has one request: an event needs two, to be "
		    "between them",
		    task->node.name, does, s->at[event]);
	else
		hrw_fault(fault, error,
		    "\"%s\" %s at %zu, but the trace has %zu requests: use %s, the number of "
		    "requests before it",
		    task->node.name, does, s->at[event], s->requests,
		    hrw_show_range(1, s->requests - 1, range));
	return at_event(task, "at", fault);
}

int
simulation_check_events(const struct simulation *s, enum hrw_error error, struct hrw_fault *fault)
{
	for (size_t i = 0; s->events != NULL && i < s->events->count; i++) {
		const struct task *task = &s->events->task[i];
		bool joins = task->op == TASK_ADD;
		int rc = check_position(s, i, error, fault);

		if (rc < 0)
			return rc;
		if (joins != is_there(s, task->node.name, i))
			continue;
		hrw_fault(fault, joins ? HRW_BAD_SERVER : HRW_UNKNOWN_NODE,
		    "\"%s\" cannot %s at %zu: it is %sthere", task->node.name,
		    joins ? "join" : "leave", s->at[i], joins ? "" : "not ");
		if (joins)
			fault->reason = "taken";
		return at_event(task, joins ? "join" : "leave", fault);
	}
	return 0;
}

/* The pool's nodes under the turn's placement, with one copy. */
static int
first_phase(const struct simulation *s, struct turn *t, struct hrw_fault *fault)
{
	struct task task[2];
	struct change change = {.pool = s->pool->name, .task = task};
	struct pool_terms terms;

	/* Tasks are only read, so that the template can be borrowed. */
	if (t->template != NULL)
		task[change.count++] = (struct task){
		    .op = TASK_PLACEMENT, .template = (struct hrw_membership *)t->template};
	task[change.count++] = (struct task){.op = TASK_COPIES, .copies = 1};
	return edit_apply(&change, s->pool, 0, &hrw_limits_max, &t->owned[0], &terms, fault);
}

/* A node that joins: one that was there before, and of which nothing but its
 * name is said, is as it was. It was read under the limits; what one placement
 * does not use of it, another may. */
static int
join(struct turn *t, struct hrw_membership *m, const struct task *task, struct hrw_fault *fault)
{
	const struct hrw_node *was = hrw_membership_find(t->owned[0], task->node.name);
	bool is_as_it_was = was != NULL && task->set == NODE_NAME;

	return hrw_membership_add(m, is_as_it_was ? was : &task->node, NULL, fault);
}

/* The nodes after all events of one time. */
static int
next_phase(const struct simulation *s, struct turn *t, size_t *event, struct hrw_fault *fault)
{
	struct hrw_membership *m = hrw_membership_copy(t->owned[t->phase_count - 1]);
	size_t from = s->at[*event];
	int rc = m == NULL ? hrw_fault(fault, HRW_INTERNAL, "no memory to simulate") : 0;

	for (; rc == 0 && *event < s->events->count && s->at[*event] == from; (*event)++) {
		const struct task *task = &s->events->task[*event];

		if (task->op == TASK_REMOVE)
			rc = hrw_membership_remove(m, task->node.name);
		else
			rc = join(t, m, task, fault);
	}
	if (rc == 0)
		rc = hrw_membership_freeze(m, NULL, fault);
	if (rc < 0) {
		hrw_membership_free(m);
		return rc;
	}
	t->owned[t->phase_count] = m;
	t->phase[t->phase_count++] = (struct hrw_phase){from, m};
	return 0;
}

static int
make_phases(const struct simulation *s, struct turn *t, struct hrw_fault *fault)
{
	size_t event = 0;
	int rc = first_phase(s, t, fault);

	if (rc < 0)
		return rc;
	t->phase[t->phase_count++] = (struct hrw_phase){0, t->owned[0]};
	while (rc == 0 && s->events != NULL && event < s->events->count)
		rc = next_phase(s, t, &event, fault);
	return rc;
}

static int
check_size(
    const struct simulation *s, const struct hrw_simulation_setup *setup, struct hrw_fault *fault)
{
	uint64_t bytes = hrw_simulation_bytes(setup);

	if (bytes <= SIMULATION_CACHE_BYTES_MAX)
		return 0;
	return hrw_fault(fault, HRW_BAD_FIELD,
	    "caches for %zu entries a node (of %zu distinct keys) would take %llu MiB, more than "
	    "%d: ask for a smaller capacity",
	    s->capacity != 0 ? s->capacity : setup->trace->distinct, setup->trace->distinct,
	    (unsigned long long)(bytes >> 20), SIMULATION_CACHE_BYTES_MAX >> 20);
}

static int
replay(struct simulation *s, struct turn *t, const struct hrw_trace *trace,
    struct hrw_simulated *out, struct hrw_fault *fault)
{
	struct hrw_simulation_setup setup = {.trace = trace,
	    .phase = t->phase,
	    .phase_count = t->phase_count,
	    .router = t->router,
	    .capacity = s->capacity,
	    .window = s->window};
	struct hrw_simulation *simulation;
	int rc = check_size(s, &setup, fault);

	if (rc < 0)
		return rc;
	simulation = hrw_simulation_new(&setup);
	if (simulation == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "no memory to simulate");
	do
		rc = hrw_simulation_run(simulation, STEP, fault);
	while (rc > 0 && !atomic_load(&s->errand.is_stopping));
	hrw_simulation_result(simulation, out);
	hrw_simulation_free(simulation);
	if (rc == 0 && out->unplaced == out->requests)
		rc = nobody_owns(t->owned[0], NULL, fault);
	return rc < 0 ? rc : 0;
}

static void
put_placement(struct json_out *o, const struct turn *t)
{
	static const char *const baselines[] = {
	    [HRW_AT_RANDOM] = "random", [HRW_ROUND_ROBIN] = "round-robin"};

	if (t->router == HRW_BY_PLACEMENT) {
		document_placement_write(
		    o, "placement", t->owned[0] != NULL ? t->owned[0] : t->template);
		return;
	}
	json_open_object(o, "placement");
	json_put_text(o, "name", baselines[t->router]);
	json_close_object(o);
}

static void
put_rates(struct json_out *o, const struct hrw_simulated *r)
{
	json_open_object(o, "hit_rate");
	json_put_number(o, "overall", (double)r->hits / (double)r->requests);
	json_put_number(o, "steady", r->steady);
	json_open_object(o, "worst");
	json_put_number(o, "rate", r->worst);
	json_put_count(o, "at", r->worst_at);
	json_close_object(o);
	if (r->has_recovered)
		json_put_number(o, "recovered", r->recovered);
	else
		json_put_null(o, "recovered");
	json_close_object(o);
}

static void
put_result(struct json_out *o, const struct hrw_simulated *r)
{
	put_rates(o, r);
	json_put_count(o, "hits", r->hits);
	json_put_count(o, "unplaced", r->unplaced);
	if (r->busiest == NULL) {
		json_put_null(o, "busiest");
		return;
	}
	json_open_object(o, "busiest");
	json_put_text(o, "node", r->busiest);
	json_put_count(o, "requests", r->busiest_requests);
	json_put_number(o, "share", (double)r->busiest_requests / (double)r->requests);
	json_close_object(o);
}

/* Caches that are too large are so under every placement. */
static bool
is_of_the_whole(int rc, const struct turn *t)
{
	return rc == HRW_INTERNAL || (rc == HRW_BAD_FIELD && t->router != HRW_BY_PLACEMENT);
}

static int
take_turn(struct simulation *s, const struct hrw_membership *template, enum hrw_router router,
    const struct hrw_trace *trace, struct json_out *o)
{
	struct turn t = {.template = template, .router = router};
	struct hrw_simulated result = {0};
	struct hrw_fault fault = {0};
	int rc = make_phases(s, &t, &fault);

	if (rc == 0)
		rc = replay(s, &t, trace, &result, &fault);
	if (is_of_the_whole(rc, &t)) {
		s->fault = fault;
	} else {
		json_open_object(o, NULL);
		put_placement(o, &t);
		if (rc < 0)
			comparison_put_error(o, &fault);
		else
			put_result(o, &result);
		json_close_object(o);
		rc = 0;
	}
	/* After the result, which borrows names of them. */
	for (size_t i = 0; i <= SIMULATION_EVENTS_MAX; i++)
		hrw_membership_free(t.owned[i]);
	return rc;
}

static void
put_head(struct json_out *o, const struct simulation *s, const struct hrw_trace *trace)
{
	json_put_text(o, "pool", s->pool->name);
	json_put_count(o, "epoch", s->pool->epoch);
	json_put_count(o, "requests", trace->count);
	json_put_count(o, "distinct", trace->distinct);
	if (s->capacity != 0)
		json_put_count(o, "capacity", s->capacity);
	else
		json_put_null(o, "capacity");
	json_put_count(o, "window", s->window);
	json_open_array(o, "events");
	for (size_t i = 0; s->events != NULL && i < s->events->count; i++) {
		const struct task *task = &s->events->task[i];

		json_open_object(o, NULL);
		json_put_count(o, "at", s->at[i]);
		json_put_text(o, task->op == TASK_ADD ? "join" : "leave", task->node.name);
		json_close_object(o);
	}
	json_close_array(o);
}

static int
make_trace(struct simulation *s, struct hrw_trace *trace)
{
	struct hrw_bytes key;
	size_t at = 0;

	while (record_next(buffer_bytes(&s->keys), &at, &key))
		if (hrw_trace_add(trace, key) < 0)
			return hrw_fault(&s->fault, HRW_INTERNAL, "no memory for the trace");
	return 0;
}

static int
simulate(struct simulation *s, const struct hrw_membership *baseline, struct hrw_trace *trace)
{
	struct json_out o = json_out(&s->answer);
	int rc = make_trace(s, trace);

	if (rc < 0)
		return rc;
	json_open_object(&o, NULL);
	put_head(&o, s, trace);
	warnings_put(&o, buffer_text(&s->warnings));
	json_open_array(&o, "results");
	/* Without placements the pool's own is all there is. */
	for (size_t i = 0; rc == 0 && i < (s->count != 0 ? s->count : 1); i++)
		rc = take_turn(s, s->template[i], HRW_BY_PLACEMENT, trace, &o);
	if (rc == 0)
		rc = take_turn(s, baseline, HRW_AT_RANDOM, trace, &o);
	if (rc == 0)
		rc = take_turn(s, baseline, HRW_ROUND_ROBIN, trace, &o);
	json_close_array(&o);
	json_close_object(&o);
	return rc;
}

void
simulation_run(struct errand *errand)
{
	struct simulation *s = (struct simulation *)errand; /* its first member */
	/* Whatever the pool's own placement asks of nodes, this takes any. */
	struct hrw_membership *baseline = hrw_membership_new(hrw_placements[0], 1);
	struct hrw_trace trace = {0};

	if (baseline == NULL)
		s->rc = hrw_fault(&s->fault, HRW_INTERNAL, "no memory to simulate");
	else
		s->rc = simulate(s, baseline, &trace);
	hrw_trace_fini(&trace);
	hrw_membership_free(baseline);
}

void
simulation_free(struct simulation *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->count; i++)
		hrw_membership_free(s->template[i]);
	pool_release(s->pool);
	change_free(s->events);
	buffer_fini(&s->keys);
	buffer_fini(&s->warnings);
	buffer_fini(&s->answer);
	free(s);
}
