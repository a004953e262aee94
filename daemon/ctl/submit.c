/*
 * submit.c - two requests: the dry run, and the apply of its plan.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/ctl/planned.h"
#include "daemon/ctl/submit.h"
#include "daemon/ctl/url.h"

/* With a bar to move, looks follow one another after 20, 40, … ms; without one the
 * daemon is asked to wait. */
enum { LOOK_FIRST_MS = 20, LOOK_MAX_MS = 160, WAIT_SECONDS = 30 };

void
order_fini(struct order *order)
{
	buffer_fini(&order->path);
	buffer_fini(&order->body);
}

static void
add_force(const struct ctl *ctl, struct buffer *url)
{
	const struct option_list *force = &ctl->options.force;
	struct buffer codes = {0};

	for (size_t i = 0; i < force->count; i++)
		buffer_printf(&codes, "%s%s", i > 0 ? "," : "", force->at[i]);
	if (codes.len > 0)
		url_parameter(url, "force", buffer_bytes(&codes));
	url->failed |= codes.failed;
	buffer_fini(&codes);
}

/* Ctrl-C ends it early. */
static void
pause_ms(long ms)
{
	const struct timespec time = {.tv_nsec = ms * 1000000};

	nanosleep(&time, NULL);
}

/* One more look at a running report. */
static int
look(struct ctl *ctl, const char *path, long *pause, struct reply *reply)
{
	struct ask ask = {.method = "GET", .path = path, .shape = CLIENT_REPORT};
	double progress = json_number(json_get(reply->json, "progress"));

	if (!ctl->terminal.has_bar) {
		ask.wait_seconds = WAIT_SECONDS;
	} else {
		if (progress > 0)
			terminal_bar(&ctl->terminal, progress,
			    client_count(reply->json, "/keys/total"), "keys");
		pause_ms(*pause);
		*pause = *pause * 2 < LOOK_MAX_MS ? *pause * 2 : LOOK_MAX_MS;
	}
	reply_fini(reply);
	return terminal_is_left() ? CTL_LEFT : client_want(ctl, &ask, reply);
}

int
submit_follow(struct ctl *ctl, struct reply *reply, const char *so_far)
{
	long pause = LOOK_FIRST_MS;
	struct buffer url = {0};
	char id[64];
	int rc = 0;

	snprintf(id, sizeof(id), "%s", client_text(reply->json, "/plan"));
	buffer_add_text(&url, "/plans");
	url_segment(&url, id);
	if (!ctl->terminal.has_bar)
		url_number(&url, "wait", WAIT_SECONDS);
	if (url.failed)
		rc = ctl_no_memory();
	terminal_catch();
	while (rc == 0 && strcmp(client_text(reply->json, "/state"), "running") == 0)
		rc = look(ctl, buffer_text(&url), &pause, reply);
	terminal_clear(&ctl->terminal);
	if (rc == CTL_LEFT)
		ctl_fail(CTL_LEFT, "left: %s, and the report goes on: hrwctl plan show %s --watch",
		    so_far, id);
	buffer_fini(&url);
	return rc;
}

/* The dry run, begun. */
static int
plan(struct ctl *ctl, const struct order *order, struct reply *reply)
{
	struct ask ask = {.method = order->method, .shape = CLIENT_REPORT, .is_async = true};
	struct buffer url = {0};
	int rc;

	buffer_add(&url, order->path.data, order->path.len);
	if (!order->is_plan)
		url_parameter(&url, "dry_run", hrw_text("true"));
	if (!order->names_pool && ctl->options.pool != NULL)
		url_parameter(&url, "pool", hrw_text(ctl->options.pool));
	if (ctl->options.settles_now)
		url_parameter(&url, "settle", hrw_text("now"));
	add_force(ctl, &url);
	ask.path = buffer_text(&url);
	if (order->body.len > 0) {
		ask.body = buffer_bytes(&order->body);
		ask.type = "application/json";
	}
	ask.if_match = order->if_match[0] != '\0' ? order->if_match : NULL;
	ask.if_none_match = order->if_none_match[0] != '\0' ? order->if_none_match : NULL;
	rc = url.failed || order->body.failed ? ctl_no_memory() : client_want(ctl, &ask, reply);
	/* Where nothing would change, people are not shown the report that says so. */
	if (rc == 0 && (ctl->is_json || !planned_is_idle(reply->json)))
		rc = submit_follow(ctl, reply, "nothing is changed");
	buffer_fini(&url);
	return rc;
}

