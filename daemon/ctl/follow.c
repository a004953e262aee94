/*
 * follow.c - the end of a drain.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/ctl/away.h"
#include "daemon/ctl/command.h"
#include "daemon/ctl/copies.h"
#include "daemon/ctl/follow.h"
#include "daemon/ctl/removable.h"
#include "daemon/ctl/url.h"

enum { WAIT_SECONDS = 30 };

/* One pool, looked at. */
struct follow {
	struct ctl *ctl;
	char *name;
	struct buffer path;
	struct reply now; /* the pool as last seen */
	struct away away;
};

int
follow_pool_name(struct ctl *ctl, char **out)
{
	struct reply reply = {0};
	const char *name = ctl->options.pool != NULL ? ctl->options.pool : "default";
	int rc = 0;

	if (ctl->options.pool == NULL) {
		/* Only an answer from the default pool says what it is called. */
		const struct ask ask = {
		    .method = "GET", .path = "/nodes?limit=1", .shape = "pool$"};

		rc = client_ask(ctl, &ask, &reply);
		if (rc == 0 && reply.status == 200)
			name = client_text(reply.json, "/pool");
		else if (rc == 0 && !client_has_code(&reply, "unknown-pool"))
			rc = client_refused(ctl, &reply);
	}
	if (rc == 0) {
		*out = strdup(name);
		rc = *out != NULL ? 0 : ctl_no_memory();
	}
	reply_fini(&reply);
	return rc;
}

int
follow_judge(const struct options *options)
{
	return options->deadline == 0 || options->waits
		   ? 0
		   : ctl_fail(CTL_USAGE, "--deadline says how long --wait waits: give both");
}

static int
follow_init(struct follow *f, struct ctl *ctl)
{
	int rc;

	*f = (struct follow){.ctl = ctl, .away = away_new(ctl)};
	rc = follow_pool_name(ctl, &f->name);
	if (rc != 0)
		return rc;
	buffer_add_text(&f->path, "/pools");
	url_segment(&f->path, f->name);
	rc = f->path.failed ? ctl_no_memory()
			    : client_get(ctl, buffer_text(&f->path), CLIENT_POOL, &f->now);
	if (rc == 0)
		away_there(&f->away);
	terminal_catch();
	return rc;
}

static void
follow_fini(struct follow *f)
{
	free(f->name);
	buffer_fini(&f->path);
	reply_fini(&f->now);
}

/* Asks once. With `wait` it is answered when the pool is another than it was, or so many
 * seconds are over. */
static int
ask_again(struct follow *f, unsigned wait, struct reply *next)
{
	struct ask ask = {.method = "GET",
	    .shape = CLIENT_POOL,
	    .if_none_match = f->now.etag,
	    .wait_seconds = wait,
	    .is_patient = true};
	struct buffer url = {0};
	int rc;

	buffer_add(&url, f->path.data, f->path.len);
	if (wait > 0)
		url_number(&url, "wait", wait);
	ask.path = buffer_text(&url);
	rc = url.failed ? ctl_no_memory() : client_ask(f->ctl, &ask, next);
	buffer_fini(&url);
	return rc;
}

/* Waits until the pool is another than it was.
 *   next     receives it
 *   returns  0; CTL_LEFT; CTL_REFUSED, --deadline being over; what client_refused()
 *            returns */
static int
next_version(struct follow *f, struct reply *next)
{
	for (;;) {
		time_t begun = time(NULL);
		unsigned wait = ctl_patience(f->ctl, WAIT_SECONDS);
		int rc;

		if (wait == 0)
			return ctl_late(f->ctl);
		/* That it is back is to be heard at once. */
		rc = ask_again(f, f->away.is_away ? 0 : wait, next);
		if (rc == CTL_UNREACHABLE)
			rc = away_note(&f->away, next->why);
		else if (rc == 0 && next->status == 204) /* so a daemon that stops lets go */
			rc = away_note(&f->away, "it stops");
		else if (rc == 0)
			away_there(&f->away);
		if (rc != 0 || (next->status == 200 && next->json != NULL))
			return rc;
		if (f->away.is_away) {
			reply_fini(next);
			away_pause(&f->away);
			if (terminal_is_left())
				return CTL_LEFT;
			continue;
		}
		if (next->status != 304 && !client_has_code(next, "busy"))
			return client_refused(f->ctl, next);
		reply_fini(next);
		/* It would not have us wait. Ctrl-C ends the sleep early. */
		if (time(NULL) - begun < 2)
			sleep(1);
		if (terminal_is_left())
			return CTL_LEFT;
	}
}

const struct json *
follow_node(const struct json *pool, const char *name)
{
	json_each (node, json_get(pool, "nodes"))
		if (strcmp(client_text(node, "/name"), name) == 0)
			return node;
	return NULL;
}

/* Has the drain of a node come to an end? Says which. 1: yes, and well; 2: but for
 * the last check; -1: it was called off. */
static int
drain_end(const struct ctl *ctl, const struct json *pool, const char *name)
{
	const struct json *node = follow_node(pool, name);
	const char *why;
	int end = 0;

	if (node == NULL) {
		why = "is removed";
		end = 1;
	} else if (strcmp(client_text(node, "/state"), "draining") != 0) {
		why = "drains no more: it was taken back";
		end = -1;
	} else if (json_bool(json_get(pool, "settled"))) {
		return 2; /* all copies are in place: the last check is whether it is asked */
	}
	if (end != 0)
		fprintf(ctl->out, "%s %s\n", name, why);
	return end;
}

/* What is left to be copied, whenever the pool is another. */
static int
tell_copies(struct ctl *ctl, const struct json *pool)
{
	struct copies_count count;
	int rc;

	if (json_bool(json_get(pool, "settled")))
		return 0;
	rc = copies_count(ctl, NULL, NULL, 0, &count);
	if (rc == 0 && count.keys > 0)
		copies_tell(ctl, &count);
	/* What is not known is no reason to stop waiting. */
	return rc == CTL_LEFT ? rc : 0;
}

int
follow_drain(struct ctl *ctl)
{
	struct follow f;
	struct reply next = {0};
	bool *has_ended = calloc(ctl->argument_count, sizeof(*has_ended));
	size_t left = ctl->argument_count;
	int rc = follow_init(&f, ctl), status = CTL_DONE;

	if (has_ended == NULL)
		rc = rc != 0 ? rc : ctl_no_memory();
	if (rc == 0) {
		fputs("waiting until the copies are made, the pool is settled (hrwctl settle), "
		      "and nobody asks for the nodes\n",
		    ctl->out);
		fflush(ctl->out);
	}
	while (rc == 0) {
		for (size_t i = 0; i < ctl->argument_count; i++) {
			int end = has_ended[i] ? 0 : drain_end(ctl, f.now.json, ctl->argument[i]);

			if (end == 2)
				rc = removable_wait(ctl, f.name, ctl->argument[i]);
			if (rc != 0)
				break;
			has_ended[i] = has_ended[i] || end != 0;
			left -= end != 0;
			if (end < 0)
				status = CTL_REFUSED;
		}
		if (left == 0 || rc != 0)
			break;
		rc = tell_copies(ctl, f.now.json);
		fflush(ctl->out);
		if (rc == 0)
			rc = next_version(&f, &next);
		if (rc == 0) {
			reply_fini(&f.now);
			f.now = next;
			next = (struct reply){0};
		}
	}
	if (rc == CTL_LEFT)
		ctl_fail(CTL_LEFT, "left; the drain goes on: the same command waits again");
	reply_fini(&next);
	follow_fini(&f);
	free(has_ended);
	return rc != 0 ? rc : status;
}
