/*
 * copies.c - GET /copies: what is still to be copied, of the stored keys.
 */
#include <stdlib.h>

#include "daemon/members/copies.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"
#include "daemon/routes/turns.h"

static const char *const forms[] = {
    [LISTING_NDJSON] = "application/x-ndjson",
    [LISTING_JSON] = "application/json",
    [LISTING_CSV] = "text/csv",
    NULL,
};

struct copies_list {
	struct copies_request ask;
	struct copies *copies;
	enum turn turn; /* until it is read */
};

static void
list_free(void *state)
{
	struct copies_list *l = state;

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
	struct copies_list *l = state;

	return copies_fill(l->copies, out);
}

static void
open_list(struct request *req)
{
	struct copies_list *l = req->state;

	l->copies = copies_open(req->app->keyset, &l->ask, &req->fault);
}

static int
opened(struct request *req)
{
	struct copies_list *l = req->state;

	if (l->copies == NULL)
		return (int)req->fault.error;
	req->state = NULL; /* the stream's from here on */
	req->state_free = NULL;
	return respond_stream(req, 200, forms[l->ask.form], fill, l, list_free);
}

/* GET /copies */
int
copies_get(struct request *req)
{
	struct copies_list *l = calloc(1, sizeof(*l));
	const struct pool *pool;
	int rc;

	if (l == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory for the list of copies");
	req->state = l;
	req->state_free = list_free;
	l->ask.form = (enum listing_form)request_accepts(req, forms);
	rc = common_pool(req, &pool);
	if (rc >= 0)
		rc = common_page(req, &l->ask.limit, &l->ask.after);
	if (rc >= 0)
		rc = common_text(req, "to", &l->ask.to);
	if (rc >= 0)
		rc = common_text(req, "from", &l->ask.from);
	if (rc >= 0)
		rc = turn_take(req, TURN_LIST, &l->turn);
	if (rc < 0)
		return rc;
	common_headers(req, pool);
	request_keep_snapshot(req);
	l->ask.pool = (struct pool *)pool; /* the kept snapshot's */
	return request_background(req, open_list, opened);
}
