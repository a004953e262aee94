#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/http/listen.h"
#include "daemon/http/own_socket.h"
#include "daemon/http/tls.h"
#include "daemon/probe.h"

enum { SECONDS = 5, HEAD = 64 };

/* The fewer bind it, the better: a unix socket, then one without TLS. */
static int
hurdles(const struct config *c, const struct config_address *address)
{
	if (listen_is_unix(address->text))
		return 0;
	return config_is_tls(c, address) ? 2 : 1;
}

static const struct config_address *
pick(const struct config *c)
{
	const struct config_addresses *const lists[] = {&c->http.lookup, &c->http.admin};
	const struct config_address *best = NULL;

	for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
		for (size_t i = 0; i < lists[k]->count; i++)
			if (best == NULL || hurdles(c, &lists[k]->at[i]) < hurdles(c, best))
				best = &lists[k]->at[i];
	return best;
}

static const char request[] =
    "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

static size_t
ask(int fd, char *head, size_t room)
{
	size_t len = 0;
	ssize_t got;

	if (send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) != sizeof(request) - 1)
		return 0;
	do {
		got = recv(fd, head + len, room - len, 0);
		len += got > 0 ? (size_t)got : 0;
	} while (got > 0 && len < room);
	return len;
}

/* Beside an address of TLS there is a socket without, which asks for no certificate. */
static int
connect_beside(const struct config *c, const struct config_address *address)
{
	char bound[LISTEN_BOUND];

	if (!config_is_tls(c, address) || !listen_name(address->text, bound))
		return -1;
	return own_socket_connect(bound, SECONDS);
}

int
probe_ready(const struct config *c, struct hrw_fault *fault)
{
	const struct config_address *address = pick(c);
	int fd = connect_beside(c, address), status;
	bool is_tls = fd < 0 && config_is_tls(c, address);
	char head[HEAD + 1];
	size_t len;

	if (fd < 0)
		fd = listen_connect(address->text, SECONDS, fault);
	if (fd < 0)
		return fd;
	len = is_tls ? tls_ask(fd, request, sizeof(request) - 1, head, HEAD) : ask(fd, head, HEAD);
	close(fd);
	head[len] = '\0';
	if (sscanf(head, "HTTP/1.1 %3d", &status) != 1)
		return hrw_fault(fault, HRW_INTERNAL, "no answer from %s", address->text);
	if (status != 200)
		return hrw_fault(fault, HRW_INTERNAL,
		    "%s is not ready: it answers %d; ask /readyz?verbose why", address->text,
		    status);
	return 0;
}
