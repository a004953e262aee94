/*
 * copies.c - GET /copies: what is still to be copied, of the stored keys.
 */
#include <stdlib.h>

#include "daemon/members/copies.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"
#include "daemon/routes/turns.h"

static const char *const forms[] = {
    [CHANGES_NDJSON] = "application/x-ndjson",
    [CHANGES_JSON] = "application/json",
    [CHANGES_CSV] = "text/csv",
    NULL,
};

struct listing {
	struct copies_request ask;
	struct copies *copies;
	enum turn turn; /* until it is read */
};

static void
listing_free(void *state)
{
	struct listing *l = state;

	if (l->copies != NULL)
		copies_close(l->copies);
	turn_give_back(l->turn);
	free(l->ask.to);
	free(l->ask.from);
	free(l);
}

static int
fill(void *state, struct buffer *out)
{
	struct listing *l = state;

	return copies_fill(l->copies, out);
}

static void
open_list(struct request *req)
{
	struct listing *l = req->state;

	l->copies = copies_open(req->app->keyset, &l->ask, &req->fault);
}

static int
opened(struct request *req)
{
	struct listing *l = req->state;

	if (l->copies == NULL)
		return (int)req->fault.error;
	req->state = NULL; /* the stream's from here on */
	req->state_free = NULL;
	return respond_stream(req, 200, forms[l->ask.form], fill, l, listing_free);
}

/* GET /copies */
int
copies_get(struct request *req)
{
	struct listing *l = calloc(1, sizeof(*l));
	const struct pool *pool;
	int64_t limit;
	int rc;

	if (l == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory for the list of copies");
	req->state = l;
	req->state_free = listing_free;
	l->ask.form = (enum changes_form)request_accepts(req, forms);
	rc = common_pool(req, &pool);
	if (rc >= 0)
		rc = request_number(req, "limit", 1, INT32_MAX, 0, HRW_BAD_PARAMETER, &limit);
	if (rc >= 0)
		rc = common_text(req, "to", &l->ask.to);
	if (rc >= 0)
		rc = common_text(req, "from", &l->ask.from);
	if (rc >= 0)
		rc = turn_take(req, TURN_LIST, &l->turn);
	if (rc < 0)
		return rc;
	l->ask.limit = (uint64_t)limit;
	l->ask.after = request_parameter(req, "after");
	common_headers(req, pool);
	request_keep_snapshot(req);
	l->ask.pool = (struct pool *)pool; /* the kept snapshot's */
	return request_background(req, open_list, opened);
}
