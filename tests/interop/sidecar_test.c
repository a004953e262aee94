/*
 * The examples of conf/examples, run as they stand but for their addresses: nginx,
 * HAProxy and a shell send each key to the node that hrwd names, also while one drains.
 */
#include <sys/stat.h>

#include <signal.h>
#include <stdlib.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/interop/fakes.h"
#include "tests/interop/real.h"

enum { NODES = 3, KEYS = 60, FOLLOWED_MS = 20000, AWAY_MS = 2500 };

static const char *const names[NODES + 1] = {"cache-a", "cache-b", "cache-c", "cache-d"};

struct fleet {
	struct daemon *d;
	struct dice dice;
	const char *address[NODES + 1]; /* the last one joins later */
	struct real *node[NODES + 1];
};

/* Each node with these fields besides. */
static struct fleet
fleet_with(const char *placement, unsigned copies, const char *fields)
{
	struct fleet f = {.dice = {(uint64_t)getpid()}};
	struct page page = {0};

	page_add(&page, "{\"pools\":{\"default\":{\"placement\":\"%s\",\"copies\":%u,\"nodes\":[",
	    placement, copies);
	for (size_t i = 0; i <= NODES; i++) {
		f.address[i] = loopback_address(&f.dice, 0);
		if (i < NODES)
			page_add(&page, "%s{\"name\":\"%s\",\"address\":\"%s\"%s}",
			    i > 0 ? "," : "", names[i], f.address[i], fields);
	}
	page_add(&page, "]}}}");
	f.d = daemon_start(kept(page.data), NULL);
	return f;
}

static struct fleet
fleet_of(const char *placement, unsigned copies)
{
	return fleet_with(placement, copies, "");
}

/* A file of conf/examples with the daemon's address in it. */
static const char *
example(const struct fleet *f, const char *name)
{
	const char *content = text_file(text("conf/examples/%s", name), NULL);

	ck_assert_msg(content != NULL, "there is no conf/examples/%s", name);
	content = text_replace(content, "127.0.0.1:7070", strstr(f->d->lookup, "//") + 2);
	daemon_write(f->d, name, content, strlen(content));
	return daemon_path(f->d, name);
}

/* A cache that speaks HTTP: the files of a folder, and its name on every answer. */
static struct real *
http_node(const struct fleet *f, const char *name, const char *address, const char *location)
{
	const char *file = daemon_path(f->d, text("%s.conf", name));
	const char *conf = text("daemon off; master_process off; worker_processes 1;\n"
				"pid %s.pid; error_log stderr; events {}\nhttp {\n"
				"access_log off; client_body_temp_path %s/body;\n"
				"proxy_temp_path %s/proxy; fastcgi_temp_path %s/fastcgi;\n"
				"uwsgi_temp_path %s/uwsgi; scgi_temp_path %s/scgi;\n"
				"server { listen %s; add_header X-Node %s always;\n"
				"location / { root %s; %s } } }\n",
	    name, name, name, name, name, name, address, name, name, location);

	mkdir(daemon_path(f->d, name), 0700);
	daemon_write(f->d, text("%s.conf", name), conf, strlen(conf));
	return real_start(f->d, address, "nginx", "-p", "$DIR", "-c", file, NULL);
}

static const char *
key_of(unsigned i)
{
	return text("/photo-%u", i);
}

/* The value at a node; it tells where it came from. */
static void
store(const struct fleet *f, const char *node, unsigned i)
{
	daemon_write(f->d, text("%s%s", node, key_of(i)), node, strlen(node));
}

/* Names of the nodes that hold a key, a line each. */
static const char *
holders(const struct fleet *f, const char *key)
{
	struct answer *a =
	    ask(f->d->lookup, "GET", text("/replicas?key=%s", key), "Accept: text/plain", NULL);

	return expect_status(a, 200)->body;
}

static const char *
owner(const struct fleet *f, const char *key)
{
	const char *list = holders(f, key);

	return text("%.*s", (int)strcspn(list, "\n"), list);
}

