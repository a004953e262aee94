/*
 * write.c - one table of metrics, one function a row to print its samples;
 * those of pools are in pools.c.
 */
#include "daemon/base/sink.h"
#include "daemon/http/accept.h"
#include "daemon/http/route.h"
#include "daemon/http/watching.h"
#include "daemon/metrics/scrape.h"
#include "daemon/store/figures.h"

void
scrape_begin(struct scrape *s)
{
	buffer_add_text(s->out, s->metric->name);
	buffer_add_text(s->out, s->suffix);
	s->has_label = false;
}

void
scrape_label(struct scrape *s, const char *name, const char *value)
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

void
scrape_end(struct scrape *s, uint64_t value)
{
	buffer_printf(s->out, "%s %llu\n", s->has_label ? "}" : "", (unsigned long long)value);
}

void
scrape_number(struct scrape *s, double value)
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
	const struct route *route = &s->app->metrics->routes[i / CLASSES];
	bool is_known = i / CLASSES < s->app->metrics->route_count;
	char class[] = "0xx";

	class[0] = (char)('0' + i % CLASSES);
	scrape_label(s, "method", is_known ? method_name(route->method) : "");
	scrape_label(s, "route", is_known ? route->path : "");
	scrape_label(s, "code", class);
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

	for (size_t i = 0; i < (s->app->metrics->route_count + 1) * CLASSES; i++) {
		uint64_t all = gather_requests(s, i, &sum);

		if (all == 0)
			continue;
		scrape_begin(s);
		request_labels(s, i);
		scrape_end(s, all);
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
		scrape_begin(s);
		if (labels != NULL)
			labels(s, of);
		scrape_label(s, "le", le);
		scrape_end(s, below);
	}
	s->suffix = "_sum";
	scrape_begin(s);
	if (labels != NULL)
		labels(s, of);
	end_ns(s, sum->sum_ns);
	s->suffix = "_count";
	scrape_begin(s);
	if (labels != NULL)
		labels(s, of);
	scrape_end(s, below);
	s->suffix = "";
}

static void
print_durations(struct scrape *s)
{
	struct histogram_sum sum;

	for (size_t i = 0; i < (s->app->metrics->route_count + 1) * CLASSES; i++)
		if (gather_requests(s, i, &sum) > 0)
			print_histogram(s, &sum, request_labels, i);
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
		scrape_begin(s);
		scrape_label(s, "outcome", outcome[i]);
		scrape_end(s, sum);
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
	scrape_begin(s);
	scrape_end(s, s->app->store == NULL ? 0 : counted(&store_figures(s->app->store)->errors));
}

static void
print_reload_failures(struct scrape *s)
{
	struct store_reading reading = {0};

	if (s->app->store != NULL)
		store_reading(s->app->store, &reading);
	scrape_begin(s);
	scrape_label(s, "of", "configuration");
	scrape_end(s, counted(&s->app->metrics->first->reload_failures));
	scrape_begin(s);
	scrape_label(s, "of", "pools");
	scrape_end(s, reading.failures);
}

static void
print_failing(struct scrape *s)
{
	struct store_reading reading = {0};

	if (s->app->store != NULL)
		store_reading(s->app->store, &reading);
	scrape_begin(s);
	scrape_end(s, reading.is_failing);
}

static void
print_dropped(struct scrape *s)
{
	scrape_begin(s);
	scrape_end(s, sink_dropped());
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
	scrape_begin(s);
	scrape_end(
	    s, s->app->reports == NULL ? 0 : counted(&reports_figures(s->app->reports)->keys));
}

static void
print_connections(struct scrape *s)
{
	scrape_begin(s);
	scrape_label(s, "listener", "lookup");
	scrape_end(s, accept_count(LISTENER_LOOKUP));
	scrape_begin(s);
	scrape_label(s, "listener", "admin");
	scrape_end(s, accept_count(LISTENER_ADMIN));
}

static void
print_watchers(struct scrape *s)
{
	scrape_begin(s);
	scrape_label(s, "listener", "lookup");
	scrape_end(s, watching_count(LISTENER_LOOKUP));
	scrape_begin(s);
	scrape_label(s, "listener", "admin");
	scrape_end(s, watching_count(LISTENER_ADMIN));
}

static void
print_cpu(struct scrape *s)
{
	scrape_begin(s);
	end_ns(s, s->process->cpu_ns);
}

#define PROCESS_FIGURE(name, member)                                                               \
	static void print_##name(struct scrape *s)                                                 \
	{                                                                                          \
		scrape_begin(s);                                                                   \
		scrape_end(s, s->process->member);                                                 \
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

	scrape_begin(s);
	scrape_label(s, "state", "running");
	scrape_end(s, reports == NULL ? 0 : reports_running(reports));
	scrape_begin(s);
	scrape_label(s, "state", "waiting");
	scrape_end(s, reports == NULL ? 0 : reports_waiting(reports));
}

static void
print_build(struct scrape *s)
{
	scrape_begin(s);
	scrape_label(s, "version", HRW_VERSION);
	scrape_end(s, 1);
}

static void
print_start(struct scrape *s)
{
	scrape_begin(s);
	scrape_end(s, (uint64_t)s->app->metrics->first->started);
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
    {"hrwd_lookups_total", "counter", "Keys looked up, by pool, while there is that pool.",
	metrics_pools_lookups},
    {"hrwd_node_lookups_total", "counter",
	"Keys looked up, by the node that owns them, while it is in the pool.",
	metrics_pools_node_lookups},
    {"hrwd_node_share_ratio", "gauge", "The part of all keys that a node owns, as expected.",
	metrics_pools_shares},
    {"hrwd_node_observed_share_ratio", "gauge", "The part of a pool's lookups that a node owned.",
	metrics_pools_observed},
    {"hrwd_pool_info", "gauge",
	"Placement, fingerprint and lineage of a pool; equal fingerprints place alike; always 1.",
	metrics_pools_info},
    {"hrwd_pool_epoch", "gauge", "Epoch of a pool's membership.", metrics_pools_epochs},
    {"hrwd_pool_settled", "gauge", "1 when all copies of a pool are in place.",
	metrics_pools_settled},
    {"hrwd_pool_copies_missing", "gauge",
	"Copies of the stored keys that are still to be made, as the last report of the pool's "
	"epoch "
	"counted them.",
	metrics_pools_missing},
    {"hrwd_pool_nodes", "gauge", "Nodes of a pool, by state.", metrics_pools_nodes},
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
    {"hrwd_reload_failures_total", "counter",
	"Times that the configuration, or a file of pools, was read again and not taken.",
	print_reload_failures},
    {"hrwd_pools_file_failing", "gauge",
	"1 while a file of pools is not taken, and the last good pools are served.", print_failing},
    {"hrwd_log_lines_dropped_total", "counter",
	"Lines of the log that were dropped because nobody read stderr.", print_dropped},
    {"hrwd_config_drift", "gauge",
	"1 when the configuration's pool differed from the store's at start.", metrics_pools_drift},
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
