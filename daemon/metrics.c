/*
 * metrics.c - one table of metrics, one function a row to print its samples.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/app.h"
#include "daemon/metrics.h"
#include "daemon/routes/routes.h"

/* Status codes by their first digit. POOLS: a label is a time series for ever
 * somewhere, so pools past so many are counted together. */
enum { CLASSES = 6, POOLS = 64, OUTCOMES = 3 };

struct pool_count {
	_Atomic(char *) name; /* set once, by the place's own loop */
	atomic_uint_least64_t keys;
};

struct metrics {
	struct metrics *first;
	struct metrics *_Atomic next;	/* workers that run already may be scraping */
	atomic_uint_least64_t *request; /* (route_count + 1) by CLASSES */
	struct pool_count pool[POOLS];
	atomic_uint_least64_t other_keys;
	atomic_uint_least64_t change[OUTCOMES];
	/* Of the first place alone. */
	int64_t started;
	char *drift[POOLS]; /* names of pools that were compared */
	bool differs[POOLS];
};

/* A count of this loop alone: nobody else adds to it, so no locked add. */
static void
count(atomic_uint_least64_t *at, uint64_t more)
{
	uint64_t now = atomic_load_explicit(at, memory_order_relaxed);

	atomic_store_explicit(at, now + more, memory_order_relaxed);
}

static uint64_t
counted(const atomic_uint_least64_t *at)
{
	return atomic_load_explicit(at, memory_order_relaxed);
}

static void
place_free(struct metrics *m)
{
	for (size_t i = 0; i < POOLS; i++) {
		free(atomic_load(&m->pool[i].name));
		free(m->drift[i]);
	}
	free(m->request);
	free(m);
}

struct metrics *
metrics_new(void)
{
	struct metrics *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->first = m;
	m->started = (int64_t)time(NULL);
	m->request = calloc((route_count + 1) * CLASSES, sizeof(*m->request));
	if (m->request == NULL) {
		free(m);
		return NULL;
	}
	return m;
}

struct metrics *
metrics_join(struct metrics *first)
{
	struct metrics *m = metrics_new();

	if (m == NULL)
		return NULL;
	m->first = first;
	atomic_store(&m->next, atomic_load(&first->next));
	atomic_store(&first->next, m);
	return m;
}

void
metrics_free(struct metrics *first)
{
	while (first != NULL) {
		struct metrics *next = first->next;

		place_free(first);
		first = next;
	}
}

void
metrics_request(struct metrics *m, size_t route, unsigned status)
{
	size_t class = status / 100 < CLASSES ? status / 100 : 0;

	count(&m->request[route * CLASSES + class], 1);
}

void
metrics_lookups(struct metrics *m, const char *pool, uint64_t keys)
{
	for (size_t i = 0; i < POOLS; i++) {
		const char *name = atomic_load_explicit(&m->pool[i].name, memory_order_relaxed);

		if (name == NULL) {
			char *copy = strdup(pool);

			if (copy == NULL)
				break;
			count(&m->pool[i].keys, keys);
			atomic_store_explicit(&m->pool[i].name, copy, memory_order_release);
			return;
		}
		if (strcmp(name, pool) == 0) {
			count(&m->pool[i].keys, keys);
			return;
		}
	}
	count(&m->other_keys, keys);
}

void
metrics_change(struct metrics *m, enum metrics_change outcome)
{
	count(&m->change[outcome], 1);
}

void
metrics_drift(struct metrics *m, const char *pool, bool differs)
{
	for (size_t i = 0; i < POOLS; i++) {
		if (m->drift[i] != NULL)
			continue;
		m->drift[i] = strdup(pool);
		m->differs[i] = differs;
		return;
	}
}

/* What a row's function is given. */
struct scrape {
	const struct metric *metric;
	const struct app *app;
	const struct snapshot *snapshot;
	const struct token *token; /* whose pools alone are shown */
	struct buffer *out;
	bool has_label;
};

struct metric {
	const char *name, *type, *help; /* the unit is the last word of the name */
	void (*print)(struct scrape *s);
};

