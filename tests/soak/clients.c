#include <sys/socket.h>

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/buffer.h"
#include "tests/dsl/dice.h"
#include "tests/soak/clients.h"

static int
dial(int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static void
say(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len > 0) {
		ssize_t sent = send(fd, at, len, MSG_NOSIGNAL);

		if (sent <= 0)
			return;
		at += sent;
		len -= (size_t)sent;
	}
}

/* Reads to the end of the connection: the status of the first answer, 0 for none. */
static int
listen_out(int fd)
{
	char head[16] = "", room[16384];
	size_t len = 0;
	struct pollfd look = {fd, POLLIN, 0};

	while (poll(&look, 1, ANSWER_MS) > 0) {
		ssize_t got = recv(fd, room, sizeof(room), 0);

		if (got <= 0)
			break;
		if (len < sizeof(head) - 1) {
			size_t more = sizeof(head) - 1 - len;

			more = more < (size_t)got ? more : (size_t)got;
			memcpy(head + len, room, more);
			len += more;
		}
	}
	return len >= 12 ? atoi(head + 9) : 0;
}

/* One connection: all of it said, then all of the answer heard. */
static int
talk(int port, const struct buffer *words)
{
	int fd = dial(port), status;

	if (fd < 0)
		return 0;
	say(fd, words->data, words->len);
	status = listen_out(fd);
	close(fd);
	atomic_fetch_add(status == 0	     ? &soak.silences
			 : status / 100 == 2 ? &soak.answers
					     : &soak.refusals,
	    1);
	return status;
}

