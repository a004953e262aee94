/*
 * watch.c - the pool as a stream of events, told in words as it comes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/ctl/away.h"
#include "daemon/ctl/command.h"
#include "daemon/ctl/follow.h"
#include "daemon/ctl/url.h"

struct watch {
	struct ctl *ctl;
	struct buffer text; /* that came and is not taken apart yet */
	struct json *now;   /* the pool as last told; NULL: not yet */
	char id[64];	    /* of the last event */
	uint64_t seen;	    /* changes */
	bool has_ended;	    /* as many as were wanted, or the pool is dropped */
	struct away away;
	int status;
};

/* Members of a pool or node that are not news: they follow from others. */
static bool
is_news(const char *name)
{
	static const char *const quiet[] = {"epoch", "fingerprint", "lineage", "nodes", "settled",
	    "state_since", "keys", "share", "health", "epoch_before", "change", NULL};

	for (size_t i = 0; quiet[i] != NULL; i++)
		if (strcmp(quiet[i], name) == 0)
			return false;
	return true;
}

static void
print_source(FILE *to, const struct json *j)
{
	struct hrw_bytes source = j != NULL ? json_source(j) : hrw_text("none");
	char *text = strndup((const char *)source.data, source.len);

	fputs(ctl_shown(text != NULL ? text : ""), to);
	free(text);
}

static bool
is_equal(const struct json *a, const struct json *b)
{
	return a != NULL && b != NULL && hrw_bytes_equal(json_source(a), json_source(b));
}

/* "  cache-c: state "active" to "draining"" for each member that differs. */
static void
print_differences(FILE *to, const char *what, const struct json *was, const struct json *is)
{
	json_each (member, is) {
		const char *name = json_name(member);
		const struct json *before = json_get(was, name);

		if (!is_news(name) || is_equal(member, before))
			continue;
		fprintf(to, "  %s: %s ", ctl_shown(what), ctl_shown(name));
		print_source(to, before);
		fputs(" to ", to);
		print_source(to, member);
		fputc('\n', to);
	}
}

static void
print_change(const struct ctl *ctl, const struct json *was, const struct json *is)
{
	bool was_settled = json_bool(json_get(was, "settled")),
	     is_settled = json_bool(json_get(is, "settled"));
	char at[32];
	time_t now = time(NULL);
	struct tm tm;

	strftime(at, sizeof(at), "%H:%M:%S", localtime_r(&now, &tm));
	fprintf(ctl->out, "%s epoch %llu%s\n", at, (unsigned long long)client_count(is, "/epoch"),
	    is_settled == was_settled ? ""
	    : is_settled	      ? ", settled"
				      : ", not settled");
	print_differences(ctl->out, "pool", was, is);
	json_each (node, json_get(is, "nodes")) {
		const char *name = client_text(node, "/name");
		const struct json *before = follow_node(was, name);

		if (before == NULL)
			fprintf(ctl->out, "  %s: added, %s, at %s\n", ctl_shown(name),
			    client_shown(node, "/state"), client_shown(node, "/address"));
		else
			print_differences(ctl->out, name, before, node);
	}
	json_each (node, json_get(was, "nodes"))
		if (follow_node(is, client_text(node, "/name")) == NULL)
			fprintf(ctl->out, "  %s: removed\n", client_shown(node, "/name"));
}

static void
print_first(const struct ctl *ctl, const struct json *pool)
{
	fprintf(ctl->out, "pool %s, epoch %llu, %zu nodes\n", client_shown(pool, "/name"),
	    (unsigned long long)client_count(pool, "/epoch"), json_count(json_get(pool, "nodes")));
}

static void
take_pool(struct watch *w, struct hrw_bytes data)
{
	struct json *pool = json_parse(data, JSON_STORED, NULL);

	if (!client_has_shape(pool, CLIENT_POOL)) {
		json_free(pool);
		w->has_ended = true;
		w->status = client_stranger(w->ctl);
		return;
	}
	if (w->ctl->is_json)
		client_print(&(struct buffer){.data = (char *)data.data, .len = data.len});
	else if (w->now == NULL)
		print_first(w->ctl, pool);
	else
		print_change(w->ctl, w->now, pool);
	/* Nobody reads on: there is nothing left to watch for. */
	if (fflush(stdout) != 0) {
		w->ctl->output_error = errno;
		w->has_ended = true;
	}
	w->seen += w->now != NULL;
	json_free(w->now);
	w->now = pool;
}

