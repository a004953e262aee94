/*
 * How a daemon starts, refuses to, and ends.
 */
#include <arpa/inet.h>
#include <grp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define FREE_PORTS "--lookup", "127.0.0.1:0", "--admin", "127.0.0.1:0"

START_TEST(without_a_configuration_there_is_one_empty_pool_and_a_store_here)
{
	struct daemon *d = daemon_prepare(NULL, FREE_PORTS, NULL);
	const char *log;
	struct stat st;

	daemon_launch(d);
	expect(get(d->lookup, "/pools"), "pools[0].name", "'default'");
	expect(get(d->lookup, "/nodes"), "nodes", "[]");
	expect_refusal(get(d->lookup, "/owner?key=a"), 503, "no-servers", NULL);
	/* The first line names the store by its absolute path, and that it is new. */
	log = daemon_log(d);
	log = text("%.*s", (int)strcspn(log, "\n"), log);
	ck_assert_msg(strstr(log, d->store) != NULL && strstr(log, "new") != NULL, "%s", log);
	ck_assert_int_eq(stat(d->store, &st), 0);
	daemon_stop(d);
	d->log_path = text("%s/log2", d->dir);
	daemon_launch(d);
	log = daemon_log(d);
	log = text("%.*s", (int)strcspn(log, "\n"), log);
	ck_assert_msg(strstr(log, d->store) != NULL && strstr(log, " new") == NULL, "%s", log);
	daemon_stop(d);
}
END_TEST

START_TEST(flags_win_over_the_file)
{
	struct daemon *d =
	    daemon_prepare("{\"listen\":{\"lookup\":\"127.0.0.1:1\",\"admin\":\"127.0.0.1:1\"},"
			   "\"store\":{\"path\":\"/nowhere/hrwd.db\"}}",
		FREE_PORTS, "--store", "$DIR/flag.db", NULL);
	struct stat st;

	daemon_launch(d);
	ck_assert_int_eq(stat(daemon_path(d, "flag.db"), &st), 0);
	daemon_stop(d);
}
END_TEST

/* A configuration and what --check says of it: the exit status, and parts of
 * what it writes, separated by |. */
