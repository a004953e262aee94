/*
 * No byte of a client reaches a line of the log, a header of an answer or a label
 * of a metric as it is: whatever it sends, lines stay lines and words words.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cjson/cJSON.h>

#include "core/bytes.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/dsl/tokens.h"

/* What is tried, percent-encoded: the end of a line and what would follow, the
 * escape that commands a terminal, NUL, half a character, a label's end. */
#define LINE "%0D%0AInjected:%20yes%0D%0A%0D%0A2026-01-01T00:00:00.000Z%20info%20forged"
static const char *const encoded[] = {LINE, "%0AInjected:yes", "%0DInjected:yes", "%1B%5B31mforged",
    "a%00forged", "%FF%FE", "%C3", "%ED%A0%80", "%22%7D%201%0Aforged%7B", "%5C%22forged",
    "%E2%80%AEforged", "%7F", "%09forged"};

/* The same as a header can carry it. */
static const char *const raw_bytes[] = {"\x1b[31mforged", "\xff\xfe", "\xc3", "\"} 1", "\\\"forged",
    "a\tb", "\x01\x02\x7f", "$(forged)", "%0d%0aInjected: yes",
    ("\xe2\x80\xae"
     "forged")};

/* No header has one of these: such a request is refused. */
static const char control_bytes[] = "\x01\x02\x1b\x7f";

/* Targets; %s is where the bytes go. */
static const char *const targets[] = {"/owner?key=%s", "/replicas?key=%s&copies=2",
    "/explain?key=%s", "/owner?key=a&pool=%s", "/owner?%s=a", "/owner?key=a&copies=%s", "/nodes/%s",
    "/pools/%s", "/plans/%s", "/plans/%s/changes", "/%s", "/nodes?after=%s", "/history?pool=%s",
    "/nodes/%s?pool=%s", "/plans?after=%s", "/keys?pool=%s"};

/* Headers. */
static const char *const headers[] = {"Hrw-Key", "Hrw-Reason", "Host", "Origin", "Content-Type",
    "If-Match", "If-None-Match", "Prefer", "Accept", "Authorization", "X-Forwarded-For",
    "User-Agent", "Referer", "Expect", "Cookie"};

static void
check_answer(const struct answer *a, const char *what)
{
	ck_assert_msg(a->status != 0, "no answer to %s: %s", what, a->body);
	ck_assert_msg(a->status < 500 || a->status == 503, "%s: %ld %s", what, a->status, a->body);
	ck_assert_msg(
	    header(a, "Injected") == NULL && strstr(a->headers, "\x1b") == NULL, "%s", a->headers);
	for (const char *at = a->headers; *at != '\0'; at++)
		ck_assert_msg((unsigned char)*at < 0x7f &&
				  ((unsigned char)*at >= ' ' || *at == '\r' || *at == '\n'),
		    "%s: a header holds the byte %d: %s", what, *at, a->headers);
	/* A carriage return is before each line feed, and there alone. */
	for (const char *at = a->headers; (at = strchr(at, '\r')) != NULL; at++)
		ck_assert_msg(at[1] == '\n', "%s", a->headers);
	if (header(a, "Content-Type") != NULL && strstr(header(a, "Content-Type"), "json") != NULL)
		ck_assert_msg(a->json != NULL && hrw_is_utf8(hrw_bytes(a->body, a->len)), "%s: %s",
		    what, a->body);
}

/* The fields of an access and of a fault, in their order. */
static const char *const fields[] = {"method", "target", "status", "code", "route", "detail", "key",
    "bytes", "duration_us", "by", "peer", "request", "trace"};

static int
field_number(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (strlen(fields[i]) == len && memcmp(fields[i], name, len) == 0)
			return (int)i;
	return -1;
}

/* An event has time, level and message, and members that are texts or numbers, none
 * twice. */
