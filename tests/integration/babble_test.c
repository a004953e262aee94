/*
 * babble_test.c - the daemon hears talk that is half-done or malformed, on both
 * listeners, in plain and over TLS, and every talk ends in every way at any byte.
 * Whatever was said:
 *
 *   - nothing is run that was not sent as a request (its access log tells);
 *   - each request has one well-formed answer, or none, and good ones have theirs;
 *   - every connection ends by its deadline, and gives back its descriptor;
 *   - nothing takes a CPU while its client is silent or has gone, and others are
 *     answered.
 *
 * HRW_BABBLE_SECONDS: for how long (`make soak` takes its MINUTES), HRW_SEED: which;
 * HRW_FIRST: from that talk on (the batch of talk N begins at 1 + (N - 1) / 160 * 160).
 */
#include <sys/socket.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnutls/gnutls.h>

#include "tests/dsl/babble.h"
#include "tests/dsl/certificates.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/talk.h"
#include "tests/dsl/text.h"
#include "tests/dsl/tokens.h"

enum {
	SECONDS = 5,
	TALKS = 160,   /* at once */
	END_MS = 9000, /* head, idle and body seconds, a sweep, and a busy machine */
	HOLD_MS = 400,
	TICKS_MAX = 20, /* of 40 that a loop which spins would take */
	HELLO_MAX = 2048,
	FLIGHT_MAX = 400, /* more than a client sends between its hello and its request's end */
	SPARE_FILES = 8,  /* the test's own connections, and a file that is read just now */
};

#define OPTIONS                                                                                    \
	"\"log\":{\"access\":true},\"limits\":{\"head_seconds\":1,\"body_seconds\":1,"             \
	"\"idle_seconds\":1},"
#define TLS "\"tls\":{\"certificate\":\"$DIR/server.pem\",\"key\":\"$DIR/server.key\"},"

enum ending { HOLDS, HALF_CLOSES, CLOSES, RESETS, ENDINGS };

struct client {
	struct babble talk;
	size_t sent; /* of the talk */
	enum ending ending;
	const char *base;
	gnutls_session_t tls;
	size_t budget; /* bytes that TLS may still send: what is over is lost */
	size_t spoils; /* how many bytes from now on one is another */
	bool is_junk;  /* no talk, but bytes that are no TLS */
	bool is_torn;  /* its records are cut or spoilt somewhere */
	int fd;
};

static struct daemon *plain, *secret;
static gnutls_certificate_credentials_t anybody;
static struct {
	unsigned long talks, answers, resets;
	unsigned long torn;
	long ticks; /* the most while all were silent */
} total;