/* pool: its name, where there are several; NULL: one */
static int
apply(struct ctl *ctl, const char *id, const char *pool)
{
	struct ask ask = {.method = "POST",
	    .shape = CLIENT_REPORT,
	    .reason = ctl->options.reason,
	    .is_async = !ctl->is_json};
	struct buffer url = {0};
	struct reply reply = {0};
	const struct terminal *t = &ctl->terminal;
	int rc;

	buffer_add_text(&url, "/plans");
	url_segment(&url, id);
	buffer_add_text(&url, "/apply");
	add_force(ctl, &url);
	ask.path = buffer_text(&url);
	rc = url.failed ? ctl_no_memory() : client_want(ctl, &ask, &reply);
	if (rc != 0)
		goto out;
	if (ctl->is_json) {
		rc = submit_follow(ctl, &reply, "the change is made");
		if (rc == 0)
			client_print(&reply.body);
	} else if (planned_is_idle(reply.json)) {
		fputs("already so: nothing was changed\n", ctl->out);
	} else if (client_count(reply.json, "/epoch_after") == 0) {
		fprintf(ctl->out, "\n%sapplied%s: the pool is removed\n",
		    terminal_style(t, STYLE_GOOD), terminal_style(t, STYLE_NONE));
	} else {
		fprintf(ctl->out, "%s%sapplied%s: %s%s%sepoch %llu\n", pool == NULL ? "\n" : "",
		    terminal_style(t, STYLE_GOOD), terminal_style(t, STYLE_NONE),
		    pool != NULL ? "pool " : "", pool != NULL ? ctl_shown(pool) : "",
		    pool != NULL ? ", " : "",
		    (unsigned long long)client_count(reply.json, "/epoch_after"));
	}
out:
	reply_fini(&reply);
	buffer_fini(&url);
	return rc;
}

/* How a report ends that is not to be applied. */
static int
conclude(struct ctl *ctl, const struct json *report)
{
	bool is_refused = json_type(json_get(report, "refusal")) == JSON_OBJECT;

	if (!ctl->options.has_exit_code)
		return CTL_DONE;
	return is_refused ? CTL_REFUSED : planned_is_idle(report) ? CTL_DONE : CTL_PENDING;
}

static int
may_apply(struct ctl *ctl)
{
	if (ctl->options.is_sure)
		return 0;
	if (!ctl->terminal.can_ask)
		return ctl_fail(CTL_USAGE,
		    "nothing is changed: there is no terminal to ask on, so --yes must say it");
	if (ctl->out == stdout)
		fflush(stdout);
	terminal_catch();
	if (terminal_confirm("\napply? [y/N] "))
		return 0;
	fputs("nothing is changed\n", ctl->out);
	return terminal_is_left() ? CTL_LEFT : CTL_REFUSED;
}

/* A report that the daemon would refuse. */
static int
refuse(struct ctl *ctl, const struct reply *report)
{
	if (ctl->is_json)
		client_print(&report->body);
	return ctl_fail(CTL_REFUSED, "nothing is changed: --force %s would override it",
	    client_text(report->json, "/refusal/code"));
}

static bool
is_refused(const struct reply *report)
{
	return json_type(json_get(report->json, "refusal")) == JSON_OBJECT;
}

int
submit_plan(struct ctl *ctl, const struct reply *report)
{
	int rc;

	if (planned_is_idle(report->json) && !ctl->is_json) {
		fputs("already so: nothing is changed\n", ctl->out);
		return CTL_DONE;
	}
	if (is_refused(report))
		return refuse(ctl, report);
	rc = planned_is_idle(report->json) ? 0 : may_apply(ctl);
	return rc != 0 ? rc : apply(ctl, client_text(report->json, "/plan"), NULL);
}

/* Does it add a node that only a plan can do without an address of? */
static bool
lacks_address(const struct order *order)
{
	struct json *body = json_parse(buffer_bytes(&order->body), JSON_STORED, NULL);
	bool lacks = false;

	json_each (node, json_get(body, "add"))
		lacks = lacks || json_get(node, "address") == NULL;
	json_free(body);
	return lacks;
}

/* Is the pool where --at-epoch wants it? A plan is applied to that epoch alone. */
static int
judge_epoch(const struct ctl *ctl, const struct reply *report)
{
	uint64_t epoch = client_count(report->json, "/epoch_before");

	if (ctl->options.at_epoch == 0 || ctl->options.at_epoch == epoch)
		return 0;
	return ctl_fail(CTL_CONFLICT,
	    "nothing is changed: the pool is at epoch %llu, not %llu; look at hrwctl history and "
	    "at "
	    "hrwctl copies again",
	    (unsigned long long)epoch, (unsigned long long)ctl->options.at_epoch);
}

