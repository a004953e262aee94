/*
 * honest_clients_test.c - caches, clients and operators that keep to the rules, beside
 * a real pool: nothing that a warm node had is missed, and nothing old is read.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/leftover.h"
#include "daemon/members/guard.h"
#include "tests/dsl/dice.h"
#include "tests/dsl/pools.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

enum { NODES = 7, KEYS = 16, SEQUENCES = 600, STEPS = 30, OPERATIONS = 12, ANY = NODES };

/* The case at hand: what is printed when it fails. */
static uint64_t seed;
static unsigned step;

#define law(claim) ck_assert_msg(claim, "seed %ju, step %u: " #claim, (uintmax_t)seed, step)

/* How often what the laws are about has come to pass. */
static struct {
	unsigned changes, undone, settled, filled, lost, leftovers, from_fallback, reads;
	unsigned clocks, placements;
} seen;

/* A value is the number of its key's update; 0 is none. */
struct world {
	struct dice dice;
	struct pool *pool;
	struct pool *version[STEPS + 1]; /* the pool was, oldest first */
	size_t versions;
	unsigned cache[NODES][KEYS];
	unsigned origin[KEYS];
	unsigned had[KEYS]; /* what every warm node must have */
};

static unsigned
number_of(const struct pool *pool, uint32_t node)
{
	return (unsigned)(pool->present->node[node].name[1] - '0');
}

/* Whom a client asks for a key, in order: the warm ones first. */
struct route {
	unsigned node[2 * HRW_COPIES_MAX];
	size_t warm, count;
	size_t warm_holders;
};

static struct hrw_bytes
key_of(unsigned k)
{
	return hrw_text(text("photo-%u", k));
}

static struct route
route_of(const struct pool *pool, unsigned k)
{
	struct route r = {.count = 0};
	struct hrw_lookup got;

	hrw_settled_lookup(&pool->match, key_of(k), 0, &got);
	for (size_t i = 0; i < got.holders; i++)
		if (got.is_warm[i])
			r.node[r.count++] = number_of(pool, got.holder[i]);
	r.warm_holders = r.count;
	for (size_t i = 0; i < got.fallback_count; i++)
		r.node[r.count++] = number_of(pool, got.fallback[i]);
	r.warm = r.count;
	for (size_t i = 0; i < got.holders; i++)
		if (!got.is_warm[i])
			r.node[r.count++] = number_of(pool, got.holder[i]);
	return r;
}

/* In some pools a membership counts as settled after a time: there a warm node may
 * lack a key, but it has nothing old. */
static bool
is_clocked(void)
{
	return seed % 5 == 0;
}

/* Of all keys: who is warm has what it must have, and nobody who is asked has
 * anything old. */
static void
check(const struct world *w)
{
	for (unsigned k = 0; k < KEYS; k++) {
		struct route r = route_of(w->pool, k);

		for (size_t i = 0; i < r.count; i++) {
			unsigned value = w->cache[r.node[i]][k];

			law(value == 0 || value == w->origin[k]);
			law(is_clocked() || i >= r.warm || value == w->had[k]);
		}
	}
}

/* What is found, or else what the origin has, is added where it is absent: at the
 * cold holders, and at those that were asked. */
static void
fill(struct world *w, const struct route *r, unsigned k, size_t asked_count, unsigned value)
{
	for (size_t i = 0; i < r->count; i++)
		if ((i >= r->warm || i < asked_count) && w->cache[r->node[i]][k] == 0)
			w->cache[r->node[i]][k] = value;
}

static void
client_reads(struct world *w, unsigned k)
{
	struct route r = route_of(w->pool, k);
	size_t at = 0;

	while (at < r.count && w->cache[r.node[at]][k] == 0)
		at++;
	seen.reads++;
	if (at < r.count) {
		law(w->cache[r.node[at]][k] == w->origin[k]); /* nothing old is read */
		seen.from_fallback += at >= r.warm_holders && at < r.warm;
	} else {
		law(is_clocked() || r.warm == 0 || w->had[k] == 0); /* nothing is missed */
	}
	fill(w, &r, k, at, w->origin[k]);
	w->had[k] = w->origin[k];
}

