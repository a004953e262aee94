/*
 * removable.c - the checks of a node, shown or waited for.
 */
#include <stdlib.h>
#include <unistd.h>

#include "daemon/ctl/away.h"
#include "daemon/ctl/command.h"
#include "daemon/ctl/follow.h"
#include "daemon/ctl/removable.h"
#include "daemon/ctl/url.h"

enum { WAIT_SECONDS = 5 };

static int
ask_node(
    struct ctl *ctl, const char *pool, const char *node, unsigned wait_seconds, struct reply *reply)
{
	struct ask ask = {
	    .method = "GET",
	    .shape = "node$ removable= checks[",
	    .wait_seconds = wait_seconds,
	    .is_patient = wait_seconds > 0,
	};
	struct buffer url = {0};
	int rc;

	buffer_add_text(&url, "/nodes");
	url_segment(&url, node);
	buffer_add_text(&url, "/removable");
	if (pool != NULL)
		url_parameter(&url, "pool", hrw_text(pool));
	if (wait_seconds > 0)
		url_number(&url, "wait", wait_seconds);
	ask.path = buffer_text(&url);
	rc = url.failed ? ctl_no_memory() : client_ask(ctl, &ask, reply);
	buffer_fini(&url);
	return rc;
}

static bool
may(const struct reply *reply)
{
	return json_bool(json_get(reply->json, "removable"));
}

/* "cache-c: not yet: it is asked for still (…)" */
static void
tell(const struct ctl *ctl, const struct json *j)
{
	const char *node = client_shown(j, "/node");
	const struct terminal *t = &ctl->terminal;

	if (json_bool(json_get(j, "removable"))) {
		fprintf(ctl->out, "%s%s may be switched off%s\n", terminal_style(t, STYLE_GOOD),
		    node, terminal_style(t, STYLE_NONE));
		return;
	}
	fprintf(ctl->out, "%s may not be switched off yet:\n", node);
	json_each (check, json_get(j, "checks"))
		if (!json_bool(json_get(check, "ok")))
			fprintf(ctl->out, "  %s: %s\n", client_shown(check, "/check"),
			    client_shown(check, "/detail"));
}

/* The names of the checks that fail. While it waits, they are printed again only when
 * they differ. */
static void
failing(const struct json *j, struct buffer *out)
{
	buffer_clear(out);
	json_each (check, json_get(j, "checks"))
		if (!json_bool(json_get(check, "ok")))
			buffer_printf(out, "%s ", client_text(check, "/check"));
}

int
removable_wait(struct ctl *ctl, const char *pool, const char *node)
{
	struct away away = away_new(ctl);
	struct buffer said = {0}, now = {0};
	struct reply reply = {0};
	bool is_over = false;
	int rc = 0;

	while (rc == 0 && !is_over) {
		unsigned wait = ctl_patience(ctl, WAIT_SECONDS);

		if (wait == 0) {
			rc = ctl_late(ctl);
			break;
		}
		rc = ask_node(ctl, pool, node, wait, &reply);
		if (rc == CTL_UNREACHABLE || (rc == 0 && reply.status == 204)) {
			rc = away_note(&away, rc == 0 ? "it stops" : reply.why);
			if (rc == 0)
				away_pause(&away);
		} else if (rc == 0 && client_has_code(&reply, "busy")) {
			sleep(1);
		} else if (rc == 0 && client_has_code(&reply, "unknown-node")) {
			fprintf(ctl->out, "%s is removed\n", node);
			is_over = true;
		} else if (rc == 0 && reply.status != 200) {
			rc = client_refused(ctl, &reply);
		} else if (rc == 0) {
			away_there(&away);
			failing(reply.json, &now);
			is_over = may(&reply);
			if (is_over || !hrw_bytes_equal(buffer_bytes(&now), buffer_bytes(&said))) {
				tell(ctl, reply.json);
				fflush(ctl->out);
			}
			buffer_clear(&said);
			buffer_add(&said, now.data, now.len);
		}
		reply_fini(&reply);
		if (rc == 0 && terminal_is_left())
			rc = CTL_LEFT;
	}
	buffer_fini(&said);
	buffer_fini(&now);
	return rc;
}

static int
show(struct ctl *ctl, const char *node)
{
	struct reply reply = {0};
	int rc = ask_node(ctl, ctl->options.pool, node, 0, &reply);

	if (rc == 0 && reply.status != 200)
		rc = client_refused(ctl, &reply);
	else if (rc == 0 && ctl->is_json)
		client_print(&reply.body);
	else if (rc == 0)
		tell(ctl, reply.json);
	if (rc == 0 && !may(&reply))
		rc = CTL_REFUSED;
	reply_fini(&reply);
	return rc;
}

/* hrwctl removable: 0 where all of them may be switched off. */
int
removable_show(struct ctl *ctl)
{
	char *pool = NULL;
	int rc = follow_judge(&ctl->options);

	if (rc != 0)
		return rc;
	terminal_catch();
	if (ctl->options.waits)
		rc = follow_pool_name(ctl, &pool);
	for (size_t i = 0; i < ctl->argument_count && (rc == CTL_DONE || rc == CTL_REFUSED); i++) {
		int one = ctl->options.waits ? removable_wait(ctl, pool, ctl->argument[i])
					     : show(ctl, ctl->argument[i]);

		rc = one != CTL_DONE ? one : rc;
	}
	if (rc == CTL_LEFT)
		ctl_fail(CTL_LEFT, "left; the same command waits again");
	free(pool);
	return rc;
}
