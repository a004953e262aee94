/*
 * bench.c - lookups over some connections at once, with a bounded number of
 * requests and a bounded time; each is measured as this client sees it.
 */
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/ctl/body.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/command.h"
#include "daemon/ctl/table.h"
#include "daemon/ctl/url.h"
#include "daemon/ctl/verbose.h"

enum { CONNECTIONS_MAX = 256, MADE_KEYS = 10000, WAIT_MS = 100 };

struct bench {
	struct ctl *ctl;
	char *base, *socket_path;
	struct curl_slist *headers;
	CURLM *multi;
	CURL *lane[CONNECTIONS_MAX];
	struct buffer keys; /* of a file; empty: made ones */
	size_t at;	    /* in it */
	uint64_t begun;
	double *ms; /* of each that was answered */
	size_t answered, failed;
	long failed_status;   /* of the first that failed */
	CURLcode failed_code; /* why there was no answer; CURLE_OK: there was */
	double seconds;
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t
drop(char *data, size_t size, size_t count, void *arg)
{
	(void)data;
	(void)arg;
	return size * count;
}

/* The next line of the file, over and over; or one of the made keys. */
static void
put_key(struct bench *b, struct buffer *url)
{
	const char *at, *end;
	char made[32];

	if (b->keys.len == 0) {
		snprintf(
		    made, sizeof(made), "bench-%llu", (unsigned long long)(b->begun % MADE_KEYS));
		url_parameter(url, "key", hrw_text(made));
		return;
	}
	if (b->at >= b->keys.len)
		b->at = 0;
	at = b->keys.data + b->at;
	end = memchr(at, '\n', b->keys.len - b->at);
	if (end == NULL)
		end = b->keys.data + b->keys.len;
	url_parameter(url, "key", hrw_bytes(at, (size_t)(end - at)));
	b->at += (size_t)(end - at) + 1;
}

/* --verbose shows what is measured, once; the keys differ. */
static void
show_request(const struct bench *b, const char *url)
{
	const struct ask ask = {.method = "GET", .path = url + strlen(b->base)};

	if (b->ctl->options.is_verbose && b->begun == 0)
		verbose_print(b->ctl, &ask, b->headers, b->base, b->socket_path, stderr);
}

/* The handle's next lookup. */
static int
begin(struct bench *b, CURL *lane)
{
	struct buffer url = {0};

	buffer_printf(&url, "%s/owner", b->base);
	put_key(b, &url);
	if (b->ctl->options.pool != NULL)
		url_parameter(&url, "pool", hrw_text(b->ctl->options.pool));
	show_request(b, buffer_text(&url));
	b->begun++;
	curl_easy_setopt(lane, CURLOPT_URL, buffer_text(&url));
	if (url.failed || curl_multi_add_handle(b->multi, lane) != CURLM_OK) {
		buffer_fini(&url);
		return ctl_no_memory();
	}
	buffer_fini(&url);
	return 0;
}

static int
lane_open(struct bench *b, size_t i)
{
	CURL *lane = b->lane[i] = curl_easy_init();

	if (lane == NULL)
		return ctl_no_memory();
	curl_easy_setopt(lane, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(lane, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(lane, CURLOPT_WRITEFUNCTION, drop);
	curl_easy_setopt(lane, CURLOPT_TIMEOUT, (long)b->ctl->options.seconds);
	curl_easy_setopt(lane, CURLOPT_HTTPHEADER, b->headers);
	client_identify(b->ctl, lane);
	if (*b->socket_path != '\0')
		curl_easy_setopt(lane, CURLOPT_UNIX_SOCKET_PATH, b->socket_path);
	return 0;
}

static void
note_end(struct bench *b, CURL *lane, CURLcode code)
{
	struct curl_header *owner;
	curl_off_t us = 0;
	long status = 0;

	curl_easy_getinfo(lane, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(lane, CURLINFO_TOTAL_TIME_T, &us);
	/* Every hrwd names the owner by header, too, and nobody else does. */
	if (code == CURLE_OK && status == 200 &&
	    curl_easy_header(lane, "Hrw-Owner", 0, CURLH_HEADER, -1, &owner) == CURLHE_OK) {
		b->ms[b->answered++] = (double)us / 1000;
		return;
	}
	if (b->failed++ == 0) {
		b->failed_status = status;
		b->failed_code = code;
	}
}

/* Those that have ended make room for others, until there were enough. */
static int
run(struct bench *b)
{
	const struct options *o = &b->ctl->options;
	double start = now(), end = start + (double)o->seconds;
	size_t lanes = o->connections < o->requests ? o->connections : o->requests;
	int rc = 0, running = 0, left;
	CURLMsg *message;

	for (size_t i = 0; rc == 0 && i < lanes; i++) {
		rc = lane_open(b, i);
		if (rc == 0)
			rc = begin(b, b->lane[i]);
	}
	do {
		curl_multi_perform(b->multi, &running);
		while (rc == 0 && (message = curl_multi_info_read(b->multi, &left)) != NULL) {
			CURL *lane = message->easy_handle;

			note_end(b, lane, message->data.result);
			curl_multi_remove_handle(b->multi, lane);
			if (b->begun < o->requests && now() < end && b->failed_code == CURLE_OK) {
				rc = begin(b, lane);
				running = 1;
			}
		}
		if (rc == 0 && running > 0)
			curl_multi_poll(b->multi, NULL, 0, WAIT_MS, NULL);
	} while (rc == 0 && running > 0);
	b->seconds = now() - start;
	return rc;
}

static int
ms_cmp(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The latency that so many of a thousand do not exceed. */
static double
quantile(const struct bench *b, size_t per_mille)
{
	size_t at = b->answered * per_mille / 1000;

	return b->ms[at < b->answered ? at : b->answered - 1];
}

static const struct {
	const char *name, *json;
	size_t per_mille;
} quantiles[] = {
    {"half", "p50", 500},
    {"90 %", "p90", 900},
    {"99 %", "p99", 990},
    {"99.9 %", "p999", 999},
    {"all", "max", 1000},
};

enum { QUANTILES = sizeof(quantiles) / sizeof(quantiles[0]) };

static void
show_json(const struct bench *b)
{
	struct buffer text = {0};
	struct json_out o = json_out(&text);

	json_open_object(&o, NULL);
	json_put_count(&o, "lookups", b->answered);
	json_put_count(&o, "failed", b->failed);
	json_put_number(&o, "seconds", b->seconds);
	json_open_object(&o, "latency_ms");
	for (size_t i = 0; b->answered > 0 && i < QUANTILES; i++)
		json_put_number(&o, quantiles[i].json, quantile(b, quantiles[i].per_mille));
	json_close_object(&o);
	json_close_object(&o);
	client_print(&text);
	buffer_fini(&text);
}

static void
show_text(const struct bench *b)
{
	char number[TABLE_COUNT], rate[TABLE_COUNT];
	struct table t = {0};

	fprintf(b->ctl->out, "%s lookups over %llu connections in %.2f s, %s a second\n\n",
	    table_number(b->answered, number), (unsigned long long)b->ctl->options.connections,
	    b->seconds, table_number((uint64_t)((double)b->answered / b->seconds), rate));
	table_column(&t, TABLE_LEFT, "ANSWERED");
	table_column(&t, TABLE_RIGHT, "WITHIN MS");
	for (size_t i = 0; i < QUANTILES; i++) {
		table_cell(&t, "%s", quantiles[i].name);
		table_cell(&t, "%.3f", quantile(b, quantiles[i].per_mille));
	}
	table_print(&t, b->ctl->out, &b->ctl->terminal);
}

static int
unanswered(const struct bench *b)
{
	char why[TROUBLE_WHY];
	int rc = trouble_judge(
	    b->ctl, b->base, (int)b->failed_code, curl_easy_strerror(b->failed_code), why);

	if (rc != 0)
		return rc;
	return ctl_fail(CTL_UNREACHABLE,
	    "no hrwd answers at %s (%s): --lookup ADDR or HRW_LOOKUP names another",
	    b->ctl->options.lookup, why);
}

static int
show(struct bench *b)
{
	qsort(b->ms, b->answered, sizeof(*b->ms), ms_cmp);
	if (b->ctl->is_json)
		show_json(b);
	else if (b->answered > 0)
		show_text(b);
	if (b->failed == 0)
		return CTL_DONE;
	if (b->failed_code != CURLE_OK)
		return unanswered(b);
	if (b->failed_status == 200)
		return ctl_fail(CTL_REFUSED,
		    "what answers at %s is not an hrwd: --lookup ADDR or HRW_LOOKUP names another",
		    b->ctl->options.lookup);
	return ctl_fail(CTL_REFUSED, "%zu lookups were refused, the first with status %ld",
	    b->failed, b->failed_status);
}

static int
open_all(struct bench *b)
{
	const struct options *o = &b->ctl->options;
	const char *authorization;
	int rc = client_authorization(b->ctl, &authorization);

	if (rc == 0)
		rc = client_address("--lookup", o->lookup, &b->base, &b->socket_path);
	if (rc == 0 && o->keys != NULL)
		rc = body_file(o->keys, &b->keys);
	if (rc != 0)
		return rc;
	if (authorization != NULL)
		b->headers = curl_slist_append(NULL, authorization);
	b->multi = curl_multi_init();
	b->ms = calloc(o->requests, sizeof(*b->ms));
	return b->multi != NULL && b->ms != NULL ? 0 : ctl_no_memory();
}

int
bench_run(struct ctl *ctl)
{
	struct bench b = {.ctl = ctl};
	int rc = open_all(&b);

	if (rc == 0)
		rc = run(&b);
	if (rc == 0)
		rc = show(&b);
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		if (b.lane[i] != NULL && b.multi != NULL)
			curl_multi_remove_handle(b.multi, b.lane[i]);
		curl_easy_cleanup(b.lane[i]);
	}
	curl_multi_cleanup(b.multi);
	curl_slist_free_all(b.headers);
	buffer_fini(&b.keys);
	free(b.base);
	free(b.socket_path);
	free(b.ms);
	return rc;
}
