/*
 * http_body_test.c - bodies that come and go: whole, streamed, too long, cut
 * short; answers that wait, and answers made piece by piece.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "daemon/config/config.h"
#include "tests/dsl/http.h"
#include "tests/dsl/site.h"
#include "tests/dsl/suite.h"

static const char *base;

#define SAY(fd, text)	raw_send(fd, text, sizeof(text) - 1)
#define LONG_HEAD(path) "POST " path " HTTP/1.1\r\nHost: x\r\nContent-Length: "

static void
small_limits(struct config *c)
{
	c->http.json_bytes = 1000;
	c->http.body_bytes = 1 << 20;
}

/* A body of zeros in so many bytes, in pieces, chunked or not. */
static void
send_zeros(int fd, size_t len, size_t piece, bool is_chunked)
{
	char *zeros = calloc(1, piece), size[32];

	while (len > 0) {
		size_t now = len < piece ? len : piece;

		if (is_chunked)
			raw_send(fd, size, (size_t)snprintf(size, sizeof(size), "%zx\r\n", now));
		raw_send(fd, zeros, now);
		if (is_chunked)
			SAY(fd, "\r\n");
		len -= now;
	}
	if (is_chunked)
		SAY(fd, "0\r\n\r\n");
	free(zeros);
}

static void
send_head(int fd, const char *method, const char *path, size_t len, bool is_chunked)
{
	char head[256];
	int head_len = is_chunked
			   ? snprintf(head, sizeof(head),
				 "%s %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
				 method, path)
			   : snprintf(head, sizeof(head),
				 "%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n", method,
				 path, len);

	raw_send(fd, head, (size_t)head_len);
}

START_TEST(a_streamed_body_arrives_whole_however_it_is_cut)
{
	static const size_t pieces[] = {1, 7, 1000, 65536, 300000};
	int fd;

	base = site_start(LISTENER_LOOKUP, NULL);
	fd = raw_open(base);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++)
		for (int is_chunked = 0; is_chunked <= 1; is_chunked++) {
			size_t len = pieces[i] < 100 ? 3000 : 300000;
			char want[32];

			snprintf(want, sizeof(want), "%zu 0", len);
			send_head(fd, "POST", "/feed", len, is_chunked);
			send_zeros(fd, len, pieces[i], is_chunked);
			expect_body(raw_answer(fd, 10000), want);
		}
	close(fd);
	site_stop();
	ck_assert_int_eq(site_freed, 10);
}
END_TEST

START_TEST(a_whole_body_is_bounded)
{
	int fd;

	base = site_start(LISTENER_LOOKUP, small_limits);
	fd = raw_open(base);
	send_head(fd, "POST", "/whole", 1000, false);
	send_zeros(fd, 1000, 100, false);
	expect_body(raw_answer(fd, 2000), "1000 0");
	/* Chunked, its length is not known before: the rest is dropped. */
	send_head(fd, "POST", "/whole", 1001, true);
	send_zeros(fd, 1001, 100, true);
	expect_refusal(raw_answer(fd, 2000), 413, "too-large", "1000 bytes|json_bytes");
	/* And the connection can be used on. */
	send_head(fd, "POST", "/thing/a", 0, false);
	expect_status(raw_answer(fd, 2000), 405);
	close(fd);
	site_stop();
}
END_TEST

START_TEST(a_length_over_the_limit_is_refused_before_the_body)
{
	int fd;

	base = site_start(LISTENER_LOOKUP, small_limits);
	fd = raw_open(base);
	send_head(fd, "POST", "/whole", 1001, false);
	expect_refusal(raw_answer(fd, 2000), 413, "too-large", NULL);
	close(fd);
	/* A client that first sends all of it reads its answer nevertheless. */
	fd = raw_open(base);
	send_head(fd, "POST", "/whole", 20 << 20, false);
	send_zeros(fd, 20 << 20, 1 << 16, false);
	expect_refusal(raw_answer(fd, 2000), 413, "too-large", NULL);
	close(fd);
	site_stop();
}
END_TEST