static void
check_event(const cJSON *json, const char *line)
{
	const cJSON *member, *other;
	int n = 0;

	ck_assert_msg(json != NULL && cJSON_GetArraySize(json) >= 3, "%s", line);
	cJSON_ArrayForEach (member, json) {
		static const char *const first[] = {"time", "level", "message"};

		ck_assert_msg(
		    cJSON_IsString(member) || (n >= 3 && cJSON_IsNumber(member)), "%s", line);
		if (n < 3)
			ck_assert_msg(strcmp(member->string, first[n]) == 0, "%s", line);
		for (other = member->next; other != NULL; other = other->next)
			ck_assert_msg(strcmp(member->string, other->string) != 0, "%s", line);
		n++;
	}
}

/* " name=word name="a \"value\""…": names in the order of `fields`, each once. */
static void
check_pairs(const char *at)
{
	int last = -1;

	while (*at == ' ') {
		size_t len = strcspn(++at, "=");
		int number = field_number(at, len);

		ck_assert_msg(number > last && at[len] == '=', "%s", at);
		last = number;
		at += len + 1;
		if (*at != '"') {
			at += strcspn(at, " =\"\\");
			continue;
		}
		for (at++; *at != '"'; at++) {
			at += *at == '\\';
			ck_assert_msg(*at != '\0', "a value has no end");
		}
		at++;
	}
	ck_assert_msg(*at == '\0' && last >= field_number("request", 7), "%s", at);
}

/* Every line is whole, begins with a time and a level, and is plain text. */
static void
check_log(const struct daemon *d, int is_json)
{
	static const char *const events[] = {" debug request failed", " info access"};
	char *log = text("%s", daemon_log(d));

	ck_assert(hrw_is_utf8(hrw_text(log)));
	for (char *line; (line = strsep(&log, "\n")) != NULL;) {
		for (const char *at = line; *at != '\0'; at++)
			ck_assert_msg((unsigned char)*at >= ' ' && *at != 0x7f, "%s", line);
		if (*line == '\0')
			continue;
		if (is_json) {
			cJSON *json = cJSON_ParseWithOpts(line, NULL, 1);

			check_event(json, line);
			cJSON_Delete(json);
		} else {
			ck_assert_msg(strlen(line) > 30 && line[4] == '-' && line[10] == 'T' &&
					  line[23] == 'Z' &&
					  strncmp(line, "2026-01-01T00:00:00.000Z", 24),
			    "%s", line);
			for (size_t i = 0; i < 2; i++)
				if (strstr(line, events[i]) == line + 24)
					check_pairs(line + 24 + strlen(events[i]));
		}
	}
}

/* name{label="value",…} number, or a comment. */
static void
check_metrics(const struct daemon *d)
{
	char *body = text("%s", expect_status(get(d->lookup, "/metrics"), 200)->body);

	ck_assert_ptr_null(strstr(body, "forged"));
	ck_assert_ptr_null(strstr(body, "Injected"));
	for (char *line; (line = strsep(&body, "\n")) != NULL;) {
		size_t name = strspn(line, "abcdefghijklmnopqrstuvwxyz_");
		const char *value = strrchr(line, ' ');

		if (*line == '\0' || *line == '#')
			continue;
		ck_assert_msg(name > 0 && (line[name] == '{' || line[name] == ' '), "%s", line);
		ck_assert_msg(
		    value != NULL && strspn(value + 1, "0123456789.e+-") == strlen(value + 1), "%s",
		    line);
	}
}

static void
try_all(const struct daemon *d)
{
	for (size_t t = 0; t < sizeof(targets) / sizeof(*targets); t++)
		for (size_t i = 0; i < sizeof(encoded) / sizeof(*encoded); i++) {
			const char *path = text_replace(targets[t], "%s", encoded[i]);
			static const char *const methods[] = {"GET", "PUT"};

			for (size_t m = 0; m < 2; m++)
				check_answer(ask(d->admin, methods[m], path, NULL, NULL), path);
			check_answer(ask(d->lookup, "GET", path, NULL, NULL), path);
		}
	for (size_t h = 0; h < sizeof(headers) / sizeof(*headers); h++)
		for (size_t i = 0; i < sizeof(raw_bytes) / sizeof(*raw_bytes); i++) {
			const char *host =
			    strcmp(headers[h], "Host") == 0 ? "" : "Host: localhost\r\n";
			const char *request =
			    text("POST /nodes/cache-c/drain?dry_run=true HTTP/1.1\r\n"
				 "%s%s: %s\r\nContent-Length: 0\r\n"
				 "Connection: close\r\n\r\n",
				host, headers[h], raw_bytes[i]);

			check_answer(raw(d->admin, request), request);
			request = text("GET /owner HTTP/1.1\r\n%s%s: %s\r\n\r\n", host, headers[h],
			    raw_bytes[i]);
			check_answer(raw(d->lookup, request), request);
		}
}

