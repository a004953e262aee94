/*
 * change_laws_test.c - what holds after any sequence of changes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/members/build.h"
#include "tests/dsl/dice.h"
#include "tests/dsl/pools.h"
#include "tests/dsl/suite.h"

/* The case at hand: what is printed when it fails. */
static uint64_t seed;

#define law(claim) ck_assert_msg(claim, "seed %ju: " #claim, (uintmax_t)seed)

enum { SEQUENCES = 400, STEPS = 25, NAMES = 8 };

/* A change that may be good or bad: what it is, and on which node, by chance. */
static struct change *
any_change(struct dice *d)
{
	static const char *const forms[] = {"{'drain':['n%u']}", "{'activate':['n%u']}",
	    "{'rejoin':['n%u']}", "{'remove':['n%u']}", "{'add':[{'name':'n%u'}]}",
	    "{'add':[{'name':'n%u','state':'joining','zone':'z'}]}", "{'reweight':{'n%u':%u}}",
	    "{'patch':{'n%u':{'zone':'z%u'}}}", "{'patch':{'n%u':{'address':'new.test:%u'}}}",
	    "{'copies':%u}", "{'placement':'table'}", "{'placement':'rendezvous'}",
	    "{'placement':'modulo'}", "{'drain':['n%u'],'add':[{'name':'x%u','weight':2}]}"};
	const char *form = forms[dice_below(d, sizeof(forms) / sizeof(forms[0]))];
	char text[128];
	struct change *c;

	/* Both numbers serve as node, weight, port or copies. */
	snprintf(text, sizeof(text), "%s", form);
	if (strchr(form, '%') != NULL) {
		unsigned first = 1 + dice_below(d, NAMES), second = 1 + dice_below(d, 3);
		char *at = text;

		for (const char *from = form; *from != '\0'; from++) {
			if (from[0] == '%') {
				at += snprintf(at, 12, "%u", first);
				first = second;
				from++;
			} else {
				*at++ = *from;
			}
		}
		*at = '\0';
	}
	c = asked(text);
	c->settles_now = dice_percent(d, 25);
	c->force = dice_percent(d, 50) ? ~0u : 0;
	if (dice_percent(d, 10))
		change_add(c, TASK_SETTLE);
	return c;
}

/* What is true of every version of every pool. */
static void
check_version(struct pool *pool)
{
	const double *share = pool_shares(pool);
	const struct hrw_membership *present = pool->present, *settled = pool->settled;
	double sum = 0;

	law(present->is_frozen && settled->is_frozen);
	law(pool_is_settled(pool) == hrw_is_settled(present, settled));
	law(!pool_is_settled(pool) || pool->only_joins);
	for (size_t i = 0; i < settled->count; i++) {
		const struct hrw_node *stood = &settled->node[i];
		const struct hrw_node *node = hrw_membership_find(present, stood->name);

		/* A node that is gone, or added anew, counts no copies. */
		law(node != NULL || stood->is_empty);
		law(stood->is_empty || node->id == stood->id);
		law(!stood->is_empty || hrw_node_is_taker(stood));
	}
	for (size_t i = 0; i < present->count; i++)
		sum += share[i];
	law(present->taker_count == 0 ? sum == 0 : sum > 0.999 && sum < 1.001);
}

static void
check_step(const struct pool *before, const struct tried *t, const struct change *c)
{
	const struct pool *after = t->out.after;

	if (t->rc < 0) {
		law(after == NULL);
		law(strlen(t->fault.detail) > 0);
		return;
	}
	if (t->out.is_unchanged) {
		law(after == before);
		return;
	}
	law(after->epoch == before->epoch + 1);
	law(strcmp(after->lineage, before->lineage) == 0);
	law(strcmp(after->etag, before->etag) != 0);
	law((t->out.forced & ~c->force) == 0);
	check_version(t->out.after);
}

static void
check_document(const struct pool *pool)
{
	struct hrw_fault fault;
	char *document = document_store(pool);
	struct pool *again = document_load(pool->name, document, &fault);

	ck_assert_msg(again != NULL, "seed %ju: %s", (uintmax_t)seed, fault.detail);
	law(strcmp(again->etag, pool->etag) == 0);
	law(strcmp(again->fingerprint, pool->fingerprint) == 0);
	law(hrw_membership_equal(again->present, pool->present));
	law(hrw_membership_equal(again->settled, pool->settled));
	pool_release(again);
	free(document);
}

START_TEST(every_version_of_a_pool_is_whole)
{
	size_t applied = 0;

	for (seed = 1; seed <= SEQUENCES; seed++) {
		struct dice d = {seed};
		struct pool *pool = made(1 + dice_below(&d, 2), "n1 n2@z1 n3:2 n4");

		for (int step = 0; step < STEPS; step++) {
			struct change *c = any_change(&d);
			const struct tried *t = tried(pool, c);

			check_step(pool, t, c);
			applied += t->rc == 0 && !t->out.is_unchanged;
			if (t->rc == 0)
				pool = t->out.after;
		}
		check_document(pool);
	}
	ck_assert_uint_gt(applied, SEQUENCES * STEPS / 3);
}
END_TEST

/* Doing it again changes nothing more, but for a rejoin, which says each time that the
 * copies are gone. */
START_TEST(a_change_made_twice_is_made_once)
{
	for (seed = 1; seed <= SEQUENCES; seed++) {
		struct dice d = {seed};
		struct pool *pool = made(2, "n1 n2@z1 n3:2 n4");
		struct change *c = any_change(&d);
		const struct tried *first, *again;

		c->force = ~0u;
		first = tried(pool, c);
		if (first->rc < 0 || build_has(c, TASK_REJOIN))
			continue;
		again = tried(first->out.after, c);
		ck_assert_msg(again->rc == HRW_UNKNOWN_NODE || again->out.is_unchanged,
		    "seed %ju: %s", (uintmax_t)seed, again->fault.detail);
	}
}
END_TEST

/* A dry run tells what the change itself then does. */
START_TEST(a_dry_run_comes_to_what_the_change_does)
{
	for (seed = 1; seed <= SEQUENCES; seed++) {
		struct dice d = {seed};
		struct pool *pool = made(2, "n1 n2@z1 n3:2 n4!draining");
		struct change *c = any_change(&d);
		const struct tried *dry, *wet;

		c->is_dry_run = true;
		dry = tried(pool, c);
		c->is_dry_run = false;
		wet = tried(pool, c);
		law(wet->rc == (dry->rc < 0 ? dry->rc : (int)dry->out.refusal));
		if (wet->rc == 0)
			law(hrw_membership_equal(wet->out.after->present, dry->out.after->present));
	}
}
END_TEST

SUITE(change_laws)
{
	tcase_add_test(tests, every_version_of_a_pool_is_whole);
	tcase_add_test(tests, a_change_made_twice_is_made_once);
	tcase_add_test(tests, a_dry_run_comes_to_what_the_change_does);
}
