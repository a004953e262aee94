#include <sys/socket.h>
#include <sys/un.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <curl/curl.h>

#include "tests/dsl/contract.h"
#include "tests/dsl/http.h"
#include "tests/dsl/text.h"

enum { ASK_SECONDS = 120 };

/* One for a thread, so that connections are kept; made anew behind a fork. */
static _Thread_local CURL *handle;
static _Thread_local pid_t handle_owner;

/* Of all threads. */
static const char *trusted, *shown, *shown_key;

void
trust(const char *authority, const char *certificate, const char *key)
{
	trusted = authority;
	shown = certificate;
	shown_key = key;
	if (handle != NULL && handle_owner == getpid())
		curl_easy_cleanup(handle);
	handle = NULL;
}

static CURL *
client(void)
{
	if (handle == NULL || handle_owner != getpid()) {
		handle = kept(curl_easy_init());
		handle_owner = getpid();
	}
	curl_easy_reset(handle);
	return handle;
}

static size_t
take(char *data, size_t size, size_t count, void *page)
{
	page_bytes(page, data, size * count);
	return size * count;
}

/* A new head, as behind 100 Continue, replaces the one before. */
static size_t
take_header(char *data, size_t size, size_t count, void *page)
{
	struct page *head = page;

	if (size * count > 5 && memcmp(data, "HTTP/", 5) == 0)
		head->len = 0;
	return take(data, size, count, page);
}

static struct answer *
answer_of(const char *what, long status, struct page *head, struct page *body)
{
	struct answer *a = kept(calloc(1, sizeof(*a)));

	page_bytes(head, "", 0);
	page_bytes(body, "", 0);
	a->what = what;
	a->status = status;
	a->headers = kept(head->data);
	a->body = kept(body->data);
	a->len = body->len;
	if (a->len != 0 && strchr("{[", a->body[0]) != NULL &&
	    strstr(header(a, "Content-Type") != NULL ? header(a, "Content-Type") : "", "json")) {
		a->json = cJSON_ParseWithLength(a->body, a->len);
		if (a->json != NULL)
			kept(a->json);
	}
	return a;
}

struct answer *
ask_bytes(const char *base, const char *method, const char *path, const char *headers,
    const void *body, size_t len)
{
	CURL *curl = client();
	struct curl_slist *list = NULL;
	struct page head = {0}, content = {0};
	struct answer *a;
	char *url, *line, *rest;
	long status = 0;
	CURLcode rc;

	if (strncmp(base, "unix:", 5) == 0) {
		curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, base + 5);
		base = "http://localhost";
	}
	url = text("%s%s", base, path);
	rest = text("%s", headers != NULL ? headers : "");
	while ((line = strsep(&rest, "\n")) != NULL)
		if (*line != '\0')
			list = curl_slist_append(list, line);
	if (headers == NULL || strcasestr(headers, "content-type:") == NULL)
		list = curl_slist_append(list, "Content-Type:");
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)ASK_SECONDS);
	curl_easy_setopt(curl, CURLOPT_CAINFO, trusted);
	curl_easy_setopt(curl, CURLOPT_SSLCERT, shown);
	curl_easy_setopt(curl, CURLOPT_SSLKEY, shown_key);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &content);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, &head);
	if (body != NULL || strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body != NULL ? body : "");
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	}
	if (strcmp(method, "HEAD") == 0)
		curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
	else
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
	rc = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	curl_slist_free_all(list);
	if (rc != CURLE_OK) {
		status = 0;
		page_add(&content, " (%s)", curl_easy_strerror(rc));
	}
	a = answer_of(text("%s %s", method, url), status, &head, &content);
	contract_record(method, path, status,
	    a->json != NULL && status >= 400
		? cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(a->json, "code"))
		: NULL);
	contract_keep(method, path, headers, body, len, a);
	return a;
}

struct answer *
ask(const char *base, const char *method, const char *path, const char *headers, const char *body)
{
	return ask_bytes(base, method, path, headers, body, body != NULL ? strlen(body) : 0);
}

static struct answer *
ask_json(const char *base, const char *method, const char *path, const char *body)
{
	return ask(
	    base, method, path, body != NULL ? "Content-Type: application/json" : NULL, body);
}

struct answer *
get(const char *base, const char *path)
{
	return ask(base, "GET", path, NULL, NULL);
}

struct answer *
post(const char *base, const char *path, const char *body)
{
	return ask_json(base, "POST", path, body);
}

struct answer *
put(const char *base, const char *path, const char *body)
{
	return ask_json(base, "PUT", path, body);
}

struct answer *
patch(const char *base, const char *path, const char *body)
{
	return ask_json(base, "PATCH", path, body);
}

