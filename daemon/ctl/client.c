/*
 * client.c - one curl handle, kept for all requests of a run.
 */
#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/client.h"
#include "daemon/ctl/verbose.h"

enum { CONNECT_SECONDS = 5, STALL_SECONDS = 300 };

struct client {
	CURL *curl;
	char *base, *socket_path; /* of the address that is asked */
	const char *next;	  /* those behind it, where none has answered yet; NULL: none */
	char *admin;		  /* the address, as it was given */
	char *authorization;	  /* the header; NULL: no token */
	char error[CURL_ERROR_SIZE];
};

/* One request under way. */
struct exchange {
	struct client *client;
	const struct ask *ask;
	struct reply *reply;
	struct curl_slist *headers;
	int rc; /* of the headers: an enum ctl_exit, said already */
};

void
client_free(struct client *client)
{
	if (client == NULL)
		return;
	curl_easy_cleanup(client->curl);
	curl_global_cleanup();
	free(client->base);
	free(client->socket_path);
	free(client->admin);
	free(client->authorization);
	free(client);
}

/* Turns to the first of some addresses with commas between. */
static int
turn_to(struct client *client, const char *addresses)
{
	size_t len = strcspn(addresses, ",");

	free(client->base);
	free(client->socket_path);
	free(client->admin);
	client->base = client->socket_path = NULL;
	client->next = addresses[len] == ',' ? addresses + len + 1 : NULL;
	client->admin = strndup(addresses, len);
	return client->admin == NULL
		   ? ctl_no_memory()
		   : client_address(client->admin, &client->base, &client->socket_path);
}

/* A list is read to its end before anybody is asked. */
static int
judge_addresses(struct client *client, const char *addresses)
{
	int rc = turn_to(client, addresses);

	while (rc == 0 && client->next != NULL)
		rc = turn_to(client, client->next);
	return rc == 0 ? turn_to(client, addresses) : rc;
}

static int
client_open(struct ctl *ctl)
{
	struct client *client = calloc(1, sizeof(*client));
	int rc;

	if (client == NULL)
		return ctl_no_memory();
	ctl->client = client;
	curl_global_init(CURL_GLOBAL_DEFAULT);
	client->curl = curl_easy_init();
	if (client->curl == NULL)
		return ctl_no_memory();
	rc = judge_addresses(client, ctl->options.admin);
	if (rc == 0)
		rc = trouble_files(ctl);
	return rc != 0 ? rc : client_login(ctl, &client->authorization);
}

/* curl sends a header as it is. A line feed in one would begin another, or another
 * request: none is sent, wherever the value came from. */
static void
add_header(struct exchange *x, const char *name, const char *value)
{
	struct curl_slist *list;
	char *line;

	if (value == NULL || x->rc != 0)
		return;
	if (ctl_control(value) != NULL) {
		x->rc = ctl_fail(
		    CTL_USAGE, "\"%s\" cannot be sent as %s: it has a control byte", value, name);
		return;
	}
	/* curl sends an empty value only where ';' stands for the colon. */
	if (asprintf(&line, "%s%s%s", name, *value == '\0' ? ";" : ": ", value) < 0) {
		x->rc = ctl_no_memory();
		return;
	}
	list = curl_slist_append(x->headers, line);
	free(line);
	if (list == NULL)
		x->rc = ctl_no_memory();
	else
		x->headers = list;
}

/* Its value, where the line is of that name. libcurl ends no line with a NUL. */
static void
keep_header(const char *line, size_t len, const char *name, char *out, size_t size)
{
	size_t at = strlen(name);

	if (len <= at || strncasecmp(line, name, at) != 0)
		return;
	while (at < len && line[at] == ' ')
		at++;
	while (len > at && (line[len - 1] == '\r' || line[len - 1] == '\n'))
		len--;
	snprintf(out, size, "%.*s", (int)(len - at), line + at);
}

static size_t
take_header(char *data, size_t size, size_t count, void *arg)
{
	struct reply *reply = arg;
	size_t len = size * count;

	keep_header(data, len, "etag:", reply->etag, sizeof(reply->etag));
	keep_header(data, len, "hrw-epoch:", reply->epoch, sizeof(reply->epoch));
	keep_header(data, len, "content-type:", reply->type, sizeof(reply->type));
	keep_header(data, len, "hrw-warnings:", reply->warnings, sizeof(reply->warnings));
	return len;
}

