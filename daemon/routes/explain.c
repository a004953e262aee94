/*
 * explain.c - every node's place for a key.
 */
#include <assert.h>
#include <stdlib.h>

#include "daemon/routes/handlers.h"
#include "daemon/routes/key.h"

/* One node in an explanation. */
struct place {
	uint32_t node, rank; /* rank 0: takes no key */
	int holder;	     /* -1: holds no copy, else 0 is the owner */
};

static int
place_cmp(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if ((x->rank == 0) != (y->rank == 0))
		return x->rank == 0 ? 1 : -1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->node < y->node ? -1 : 1; /* nodes stand by name */
}

/* last: the rank of the holder that ranks worst. */
static void
put_why(struct json_out *o, const struct hrw_node *node, const struct place *place, uint32_t last)
{
	char why[64 + HRW_ZONE_BYTES_MAX];

	if (place->holder == 0)
		snprintf(why, sizeof(why), "owner");
	else if (place->holder > 0)
		snprintf(why, sizeof(why), "replica %d", place->holder + 1);
	else if (node->state == HRW_DRAINING)
		snprintf(why, sizeof(why), "draining");
	else if (node->weight <= 0)
		snprintf(why, sizeof(why), "weight 0");
	else if (place->rank != 0 && place->rank < last && node->zone != NULL)
		snprintf(
		    why, sizeof(why), "passed over: its zone %s already holds a copy", node->zone);
	else
		snprintf(why, sizeof(why), "ranked below the copies");
	json_put_text(o, "why", why);
}

static void
put_score(struct json_out *o, const struct hrw_score *score)
{
	char hex[24];

	if (!score->has_raw) {
		json_put_null(o, "raw");
	} else if (score->is_wide) {
		snprintf(hex, sizeof(hex), "%016llx", (unsigned long long)score->raw);
		json_put_text(o, "raw", hex);
	} else {
		json_put_count(o, "raw", score->raw);
	}
	if (score->has_score)
		json_put_number(o, "score", score->score);
	else
		json_put_null(o, "score");
}

static void
put_place(struct json_out *o, const struct hrw_node *node, const struct place *place,
    const struct hrw_score *score, uint32_t last)
{
	json_open_object(o, NULL);
	json_put_text(o, "node", node->name);
	if (place->rank != 0)
		json_put_count(o, "rank", place->rank);
	else
		json_put_null(o, "rank");
	put_score(o, score);
	json_put_number(o, "weight", node->weight);
	json_put_text(o, "state", hrw_state_name(node->state));
	json_put_text(o, "zone", node->zone);
	json_put_bool(o, "chosen", place->holder >= 0);
	put_why(o, node, place, last);
	json_close_object(o);
}

/* Every node's place for a key, best first; returns the worst rank of a holder. */
static uint32_t
rank_all(const struct hrw_membership *m, const struct hrw_lookup *look,
    const struct hrw_score *score, struct place *place)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < m->count; i++)
		place[i] = (struct place){i, score[i].rank, -1};
	for (size_t i = 0; i < look->count; i++) {
		struct place *holder = &place[look->holder[i]];

		holder->holder = (int)i;
		if (holder->rank > last)
			last = holder->rank;
	}
	qsort(place, m->count, sizeof(*place), place_cmp);
	return last;
}

/* An explanation that is being made; the key is the request's. */
struct explanation {
	struct hrw_bytes key;
	const struct pool *pool;
	struct hrw_lookup look;
	struct buffer body;
	int rc;
};

static void
explanation_free(void *state)
{
	struct explanation *e = state;

	buffer_fini(&e->body);
	free(e);
}

static void
put_explanation(
    struct explanation *e, const struct hrw_score *score, const struct place *place, uint32_t last)
{
	const struct hrw_membership *m = e->pool->present;
	struct json_out o = json_out(&e->body);

	json_open_object(&o, NULL);
	json_put_key(&o, e->key);
	json_put_text(&o, "pool", e->pool->name);
	json_put_count(&o, "copies", m->copies);
	json_put_count(&o, "epoch", e->pool->epoch);
	json_open_array(&o, "nodes");
	for (size_t i = 0; i < m->count; i++)
		put_place(&o, &m->node[place[i].node], &place[i], &score[place[i].node], last);
	json_close_array(&o);
	json_close_object(&o);
}

static void
explain(struct request *req)
{
	struct explanation *e = req->state;
	const struct hrw_membership *m = e->pool->present;
	struct hrw_score *score = calloc(m->count + 1, sizeof(*score));
	struct place *place = calloc(m->count + 1, sizeof(*place));

	if (score == NULL || place == NULL) {
		e->rc = hrw_fault(&req->fault, HRW_INTERNAL, "no memory for %zu nodes", m->count);
	} else {
		hrw_explain(m, e->key, score);
		put_explanation(e, score, place, rank_all(m, &e->look, score, place));
	}
	free(score);
	free(place);
}

static int
explained(struct request *req)
{
	struct explanation *e = req->state;

	if (e->rc < 0)
		return e->rc;
	respond_text(req, "Cache-Control", "no-cache");
	return respond_json(req, 200, &e->body);
}

/* GET /explain */
int
key_explain(struct request *req)
{
	struct explanation *e = calloc(1, sizeof(*e));
	int rc;

	if (e == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory");
	req->state = e;
	req->state_free = explanation_free;
	rc = key_look_up(req, 0, &e->key, &e->pool, &e->look);
	if (rc == HRW_NO_SERVERS)
		e->look.count = e->look.holders = 0; /* an explanation all the more */
	else if (rc < 0)
		return rc;
	assert(e->pool != NULL);
	return common_make(req, e->pool->present->count, explain, explained);
}
