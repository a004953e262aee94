/*
 * writer_test.c - changes are judged in order, durable, seen by every reader,
 * and only then answered.
 */
#include <stdlib.h>

#include "daemon/config/config.h"
#include "daemon/members/writer.h"
#include "tests/dsl/pools.h"
#include "tests/dsl/suite.h"

/* A writer on a loop of its own, over a store in memory. */
struct site {
	uv_loop_t loop;
	struct config *config;
	struct store *store;
	struct writer *writer;
};

static struct site site;

static void
open_writer(void)
{
	struct hrw_fault fault = {0};

	site.writer = writer_new(&site.loop, &site.config->members, site.store, &fault);
	ck_assert_msg(site.writer != NULL, "%s", fault.detail);
}

static void
close_writer(void)
{
	writer_free(site.writer);
	uv_run(&site.loop, UV_RUN_DEFAULT);
}

/* pools: the configuration's, ' for "; NULL: there is no configuration. */
static void
open_site(const char *pools)
{
	struct hrw_fault fault = {0};

	ck_assert_int_eq(uv_loop_init(&site.loop), 0);
	site.config = config_new();
	ck_assert_ptr_nonnull(site.config);
	if (pools != NULL) {
		site.config->path = strdup("test.json");
		site.config->document = json_parse(hrw_text(quoted(pools)), JSON_STRICT, &fault);
		site.config->members.pools = site.config->document;
		ck_assert_msg(site.config->members.pools != NULL, "%s", fault.detail);
	}
	site.store = store_open_sqlite(":memory:", true, NULL, &fault);
	ck_assert_msg(site.store != NULL, "%s", fault.detail);
	open_writer();
}

static void
close_site(void)
{
	close_writer();
	store_close(site.store);
	config_free(site.config);
	ck_assert_int_eq(uv_loop_close(&site.loop), 0);
}

static const struct pool *
pool_now(const char *name)
{
	return snapshot_pool(*writer_snapshot(site.writer), hrw_text(name));
}

/* An answer, noted. */
struct answer {
	bool has_come;
	int order, status;
	uint64_t epoch;
	bool is_unchanged;
	enum hrw_error refusal;
	int64_t history;
	struct hrw_fault fault;
};

static int answers;

static void
note(void *arg, int status, const struct outcome *outcome, int64_t history,
    const struct hrw_fault *fault)
{
	struct answer *a = arg;

	ck_assert(!a->has_come);
	a->has_come = true;
	a->order = ++answers;
	a->status = status;
	a->history = history;
	a->fault = *fault;
	if (outcome == NULL)
		return;
	a->epoch = outcome->after != NULL ? outcome->after->epoch : 0;
	a->is_unchanged = outcome->is_unchanged;
	a->refusal = outcome->refusal;
}

/* The change of a /changes body on a pool, to be given to the writer. */
static struct change *
change_on(const char *pool, const char *json)
{
	struct hrw_fault fault = {0};
	struct json *body = json_parse(hrw_text(quoted(json)), JSON_STRICT, &fault);
	struct change *c = change_new(pool);

	if (body == NULL || change_read(c, body, true, &hrw_limits_max, &fault) < 0)
		ck_abort_msg("%s: %s", json, fault.detail);
	json_free(body);
	return c;
}

static void
ask(struct change *c, struct answer *a)
{
	*a = (struct answer){0};
	writer_apply(site.writer, c, note, a);
}

static void
run_until_idle(void)
{
	while (!writer_is_idle(site.writer))
		uv_run(&site.loop, UV_RUN_ONCE);
}

static struct answer
apply(struct change *c)
{
	struct answer a;

	ask(c, &a);
	run_until_idle();
	ck_assert(a.has_come);
	return a;
}

static struct answer
changed(const char *pool, const char *json)
{
	struct answer a = apply(change_on(pool, json));

	ck_assert_msg(a.status == 0, "%s: %s", json, a.fault.detail);
	return a;
}

START_TEST(without_a_configuration_there_is_one_empty_pool)
{
	open_site(NULL);
	ck_assert_uint_eq((*writer_snapshot(site.writer))->count, 1);
	ck_assert((*writer_snapshot(site.writer))->is_ready);
	ck_assert_uint_eq(pool_now("default")->epoch, 1);
	ck_assert_uint_eq(pool_now("default")->present->count, 0);
	close_site();
}
END_TEST

