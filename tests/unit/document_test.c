/*
 * document_test.c - what is written of a pool is read back as the same pool.
 */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/members/fingerprint.h"
#include "daemon/members/snapshot.h"
#include "tests/dsl/nodes.h"
#include "tests/dsl/pools.h"
#include "tests/dsl/suite.h"

static void
check_same(const struct pool *a, const struct pool *b)
{
	ck_assert_str_eq(a->name, b->name);
	ck_assert_str_eq(a->etag, b->etag);
	ck_assert_str_eq(a->fingerprint, b->fingerprint);
	ck_assert(document_terms_differing(&a->terms, &b->terms) == 0);
	ck_assert(hrw_membership_equal(a->present, b->present));
	ck_assert(hrw_membership_equal(a->settled, b->settled));
	ck_assert_int_eq(pool_is_settled(a), pool_is_settled(b));
	for (size_t i = 0; i < a->present->count; i++)
		ck_assert_int_eq((long long)a->present->node[i].since_ms,
		    (long long)b->present->node[i].since_ms);
}

static struct pool *
loaded(const char *document)
{
	struct hrw_fault fault = {0};
	struct pool *pool = document_load("default", document, &fault);

	ck_assert_msg(pool != NULL, "%s", fault.detail);
	return pool;
}

static void
check_round_trip(const struct pool *pool)
{
	char *document = document_store(pool);
	struct pool *again = loaded(document);

	ck_assert_ptr_null(strchr(document, '\n'));
	check_same(pool, again);
	pool_release(again);
	free(document);
}

START_TEST(a_stored_pool_comes_back_the_same)
{
	struct pool *p = made(2, "a:0.1@r1 b:1e-6@r2 c:0 d:123456789.123");
	struct change *c = task_on(TASK_TERMS, NULL);

	check_round_trip(p);
	p = forced(
	    p, "{'drain':['a'],'add':[{'name':'e','state':'joining','hash_name':'\\u00e9 E'}]}");
	check_round_trip(p);
	c->task[0].terms_set = TERM_MAX_MOVED;
	c->task[0].terms.max_moved = 0.25;
	check_round_trip(after_change(p, c));
	check_round_trip(made(1, ""));
}
END_TEST

START_TEST(the_fields_of_every_placement_come_back_the_same)
{
	static const char *const bodies[] = {
	    "{'placement':{'name':'ring','vnodes':7}}",
	    ("{'placement':{'name':'redis-cluster'},"
	     "'patch':{'a':{'slots':[[0,5460],[6000,6000]]},'b':{'slots':[[5461,5999],[6001,16383]]"
	     "}"
	     "}}"),
	    "{'placement':{'name':'cassandra-murmur3'},"
	    "'patch':{'a':{'tokens':['-9223372036854775808','5']},'b':{'tokens':['0']}}}",
	    "{'placement':{'name':'squid-carp','carp_key':['scheme','host']}}",
	};

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		check_round_trip(after(made(1, "a b"), bodies[i]));
}
END_TEST

START_TEST(members_of_newer_versions_are_kept)
{
	static const char text[] =
	    "{'format':2,'min_reader':1,'epoch':3,'lineage':'0123456789abcdef','copies':1,"
	    "'placement':'rendezvous','nodes':[{'name':'a','address':'a:1','mood':'good'}],"
	    "'colour':{'of':['red',1.50]},'settled':true,'tune':7}";
	struct pool *p = loaded(quoted(text));
	char *document = document_store(p);

	ck_assert_ptr_nonnull(strstr(document, quoted(",'colour':{'of':['red',1.50]},'tune':7}")));
	ck_assert_uint_eq(p->epoch, 3);
	check_round_trip(p);
	free(document);
	pool_release(p);
}
END_TEST

