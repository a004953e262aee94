/*
 * A disk that fails at any call, while a change is made or a daemon starts: the
 * change is refused in words or made, and nothing that was answered is lost.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "tests/dsl/fault.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

/* Calls of one change, and of one start, are fewer. */
enum { CALLS_MAX = 200 };

/* A fault, and how to tell it in a message. */
struct row {
	const char *name;
	unsigned calls;
	int error;
	bool lasts, tears;
};

static const struct row rows[] = {
    {"a full disk", FAULT_WRITE | FAULT_RESIZE, ENOSPC, true, false},
    {"a full disk, for one call", FAULT_WRITE, ENOSPC, false, false},
    {"a write that is torn", FAULT_WRITE, EIO, true, true},
    {"a failing write", FAULT_WRITE, EIO, false, false},
    {"a failing flush", FAULT_FLUSH, EIO, false, false},
    {"a disk that flushes no more", FAULT_FLUSH, EIO, true, false},
    {"a failing read", FAULT_READ, EIO, false, false},
    {"a dead disk", FAULT_OPEN | FAULT_WRITE | FAULT_FLUSH | FAULT_RESIZE | FAULT_READ, EIO, true,
	false},
};

/* What the fleet should be: a weight a change. */
struct state {
	long epoch;
	int weight;
	bool may_be_more; /* the last change failed, and may be found to be there */
	int next;	  /* the weight of the next change */
};

static void
expect_state(struct daemon *d, struct state *s, const struct row *row, int at)
{
	struct answer *a = expect_status(get(d->lookup, "/pools/default"), 200);
	long epoch = (long)number_at(a, "epoch");
	int weight = (int)number_at(a, "nodes[name=cache-a].weight");

	ck_assert_int_eq(count_at(a, "nodes"), 4);
	/* A change that failed is on the disk whole, or not at all. */
	if (s->may_be_more && epoch == s->epoch + 1) {
		ck_assert_msg(weight == s->next - 1, "%s at call %d: half a change", row->name, at);
		s->epoch = epoch;
		s->weight = weight;
	}
	s->may_be_more = false;
	ck_assert_msg(epoch == s->epoch && weight == s->weight,
	    "%s at call %d: epoch %ld and weight %d, not %ld and %d", row->name, at, epoch, weight,
	    s->epoch, s->weight);
}

static void
change(struct daemon *d, struct state *s, bool must)
{
	struct answer *a =
	    patch(d->admin, "/nodes/cache-a?report=none", text("{\"weight\":%d}", s->next));

	s->may_be_more = false;
	s->next++;
	if (a->status == 200) {
		s->epoch++;
		s->weight = s->next - 1;
		ck_assert_int_eq((long)number_at(a, "epoch_after"), s->epoch);
		return;
	}
	ck_assert_msg(!must, "a whole disk, and still: %s", a->body);
	expect_refusal(a, 503, "store-failed", NULL);
	s->may_be_more = true;
}

START_TEST(a_change_on_a_disk_that_fails_is_made_or_refused)
{
	const struct row *row = &rows[_i];
	struct fault *disk = fault_begin();
	struct daemon *d = fleet_start();
	struct state s = {.epoch = 1, .weight = 1, .next = 2};
	int refusals = 0;

	atomic_store(&disk->tears, row->tears);
	for (int at = 0; at < CALLS_MAX; at++) {
		bool in_memory;
		int failed;

		fault_arm(disk, row->calls, row->error, at, row->lasts);
		change(d, &s, false);
		failed = fault_disarm(disk);
		refusals += s.may_be_more;
		/* What is served is what was answered. */
		in_memory = s.may_be_more;
		s.may_be_more = false;
		expect_state(d, &s, row, at);
		s.may_be_more = in_memory;
		if (at % 3 == 1) {
			daemon_crash(d);
			expect_state(d, &s, row, at);
		} else if (at % 3 == 2) {
			daemon_stop(d);
			daemon_launch(d);
			expect_state(d, &s, row, at);
		}
		change(d, &s, true);
		expect_state(d, &s, row, at);
		if (failed == 0 && at > 2)
			break;
	}
	/* A call that fails once is tried again. */
	ck_assert(refusals > 0 || !row->lasts);
	daemon_stop(d);
}
END_TEST