START_TEST(a_restart_finds_every_answered_change)
{
	char lineage[POOL_LINEAGE + 1];

	open_site("{'default':{'copies':2,'nodes':["
		  "{'name':'a','address':'a:1'},{'name':'b','address':'b:1'},"
		  "{'name':'c','address':'c:1'}]}}");
	changed("default", "{'drain':['b']}");
	strcpy(lineage, pool_now("default")->lineage);
	close_writer();
	open_writer();
	ck_assert_uint_eq(pool_now("default")->epoch, 2);
	ck_assert_str_eq(pool_now("default")->lineage, lineage);
	ck_assert_str_eq(shown(pool_now("default")->present), "a b!draining c");
	ck_assert_str_eq(shown(pool_now("default")->settled), "a b c");
	close_site();
}
END_TEST

START_TEST(a_configuration_seeds_what_the_store_does_not_know)
{
	struct change *drop = change_new("two");

	open_site("{'one':{'nodes':[{'name':'a','address':'a:1'}]},'two':{}}");
	ck_assert_ptr_nonnull(pool_now("one"));
	ck_assert_ptr_null(pool_now("default"));
	changed("one", "{'add':[{'name':'b'}]}");
	change_add(drop, TASK_DROP);
	ck_assert_int_eq(apply(drop).status, 0);
	ck_assert_ptr_null(pool_now("two"));

	/* Neither is the change undone, nor does the removed pool come back. */
	close_writer();
	open_writer();
	ck_assert_str_eq(shown(pool_now("one")->present), "a b!joining");
	ck_assert_ptr_null(pool_now("two"));
	close_site();
}
END_TEST

START_TEST(changes_asked_for_together_are_built_one_on_another)
{
	struct answer a[4];

	open_site(NULL);
	ask(change_on("default", "{'add':[{'name':'a'}]}"), &a[0]);
	ask(change_on("default", "{'add':[{'name':'b'}]}"), &a[1]);
	ask(change_on("default", "{'drain':['a']}"), &a[2]);
	ask(change_on("default", "{'drain':['a']}"), &a[3]);
	run_until_idle();
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(a[i].status, 0);
		ck_assert_int_eq(a[i].order - a[0].order, i);
		ck_assert_uint_eq(a[i].epoch, i < 3 ? (uint64_t)i + 2 : 4);
		ck_assert_int_eq(a[i].is_unchanged, i == 3);
	}
	ck_assert_str_eq(shown(pool_now("default")->present), "a!draining b!joining");
	ck_assert_int_gt(a[1].history, a[0].history);
	ck_assert_int_eq(a[3].history, 0);
	close_site();
}
END_TEST

/* The epoch that the store has, looked up when the answer comes. */
static uint64_t stored_epoch;

static int
read_epoch(void *arg, const char *name, const char *document, struct hrw_fault *fault)
{
	struct pool *pool = document_load(name, document, fault);

	(void)arg;
	ck_assert_ptr_nonnull(pool);
	stored_epoch = pool->epoch;
	pool_release(pool);
	return 0;
}

static void
look_into_store(void *arg, int status, const struct outcome *outcome, int64_t history,
    const struct hrw_fault *fault)
{
	ck_assert_int_eq(store_load(site.store, read_epoch, NULL, NULL), 0);
	note(arg, status, outcome, history, fault);
}

START_TEST(an_answer_comes_when_the_change_is_durable)
{
	struct answer a = {0};

	open_site(NULL);
	writer_apply(
	    site.writer, change_on("default", "{'add':[{'name':'a'}]}"), look_into_store, &a);
	run_until_idle();
	ck_assert_uint_eq(a.epoch, 2);
	ck_assert_uint_eq(stored_epoch, 2);
	close_site();
}
END_TEST

/* A reader that is slow to take a snapshot: on a timer, as its loop would. */
struct slow {
	struct writer_reader *reader;
	struct snapshot *current;
	uv_timer_t timer;
	struct answer *answer; /* must not have come before */
	uint64_t delay_ms;
	int adoptions;
};

static void
adopt_late(uv_timer_t *timer)
{
	struct slow *slow = timer->data;

	if (slow->answer != NULL)
		ck_assert_msg(!slow->answer->has_come, "answered before a reader saw it");
	writer_adopt(slow->reader, &slow->current);
	slow->adoptions++;
}

static void
wake_slowly(void *arg)
{
	struct slow *slow = arg;

	uv_timer_start(&slow->timer, adopt_late, slow->delay_ms, 0);
}

static void
slow_begin(struct slow *slow, uint64_t delay_ms)
{
	*slow = (struct slow){.delay_ms = delay_ms};
	uv_timer_init(&site.loop, &slow->timer);
	slow->timer.data = slow;
	slow->reader = writer_add_reader(site.writer, wake_slowly, slow);
	writer_adopt(slow->reader, &slow->current);
}

static void
slow_end(struct slow *slow)
{
	if (slow->reader != NULL)
		writer_remove_reader(slow->reader);
	snapshot_release(slow->current);
	uv_close((uv_handle_t *)&slow->timer, NULL);
}

