/*
 * hrwctl on a terminal: questions, colours, the bar, Ctrl-C; and what it follows.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/dsl/ctl.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

START_TEST(a_change_is_made_when_it_was_agreed_to)
{
	struct daemon *d = fleet_with_photos();
	static const struct {
		const char *keys;
		int status;
		long epoch;
	} rows[] = {{"\n", 1, 1}, {"n\n", 1, 1}, {"maybe\n", 1, 1}, {"\x04", 1, 1},
	    {"\x03", 130, 1}, {"y\n", 0, 2}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct screen *s = screen_open(d, "drain", "cache-c", NULL);

		screen_wait(s, "apply? [y/N] ");
		/* The report stands above the question. */
		ck_assert_ptr_nonnull(strstr(s->text, "24 stored keys: 13 change holders"));
		screen_type(s, rows[i].keys);
		ck_assert_int_eq(screen_end(s), rows[i].status);
		ck_assert_ptr_nonnull(
		    strstr(s->text, rows[i].status == 0 ? "applied" : "nothing is changed"));
		ck_assert_int_eq(epoch_of(d, "default"), rows[i].epoch);
	}
}
END_TEST

START_TEST(colours_are_for_a_terminal_that_wants_them)
{
	struct daemon *d = fleet_with_photos();
	struct screen *s = screen_open(d, "nodes", NULL);

	ck_assert_int_eq(screen_end(s), 0);
	ck_assert_ptr_nonnull(strstr(s->text, "\x1b[1mNODE\x1b[0m"));
	setenv("NO_COLOR", "1", 1);
	s = screen_open(d, "nodes", NULL);
	ck_assert_int_eq(screen_end(s), 0);
	ck_assert_ptr_null(strchr(s->text, '\x1b'));
	unsetenv("NO_COLOR");
	ck_assert_ptr_null(strchr(ctl(d, "nodes", NULL)->out, '\x1b'));
}
END_TEST

START_TEST(a_table_on_a_terminal_ends_where_its_lines_do)
{
	enum { COLUMNS = 120 };
	static const char rest[] = "and-this-is-the-rest-of-it";
	struct daemon *d = fleet_start();
	const char *reason = text("%0*d%s", COLUMNS, 0, rest);
	struct screen *s;
	char *lines, *line;
	bool is_cut = false;

	expect_ran(ctl(d, "drain", "cache-c", "--yes", "--reason", reason, NULL), 0);
	s = screen_open(d, "history", NULL);
	ck_assert_int_eq(screen_end(s), 0);
	ck_assert_ptr_null(strstr(s->text, rest));
	setenv("NO_COLOR", "1", 1);
	s = screen_open(d, "history", NULL);
	ck_assert_int_eq(screen_end(s), 0);
	lines = text("%s", s->text);
	while ((line = strsep(&lines, "\n")) != NULL) {
		char *mark = strstr(line, "…");

		is_cut = is_cut || mark != NULL;
		/* The mark has three bytes, "\r" one. */
		ck_assert_uint_le(strlen(line), COLUMNS + 1 + (mark != NULL ? 2 : 0));
	}
	ck_assert(is_cut);
	/* Who reads a pipe gets all of it. */
	ck_assert_ptr_nonnull(strstr(expect_ran(ctl(d, "history", NULL), 0)->out, rest));
}
END_TEST

START_TEST(a_key_cannot_speak_to_the_terminal)
{
	struct daemon *d = fleet_start();
	struct screen *s;

	expect_status(keys_put(d, "\x1b[31mred\n"), 200);
	s = screen_open(d, "keys", "get", NULL);
	ck_assert_int_eq(screen_end(s), 0);
	ck_assert_str_eq(s->text, "\\x1b[31mred\r\n");
	/* On a pipe it is what it is. */
	ck_assert_str_eq(ctl(d, "keys", "get", NULL)->out, "\x1b[31mred\n");
}
END_TEST

/* A pool that is long in planning: many nodes, many keys. */
static struct daemon *
slow_fleet(void)
{
	struct page config = {0};
	struct daemon *d;

	page_add(&config,
	    "{\"limits\":{\"nodes\":1024},\"pools\":{\"default\":{\"copies\":2,\"nodes\":[");
	for (int i = 0; i < 1024; i++)
		page_add(&config, "%s{\"name\":\"n%d\",\"address\":\"h:1\",\"weight\":%d}",
		    i > 0 ? "," : "", i, 1 + i % 7);
	page_add(&config, "]}}}");
	d = daemon_start(kept(config.data), NULL);
	expect_status(keys_put(d, numbered_keys("key-", 400000)), 200);
	return d;
}

