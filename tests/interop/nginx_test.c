/*
 * nginx as it balances: hash, with and without consistent.
 */
#include <signal.h>

#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/interop/match.h"
#include "tests/interop/proxy.h"
#include "tests/interop/real.h"

enum { POOLS = 8, KEYS = 200, SERVERS_MAX = 24 };

/* What nginx connects to, and hashes. */
static const char *
text_of(const struct server *s)
{
	return s->hash_name != NULL ? s->hash_name : s->address;
}

/* An upstream for each pool, and a location that leads to it. */
static const char *
nginx_conf(struct match *m, const char *listens, const char *method)
{
	struct page page = {0};

	page_add(&page, "worker_processes 1;\ndaemon off;\nmaster_process off;\npid nginx.pid;\n"
			"error_log stderr notice;\nevents { worker_connections 4096; }\nhttp {\n"
			"access_log off;\nproxy_temp_path proxy;\nclient_body_temp_path body;\n"
			"fastcgi_temp_path fastcgi;\nuwsgi_temp_path uwsgi;\nscgi_temp_path scgi;\n"
			"keepalive_requests 1000000;\nproxy_next_upstream off;\n"
			"large_client_header_buffers 4 32k;\n");
	match_each (t, m) {
		page_add(&page, "upstream %s {\n\thash $http_x_key%s;\n", t->pool, method);
		for (size_t i = 0; i < t->count; i++)
			page_add(&page, "\tserver %s weight=%.0f max_fails=0%s;\n",
			    text_of(&t->server[i]), t->server[i].weight,
			    t->server[i].is_down ? " down" : "");
		page_add(&page, "}\n");
	}
	page_add(&page, "server {\n\tlisten %s;\n", listens);
	match_each (t, m)
		page_add(&page, "\tlocation /%s/ { proxy_pass http://%s; }\n", t->pool, t->pool);
	page_add(&page, "}\n}\n");
	return kept(page.data);
}

static void
ask_nginx(struct match *m, const char *method)
{
	const char *listens = loopback_address(&m->dice, 0), *conf;
	struct proxy proxy = proxy_at(listens);
	struct real *nginx;

	conf = nginx_conf(m, listens, method);
	daemon_write(m->daemon, "nginx.conf", conf, strlen(conf));
	nginx =
	    real_start(m->daemon, listens, "nginx", "-p", "$DIR", "-c", "$DIR/nginx.conf", NULL);
	match_each (t, m) {
		struct hrw_bytes target = hrw_text(text("/%s/", t->pool));

		for (size_t i = 0; i < t->keys; i++) {
			const char *chosen = proxy_get(&proxy, target, t->key[i]);

			/* Behind 21 servers that are down it takes turns: nobody's key. */
			if (*t->ours[i] != '\0')
				trial_compare(t, i, chosen);
		}
	}
	ck_assert_uint_ge(m->compared, POOLS * KEYS * 3 / 4);
	real_end(nginx, SIGTERM);
}

/* Pools of all kinds; in the first one server, which nobody needs to choose. */
static struct match *
nginx_pools(const char *placement)
{
	struct match *m = match_new(SPEAKS_HTTP);

	for (unsigned i = 0; i < POOLS; i++) {
		struct trial *t = trial_add(
		    m, placement, i == 0 ? 1 : 2 + dice_below(&m->dice, SERVERS_MAX - 1), i);

		trial_keys(t, KEYS, 60, is_header_byte);
	}
	return m;
}

/* A path is taken from the folder that nginx runs in. */
static void
run_servers(struct match *m)
{
	match_each (t, m)
		for (size_t i = 0; i < t->count; i++) {
			const struct server *s = &t->server[i];

			fakes_add(m->fakes,
			    s->hash_name != NULL
				? text("unix:%s/%s", m->daemon->dir, s->hash_name + 5)
				: s->address,
			    s->name);
		}
	fakes_run(m->fakes);
}

START_TEST(consistent_hashing_chooses_as_nginx_does)
{
	struct match *m = nginx_pools("{'name':'nginx-consistent'}");

	/* Hashed without a port. */
	match_each (t, m)
		for (size_t i = 2; i < t->count; i += 4)
			t->server[i].hash_name =
			    text("unix:%08x.sock", (unsigned)dice_roll(&m->dice));
	match_start(m);
	run_servers(m);
	ask_nginx(m, " consistent");
	match_end(m);
}
END_TEST

START_TEST(plain_hashing_chooses_as_nginx_does)
{
	struct match *m = nginx_pools("{'name':'nginx-hash'}");

	match_start(m);
	run_servers(m);
	ask_nginx(m, "");
	match_end(m);
}
END_TEST

SUITE(nginx)
{
	if (!program_is_here("nginx", "nginx-light", 2))
		return;
	tcase_add_test(tests, consistent_hashing_chooses_as_nginx_does);
	tcase_add_test(tests, plain_hashing_chooses_as_nginx_does);
}
