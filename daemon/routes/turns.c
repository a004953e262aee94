#include <stdatomic.h>

#include "daemon/app.h"
#include "daemon/routes/turns.h"

static atomic_size_t taken[TURN_COUNT];

int
turn_take(struct request *req, enum turn kind, enum turn *turn)
{
	const struct config *config = req->app->config;
	bool is_upload = kind == TURN_UPLOAD;
	size_t most = is_upload ? config->running_uploads : config->running_lists;

	if (atomic_fetch_add(&taken[kind], 1) < most) {
		*turn = kind;
		return 0;
	}
	turn_give_back(kind);
	return hrw_fault(&req->fault, HRW_BUSY,
	    "%zu %s already (limits.%s): ask again when one has ended", most,
	    is_upload ? "key sets are being changed" : "lists of keys are being sent",
	    is_upload ? "running_uploads" : "running_lists");
}

void
turn_give_back(enum turn turn)
{
	if (turn != TURN_NONE)
		atomic_fetch_sub(&taken[turn], 1);
}