START_TEST(an_upload_on_a_disk_that_fails_leaves_the_former_keys)
{
	const struct row *row = &rows[_i];
	struct fault *disk = fault_begin();
	struct daemon *d = fleet_with_photos();
	const char *other = numbered_keys("key-", 3000);

	atomic_store(&disk->tears, row->tears);
	for (int at = 0; at < CALLS_MAX; at += at < 10 ? 1 : 13) {
		struct answer *a;
		int failed;

		fault_arm(disk, row->calls, row->error, at, row->lasts);
		a = keys_put(d, other);
		failed = fault_disarm(disk);
		if (a->status != 200)
			expect_refusal(a, 503, "store-failed", NULL);
		if (at % 2 == 1)
			daemon_crash(d);
		if (a->status != 200)
			expect(expect_status(get(d->admin, "/keys/stats"), 200), "keys", "24");
		expect(expect_status(keys_put(d, other), 200), "keys", "3000");
		expect(expect_status(keys_put(d, photos()), 200), "keys", "24");
		if (failed == 0)
			break;
	}
	daemon_stop(d);
}
END_TEST

START_TEST(a_start_on_a_disk_that_fails_is_refused_and_the_next_finds_all)
{
	const struct row *row = &rows[_i];
	struct fault *disk = fault_begin();
	struct daemon *d = fleet_start();
	struct state s = {.epoch = 1, .weight = 1, .next = 2};

	atomic_store(&disk->tears, row->tears);
	for (int at = 0; at < CALLS_MAX; at += at < 20 ? 1 : 7) {
		int status, failed;

		change(d, &s, true);
		/* A log to be replayed, every second time. */
		if (at % 2 == 1)
			daemon_kill(d);
		else
			daemon_stop(d);
		fault_arm(disk, row->calls, row->error, at, row->lasts);
		status = daemon_try(d);
		failed = fault_disarm(disk);
		if (status >= 0) {
			ck_assert_msg(status == 1, "%s at call %d: exit %d: %s", row->name, at,
			    status, daemon_log(d));
			ck_assert_ptr_nonnull(strstr(daemon_log(d), "hrwd"));
			daemon_launch(d);
		}
		expect_state(d, &s, row, at);
		if (failed == 0)
			break;
	}
	daemon_stop(d);
}
END_TEST

START_TEST(a_store_that_could_not_be_made_is_made_by_the_next_start)
{
	const struct row *row = &rows[_i];
	struct fault *disk = fault_begin();
	struct state s = {.epoch = 1, .weight = 1};

	atomic_store(&disk->tears, row->tears);
	for (int at = 0; at < CALLS_MAX; at += at < 20 ? 3 : 11) {
		struct daemon *d = daemon_prepare(FLEET_CONFIG(""), "--lookup", "127.0.0.1:0",
		    "--admin", "127.0.0.1:0", "--store", "$DIR/hrwd.db", NULL);
		int status, failed;

		fault_arm(disk, row->calls, row->error, at, row->lasts);
		status = daemon_try(d);
		failed = fault_disarm(disk);
		if (status >= 0) {
			ck_assert_int_eq(status, 1);
			daemon_launch(d);
		}
		expect_state(d, &s, row, at);
		daemon_stop(d);
		if (failed == 0)
			break;
	}
}
END_TEST

START_TEST(a_store_that_may_only_be_read_is_refused_and_left_alone)
{
	struct fault *disk = fault_begin();
	struct daemon *d = fleet_start();
	char *before;
	size_t len, len_after;

	post(d->admin, "/nodes/cache-c/drain?report=none", NULL);
	daemon_stop(d);
	before = text_file(d->store, &len);
	fault_arm(disk, FAULT_OPEN, EROFS, 0, true);
	ck_assert_int_eq(daemon_exits_with(d), 1);
	fault_disarm(disk);
	ck_assert_ptr_nonnull(strstr(daemon_log(d), d->store));
	ck_assert_int_eq(memcmp(before, text_file(d->store, &len_after), len), 0);
	ck_assert_uint_eq(len, len_after);
	daemon_launch(d);
	ck_assert_int_eq(epoch_of(d, "default"), 2);
	daemon_stop(d);
}
END_TEST

SUITE(faults)
{
	enum { ROWS = sizeof(rows) / sizeof(*rows) };

	tcase_add_loop_test(tests, a_change_on_a_disk_that_fails_is_made_or_refused, 0, ROWS);
	tcase_add_loop_test(tests, an_upload_on_a_disk_that_fails_leaves_the_former_keys, 0, ROWS);
	tcase_add_loop_test(
	    tests, a_start_on_a_disk_that_fails_is_refused_and_the_next_finds_all, 0, ROWS);
	tcase_add_loop_test(
	    tests, a_store_that_could_not_be_made_is_made_by_the_next_start, 0, ROWS);
	tcase_add_test(tests, a_store_that_may_only_be_read_is_refused_and_left_alone);
}
