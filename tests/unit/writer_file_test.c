/*
 * writer_file_test.c - pools of a plain file: they follow the file, and nothing
 * else changes them.
 */
#include <stdlib.h>

#include "daemon/base/log.h"
#include "daemon/config/config.h"
#include "daemon/members/writer.h"
#include "tests/dsl/folder.h"
#include "tests/dsl/pools.h"
#include "tests/dsl/suite.h"

static uv_loop_t loop;
static struct config *config;
static struct store *store;
static struct store_file_rules rules;
static struct writer *writer;

static void
write_pools(const char *text)
{
	const char *json = quoted(text);

	folder_write(folder_file("pools.json"), json, strlen(json));
}

static void
open_file(const char *text)
{
	struct hrw_fault fault = {0};

	folder_new();
	write_pools(text);
	ck_assert_int_eq(uv_loop_init(&loop), 0);
	config = config_new();
	config->store = CONFIG_STORE_FILE;
	rules = (struct store_file_rules){&config->http.json_bytes, &config->allow_empty};
	atomic_store(&config->allow_empty, true);
	store = store_open_file(folder_file("pools.json"), &rules, &fault);
	ck_assert_msg(store != NULL, "%s", fault.detail);
	writer = writer_new(&loop, &config->members, store, &fault);
	ck_assert_msg(writer != NULL, "%s", fault.detail);
}

static void
close_file(void)
{
	writer_free(writer);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
	store_close(store);
	config_free(config);
	folder_remove();
}

static void
run_until_idle(void)
{
	while (!writer_is_idle(writer))
		uv_run(&loop, UV_RUN_ONCE);
}

static void
reload(const char *text)
{
	write_pools(text);
	writer_reload(writer);
	run_until_idle();
}

static const struct pool *
pool_now(const char *name)
{
	return snapshot_pool(*writer_snapshot(writer), hrw_text(name));
}

#define NODES_AB "{'name':'a','address':'a:1'},{'name':'b','address':'b:1'}"

START_TEST(a_reload_adds_an_epoch_where_the_file_has_changed)
{
	char lineage[POOL_LINEAGE + 1];

	open_file("{'one':{'copies':2,'nodes':[" NODES_AB "]},'two':{}}");
	strcpy(lineage, pool_now("one")->lineage);
	ck_assert_uint_eq(pool_now("one")->epoch, 1);
	reload("{'one':{'nodes':[" NODES_AB "],'copies':1},'two':{'nodes':[]},'three':{}}");
	ck_assert_uint_eq(pool_now("one")->epoch, 2);
	ck_assert_str_eq(pool_now("one")->lineage, lineage);
	ck_assert_uint_eq(pool_now("two")->epoch, 1);
	ck_assert_uint_eq(pool_now("three")->epoch, 1);
	reload("{'one':{'nodes':[" NODES_AB "]}}");
	ck_assert_uint_eq(pool_now("one")->epoch, 2);
	ck_assert_ptr_null(pool_now("two"));
	close_file();
}
END_TEST

/* The rules of the states hold for a file as for requests. */
START_TEST(a_drain_in_the_file_leaves_the_settled_membership)
{
	open_file("{'one':{'nodes':[" NODES_AB "]}}");
	reload("{'one':{'nodes':[{'name':'a','address':'a:1','state':'draining'},"
	       "{'name':'b','address':'b:1'}]}}");
	ck_assert_str_eq(shown(pool_now("one")->present), "a!draining b");
	ck_assert_str_eq(shown(pool_now("one")->settled), "a b");
	reload("{'one':{'nodes':[" NODES_AB "]}}");
	ck_assert(pool_is_settled(pool_now("one")));
	ck_assert_str_eq(shown(pool_now("one")->present), "a b");
	close_file();
}
END_TEST

START_TEST(a_file_that_is_bad_keeps_the_last_good_pools)
{
	const struct pool *good;

	open_file("{'one':{'nodes':[" NODES_AB "]}}");
	good = pool_now("one");
	reload("{'one':");
	reload("{'one':{'nodes':[{'name':'A','address':'a:1'}]}}");
	reload("{'one':{'node':[]}}");
	ck_assert_ptr_eq(pool_now("one"), good);
	close_file();
}
END_TEST

static int status;
static struct hrw_fault told;

static void
note(void *arg, int rc, const struct outcome *outcome, int64_t history,
    const struct hrw_fault *fault)
{
	(void)arg;
	(void)history;
	status = rc;
	told = *fault;
	ck_assert(rc == 0 || outcome == NULL);
}

static int
asked_of_one(const char *json, bool is_dry_run)
{
	struct change *c = change_new("one");
	struct json *body = json_parse(hrw_text(quoted(json)), JSON_STRICT, NULL);

	ck_assert_int_eq(change_read(c, body, true, &hrw_limits_max, &told), 0);
	json_free(body);
	c->is_dry_run = is_dry_run;
	writer_apply(writer, c, note, NULL);
	run_until_idle();
	return status;
}

START_TEST(only_the_file_changes_its_pools)
{
	open_file("{'one':{'nodes':[" NODES_AB "]}}");
	ck_assert_int_eq(asked_of_one("{'drain':['a']}", false), HRW_READ_ONLY);
	ck_assert_uint_eq(pool_now("one")->epoch, 1);
	ck_assert_int_eq(asked_of_one("{'drain':['a']}", true), 0);
	/* The store is asked last. */
	ck_assert_int_eq(asked_of_one("{'drain':['c']}", false), HRW_UNKNOWN_NODE);
	ck_assert_int_eq(asked_of_one("{'activate':['a']}", false), 0);
	close_file();
}
END_TEST

SUITE(writer_file)
{
	log_set(LOG_ERROR, false);
	tcase_add_test(tests, a_reload_adds_an_epoch_where_the_file_has_changed);
	tcase_add_test(tests, a_drain_in_the_file_leaves_the_settled_membership);
	tcase_add_test(tests, a_file_that_is_bad_keeps_the_last_good_pools);
	tcase_add_test(tests, only_the_file_changes_its_pools);
}
