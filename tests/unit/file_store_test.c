/*
 * What the plain-file store promises: pools as the file has them, read again when
 * it is replaced, and never changed by us.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/store.h"
#include "tests/dsl/folder.h"
#include "tests/dsl/suite.h"

static struct hrw_fault fault;
static atomic_size_t most = 1 << 20;
static atomic_bool allow_empty = true;
static const struct store_file_rules rules = {&most, &allow_empty};

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
	ck_assert_ptr_null(store_open_file(folder_file("pools.json"), &rules, &fault));
	ck_assert_int_eq(fault.error, error);
	ck_assert_msg(strstr(fault.detail, words) != NULL, "no \"%s\" in: %s", words, fault.detail);
}

START_TEST(pools_come_from_the_file_in_order_of_names)
{
	struct store *s;

	folder_new();
	written("pools.json",
	    "{ // ours\n \"pools\": {\"b\": {\"copies\": 2.50}, \"a\": {\"nodes\": []}}}");
	s = store_open_file(folder_file("pools.json"), &rules, &fault);
	ck_assert_ptr_nonnull(s);
	ck_assert(!store_is_writable(s));
	ck_assert_str_eq(pools(s), "a={\"nodes\":[]} b={\"copies\":2.50} ");
	store_close(s);
	/* The object by itself is as good. */
	written("pools.json", "{\"b\": {}, \"a\": {}}");
	s = store_open_file(folder_file("pools.json"), &rules, &fault);
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
	s = store_open_file(folder_file("pools.json"), &rules, &fault);
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
	s = store_open_file(folder_file("pools.json"), &rules, &fault);
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
	/* Gone for a moment, as while a mount is swapped, is not gone. */
	unlink(folder_file("pools.json"));
	ck_assert(!store_has_changed(s));
	ck_assert(store_has_changed(s));
	ck_assert_int_eq(store_load(s, note_pool, NULL, &fault), HRW_STORE_FAILED);
	ck_assert(!store_has_changed(s));
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
	ck_assert_ptr_null(store_open_file(folder_file("missing.json"), &rules, &fault));
	ck_assert_int_eq(fault.error, HRW_STORE_FAILED);
	ck_assert_ptr_nonnull(strstr(fault.detail, "missing.json"));
	ck_assert_ptr_null(store_open_file(folder_file(""), &rules, &fault));
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

START_TEST(only_a_regular_file_is_opened)
{
	folder_new();
	ck_assert_int_eq(mkfifo(folder_file("pipe"), 0600), 0);
	ck_assert_int_eq(symlink("pipe", folder_file("to-pipe")), 0);
	ck_assert_int_eq(symlink("/dev/zero", folder_file("to-device")), 0);
	ck_assert_int_eq(symlink("nowhere", folder_file("to-nowhere")), 0);
	ck_assert_int_eq(symlink("to-itself", folder_file("to-itself")), 0);
	for (size_t i = 0; i < 5; i++) {
		static const char *const names[] = {
		    "pipe", "to-pipe", "to-device", "to-nowhere", "to-itself"};

		ck_assert_ptr_null(store_open_file(folder_file(names[i]), &rules, &fault));
		ck_assert_int_eq(fault.error, HRW_STORE_FAILED);
		ck_assert_ptr_nonnull(strstr(fault.detail, names[i]));
	}
	folder_remove();
}
END_TEST

START_TEST(a_file_over_its_limit_is_refused_and_read_when_that_is_raised)
{
	static const char text[] = "{\"a\": {}, \"b\": {}}";
	struct store *s;

	folder_new();
	atomic_store(&most, sizeof(text) - 2);
	refused(text, HRW_STORE_FAILED, "limits.json_bytes");
	atomic_store(&most, sizeof(text) - 1);
	s = store_open_file(folder_file("pools.json"), &rules, &fault);
	ck_assert_ptr_nonnull(s);
	store_close(s);
	atomic_store(&most, 1 << 20);
	folder_remove();
}
END_TEST