START_TEST(a_document_that_cannot_be_read_is_refused)
{
	static const char *const texts[] = {
	    "",
	    "{",
	    "[]",
	    "{'format':1,'min_reader':1}",
	    "{'format':3,'min_reader':3,'epoch':3,'lineage':'0123456789abcdef'}",
	    "{'format':1,'min_reader':1,'epoch':0,'lineage':'0123456789abcdef'}",
	    "{'format':1,'min_reader':1,'epoch':1,'lineage':'0'}",
	    "{'format':1,'min_reader':1,'epoch':1,'lineage':'0123456789abcdef',"
	    "'placement':'newest'}",
	    "{'format':1,'min_reader':1,'epoch':1,'lineage':'0123456789abcdef',"
	    "'nodes':[{'name':'a'},{'name':'a'}]}",
	};
	struct hrw_fault fault;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ck_assert_msg(
		    document_load("default", quoted(texts[i]), &fault) == NULL, "%s", texts[i]);
		ck_assert_int_eq(fault.error, HRW_STORE_FAILED);
		ck_assert_ptr_nonnull(strstr(fault.detail, "default"));
	}
}
END_TEST

START_TEST(what_is_known_of_the_copies_is_stored_and_read)
{
	struct pool *p = after(after(made(2, "a b c"), "{'drain':['b']}"), "{'remove':['b']}");
	char *document = document_store(p);
	struct hrw_fault fault;
	struct pool *back = document_load("default", document, &fault);

	ck_assert_ptr_nonnull(strstr(document, "\"min_reader\":2"));
	ck_assert_ptr_nonnull(back);
	ck_assert(hrw_membership_find(back->settled, "b")->is_empty);
	check_round_trip(p);
	pool_release(back);
	free(document);

	p = after(made(2, "a b"), "{'add':[{'name':'c'}]}");
	p->clocks.count = 1;
	p->clocks.at[0] = (struct pool_clock){2, 1700000000123};
	document = document_store(p);
	ck_assert_ptr_nonnull(strstr(document, "\"min_reader\":1"));
	back = document_load("default", document, &fault);
	ck_assert(back->only_joins);
	ck_assert_uint_eq(back->clocks.count, 1);
	ck_assert_uint_eq(back->clocks.at[0].epoch, 2);
	ck_assert(back->clocks.at[0].at_ms == 1700000000123);
	ck_assert_uint_eq(hrw_membership_find(back->present, "c")->joined, 2);
	ck_assert(back->made_ms == p->made_ms);
	pool_release(back);
	free(document);
}
END_TEST

/* Their settled memberships mean what they meant; of an unsettled one it is not known
 * that nodes did nothing but join. */
START_TEST(a_document_of_format_1_means_what_it_meant)
{
	const char *text = quoted(
	    "{'format':1,'min_reader':1,'placement':{'name':'rendezvous'},'copies':1,'nodes':["
	    "{'name':'a','id':1},{'name':'b','id':2,'state':'joining'},{'name':'c','id':3,'state':"
	    "'draining'}],'max_moved':null,'epoch':4,'lineage':'0123456789abcdef','fingerprint':"
	    "'00','settled':{'placement':{'name':'rendezvous'},'copies':1,'nodes':[{'name':'a',"
	    "'id':1},{'name':'c','id':3}]}}");
	struct hrw_fault fault;
	struct pool *p = document_load("default", text, &fault);

	ck_assert_msg(p != NULL, "%s", fault.detail);
	ck_assert(!pool_is_settled(p) && !p->only_joins);
	ck_assert(hrw_settled_counts(p->settled, "a") && hrw_settled_counts(p->settled, "c"));
	ck_assert(!hrw_settled_counts(p->settled, "b"));
	ck_assert_uint_eq(p->terms.settles_after + p->terms.max_ttl, 0);
	pool_release(p);
}
END_TEST

