/*
 * Redis: the slot that a server computes, and where a cluster of three serves a key.
 */
#include <sys/socket.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/dsl/http.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/interop/match.h"
#include "tests/interop/real.h"

enum { SLOTS = 16384, KEYS = 300, NODES = 3, REPLY_MAX = 8192, CLUSTER_MS = 30000 };

/* Ranges of slots and which server holds each. */
struct split {
	size_t count;
	unsigned first[SLOTS];
	unsigned last[SLOTS];
	size_t holder[SLOTS];
};

/* A reply, its line or the bytes of a bulk; valid until the next. */
static const char *
reply(int fd)
{
	static char line[REPLY_MAX];
	size_t len = 0, want = 0;

	while (want == 0 || len < want) {
		ssize_t got = recv(fd, line + len, want == 0 ? 1 : want - len, 0);

		ck_assert_msg(
		    got > 0 && len + 1 < REPLY_MAX, "no reply behind \"%.*s\"", (int)len, line);
		len += (size_t)got;
		if (want == 0 && line[len - 1] == '\n') {
			line[len - 2] = '\0';
			if (line[0] != '$')
				return line;
			want = strtoul(line + 1, NULL, 10) + 2;
			ck_assert_uint_lt(want, REPLY_MAX);
			len = 0;
		}
	}
	line[len - 2] = '\0';
	return line;
}

/* A command of words, with a key behind it (data NULL: none). */
static const char *
command(int fd, const char *words, struct hrw_bytes key)
{
	char *rest = text("%s", words), *word;
	struct page page = {0}, args = {0};
	unsigned count = 0;

	while ((word = strsep(&rest, " ")) != NULL) {
		page_add(&args, "$%zu\r\n%s\r\n", strlen(word), word);
		count++;
	}
	if (key.data != NULL) {
		page_add(&args, "$%zu\r\n", key.len);
		page_bytes(&args, key.data, key.len);
		page_add(&args, "\r\n");
		count++;
	}
	page_add(&page, "*%u\r\n", count);
	page_bytes(&page, args.data, args.len);
	raw_send(fd, page.data, page.len);
	free(page.data);
	free(args.data);
	return reply(fd);
}

static const char *
order(int fd, const char *words)
{
	return command(fd, words, (struct hrw_bytes){NULL, 0});
}

/* Cuts the slots by chance and deals them out; gives each server its ranges. */
static void
deal(struct trial *t, struct split *split)
{
	struct dice *d = &t->match->dice;
	unsigned first = 0;

	split->count = 0;
	while (first < SLOTS) {
		unsigned left = SLOTS - first;
		size_t i = split->count++;

		split->first[i] = first;
		split->last[i] = first + dice_below(d, left < 2400 ? left : 2400);
		split->holder[i] = i < t->count ? i : dice_below(d, (uint32_t)t->count);
		first = split->last[i] + 1;
	}
	for (size_t n = 0; n < t->count; n++) {
		struct page page = {0};

		page_add(&page, ",\"slots\":[");
		for (size_t i = 0, before = 0; i < split->count; i++)
			if (split->holder[i] == n)
				page_add(&page, "%s[%u,%u]", before++ > 0 ? "," : "",
				    split->first[i], split->last[i]);
		page_add(&page, "]");
		t->server[n].more = kept(page.data);
	}
}

static const char *
holder_of(const struct trial *t, const struct split *split, unsigned slot)
{
	for (size_t i = 0; i < split->count; i++)
		if (slot >= split->first[i] && slot <= split->last[i])
			return t->server[split->holder[i]].name;
	return "";
}

/* Keys with braces everywhere. */
static void
tagged_keys(struct trial *t, size_t count)
{
	static const char *const parts[] = {
	    "{", "}", "{", "}", "{}", "a", "user", "1000", ".x", "\xff"};
	struct dice *d = &t->match->dice;

	for (size_t i = 0; i < count; i++) {
		struct page page = {0};

		page_add(&page, "%u", dice_below(d, 100));
		for (unsigned n = 1 + dice_below(d, 9); n > 0; n--)
			page_add(&page, "%s",
			    parts[dice_below(d, (uint32_t)(sizeof(parts) / sizeof(*parts)))]);
		trial_key(t, page.data, page.len);
		free(page.data);
	}
}

/* Its servers talk on their port + 10000. */
static struct real *
redis_start(const struct daemon *d, const struct server *s)
{
	return real_start(d, s->address, "redis-server", "--port", text("%u", s->port), "--bind",
	    s->host, "--cluster-announce-ip", s->host, "--cluster-enabled", "yes",
	    "--cluster-config-file", text("%s.conf", s->name), "--cluster-node-timeout", "2000",
	    "--cluster-require-full-coverage", "no", "--save", "", "--dir", "$DIR", NULL);
}