/* A set goes to every holder and the fallback, by the lookup of `pool`. */
static void
store(struct world *w, const struct pool *pool, unsigned k)
{
	struct route r = route_of(pool, k);

	for (size_t i = 0; i < r.count; i++)
		w->cache[r.node[i]][k] = w->origin[k];
	w->had[k] = w->origin[k];
}

static void
client_sets(struct world *w, unsigned k)
{
	w->origin[k]++;
	store(w, w->pool, k);
}

static void
client_deletes(struct world *w, unsigned k)
{
	struct route r = route_of(w->pool, k);

	w->origin[k]++;
	for (size_t i = 0; i < r.count; i++)
		w->cache[r.node[i]][k] = 0;
	w->had[k] = 0;
}

static void
client_acts(struct world *w)
{
	unsigned k = dice_below(&w->dice, KEYS), dice = dice_below(&w->dice, 10);

	if (dice < 6)
		client_reads(w, k);
	else if (dice < 8)
		client_sets(w, k);
	else
		client_deletes(w, k);
}

/* One line of GET /copies: `to` are the cold holders, `from` the warm nodes; where
 * there is none, one of `to` may have it. */
static void
copy_key(struct world *w, unsigned k, unsigned to)
{
	struct route r = route_of(w->pool, k);
	size_t end = r.warm > 0 ? r.warm : r.count, at = 0;

	while (at < end && w->cache[r.node[at]][k] == 0)
		at++;
	for (size_t i = r.warm; at < end && i < r.count; i++)
		if (to == ANY || to == r.node[i])
			w->cache[r.node[i]][k] = w->cache[r.node[at]][k];
}

/* Copies all that is to be copied, while clients go on. False: it stopped midway. */
static bool
copy_all(struct world *w, unsigned to)
{
	unsigned end = dice_percent(&w->dice, 15) ? dice_below(&w->dice, KEYS) : KEYS;

	for (unsigned k = 0; k < end; k++) {
		copy_key(w, k, to);
		if (dice_percent(&w->dice, 20))
			client_acts(w);
	}
	seen.filled += end == KEYS;
	return end == KEYS;
}

/* Old copies are purged before the change, as its report counts them. */
static void
purge(struct world *w, const struct outcome *out)
{
	struct hrw_past past[STEPS + 1];
	struct hrw_plan *plan = hrw_plan_new(
	    out->before->present, out->before->settled, out->after->present, out->after->settled);
	struct hrw_leftovers *leftovers;

	for (unsigned n = 0; n < NODES; n++)
		if (strstr(buffer_text((struct buffer *)&out->emptied), text("n%u", n)) != NULL)
			hrw_plan_empties(plan, hrw_text(text("n%u", n)));
	for (size_t i = 0; i < w->versions; i++) {
		const struct pool *was = w->version[w->versions - 1 - i];

		past[i] = (struct hrw_past){was->present, was->epoch};
	}
	leftovers = hrw_leftovers_new(plan, past, w->versions);
	for (unsigned k = 0; k < KEYS; k++) {
		uint32_t node[HRW_COPIES_MAX];
		struct hrw_change c;
		uint32_t count;

		hrw_plan_key(plan, key_of(k), &c);
		count = hrw_leftovers_of(leftovers, key_of(k), &c, node);
		for (uint32_t i = 0; i < count; i++) {
			unsigned *value = &w->cache[plan->name[node[i]][1] - '0'][k];

			seen.leftovers += *value != 0 && *value != w->origin[k];
			*value = 0;
		}
	}
	hrw_leftovers_free(leftovers);
	hrw_plan_free(plan);
}

/* A client that has not heard of the change yet sets a key by the lookup before it,
 * and sets it once more when it has. A node that was emptied is not up yet. */
static void
client_lags(struct world *w, const struct pool *before, const struct buffer *emptied)
{
	unsigned k = dice_below(&w->dice, KEYS);

	if (emptied->len > 0 || route_of(w->pool, k).warm == 0 || is_clocked())
		return;
	client_reads(w, k);
	w->origin[k]++;
	store(w, before, k);
	client_reads(w, k);
	store(w, w->pool, k);
}

static bool
is_named(const struct buffer *names, unsigned node)
{
	return names->len > 0 &&
	       strstr(buffer_text((struct buffer *)names), text("n%u", node)) != NULL;
}

