/*
 * Squid with CARP parents.
 */
#include <signal.h>
#include <stdlib.h>

#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/interop/match.h"
#include "tests/interop/proxy.h"
#include "tests/interop/real.h"

enum { KEYS = 150, SERVERS_MAX = 14 };

/* The parts of a URL that are hashed: for hrwd and for Squid. */
struct parts {
	const char *param;
	const char *option;
};

static const struct parts parts[] = {
    {"", ""},
    {"", ""},
    {"", ""},
    {"", ""},
    {",'carp_key':['host']", " carp-key=host"},
    {",'carp_key':['path']", " carp-key=path"},
    {",'carp_key':['host','path','params']", " carp-key=host,path,params"},
    {",'carp_key':['params']", " carp-key=params"},
    {",'carp_key':['scheme','host','port']", " carp-key=scheme,host,port"},
};

enum { POOLS = sizeof(parts) / sizeof(*parts) };

/* URLs as Squid has them once they are taken apart and put together. */
static void
url_keys(struct trial *t, size_t count)
{
	static const char *const hosts[] = {
	    "example.org", "www.example.org", "a.b-c.net", "127.0.0.1"};
	static const char *const pieces[] = {
	    "/", "/img", "/a", "/%2F", "/%ff%00", "photo", "~x", ".js", ";v=1", "+", "'", "/Big"};
	static const char *const queries[] = {"?", "?id=7", "?a=1&b=2", "?q=%20?x", "?="};
	struct dice *d = &t->match->dice;

	for (size_t i = 0; i < count; i++) {
		struct page page = {0};

		page_add(&page, "http://%s", hosts[dice_below(d, 4)]);
		if (dice_percent(d, 30))
			page_add(&page, ":%u", 1024 + dice_below(d, 9000));
		page_add(&page, "/%u", dice_below(d, 10000));
		for (unsigned n = dice_below(d, 7); n > 0; n--)
			page_add(&page, "%s",
			    pieces[dice_below(d, (uint32_t)(sizeof(pieces) / sizeof(*pieces)))]);
		if (dice_percent(d, 60))
			page_add(&page, "%s%u", queries[dice_below(d, 5)], dice_below(d, 100));
		trial_key(t, page.data, page.len);
		free(page.data);
	}
}

/* Half of the servers are hashed by a name of their own; one may weigh nothing. */
static struct match *
squid_pools(void)
{
	struct match *m = match_new(SPEAKS_HTTP);

	for (unsigned i = 0; i < POOLS; i++) {
		size_t count = 2 + dice_below(&m->dice, SERVERS_MAX - 1);
		struct trial *t =
		    trial_add(m, text("{'name':'squid-carp'%s}", parts[i].param), count, i);

		for (size_t n = 1; n < count; n += 2)
			t->server[n].hash_name =
			    text("Parent-%zu_%u", n, dice_below(&m->dice, 1000));
		if (i % 4 == 1)
			t->server[dice_below(&m->dice, (uint32_t)count - 1)].weight = 0;
		url_keys(t, KEYS);
	}
	return m;
}

/* A peer that is down is listed, and refused by a rule. One of weight 0 is not
 * listed: Squid would read weight=0 as 1. */
static const char *
squid_conf(const struct trial *t, const char *listens, const char *option)
{
	struct page page = {0};

	page_add(&page,
	    "http_port %s\npid_filename none\nlogfile_rotate 0\naccess_log none\n"
	    "cache_log stdio:/dev/stderr\ncache_store_log none\ncoredump_dir none\n"
	    "cache deny all\nhttp_access allow all\nnever_direct allow all\n"
	    "pinger_enable off\nicp_port 0\nhtcp_port 0\nsnmp_port 0\n"
	    "dns_nameservers 127.0.0.1\nshutdown_lifetime 0 seconds\n"
	    "visible_hostname squid.test\nnetdb_filename none\n"
	    "uri_whitespace encode\nclient_db off\nmax_filedescriptors 1024\n",
	    listens);
	for (size_t n = 0; n < t->count; n++) {
		const struct server *s = &t->server[n];
		const char *name = s->hash_name != NULL ? s->hash_name : s->host;

		if (s->weight == 0)
			continue;
		page_add(&page,
		    "cache_peer %s parent %u 0 carp no-query no-digest "
		    "no-netdb-exchange weight=%.0f%s%s%s\n",
		    s->host, s->port, s->weight, option, s->hash_name != NULL ? " name=" : "",
		    s->hash_name != NULL ? s->hash_name : "");
		if (s->is_down)
			page_add(&page, "cache_peer_access %s deny all\n", name);
	}
	return kept(page.data);
}

START_TEST(carp_chooses_as_squid_does)
{
	struct match *m = squid_pools();
	size_t i = 0;

	match_start(m);
	match_each (t, m)
		for (size_t n = 0; n < t->count; n++)
			fakes_add(m->fakes, t->server[n].address, t->server[n].name);
	fakes_run(m->fakes);
	match_each (t, m) {
		const char *listens = loopback_address(&m->dice, 0);
		const char *conf = squid_conf(t, listens, parts[i++].option);
		struct proxy proxy = proxy_at(listens);
		struct real *squid;

		daemon_write(m->daemon, "squid.conf", conf, strlen(conf));
		squid = real_start(m->daemon, listens, "squid", "-N", "-f", "$DIR/squid.conf", "-n",
		    t->pool, NULL);
		for (size_t k = 0; k < t->keys; k++)
			trial_compare(t, k, proxy_get(&proxy, t->key[k], hrw_text("none")));
		/* It takes two seconds to end by itself. */
		real_end(squid, SIGKILL);
	}
	match_end(m);
}
END_TEST

SUITE(squid)
{
	if (!program_is_here("squid", "squid", 1))
		return;
	tcase_add_test(tests, carp_chooses_as_squid_does);
}