START_TEST(an_error_within_a_body_waits_for_its_end_or_cuts_it)
{
	int fd;

	base = site_start(LISTENER_LOOKUP, NULL);
	fd = raw_open(base);
	send_head(fd, "POST", "/feed?fail=1", 100000, false);
	send_zeros(fd, 100000, 1000, false);
	expect_refusal(raw_answer(fd, 2000), 400, "bad-key", "piece 1");
	send_head(fd, "POST", "/feed?fail=3", 100000, true);
	send_zeros(fd, 100000, 1000, true);
	expect_refusal(raw_answer(fd, 2000), 400, "bad-key", "piece 3");
	/* Much more to come: answered at once, and closed. */
	send_head(fd, "PUT", "/long?fail=1", 30 << 20, false);
	send_zeros(fd, 30 << 20, 1 << 16, false);
	expect_refusal(raw_answer(fd, 2000), 400, "bad-key", "piece 1");
	close(fd);
	fd = raw_open(base);
	send_head(fd, "PUT", "/long?fail=2", 0, true);
	send_zeros(fd, 30 << 20, 1 << 16, true);
	expect_refusal(raw_answer(fd, 2000), 400, "bad-key", "piece 2");
	close(fd);
	site_stop();
	ck_assert_int_eq(site_freed, 4);
}
END_TEST

START_TEST(an_error_of_the_head_drops_a_small_body)
{
	int fd;

	base = site_start(LISTENER_LOOKUP, NULL);
	fd = raw_open(base);
	SAY(fd, LONG_HEAD("/nowhere") "5\r\n\r\nabcdeGET /owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n");
	expect_refusal(raw_answer(fd, 2000), 404, "unknown-path", NULL);
	expect_body(raw_answer(fd, 2000), "61");
	close(fd);
	site_stop();
}
END_TEST

START_TEST(who_asks_first_whether_to_go_on_is_told)
{
	char got[256];
	ssize_t len;
	int fd;

	base = site_start(LISTENER_LOOKUP, small_limits);
	fd = raw_open(base);
	SAY(fd, LONG_HEAD("/whole") "3\r\nExpect: 100-continue\r\n\r\n");
	len = recv(fd, got, sizeof(got) - 1, 0);
	ck_assert(len > 0);
	got[len] = '\0';
	ck_assert_str_eq(got, "HTTP/1.1 100 Continue\r\n\r\n");
	SAY(fd, "abc");
	expect_body(raw_answer(fd, 2000), "3 0");
	/* An error comes instead of the word to go on. */
	SAY(fd, LONG_HEAD("/nowhere") "3\r\nExpect: 100-continue\r\n\r\n");
	len = recv(fd, got, sizeof(got) - 1, 0);
	ck_assert(len > 0);
	got[len] = '\0';
	ck_assert_ptr_nonnull(strstr(got, "HTTP/1.1 404"));
	close(fd);
	site_stop();
}
END_TEST

START_TEST(an_answer_may_wait)
{
	base = site_start(LISTENER_LOOKUP, NULL);
	expect_body(raw(base, "GET /work HTTP/1.1\r\nHost: x\r\n\r\n"), "2 0");
	expect_body(raw(base, "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n"), "0 0");
	expect_body(raw(base, "GET /at-once HTTP/1.1\r\nHost: x\r\n\r\n"), "1 0");
	ck_assert_int_eq(site_gone, 0);
	site_stop();
}
END_TEST

