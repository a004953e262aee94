/*
 * holds_test.c - a thousand clients that need no token begin something and hold it.
 * Whatever it is: nothing takes a CPU, lookups are answered as they are beside a
 * thousand silent connections, a change goes through, and a stop does not wait.
 *
 * Nothing is measured against the clock alone: the daemon's CPU in ticks, lookups
 * against those of the same minute, and times with a bound far from any deadline.
 */
#include <sys/resource.h>

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/dsl/certificates.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

enum {
	CLIENTS = 1000,
	LOOKUPS = 400,
	REST_MS = 1000,
	SETTLE = 8,
	TICKS_MAX = 30, /* of 100 that a loop which spins would take */
	RATIO_MAX = 10, /* of the p99 of lookups, and beside it: */
	FLOOR_MS = 60,
	STOP_MS = 9000, /* stop_seconds is 1; body_seconds and head_seconds are 300 */
};

#define OPTIONS                                                                                    \
	"\"limits\":{\"head_seconds\":300,\"body_seconds\":300,\"idle_seconds\":300,"              \
	"\"stop_seconds\":1},"
#define PAIR	"\"certificate\":\"$DIR/server.pem\",\"key\":\"$DIR/server.key\""
#define POST	"POST /owners HTTP/1.1\r\nHost: localhost\r\n"
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"
#define DRAIN	"POST /nodes/cache-a/drain HTTP/1.1\r\nHost: localhost\r\n\r\n"

/* What each client sends; then, so often, one byte more. */
static const struct hold {
	const char *name, *text;
	char fill;
	size_t fills;
	bool is_tls, is_admin;
} holds[] = {
    {.name = "a request line", .text = "GET /owner?key=a HT"},
    {.name = "half a head", .text = POST "Content-Length: 4\r\nX: y"},
    /* S1 */
    {.name = "a chunk's endless extension", .text = CHUNKED "5;", .fill = 'x', .fills = 40000},
    {.name = "a chunk's endless zeros", .text = CHUNKED "0", .fill = '0', .fills = 40000},
    {.name = "half a line of a chunk", .text = CHUNKED "5;x"},
    /* S2 */
    {.name = "a part of a handshake", .text = "\x16\x03\x01", .is_tls = true},
    {.name = "a byte that is no TLS", .text = "\x9c", .is_tls = true},
    {.name = "half a hello on A", .text = "\x16\x03\x01\x02", .is_tls = true, .is_admin = true},
    /* S3 to S7: the body of each would be a change. */
    {.name = "a folded length",
	.text = POST "Content-Length:\r\n 62\r\n\r\n" DRAIN,
	.is_admin = true},
    {.name = "a bare CR",
	.text = POST "X: a\rTransfer-Encoding: chunked\r\n\r\n" DRAIN,
	.is_admin = true},
    {.name = "a bare LF between chunks",
	.text = CHUNKED "1\na\r\n0\r\n\r\n" DRAIN,
	.is_admin = true},
    {.name = "two origins",
	.text = POST "Origin: http://a\r\nOrigin: http://b\r\n\r\n",
	.is_admin = true},
    {.name = "cookies without end", .text = POST "Cookie: a", .fill = ';', .fills = 40000},
    {.name = "a length that is none", .text = POST "Content-Length: x\r\n\r\n"},
    {.name = "a length of 65 bits", .text = POST "Content-Length: 18446744073709551616\r\n\r\n"},
    /* S8 */
    {.name = "half a body", .text = POST "Content-Length: 1000\r\n\r\nphoto-1\n"},
    {.name = "half a body on A",
	.text = POST "Content-Length: 1000\r\n\r\nphoto-1\n",
	.is_admin = true},
};

static struct daemon *
start(const struct hold *hold)
{
	struct rlimit files;
	struct daemon *d;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &files), 0);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	d = daemon_prepare(
	    text("{%s%s", hold->is_tls ? "\"tls\":{" PAIR "}," : "", &FLEET_CONFIG(OPTIONS)[1]),
	    "--lookup", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", "$DIR/hrwd.db", NULL);
	if (hold->is_tls) {
		certificate_make((struct certificate){.dir = d->dir, .name = "ca", .is_ca = 1});
		certificate_make(
		    (struct certificate){.dir = d->dir, .name = "server", .issuer = "ca"});
	}
	daemon_launch(d);
	if (hold->is_tls)
		trust(daemon_path(d, "ca.pem"), NULL, NULL);
	return d;
}

/* What was sent is dealt with some time; then there is a second of rest. A loop that
 * spins has none. */
static void
expect_rest(const struct daemon *d, const char *name, const char *when)
{
	long spent = TICKS_MAX;

	for (int i = 0; i < SETTLE && spent >= TICKS_MAX; i++) {
		long before = daemon_ticks(d);

		pause_ms(REST_MS);
		spent = (daemon_ticks(d) - before) * 100 / sysconf(_SC_CLK_TCK);
	}
	ck_assert_msg(spent < TICKS_MAX, "%s: %ld ticks %s", name, spent, when);
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
p99_ms(const struct daemon *d)
{
	double took[LOOKUPS];

	for (int i = 0; i < LOOKUPS; i++) {
		double begun = now_ms();

		expect_status(get(d->lookup, "/owner?key=a"), 200);
		took[i] = now_ms() - begun;
	}
	qsort(took, LOOKUPS, sizeof(took[0]), by_size);
	return took[LOOKUPS * 99 / 100];
}

static void
open_all(const struct daemon *d, const struct hold *hold, int *fd)
{
	for (int i = 0; i < CLIENTS; i++) {
		fd[i] = raw_open(hold->is_admin ? d->admin : d->lookup);
		ck_assert_int_ge(fd[i], 0);
	}
}

static void
close_some(const int *fd, int from, int to)
{
	for (int i = from; i < to; i++)
		close(fd[i]);
}

START_TEST(a_thousand_that_hold_a_request_take_nothing_from_others)
{
	const struct hold *hold = &holds[_i];
	struct daemon *d = start(hold);
	size_t len = strlen(hold->text) + hold->fills;
	char *said = kept(malloc(len));
	static int fd[CLIENTS];
	double silent, beside, begun;

	memcpy(said, hold->text, len - hold->fills);
	memset(said + len - hold->fills, hold->fill, hold->fills);
	open_all(d, hold, fd);
	silent = p99_ms(d);
	close_some(fd, 0, CLIENTS);
	open_all(d, hold, fd);
	for (int i = 0; i < CLIENTS; i++)
		raw_send(fd[i], said, len);
	expect_rest(d, hold->name, "while they hold");
	beside = p99_ms(d);
	ck_assert_msg(beside < RATIO_MAX * silent + FLOOR_MS,
	    "%s: p99 of lookups %.1f ms, beside silent clients %.1f ms", hold->name, beside,
	    silent);
	/* None of them changed anything, and another one can. */
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	expect_status(post(d->admin, "/nodes/cache-c/drain?report=none", NULL), 200);
	close_some(fd, 0, CLIENTS / 2);
	expect_rest(d, hold->name, "when half have gone");
	begun = now_ms();
	daemon_stop(d);
	ck_assert_msg(
	    now_ms() - begun < STOP_MS, "%s: the stop took %.0f ms", hold->name, now_ms() - begun);
	close_some(fd, CLIENTS / 2, CLIENTS);
}
END_TEST

SUITE(holds)
{
	tcase_add_loop_test(tests, a_thousand_that_hold_a_request_take_nothing_from_others, 0,
	    sizeof(holds) / sizeof(*holds));
}