/* What is passed on as it comes must be of the type that was asked for. */
static bool
is_as_asked(const struct exchange *x)
{
	return x->ask->accept == NULL ||
	       strncasecmp(x->reply->type, x->ask->accept, strlen(x->ask->accept)) == 0;
}

static size_t
take_body(char *data, size_t size, size_t count, void *arg)
{
	struct exchange *x = arg;
	size_t len = size * count;
	long status = 0;

	curl_easy_getinfo(x->client->curl, CURLINFO_RESPONSE_CODE, &status);
	if (x->ask->write != NULL && status < 300 && is_as_asked(x))
		return x->ask->write(x->ask->arg, hrw_bytes(data, len)) ? len : 0;
	buffer_add(&x->reply->body, data, len);
	return x->reply->body.failed ? 0 : len;
}

static size_t
give_body(char *room, size_t size, size_t count, void *arg)
{
	struct exchange *x = arg;
	long len = x->ask->read(x->ask->arg, room, size * count);

	return len < 0 ? CURL_READFUNC_ABORT : (size_t)len;
}

/* Called some times a second: the way to end a request that nobody wants. */
static int
look(void *arg, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up)
{
	(void)arg;
	(void)down_total;
	(void)down;
	(void)up_total;
	(void)up;
	return terminal_is_left();
}

static void
set_body(struct exchange *x)
{
	CURL *curl = x->client->curl;
	const struct ask *ask = x->ask;

	if (ask->read != NULL) {
		curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_body);
		curl_easy_setopt(curl, CURLOPT_READDATA, x);
	} else if (ask->body.data != NULL) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)ask->body.len);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, (const char *)ask->body.data);
	} else if (strcmp(ask->method, "POST") == 0) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, 0L);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "");
	}
	if (strcmp(ask->method, "GET") != 0)
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, ask->method);
}

static void
set_headers(struct exchange *x)
{
	const struct ask *ask = x->ask;
	const char *authorization = x->client->authorization;
	struct curl_slist *list;

	if (authorization != NULL) {
		list = curl_slist_append(NULL, authorization);
		x->rc = list != NULL ? 0 : ctl_no_memory();
		x->headers = list;
	}
	add_header(x, "Accept", ask->accept != NULL ? ask->accept : "application/json");
	add_header(x, "Content-Type", ask->type);
	add_header(x, "If-Match", ask->if_match);
	add_header(x, "If-None-Match", ask->if_none_match);
	add_header(x, "Last-Event-ID", ask->last_event_id);
	add_header(x, "Hrw-Reason", ask->reason);
	if (ask->is_async)
		add_header(x, "Prefer", "respond-async");
}

/* Whom curl trusts, and as whom it shows itself. */
static void
identify(const struct ctl *ctl, CURL *curl)
{
	if (ctl->options.ca != NULL)
		curl_easy_setopt(curl, CURLOPT_CAINFO, ctl->options.ca);
	if (ctl->options.certificate != NULL)
		curl_easy_setopt(curl, CURLOPT_SSLCERT, ctl->options.certificate);
	if (ctl->options.certificate_key != NULL)
		curl_easy_setopt(curl, CURLOPT_SSLKEY, ctl->options.certificate_key);
}

static void
set_request(const struct ctl *ctl, struct exchange *x, const char *url)
{
	struct client *client = x->client;
	CURL *curl = client->curl;

	curl_easy_reset(curl);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "hrwctl/" HRW_VERSION);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, client->error);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT,
	    ctl->options.timeout < CONNECT_SECONDS ? (long)ctl->options.timeout
						   : (long)CONNECT_SECONDS);
	if (x->ask->is_stream) {
		curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
	} else if (x->ask->read != NULL || x->ask->write != NULL) {
		curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
		curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)STALL_SECONDS);
	} else {
		curl_easy_setopt(
		    curl, CURLOPT_TIMEOUT, (long)(ctl->options.timeout + x->ask->wait_seconds));
	}
	if (client->socket_path[0] != '\0')
		curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, client->socket_path);
	identify(ctl, curl);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, x->reply);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, x);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, x->headers);
	set_body(x);
}

