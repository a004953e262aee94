/*
 * metrics_write.c - one table of metrics, one function a row to print its samples.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/app.h"
#include "daemon/http/accept.h"
#include "daemon/metrics_impl.h"
#include "daemon/process.h"
#include "daemon/routes/routes.h"
#include "daemon/routes/watching.h"
#include "daemon/store/figures.h"

/* What a row's function is given. */
struct scrape {
	const struct metric *metric;
	const struct app *app;
	const struct snapshot *snapshot;
	const struct token *token; /* whose pools alone are shown */
	struct buffer *out;
	const struct process *process;
	const char *suffix; /* of the sample's name: "_bucket" */
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
	buffer_add_text(s->out, s->suffix);
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

static void
end_number(struct scrape *s, double value)
{
	buffer_printf(s->out, "%s %.9g\n", s->has_label ? "}" : "", value);
}

static void
end_ns(struct scrape *s, uint64_t ns)
{
	buffer_printf(s->out, "%s %llu.%09llu\n", s->has_label ? "}" : "",
	    (unsigned long long)(ns / 1000000000), (unsigned long long)(ns % 1000000000));
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

/* A request's labels: `i` counts routes by classes of status. */
static void
request_labels(struct scrape *s, size_t i)
{
	const struct route *route = &routes[i / CLASSES];
	bool is_known = i / CLASSES < route_count;
	char class[] = "0xx";

	class[0] = (char)('0' + i % CLASSES);
	label(s, "method", is_known ? method_name(route->method) : "");
	label(s, "route", is_known ? route->path : "");
	label(s, "code", class);
}

static uint64_t
gather_requests(const struct scrape *s, size_t i, struct histogram_sum *sum)
{
	uint64_t all = 0;

	*sum = (struct histogram_sum){0};
	for (const struct metrics *m = s->app->metrics->first; m != NULL; m = m->next)
		all += histogram_gather(sum, &m->request[i]);
	return all;
}

static void
print_requests(struct scrape *s)
{
	struct histogram_sum sum;

	for (size_t i = 0; i < (route_count + 1) * CLASSES; i++) {
		uint64_t all = gather_requests(s, i, &sum);

		if (all == 0)
			continue;
		begin(s);
		request_labels(s, i);
		end(s, all);
	}
}

/* A histogram's samples; `labels` adds those that it has beside `le`. */
static void
print_histogram(struct scrape *s, const struct histogram_sum *sum,
    void (*labels)(struct scrape *s, size_t i), size_t of)
{
	uint64_t below = 0;
	char le[32];

	s->suffix = "_bucket";
	for (unsigned i = 0; i <= HISTOGRAM_BOUNDS; i++) {
		below += sum->count[i];
		if (i < HISTOGRAM_BOUNDS)
			snprintf(le, sizeof(le), "%g", (double)histogram_bound_ns[i] / 1e9);
		else
			snprintf(le, sizeof(le), "+Inf");
		begin(s);
		if (labels != NULL)
			labels(s, of);
		label(s, "le", le);
		end(s, below);
	}
	s->suffix = "_sum";
	begin(s);
	if (labels != NULL)
		labels(s, of);
	end_ns(s, sum->sum_ns);
	s->suffix = "_count";
	begin(s);
	if (labels != NULL)
		labels(s, of);
	end(s, below);
	s->suffix = "";
}

static void
print_durations(struct scrape *s)
{
	struct histogram_sum sum;

	for (size_t i = 0; i < (route_count + 1) * CLASSES; i++)
		if (gather_requests(s, i, &sum) > 0)
			print_histogram(s, &sum, request_labels, i);
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
print_pool_info(struct scrape *s)
{
	for (size_t i = 0; i < s->snapshot->count; i++) {
		const struct pool *pool = s->snapshot->pool[i];

		if (!is_shown(s, pool->name))
			continue;
		begin(s);
		label(s, "pool", pool->name);
		label(s, "placement", pool->present->placement->name);
		label(s, "fingerprint", pool->fingerprint);
		label(s, "lineage", pool->lineage);
		end(s, 1);
	}
}

/* Adds one loop's counts of a pool's nodes to `keys`, by node of the pool. Both
 * stand by name; what has left the pool is passed over. */
static void
add_nodes(struct pool_count *p, const struct pool *pool, uint64_t *keys)
{
	const struct hrw_membership *m = pool->present;
	size_t at = 0;

	pthread_mutex_lock(&p->lock);
	for (size_t i = 0;
	     p->nodes != NULL && strcmp(p->nodes->lineage, pool->lineage) == 0 && i < m->count;
	     i++) {
		while (at < p->nodes->count && strcmp(p->nodes->node[at].name, m->node[i].name) < 0)
			at++;
		if (at < p->nodes->count && strcmp(p->nodes->node[at].name, m->node[i].name) == 0)
			keys[i] += counted(&p->nodes->node[at].keys);
	}
	pthread_mutex_unlock(&p->lock);
}

/* The lookups of each node over all loops; to free(). NULL: no memory. */
static uint64_t *
node_lookups(const struct metrics *first, const struct pool *pool)
{
	uint64_t *keys = calloc(pool->present->count + 1, sizeof(*keys));

	for (const struct metrics *m = first; m != NULL && keys != NULL; m = m->next)
		for (size_t i = 0; i < POOLS; i++) {
			struct pool_count *p = (struct pool_count *)(uintptr_t)&m->pool[i];
			const char *name = atomic_load_explicit(&p->name, memory_order_acquire);

			if (name == NULL)
				break;
			if (strcmp(name, pool->name) == 0)
				add_nodes(p, pool, keys);
		}
	return keys;
}

/* A sample for each node of each pool that is shown. */
static void
each_node(struct scrape *s,
    void (*value)(struct scrape *s, const uint64_t *keys, uint64_t all, size_t node))
{
	for (size_t i = 0; i < s->snapshot->count; i++) {
		const struct pool *pool = s->snapshot->pool[i];
		uint64_t *keys, all = 0;

		if (!is_shown(s, pool->name))
			continue;
		keys = node_lookups(s->app->metrics->first, pool);
		for (size_t k = 0; keys != NULL && k < pool->present->count; k++)
			all += keys[k];
		for (size_t k = 0; keys != NULL && k < pool->present->count; k++) {
			begin(s);
			label(s, "pool", pool->name);
			label(s, "node", pool->present->node[k].name);
			value(s, keys, all, k);
		}
		free(keys);
	}
}

static void
put_node_lookups(struct scrape *s, const uint64_t *keys, uint64_t all, size_t node)
{
	(void)all;
	end(s, keys[node]);
}

static void
print_node_lookups(struct scrape *s)
{
	each_node(s, put_node_lookups);
}

static void
put_observed(struct scrape *s, const uint64_t *keys, uint64_t all, size_t node)
{
	end_number(s, all == 0 ? 0 : (double)keys[node] / (double)all);
}

static void
print_observed(struct scrape *s)
{
	each_node(s, put_observed);
}

/* Where no formula gives them, shares are counted when GET /nodes first asks: not
 * here, where a scrape would hold up a loop. */
static void
print_shares(struct scrape *s)
{
	for (size_t i = 0; i < s->snapshot->count; i++) {
		struct pool *pool = s->snapshot->pool[i];
		const double *share;

		if (!is_shown(s, pool->name) || !pool_has_shares(pool))
			continue;
		share = pool_shares(pool);
		for (size_t k = 0; share != NULL && k < pool->present->count; k++) {
			begin(s);
			label(s, "pool", pool->name);
			label(s, "node", pool->present->node[k].name);
			end_number(s, share[k]);
		}
	}
}

static void
print_lag(struct scrape *s)
{
	struct histogram_sum sum = {0};

	for (const struct metrics *m = s->app->metrics->first; m != NULL; m = m->next)
		histogram_gather(&sum, &m->lag);
	print_histogram(s, &sum, NULL, 0);
}

static void
print_commits(struct scrape *s)
{
	struct histogram_sum sum = {0};

	if (s->app->store != NULL)
		histogram_gather(&sum, &store_figures(s->app->store)->commit);
	print_histogram(s, &sum, NULL, 0);
}

static void
print_store_errors(struct scrape *s)
{
	begin(s);
	end(s, s->app->store == NULL ? 0 : counted(&store_figures(s->app->store)->errors));
}

static void
print_plan_durations(struct scrape *s)
{
	struct histogram_sum sum = {0};

	if (s->app->reports != NULL)
		histogram_gather(&sum, &reports_figures(s->app->reports)->duration);
	print_histogram(s, &sum, NULL, 0);
}

static void
print_plan_keys(struct scrape *s)
{
	begin(s);
	end(s, s->app->reports == NULL ? 0 : counted(&reports_figures(s->app->reports)->keys));
}

static void
print_connections(struct scrape *s)
{
	begin(s);
	label(s, "listener", "lookup");
	end(s, accept_count(LISTENER_LOOKUP));
	begin(s);
	label(s, "listener", "admin");
	end(s, accept_count(LISTENER_ADMIN));
}

static void
print_watchers(struct scrape *s)
{
	begin(s);
	label(s, "listener", "lookup");
	end(s, watching_count(LISTENER_LOOKUP));
	begin(s);
	label(s, "listener", "admin");
	end(s, watching_count(LISTENER_ADMIN));
}

static void
print_cpu(struct scrape *s)
{
	begin(s);
	end_ns(s, s->process->cpu_ns);
}

#define PROCESS_FIGURE(name, member)                                                               \
	static void print_##name(struct scrape *s)                                                 \
	{                                                                                          \
		begin(s);                                                                          \
		end(s, s->process->member);                                                        \
	}

PROCESS_FIGURE(resident, resident_bytes)
PROCESS_FIGURE(virtual, virtual_bytes)
PROCESS_FIGURE(open_fds, open_fds)
PROCESS_FIGURE(max_fds, max_fds)
PROCESS_FIGURE(threads, threads)

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
    {"hrwd_requests_total", "counter", "Requests answered, by route and class of status.",
	print_requests},
    {"hrwd_request_duration_seconds", "histogram",
	"From the turn of the loop that read a request to its answer, but for what a read "
	"waited for a change.",
	print_durations},
    {"hrwd_connections", "gauge", "Connections that are open, by listener.", print_connections},
    {"hrwd_watchers", "gauge",
	"Requests that wait for a change, by listener: streams of GET /watch, and ?wait= of a "
	"pool.",
	print_watchers},
    {"hrwd_loop_lag_seconds", "histogram",
	"How late the event loops were, each looked at once a second.", print_lag},
    {"hrwd_lookups_total", "counter", "Keys looked up, by pool.", print_lookups},
    {"hrwd_node_lookups_total", "counter",
	"Keys looked up, by the node that owns them, while it is in the pool.", print_node_lookups},
    {"hrwd_node_share_ratio", "gauge", "The part of all keys that a node owns, as expected.",
	print_shares},
    {"hrwd_node_observed_share_ratio", "gauge", "The part of a pool's lookups that a node owned.",
	print_observed},
    {"hrwd_pool_info", "gauge",
	"Placement, fingerprint and lineage of a pool; equal fingerprints place alike; always 1.",
	print_pool_info},
    {"hrwd_pool_epoch", "gauge", "Epoch of a pool's membership.", print_epochs},
    {"hrwd_pool_settled", "gauge", "1 when all copies of a pool are in place.", print_settled},
    {"hrwd_pool_nodes", "gauge", "Nodes of a pool, by state.", print_nodes},
    {"hrwd_changes_total", "counter", "Changes judged, by outcome.", print_changes},
    {"hrwd_plans", "gauge", "Plans that are computed now, and that wait for it.", print_plans},
    {"hrwd_plan_duration_seconds", "histogram", "How long plans and reports took to compute.",
	print_plan_durations},
    {"hrwd_plan_keys_total", "counter", "Keys that plans and reports went through.",
	print_plan_keys},
    {"hrwd_store_commit_duration_seconds", "histogram",
	"How long the store took to make changes durable.", print_commits},
    {"hrwd_store_errors_total", "counter", "What the store could not read or write.",
	print_store_errors},
    {"hrwd_config_drift", "gauge",
	"1 when the configuration's pool differed from the store's at start.", print_drift},
    {"process_start_time_seconds", "gauge", "Unix time at which hrwd started.", print_start},
    {"process_cpu_seconds_total", "counter", "User and system CPU time.", print_cpu},
    {"process_resident_memory_bytes", "gauge", "Memory in use.", print_resident},
    {"process_virtual_memory_bytes", "gauge", "Address space in use.", print_virtual},
    {"process_open_fds", "gauge", "Open file descriptors.", print_open_fds},
    {"process_max_fds", "gauge", "Most file descriptors that may be open.", print_max_fds},
    {"process_threads", "gauge", "Threads.", print_threads},
};

enum { METRICS = sizeof(metrics) / sizeof(metrics[0]) };

const char *
metrics_name(size_t i)
{
	return i < METRICS ? metrics[i].name : NULL;
}

void
metrics_write(const struct app *app, const struct snapshot *snapshot, const struct token *token,
    struct buffer *out)
{
	struct process process;

	process_read(&process);
	for (size_t i = 0; i < METRICS; i++) {
		struct scrape s = {&metrics[i], app, snapshot, token, out, &process, "", false};

		buffer_printf(out, "# HELP %s %s\n# TYPE %s %s\n", metrics[i].name, metrics[i].help,
		    metrics[i].name, metrics[i].type);
		metrics[i].print(&s);
	}
}