static bool
is_shown(const struct scrape *s, const char *pool)
{
	return token_sees(s->token, hrw_text(pool));
}

static void
begin(struct scrape *s)
{
	buffer_add_text(s->out, s->metric->name);
	s->has_label = false;
}

static void
label(struct scrape *s, const char *name, const char *value)
{
	buffer_printf(s->out, "%s%s=\"", s->has_label ? "," : "{", name);
	s->has_label = true;
	for (; *value != '\0'; value++) {
		if (*value == '\n')
			buffer_add_text(s->out, "\\n");
		else if (*value == '"' || *value == '\\')
			buffer_printf(s->out, "\\%c", *value);
		else
			buffer_add(s->out, value, 1);
	}
	buffer_add_text(s->out, "\"");
}

static void
end(struct scrape *s, uint64_t value)
{
	buffer_printf(s->out, "%s %llu\n", s->has_label ? "}" : "", (unsigned long long)value);
}

static const char *
method_name(enum method method)
{
	static const char *const name[] = {
	    [METHOD_GET] = "GET",
	    [METHOD_HEAD] = "HEAD",
	    [METHOD_POST] = "POST",
	    [METHOD_PUT] = "PUT",
	    [METHOD_PATCH] = "PATCH",
	    [METHOD_DELETE] = "DELETE",
	};

	return name[method];
}

static void
print_requests(struct scrape *s)
{
	for (size_t i = 0; i < (route_count + 1) * CLASSES; i++) {
		const struct route *route = &routes[i / CLASSES];
		bool is_known = i / CLASSES < route_count;
		char class[] = "0xx";
		uint64_t sum = 0;

		for (const struct metrics *m = s->app->metrics->first; m != NULL; m = m->next)
			sum += counted(&m->request[i]);
		if (sum == 0)
			continue;
		class[0] = (char)('0' + i % CLASSES);
		begin(s);
		label(s, "method", is_known ? method_name(route->method) : "");
		label(s, "route", is_known ? route->path : "");
		label(s, "code", class);
		end(s, sum);
	}
}

/* The lookups of one pool over all loops. */
static uint64_t
lookups_of(const struct metrics *first, const char *pool)
{
	uint64_t sum = 0;

	for (const struct metrics *m = first; m != NULL; m = m->next) {
		for (size_t i = 0; i < POOLS; i++) {
			const char *name =
			    atomic_load_explicit(&m->pool[i].name, memory_order_acquire);

			if (name == NULL)
				break;
			if (strcmp(name, pool) == 0)
				sum += counted(&m->pool[i].keys);
		}
	}
	return sum;
}

/* Was the pool printed for an earlier loop? */
static bool
is_before(const struct metrics *first, const struct metrics *last, const char *pool)
{
	for (const struct metrics *m = first; m != last; m = m->next)
		for (size_t i = 0; i < POOLS; i++) {
			const char *name =
			    atomic_load_explicit(&m->pool[i].name, memory_order_acquire);

			if (name == NULL)
				break;
			if (strcmp(name, pool) == 0)
				return true;
		}
	return false;
}

static void
print_lookups(struct scrape *s)
{
	const struct metrics *first = s->app->metrics->first;
	uint64_t other = 0;

	for (const struct metrics *m = first; m != NULL; m = m->next) {
		other += counted(&m->other_keys);
		for (size_t i = 0; i < POOLS; i++) {
			const char *name =
			    atomic_load_explicit(&m->pool[i].name, memory_order_acquire);

			if (name == NULL)
				break;
			if (is_before(first, m, name) || !is_shown(s, name))
				continue;
			begin(s);
			label(s, "pool", name);
			end(s, lookups_of(first, name));
		}
	}
	if (other > 0 && is_shown(s, "")) {
		begin(s);
		label(s, "pool", "");
		end(s, other);
	}
}

static void
print_changes(struct scrape *s)
{
	static const char *const outcome[OUTCOMES] = {
	    [METRICS_APPLIED] = "applied",
	    [METRICS_UNCHANGED] = "unchanged",
	    [METRICS_REFUSED] = "refused",
	};

	for (size_t i = 0; i < OUTCOMES; i++) {
		uint64_t sum = 0;

		for (const struct metrics *m = s->app->metrics->first; m != NULL; m = m->next)
			sum += counted(&m->change[i]);
		begin(s);
		label(s, "outcome", outcome[i]);
		end(s, sum);
	}
}