START_TEST(an_empty_file_and_a_pool_without_nodes_must_be_allowed)
{
	static const char *const texts[] = {"{}", "{\"pools\": {}}", "{\"a\": {}}",
	    "{\"a\": {\"nodes\": []}}",
	    "{\"a\": {\"nodes\": [{\"name\": \"n\"}]}, \"b\": {\"copies\": 2}}"};

	folder_new();
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct store *s;

		atomic_store(&allow_empty, false);
		refused(texts[i], HRW_BAD_FIELD, "allow_empty");
		atomic_store(&allow_empty, true);
		s = store_open_file(folder_file("pools.json"), &rules, &fault);
		ck_assert_ptr_nonnull(s);
		store_close(s);
	}
	folder_remove();
}
END_TEST

/* The clock of the file system moves in steps: two writes in one step leave one time. */
START_TEST(a_text_written_in_the_same_moment_is_noticed_too)
{
	struct store *s;

	folder_new();
	written("pools.json", "{\"z\": {}}");
	s = store_open_file(folder_file("pools.json"), &rules, &fault);
	for (int i = 0; i < 100; i++) {
		written("pools.json", "{\"a\": {}}");
		ck_assert_str_eq(pools(s), "a={} ");
		written("pools.json", "{\"b\": {}}");
		ck_assert(store_has_changed(s) || store_has_changed(s));
		ck_assert_str_eq(pools(s), "b={} ");
	}
	store_close(s);
	folder_remove();
}
END_TEST

START_TEST(a_text_that_is_being_written_waits_until_it_rests)
{
	struct store *s;

	folder_new();
	written("pools.json", "{\"a\": {}}");
	s = store_open_file(folder_file("pools.json"), &rules, &fault);
	written("pools.json", "{\"a\": {}, ");
	ck_assert(!store_has_changed(s));
	written("pools.json", "{\"a\": {}, \"b\": ");
	ck_assert(!store_has_changed(s));
	written("pools.json", "{\"a\": {}, \"b\": {}}");
	ck_assert(!store_has_changed(s));
	ck_assert(store_has_changed(s));
	ck_assert_str_eq(pools(s), "a={} b={} ");
	store_close(s);
	folder_remove();
}
END_TEST

START_TEST(failures_are_counted_and_the_last_one_is_told_until_a_load_succeeds)
{
	struct store_reading reading;
	struct store *s;

	folder_new();
	written("pools.json", "{\"a\": {}}");
	s = store_open_file(folder_file("pools.json"), &rules, &fault);
	store_reading(s, &reading);
	ck_assert(!reading.is_failing && reading.failures == 0);
	written("pools.json", "[]");
	store_load(s, note_pool, NULL, &fault);
	unlink(folder_file("pools.json"));
	store_load(s, note_pool, NULL, &fault);
	store_reading(s, &reading);
	ck_assert(reading.is_failing && reading.since > 0);
	ck_assert_uint_eq(reading.failures, 2);
	ck_assert_str_eq(reading.detail, fault.detail);
	written("pools.json", "{\"a\": {}}");
	ck_assert_str_eq(pools(s), "a={} ");
	store_reading(s, &reading);
	ck_assert(!reading.is_failing && reading.failures == 2);
	store_close(s);
	folder_remove();
}
END_TEST

SUITE(file_store)
{
	tcase_add_test(tests, only_a_regular_file_is_opened);
	tcase_add_test(tests, a_file_over_its_limit_is_refused_and_read_when_that_is_raised);
	tcase_add_test(tests, an_empty_file_and_a_pool_without_nodes_must_be_allowed);
	tcase_add_test(tests, a_text_written_in_the_same_moment_is_noticed_too);
	tcase_add_test(tests, a_text_that_is_being_written_waits_until_it_rests);
	tcase_add_test(tests, failures_are_counted_and_the_last_one_is_told_until_a_load_succeeds);

	tcase_add_test(tests, pools_come_from_the_file_in_order_of_names);
	tcase_add_test(tests, changes_are_refused_and_entries_and_plans_are_kept);
	tcase_add_test(tests, a_replaced_file_is_noticed_once_and_a_bad_one_is_told_once);
	tcase_add_test(tests, a_file_that_is_not_pools_is_refused_in_words);
}