/* The longest there may be: 16,384 nodes, twice. */
START_TEST(a_large_pool_comes_back_too)
{
	struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 2), *settled;
	struct hrw_node *node = calloc(HRW_NODES_MAX, sizeof(*node));
	char(*name)[16] = calloc(HRW_NODES_MAX, sizeof(*name));
	struct pool *pool;

	for (size_t i = 0; i < HRW_NODES_MAX; i++) {
		snprintf(name[i], sizeof(name[i]), "n%zu", i);
		node[i] = (struct hrw_node){.name = name[i], .weight = 1, .id = HRW_ID_UNSET};
	}
	ck_assert_int_eq(hrw_membership_add_all(m, node, HRW_NODES_MAX, NULL, NULL, NULL), 0);
	settled = hrw_membership_copy(m);
	settled->copies = 1;
	ck_assert_int_eq(hrw_membership_freeze(m, NULL, NULL), 0);
	ck_assert_int_eq(hrw_membership_freeze(settled, NULL, NULL), 0);
	pool = pool_new("default", 1, NULL, &pool_no_terms, m, settled);
	ck_assert(!pool_is_settled(pool));
	check_round_trip(pool);
	pool_release(pool);
	free(node);
	free(name);
}
END_TEST

/* By hand: printf '%s' TEXT | sha256sum. */
START_TEST(a_fingerprint_is_the_hash_of_the_canonical_text)
{
	char name_a[] = "a", address[] = "10.0.0.1:11211", zone[] = "r1", name_b[] = "b";
	char hash_name[] = "b \"\\\x01\n\xc3\xa9";
	struct hrw_node a = {
	    .name = name_a, .address = address, .zone = zone, .weight = 1.5, .id = HRW_ID_UNSET};
	struct hrw_node b = {.name = name_b,
	    .hash_name = hash_name,
	    .weight = 1e-6,
	    .id = HRW_ID_UNSET,
	    .state = HRW_DRAINING};
	struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 2);
	char fingerprint[POOL_FINGERPRINT + 1];
	struct buffer text = {0};

	/* Listed in the other order. */
	ck_assert_int_eq(hrw_membership_add(m, &b, NULL, NULL), 0);
	ck_assert_int_eq(hrw_membership_add(m, &a, NULL, NULL), 0);
	ck_assert_int_eq(hrw_membership_freeze(m, NULL, NULL), 0);
	fingerprint_text(m, &text);
	ck_assert_str_eq(buffer_text(&text),
	    "{\"copies\":2,\"nodes\":["
	    "{\"address\":\"10.0.0.1:11211\",\"name\":\"a\","
	    "\"state\":\"active\",\"weight\":1.5,\"zone\":\"r1\"},"
	    "{\"address\":null,\"hash_name\":\"b \\\"\\\\\\u0001\\n\xc3\xa9\",\"name\":\"b\","
	    "\"state\":\"draining\",\"weight\":0.000001,\"zone\":null}],"
	    "\"placement\":{\"name\":\"rendezvous\"}}");
	ck_assert_int_eq(fingerprint_of(m, fingerprint), 0);
	ck_assert_str_eq(fingerprint, "b2bed7b068cb3f12");
	buffer_fini(&text);
	hrw_membership_free(m);
}
END_TEST

/* Taken from the examples of RFC 8785, appendix B, and ECMA-262. */
START_TEST(numbers_are_written_as_ecmascript_does)
{
	static const struct {
		double number;
		const char *text;
	} rows[] = {{0, "0"}, {-0.0, "0"}, {1, "1"}, {-1, "-1"}, {0.1, "0.1"}, {1e-6, "0.000001"},
	    {1.5e-6, "0.0000015"}, {1e-7, "1e-7"}, {1.25e-7, "1.25e-7"}, {123456789, "123456789"},
	    {1e9, "1000000000"}, {1e20, "100000000000000000000"}, {1e21, "1e+21"},
	    {1.5e300, "1.5e+300"}, {333333333.33333329, "333333333.3333333"}, {4.50, "4.5"},
	    {9007199254740993.0, "9007199254740992"}, {5e-324, "5e-324"},
	    {1.7976931348623157e308, "1.7976931348623157e+308"}};
	char text[32];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fingerprint_number(rows[i].number, text);
		ck_assert_str_eq(text, rows[i].text);
	}
}
END_TEST