START_TEST(an_answer_waits_for_every_reader)
{
	struct slow quick, slow;
	struct answer a;

	open_site(NULL);
	slow_begin(&quick, 1);
	slow_begin(&slow, 40);
	quick.answer = slow.answer = &a;
	ask(change_on("default", "{'add':[{'name':'a'}]}"), &a);
	run_until_idle();
	ck_assert(a.has_come);
	ck_assert_int_eq(quick.adoptions, 1);
	ck_assert_int_eq(slow.adoptions, 1);
	ck_assert_ptr_eq(slow.current, *writer_snapshot(site.writer));
	ck_assert_uint_eq(snapshot_pool(slow.current, hrw_text("default"))->epoch, 2);
	slow_end(&quick);
	slow_end(&slow);
	close_site();
}
END_TEST

START_TEST(what_changes_nothing_wakes_no_reader)
{
	struct slow slow;
	struct change *c = change_on("default", "{'add':[{'name':'b'}]}");

	open_site("{'default':{'nodes':[{'name':'a','address':'a:1'}]}}");
	slow_begin(&slow, 1);
	ck_assert(changed("default", "{'activate':['a']}").is_unchanged);
	c->is_dry_run = true;
	ck_assert_int_eq(apply(c).status, 0);
	ck_assert_int_eq(slow.adoptions, 0);
	ck_assert_uint_eq(pool_now("default")->epoch, 1);
	slow_end(&slow);
	close_site();
}
END_TEST

/* A reader whose loop ends instead of adopting. */
static void
leave_instead(uv_timer_t *timer)
{
	struct slow *slow = timer->data;

	writer_remove_reader(slow->reader);
	slow->reader = NULL;
}

static void
wake_to_leave(void *arg)
{
	struct slow *slow = arg;

	uv_timer_start(&slow->timer, leave_instead, 5, 0);
}

START_TEST(no_answer_waits_for_a_reader_that_left)
{
	struct slow slow = {0};

	open_site(NULL);
	uv_timer_init(&site.loop, &slow.timer);
	slow.timer.data = &slow;
	slow.reader = writer_add_reader(site.writer, wake_to_leave, &slow);
	ck_assert_uint_eq(changed("default", "{'add':[{'name':'a'}]}").epoch, 2);
	ck_assert_ptr_null(slow.reader);
	slow_end(&slow);
	close_site();
}
END_TEST

START_TEST(a_change_that_cannot_be_stored_fails_alone)
{
	struct answer first, bad, last;
	struct store_write behind = {.pool = "two", .epoch_before = 1, .epoch_after = 2};
	char *document;

	open_site("{'one':{},'two':{}}");
	document = document_store(pool_now("two"));
	behind.lineage = pool_now("two")->lineage;
	behind.document = document;
	behind.has_document = true;
	ck_assert_int_eq(store_commit(site.store, &behind, NULL), 0);
	free(document);

	ask(change_on("one", "{'add':[{'name':'a'}]}"), &first);
	ask(change_on("two", "{'add':[{'name':'a'}]}"), &bad);
	ask(change_on("one", "{'add':[{'name':'b'}]}"), &last);
	run_until_idle();
	ck_assert_int_eq(first.status, 0);
	ck_assert_int_eq(bad.status, HRW_CONFLICT);
	ck_assert_int_eq(last.status, 0);
	ck_assert_int_gt(first.history, 0);
	ck_assert_int_gt(last.history, first.history);
	ck_assert_str_eq(shown(pool_now("one")->present), "a b!joining");
	ck_assert_uint_eq(pool_now("two")->epoch, 1);
	close_site();
}
END_TEST

/* The history's entries, newest first, as text. */
static struct buffer entries;

static int
add_entry(void *arg, int64_t id, const char *entry, const char *summary)
{
	(void)arg;
	(void)id;
	buffer_printf(&entries, "%s %s\n", entry, summary != NULL ? summary : "-");
	return 0;
}

static const char *
history(void)
{
	buffer_clear(&entries);
	ck_assert_int_eq(store_history(site.store, NULL, 0, 100, add_entry, NULL, NULL), 0);
	return buffer_text(&entries);
}