START_TEST(a_long_plan_shows_a_bar_can_be_left_and_is_taken_up_again)
{
	struct daemon *d = slow_fleet();
	struct screen *s = screen_open(d, "drain", "n7", NULL);
	const char *id;

	screen_wait(s, "of 400,000 keys");
	ck_assert_ptr_nonnull(strstr(s->text, "\r["));
	screen_type(s, "\x03");
	ck_assert_int_eq(screen_end(s), 130);
	id = strstr(s->text, "hrwctl plan show ");
	ck_assert_msg(id != NULL, "%s", s->text);
	id = text("%.28s", id + strlen("hrwctl plan show "));
	ck_assert_int_eq(epoch_of(d, "default"), 1);

	s = screen_open(d, "plan", "show", id, "--watch", NULL);
	ck_assert_int_eq(screen_end(s), 0);
	ck_assert_ptr_nonnull(strstr(s->text, "400,000 stored keys: "));
	/* Of 1,024 nodes only those are shown that gain or lose. */
	ck_assert_ptr_nonnull(strstr(s->text, "pairs of nodes that keys move between"));
	ck_assert_ptr_nonnull(strstr(expect_ran(ctl(d, "nodes", NULL), 0)->out, " 0.098 %"));

	/* Of what is so already nobody waits for a report. */
	expect_status(post(d->admin, "/nodes/n7/drain?report=none", NULL), 200);
	s = screen_open(d, "drain", "n7", NULL);
	ck_assert_int_eq(screen_end(s), 0);
	ck_assert_str_eq(s->text, "already so: nothing is changed\r\n");
}
END_TEST

START_TEST(a_terminal_that_moves_no_cursor_gets_no_sequence)
{
	struct daemon *d = slow_fleet();
	struct screen *s;

	ctl_term = "dumb";
	s = screen_open(d, "drain", "n7", NULL);
	screen_wait(s, "apply? [y/N] "); /* it is asked all the same */
	screen_type(s, "y\n");
	ck_assert_int_eq(screen_end(s), 0);
	ck_assert_ptr_null(strchr(s->text, '\x1b'));
	ck_assert_ptr_null(strstr(s->text, "\r["));
}
END_TEST

/* A report that a restart ended is none, to whoever waited for it. */
START_TEST(a_report_that_was_stopped_is_told_from_one_that_is_done)
{
	struct daemon *d = slow_fleet();
	struct answer *a = ask(d->admin, "POST", "/plan",
	    "Prefer: respond-async\nContent-Type: application/json", "{\"drain\":[\"n7\"]}");
	const char *id = text_at(a, "plan");
	struct ran *r;

	daemon_stop(d);
	daemon_launch(d);
	expect(get(d->admin, text("/plans/%s", id)), "state", "'stopped'");
	r = expect_ran(ctl(d, "plan", "show", id, "--watch", NULL), 1);
	ck_assert_ptr_nonnull(strstr(r->err, "the report is stopped"));
	r = expect_ran(ctl(d, "plan", "show", id, NULL), 0);
	ck_assert_ptr_nonnull(strstr(r->out, "the report is stopped"));
}
END_TEST

START_TEST(keys_that_are_sent_can_be_left)
{
	struct daemon *d = fleet_start();
	const char *keys = numbered_keys("a-key-that-is-somewhat-longer-than-others-are-", 2000000);
	struct screen *s;

	expect_status(keys_put(d, photos()), 200);
	daemon_write(d, "keys", keys, strlen(keys));
	s = screen_open(d, "keys", "put", daemon_path(d, "keys"), NULL);
	screen_wait(s, "\r[");
	screen_type(s, "\x03");
	ck_assert_int_eq(screen_end(s), 130);
	/* The bar is gone, and what became of the keys is said. */
	ck_assert_msg(strstr(s->text, "\r\x1b[Khrwctl: left: the keys are as they were") != NULL,
	    "%s", s->text);
	expect(get(d->admin, "/keys/stats"), "keys", "24");
}
END_TEST

START_TEST(a_drain_is_followed_until_all_copies_are_in_place)
{
	struct daemon *d = fleet_with_photos();
	struct screen *s = screen_open(d, "drain", "cache-c", "--yes", "--wait", NULL);

	screen_wait(s, "waiting until");
	expect_status(ask(d->admin, "POST", "/pools/default/settle", NULL, NULL), 200);
	ck_assert_int_eq(screen_end(s), 0);
	ck_assert_ptr_nonnull(strstr(s->text, "cache-c may be switched off"));

	/* In a settled pool it is at its end already; a removed node is, too. */
	ck_assert_ptr_nonnull(strstr(expect_ran(ctl(d, "drain", "cache-c", "--wait", NULL), 0)->out,
	    "cache-c may be switched off"));
	/* What it waits for is said meanwhile. */
	expect_ran(ctl(d, "activate", "cache-c", "--yes", NULL), 0); /* it joins, and is filled */
	expect_ran(ctl(d, "activate", "cache-c", "--yes", NULL), 0);
	s = screen_open(d, "drain", "cache-c", "--yes", "--wait", NULL);
	screen_wait(s, "waiting until");
	screen_wait(s, "copies are to be made");
	expect_status(del(d->admin, "/nodes/cache-c"), 200);
	ck_assert_int_eq(screen_end(s), 0);
	ck_assert_ptr_nonnull(strstr(s->text, "cache-c is removed"));
}
END_TEST