int
client_unreachable(const struct ctl *ctl, const char *why)
{
	if (strchr(ctl->options.admin, ',') != NULL)
		return ctl_fail(CTL_UNREACHABLE,
		    "no hrwd answers at any of %s (the last: %s): start one there, or name "
		    "others with --admin ADDR,… or HRW_ADMIN",
		    ctl->options.admin, why);
	return ctl_fail(CTL_UNREACHABLE,
	    "no hrwd answers at %s (%s): start one there, or name another with --admin ADDR or "
	    "HRW_ADMIN",
	    ctl->options.admin, why);
}

static int
unreachable(const struct ctl *ctl, struct exchange *x, CURLcode code)
{
	const struct client *client = x->client;
	const char *why = client->error[0] != '\0' ? client->error : curl_easy_strerror(code);
	long number = 0;
	int rc;

	curl_easy_getinfo(client->curl, CURLINFO_OS_ERRNO, &number);
	if (code == CURLE_COULDNT_CONNECT && number != 0)
		why = strerror((int)number);
	rc = trouble_judge(ctl, client->base, (int)code, why, x->reply->why);
	if (rc != 0)
		return rc;
	return x->ask->is_patient ? CTL_UNREACHABLE : client_unreachable(ctl, x->reply->why);
}

/* Was nobody there, so that nothing can have been sent? */
static bool
is_nobody(CURL *curl, CURLcode code)
{
	double connected = 0;

	curl_easy_getinfo(curl, CURLINFO_CONNECT_TIME, &connected);
	return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
	       (code == CURLE_OPERATION_TIMEDOUT && connected <= 0);
}

/* Asks the address at hand; where nobody is there and nobody has answered yet, the next
 * one. Whoever has answered is asked to the end: a plan is kept by one daemon. */
static int
perform(struct ctl *ctl, struct exchange *x, CURLcode *code)
{
	struct client *client = x->client;
	int rc = 0;

	for (;;) {
		struct buffer url = {0};

		buffer_printf(&url, "%s%s", client->base, x->ask->path);
		if (url.failed)
			return ctl_no_memory();
		if (ctl->options.is_verbose)
			verbose_print(
			    ctl, x->ask, x->headers, client->base, client->socket_path, stderr);
		client->error[0] = '\0';
		set_request(ctl, x, buffer_text(&url));
		*code = curl_easy_perform(client->curl);
		buffer_fini(&url);
		if (client->next == NULL || !is_nobody(client->curl, *code) || terminal_is_left())
			break;
		rc = turn_to(client, client->next);
		if (rc != 0)
			return rc;
	}
	if (!is_nobody(client->curl, *code)) {
		client->next = NULL;
		ctl->options.admin = client->admin;
	}
	return 0;
}

int
client_ask(struct ctl *ctl, const struct ask *ask, struct reply *reply)
{
	struct exchange x = {.ask = ask, .reply = reply};
	CURLcode code;
	int rc = 0;

	*reply = (struct reply){0};
	if (ctl->client == NULL)
		rc = client_open(ctl);
	if (rc != 0)
		return rc;
	x.client = ctl->client;
	set_headers(&x);
	rc = x.rc;
	if (rc == 0)
		rc = perform(ctl, &x, &code);
	if (rc != 0)
		goto out;
	if (code == CURLE_ABORTED_BY_CALLBACK || code == CURLE_WRITE_ERROR) {
		rc = CTL_LEFT;
	} else if (code != CURLE_OK) {
		rc = unreachable(ctl, &x, code);
	} else {
		curl_easy_getinfo(x.client->curl, CURLINFO_RESPONSE_CODE, &reply->status);
		if (reply->body.len > 0 && !reply->body.failed)
			reply->json = json_parse(buffer_bytes(&reply->body), JSON_STORED, NULL);
		if (reply->status >= 200 && reply->status < 300 && reply->status != 204 &&
		    (ask->write != NULL
			    ? !is_as_asked(&x)
			    : ask->shape != NULL && !client_has_shape(reply->json, ask->shape)))
			rc = client_stranger(ctl);
	}
out:
	curl_slist_free_all(x.headers);
	return rc;
}
