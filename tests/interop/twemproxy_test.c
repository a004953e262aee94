/*
 * twemproxy in front of fake memcached servers.
 */
#include <sys/socket.h>

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/dsl/http.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/interop/match.h"
#include "tests/interop/real.h"

enum { KEYS = 150, SERVERS_MAX = 16, REPLY_MAX = 1024, PROBES = 3000 };

static const char *const hashes[] = {NULL, "one_at_a_time", "md5", "crc16", "crc32", "crc32a",
    "fnv1_64", "fnv1a_64", "fnv1_32", "fnv1a_32", "hsieh", "murmur", "jenkins"};
static const char *const tags[] = {NULL, "{}", NULL, "$$", "<>"};

enum { HASHES = sizeof(hashes) / sizeof(*hashes), TAGS = sizeof(tags) / sizeof(*tags) };

static bool
is_key_byte(unsigned char c)
{
	return c > 0x20 && c != 0x7f;
}

/* Keys with the characters of every tag. */
static void
tagged_keys(struct trial *t, size_t count)
{
	static const char marks[] = "{}<>$ab7{}$";
	struct dice *d = &t->match->dice;

	for (size_t i = 0; i < count; i++) {
		char key[24];
		size_t len = 1 + dice_below(d, sizeof(key));

		for (size_t at = 0; at < len; at++)
			key[at] = marks[dice_below(d, sizeof(marks) - 1)];
		trial_key(t, key, len);
	}
}

/* A pool for each hash. A third of the servers listen where memcached does, a
 * third has names, some longer than others: they are sorted by length. */
static struct match *
twemproxy_pools(const char *placement)
{
	struct match *m = match_new(SPEAKS_MEMCACHED);

	for (unsigned i = 0; i < HASHES; i++) {
		size_t count = 2 + dice_below(&m->dice, SERVERS_MAX - 1);
		const char *tag = tags[i % TAGS];
		struct trial *t = trial_add(m,
		    text("{'name':'%s'%s%s%s}", placement,
			hashes[i] != NULL ? text(",'hash':'%s'", hashes[i]) : "",
			tag != NULL ? ",'hash_tag':" : "", tag != NULL ? text("'%s'", tag) : ""),
		    count, i);

		for (size_t n = 0; n < count; n++)
			if (n % 3 == 0)
				server_readdress(t, &t->server[n], 11211);
			else if (n % 3 == 1)
				t->server[n].hash_name = text("%.*s%zu",
				    (int)dice_below(&m->dice, 4) * 3, "mc-Cache9", count - n);
		trial_keys(t, KEYS, 250, is_key_byte);
		if (tag != NULL)
			tagged_keys(t, KEYS);
	}
	return m;
}

/* Who is down does not listen: twemproxy finds out and leaves it out. */
static const char *
twemproxy_yml(struct match *m, const char *distribution, const char **listens)
{
	struct page page = {0};
	size_t i = 0;

	match_each (t, m) {
		listens[i] = loopback_address(&m->dice, 0);
		page_add(&page,
		    "%s:\n  listen: %s\n  distribution: %s\n  auto_eject_hosts: true\n"
		    "  server_failure_limit: 1\n  server_retry_timeout: 600000\n  timeout: 5000\n",
		    t->pool, listens[i], distribution);
		if (hashes[i] != NULL)
			page_add(&page, "  hash: %s\n", hashes[i]);
		if (tags[i % TAGS] != NULL)
			page_add(&page, "  hash_tag: \"%s\"\n", tags[i % TAGS]);
		page_add(&page, "  servers:\n");
		for (size_t n = 0; n < t->count; n++) {
			const struct server *s = &t->server[n];

			page_add(&page, "   - %s:%.0f%s%s\n", s->address, s->weight,
			    s->hash_name != NULL ? " " : "",
			    s->hash_name != NULL ? s->hash_name : "");
			if (!s->is_down)
				fakes_add(m->fakes, s->address, s->name);
		}
		i++;
	}
	return kept(page.data);
}

/* The name in "VALUE key 0 len\r\nname\r\nEND\r\n"; NULL where an error came. */
static const char *
get_key(int fd, struct hrw_bytes key)
{
	static char said[REPLY_MAX];
	struct page request = {0};
	size_t len = 0;

	page_add(&request, "get ");
	page_bytes(&request, key.data, key.len);
	page_add(&request, "\r\n");
	raw_send(fd, request.data, request.len);
	free(request.data);
	for (;;) {
		ssize_t got = recv(fd, said + len, sizeof(said) - 1 - len, 0);

		ck_assert_msg(got > 0, "twemproxy hung up: \"%.*s\"", (int)len, said);
		len += (size_t)got;
		said[len] = '\0';
		if (len > 7 && strcmp(said + len - 7, "\r\nEND\r\n") == 0)
			break;
		if (memcmp(said, "VALUE", 5) != 0 && said[len - 1] == '\n')
			return NULL;
	}
	said[len - 7] = '\0';
	return strrchr(said, '\n') + 1;
}

static bool
has_down(const struct trial *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->server[i].is_down)
			return true;
	return false;
}

/* Errors are how twemproxy learns who is down, so everybody must be asked: until
 * a round has none. */
static void
let_it_learn(int fd)
{
	size_t errors = 1;

	for (unsigned rounds = 0; errors > 0; rounds++) {
		ck_assert_uint_lt(rounds, SERVERS_MAX);
		errors = 0;
		for (size_t i = 0; i < PROBES; i++)
			errors += get_key(fd, hrw_text(text("%zu-probe-%zu", i % 89, i))) == NULL;
	}
}

static void
compare_with_twemproxy(const char *placement, const char *distribution)
{
	struct match *m = twemproxy_pools(placement);
	const char *listens[HASHES], *yml, *stats = strchr(loopback_address(&m->dice, 0), ':') + 1;
	struct real *twemproxy;
	size_t i = 0;

	match_start(m);
	yml = twemproxy_yml(m, distribution, listens);
	fakes_run(m->fakes);
	daemon_write(m->daemon, "twemproxy.yml", yml, strlen(yml));
	twemproxy = real_start(m->daemon, listens[0], "nutcracker", "-c", "$DIR/twemproxy.yml",
	    "-a", "127.0.0.1", "-s", stats, NULL);
	match_each (t, m) {
		int fd = raw_open(text("http://%s", listens[i++]));

		ck_assert_int_ge(fd, 0);
		if (has_down(t))
			let_it_learn(fd);
		for (size_t k = 0; k < t->keys; k++) {
			const char *name = get_key(fd, t->key[k]);

			trial_compare(t, k, name != NULL ? name : "an error");
		}
		close(fd);
	}
	real_end(twemproxy, SIGTERM);
	match_end(m);
}

START_TEST(ketama_chooses_as_twemproxy_does)
{
	compare_with_twemproxy("twemproxy-ketama", "ketama");
}
END_TEST

START_TEST(modula_chooses_as_twemproxy_does)
{
	compare_with_twemproxy("twemproxy-modula", "modula");
}
END_TEST

SUITE(twemproxy)
{
	if (!program_is_here("nutcracker", "nutcracker", 2))
		return;
	tcase_add_test(tests, ketama_chooses_as_twemproxy_does);
	tcase_add_test(tests, modula_chooses_as_twemproxy_does);
}