START_TEST(a_refusal_stands_in_the_history_and_a_dry_run_does_not)
{
	struct answer a;
	struct change *c;

	open_site("{'default':{'nodes':[{'name':'a','address':'a:1'}]}}");
	c = change_on("default", "{'remove':['a']}");
	c->is_dry_run = true;
	a = apply(c);
	ck_assert_int_eq(a.status, 0);
	ck_assert_int_eq(a.refusal, HRW_NOT_DRAINING);
	ck_assert_int_eq(a.history, 0);
	ck_assert_ptr_null(strstr(history(), "refused"));

	c = change_on("default", "{'remove':['a']}");
	c->by = strdup("uid:operator");
	c->reason = strdup("old hardware");
	a = apply(c);
	ck_assert_int_eq(a.status, HRW_NOT_DRAINING);
	ck_assert_int_eq(a.refusal, HRW_NOT_DRAINING);
	ck_assert_int_gt(a.history, 0);
	ck_assert_ptr_nonnull(strstr(history(),
	    quoted("'pool':'default','epoch_before':1,'epoch_after':1,'by':'uid:operator',"
		   "'from':null,'reason':'old hardware','forced':[],'outcome':'refused',"
		   "'change':[{'op':'remove','node':'a'}]}")));

	c = change_on("default", "{'remove':['a']}");
	c->force = GUARD_NOT_DRAINING | GUARD_LAST_NODE | GUARD_KEYS_AT_RISK;
	ck_assert_int_eq(apply(c).status, 0);
	ck_assert_ptr_nonnull(strstr(history(),
	    quoted("'forced':['not-draining','last-node','keys-at-risk'],'outcome':'applied'")));
	close_site();
}
END_TEST

START_TEST(a_node_that_was_removed_is_unknown_since_a_time)
{
	struct answer a;

	open_site("{'default':{'copies':2,'nodes':[{'name':'a','address':'a:1'},"
		  "{'name':'c','address':'c:1'},{'name':'d','address':'d:1'}]}}");
	changed("default", "{'drain':['a']}");
	changed("default", "{'remove':['a']}");
	a = apply(change_on("default", "{'remove':['a']}"));
	ck_assert_int_eq(a.status, HRW_UNKNOWN_NODE);
	ck_assert_ptr_nonnull(strstr(a.fault.detail, "was removed at 2"));
	a = apply(change_on("default", "{'remove':['b']}"));
	ck_assert_int_eq(a.status, HRW_UNKNOWN_NODE);
	ck_assert_ptr_null(strstr(a.fault.detail, "was removed"));
	close_site();
}
END_TEST

static struct change *
revert_to(uint64_t epoch)
{
	struct change *c = change_new("default");

	change_add(c, TASK_REVERT)->epoch = epoch;
	return c;
}

START_TEST(a_pool_goes_back_to_an_earlier_epoch_as_a_new_one)
{
	open_site("{'default':{'copies':2,'nodes':[{'name':'a','address':'a:1'},"
		  "{'name':'b','address':'b:1'},{'name':'c','address':'c:1'}]}}");
	changed("default", "{'reweight':{'a':2},'drain':['b']}");
	changed("default", "{'copies':3}");
	ck_assert_uint_eq(apply(revert_to(1)).epoch, 4);
	ck_assert_str_eq(shown(pool_now("default")->present), "a b c");
	ck_assert_uint_eq(pool_now("default")->present->copies, 2);
	ck_assert_int_eq(apply(revert_to(9)).status, HRW_UNKNOWN_EPOCH);
	close_site();
}
END_TEST

START_TEST(an_operation_on_keys_is_recorded_with_its_summary)
{
	open_site(NULL);
	writer_record(site.writer, "default", "uid:operator", "unix", NULL,
	    quoted("[{'op':'keys'}]"), quoted("{'keys':3}"));
	run_until_idle();
	ck_assert_ptr_nonnull(strstr(history(), quoted("'change':[{'op':'keys'}]} {'keys':3}")));
	ck_assert_uint_eq(pool_now("default")->epoch, 1);
	close_site();
}
END_TEST

SUITE(writer)
{
	tcase_add_test(tests, without_a_configuration_there_is_one_empty_pool);
	tcase_add_test(tests, a_restart_finds_every_answered_change);
	tcase_add_test(tests, a_configuration_seeds_what_the_store_does_not_know);
	tcase_add_test(tests, changes_asked_for_together_are_built_one_on_another);
	tcase_add_test(tests, an_answer_comes_when_the_change_is_durable);
	tcase_add_test(tests, an_answer_waits_for_every_reader);
	tcase_add_test(tests, what_changes_nothing_wakes_no_reader);
	tcase_add_test(tests, no_answer_waits_for_a_reader_that_left);
	tcase_add_test(tests, a_change_that_cannot_be_stored_fails_alone);
	tcase_add_test(tests, a_refusal_stands_in_the_history_and_a_dry_run_does_not);
	tcase_add_test(tests, a_node_that_was_removed_is_unknown_since_a_time);
	tcase_add_test(tests, a_pool_goes_back_to_an_earlier_epoch_as_a_new_one);
	tcase_add_test(tests, an_operation_on_keys_is_recorded_with_its_summary);
}
