/*
 * Memory that hard work took goes back to the system when the work is over.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

/* A sanitizer keeps what is freed, to catch whoever uses it still. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

enum {
	KEYS = 1000000,
	AT_ONCE = 4,
	LEFT_KIB = 6 << 10, /* above the start: threads, what SQLite keeps of the store */
	BACK_MS = 20000,
};

struct asker {
	pthread_t thread;
	const struct daemon *d;
	const char *body;
	struct answer *owners, *keys, *plan;
};

static void *
work_hard(void *arg)
{
	struct asker *a = arg;

	a->owners =
	    ask(a->d->lookup, "POST", "/owners?copies=2", "Content-Type: text/plain", a->body);
	a->keys = ask(a->d->admin, "GET", "/keys", "Accept: text/plain", NULL);
	a->plan = post(a->d->admin, "/changes?dry_run=true&wait=60", "{\"copies\":1}");
	return NULL;
}

START_TEST(what_uploads_lists_batches_and_plans_took_is_given_back)
{
	struct daemon *d = daemon_start(FLEET_CONFIG("\"workers\":2,"), NULL);
	const char *body = numbered_keys("some-longer-key-", KEYS);
	struct asker asker[AT_ONCE];
	double deadline;
	long begun = daemon_resident(d), most;

	expect(keys_put(d, body), "keys", text("%d", KEYS));
	for (int i = 0; i < AT_ONCE; i++) {
		asker[i] = (struct asker){.d = d, .body = body};
		ck_assert_int_eq(pthread_create(&asker[i].thread, NULL, work_hard, &asker[i]), 0);
	}
	for (int i = 0; i < AT_ONCE; i++) {
		pthread_join(asker[i].thread, NULL);
		expect_status(asker[i].owners, 200);
		expect_status(asker[i].keys, 200);
		ck_assert(asker[i].plan->status == 200 || asker[i].plan->status == 429);
	}
	expect(ask(d->admin, "POST", "/keys", "Content-Type: text/plain", body), "added", "0");
	most = daemon_resident(d);
	deadline = now_ms() + BACK_MS;
	while (daemon_resident(d) - begun > LEFT_KIB && now_ms() < deadline)
		pause_ms(100);
	ck_assert_msg(daemon_resident(d) - begun <= LEFT_KIB,
	    "%ld KiB at the start, %ld when it was busy, %ld long after", begun, most,
	    daemon_resident(d));
	/* It was hard work, or this would say nothing. */
	ck_assert_int_gt(most - begun, LEFT_KIB);
	daemon_stop(d);
}
END_TEST

#endif

/* A value of its environment; NULL: not there. */
static const char *
setting_of(const struct daemon *d, const char *name)
{
	size_t size, len = strlen(name);
	const char *all = text_file(text("/proc/%d/environ", (int)d->pid), &size);

	for (const char *at = all; at < all + size; at += strlen(at) + 1)
		if (strncmp(at, name, len) == 0 && at[len] == '=')
			return at + len + 1;
	return NULL;
}

/* The setting that it would tell the allocator so is not in its environment. */
START_TEST(it_never_starts_itself_anew)
{
	static const char name[] = "GLIBC_TUNABLES";
	struct daemon *d;

	unsetenv(name);
	d = fleet_start();
	ck_assert_ptr_null(setting_of(d, name));
	daemon_stop(d);
	setenv(name, "glibc.malloc.tcache_count=0", 1);
	daemon_launch(d);
	ck_assert_str_eq(setting_of(d, name), "glibc.malloc.tcache_count=0");
	unsetenv(name);
	daemon_stop(d);
}
END_TEST

SUITE(memory)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, it_never_starts_itself_anew);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	tcase_add_test(tests, what_uploads_lists_batches_and_plans_took_is_given_back);
#endif
}
