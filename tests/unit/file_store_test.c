/*
 * What the plain-file store promises: pools as the file has them, read again when
 * it is replaced, and never changed by us.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/store/store.h"
#include "tests/dsl/folder.h"
#include "tests/dsl/suite.h"

static struct hrw_fault fault;

static void
written(const char *name, const char *text)
{
	folder_write(folder_file(name), text, strlen(text));
}

static int
note_pool(void *arg, const char *pool, const char *document, struct hrw_fault *f)
{
	char *out = arg;

	(void)f;
	sprintf(out + strlen(out), "%s=%s ", pool, document);
	return 0;
}

static const char *
pools(struct store *s)
{
	static char out[4096];

	*out = '\0';
	ck_assert_msg(store_load(s, note_pool, out, &fault) == 0, "%s", fault.detail);
	return out;
}

static void
refused(const char *text, int error, const char *words)
{
	written("pools.json", text);
	ck_assert_ptr_null(store_open_file(folder_file("pools.json"), &fault));
	ck_assert_int_eq(fault.error, error);
	ck_assert_msg(strstr(fault.detail, words) != NULL, "no \"%s\" in: %s", words, fault.detail);
}

START_TEST(pools_come_from_the_file_in_order_of_names)
{
	struct store *s;

	folder_new();
	written("pools.json",
	    "{ // ours\n \"pools\": {\"b\": {\"copies\": 2.50}, \"a\": {\"nodes\": []}}}");
	s = store_open_file(folder_file("pools.json"), &fault);
	ck_assert_ptr_nonnull(s);
	ck_assert(!store_is_writable(s));
	ck_assert_str_eq(pools(s), "a={\"nodes\":[]} b={\"copies\":2.50} ");
	store_close(s);
	/* The object by itself is as good. */
	written("pools.json", "{\"b\": {}, \"a\": {}}");
	s = store_open_file(folder_file("pools.json"), &fault);
	ck_assert_str_eq(pools(s), "a={} b={} ");
	store_close(s);
	folder_remove();
}
END_TEST

START_TEST(changes_are_refused_and_entries_and_plans_are_kept)
{
	struct store_write change = {.pool = "a",
	    .lineage = "l",
	    .epoch_before = 1,
	    .epoch_after = 2,
	    .document = "{}",
	    .has_document = true,
	    .entry = "{}"};
	struct store_write entry = {.pool = "a", .entry = "{\"refused\":1}"};
	struct store_plan plan = {.id = "p1",
	    .pool = (char *)"a",
	    .state = (char *)"done",
	    .report = (char *)"{}",
	    .inputs = (char *)"{}"};
	struct store *s;

	folder_new();
	written("pools.json", "{\"a\": {}}");
	s = store_open_file(folder_file("pools.json"), &fault);
	ck_assert_int_eq(store_commit(s, &change, &fault), HRW_READ_ONLY);
	ck_assert_ptr_nonnull(strstr(fault.detail, "pools.json"));
	ck_assert_int_eq(store_commit(s, &entry, &fault), 0);
	ck_assert_int_eq(entry.history_id, 1);
	ck_assert_int_eq(store_summarise(s, 1, "{}", &fault), 0);
	ck_assert_int_eq(store_plan_put(s, &plan, &fault), 0);
	ck_assert_int_eq(store_plan_get(s, "p1", &plan, &fault), 0);
	ck_assert_str_eq(plan.state, "done");
	store_plan_fini(&plan);
	ck_assert_ptr_null(store_document(s, "a", "l", 1, &fault));
	ck_assert_int_eq(fault.error, HRW_UNKNOWN_EPOCH);
	ck_assert_int_eq(store_trim(s, 1, 1, &fault), 0);
	store_close(s);
	folder_remove();
}
END_TEST

START_TEST(a_replaced_file_is_noticed_once_and_a_bad_one_is_told_once)
{
	struct store *s;

	folder_new();
	written("pools.json", "{\"a\": {}}");
	s = store_open_file(folder_file("pools.json"), &fault);
	ck_assert_str_eq(pools(s), "a={} ");
	ck_assert(!store_has_changed(s));
	written("next.json", "{\"c\": {}}");
	ck_assert_int_eq(rename(folder_file("next.json"), folder_file("pools.json")), 0);
	ck_assert(store_has_changed(s));
	ck_assert_str_eq(pools(s), "c={} ");
	ck_assert(!store_has_changed(s));

	written("next.json", "{\"c\": ");
	ck_assert_int_eq(rename(folder_file("next.json"), folder_file("pools.json")), 0);
	ck_assert(store_has_changed(s));
	ck_assert_int_eq(store_load(s, note_pool, NULL, &fault), HRW_BAD_JSON);
	ck_assert_ptr_nonnull(strstr(fault.detail, "line 1"));
	ck_assert(!store_has_changed(s));
	unlink(folder_file("pools.json"));
	ck_assert(!store_has_changed(s));
	written("pools.json", "{\"d\": {}}");
	ck_assert(store_has_changed(s));
	ck_assert_str_eq(pools(s), "d={} ");
	store_close(s);
	folder_remove();
}
END_TEST

START_TEST(a_file_that_is_not_pools_is_refused_in_words)
{
	folder_new();
	ck_assert_ptr_null(store_open_file(folder_file("missing.json"), &fault));
	ck_assert_int_eq(fault.error, HRW_STORE_FAILED);
	ck_assert_ptr_nonnull(strstr(fault.detail, "missing.json"));
	ck_assert_ptr_null(store_open_file(folder_file(""), &fault));
	ck_assert_ptr_nonnull(strstr(fault.detail, "no regular file"));
	refused("", HRW_BAD_JSON, "pools.json: ");
	refused("{\"a\": {},}", HRW_BAD_JSON, "line 1, column ");
	refused("[1]", HRW_BAD_FIELD, "not an array");
	refused("{\"pools\": 7}", HRW_BAD_FIELD, "not a number");
	refused("{\"a\": []}", HRW_BAD_FIELD, "a pool must be an object");
	refused("{\"pools\": {}, \"listen\": {}}", HRW_BAD_FIELD, "listen");
	refused("{\"A!\": {}}", HRW_BAD_POOL, "A!");
	refused("{\"a\": {}, \"a\": {}}", HRW_BAD_FIELD, "a");
	folder_remove();
}
END_TEST

SUITE(file_store)
{
	tcase_add_test(tests, pools_come_from_the_file_in_order_of_names);
	tcase_add_test(tests, changes_are_refused_and_entries_and_plans_are_kept);
	tcase_add_test(tests, a_replaced_file_is_noticed_once_and_a_bad_one_is_told_once);
	tcase_add_test(tests, a_file_that_is_not_pools_is_refused_in_words);
}