START_TEST(no_byte_of_a_client_breaks_a_line_a_header_or_a_label)
{
	static const char *const formats[] = {"text", "json"};
	struct daemon *d = daemon_start(
	    text(FLEET_CONFIG("\"log\":{\"level\":\"debug\",\"format\":\"%s\",\"access\":true},"),
		formats[_i]),
	    NULL);

	try_all(d);
	check_metrics(d);
	expect_status(get(d->lookup, "/owner?key=a"), 200);
	daemon_stop(d);
	check_log(d, _i);
}
END_TEST

START_TEST(a_reason_is_kept_and_shown_safely)
{
	struct daemon *d = fleet_start();
	struct answer *a;
	int changes = 0;

	for (size_t i = 0; i < sizeof(raw_bytes) / sizeof(*raw_bytes); i++) {
		const char *what = changes % 2 == 0 ? "drain" : "activate";

		a = raw(d->admin,
		    text("POST /nodes/cache-c/%s?report=none HTTP/1.1\r\nHost: localhost\r\n"
			 "Hrw-Reason: %s\r\nContent-Length: 0\r\n\r\n",
			what, raw_bytes[i]));
		if (strpbrk(raw_bytes[i], control_bytes) != NULL) {
			expect_refusal(a, 400, "bad-parameter", "control byte");
			check_answer(a, raw_bytes[i]);
			continue;
		}
		expect_status(a, 200);
		changes++;
		a = get(d->admin, "/history?limit=1");
		check_answer(a, raw_bytes[i]);
		ck_assert(hrw_is_utf8(hrw_text(text_at(a, "history[0].reason"))));
		for (const char *at = text_at(a, "history[0].reason"); *at != '\0'; at++)
			ck_assert_msg((unsigned char)*at >= ' ' && *at != 0x7f, "%s", a->body);
	}
	daemon_stop(d);
}
END_TEST

/* What a node is made of goes into headers of lookups, Location and labels. */
START_TEST(names_and_addresses_that_would_break_a_header_are_refused)
{
	static const char *const bodies[] = {
	    "{\"name\":\"a\\r\\nInjected: yes\",\"address\":\"h:1\"}",
	    "{\"name\":\"a b\",\"address\":\"h:1\"}",
	    "{\"name\":\"a\\u007f\",\"address\":\"h:1\"}",
	    "{\"name\":\"a\xff\",\"address\":\"h:1\"}",
	    "{\"name\":\"x\",\"address\":\"h\\r\\nInjected: yes:1\"}",
	    "{\"name\":\"x\",\"address\":\"h\\n:1\"}",
	    "{\"name\":\"x\",\"address\":\"h h:1\"}",
	    "{\"name\":\"x\",\"address\":\"h,h:1\"}",
	    "{\"name\":\"x\",\"address\":\"\\u001b[31m:1\"}",
	    "{\"name\":\"x\",\"address\":\"h\\u0000:1\"}",
	    "{\"name\":\"x\",\"address\":\"h\xc3\xa9:1\"}",
	    "{\"name\":\"x\",\"address\":\"h:1\",\"zone\":\"r\\n\"}",
	    "{\"name\":\"x\",\"address\":\"h:1\",\"zone\":\"r r\"}",
	};
	struct daemon *d = fleet_start();

	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		struct answer *a = post(d->admin, "/nodes", bodies[i]);

		check_answer(a, bodies[i]);
		expect_status(a, 400);
	}
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	daemon_stop(d);
}
END_TEST

SUITE(injection)
{
	tcase_add_loop_test(tests, no_byte_of_a_client_breaks_a_line_a_header_or_a_label, 0, 2);
	tcase_add_test(tests, a_reason_is_kept_and_shown_safely);
	tcase_add_test(tests, names_and_addresses_that_would_break_a_header_are_refused);
}