START_TEST(daemons_that_place_alike_have_one_fingerprint)
{
	struct pool *p = made(2, "a b@r1 c"), *q = made(2, "c a b@r1");

	ck_assert_str_eq(p->fingerprint, q->fingerprint);
	ck_assert_str_ne(p->lineage, q->lineage);
	ck_assert_str_ne(after(p, "{'copies':1}")->fingerprint, p->fingerprint);
	ck_assert_str_ne(after(p, "{'drain':['a']}")->fingerprint, p->fingerprint);
	ck_assert_str_ne(after(p, "{'reweight':{'a':2}}")->fingerprint, p->fingerprint);
	ck_assert_str_ne(
	    after(p, "{'patch':{'a':{'address':'x:1'}}}")->fingerprint, p->fingerprint);
	ck_assert_str_ne(after(p, "{'placement':'table'}")->fingerprint, p->fingerprint);
}
END_TEST

/* Pools of one moment. */

static struct pool *
named(const char *name)
{
	struct hrw_membership *m = draft("a");

	ck_assert_int_eq(hrw_membership_freeze(m, NULL, NULL), 0);
	return pool_new(name, 1, NULL, &pool_no_terms, m, m);
}

static struct snapshot *
with(struct snapshot *s, const char *name, struct pool *pool)
{
	struct snapshot *next = snapshot_with(s, name, pool);

	snapshot_release(s);
	return next;
}

START_TEST(a_snapshot_finds_its_pools_by_name)
{
	struct snapshot *s = snapshot_new("main");
	const struct pool *pool;

	ck_assert_ptr_null(snapshot_pool(s, hrw_text("main")));
	s = with(s, "main", named("main"));
	s = with(s, "a", named("a"));
	s = with(s, "z.z", named("z.z"));
	pool = snapshot_pool(s, hrw_text("main"));
	ck_assert_str_eq(pool->name, "main");
	ck_assert_ptr_eq(snapshot_pool(s, hrw_bytes(NULL, 0)), pool);
	ck_assert_str_eq(snapshot_pool(s, hrw_text("z.z"))->name, "z.z");
	ck_assert_ptr_null(snapshot_pool(s, hrw_text("")));
	ck_assert_ptr_null(snapshot_pool(s, hrw_bytes("a\0b", 3)));
	s = with(s, "main", named("main"));
	ck_assert_uint_eq(s->count, 3);
	ck_assert_ptr_ne(snapshot_pool(s, hrw_text("main")), pool);
	s = with(s, "main", NULL);
	ck_assert_uint_eq(s->count, 2);
	ck_assert_ptr_null(snapshot_pool(s, hrw_bytes(NULL, 0)));
	snapshot_release(s);
}
END_TEST

START_TEST(a_snapshot_that_is_read_stays_whole)
{
	struct snapshot *s = with(snapshot_new("main"), "main", named("main"));
	struct snapshot *read = snapshot_acquire(s);
	const struct pool *pool = snapshot_pool(read, hrw_text("main"));

	s = with(s, "main", NULL);
	snapshot_release(s);
	ck_assert_ptr_eq(snapshot_pool(read, hrw_text("main")), pool);
	ck_assert_str_eq(pool->present->node[0].name, "a");
	snapshot_release(read);
}
END_TEST

SUITE(document)
{
	tcase_add_test(tests, a_stored_pool_comes_back_the_same);
	tcase_add_test(tests, the_fields_of_every_placement_come_back_the_same);
	tcase_add_test(tests, members_of_newer_versions_are_kept);
	tcase_add_test(tests, a_document_that_cannot_be_read_is_refused);
	tcase_add_test(tests, what_is_known_of_the_copies_is_stored_and_read);
	tcase_add_test(tests, a_document_of_format_1_means_what_it_meant);
	tcase_add_test(tests, a_large_pool_comes_back_too);
	tcase_add_test(tests, a_fingerprint_is_the_hash_of_the_canonical_text);
	tcase_add_test(tests, numbers_are_written_as_ecmascript_does);
	tcase_add_test(tests, daemons_that_place_alike_have_one_fingerprint);
	tcase_add_test(tests, a_snapshot_finds_its_pools_by_name);
	tcase_add_test(tests, a_snapshot_that_is_read_stays_whole);
}