START_TEST(slots_are_those_of_a_redis_server)
{
	static struct split split;
	struct match *m = match_new(SPEAKS_MEMCACHED);
	struct trial *t = trial_add(m, "{'name':'redis-cluster'}", 12, 0);
	struct real *redis;
	int fd;

	deal(t, &split);
	trial_keys(t, KEYS, 200, NULL);
	tagged_keys(t, KEYS);
	match_start(m);
	redis = redis_start(m->daemon, &t->server[0]);
	fd = raw_open(text("http://%s", t->server[0].address));
	ck_assert_int_ge(fd, 0);
	for (size_t i = 0; i < t->keys; i++) {
		const char *slot = command(fd, "CLUSTER KEYSLOT", t->key[i]);

		ck_assert_int_eq(slot[0], ':');
		trial_compare(t, i, holder_of(t, &split, (unsigned)strtoul(slot + 1, NULL, 10)));
	}
	close(fd);
	real_end(redis, SIGTERM);
	match_end(m);
}
END_TEST

/* Sends a command for each range of a server. */
static void
for_ranges(int fd, const char *words, const struct split *split, size_t holder)
{
	for (size_t i = 0; i < split->count; i++)
		if (split->holder[i] == holder)
			order(fd, text("%s %u %u", words, split->first[i], split->last[i]));
}

/* Waits until every server knows that so many slots are served. */
static void
wait_for_cluster(const int *fd, unsigned slots)
{
	double deadline = now_ms() + CLUSTER_MS;
	const char *assigned = text("cluster_slots_assigned:%u\r\n", slots);

	for (size_t i = 0; i < NODES;) {
		const char *info = order(fd[i], "CLUSTER INFO");

		if (strstr(info, "cluster_state:ok") != NULL && strstr(info, assigned) != NULL) {
			i++;
			continue;
		}
		ck_assert_msg(now_ms() < deadline, "the cluster does not come together: %s", info);
		pause_ms(20);
	}
}

static void
cluster_make(const struct trial *t, const int *fd, const struct split *split)
{
	for (size_t i = 0; i < NODES; i++) {
		ck_assert_str_eq(order(fd[i], text("CLUSTER SET-CONFIG-EPOCH %zu", i + 1)), "+OK");
		for_ranges(fd[i], "CLUSTER ADDSLOTSRANGE", split, i);
	}
	for (size_t i = 1; i < NODES; i++)
		ck_assert_str_eq(
		    order(fd[0], text("CLUSTER MEET %s %u", t->server[i].host, t->server[i].port)),
		    "+OK");
	wait_for_cluster(fd, SLOTS);
}

/* The server that takes the key when any one is asked: itself, or where it sends
 * us; "" where nobody serves the slot. */
static const char *
served_by(const struct trial *t, const int *fd, struct hrw_bytes key)
{
	size_t asked = dice_below(&t->match->dice, NODES);
	const char *said = command(fd[asked], "INCR", key), *address;

	if (said[0] == ':')
		return t->server[asked].name;
	if (strncmp(said, "-CLUSTERDOWN Hash slot not served", 33) == 0)
		return "";
	address = strrchr(said, ' ');
	for (size_t i = 0; i < NODES && address != NULL; i++)
		if (strcmp(address + 1, t->server[i].address) == 0)
			return t->server[i].name;
	return text("%s", said);
}

/* Takes a server's slots away from it. */
static void
cluster_drain(const int *fd, const struct split *split, size_t holder)
{
	unsigned left = SLOTS;

	for (size_t i = 0; i < split->count; i++)
		if (split->holder[i] == holder)
			left -= split->last[i] - split->first[i] + 1;
	for (size_t i = 0; i < NODES; i++)
		for_ranges(fd[(holder + i) % NODES], "CLUSTER DELSLOTSRANGE", split, holder);
	wait_for_cluster(fd, left);
}

START_TEST(a_cluster_serves_a_key_where_hrwd_says)
{
	static struct split split;
	struct match *m = match_new(SPEAKS_MEMCACHED);
	struct trial *t = trial_add(m, "{'name':'redis-cluster'}", NODES, 0);
	struct trial *drained = trial_add(m, "{'name':'redis-cluster'}", NODES, 0);
	struct real *redis[NODES];
	int fd[NODES];

	deal(t, &split);
	trial_keys(t, KEYS, 200, NULL);
	tagged_keys(t, KEYS);
	memcpy(drained->server, t->server, NODES * sizeof(*t->server));
	drained->server[NODES - 1].is_down = true;
	for (size_t i = 0; i < t->keys; i++)
		trial_key(drained, t->key[i].data, t->key[i].len);
	match_start(m);
	for (size_t i = 0; i < NODES; i++) {
		redis[i] = redis_start(m->daemon, &t->server[i]);
		fd[i] = raw_open(text("http://%s", t->server[i].address));
		ck_assert_int_ge(fd[i], 0);
	}
	cluster_make(t, fd, &split);
	for (size_t i = 0; i < t->keys; i++)
		trial_compare(t, i, served_by(t, fd, t->key[i]));
	cluster_drain(fd, &split, NODES - 1);
	for (size_t i = 0; i < drained->keys; i++)
		trial_compare(drained, i, served_by(drained, fd, drained->key[i]));
	for (size_t i = 0; i < NODES; i++) {
		close(fd[i]);
		real_end(redis[i], SIGTERM);
	}
	match_end(m);
}
END_TEST

SUITE(redis)
{
	if (!program_is_here("redis-server", "redis-server", 2))
		return;
	tcase_add_test(tests, slots_are_those_of_a_redis_server);
	tcase_add_test(tests, a_cluster_serves_a_key_where_hrwd_says);
}
