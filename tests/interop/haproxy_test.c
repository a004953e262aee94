/*
 * HAProxy as it balances: both of its tables, every hash, every way to a key.
 */
#include <signal.h>
#include <stdlib.h>

#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/interop/match.h"
#include "tests/interop/proxy.h"
#include "tests/interop/real.h"

enum { KEYS = 120, SERVERS_MAX = 16 };

/* Where HAProxy finds a key. */
enum source { WHOLE_HEADER, LISTED_HEADER, QUERY, TARGET };

/* One function, written down for both sides. */
struct way {
	const char *params;    /* of the placement, each behind a comma */
	const char *hash_type; /* behind "hash-type METHOD" */
	enum source source;
	const char *balance;
};

#define BY_URI ",'balance':'uri'"

static const struct way ways[] = {
    {"", "", WHOLE_HEADER, "hash req.fhdr(x-key)"},
    {",'hash':'sdbm'", " sdbm", WHOLE_HEADER, "hash req.fhdr(x-key)"},
    {",'hash':'djb2'", " djb2", WHOLE_HEADER, "hash req.fhdr(x-key)"},
    {",'hash':'wt6'", " wt6", WHOLE_HEADER, "hash req.fhdr(x-key)"},
    {",'hash':'crc32'", " crc32", WHOLE_HEADER, "hash req.fhdr(x-key)"},
    {",'hash':'sdbm','avalanche':true", " sdbm avalanche", LISTED_HEADER, "hdr(x-key)"},
    {",'hash':'djb2','avalanche':true", " djb2 avalanche", LISTED_HEADER, "hdr(x-key)"},
    {",'hash':'wt6','avalanche':true", " wt6 avalanche", QUERY, "url_param k"},
    {",'hash':'crc32','avalanche':true", " crc32 avalanche", QUERY, "url_param k"},
    {BY_URI, "", TARGET, "uri"},
    {BY_URI ",'whole':true", "", TARGET, "uri whole"},
    {BY_URI ",'len':9", "", TARGET, "uri len 9"},
    {BY_URI ",'depth':2", "", TARGET, "uri depth 2"},
    {BY_URI ",'len':20,'depth':3,'whole':true", "", TARGET, "uri len 20 depth 3 whole"},
};

enum { WAYS = sizeof(ways) / sizeof(*ways) };

static bool
is_listed_byte(unsigned char c)
{
	return is_header_byte(c) && c != ',';
}

static bool
is_query_byte(unsigned char c)
{
	return c > 0x20 && c < 0x7f && strchr("&#\"<>", c) == NULL;
}

/* Targets with slashes of all kinds: doubled, encoded, at the end, in the query. */
static void
target_keys(struct trial *t, size_t count)
{
	static const char *const parts[] = {
	    "/", "/", "/img", "/a", "/%2F", "//", "?", "?id=", "7", "x", "photo", ".", "+", "&b"};
	struct dice *d = &t->match->dice;

	for (size_t i = 0; i < count; i++) {
		struct page page = {0};

		page_add(&page, "/%u", dice_below(d, 1000));
		for (unsigned n = dice_below(d, 9); n > 0; n--)
			page_add(&page, "%s",
			    parts[dice_below(d, (uint32_t)(sizeof(parts) / sizeof(*parts)))]);
		trial_key(t, page.data, page.len);
		free(page.data);
	}
}

static void
source_keys(struct trial *t, enum source source)
{
	switch (source) {
	case WHOLE_HEADER:
		trial_keys(t, KEYS, 80, is_header_byte);
		break;
	case LISTED_HEADER:
		trial_keys(t, KEYS, 80, is_listed_byte);
		break;
	case QUERY:
		trial_keys(t, KEYS, 80, is_query_byte);
		break;
	case TARGET:
		target_keys(t, KEYS);
		break;
	}
}

/* A pool for each way; a server of weight 0 in some. */
static struct match *
haproxy_pools(const char *placement)
{
	struct match *m = match_new(SPEAKS_HTTP);

	for (unsigned i = 0; i < WAYS; i++) {
		size_t count = 3 + dice_below(&m->dice, SERVERS_MAX - 2);
		struct trial *t =
		    trial_add(m, text("{'name':'%s'%s}", placement, ways[i].params), count, i);

		if (i % 4 == 1)
			t->server[dice_below(&m->dice, (uint32_t)count - 1)].weight = 0;
		if (i % 4 == 2)
			for (size_t n = 0; n < count; n++)
				t->server[n].weight = 12;
		if (i % 4 == 3)
			t->server[count - 1].weight = 256;
		source_keys(t, ways[i].source);
	}
	return m;
}

/* A listener for each pool. */
static const char *
haproxy_cfg(struct match *m, const char *method, const char **listens)
{
	struct page page = {0};
	size_t i = 0;

	page_add(&page, "global\n\tnbthread 1\n\tmaxconn 2000\ndefaults\n\tmode http\n"
			"\ttimeout connect 5s\n\ttimeout client 30s\n\ttimeout server 30s\n");
	match_each (t, m) {
		listens[i] = loopback_address(&m->dice, 0);
		page_add(&page, "listen %s\n\tbind %s\n\tbalance %s\n\thash-type %s%s\n", t->pool,
		    listens[i], ways[i].balance, method, ways[i].hash_type);
		for (size_t n = 0; n < t->count; n++) {
			const struct server *s = &t->server[n];

			page_add(&page, "\tserver %s %s id %u weight %.0f%s\n", s->name, s->address,
			    s->id, s->weight, s->is_down ? " disabled" : "");
			fakes_add(m->fakes, s->address, s->name);
		}
		i++;
	}
	return kept(page.data);
}

static void
compare_with_haproxy(const char *placement, const char *method)
{
	struct match *m = haproxy_pools(placement);
	const char *listens[WAYS], *cfg;
	struct real *haproxy;
	size_t i = 0;

	match_start(m);
	cfg = haproxy_cfg(m, method, listens);
	fakes_run(m->fakes);
	daemon_write(m->daemon, "haproxy.cfg", cfg, strlen(cfg));
	haproxy =
	    real_start(m->daemon, listens[0], "haproxy", "-db", "-f", "$DIR/haproxy.cfg", NULL);
	match_each (t, m) {
		struct proxy proxy = proxy_at(listens[i]);

		for (size_t k = 0; k < t->keys; k++) {
			struct hrw_bytes target = hrw_text("/"), key = t->key[k];

			if (ways[i].source == QUERY)
				target =
				    hrw_text(text("/page?a=1&k=%s&b=2", (const char *)key.data));
			if (ways[i].source == TARGET)
				target = key;
			if (ways[i].source == QUERY || ways[i].source == TARGET)
				key = hrw_text("none");
			trial_compare(t, k, proxy_get(&proxy, target, key));
		}
		i++;
	}
	real_end(haproxy, SIGTERM);
	match_end(m);
}

START_TEST(consistent_hashing_chooses_as_haproxy_does)
{
	compare_with_haproxy("haproxy-consistent", "consistent");
}
END_TEST

START_TEST(map_based_hashing_chooses_as_haproxy_does)
{
	compare_with_haproxy("haproxy-map", "map-based");
}
END_TEST

SUITE(haproxy)
{
	if (!program_is_here("haproxy", "haproxy", 2))
		return;
	tcase_add_test(tests, consistent_hashing_chooses_as_haproxy_does);
	tcase_add_test(tests, map_based_hashing_chooses_as_haproxy_does);
}