START_TEST(a_drain_that_is_called_off_and_one_that_is_left_are_told_apart)
{
	struct daemon *d = fleet_with_photos();
	struct screen *s = screen_open(d, "drain", "cache-c", "--yes", "--wait", NULL);

	screen_wait(s, "waiting until");
	expect_status(ask(d->admin, "POST", "/nodes/cache-c/activate", NULL, NULL), 200);
	ck_assert_int_eq(screen_end(s), 1);
	ck_assert_ptr_nonnull(strstr(s->text, "drains no more"));
	s = screen_open(d, "drain", "cache-c", "--yes", "--wait", NULL);
	screen_wait(s, "waiting until");
	screen_type(s, "\x03");
	ck_assert_int_eq(screen_end(s), 130);
	ck_assert_str_eq(state_of(d, "cache-c"), "draining");
}
END_TEST

/* A drain takes hours: whoever waits for its end waits over a restart, too. */
START_TEST(a_drain_is_followed_over_restarts)
{
	struct daemon *d = daemon_start(
	    FLEET_CONFIG("\"listen\":{\"lookup\":\"off\",\"admin\":\"unix:$DIR/admin\"},"), NULL);
	struct screen *s = screen_open(d, "drain", "cache-c", "--yes", "--wait", NULL);

	screen_wait(s, "waiting until");
	for (int i = 0; i < 2; i++) {
		if (i == 0)
			daemon_stop(d);
		else
			daemon_kill(d);
		screen_wait(s, text("hrwctl: hrwd is away from unix:%s/admin (", d->dir));
		pause_ms(1500);
		daemon_launch(d);
		screen_wait(s, "hrwctl: hrwd is back at unix:");
		ck_assert_ptr_null(strstr(strstr(s->text, "is away") + 1, "is away"));
		s->text = text("%s", "");
	}
	/* While it is away it can be left; and the same command waits again. */
	daemon_stop(d);
	screen_wait(s, "is away");
	screen_type(s, "\x03");
	ck_assert_int_eq(screen_end(s), 130);
	daemon_launch(d);
	s = screen_open(d, "drain", "cache-c", "--yes", "--wait", NULL);
	screen_wait(s, "waiting until");
	daemon_stop(d);
	daemon_launch(d);
	expect_status(ask(d->admin, "POST", "/pools/default/settle", NULL, NULL), 200);
	/* For a minute nobody knows whom lookups of before have named. */
	screen_wait(s, "asked: hrwd was started ");
	screen_type(s, "\x03");
	ck_assert_int_eq(screen_end(s), 130);
}
END_TEST

START_TEST(a_watch_prints_each_change)
{
	struct daemon *d = fleet_with_photos();
	struct screen *s = screen_open(d, "watch", "--count", "2", NULL);

	screen_wait(s, "pool default, epoch 1, 4 nodes");
	expect_status(ask(d->admin, "POST", "/nodes/cache-c/drain", NULL, NULL), 200);
	screen_wait(s, "epoch 2, not settled");
	screen_wait(s, "cache-c: state \"active\" to \"draining\"");
	expect_status(post(d->admin, "/changes",
			  "{\"remove\":[\"cache-c\"],\"add\":[{\"name\":\"cache-e\","
			  "\"address\":\"h:1\"}],\"reweight\":{\"cache-a\":2}}"),
	    200);
	ck_assert_int_eq(screen_end(s), 0);
	ck_assert_ptr_nonnull(strstr(s->text, "cache-a: weight 1 to 2"));
	ck_assert_ptr_nonnull(strstr(s->text, "cache-e: added, joining, at h:1"));
	ck_assert_ptr_nonnull(strstr(s->text, "cache-c: removed"));
}
END_TEST