/* The value of a field, where the line is one of that name. */
static bool
is_field(struct hrw_bytes line, const char *name, struct hrw_bytes *value)
{
	size_t len = strlen(name);

	if (line.len < len + 2 || memcmp(line.data, name, len) != 0 ||
	    memcmp(line.data + len, ": ", 2) != 0)
		return false;
	*value = hrw_bytes(line.data + len + 2, line.len - len - 2);
	return true;
}

/* An event: its lines, without the empty one behind them. */
static void
take_event(struct watch *w, struct hrw_bytes event)
{
	struct hrw_bytes data = {0}, type = {0}, id;

	/* It sends something: what comes first is the time that clients are to wait. */
	away_there(&w->away);
	while (event.len > 0) {
		const uint8_t *end = memchr(event.data, '\n', event.len);
		size_t len = end != NULL ? (size_t)(end - event.data) : event.len;
		struct hrw_bytes line = hrw_bytes(event.data, len);

		if (is_field(line, "id", &id))
			snprintf(w->id, sizeof(w->id), "%.*s", (int)id.len, (const char *)id.data);
		else if (!is_field(line, "event", &type))
			is_field(line, "data", &data);
		len += end != NULL;
		event = hrw_bytes(event.data + len, event.len - len);
	}
	if (hrw_bytes_equal(type, hrw_text("dropped"))) {
		w->has_ended = true;
		w->status = ctl_fail(CTL_REFUSED, "the pool was dropped");
	} else if (data.len > 0) {
		take_pool(w, data);
	}
}

static bool
take_piece(void *arg, struct hrw_bytes piece)
{
	struct watch *w = arg;
	const uint64_t count = w->ctl->options.count;
	size_t begin = 0;

	buffer_add(&w->text, piece.data, piece.len);
	if (w->text.failed)
		return false;
	for (size_t i = 1; i < w->text.len && !w->has_ended; i++) {
		if (w->text.data[i - 1] != '\n' || w->text.data[i] != '\n')
			continue;
		take_event(w, hrw_bytes(w->text.data + begin, i - begin));
		begin = i + 1;
		w->has_ended = w->has_ended || (count != 0 && w->seen >= count);
	}
	memmove(w->text.data, w->text.data + begin, w->text.len - begin);
	w->text.len -= begin;
	return !w->has_ended;
}

int
follow_pool(struct ctl *ctl)
{
	struct watch w = {.ctl = ctl, .away = away_new(ctl)};
	struct buffer path = {0};
	struct ask ask = {.method = "GET",
	    .accept = "text/event-stream",
	    .is_stream = true,
	    .is_patient = true,
	    .write = take_piece,
	    .arg = &w};
	struct reply reply = {0};
	int rc = 0;

	buffer_add_text(&path, "/watch");
	if (ctl->options.pool != NULL)
		url_parameter(&path, "pool", hrw_text(ctl->options.pool));
	ask.path = buffer_text(&path);
	terminal_catch();
	while (rc == 0 && !w.has_ended) {
		ask.last_event_id = w.id[0] != '\0' ? w.id : NULL;
		rc = client_ask(ctl, &ask, &reply);
		if (rc == CTL_UNREACHABLE)
			rc = away_note(&w.away, reply.why);
		else if (rc == 0 && reply.status != 200 && !client_has_code(&reply, "busy"))
			rc = client_refused(ctl, &reply);
		reply_fini(&reply);
		buffer_clear(&w.text);
		if (rc == 0 && !w.has_ended)
			away_pause(&w.away);
		if (rc == 0 && terminal_is_left())
			rc = CTL_LEFT;
	}
	json_free(w.now);
	buffer_fini(&w.text);
	buffer_fini(&path);
	return w.has_ended ? w.status : rc;
}