static int
ask(int port, const char *method, const char *path, const char *type, const struct buffer *body)
{
	struct buffer words = {0};
	int status;

	buffer_printf(
	    &words, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n", method, path);
	if (body != NULL)
		buffer_printf(
		    &words, "Content-Type: %s\r\nContent-Length: %zu\r\n", type, body->len);
	buffer_add_text(&words, "\r\n");
	if (body != NULL)
		buffer_add(&words, body->data, body->len);
	status = talk(port, &words);
	buffer_fini(&words);
	return status;
}

int
ask_json(int port, const char *method, const char *path, const char *json)
{
	struct buffer body = {0};
	int status;

	buffer_add_text(&body, json);
	status = ask(port, method, path, "application/json", &body);
	buffer_fini(&body);
	return status;
}

/* Some lookups sent ahead over one connection. */
static void
look_up(struct dice *d)
{
	static const char *const paths[] = {"owner", "replicas", "explain", "nodes", "owner"};
	struct buffer words = {0};

	for (int i = 0; i < 20; i++)
		buffer_printf(&words, "GET /%s?%s%u HTTP/1.1\r\nHost: h\r\n%s\r\n", paths[i % 5],
		    i % 5 == 3 ? "limit=5&pool=default&after=n" : "key=k", dice_below(d, 100000),
		    i == 19 ? "Connection: close\r\n" : "");
	talk(soak.lookup, &words);
	buffer_fini(&words);
}

static void
add_keys(struct buffer *to, struct dice *d, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		buffer_printf(to, "key-%u\n", dice_below(d, 1000000));
}

static void
look_up_many(struct dice *d)
{
	struct buffer keys = {0};

	add_keys(&keys, d, 3000);
	ask(soak.lookup, "POST", "/owners?copies=2", "text/plain", &keys);
	buffer_fini(&keys);
}

static void
operate(struct dice *d)
{
	char path[128], json[128];
	unsigned node = dice_below(d, NODES);
	struct buffer keys = {0};

	switch (dice_below(d, 8)) {
	case 0:
	case 1:
		snprintf(path, sizeof(path), "/nodes/n%u", node);
		snprintf(json, sizeof(json), "{\"weight\":%u}", 1 + dice_below(d, 9));
		ask_json(soak.admin, "PATCH", path, json);
		break;
	case 2:
		snprintf(path, sizeof(path), "/nodes/n%u/drain?force=keys-at-risk", node);
		ask_json(soak.admin, "POST", path, "{}");
		snprintf(path, sizeof(path), "/nodes/n%u/activate", node);
		ask_json(soak.admin, "POST", path, "{}");
		break;
	case 3:
		ask_json(soak.admin, "POST", "/plan?changes=10", "{\"add\":[{\"name\":\"x\"}]}");
		break;
	case 4:
		add_keys(&keys, d, 2000);
		ask(soak.admin, dice_percent(d, 50) ? "PUT" : "POST", "/keys", "text/plain", &keys);
		break;
	case 5:
		ask(soak.admin, "GET", "/history?limit=50", NULL, NULL);
		ask(soak.admin, "GET", "/plans?limit=10", NULL, NULL);
		break;
	case 6:
		ask(soak.admin, "GET", "/metrics", NULL, NULL);
		ask(soak.admin, "GET", "/keys", NULL, NULL);
		break;
	case 7:
		ask_json(soak.admin, "POST", "/changes?dry_run=true", "{\"copies\":3}");
		break;
	}
	buffer_fini(&keys);
}

/* Abuse. */

/* Says something that is no whole request, waits a little, and is gone, now and
 * then without a farewell. */
static void
cut_off(struct dice *d, int port, const void *words, size_t len)
{
	const struct linger at_once = {1, 0};
	int fd = dial(port);

	if (fd < 0)
		return;
	say(fd, words, len);
	pause_ms(dice_below(d, 100));
	if (dice_percent(d, 50))
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(fd);
}

static void
drip(struct dice *d, int port)
{
	static const char head[] = "GET /owner?key=a HTTP/1.1\r\nHost: h\r\nX-Slow: ";
	int fd = dial(port);

	if (fd < 0)
		return;
	say(fd, head, sizeof(head) - 1);
	for (int i = 0; i < 20 && !atomic_load(&soak.is_resting); i++) {
		say(fd, "x", 1);
		pause_ms(50 + dice_below(d, 100));
	}
	close(fd);
}

/* Holds twice as many connections as there may be, without a word; a new client
 * must be answered soon all the same. */
static void
flood(void)
{
	int fd[FLOOD];
	double begun = now_s();
	unsigned ms;

	for (int i = 0; i < FLOOD; i++)
		fd[i] = dial(soak.lookup);
	while (ask(soak.lookup, "GET", "/livez", NULL, NULL) != 200) {
		pause_ms(50);
		if (now_s() - begun > ANSWER_MS / 1000.0)
			give_up("a flood of %d idle connections keeps everybody out", FLOOD);
	}
	ms = (unsigned)((now_s() - begun) * 1000);
	if (ms > atomic_load(&soak.slowest_ms))
		atomic_store(&soak.slowest_ms, ms);
	for (int i = 0; i < FLOOD; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

static void
abuse(struct dice *d)
{
	static const char *const cuts[] = {
	    "POST /owners HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\nkey-1\nkey-2\n",
	    "POST /owners HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nkey-1",
	    "PUT /keys HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\nkey-1\n",
	    "POST /plan HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90\r\n\r\n{\"add\":[",
	    "GET /keys HTTP/1.1\r\nHost: localhost\r\n\r\n",
	    "POST /plan HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
	    "GET /owner?key=a HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: "
	    "chunked\r\n\r\n0\r\n\r\n",
	    "GET /owner?key=a HTTP/1.1\r\nHo",
	    "",
	};
	int port = dice_percent(d, 50) ? soak.lookup : soak.admin;
	struct buffer words = {0};
	const char *cut;

	switch (dice_below(d, 10)) {
	case 0:
		drip(d, port);
		break;
	case 1:
		for (int i = 0; i < 3000; i++)
			buffer_printf(&words, "%c", (int)dice_below(d, 256));
		cut_off(d, port, words.data, words.len);
		break;
	case 2:
		buffer_add_text(&words, "GET /owner?");
		for (int i = 0; i < 1000; i++)
			buffer_printf(&words, "p%d=1&", i);
		buffer_add_text(&words, "key=a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
		talk(port, &words);
		break;
	case 3:
		buffer_add_text(&words, "GET /owner?key=a HTTP/1.1\r\nHost: h\r\n");
		for (int i = 0; i < 4000; i++)
			buffer_printf(&words, "X-%d: long\r\n", i);
		cut_off(d, port, words.data, words.len);
		break;
	case 4:
		if (dice_percent(d, 20))
			flood();
		break;
	default:
		cut = cuts[dice_below(d, sizeof(cuts) / sizeof(*cuts))];
		cut_off(d, port, cut, strlen(cut));
	}
	buffer_fini(&words);
}

/* The load. */

static void (*const roles[])(struct dice *d) = {
    look_up, look_up, look_up_many, operate, operate, abuse, abuse};

const unsigned client_count = sizeof(roles) / sizeof(*roles);

void *
act(void *arg)
{
	size_t role = (size_t)arg;
	struct dice d = {role};

	while (!atomic_load(&soak.is_over)) {
		if (atomic_load(&soak.is_resting)) {
			atomic_fetch_add(&soak.at_rest, 1);
			while (atomic_load(&soak.is_resting))
				pause_ms(10);
			atomic_fetch_sub(&soak.at_rest, 1);
			continue;
		}
		roles[role](&d);
	}
	return NULL;
}