struct answer *
del(const char *base, const char *path)
{
	return ask(base, "DELETE", path, NULL, NULL);
}

const char *
header(const struct answer *a, const char *name)
{
	size_t len = strlen(name);
	const char *line = a->headers;

	while (line != NULL && *line != '\0') {
		if (strncasecmp(line, name, len) == 0 && line[len] == ':') {
			line += len + 1;
			line += strspn(line, " \t");
			return text("%.*s", (int)strcspn(line, "\r\n"), line);
		}
		line = strchr(line, '\n');
		if (line != NULL)
			line++;
	}
	return NULL;
}

/* Raw sockets. */

int
raw_open(const char *base)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	char host[64];
	unsigned port;
	int fd, rc;

	if (strncmp(base, "unix:", 5) == 0) {
		snprintf(un.sun_path, sizeof(un.sun_path), "%s", base + 5);
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		rc = connect(fd, (struct sockaddr *)&un, sizeof(un));
	} else {
		if (sscanf(strstr(base, "//"), "//%63[^:]:%u", host, &port) != 2)
			abort();
		in.sin_port = htons((uint16_t)port);
		inet_pton(AF_INET, host, &in.sin_addr);
		fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		rc = connect(fd, (struct sockaddr *)&in, sizeof(in));
	}
	if (rc != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

void
raw_send(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len > 0) {
		ssize_t sent = send(fd, at, len, MSG_NOSIGNAL);

		if (sent <= 0)
			return; /* the daemon hung up: its answer, if any, can be read still */
		at += sent;
		len -= (size_t)sent;
	}
}

int
raw_is_ready(int fd, int timeout_ms)
{
	struct pollfd poll_fd = {fd, POLLIN, 0};

	return poll(&poll_fd, 1, timeout_ms) > 0;
}

/* Reads until `page` holds `want` bytes, or (0) until the empty line. */
static int
receive(int fd, struct page *page, size_t want, double deadline)
{
	char piece[65536];

	while (
	    want != 0 ? page->len < want : page->data == NULL || !strstr(page->data, "\r\n\r\n")) {
		int left = (int)(deadline - now_ms());
		size_t ask_for = want != 0 ? want - page->len : 1;
		ssize_t got;

		if (left < 0 || !raw_is_ready(fd, left))
			return -1;
		got = recv(fd, piece, ask_for < sizeof(piece) ? ask_for : sizeof(piece), 0);
		if (got <= 0)
			return -1;
		page_bytes(page, piece, (size_t)got);
	}
	return 0;
}

/* A line that ends in CRLF: the size of a chunk. */
static int
receive_line(int fd, struct page *page, double deadline)
{
	page->len = 0;
	do
		if (receive(fd, page, page->len + 1, deadline) != 0)
			return -1;
	while (page->data[page->len - 1] != '\n');
	return 0;
}

static int
receive_chunks(int fd, struct page *body, double deadline)
{
	struct page line = {0};
	int rc = -1;

	for (;;) {
		size_t size;

		if (receive_line(fd, &line, deadline) != 0)
			break;
		size = strtoul(line.data, NULL, 16);
		if (size != 0 && receive(fd, body, body->len + size, deadline) != 0)
			break;
		if (receive_line(fd, &line, deadline) != 0)
			break;
		if (size == 0) {
			rc = 0;
			break;
		}
	}
	free(line.data);
	return rc;
}

struct answer *
raw_answer(int fd, int timeout_ms)
{
	double deadline = now_ms() + timeout_ms;
	struct page head = {0}, body = {0};
	const char *length;
	struct answer *a;
	long status = 0;
	int rc;

	do {
		head.len = 0;
		rc = receive(fd, &head, 0, deadline);
		if (rc == 0)
			sscanf(head.data, "HTTP/1.%*d %ld", &status);
	} while (rc == 0 && status == 100);
	if (rc != 0)
		return answer_of("raw", 0, &head, &body);
	a = answer_of("raw", status, &head, &(struct page){0});
	length = header(a, "Content-Length");
	if (length != NULL)
		rc = receive(fd, &body, strtoul(length, NULL, 10), deadline);
	else if (header(a, "Transfer-Encoding") != NULL)
		rc = receive_chunks(fd, &body, deadline);
	head = (struct page){0};
	page_bytes(&head, a->headers, strlen(a->headers));
	return answer_of("raw", rc == 0 ? status : 0, &head, &body);
}

struct answer *
raw(const char *base, const char *request)
{
	int fd = raw_open(base);
	struct answer *a;

	if (fd < 0)
		return answer_of("raw", 0, &(struct page){0}, &(struct page){0});
	raw_send(fd, request, strlen(request));
	a = raw_answer(fd, 15000);
	close(fd);
	return a;
}
