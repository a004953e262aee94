/*
 * submit.c - two requests: the dry run, and the apply of its plan.
 */
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
	struct ask ask = {.method = "GET", .path = path};
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
	struct ask ask = {.method = order->method, .is_async = true};
	struct buffer url = {0};
	int rc;

	buffer_add(&url, order->path.data, order->path.len);
	if (!order->is_plan)
		url_parameter(&url, "dry_run", hrw_text("true"));
	if (!order->names_pool && ctl->options.pool != NULL)
		url_parameter(&url, "pool", hrw_text(ctl->options.pool));
	if (ctl->options.settles_later)
		url_parameter(&url, "settle", hrw_text("later"));
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

static int
apply(struct ctl *ctl, const char *id)
{
	struct ask ask = {
	    .method = "POST", .reason = ctl->options.reason, .is_async = !ctl->is_json};
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
		fprintf(ctl->out, "\n%sapplied%s: epoch %llu\n", terminal_style(t, STYLE_GOOD),
		    terminal_style(t, STYLE_NONE),
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

int
submit_plan(struct ctl *ctl, const struct reply *report)
{
	const struct json *j = report->json, *refusal = json_get(j, "refusal");
	int rc;

	if (planned_is_idle(j) && !ctl->is_json) {
		fputs("already so: nothing is changed\n", ctl->out);
		return CTL_DONE;
	}
	if (json_type(refusal) == JSON_OBJECT) {
		if (ctl->is_json)
			client_print(&report->body);
		return ctl_fail(CTL_REFUSED, "nothing is changed: --force %s would override it",
		    client_text(refusal, "/code"));
	}
	rc = planned_is_idle(j) ? 0 : may_apply(ctl);
	return rc != 0 ? rc : apply(ctl, client_text(j, "/plan"));
}

int
submit_order(struct ctl *ctl, const struct order *order)
{
	struct reply reply = {0};
	bool ends_here = order->is_plan || ctl->options.is_dry_run;
	int rc = plan(ctl, order, &reply);

	if (rc != 0)
		goto out;
	if (!planned_is_idle(reply.json) && (!ctl->is_json || !ends_here))
		planned_show(ctl, reply.json);
	if (!ends_here) {
		rc = submit_plan(ctl, &reply);
		goto out;
	}
	if (ctl->is_json)
		client_print(&reply.body);
	else if (planned_is_idle(reply.json))
		fputs("already so: nothing would change\n", ctl->out);
	else if (json_type(json_get(reply.json, "refusal")) != JSON_OBJECT)
		fprintf(ctl->out, "\nhrwctl plan apply %s makes this change\n",
		    client_text(reply.json, "/plan"));
	rc = conclude(ctl, reply.json);
out:
	reply_fini(&reply);
	return rc;
}