static const struct {
	const char *config;
	int status;
	const char *parts;
} checks[] = {
    {FLEET_CONFIG(""), 0, NULL},
    {"{}", 0, NULL},
    {"// a comment\n{ /* and one */ \"workers\": 2 }\n", 0, NULL},
    {"{\n  \"workers\": \"auto\",\n  \"pols\": {}\n}\n", 2, "hrwd.json|3|3|pols|pools"},
    {"{\n  \"limits\": { \"node\": 5 }\n}\n", 2, "hrwd.json|2|node|nodes"},
    {"{\n  \"limits\": { \"nodes\": 0 }\n}\n", 2, "hrwd.json|2|nodes|16384"},
    {"{\n  \"limits\": { \"nodes\": 16385 }\n}\n", 2, "hrwd.json|2|16385|16384"},
    {"{\n  \"limits\": { \"copies\": \"8\" }\n}\n", 2, "hrwd.json|2|copies"},
    {"{\n  \"workers\": 65\n}\n", 2, "hrwd.json|2|65|64"},
    {"{\n  \"workers\": 2,\n  \"workers\": 3\n}\n", 2, "hrwd.json|3|workers"},
    {"{\n  \"workers\": 2,\n}\n", 2, "hrwd.json|3"},
    {"{\n  \"log\": { \"level\": \"loud\" }\n}\n", 2, "hrwd.json|2|loud|info"},
    {"{\n  \"listen\": { \"lookup\": \"here\" }\n}\n", 2, "hrwd.json|2|here"},
    {"{\"listen\":{\"admin\":{\"address\":\"127.0.0.1:0\",\n\"mode\":\"0660\"}}}", 2,
	"hrwd.json|2|unix socket"},
    {"{\"listen\":{\"admin\":{\"address\":\"unix:/x\",\n\"mode\":\"0999\"}}}", 2,
	"hrwd.json|2|octal|0660"},
    {"{\"listen\":{\"admin\":{\"address\":\"unix:/x\",\n\"mode\":432}}}", 2, "hrwd.json|2|octal"},
    {"{\"listen\":{\"admin\":{\"address\":\"unix:/x\",\n\"group\":\"no-such\"}}}", 2,
	"hrwd.json|2|no-such"},
    {"{\"listen\":{\"admin\":{\"address\":\"unix:/x\",\n\"mod\":\"0660\"}}}", 2,
	"hrwd.json|2|mod|mode"},
    {"{\"listen\":{\"admin\":{\n\"mode\":\"0660\"}}}", 2, "hrwd.json|1|address"},
    {"{\"listen\":{\"admin\":{\"address\":\n\"0.0.0.0:0\"}}}", 0, NULL},
    {"{\"auth\":{\n\"lookup\":true}}", 2, "hrwd.json|2|auth.tokens"},
    {"{\"auth\":{\n\"tokens\":\"/nowhere/tokens\"}}", 2, "hrwd.json|2|/nowhere/tokens"},
    {"{\n\"secrets\":\"/nowhere/secrets\"}", 2, "hrwd.json|2|/nowhere/secrets"},
    {"{\"pools\":{\"default\":{\"nodes\":[\n{\"name\":\"Cache\",\"address\":\"h:1\"}]}}}", 2,
	"hrwd.json|2|Cache"},
    {"{\"pools\":{\"default\":{\"nodes\":[\n{\"name\":\"a\",\"address\":\"h\"}]}}}", 2,
	"hrwd.json|2|port"},
    {"{\"pools\":{\"default\":{\"nodes\":[\n{\"name\":\"a\",\"address\":\"h:1\",\"wieght\":2}]}}}",
	2, "hrwd.json|2|wieght|weight"},
    {"{\"pools\":{\"default\":{\"nodes\":[{\"name\":\"a\",\"address\":\"h:1\"},\n"
     "{\"name\":\"a\",\"address\":\"h:2\"}]}}}",
	2, "hrwd.json|a"},
    {"{\"pools\":{\"default\":{\"copies\":9,\"nodes\":[]}}}", 2, "hrwd.json|9|8"},
    {"{\"pools\":{\"default\":{\n\"placement\":\"rendevous\",\"nodes\":[]}}}", 2,
	"hrwd.json|2|rendevous|rendezvous"},
    {"{\"pools\":{\"Tier\":{\"nodes\":[]}}}", 2, "hrwd.json|Tier"},
    {"{\"default_pool\":\"Tier\"}", 2, "hrwd.json|Tier"},
    {"{\"listen\":{\"lookup\":\n\"[::1]\"}}", 2, "hrwd.json|2|[::1]|it has no port"},
    {"{\"listen\":{\"lookup\":\n\"[::1:7070\"}}", 2, "hrwd.json|2|[::1:7070|its [ has no ]"},
    {"", 2, "hrwd.json|1"},
    {"[]", 2, "hrwd.json"},
};

START_TEST(a_check_says_what_is_wrong_and_where_and_starts_nothing)
{
	struct daemon *d = daemon_prepare(
	    checks[_i].config, FREE_PORTS, "--check", "--store", "$DIR/hrwd.db", NULL);
	int status = daemon_exits_with(d);
	const char *log = daemon_log(d);
	struct stat st;

	ck_assert_msg(status == checks[_i].status, "%d instead of %d for %s: %s", status,
	    checks[_i].status, checks[_i].config, log);
	daemon_log_has(d, checks[_i].parts != NULL ? checks[_i].parts : "");
	ck_assert_int_ne(stat(d->store, &st), 0);
	/* Started, it fails alike: one line, and the same status. */
	if (status == 2) {
		d = daemon_prepare(checks[_i].config, FREE_PORTS, "--store", "$DIR/hrwd.db", NULL);
		ck_assert_int_eq(daemon_exits_with(d), 2);
		ck_assert_uint_eq(daemon_log_lines(d), 1);
		ck_assert_int_ne(stat(d->store, &st), 0);
	}
}
END_TEST

