#include "daemon/members/errand.h"
#include "daemon/members/report_private.h"

static void
unlink_errand(struct errand *e)
{
	struct errand **at = &e->reports->errand;

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
}

static void
run(uv_work_t *work)
{
	struct errand *e = work->data;

	e->run(e);
}

static void
ended(uv_work_t *work, int status)
{
	struct errand *e = work->data;
	struct reports *reports = e->reports;

	(void)status; /* never cancelled: it looks at is_stopping */
	reports->running--;
	reports->threads--;
	unlink_errand(e);
	e->done(e);
	reports_next(reports);
}

void
errands_next(struct reports *reports)
{
	for (struct errand *e = reports->errand; e != NULL; e = e->next) {
		if (e->is_started)
			continue;
		if (!reports_has_room(reports, 1))
			return;
		e->is_started = true;
		reports->waiting--;
		reports->running++;
		reports->threads++;
		uv_queue_work(reports->loop, &e->work, run, ended);
	}
}

int
errand_start(struct reports *reports, struct errand *e, struct hrw_fault *fault)
{
	struct errand **at = &reports->errand;

	if (reports->waiting >= reports->config->running_plans)
		return hrw_fault(fault, HRW_BUSY,
		    "%zu reports run and %zu wait (limits.running_plans is %zu): ask again later",
		    reports->running, reports->waiting, reports->config->running_plans);
	while (*at != NULL)
		at = &(*at)->next;
	*at = e;
	e->reports = reports;
	e->next = NULL;
	e->work.data = e;
	e->is_started = false;
	reports->waiting++;
	reports_next(reports);
	return 0;
}

void
errand_stop(struct errand *e)
{
	atomic_store(&e->is_stopping, true);
	if (e->is_started)
		return;
	e->reports->waiting--;
	unlink_errand(e);
	e->done(e);
}
