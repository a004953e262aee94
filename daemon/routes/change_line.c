/*
 * change_line.c - a change that is made waits for its keys to be counted before it
 * is told, so that one line has it all; but not for long.
 */
#include <stdlib.h>

#include "daemon/base/log.h"
#include "daemon/members/guard.h"
#include "daemon/routes/change_line.h"

enum { WAIT_MS = 10000 };

enum text { POOL, WHAT, REFUSED, FORCED, BY, PEER, REQUEST, TRACE, TEXTS };

struct change_line {
	const char *text[TEXTS]; /* NULL: no such field */
	uint64_t epoch;
	struct report *report; /* while it is waited for */
	bool is_told;	       /* without the keys */
	char room[];	       /* that the texts are in once they are kept */
};

static void
write_line(const struct change_line *line, const struct report *report)
{
	const char *const *text = line->text;
	struct report_count count = {0};
	bool is_counted = report != NULL && report_counted(report, &count);

	const struct log_field fields[] = {
	    log_text("pool", text[POOL]),
	    log_count("epoch", line->epoch),
	    log_text("what", text[WHAT]),
	    log_text("code", text[REFUSED]),
	    log_text("forced", text[FORCED]),
	    log_count_if(is_counted, "keys", count.keys),
	    log_count_if(is_counted, "keys_moved", count.moved),
	    log_count_if(is_counted, "owners_moved", count.owners_moved),
	    log_text("by", text[BY]),
	    log_text("peer", text[PEER]),
	    log_text("request", text[REQUEST]),
	    log_text("trace", text[TRACE]),
	};

	log_fields(LOG_INFO,
	    line->is_told	    ? "keys of a change counted"
	    : text[REFUSED] != NULL ? "change refused"
				    : "pool changed",
	    fields, sizeof(fields) / sizeof(fields[0]));
}

/* The report has ended, or takes too long. */
static void
counted(void *arg)
{
	struct change_line *line = arg;

	if (!report_is_running(line->report)) {
		if (!line->is_told || report_counted(line->report, &(struct report_count){0}))
			write_line(line, line->report);
	} else {
		write_line(line, NULL);
		line->is_told = true;
		if (report_wait(line->report, UINT64_MAX, counted, line) == 0)
			return;
	}
	free(line);
}

/* The line with texts of its own; NULL: no memory. */
static struct change_line *
keep(const struct change_line *line)
{
	struct change_line *kept;
	size_t room = 0;
	char *to;

	for (size_t i = 0; i < TEXTS; i++)
		room += line->text[i] != NULL ? strlen(line->text[i]) + 1 : 0;
	kept = calloc(1, sizeof(*kept) + room);
	if (kept == NULL)
		return NULL;
	*kept = *line;
	to = kept->room;
	for (size_t i = 0; i < TEXTS; i++) {
		if (line->text[i] == NULL)
			continue;
		kept->text[i] = to;
		to = stpcpy(to, line->text[i]) + 1;
	}
	return kept;
}

void
change_line_tell(
    const struct request *req, const char *pool, const struct outcome *out, struct report *report)
{
	const struct pool *version = out->after != NULL ? out->after : out->before;
	struct buffer what = {0}, forced = {0};
	struct change_line *kept,
	    line = {
		.text = {[POOL] = pool,
		    [REFUSED] = out->refusal != 0 ? hrw_error_code(out->refusal) : NULL,
		    [BY] = req->by[0] != '\0' ? req->by : "-",
		    [PEER] = req->peer,
		    [REQUEST] = request_id(req),
		    [TRACE] = request_trace(req)},
		.epoch = version != NULL ? version->epoch : 0,
		.report = report,
	    };

	ops_words(out, &what);
	guard_list(&forced, out->forced);
	line.text[WHAT] = buffer_text(&what);
	line.text[FORCED] = out->forced != 0 ? buffer_text(&forced) : NULL;
	kept = report != NULL ? keep(&line) : NULL;
	if (kept == NULL || report_wait(report, WAIT_MS, counted, kept) < 0) {
		write_line(&line, report);
		free(kept);
	}
	buffer_fini(&what);
	buffer_fini(&forced);
}