START_TEST(a_configuration_that_is_not_there_is_named)
{
	struct daemon *d = daemon_prepare(NULL, "--config", "/nowhere/hrwd.json", NULL);

	ck_assert_int_eq(daemon_exits_with(d), 2);
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "/nowhere/hrwd.json"));
	ck_assert_uint_eq(daemon_log_lines(d), 1);
}
END_TEST

START_TEST(version_and_help_are_told_and_nothing_starts)
{
	struct daemon *d = daemon_prepare(NULL, "--version", NULL);

	ck_assert_int_eq(daemon_exits_with(d), 0);
	ck_assert_ptr_nonnull(strstr(daemon_log(d), HRW_VERSION));
	d = daemon_prepare(NULL, "--help", NULL);
	ck_assert_int_eq(daemon_exits_with(d), 0);
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "--check"));
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "--store"));
	d = daemon_prepare(NULL, "--confg", "x", NULL);
	ck_assert_int_eq(daemon_exits_with(d), 2);
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "--confg"));
}
END_TEST

START_TEST(a_port_in_use_is_said_to_be_so)
{
	struct daemon *d = fleet_start();
	const char *const urls[] = {d->lookup, d->admin};

	for (int i = 0; i < 2; i++) {
		const char *address = urls[i] + strlen("http://");
		struct daemon *other =
		    daemon_prepare(NULL, "--lookup", i == 0 ? address : "127.0.0.1:0", "--admin",
			i == 1 ? address : "127.0.0.1:0", "--store", "$DIR/hrwd.db", NULL);

		ck_assert_int_eq(daemon_exits_with(other), 1);
		ck_assert_msg(strstr(daemon_log(other), address) != NULL &&
				  strstr(daemon_log(other), "in use") != NULL,
		    "%s", daemon_log(other));
		expect_status(get(d->lookup, "/owner?key=a"), 200);
	}
	daemon_stop(d);
}
END_TEST

/* Nobody listens there, and the kernel gives it to nobody soon. */
static int
free_port(void)
{
	struct sockaddr_in any = {
	    .sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(any);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&any, len), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&any, &len), 0);
	close(fd);
	return ntohs(any.sin_port);
}

/* Formerly such a name was how a daemon took an address, and any process may bind it. */
START_TEST(a_stranger_cannot_keep_it_down_by_a_name)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	const char *address = text("127.0.0.1:%d", free_port());
	int len = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "hrwd:%s", address);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct daemon *d;

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&name,
			     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)),
	    0);
	ck_assert_int_eq(listen(fd, 1), 0);
	d = daemon_start(NULL, "--lookup", address, NULL);
	expect_status(get(d->lookup, "/livez"), 200);
	daemon_stop(d);
	close(fd);
}
END_TEST

START_TEST(of_daemons_that_start_at_once_on_one_port_one_serves)
{
	enum { AT_ONCE = 5, TIMES = 4 };

	for (int i = 0; i < TIMES; i++) {
		const char *address = text("127.0.0.1:%d", free_port());
		struct daemon *d[AT_ONCE];
		int ready = 0;

		for (int k = 0; k < AT_ONCE; k++) {
			d[k] = daemon_prepare(FLEET_CONFIG("\"workers\":2,"), "--lookup", address,
			    "--admin", "127.0.0.1:0", "--store", "$DIR/hrwd.db", NULL);
			daemon_spawn(d[k]);
		}
		for (int k = 0; k < AT_ONCE; k++) {
			int status = daemon_comes_up(d[k]);

			ready += status < 0;
			if (status >= 0) {
				ck_assert_int_eq(status, 1);
				daemon_log_has(d[k], text("%s is in use by ", address));
			}
		}
		ck_assert_int_eq(ready, 1);
		for (int k = 0; k < AT_ONCE; k++)
			if (d[k]->pid != 0)
				daemon_stop(d[k]);
	}
}
END_TEST