/* The report of an order that ends with it. */
static int
end_here(struct ctl *ctl, const struct order *order, const struct reply *report)
{
	if (ctl->is_json)
		client_print(&report->body);
	else if (planned_is_idle(report->json))
		fprintf(ctl->out, "%s%s%salready so: nothing would change\n",
		    order->pool != NULL ? "pool " : "",
		    order->pool != NULL ? ctl_shown(order->pool) : "",
		    order->pool != NULL ? ": " : "");
	else if (lacks_address(order))
		fputs("\na node without an address can be planned, not added: ,address=HOST:PORT "
		      "behind its name makes it one that hrwctl plan apply can add\n",
		    ctl->out);
	else if (!is_refused(report))
		fprintf(ctl->out, "\nhrwctl plan apply %s makes this change\n",
		    client_shown(report->json, "/plan"));
	return conclude(ctl, report->json);
}

int
submit_order(struct ctl *ctl, const struct order *order)
{
	struct reply reply = {0};
	bool ends_here = order->is_plan || ctl->options.is_dry_run;
	int rc = plan(ctl, order, &reply);

	if (rc == 0)
		rc = judge_epoch(ctl, &reply);
	if (rc != 0)
		goto out;
	if (!planned_is_idle(reply.json) && (!ctl->is_json || !ends_here))
		planned_show(ctl, reply.json);
	rc = ends_here ? end_here(ctl, order, &reply) : submit_plan(ctl, &reply);
out:
	reply_fini(&reply);
	return rc;
}

/* Plans and shows each; *busy receives how many would change something. The
 * first that cannot be planned ends it. */
static int
plan_all(
    struct ctl *ctl, const struct order *orders, size_t count, struct reply *reports, size_t *busy)
{
	bool ends_here = ctl->options.is_dry_run;
	int status = CTL_DONE;

	*busy = 0;
	for (size_t i = 0; i < count; i++) {
		int rc = plan(ctl, &orders[i], &reports[i]);
		bool is_idle;

		if (rc == CTL_LEFT)
			return rc;
		if (rc != 0)
			return ctl_fail(
			    rc, "no pool is changed: pool %s cannot be planned", orders[i].pool);
		is_idle = planned_is_idle(reports[i].json);
		if (!is_idle && (!ctl->is_json || !ends_here)) {
			fputs(*busy > 0 ? "\n" : "", ctl->out);
			planned_show(ctl, reports[i].json);
		}
		*busy += !is_idle;
		if (!ends_here)
			continue;
		rc = end_here(ctl, &orders[i], &reports[i]);
		/* What would be refused says more than what would change. */
		if (status != CTL_REFUSED && rc != CTL_DONE)
			status = rc;
	}
	return status;
}

static int
apply_all(struct ctl *ctl, const struct order *orders, size_t count, const struct reply *reports)
{
	size_t applied = 0;

	if (!ctl->is_json)
		fputc('\n', ctl->out);
	for (size_t i = 0; i < count; i++) {
		bool is_idle = planned_is_idle(reports[i].json);
		int rc;

		if (is_idle && !ctl->is_json) {
			fprintf(ctl->out, "already so: pool %s\n", ctl_shown(orders[i].pool));
			continue;
		}
		rc = apply(ctl, client_text(reports[i].json, "/plan"), orders[i].pool);
		if (rc != 0)
			return ctl_fail(rc,
			    "pool %s and those behind it in the file are as they were, %zu before "
			    "it %s changed: the same command goes on there",
			    orders[i].pool, applied, applied == 1 ? "is" : "are");
		applied += !is_idle;
	}
	return CTL_DONE;
}

int
submit_orders(struct ctl *ctl, const struct order *orders, size_t count)
{
	struct reply *reports = calloc(count, sizeof(*reports));
	size_t busy;
	int rc = reports != NULL ? plan_all(ctl, orders, count, reports, &busy) : ctl_no_memory();

	if (rc != 0 || ctl->options.is_dry_run)
		goto out;
	for (size_t i = 0; rc == 0 && i < count; i++)
		if (is_refused(&reports[i]))
			rc = refuse(ctl, &reports[i]);
	if (rc == 0 && busy == 0 && !ctl->is_json) {
		fputs("already so: nothing is changed\n", ctl->out);
		goto out;
	}
	if (rc == 0 && busy > 0)
		rc = may_apply(ctl);
	if (rc == 0)
		rc = apply_all(ctl, orders, count, reports);
out:
	for (size_t i = 0; reports != NULL && i < count; i++)
		reply_fini(&reports[i]);
	free(reports);
	return rc;
}