static int
files_of(const struct daemon *d)
{
	char name[64];
	DIR *dir;
	int count = 0;

	snprintf(name, sizeof(name), "/proc/%d/fd", (int)d->pid);
	dir = opendir(name);
	ck_assert_ptr_nonnull(dir);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

/* By their deadline no connection of a client has a descriptor any more. */
static void
expect_gone(const struct daemon *d, int before)
{
	double end = now_ms() + END_MS;

	while (files_of(d) > before + SPARE_FILES) {
		ck_assert_msg(now_ms() < end, "%d files are open, %d were: clients that have gone",
		    files_of(d), before);
		usleep(20000);
	}
}

static struct daemon *
start(const char *options)
{
	struct daemon *d = daemon_prepare(text("{%s%s", options, &FLEET_CONFIG(OPTIONS)[1]),
	    "--lookup", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", "$DIR/hrwd.db", NULL);

	certificate_make((struct certificate){.dir = d->dir, .name = "server"});
	daemon_launch(d);
	return d;
}

/* The first flight of a client, as a TLS library would send it. */
static struct {
	char bytes[HELLO_MAX];
	size_t len;
} hello;

static ssize_t
keep_hello(gnutls_transport_ptr_t to, const void *data, size_t len)
{
	(void)to;
	if (hello.len + len <= sizeof(hello.bytes))
		memcpy(hello.bytes + hello.len, data, len);
	hello.len += len;
	return (ssize_t)len;
}

static ssize_t
hear_nothing(gnutls_transport_ptr_t from, void *data, size_t len)
{
	(void)from;
	(void)data;
	(void)len;
	return 0;
}

static gnutls_session_t
new_session(void)
{
	gnutls_session_t session;

	ck_assert_int_eq(gnutls_init(&session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL), 0);
	gnutls_set_default_priority(session);
	gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, anybody);
	return session;
}

static void
make_hello(void)
{
	gnutls_session_t session = new_session();

	gnutls_transport_set_push_function(session, keep_hello);
	gnutls_transport_set_pull_function(session, hear_nothing);
	gnutls_handshake(session);
	gnutls_deinit(session);
	ck_assert(hello.len > 5 && hello.len < sizeof(hello.bytes));
}

/* Sending. */

/* What TLS sends, as far as it goes. */
static ssize_t
push_some(gnutls_transport_ptr_t to, const void *data, size_t len)
{
	struct client *c = to;
	size_t some = len < c->budget ? len : c->budget;
	char bytes[20000];

	ck_assert_uint_le(some, sizeof(bytes));
	memcpy(bytes, data, some);
	if (c->spoils < some) {
		bytes[c->spoils] ^= 0x55;
		c->spoils = SIZE_MAX;
	} else if (c->spoils < SIZE_MAX) {
		c->spoils -= some;
	}
	raw_send(c->fd, bytes, some);
	c->budget -= some;
	return (ssize_t)len;
}

/* A handshake of which no more than a budget is sent; false: it needs more. */
static bool
shake_hands(struct client *c, size_t budget)
{
	c->tls = new_session();
	c->budget = budget;
	c->spoils = SIZE_MAX;
	gnutls_transport_set_ptr2(c->tls, (gnutls_transport_ptr_t)(intptr_t)c->fd, c);
	gnutls_transport_set_push_function(c->tls, push_some);
	gnutls_handshake_set_timeout(c->tls, END_MS);
	return gnutls_handshake(c->tls) == 0;
}

/* The rest of its records is cut somewhere, or a byte of them is another. */
static void
tear(struct client *c, struct dice *d)
{
	size_t at = dice_below(d, (unsigned)c->sent + 40);

	c->is_torn = dice_percent(d, 30);
	if (!c->is_torn)
		return;
	if (dice_percent(d, 50))
		c->budget = at;
	else
		c->spoils = at;
}

static void
say(struct client *c, const char *data, size_t len)
{
	if (c->tls == NULL) {
		raw_send(c->fd, data, len);
		return;
	}
	while (len > 0) {
		ssize_t sent = gnutls_record_send(c->tls, data, len);

		if (sent <= 0)
			return;
		data += sent;
		len -= (size_t)sent;
	}
}

static void
say_in_pieces(struct client *c, struct dice *d, const char *data, size_t len)
{
	while (len > 0) {
		size_t piece = dice_percent(d, 60) ? len : 1 + dice_below(d, (unsigned)len);

		say(c, data, piece);
		data += piece;
		len -= piece;
		if (len > 0)
			usleep(300);
	}
}

/* A hello that is cut, or has a byte of another value, or is no hello at all. */
static void
say_junk(struct client *c, struct dice *d)
{
	char bytes[HELLO_MAX];
	size_t len = hello.len;

	memcpy(bytes, hello.bytes, len);
	switch (dice_below(d, 4)) {
	case 0:
		len = 1 + dice_below(d, (unsigned)len);
		break;
	case 1:
		bytes[dice_below(d, (unsigned)len)] = (char)dice_below(d, 256);
		break;
	case 2:
		len = 1 + dice_below(d, 12);
		bytes[0] = (char)dice_below(d, 256);
		break;
	case 3:
		for (size_t i = 5; i < len; i++)
			bytes[i] = (char)dice_below(d, 256);
		break;
	}
	say_in_pieces(c, d, bytes, len);
}

static void
end_own_side(struct client *c)
{
	const struct linger at_once = {1, 0};

	switch (c->ending) {
	case HOLDS:
	case ENDINGS:
		break;
	case HALF_CLOSES:
		if (c->tls != NULL)
			gnutls_bye(c->tls, GNUTLS_SHUT_WR);
		shutdown(c->fd, SHUT_WR);
		break;
	case RESETS:
		setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		close(c->fd);
		break;
	case CLOSES:
		close(c->fd);
		break;
	}
}

static void
begin(struct client *c, struct dice *d, const char *base, bool is_tls)
{
	const struct timeval patience = {.tv_sec = END_MS / 1000};

	c->base = base;
	c->tls = NULL;
	c->fd = raw_open(base);
	ck_assert_int_ge(c->fd, 0);
	setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	c->is_junk = is_tls && dice_percent(d, 30);
	c->is_torn = false;
	if (c->is_junk) {
		say_junk(c, d);
	} else {
		if (is_tls) {
			ck_assert(shake_hands(c, SIZE_MAX));
			tear(c, d);
		}
		say_in_pieces(c, d, c->talk.data, c->sent);
	}
	end_own_side(c);
}

/* Hearing. */

static struct talk
hear_tls(struct client *c)
{
	struct page page = {0};
	struct talk t = {0};
	char piece[16384];
	ssize_t got;

	gnutls_record_set_timeout(c->tls, END_MS);
	do {
		got = gnutls_record_recv(c->tls, piece, sizeof(piece));
		if (got > 0)
			page_bytes(&page, piece, (size_t)got);
	} while (got > 0 || got == GNUTLS_E_INTERRUPTED);
	page_bytes(&page, "", 0);
	t.said = page.data;
	t.len = page.len;
	t.has_ended = got != GNUTLS_E_TIMEDOUT && got != GNUTLS_E_AGAIN;
	t.was_reset = got < 0 && got != GNUTLS_E_PREMATURE_TERMINATION;
	talk_judge(&t);
	return t;
}

static void
hear_out(struct client *c, uint64_t seed)
{
	struct babble_reading reading = babble_read(&c->talk, c->sent);
	/* Who says nothing is told that it was waited for. */
	int most =
	    (int)reading.whole + (reading.is_bad || reading.has_rest || c->sent == 0 || c->is_torn);
	struct talk t;

	if (c->ending == CLOSES || c->ending == RESETS) {
		if (c->tls != NULL)
			gnutls_deinit(c->tls);
		return;
	}
	t = c->tls != NULL ? hear_tls(c) : talk_hear(c->fd, 0, END_MS);
	total.answers += (unsigned long)t.answers;
	total.resets += t.was_reset;
	total.torn += c->is_torn;
#define CHECK(claim)                                                                               \
	ck_assert_msg(claim,                                                                       \
	    "HRW_SEED=%llu, talk %u at %s: " #claim                                                \
	    ": %d answers (at most %d), whole %d, ended %d, reset %d, ending %d, broken %d, sent " \
	    "%zu of %zu:\n%.*s\n--\n%.600s",                                                       \
	    (unsigned long long)seed, c->talk.number, c->base, t.answers, most, t.is_whole,        \
	    t.has_ended, t.was_reset, c->ending, c->talk.is_broken, c->sent, c->talk.len,          \
	    (int)(c->sent < 1200 ? c->sent : 1200), c->talk.data, t.said)
	CHECK(t.has_ended);
	if (!c->is_junk) {
		CHECK(t.was_reset || t.is_whole);
		CHECK(t.answers <= most);
		CHECK(c->talk.is_broken || c->is_torn || t.answers >= (int)reading.whole);
	}
#undef CHECK
	free(t.said);
	if (c->tls != NULL)
		gnutls_deinit(c->tls);
	close(c->fd);
}

/* Reads what was run since, and begins the log anew. */
static void
check_log(const struct daemon *d, const struct client *clients, unsigned first, uint64_t seed)
{
	size_t len;
	char *log = text_file(d->log_path, &len);

	ck_assert_ptr_nonnull(log);
	for (const char *at = log; (at = strstr(at, "inner-")) != NULL; at++) {
		unsigned number = (unsigned)atoi(at + strlen("inner-"));
		const char *status = strstr(at, "\" status=");
		const struct client *c;

		/* What was refused as it stands was not run. */
		if (number - first >= TALKS || status == NULL ||
		    strncmp(status, "\" status=4", 10) == 0)
			continue;
		c = &clients[number - first];
		ck_assert_msg(babble_read(&c->talk, c->sent).has_inner,
		    "HRW_SEED=%llu, talk %u at %s was run though nobody asked: sent %zu of %zu:\n"
		    "%.*s\n--\n%.300s",
		    (unsigned long long)seed, number, c->base, c->sent, c->talk.len,
		    (int)(c->sent < 1200 ? c->sent : 1200), c->talk.data, at);
	}
	ck_assert_int_eq(truncate(d->log_path, 0), 0);
}

/* They rest while nobody says anything */
static void
rest(void)
{
	long before, spent;

	usleep(100000);
	before = daemon_ticks(plain) + daemon_ticks(secret);
	usleep(HOLD_MS * 1000);
	spent = daemon_ticks(plain) + daemon_ticks(secret) - before;
	if (spent > total.ticks)
		total.ticks = spent;
	ck_assert_msg(spent < TICKS_MAX, "%ld ticks while nobody says anything", spent);
}

/* Some talk at once; each on another listener, in turn. */
static void
converse(struct client *clients, unsigned first, uint64_t seed)
{
	const char *bases[] = {plain->lookup, plain->admin, secret->lookup, secret->admin};
	const int files[] = {files_of(plain), files_of(secret)};
	struct dice d = {seed + first};

	for (unsigned i = 0; i < TALKS; i++) {
		struct client *c = &clients[i];

		babble_make(&c->talk, &d, first + i);
		c->sent =
		    dice_percent(&d, 50) ? c->talk.len : dice_below(&d, (unsigned)c->talk.len + 1);
		c->ending = dice_below(&d, ENDINGS);
		begin(c, &d, bases[i % 4], i % 4 >= 2);
	}
	rest();
	expect_status(get(plain->lookup, "/owner?key=a"), 200);
	for (unsigned i = 0; i < TALKS; i++)
		hear_out(&clients[i], seed);
	expect_gone(plain, files[0]);
	expect_gone(secret, files[1]);
	if (dice_percent(&d, 25))
		rest();
	check_log(plain, clients, first, seed);
	check_log(secret, clients, first, seed);
	total.talks += TALKS;
}

START_TEST(whatever_is_said_nothing_else_is_run_and_every_talk_ends)
{
	static struct client clients[TALKS];
	const char *seconds = getenv("HRW_BABBLE_SECONDS"), *seeded = getenv("HRW_SEED");
	const char *from = getenv("HRW_FIRST");
	uint64_t seed = seeded != NULL ? strtoull(seeded, NULL, 10) : 1;
	double until = now_ms() + 1000 * (seconds != NULL ? atof(seconds) : SECONDS);
	unsigned first = from != NULL ? (unsigned)atoi(from) : 1;

	ck_assert_int_eq(gnutls_certificate_allocate_credentials(&anybody), 0);
	make_hello();
	plain = start("");
	secret = start(TLS);
	do {
		converse(clients, first, seed);
		first += TALKS;
	} while (now_ms() < until);
	if (seconds != NULL)
		printf("babble: %lu talks (%lu with torn records), %lu answers, %lu resets; %ld "
		       "ticks at most in %d ms of silence; resident %ld and %ld KiB\n",
		    total.talks, total.torn, total.answers, total.resets, total.ticks, HOLD_MS,
		    daemon_resident(plain), daemon_resident(secret));
	daemon_stop(plain);
	daemon_stop(secret);
}
END_TEST

/* Every place, not only those that the dice choose. */
static const struct {
	const char *text;
	bool is_broken;
} whole_talks[] = {
    {"GET /owner?key=a HTTP/1.1\r\nHost: localhost\r\nX: y\r\n\r\n", false},
    {"POST /owners HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\na\nb\n"
     "GET /owner?key=a HTTP/1.1\r\nHost: localhost\r\n\r\n",
	false},
    {"POST /owners HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
     "2;x=y\r\na\n\r\n2\r\nb\n\r\n0\r\nX: y\r\n\r\n",
	false},
    {"POST /owners HTTP/1.1\r\nHost: localhost\r\nContent-Length:\r\n 2\r\n\r\na\n"
     "GET /owner?key=a HTTP/1.1\r\nHost: localhost\r\n\r\n",
	true},
    {"POST /owners HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding:\r\n\tchunked\r\n\r\n"
     "2\na\n\r\n0\r\nX:\r\n y\r\n\r\n",
	true},
};

enum { EVERY_MAX = 400 };

/* One client for each byte that a talk may end at, on each of two listeners. */
static void
end_at_every_byte(const struct daemon *d, bool is_tls, size_t which, enum ending ending)
{
	static struct client clients[EVERY_MAX];
	const char *said = whole_talks[which].text;
	size_t len = strlen(said), count = 2 * (len + 1);
	struct dice dice = {1};
	int files = files_of(d);

	ck_assert_uint_le(count, EVERY_MAX);
	for (size_t i = 0; i < count; i++) {
		struct client *c = &clients[i];

		c->talk.number = (unsigned)i;
		c->talk.len = len;
		c->talk.is_broken = whole_talks[which].is_broken;
		memcpy(c->talk.data, said, len + 1);
		c->sent = i / 2;
		c->ending = ending;
		c->base = i % 2 == 0 ? d->lookup : d->admin;
		c->tls = NULL;
		c->is_junk = c->is_torn = false;
		c->fd = raw_open(c->base);
		ck_assert_int_ge(c->fd, 0);
		ck_assert(!is_tls || shake_hands(c, SIZE_MAX));
		say_in_pieces(c, &dice, said, c->sent);
		end_own_side(c);
	}
	rest();
	for (size_t i = 0; i < count; i++)
		hear_out(&clients[i], 1);
	expect_gone(d, files);
}

START_TEST(a_talk_may_end_at_every_byte_in_every_way)
{
	enum ending ending = _i;

	ck_assert_int_eq(gnutls_certificate_allocate_credentials(&anybody), 0);
	plain = start("");
	secret = start(TLS);
	for (size_t i = 0; i < sizeof(whole_talks) / sizeof(*whole_talks); i++) {
		end_at_every_byte(plain, false, i, ending);
		end_at_every_byte(secret, true, i, ending);
	}
	expect_status(get(plain->lookup, "/owner?key=a"), 200);
	daemon_stop(plain);
	daemon_stop(secret);
}
END_TEST

/* The bytes below TLS: hello, the end of the handshake, the record of a request. */
START_TEST(a_handshake_and_a_record_may_end_at_every_byte_in_every_way)
{
	enum { ROUND = 240 };
	static const char request[] = "GET /owner?key=a HTTP/1.1\r\nHost: localhost\r\n\r\n";
	static struct client clients[ROUND];
	enum ending ending = _i;
	int files;

	ck_assert_int_eq(gnutls_certificate_allocate_credentials(&anybody), 0);
	make_hello();
	plain = start("");
	secret = start(TLS);
	files = files_of(secret);
	for (size_t from = 0; from < 2 * (hello.len + FLIGHT_MAX); from += ROUND) {
		for (size_t i = 0; i < ROUND; i++) {
			struct client *c = &clients[i];
			size_t bytes = (from + i) / 2;

			c->base = i % 2 == 0 ? secret->lookup : secret->admin;
			c->fd = raw_open(c->base);
			c->ending = ending;
			c->is_junk = true;
			c->tls = NULL;
			c->sent = 0;
			if (bytes < hello.len) {
				raw_send(c->fd, hello.bytes, bytes);
			} else if (shake_hands(c, bytes)) {
				say(c, request, sizeof(request) - 1);
			}
			end_own_side(c);
		}
		rest();
		for (size_t i = 0; i < ROUND; i++)
			hear_out(&clients[i], 1);
		expect_gone(secret, files);
	}
	daemon_stop(plain);
	daemon_stop(secret);
}
END_TEST

SUITE(babble)
{
	const char *seconds = getenv("HRW_BABBLE_SECONDS");

	tcase_set_timeout(tests, TEST_SECONDS + (seconds != NULL ? atof(seconds) : 0));
	tcase_add_loop_test(tests, a_talk_may_end_at_every_byte_in_every_way, HOLDS, ENDINGS);
	tcase_add_loop_test(
	    tests, a_handshake_and_a_record_may_end_at_every_byte_in_every_way, HOLDS, ENDINGS);
	tcase_add_test(tests, whatever_is_said_nothing_else_is_run_and_every_talk_ends);
}