static void
be_nobody(void *unused)
{
	(void)unused;
	if (setresuid(54321, 54321, 54321) != 0)
		_exit(77);
}

START_TEST(who_has_a_port_is_said_as_far_as_it_is_known)
{
	struct daemon *d = fleet_start(), *other;
	const char *address = d->lookup + strlen("http://");
	struct sockaddr_in any = {
	    .sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(any);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), status;

	other = daemon_prepare(NULL, "--lookup", address, "--store", "$DIR/hrwd.db", NULL);
	ck_assert_int_eq(daemon_exits_with(other), 1);
	daemon_log_has(
	    other, text("%s is in use by another hrwd (process %d)", address, (int)d->pid));
	ck_assert_uint_eq(daemon_log_lines(other), 1);

	/* Another user may not look at our processes. */
	other = daemon_prepare(NULL, "--lookup", address, "--store", "/nowhere/hrwd.db", NULL);
	other->born = be_nobody;
	status = daemon_exits_with(other);
	if (status == 1)
		daemon_log_has(other, text("%s is in use by a process of the user %s", address,
					  getpwuid(getuid())->pw_name));

	/* No hrwd, but this process. */
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&any, len), 0);
	ck_assert_int_eq(listen(fd, 1), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&any, &len), 0);
	address = text("127.0.0.1:%d", ntohs(any.sin_port));
	other = daemon_prepare(NULL, "--lookup", address, "--store", "$DIR/hrwd.db", NULL);
	ck_assert_int_eq(daemon_exits_with(other), 1);
	daemon_log_has(
	    other, text("%s is in use by process %d, integration-te", address, (int)getpid()));
	close(fd);

	/* Two names of one address, unless this machine prefers [::1]. */
	address = text("127.0.0.1:%d", free_port());
	other = daemon_prepare(NULL, "--lookup", address, "--admin",
	    text_replace(address, "127.0.0.1", "localhost"), "--store", "$DIR/hrwd.db", NULL);
	status = daemon_try(other);
	if (status >= 0)
		daemon_log_has(other, "another listener of this configuration");
	else
		daemon_stop(other);
	daemon_stop(d);
}
END_TEST

/* Two listeners, and what a check says of them: parts, or NULL where all is well. */
static const struct {
	const char *lookup, *admin, *parts;
} pairs[] = {
    {"127.0.0.1:7170", "127.0.0.1:7170", "127.0.0.1:7170|listen.lookup|listen.admin"},
    {"0.0.0.0:7170", "127.0.0.1:7170", "0.0.0.0:7170|127.0.0.1:7170"},
    {"[::1]:7170", "[0::0:1]:7170", "[::1]:7170"},
    {"[::]:7170", "[::1]:7170", "[::]:7170"},
    {"unix:/run/hrwd.sock", "unix:/run/hrwd.sock", "unix:/run/hrwd.sock"},
    {"localhost:7170", "localhost:7170", "localhost:7170"},
    {"127.0.0.1:7170", "127.0.0.1:7171", NULL},
    {"127.0.0.1:7170", "127.0.0.2:7170", NULL},
    {"127.0.0.1:7170", "[::1]:7170", NULL},
    {"127.0.0.1:0", "127.0.0.1:0", NULL},
};

START_TEST(two_listeners_on_one_address_are_a_fault_of_the_configuration)
{
	for (int is_file = 0; is_file < 2; is_file++) {
		const char *listen = text("{\"listen\":{\"lookup\":\"%s\",\n\"admin\":[\"%s\"]}}",
		    pairs[_i].lookup, pairs[_i].admin);
		struct daemon *d = is_file
				       ? daemon_prepare(listen, "--check", NULL)
				       : daemon_prepare(NULL, "--check", "--lookup",
					     pairs[_i].lookup, "--admin", pairs[_i].admin, NULL);
		int status = daemon_exits_with(d);

		ck_assert_msg(status == (pairs[_i].parts != NULL ? 2 : 0), "%s and %s: %d: %s",
		    pairs[_i].lookup, pairs[_i].admin, status, daemon_log(d));
		if (pairs[_i].parts != NULL)
			daemon_log_has(d, pairs[_i].parts);
		if (pairs[_i].parts != NULL && is_file)
			daemon_log_has(d, "hrwd.json:2");
	}
}
END_TEST