/* A node is added empty, whatever a client that lagged behind its removal left there. */
static bool
is_new(const struct pool *before, const struct pool *after, unsigned n)
{
	return hrw_membership_find(before->present, text("n%u", n)) == NULL &&
	       hrw_membership_find(after->present, text("n%u", n)) != NULL;
}

/* Makes the change where no guard refuses it. */
static void
change(struct world *w, struct change *c)
{
	const struct tried *t;
	struct pool *before = w->pool;

	c->force = GUARD_NOT_DRAINING;
	t = tried(before, c);
	if (t->rc < 0 || t->out.is_unchanged)
		return;
	purge(w, &t->out);
	for (unsigned n = 0; n < NODES; n++)
		if (is_named(&t->out.removed, n) || is_named(&t->out.emptied, n) ||
		    is_new(before, t->out.after, n))
			memset(w->cache[n], 0, sizeof(w->cache[n]));
	w->version[w->versions++] = before;
	w->pool = t->out.after;
	for (unsigned k = 0; k < KEYS; k++) {
		struct route was = route_of(before, k), is = route_of(w->pool, k);

		/* Only a node that came back empty takes the last copy along. */
		law(was.warm == 0 || is.warm > 0 || t->out.emptied.len > 0);
		seen.lost += was.warm > 0 && is.warm == 0;
		if (was.warm == 0 && is.warm > 0)
			w->had[k] = w->cache[is.node[0]][k];
	}
	seen.changes++;
	seen.placements += before->present->placement != w->pool->present->placement;
	seen.clocks += c->count > 0 && c->task[0].op == TASK_SETTLE_EPOCH;
	seen.settled += pool_is_settled(w->pool) && !pool_is_settled(before);
	check(w);
	client_lags(w, before, &t->out.emptied);
	check(w);
}

static void
add_tasks(struct change *c, const char *json)
{
	struct hrw_fault fault = {0};
	struct json *body = json_parse(hrw_text(quoted(json)), JSON_STRICT, &fault);

	ck_assert_msg(body != NULL && change_read(c, body, true, &hrw_limits_max, &fault) == 0,
	    "%s: %s", json, fault.detail);
	json_free(body);
}

/* In some pools all nodes weigh the same: there every placement can be chosen. */
static unsigned
any_weight_of(struct world *w)
{
	return seed % 3 == 0 ? 1 : 1 + dice_below(&w->dice, 3);
}

static char *
any_zone(struct world *w)
{
	return dice_percent(&w->dice, 30) ? text("null") : text("'z%u'", dice_below(&w->dice, 3));
}

static void
add_newcomer(struct world *w, struct change *c, unsigned n)
{
	add_tasks(c, text("{'add':[{'name':'n%u','weight':%u,'zone':%s%s}]}", n, any_weight_of(w),
			 seed % 2 == 0 ? any_zone(w) : "null",
			 dice_percent(&w->dice, 25) ? ",'state':'active'" : ""));
}

/* A node is called filled only when all copies that it lacks have been made, and
 * where other nodes gain keys when one joins, theirs too. */
static void
add_activation(struct world *w, struct change *c, unsigned n)
{
	const struct hrw_membership *m = w->pool->present;
	const struct hrw_node *node = hrw_membership_find(m, text("n%u", n));
	bool is_minimal = (m->placement->traits & HRW_MINIMAL) != 0;

	if (node->state == HRW_JOINING && !copy_all(w, is_minimal ? n : ANY))
		return;
	seen.undone += node->state == HRW_DRAINING;
	add_tasks(c, text("{'activate':['n%u']}", n));
}

static void
add_for_node(struct world *w, struct change *c, unsigned n)
{
	static const char *const forms[] = {
	    "{'drain':['n%u']}", "{'drain':['n%u']}", "{'rejoin':['n%u']}", "{'remove':['n%u']}"};
	unsigned dice = dice_below(&w->dice, 9);

	if (hrw_membership_find(w->pool->present, text("n%u", n)) == NULL)
		add_newcomer(w, c, n);
	else if (dice < 4)
		add_tasks(c, text_replace(forms[dice], "%u", text("%u", n)));
	else if (dice < 7)
		add_activation(w, c, n);
	else if (dice < 8)
		add_tasks(c, text("{'reweight':{'n%u':%u}}", n,
				 dice_percent(&w->dice, 25) ? 0 : any_weight_of(w)));
	else if (seed % 2 == 0)
		add_tasks(c, text("{'patch':{'n%u':{'zone':%s}}}", n, any_zone(w)));
}

