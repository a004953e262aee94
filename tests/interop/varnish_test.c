/*
 * Varnish with its shard director.
 */
#include <signal.h>

#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/interop/match.h"
#include "tests/interop/proxy.h"
#include "tests/interop/real.h"

enum { KEYS = 150, SERVERS_MAX = 12 };

/* What Varnish hashes: for hrwd and in its own language. */
enum source { HEADER, NUMBER, TARGET, DIGEST };

struct way {
	const char *params;
	enum source source;
	unsigned replicas; /* 0: not said */
};

static const struct way ways[] = {
    {"", HEADER, 0},
    {"", HEADER, 0},
    {"", HEADER, 0},
    {"", HEADER, 0},
    {",'vnodes':5", HEADER, 5},
    {",'vnodes':1", HEADER, 1},
    {",'by':'url'", TARGET, 0},
    {",'by':'hash','host':'example.org'", DIGEST, 0},
    {",'key_type':'uint32'", NUMBER, 0},
};

enum { POOLS = sizeof(ways) / sizeof(*ways) };

/* Varnish refuses controls in a header. */
static bool
is_shown_byte(unsigned char c)
{
	return c > 0x20 && c != 0x7f;
}

/* Idents where one is another and digits: they share points. */
static const char *
ident(struct trial *t, size_t n)
{
	return n % 2 == 0 ? text("n%zu", n / 2)
			  : text("n%zu%u", n / 2, dice_below(&t->match->dice, 9));
}

/* In the first pools every second server has an ident of its own. */
static struct match *
varnish_pools(void)
{
	struct match *m = match_new(SPEAKS_HTTP);

	for (unsigned i = 0; i < POOLS; i++) {
		size_t count = i == 0 ? 2 : 2 + dice_below(&m->dice, SERVERS_MAX - 1);
		struct trial *t =
		    trial_add(m, text("{'name':'varnish-shard'%s}", ways[i].params), count, i);

		for (size_t n = 0; n < count; n++) {
			if ((i & TRIAL_WEIGHTS) != 0)
				t->server[n].weight = 1 + dice_below(&m->dice, 16) / 4.0;
			if (i % 3 == 1)
				t->server[n].hash_name = text("%s.", ident(t, n));
			if (i % 3 == 2)
				t->server[n].hash_name = ident(t, n);
		}
		if (ways[i].source == NUMBER)
			for (size_t k = 0; k < KEYS; k++) {
				const char *key = text("%u", (unsigned)dice_roll(&m->dice));

				trial_key(t, key, strlen(key));
			}
		else if (ways[i].source == HEADER)
			trial_keys(t, KEYS, 100, is_shown_byte);
		else
			for (size_t k = 0; k < KEYS; k++) {
				const char *key =
				    text("/%s/%u?q=%%%02x", i % 2 == 0 ? "img" : "Page",
					dice_below(&m->dice, 100000), dice_below(&m->dice, 256));

				trial_key(t, key, strlen(key));
			}
	}
	return m;
}

static const char *
backend_of(enum source source, const char *pool)
{
	switch (source) {
	case HEADER:
		return text("%s.backend(by=KEY, key=%s.key(bereq.http.x-key))", pool, pool);
	case NUMBER:
		return text("%s.backend(by=KEY, key=std.integer(bereq.http.x-key, 0))", pool);
	case TARGET:
		return text("%s.backend(by=URL)", pool);
	case DIGEST:
		break;
	}
	return text("%s.backend(by=HASH)", pool);
}

/* A listener for each pool. Who is down does not listen, and its probe, failed at
 * first, says so. */
static const char *
varnish_vcl(struct match *m)
{
	struct page page = {0};
	size_t i = 0;

	page_add(&page, "vcl 4.1;\nimport directors;\nimport std;\n"
			"probe dead { .initial = 0; .interval = 1h; }\n");
	match_each (t, m)
		for (size_t n = 0; n < t->count; n++) {
			const struct server *s = &t->server[n];

			page_add(&page, "backend %s_%s { .host = \"%s\"; .port = \"%u\"; %s}\n",
			    t->pool, s->name, s->host, s->port,
			    s->is_down ? ".probe = dead; " : "");
			if (!s->is_down)
				fakes_add(m->fakes, s->address, s->name);
		}
	page_add(&page, "sub vcl_init {\n");
	match_each (t, m) {
		page_add(&page, "\tnew %s = directors.shard();\n", t->pool);
		for (size_t n = 0; n < t->count; n++)
			page_add(&page, "\t%s.add_backend(%s_%s, ident=\"%s\", weight=%.2f);\n",
			    t->pool, t->pool, t->server[n].name,
			    t->server[n].hash_name != NULL ? t->server[n].hash_name
							   : t->server[n].name,
			    t->server[n].weight);
		if (ways[i].replicas != 0)
			page_add(&page, "\t%s.reconfigure(%u);\n", t->pool, ways[i].replicas);
		else
			page_add(&page, "\t%s.reconfigure();\n", t->pool);
		i++;
	}
	page_add(&page, "}\nsub vcl_recv { return (pass); }\nsub vcl_backend_fetch {\n");
	i = 0;
	match_each (t, m)
		page_add(&page, "\tif (local.socket == \"%s\") { set bereq.backend = %s; }\n",
		    t->pool, backend_of(ways[i++].source, t->pool));
	page_add(&page, "}\n");
	return kept(page.data);
}

static struct real *
varnish_start(struct match *m, const char **listens)
{
	const char *flags[POOLS];
	size_t i = 0;

	match_each (t, m) {
		listens[i] = loopback_address(&m->dice, 0);
		flags[i] = text("%s=%s", t->pool, listens[i]);
		i++;
	}
	return real_start(m->daemon, listens[0], "varnishd", "-F", "-j", "none", "-n",
	    "$DIR/varnish", "-f", "$DIR/shard.vcl", "-s", "malloc,16m", "-p", "vcc_err_unref=off",
	    "-a", flags[0], "-a", flags[1], "-a", flags[2], "-a", flags[3], "-a", flags[4], "-a",
	    flags[5], "-a", flags[6], "-a", flags[7], "-a", flags[8], NULL);
}

START_TEST(the_shard_director_chooses_as_varnish_does)
{
	struct match *m = varnish_pools();
	const char *listens[POOLS], *vcl;
	struct real *varnish;
	size_t i = 0;

	match_start(m);
	vcl = varnish_vcl(m);
	fakes_run(m->fakes);
	daemon_write(m->daemon, "shard.vcl", vcl, strlen(vcl));
	varnish = varnish_start(m, listens);
	match_each (t, m) {
		struct proxy proxy = proxy_at(listens[i]);

		for (size_t k = 0; k < t->keys; k++) {
			bool is_target = ways[i].source == TARGET || ways[i].source == DIGEST;

			trial_compare(t, k,
			    proxy_get(&proxy, is_target ? t->key[k] : hrw_text("/"),
				is_target ? hrw_text("none") : t->key[k]));
		}
		i++;
	}
	real_end(varnish, SIGTERM);
	match_end(m);
}
END_TEST

SUITE(varnish)
{
	if (!program_is_here("varnishd", "varnish", 1))
		return;
	tcase_add_test(tests, the_shard_director_chooses_as_varnish_does);
}
