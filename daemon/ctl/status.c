/*
 * status.c - shows the daemon's state, and which pools are not settled and why.
 */
#include <string.h>

#include "daemon/ctl/command.h"
#include "daemon/ctl/pools.h"

struct status {
	struct json_out o; /* the JSON so far */
	struct table pools;
	struct buffer unsettled; /* "  default: cache-c is draining" a line */
	size_t busy;		 /* pools that are not settled */
};

/* "3 days 04:05:06" */
static void
put_time(FILE *to, uint64_t seconds)
{
	uint64_t days = seconds / 86400;

	if (days > 0)
		fprintf(to, "%llu day%s ", (unsigned long long)days, days == 1 ? "" : "s");
	fprintf(to, "%02u:%02u:%02u", (unsigned)(seconds / 3600 % 24),
	    (unsigned)(seconds / 60 % 60), (unsigned)(seconds % 60));
}

static int
add_pool(struct ctl *ctl, const struct json *pool, void *arg)
{
	struct status *s = arg;
	const char *name = client_text(pool, "/name");
	struct buffer why = {0};
	struct reply whole = {0};
	int rc = 0;

	if (!json_bool(json_get(pool, "settled"))) {
		rc = pools_get(ctl, name, &whole);
		pools_unsettled(whole.json, &why);
		reply_fini(&whole);
		/* It may have been dropped, or settled, meanwhile. */
		s->busy += why.len > 0;
	}
	json_open_object(&s->o, NULL);
	json_each (member, pool)
		json_put_tree(&s->o, json_name(member), member);
	if (why.len > 0)
		json_put_text(&s->o, "unsettled", buffer_text(&why));
	json_close_object(&s->o);
	lookup_pool_row(&s->pools, pool);
	if (why.len > 0)
		buffer_printf(
		    &s->unsettled, "  %s: %s\n", ctl_shown(name), ctl_shown(buffer_text(&why)));
	buffer_fini(&why);
	return rc;
}

static void
show(const struct ctl *ctl, const struct json *j, struct status *s)
{
	const char *path = client_shown(j, "/store/path");

	fprintf(ctl->out, "hrwd %s at %s, up ", client_shown(j, "/version"), ctl->options.admin);
	put_time(ctl->out, client_count(j, "/uptime_seconds"));
	fprintf(ctl->out, "\nstore: %s%s%s%s\n\n", client_shown(j, "/store/kind"),
	    *path != '\0' ? ", " : "", path,
	    json_bool(json_at(j, "/store/is_writable")) ? "" : ", takes no changes");
	if (json_at(j, "/store/failing_since") != NULL)
		fprintf(ctl->out,
		    "the file is not taken since %s, and the last good pools are served: "
		    "the log of hrwd says why\n\n",
		    client_shown(j, "/store/failing_since"));
	table_print(&s->pools, ctl->out, &ctl->terminal);
	if (s->busy > 0)
		fprintf(ctl->out, "\nnot settled:\n%s", buffer_text(&s->unsettled));
}

int
status_show(struct ctl *ctl)
{
	struct buffer text = {0};
	struct status s = {.o = json_out(&text)};
	struct reply reply = {0};
	int rc = client_get(ctl, "/status", "version$ uptime_seconds# store=", &reply);

	if (rc != 0)
		goto out;
	json_open_object(&s.o, NULL);
	json_each (member, reply.json)
		json_put_tree(&s.o, json_name(member), member);
	json_open_array(&s.o, "pools");
	lookup_pool_columns(&s.pools);
	rc = pools_each(ctl, add_pool, &s);
	json_close_array(&s.o);
	json_close_object(&s.o);
	if (rc == 0 && (text.failed || s.unsettled.failed))
		rc = ctl_no_memory();
	if (rc == 0 && ctl->is_json)
		client_print(&text);
	else if (rc == 0)
		show(ctl, reply.json, &s);
	if (rc == 0 && ctl->options.has_exit_code && s.busy > 0)
		rc = CTL_PENDING;
out:
	table_fini(&s.pools);
	buffer_fini(&s.unsettled);
	buffer_fini(&text);
	reply_fini(&reply);
	return rc;
}