static void
add_for_pool(struct world *w, struct change *c)
{
	static const char *const placements[] = {"rendezvous", "table", "modulo"};

	if (dice_percent(&w->dice, 70))
		add_tasks(c, text("{'copies':%u}", 1 + dice_below(&w->dice, 3)));
	else
		add_tasks(c, text("{'placement':'%s'}", placements[dice_below(&w->dice, 3)]));
}

/* The operator's turn: fills and settles, goes back, or changes up to three nodes. */
static void
operator_acts(struct world *w)
{
	unsigned dice = dice_below(&w->dice, 100), n = dice_below(&w->dice, NODES);
	struct change *c = blank();

	if (is_clocked() && w->pool->clocks.count > 0 && dice < 20) {
		struct task *task = change_add(c, TASK_SETTLE_EPOCH);

		task->epoch = w->pool->clocks.at[0].epoch;
		for (size_t i = 0; i < w->versions; i++)
			if (w->version[i]->epoch == task->epoch)
				task->template = hrw_membership_copy(w->version[i]->present);
		if (w->pool->epoch == task->epoch)
			task->template = hrw_membership_copy(w->pool->present);
		change(w, c);
		return;
	}
	if (dice < 15) {
		if (copy_all(w, ANY))
			change(w, task_on(TASK_SETTLE, NULL));
		return;
	}
	if (dice < 22 && w->versions > 0) {
		struct pool *to = w->version[dice_below(&w->dice, (uint32_t)w->versions)];

		change_add(c, TASK_REVERT)->epoch = to->epoch;
		c->task[0].template = hrw_membership_copy(to->present);
	} else if (dice < 30) {
		add_for_pool(w, c);
	} else {
		for (unsigned i = 1 + dice_below(&w->dice, 3); i > 0; i--)
			add_for_node(w, c, n++ % NODES);
	}
	change(w, c);
}

static void
world_begin(struct world *w)
{
	struct page nodes = {0};

	*w = (struct world){.dice = {seed}};
	for (unsigned n = 0; n < 2 + dice_below(&w->dice, NODES - 2); n++) {
		page_add(&nodes, "%sn%u:%u", n > 0 ? " " : "", n, any_weight_of(w));
		if (seed % 2 == 0 && dice_percent(&w->dice, 80))
			page_add(&nodes, "@z%u", dice_below(&w->dice, 3));
	}
	w->pool = made(1 + dice_below(&w->dice, 3), nodes.data);
	free(nodes.data);
	for (unsigned k = 0; k < KEYS; k++)
		w->origin[k] = 1;
	if (is_clocked()) {
		struct change *c = task_on(TASK_TERMS, NULL);

		c->task[0].terms_set = TERM_SETTLES_AFTER;
		c->task[0].terms.settles_after = 60;
		change(w, c);
	}
}

START_TEST(with_honest_clients_nothing_warm_is_missed_and_nothing_old_is_read)
{
	for (seed = 1; seed <= SEQUENCES; seed++) {
		struct world w;

		world_begin(&w);
		for (step = 1; step <= STEPS; step++) {
			for (int i = 0; i < OPERATIONS; i++)
				client_acts(&w);
			check(&w);
			if (w.versions < STEPS)
				operator_acts(&w);
		}
	}
	ck_assert_uint_gt(seen.changes, SEQUENCES * STEPS / 3);
	ck_assert_uint_gt(seen.settled, SEQUENCES);
	ck_assert_uint_gt(seen.undone, SEQUENCES / 2);
	ck_assert_uint_gt(seen.filled, SEQUENCES);
	ck_assert_uint_gt(seen.lost, SEQUENCES / 10);
	ck_assert_uint_gt(seen.leftovers, SEQUENCES / 10);
	ck_assert_uint_gt(seen.from_fallback, SEQUENCES);
	ck_assert_uint_gt(seen.clocks, SEQUENCES / 10);
	ck_assert_uint_gt(seen.placements, SEQUENCES / 10);
}
END_TEST

SUITE(honest_clients)
{
	tcase_add_test(tests, with_honest_clients_nothing_warm_is_missed_and_nothing_old_is_read);
}