START_TEST(a_start_that_an_address_fails_leaves_no_store)
{
	struct daemon *d = fleet_start();
	const struct {
		const char *lookup, *admin, *said;
	} rows[] = {
	    {d->lookup + strlen("http://"), "127.0.0.1:0", "in use"},
	    {"127.0.0.1:0", d->admin + strlen("http://"), "in use"},
	    {"unix:/no/such/folder/socket", "127.0.0.1:0", "/no/such/folder/socket"},
	    {"127.0.0.1:0", "unix:/no/such/folder/socket", "/no/such/folder/socket"},
	    {"no-such-host.invalid:7", "127.0.0.1:0", "no such host"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct daemon *other = daemon_prepare(NULL, "--lookup", rows[i].lookup, "--admin",
		    rows[i].admin, "--store", "$DIR/hrwd.db", NULL);

		ck_assert_int_eq(daemon_exits_with(other), 1);
		ck_assert_ptr_nonnull(strstr(daemon_log(other), rows[i].said));
		ck_assert_int_lt(access(daemon_path(other, "hrwd.db"), F_OK), 0);
		ck_assert_int_lt(access(daemon_path(other, "hrwd-keys.db"), F_OK), 0);
	}
	daemon_stop(d);
}
END_TEST

START_TEST(an_admin_listener_for_others_needs_tokens)
{
	static const char *const addresses[] = {"0.0.0.0:0", "[::]:0", "192.0.2.1:7071"};

	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		struct daemon *d = daemon_prepare(NULL, "--lookup", "127.0.0.1:0", "--admin",
		    addresses[i], "--store", "$DIR/hrwd.db", NULL);
		int status = daemon_exits_with(d);

		ck_assert_msg(status == 1 || status == 2, "%d: %s", status, daemon_log(d));
		ck_assert_ptr_nonnull(strstr(daemon_log(d), addresses[i]));
		ck_assert_ptr_nonnull(strstr(daemon_log(d), "token"));
	}
}
END_TEST

START_TEST(an_admin_listener_can_be_off)
{
	struct daemon *d = daemon_prepare(
	    FLEET_CONFIG("\"listen\":{\"lookup\":\"127.0.0.1:0\",\"admin\":\"off\"},"), "--store",
	    "$DIR/hrwd.db", NULL);

	daemon_launch(d);
	ck_assert_str_eq(d->admin, "");
	expect(get(d->lookup, "/owner?key=photo-7"), "owner", "'cache-d'");
	daemon_stop(d);
}
END_TEST

START_TEST(a_listener_can_be_a_list_of_addresses)
{
	struct daemon *d = daemon_prepare(
	    FLEET_CONFIG("\"listen\":{\"lookup\":[\"127.0.0.1:0\",\"unix:$DIR/lookup.sock\"],"
			 "\"admin\":\"127.0.0.1:0\"},"),
	    "--store", "$DIR/hrwd.db", NULL);

	daemon_launch(d);
	expect(get(d->lookup, "/owner?key=photo-7"), "owner", "'cache-d'");
	expect(
	    get(text("unix:%s/lookup.sock", d->dir), "/owner?key=photo-7"), "owner", "'cache-d'");
	daemon_stop(d);
}
END_TEST

