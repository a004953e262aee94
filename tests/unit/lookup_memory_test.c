/*
 * lookup_memory_test.c - a lookup over HTTP, from its bytes to the answer's,
 * allocates nothing of ours once its loop is warm.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/members/pool.h"
#include "daemon/members/snapshot.h"
#include "tests/dsl/allocations.h"
#include "tests/dsl/http.h"
#include "tests/dsl/nodes.h"
#include "tests/dsl/site.h"
#include "tests/dsl/suite.h"

/* One request and its answer, without an allocation on this side either: Check's
 * own assertions make some. */
static bool
look_up(int fd, const char *path, const char *headers, int key)
{
	char room[4096];
	int len = snprintf(room, sizeof(room), "GET %s?key=photo-%d HTTP/1.1\r\nHost: x\r\n%s\r\n",
	    path, key, headers);
	ssize_t got;

	if (send(fd, room, (size_t)len, 0) != len)
		return false;
	/* One send of the daemon's on loopback is one receive here. */
	got = recv(fd, room, sizeof(room), 0);
	return got > 12 && strncmp(room, "HTTP/1.1 200", 12) == 0;
}

static void
count_lookups(const char *path, const char *headers)
{
	struct hrw_membership *m = draft("a b c d e f g h");
	struct snapshot *empty = snapshot_new("default"), *pools;
	size_t before, good = 0;
	int fd;

	ck_assert_int_eq(hrw_membership_freeze(m, NULL, NULL), 0);
	pools = snapshot_with(empty, "default", pool_new("default", 1, NULL, &pool_no_terms, m, m));
	snapshot_release(empty);
	fd = raw_open(site_start_pools(pools));
	for (int key = 100; key < 200; key++)
		good += look_up(fd, path, headers, key);
	before = allocations();
	for (int key = 200; key < 1000; key++)
		good += look_up(fd, path, headers, key);
	ck_assert_uint_eq(allocations(), before);
	ck_assert_uint_eq(good, 900);
	close(fd);
	site_stop();
}

START_TEST(an_owner_is_told_without_an_allocation)
{
	count_lookups("/owner", "");
}
END_TEST

START_TEST(replicas_are_told_without_an_allocation)
{
	count_lookups("/replicas", "");
}
END_TEST

START_TEST(bare_names_are_told_without_an_allocation)
{
	count_lookups("/owner", "Accept: text/plain\r\n");
}
END_TEST

SUITE(lookup_memory)
{
	tcase_add_test(tests, an_owner_is_told_without_an_allocation);
	tcase_add_test(tests, replicas_are_told_without_an_allocation);
	tcase_add_test(tests, bare_names_are_told_without_an_allocation);
}