START_TEST(a_watch_goes_on_over_a_restart_and_ends_with_its_pool)
{
	struct daemon *d = daemon_start(
	    FLEET_CONFIG("\"listen\":{\"lookup\":\"off\",\"admin\":\"unix:$DIR/admin\"},"), NULL);
	struct screen *s = screen_open(d, "watch", NULL);

	screen_wait(s, "pool default, epoch 1, 4 nodes");
	expect_status(ask(d->admin, "POST", "/nodes/cache-c/drain", NULL, NULL), 200);
	screen_wait(s, "epoch 2, not settled");
	daemon_stop(d);
	daemon_launch(d);
	expect_status(ask(d->admin, "DELETE", "/nodes/cache-c", NULL, NULL), 200);
	screen_wait(s, "epoch 3");
	screen_wait(s, "cache-c: removed");
	ck_assert_ptr_null(strstr(strstr(s->text, "epoch 2") + 1, "epoch 2"));
	expect_status(del(d->admin, "/pools/default?force=pool-not-empty"), 200);
	ck_assert_int_eq(screen_end(s), 1);
	ck_assert_ptr_nonnull(strstr(s->text, "the pool was dropped"));
}
END_TEST

/* Killed, and away for longer than an attempt takes: the watch goes on from where it
 * was, as after an orderly stop. */
START_TEST(a_watch_waits_for_a_daemon_that_was_killed)
{
	struct daemon *d = daemon_start(
	    FLEET_CONFIG("\"listen\":{\"lookup\":\"off\",\"admin\":\"unix:$DIR/admin\"},"), NULL);
	struct screen *s = screen_open(d, "watch", "--count", "3", NULL);

	screen_wait(s, "pool default, epoch 1, 4 nodes");
	expect_status(ask(d->admin, "POST", "/nodes/cache-c/drain", NULL, NULL), 200);
	screen_wait(s, "epoch 2, not settled");
	for (int i = 0; i < 2; i++) {
		if (i == 0)
			daemon_kill(d);
		else
			daemon_stop(d);
		screen_wait(s, text("hrwctl: hrwd is away from unix:%s/admin (", d->dir));
		pause_ms(1500);
		daemon_launch(d);
		/* Before it is asked again: what was missed is told all the same. */
		expect_status(
		    patch(d->admin, "/nodes/cache-a", text("{\"weight\":%d}", i + 2)), 200);
		screen_wait(s, "hrwctl: hrwd is back at unix:");
		screen_wait(s, text("weight %d to %d", i + 1, i + 2));
		ck_assert_ptr_null(strstr(strstr(s->text, "is away") + 1, "is away"));
		s->text = text("%s", "");
	}
	ck_assert_int_eq(screen_end(s), 0);
	ck_assert_ptr_null(strstr(s->text, "epoch 1,"));
}
END_TEST

START_TEST(a_watch_that_never_found_a_daemon_ends)
{
	struct daemon *d = daemon_prepare(NULL, NULL);
	const char *nowhere = text("unix:%s/nobody", d->dir);
	struct ran *r = expect_ran(ctl(NULL, "--admin", nowhere, "watch", NULL), 3);

	ck_assert_ptr_nonnull(strstr(r->err, "no hrwd answers at"));
	ck_assert_ptr_null(strstr(r->err, "away"));
}
END_TEST

START_TEST(a_watch_of_a_daemon_that_is_away_can_be_left)
{
	struct daemon *d = fleet_start();
	struct screen *s = screen_open(d, "watch", NULL);

	screen_wait(s, "pool default, epoch 1, 4 nodes");
	daemon_kill(d);
	screen_wait(s, "is away");
	pause_ms(2000);
	screen_type(s, "\x03");
	ck_assert_int_eq(screen_end(s), 130);
}
END_TEST

SUITE(ctl_terminal)
{
	tcase_add_test(tests, a_change_is_made_when_it_was_agreed_to);
	tcase_add_test(tests, colours_are_for_a_terminal_that_wants_them);
	tcase_add_test(tests, a_table_on_a_terminal_ends_where_its_lines_do);
	tcase_add_test(tests, a_key_cannot_speak_to_the_terminal);
	tcase_add_test(tests, a_long_plan_shows_a_bar_can_be_left_and_is_taken_up_again);
	tcase_add_test(tests, a_terminal_that_moves_no_cursor_gets_no_sequence);
	tcase_add_test(tests, a_report_that_was_stopped_is_told_from_one_that_is_done);
	tcase_add_test(tests, keys_that_are_sent_can_be_left);
	tcase_add_test(tests, a_drain_is_followed_until_all_copies_are_in_place);
	tcase_add_test(tests, a_drain_that_is_called_off_and_one_that_is_left_are_told_apart);
	tcase_add_test(tests, a_drain_is_followed_over_restarts);
	tcase_add_test(tests, a_watch_prints_each_change);
	tcase_add_test(tests, a_watch_goes_on_over_a_restart_and_ends_with_its_pool);
	tcase_add_test(tests, a_watch_waits_for_a_daemon_that_was_killed);
	tcase_add_test(tests, a_watch_that_never_found_a_daemon_ends);
	tcase_add_test(tests, a_watch_of_a_daemon_that_is_away_can_be_left);
}