START_TEST(a_client_that_goes_away_is_noticed_while_its_request_waits)
{
	int fd;

	base = site_start(LISTENER_LOOKUP, NULL);
	/* Twice on one connection: the watch is made once and used again. */
	fd = raw_open(base);
	SAY(fd, "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
	expect_body(raw_answer(fd, 2000), "0 0");
	SAY(fd, "GET /wait?ms=100000 HTTP/1.1\r\nHost: x\r\n\r\n");
	usleep(50000);
	ck_assert_int_eq(site_gone, 0);
	close(fd);
	for (int i = 0; i < 200 && site_gone == 0; i++)
		usleep(10000);
	ck_assert_int_eq(site_gone, 1);
	site_stop();
}
END_TEST

START_TEST(a_stream_is_as_long_as_it_is)
{
	base = site_start(LISTENER_LOOKUP, NULL);
	ck_assert_uint_eq(raw(base, "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")->len, 300000);
	ck_assert_uint_eq(raw(base, "GET /stream?pieces=0 HTTP/1.1\r\nHost: x\r\n\r\n")->len, 0);
	ck_assert_uint_eq(
	    raw(base, "GET /stream?pieces=50 HTTP/1.1\r\nHost: x\r\n\r\n")->len, 5000000);
	site_stop();
	ck_assert_int_eq(site_freed, 3);
}
END_TEST

/* What a stream is made from may take long to close. */
START_TEST(a_stream_is_let_go_off_the_loop)
{
	int fd;

	base = site_start(LISTENER_LOOKUP, NULL);
	raw(base, "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
	raw(base, "GET /stream?broken=true HTTP/1.1\r\nHost: x\r\n\r\n");
	fd = raw_open(base);
	SAY(fd, "GET /stream?pieces=100000 HTTP/1.1\r\nHost: x\r\n\r\n");
	usleep(100000);
	close(fd);
	site_stop();
	ck_assert_int_eq(site_freed, 3);
	ck_assert_int_eq(site_freed_on_loop, 0);
}
END_TEST

START_TEST(a_stream_that_fails_is_seen_to_be_cut)
{
	base = site_start(LISTENER_LOOKUP, NULL);
	/* The last chunk never comes: status 0. */
	expect_status(raw(base, "GET /stream?broken=true HTTP/1.1\r\nHost: x\r\n\r\n"), 0);
	site_stop();
	ck_assert_int_eq(site_freed, 1);
}
END_TEST

START_TEST(a_stream_nobody_reads_ends_with_its_client)
{
	int fd;

	base = site_start(LISTENER_LOOKUP, NULL);
	fd = raw_open(base);
	SAY(fd, "GET /stream?pieces=100000 HTTP/1.1\r\nHost: x\r\n\r\n");
	usleep(100000);
	ck_assert_int_eq(site_freed, 0);
	close(fd);
	for (int i = 0; i < 200 && site_freed == 0; i++)
		usleep(10000);
	ck_assert_int_eq(site_freed, 1);
	site_stop();
}
END_TEST

START_TEST(a_spooled_answer_comes_whole)
{
	base = site_start(LISTENER_LOOKUP, NULL);
	ck_assert_uint_eq(raw(base, "GET /spool?bytes=0 HTTP/1.1\r\nHost: x\r\n\r\n")->len, 0);
	ck_assert_uint_eq(raw(base, "GET /spool HTTP/1.1\r\nHost: x\r\n\r\n")->len, 10);
	ck_assert_uint_eq(
	    raw(base, "GET /spool?bytes=5000000 HTTP/1.1\r\nHost: x\r\n\r\n")->len, 5000000);
	site_stop();
}
END_TEST

START_TEST(stopping_waits_for_what_is_under_way)
{
	int fd;

	base = site_start(LISTENER_LOOKUP, NULL);
	fd = raw_open(base);
	SAY(fd, "GET /wait?ms=300 HTTP/1.1\r\nHost: x\r\n\r\n");
	usleep(50000);
	site_stop();
	ck_assert_int_eq(site_gone, 0);
	{
		struct answer *a = raw_answer(fd, 1000);

		expect_body(a, "0 0");
		expect_header(a, "Connection", "close");
	}
	close(fd);
}
END_TEST

START_TEST(stopping_at_once_tells_those_who_wait)
{
	int waits, streams, feeds, idles;

	base = site_start(LISTENER_LOOKUP, NULL);
	waits = raw_open(base);
	streams = raw_open(base);
	feeds = raw_open(base);
	idles = raw_open(base);
	SAY(waits, "GET /wait?ms=100000 HTTP/1.1\r\nHost: x\r\n\r\n");
	SAY(streams, "GET /stream?pieces=100000 HTTP/1.1\r\nHost: x\r\n\r\n");
	SAY(feeds, LONG_HEAD("/feed") "100\r\n\r\nabc");
	SAY(idles, "GET /work HTTP/1.1\r\nHost: x\r\n\r\n");
	usleep(100000);
	site_stop_now();
	ck_assert_int_eq(site_gone, 1);
	ck_assert_int_eq(site_freed, 2);
	close(waits);
	close(streams);
	close(feeds);
	close(idles);
}
END_TEST

/* One member of gzip with so many zeros, behind what is there already. */
static size_t
add_gzip(unsigned char *to, size_t len, size_t room, size_t zeros)
{
	unsigned char *plain = calloc(1, zeros + 1);
	z_stream z = {0};

	deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
	z.next_in = plain;
	z.avail_in = (unsigned)zeros;
	z.next_out = to + len;
	z.avail_out = (unsigned)(room - len);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	len = room - z.avail_out;
	deflateEnd(&z);
	free(plain);
	return len;
}

static void
send_encoded(int fd, const char *to, const char *encoding, const void *body, size_t len,
    size_t piece, bool is_chunked)
{
	const char *at = body;
	char head[256], size[32];

	raw_send(fd, head,
	    (size_t)snprintf(head, sizeof(head),
		"%s HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: %s\r\n%s", to, encoding,
		is_chunked ? "Transfer-Encoding: chunked\r\n\r\n" : ""));
	if (!is_chunked)
		raw_send(fd, head,
		    (size_t)snprintf(head, sizeof(head), "Content-Length: %zu\r\n\r\n", len));
	while (len > 0) {
		size_t now = len < piece ? len : piece;

		if (is_chunked)
			raw_send(fd, size, (size_t)snprintf(size, sizeof(size), "%zx\r\n", now));
		raw_send(fd, at, now);
		if (is_chunked)
			SAY(fd, "\r\n");
		at += now;
		len -= now;
	}
	if (is_chunked)
		SAY(fd, "0\r\n\r\n");
}

START_TEST(a_body_in_gzip_is_read_as_what_it_was_made_from)
{
	static unsigned char body[1 << 16];
	static const size_t lengths[] = {0, 1, 1000, 16384, 65536, 5000000};
	static const size_t pieces[] = {1, 100, sizeof(body)};
	size_t len;
	int fd;

	base = site_start(LISTENER_LOOKUP, NULL);
	fd = raw_open(base);
	for (size_t i = 0; i < 6; i++)
		for (size_t j = lengths[i] > 100000 ? 1 : 0; j < 3; j++)
			for (int is_chunked = 0; is_chunked <= 1; is_chunked++) {
				char want[32];

				snprintf(want, sizeof(want), "%zu 0", lengths[i]);
				len = add_gzip(body, 0, sizeof(body), lengths[i]);
				/* By turns a body that is gathered, and a streamed one. */
				if (lengths[i] < 1000000) {
					send_encoded(fd, "POST /whole", "GZIP", body, len,
					    pieces[j], is_chunked);
					expect_body(raw_answer(fd, 10000), want);
				}
				send_encoded(
				    fd, "POST /feed", "x-gzip", body, len, pieces[j], is_chunked);
				expect_body(raw_answer(fd, 10000), want);
			}
	/* Two members are one body, as of `cat a.gz b.gz`. */
	len = add_gzip(body, 0, sizeof(body), 70000);
	len = add_gzip(body, len, sizeof(body), 3);
	send_encoded(fd, "PUT /long", "gzip", body, len, 7, false);
	expect_body(raw_answer(fd, 10000), "70003 0");
	send_encoded(fd, "POST /whole", "identity", "abc", 3, 3, false);
	expect_body(raw_answer(fd, 10000), "3 0");
	close(fd);
	site_stop();
}
END_TEST

START_TEST(what_is_no_gzip_is_refused_and_limits_hold_for_what_is_decoded)
{
	static unsigned char body[1 << 16];
	struct answer *a;
	size_t len;
	int fd;

	base = site_start(LISTENER_ADMIN, small_limits);
	fd = raw_open(base);
	send_encoded(fd, "POST /whole", "gzip", "plain", 5, 5, false);
	a = raw_answer(fd, 2000);
	expect_refusal(a, 400, "bad-field", "gzip");
	expect(a, "field", "'Content-Encoding'");
	len = add_gzip(body, 0, sizeof(body), 500);
	send_encoded(fd, "POST /whole", "gzip", body, len - 1, 10, false);
	expect_refusal(raw_answer(fd, 2000), 400, "bad-field", "cut short");
	body[len - 3] ^= 1; /* its checksum */
	send_encoded(fd, "POST /feed", "gzip", body, len, 10, true);
	expect_refusal(raw_answer(fd, 2000), 400, "bad-field", "gzip");
	/* A few bytes that would be many. */
	len = add_gzip(body, 0, sizeof(body), 1001);
	send_encoded(fd, "POST /whole", "gzip", body, len, len, false);
	expect_refusal(raw_answer(fd, 2000), 413, "too-large", "1000 bytes");
	len = add_gzip(body, 0, sizeof(body), 30 << 20);
	send_encoded(fd, "POST /feed", "gzip", body, len, len, false);
	expect_refusal(raw_answer(fd, 5000), 413, "too-large", "1048576 bytes");
	/* What is not known, and where none is taken. */
	static const char *const others[] = {"br", "deflate", "zstd", "gzip, gzip", "gzip2", "x"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		send_encoded(fd, "POST /whole", others[i], "abc", 3, 3, false);
		a = raw_answer(fd, 2000);
		expect_refusal(a, 415, "bad-type", others[i]);
		expect_header(a, "Accept-Encoding", "gzip");
	}
	len = add_gzip(body, 0, sizeof(body), 10);
	send_encoded(fd, "POST /thing/a", "gzip", body, len, len, false);
	expect_refusal(raw_answer(fd, 2000), 415, "bad-type", "takes none");
	close(fd);
	site_stop();
}
END_TEST

SUITE(http_body)
{
	tcase_add_test(tests, a_body_in_gzip_is_read_as_what_it_was_made_from);
	tcase_add_test(tests, what_is_no_gzip_is_refused_and_limits_hold_for_what_is_decoded);
	tcase_add_test(tests, a_streamed_body_arrives_whole_however_it_is_cut);
	tcase_add_test(tests, a_whole_body_is_bounded);
	tcase_add_test(tests, a_length_over_the_limit_is_refused_before_the_body);
	tcase_add_test(tests, an_error_within_a_body_waits_for_its_end_or_cuts_it);
	tcase_add_test(tests, an_error_of_the_head_drops_a_small_body);
	tcase_add_test(tests, who_asks_first_whether_to_go_on_is_told);
	tcase_add_test(tests, an_answer_may_wait);
	tcase_add_test(tests, a_client_that_goes_away_is_noticed_while_its_request_waits);
	tcase_add_test(tests, a_stream_is_as_long_as_it_is);
	tcase_add_test(tests, a_stream_is_let_go_off_the_loop);
	tcase_add_test(tests, a_stream_that_fails_is_seen_to_be_cut);
	tcase_add_test(tests, a_stream_nobody_reads_ends_with_its_client);
	tcase_add_test(tests, a_spooled_answer_comes_whole);
	tcase_add_test(tests, stopping_waits_for_what_is_under_way);
	tcase_add_test(tests, stopping_at_once_tells_those_who_wait);
}
