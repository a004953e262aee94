/*
 * change_line_test.c - a change whose keys take long to be counted is told in time,
 * and its keys when they are counted.
 */
#include <stdio.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/config/config.h"
#include "daemon/http/private.h"
#include "daemon/members/report_private.h"
#include "daemon/routes/change_line.h"
#include "tests/dsl/folder.h"
#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

static struct hrw_fault fault;

static struct pool *
pool_of(uint64_t epoch, const char *nodes)
{
	struct hrw_membership *m = draft(nodes);

	ck_assert_int_eq(hrw_membership_freeze(m, NULL, NULL), 0);
	return pool_new("default", epoch, NULL, &pool_no_terms, m, m);
}

/* A report of the change from `before` to `after` over 24 keys. */
static struct report *
start(struct reports *reports, struct pool *before, struct pool *after)
{
	struct report_request ask = {.pool = "default",
	    .is_kept = true,
	    .outcome = "applied",
	    .before = before,
	    .after = after,
	    .ops = "[]",
	    .has_keys = true,
	    .key_count = 24};
	struct report *report = NULL;

	for_each_photo (key, 24)
		record_add(&ask.keys, key);
	ck_assert_int_eq(report_start(reports, &ask, &report, &fault), 0);
	return report;
}

/* What stderr received until now. */
static const char *
read_log(FILE *file)
{
	static char log[4096];
	ssize_t len = pread(fileno(file), log, sizeof(log) - 1, 0);

	ck_assert_int_ge(len, 0);
	log[len] = '\0';
	return log;
}

START_TEST(a_change_is_told_in_time_and_its_keys_when_they_are_counted)
{
	struct config *config = config_new();
	struct pool *before = pool_of(4, "a b c d"), *after = pool_of(5, "a b d");
	struct outcome outcome = {.before = before, .after = after};
	struct exchange ex = {.identity = {"mine", ""}};
	struct request *req = &ex.request;
	struct reports *reports;
	struct report *report;
	FILE *file = tmpfile();
	int stderr_kept = dup(STDERR_FILENO);
	uv_loop_t loop;
	double began;

	folder_new();
	uv_loop_init(&loop);
	reports = reports_new(&loop, &config->members,
	    store_open_sqlite(folder_file("hrwd.db"), true, NULL, &fault), NULL);
	buffer_add_text(&outcome.ops, "[{\"op\":\"remove\",\"node\":\"c\"}]");
	req->exchange = &ex;
	req->by = "ci";
	req->peer = "unix";
	/* Until more may run it waits. */
	atomic_store(&config->members.running_plans, 0);
	report = start(reports, before, after);
	log_set(LOG_INFO, false);
	dup2(fileno(file), STDERR_FILENO);
	uv_update_time(&loop); /* a store may take long to open, as under valgrind */
	began = now_ms();
	change_line_tell(req, "default", &outcome, report);
	outcome_fini(&outcome); /* nothing of these is needed any more */
	memset(&ex, 0, sizeof(ex));
	while (read_log(file)[0] == '\0' && now_ms() - began < 20000)
		uv_run(&loop, UV_RUN_ONCE);
	ck_assert(now_ms() - began > 9000);
	ck_assert_str_eq(strchr(read_log(file), ' '),
	    " info pool changed pool=default epoch=5 what=\"remove c\" by=ci peer=unix "
	    "request=mine\n");
	atomic_store(&config->members.running_plans, 1);
	reports_next(reports);
	uv_run(&loop, UV_RUN_DEFAULT);
	dup2(stderr_kept, STDERR_FILENO);
	ck_assert_ptr_nonnull(strstr(read_log(file),
	    " info keys of a change counted pool=default epoch=5 what=\"remove c\" keys=24 "
	    "keys_moved="));
	ck_assert_uint_eq(reports_running(reports), 0);
	report_release(report);
	store_close(reports->store);
	reports_free(reports);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
	config_free(config);
	fclose(file);
	folder_remove();
}
END_TEST

SUITE(change_line)
{
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, a_change_is_told_in_time_and_its_keys_when_they_are_counted);
}