START_TEST(on_a_unix_socket_the_history_names_the_user)
{
	struct daemon *d = daemon_start(
	    FLEET_CONFIG(
		"\"listen\":{\"lookup\":\"127.0.0.1:0\",\"admin\":\"unix:$DIR/admin.sock\"},"),
	    NULL);
	const struct passwd *me = getpwuid(getuid());
	struct answer *a;
	struct stat st;

	ck_assert_int_eq(strncmp(d->admin, "unix:", 5), 0);
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	a = get(d->admin, "/history");
	ck_assert_ptr_nonnull(me);
	ck_assert_msg(strstr(text_at(a, "history[0].by"), me->pw_name) != NULL, "%s", a->body);
	/* Only its owner and group may change anything. */
	ck_assert_int_eq(stat(daemon_path(d, "admin.sock"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07, 0);
	/* A socket that a killed daemon left behind is no obstacle. */
	daemon_crash(d);
	expect_status(post(d->admin, "/nodes/cache-c/activate", NULL), 200);
	daemon_stop(d);
	ck_assert_int_ne(stat(daemon_path(d, "admin.sock"), &st), 0);
}
END_TEST

START_TEST(a_unix_socket_has_the_mode_and_the_group_that_were_asked_for)
{
	/* Root may give it to any group, others to their own. */
	const struct group *group = getgrgid(getuid() == 0 ? 1 : getgid());
	const char *listen =
	    text("\"listen\":{\"lookup\":{\"address\":\"unix:$DIR/lookup.sock\",\"mode\":\"666\"},"
		 "\"admin\":[{\"address\":\"unix:$DIR/admin.sock\",\"mode\":\"0620\","
		 "\"group\":\"%s\"},\"unix:$DIR/usual.sock\"]},",
		group->gr_name);
	struct daemon *d = daemon_prepare(
	    text("{%s%s", listen, &FLEET_CONFIG("")[1]), "--store", "$DIR/hrwd.db", NULL);
	static const char *const names[] = {"lookup.sock", "admin.sock", "usual.sock"};
	static const unsigned modes[] = {0666, 0620, 0660};
	struct stat st;

	daemon_launch(d);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(stat(daemon_path(d, names[i]), &st), 0);
		ck_assert_uint_eq(st.st_mode & 07777, modes[i]);
		if (i == 1)
			ck_assert_uint_eq(st.st_gid, group->gr_gid);
		expect_status(get(text("unix:%s/%s", d->dir, names[i]), "/owner?key=a"), 200);
	}
	daemon_stop(d);
	for (int i = 0; i < 3; i++)
		ck_assert_int_ne(stat(daemon_path(d, names[i]), &st), 0);
}
END_TEST

/* Clients that look up without a pause until the daemon is gone. */
static struct {
	struct daemon *d;
	atomic_long answered, cut;
	atomic_int is_stopping;
} load;

static void *
look_up(void *arg)
{
	static const char request[] =
	    "GET /replicas?key=photo-7 HTTP/1.1\r\nHost: localhost\r\n\r\n";
	int fd = -1;

	(void)arg;
	for (;;) {
		int was_stopping = atomic_load(&load.is_stopping);
		struct answer *a;

		if (fd < 0 && (fd = raw_open(load.d->lookup)) < 0)
			return NULL;
		raw_send(fd, request, sizeof(request) - 1);
		a = raw_answer(fd, 10000);
		if (a->status == 200) {
			atomic_fetch_add(&load.answered, 1);
			continue;
		}
		/* Closed before a byte of an answer: an idle connection at its end. Part of
		 * an answer is a request that was cut. */
		if (a->len != 0 || !(was_stopping || atomic_load(&load.is_stopping)))
			atomic_fetch_add(&load.cut, 1);
		close(fd);
		if (atomic_load(&load.is_stopping))
			return NULL;
		fd = -1;
	}
}

static void *
ask_slowly(void *arg)
{
	struct answer **answer = arg;
	const char *head = "POST /owners HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\n";
	int fd = raw_open(load.d->lookup);

	raw_send(fd, head, strlen(head));
	raw_send(fd, "photo-1\nph", 10);
	while (!atomic_load(&load.is_stopping))
		pause_ms(1);
	pause_ms(200);
	raw_send(fd, "oto-222222", 10);
	*answer = raw_answer(fd, 10000);
	close(fd);
	return NULL;
}

START_TEST(sigterm_under_load_cuts_no_request)
{
	enum { CLIENTS = 4 };
	pthread_t client[CLIENTS], slow;
	struct answer *answer = NULL;

	load.d = fleet_start();
	for (int i = 0; i < CLIENTS; i++)
		ck_assert_int_eq(pthread_create(&client[i], NULL, look_up, NULL), 0);
	ck_assert_int_eq(pthread_create(&slow, NULL, ask_slowly, &answer), 0);
	for (double end = now_ms() + 20000; atomic_load(&load.answered) <= 100; pause_ms(10))
		ck_assert_double_lt(now_ms(), end);
	atomic_store(&load.is_stopping, 1);
	daemon_stop(load.d);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(client[i], NULL);
	pthread_join(slow, NULL);
	ck_assert_int_eq(atomic_load(&load.cut), 0);
	/* A request whose body was under way is answered whole. */
	ck_assert_ptr_nonnull(answer);
	expect_status(answer, 200);
	ck_assert_int_eq(strncmp(answer->body, "photo-1\t", 8), 0);
}
END_TEST

START_TEST(sigint_ends_it_too_and_idle_connections_do_not_hold_it)
{
	struct daemon *d = fleet_start();
	int fd = raw_open(d->lookup), other = raw_open(d->admin);
	double begun;

	expect_status(get(d->lookup, "/owner?key=a"), 200);
	begun = now_ms();
	daemon_end(d, SIGINT);
	ck_assert_double_lt(now_ms() - begun, 5000);
	close(fd);
	close(other);
}
END_TEST

START_TEST(sighup_reads_the_log_level_anew_and_says_what_it_could_not_change)
{
	struct daemon *d = daemon_start(FLEET_CONFIG("\"workers\":2,"), NULL);
	static const char next[] =
	    FLEET_CONFIG("\"workers\":3,\"log\":{\"level\":\"debug\"},\"limits\":{\"copies\":3},");
	static const char broken[] = "{\"log\":{\"levle\":\"debug\"}}";

	expect_status(get(d->lookup, "/replicas?key=a&copies=4"), 200);
	daemon_write(d, "hrwd.json", next, sizeof(next) - 1);
	kill(d->pid, SIGHUP);
	daemon_wait_log(d, "workers");
	expect_refusal(get(d->lookup, "/replicas?key=a&copies=4"), 400, "bad-copies", "4|3");
	daemon_write(d, "hrwd.json", broken, sizeof(broken) - 1);
	kill(d->pid, SIGHUP);
	daemon_wait_log(d, "levle");
	expect_status(get(d->lookup, "/replicas?key=a&copies=3"), 200);
	daemon_stop(d);
}
END_TEST

static long
threads_with(const char *pool_size)
{
	struct daemon *d;
	const char *at;
	long threads;

	setenv("UV_THREADPOOL_SIZE", pool_size, 1);
	d = fleet_start();
	unsetenv("UV_THREADPOOL_SIZE");
	at = strstr(get(d->admin, "/metrics")->body, "\nprocess_threads ");
	ck_assert_ptr_nonnull(at);
	threads = strtol(at + strlen("\nprocess_threads "), NULL, 10);
	daemon_stop(d);
	return threads;
}

START_TEST(all_threads_are_there_when_it_is_ready_and_the_environment_takes_none_away)
{
	enum { MANY = 60 };
	long usual = threads_with("0"), least = 1 + 1 + 4 + 6; /* main, worker, uploads, the rest */

	ck_assert_int_gt(usual, least);
	ck_assert_int_eq(threads_with("1"), usual);
	ck_assert_int_eq(threads_with("-5"), usual);
	ck_assert_int_eq(threads_with("many"), usual);
	ck_assert_int_gt(threads_with(text("%d", MANY)), MANY);
}
END_TEST

START_TEST(a_log_can_be_json_a_line_an_event)
{
	struct daemon *d = daemon_start(FLEET_CONFIG("\"log\":{\"format\":\"json\"},"), NULL);
	char *log;

	post(d->admin, "/nodes/cache-c/drain", NULL);
	daemon_stop(d);
	log = text("%s", daemon_log(d));
	for (char *line; (line = strsep(&log, "\n")) != NULL;)
		ck_assert_msg(*line == '\0' || (line[0] == '{' && line[strlen(line) - 1] == '}' &&
						   strstr(line, "\"message\":") != NULL),
		    "%s", line);
}
END_TEST

START_TEST(its_health_is_asked_by_the_program_itself)
{
	struct daemon *d = fleet_start(), *asks;
	const char *lookup = d->lookup + strlen("http://");
	struct daemon *on_path = daemon_start(
	    FLEET_CONFIG("\"listen\":{\"lookup\":[\"127.0.0.1:0\",\"unix:$DIR/x.sock\"],"
			 "\"admin\":\"off\"},"),
	    NULL);

	asks = daemon_prepare(NULL, "--health", "--lookup", lookup, "--admin", "off", NULL);
	ck_assert_int_eq(daemon_exits_with(asks), 0);
	ck_assert_uint_eq(daemon_log_lines(asks), 0);
	/* The admin listener has rules for Host. */
	asks = daemon_prepare(
	    NULL, "--health", "--lookup", "off", "--admin", d->admin + strlen("http://"), NULL);
	ck_assert_int_eq(daemon_exits_with(asks), 0);
	asks =
	    daemon_prepare(NULL, "--health", "--config", daemon_path(on_path, "hrwd.json"), NULL);
	ck_assert_int_eq(daemon_exits_with(asks), 0);
	daemon_stop(d);
	daemon_stop(on_path);
	asks = daemon_prepare(NULL, "--health", "--lookup", lookup, "--admin", "off", NULL);
	ck_assert_int_eq(daemon_exits_with(asks), 1);
	ck_assert_ptr_nonnull(strstr(daemon_log(asks), lookup));
}
END_TEST

SUITE(startup)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, without_a_configuration_there_is_one_empty_pool_and_a_store_here);
	tcase_add_test(tests, flags_win_over_the_file);
	tcase_add_loop_test(tests, a_check_says_what_is_wrong_and_where_and_starts_nothing, 0,
	    sizeof(checks) / sizeof(*checks));
	tcase_add_test(tests, a_configuration_that_is_not_there_is_named);
	tcase_add_test(tests, version_and_help_are_told_and_nothing_starts);
	tcase_add_test(tests, a_port_in_use_is_said_to_be_so);
	tcase_add_test(tests, a_stranger_cannot_keep_it_down_by_a_name);
	tcase_add_test(tests, of_daemons_that_start_at_once_on_one_port_one_serves);
	tcase_add_test(tests, who_has_a_port_is_said_as_far_as_it_is_known);
	tcase_add_loop_test(tests, two_listeners_on_one_address_are_a_fault_of_the_configuration, 0,
	    sizeof(pairs) / sizeof(*pairs));
	tcase_add_test(tests, a_start_that_an_address_fails_leaves_no_store);
	tcase_add_test(tests, an_admin_listener_for_others_needs_tokens);
	tcase_add_test(tests, an_admin_listener_can_be_off);
	tcase_add_test(tests, a_listener_can_be_a_list_of_addresses);
	tcase_add_test(tests, on_a_unix_socket_the_history_names_the_user);
	tcase_add_test(tests, a_unix_socket_has_the_mode_and_the_group_that_were_asked_for);
	tcase_add_test(tests, sigterm_under_load_cuts_no_request);
	tcase_add_test(tests, sigint_ends_it_too_and_idle_connections_do_not_hold_it);
	tcase_add_test(tests, sighup_reads_the_log_level_anew_and_says_what_it_could_not_change);
	tcase_add_test(
	    tests, all_threads_are_there_when_it_is_ready_and_the_environment_takes_none_away);
	tcase_add_test(tests, a_log_can_be_json_a_line_an_event);
	tcase_add_test(tests, its_health_is_asked_by_the_program_itself);
}