static void
print_epochs(struct scrape *s)
{
	for (size_t i = 0; i < s->snapshot->count; i++) {
		if (!is_shown(s, s->snapshot->pool[i]->name))
			continue;
		begin(s);
		label(s, "pool", s->snapshot->pool[i]->name);
		end(s, s->snapshot->pool[i]->epoch);
	}
}

static void
print_settled(struct scrape *s)
{
	for (size_t i = 0; i < s->snapshot->count; i++) {
		if (!is_shown(s, s->snapshot->pool[i]->name))
			continue;
		begin(s);
		label(s, "pool", s->snapshot->pool[i]->name);
		end(s, pool_is_settled(s->snapshot->pool[i]));
	}
}

static void
print_nodes(struct scrape *s)
{
	for (size_t i = 0; i < s->snapshot->count; i++) {
		const struct pool *pool = s->snapshot->pool[i];
		uint64_t nodes[HRW_DRAINING + 1] = {0};

		if (!is_shown(s, pool->name))
			continue;
		for (size_t k = 0; k < pool->present->count; k++)
			nodes[pool->present->node[k].state]++;
		for (int state = HRW_ACTIVE; state <= HRW_DRAINING; state++) {
			begin(s);
			label(s, "pool", pool->name);
			label(s, "state", hrw_state_name((enum hrw_state)state));
			end(s, nodes[state]);
		}
	}
}

static void
print_plans(struct scrape *s)
{
	const struct reports *reports = s->app->reports;

	begin(s);
	label(s, "state", "running");
	end(s, reports == NULL ? 0 : reports_running(reports));
	begin(s);
	label(s, "state", "waiting");
	end(s, reports == NULL ? 0 : reports_waiting(reports));
}

static void
print_drift(struct scrape *s)
{
	const struct metrics *m = s->app->metrics->first;

	for (size_t i = 0; i < POOLS && m->drift[i] != NULL; i++) {
		if (!is_shown(s, m->drift[i]))
			continue;
		begin(s);
		label(s, "pool", m->drift[i]);
		end(s, m->differs[i]);
	}
}

static void
print_build(struct scrape *s)
{
	begin(s);
	label(s, "version", HRW_VERSION);
	end(s, 1);
}

static void
print_start(struct scrape *s)
{
	begin(s);
	end(s, (uint64_t)s->app->metrics->first->started);
}

static const struct metric metrics[] = {
    {"hrwd_build_info", "gauge", "The version of hrwd; always 1.", print_build},
    {"process_start_time_seconds", "gauge", "Unix time at which hrwd started.", print_start},
    {"hrwd_requests_total", "counter", "Requests answered, by route and class of status.",
	print_requests},
    {"hrwd_lookups_total", "counter", "Keys looked up, by pool.", print_lookups},
    {"hrwd_changes_total", "counter", "Changes judged, by outcome.", print_changes},
    {"hrwd_pool_epoch", "gauge", "Epoch of a pool's membership.", print_epochs},
    {"hrwd_pool_settled", "gauge", "1 when all copies of a pool are in place.", print_settled},
    {"hrwd_pool_nodes", "gauge", "Nodes of a pool, by state.", print_nodes},
    {"hrwd_plans", "gauge", "Plans that are computed now, and that wait for it.", print_plans},
    {"hrwd_config_drift", "gauge",
	"1 when the configuration's pool differed from the store's at start.", print_drift},
};

void
metrics_write(const struct app *app, const struct snapshot *snapshot, const struct token *token,
    struct buffer *out)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		struct scrape s = {&metrics[i], app, snapshot, token, out, false};

		buffer_printf(out, "# HELP %s %s\n# TYPE %s %s\n", metrics[i].name, metrics[i].help,
		    metrics[i].name, metrics[i].type);
		metrics[i].print(&s);
	}
}
