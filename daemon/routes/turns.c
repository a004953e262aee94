#include <stdatomic.h>

#include "daemon/app.h"
#include "daemon/routes/turns.h"

static const struct {
	const char *what, *limit;
} kinds[TURN_COUNT] = {
    [TURN_UPLOAD] = {"key sets are being changed", "running_uploads"},
    [TURN_LIST] = {"lists of keys are being sent", "running_lists"},
    [TURN_BACKUP] = {"backup is being made or sent", NULL},
    [TURN_TRACE] = {"traces are being read or replayed", "running_plans, and as many wait"},
};

static atomic_size_t taken[TURN_COUNT];

static size_t
most_of(const struct config *config, enum turn kind)
{
	switch (kind) {
	case TURN_NONE:
	case TURN_COUNT:
		break;
	case TURN_UPLOAD:
		return config->running_uploads;
	case TURN_LIST:
		return config->running_lists;
	case TURN_BACKUP:
		return 1;
	case TURN_TRACE:
		return 2 * config->members.running_plans;
	}
	return 0;
}

int
turn_take(struct request *req, enum turn kind, enum turn *turn)
{
	size_t most = most_of(req->app->config, kind);

	if (atomic_fetch_add(&taken[kind], 1) < most) {
		*turn = kind;
		return 0;
	}
	turn_give_back(kind);
	return hrw_fault(&req->fault, HRW_BUSY,
	    "%zu %s already%s%s%s: ask again when one has ended", most, kinds[kind].what,
	    kinds[kind].limit != NULL ? " (limits." : "",
	    kinds[kind].limit != NULL ? kinds[kind].limit : "",
	    kinds[kind].limit != NULL ? ")" : "");
}

void
turn_give_back(enum turn turn)
{
	if (turn != TURN_NONE)
		atomic_fetch_sub(&taken[turn], 1);
}