static size_t
number_of(const char *name)
{
	for (size_t i = 0; i <= NODES; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	ck_abort_msg("hrwd names \"%s\"", name);
	return 0;
}

/* nginx with the example in its http { }, and an origin behind it. */
static const char *
start_nginx(struct fleet *f)
{
	const char *listens = loopback_address(&f->dice, 0),
		   *origin = loopback_address(&f->dice, 0);
	const char *file = example(f, "nginx.conf"), *conf = text_file(file, NULL);

	for (size_t i = 0; i < NODES; i++)
		f->node[i] = http_node(f, names[i], f->address[i], "");
	http_node(f, "origin", origin, "return 200 origin;");
	conf = text_replace(conf, "127.0.0.1:8080", listens);
	conf = text_replace(conf, "127.0.0.1:8081", origin);
	conf = text("daemon off; master_process off; worker_processes 1; pid proxy.pid;\n"
		    "error_log stderr; events {}\nhttp { access_log off; proxy_temp_path proxy;\n"
		    "client_body_temp_path body; fastcgi_temp_path fastcgi;\n"
		    "uwsgi_temp_path uwsgi; scgi_temp_path scgi;\n%s}\n",
	    conf);
	daemon_write(f->d, "proxy.conf", conf, strlen(conf));
	real_start(
	    f->d, listens, "nginx", "-p", "$DIR", "-c", daemon_path(f->d, "proxy.conf"), NULL);
	return text("http://%s", listens);
}

START_TEST(nginx_asks_who_is_warm_then_who_is_cold_then_the_origin)
{
	struct fleet f = fleet_of("rendezvous", 1);
	const char *proxy = start_nginx(&f), *home[KEYS];
	unsigned drained = 0;

	for (unsigned i = 0; i < KEYS; i++) {
		expect_body(expect_status(get(proxy, key_of(i)), 200), "origin");
		home[i] = owner(&f, key_of(i));
		store(&f, home[i], i);
		expect_body(expect_status(get(proxy, key_of(i)), 200), home[i]);
	}
	expect_status(post(f.d->admin, "/nodes/cache-b/drain", NULL), 200);
	for (unsigned i = 0; i < KEYS; i++) {
		expect_body(expect_status(get(proxy, key_of(i)), 200), home[i]);
		if (strcmp(home[i], "cache-b") != 0)
			continue;
		drained++;
		ck_assert_str_ne(owner(&f, key_of(i)), "cache-b");
		store(&f, owner(&f, key_of(i)), i);
		expect_body(expect_status(get(proxy, key_of(i)), 200), home[i]);
	}
	ck_assert_uint_gt(drained, 0);
	/* Until the pool is settled the new home is cold. */
	expect_status(post(f.d->admin, "/pools/default/settle", NULL), 200);
	for (unsigned i = 0; i < KEYS; i++)
		expect_body(expect_status(get(proxy, key_of(i)), 200), owner(&f, key_of(i)));
	expect_status(ask(proxy, "PUT", "/photo-1", NULL, "x"), 403);
}
END_TEST

START_TEST(nginx_asks_the_other_holder_where_one_is_away)
{
	struct fleet f = fleet_of("rendezvous", 2);
	const char *proxy = start_nginx(&f);
	unsigned away = 0;

	real_end(f.node[2], SIGTERM);
	for (unsigned i = 0; i < KEYS; i++) {
		const char *list = holders(&f, key_of(i)), *first = owner(&f, key_of(i));
		const char *second = text("%s", strchr(list, '\n') + 1);

		second = text("%.*s", (int)strcspn(second, "\n"), second);
		store(&f, first, i);
		store(&f, second, i);
		away += strcmp(first, "cache-c") == 0;
		expect_body(expect_status(get(proxy, key_of(i)), 200),
		    strcmp(first, "cache-c") == 0 ? second : first);
	}
	ck_assert_uint_gt(away, 0);
}
END_TEST

/* A cold owner may hold what is old: it is asked behind the warm nodes. */
START_TEST(nginx_asks_a_node_that_joins_behind_the_warm_ones)
{
	struct fleet f = fleet_of("rendezvous", 2);
	const char *proxy = start_nginx(&f), *joining = names[NODES];
	unsigned taken = 0;

	f.node[NODES] = http_node(&f, joining, f.address[NODES], "");
	expect_status(post(f.d->admin, "/nodes",
			  text("{\"name\":\"%s\",\"address\":\"%s\",\"state\":\"joining\"}",
			      joining, f.address[NODES])),
	    201);
	for (unsigned i = 0; i < KEYS; i++) {
		const char *list = holders(&f, key_of(i)), *warm = strchr(list, '\n') + 1;

		if (strcmp(owner(&f, key_of(i)), joining) != 0)
			continue;
		taken++;
		warm = text("%.*s", (int)strcspn(warm, "\n"), warm);
		store(&f, joining, i);
		expect_body(expect_status(get(proxy, key_of(i)), 200), joining);
		store(&f, warm, i);
		expect_body(expect_status(get(proxy, key_of(i)), 200), warm);
	}
	ck_assert_uint_gt(taken, 0);
}
END_TEST

START_TEST(nginx_asks_the_origin_where_hrwd_names_no_node)
{
	struct fleet f = fleet_of("rendezvous", 1);
	struct fleet drained = fleet_with("rendezvous", 1, ",\"state\":\"draining\"");
	const char *proxy = start_nginx(&f);

	expect_body(expect_status(get(proxy, text("/%0*d", 256, 7)), 200), "origin");
	daemon_stop(f.d);
	expect_body(expect_status(get(proxy, key_of(1)), 200), "origin");

	proxy = start_nginx(&drained);
	expect_status(get(drained.d->lookup, "/owner?key=x"), 503);
	expect_body(expect_status(get(proxy, key_of(1)), 200), "origin");
}
END_TEST

/* Waits until each key's request comes to the node that hrwd names. */
static void
wait_for_agreement(const struct fleet *f, const char *proxy)
{
	double deadline = now_ms() + FOLLOWED_MS;

	for (unsigned i = 0; i < KEYS;) {
		struct answer *a = get(proxy, key_of(i));
		const char *at = header(a, "X-Node");

		if (at != NULL && strcmp(at, owner(f, key_of(i))) == 0) {
			i++;
			continue;
		}
		ck_assert_msg(now_ms() < deadline, "%s goes to %s, hrwd says %s (%s)", key_of(i),
		    at, owner(f, key_of(i)), a->headers);
		pause_ms(100);
		i = 0;
	}
}

START_TEST(haproxy_places_as_hrwd_does_and_follows_its_changes)
{
	struct fleet f = fleet_of("haproxy-consistent", 1);
	const char *listens = loopback_address(&f.dice, 0), *proxy = text("http://%s", listens);
	const char *script = example(&f, "haproxy.sh");
	const char *socket = daemon_path(f.d, "haproxy.sock");
	const char *cfg, *home[KEYS];

	for (size_t i = 0; i <= NODES; i++)
		f.node[i] = http_node(&f, names[i], f.address[i], "");
	expect_status(post(f.d->admin, "/nodes/cache-a/drain", NULL), 200);
	cfg = text("global\n\tstats socket %s level admin\ndefaults\n\tmode http\n"
		   "\ttimeout connect 1s\n\ttimeout client 9s\n\ttimeout server 9s\n"
		   "frontend proxy\n\tbind %s\n\tdefault_backend caches\n%s",
	    socket, listens, real_output(f.d, "sh", script, "config", NULL));
	daemon_write(f.d, "haproxy.cfg", cfg, strlen(cfg));
	real_start(f.d, listens, "haproxy", "-f", "$DIR/haproxy.cfg", NULL);
	wait_for_agreement(&f, proxy);
	real_start(f.d, listens, "sh", script, "follow", socket, NULL);

	expect_status(post(f.d->admin, "/nodes/cache-a/activate", NULL), 200);
	wait_for_agreement(&f, proxy);
	expect_status(post(f.d->admin, "/nodes/cache-b/drain", NULL), 200);
	wait_for_agreement(&f, proxy);
	expect_status(post(f.d->admin, "/nodes",
			  text("{\"name\":\"cache-d\",\"address\":\"%s\"}", f.address[NODES])),
	    201);
	wait_for_agreement(&f, proxy);
	/* Its copies are made: it may go. */
	expect_status(post(f.d->admin, "/pools/default/settle", NULL), 200);
	expect_status(del(f.d->admin, "/nodes/cache-b"), 200);
	expect_status(patch(f.d->admin, "/nodes/cache-d", "{\"weight\":3}"), 200);
	wait_for_agreement(&f, proxy);

	/* While hrwd is away all stays as it is. */
	for (unsigned i = 0; i < KEYS; i++)
		home[i] = owner(&f, key_of(i));
	daemon_stop(f.d);
	pause_ms(AWAY_MS);
	for (unsigned i = 0; i < KEYS; i++)
		expect_header(get(proxy, key_of(i)), "X-Node", home[i]);
}
END_TEST

static const char *
redis_says(const struct fleet *f, size_t node, const char *word, const char *key)
{
	const char *at = strrchr(f->address[node], ':');
	const char *host = text("%.*s", (int)(at - f->address[node]), f->address[node]);

	return real_output(f->d, "redis-cli", "-h", host, "-p", at + 1, word, key, NULL);
}

/* The value is on the holders, the fallback (a name, or "") and nowhere else. */
static void
expect_on_holders(const struct fleet *f, const char *key, const char *value, const char *fallback)
{
	const char *list = text("\n%s", holders(f, key));

	for (size_t i = 0; i < NODES; i++) {
		bool holds = strstr(list, text("\n%s\n", names[i])) != NULL ||
			     strcmp(names[i], fallback) == 0;

		ck_assert_str_eq(redis_says(f, i, "GET", key), holds ? text("%s\n", value) : "\n");
	}
}

START_TEST(a_shell_reads_and_writes_redis_where_hrwd_says)
{
	struct fleet f = fleet_of("rendezvous", 2);
	const char *script = example(&f, "redis.sh");
	enum { FEW = 12 };
	unsigned drained = 0;

	for (size_t i = 0; i < NODES; i++) {
		const char *at = strrchr(f.address[i], ':');
		const char *host = text("%.*s", (int)(at - f.address[i]), f.address[i]);

		f.node[i] = real_start(f.d, f.address[i], "redis-server", "--port", at + 1,
		    "--bind", host, "--save", "", "--dir", "$DIR", NULL);
	}
	for (unsigned i = 0; i < FEW; i++) {
		real_output(f.d, "sh", script, "set", key_of(i), "old", NULL);
		expect_on_holders(&f, key_of(i), "old", "");
	}
	expect_status(post(f.d->admin, "/nodes/cache-b/drain", NULL), 200);
	for (unsigned i = 0; i < FEW; i++) {
		bool held =
		    strcmp(redis_says(&f, number_of("cache-b"), "EXISTS", key_of(i)), "1\n") == 0;

		drained += held;
		ck_assert_str_eq(real_output(f.d, "sh", script, "get", key_of(i), NULL), "old\n");
		real_output(f.d, "sh", script, "set", key_of(i), "new", NULL);
		expect_on_holders(&f, key_of(i), "new", held ? "cache-b" : "");
		ck_assert_str_eq(real_output(f.d, "sh", script, "get", key_of(i), NULL), "new\n");
	}
	ck_assert_uint_gt(drained, 0);
	real_output(f.d, "sh", script, "del", key_of(0), NULL);
	for (size_t i = 0; i < NODES; i++)
		ck_assert_str_eq(redis_says(&f, i, "EXISTS", key_of(0)), "0\n");
}
END_TEST

/* How a script ends, and all that it says. */
static const char *
ended(
    const struct fleet *f, const char *script, const char *one, const char *two, const char *three)
{
	return real_output(f->d, "sh", "-c", "sh \"$0\" \"$@\" 2>&1; echo \"ended with $?\"",
	    script, one, two, three, NULL);
}

static struct real *
redis_start(const struct fleet *f, const char *address, const char *memory)
{
	const char *at = strrchr(address, ':');

	return real_start(f->d, address, "redis-server", "--port", at + 1, "--bind",
	    text("%.*s ::1", (int)(at - address), address), "--save", "", "--dir", "$DIR",
	    "--maxmemory", memory, NULL);
}

/* What Redis answers is no success because redis-cli came back. */
START_TEST(a_shell_is_told_what_redis_refused)
{
	struct fleet f = fleet_of("rendezvous", 2);
	const char *script = example(&f, "redis.sh"), *said;
	unsigned refused = 0;

	for (size_t i = 0; i < NODES; i++)
		f.node[i] = redis_start(&f, f.address[i], i == 0 ? "1" : "0");
	for (unsigned i = 0; i < 6; i++) {
		const char *list = text("\n%s", holders(&f, key_of(i)));
		bool is_full = strstr(list, "\ncache-a\n") != NULL;

		refused += is_full;
		said = ended(&f, script, "set", key_of(i), "new");
		ck_assert_msg(
		    strstr(said, is_full ? "ended with 1" : "ended with 0") != NULL, "%s", said);
		ck_assert(!is_full || strstr(said, "OOM") != NULL);
		/* The other holder has it all the same. */
		for (size_t k = 1; k < NODES; k++)
			if (strstr(list, text("\n%s\n", names[k])) != NULL)
				ck_assert_str_eq(redis_says(&f, k, "GET", key_of(i)), "new\n");
	}
	ck_assert_uint_gt(refused, 0);
	for (size_t i = 0; i < NODES; i++)
		real_end(f.node[i], SIGTERM);
	ck_assert_ptr_nonnull(strstr(ended(&f, script, "get", "/photo-0", NULL), "ended with 1"));
	ck_assert_ptr_nonnull(strstr(ended(&f, script, "del", "/photo-0", NULL), "ended with 1"));
	/* Nor is a write done where hrwd could not be asked. */
	daemon_stop(f.d);
	ck_assert_ptr_null(strstr(ended(&f, script, "set", "/photo-0", "new"), "ended with 0"));
}
END_TEST

START_TEST(a_shell_finds_redis_at_an_IPv6_address)
{
	struct fleet f = fleet_of("rendezvous", 1);
	const char *script = example(&f, "redis.sh");
	const char *v4 = loopback_address(&f.dice, 0);
	const char *address = text("[::1]%s", strrchr(v4, ':'));

	redis_start(&f, v4, "0");
	expect_status(ask(f.d->admin, "PUT", "/pools/default?force=not-draining,keys-at-risk",
			  "Content-Type: application/json\nIf-Match: *",
			  text("{\"nodes\":[{\"name\":\"v6\",\"address\":\"%s\"}]}", address)),
	    200);
	real_output(f.d, "sh", script, "set", "k", "v", NULL);
	ck_assert_str_eq(real_output(f.d, "sh", script, "get", "k", NULL), "v\n");
}
END_TEST

START_TEST(haproxy_gets_no_backend_of_a_pool_that_it_cannot_place)
{
	struct fleet f = fleet_of("rendezvous", 1);
	const char *script = example(&f, "haproxy.sh"),
		   *said = ended(&f, script, "config", NULL, NULL);

	ck_assert_ptr_null(strstr(said, "backend"));
	ck_assert_msg(strstr(said, "placed by rendezvous") != NULL, "%s", said);
	ck_assert_ptr_null(strstr(said, "ended with 0"));
	/* Nor where there is no hrwd to ask. */
	daemon_stop(f.d);
	said = ended(&f, script, "config", NULL, NULL);
	ck_assert_ptr_null(strstr(said, "backend"));
	ck_assert_ptr_null(strstr(said, "ended with 0"));
	/* Wrong use says what is right. */
	for (int i = 0; i < 3; i++) {
		said = ended(&f, script,
		    i == 0   ? "follow"
		    : i == 1 ? "config"
			     : NULL,
		    i == 1 ? "more" : NULL, NULL);
		ck_assert_msg(strstr(said, "usage: haproxy.sh follow SOCKET") != NULL, "%s", said);
		ck_assert_ptr_nonnull(strstr(said, "ended with 2"));
	}
}
END_TEST

SUITE(sidecar)
{
	if (program_is_here("nginx", "nginx-light", 2)) {
		tcase_add_test(tests, nginx_asks_who_is_warm_then_who_is_cold_then_the_origin);
		tcase_add_test(tests, nginx_asks_the_other_holder_where_one_is_away);
		tcase_add_test(tests, nginx_asks_a_node_that_joins_behind_the_warm_ones);
		tcase_add_test(tests, nginx_asks_the_origin_where_hrwd_names_no_node);
		if (program_is_here("haproxy", "haproxy", 1) && program_is_here("jq", "jq", 1))
			tcase_add_test(tests, haproxy_places_as_hrwd_does_and_follows_its_changes);
	}
	if (program_is_here("jq", "jq", 1))
		tcase_add_test(tests, haproxy_gets_no_backend_of_a_pool_that_it_cannot_place);
	if (program_is_here("redis-server", "redis-server", 3)) {
		tcase_add_test(tests, a_shell_reads_and_writes_redis_where_hrwd_says);
		tcase_add_test(tests, a_shell_is_told_what_redis_refused);
		tcase_add_test(tests, a_shell_finds_redis_at_an_IPv6_address);
	}
}
