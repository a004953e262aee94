#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/http/listen.h"
#include "daemon/probe.h"

enum { SECONDS = 5, HEAD = 64 };

/* One without TLS, if there is one: nobody else need prove anything to it. */
static const struct config_address *
pick(const struct config *c)
{
	const struct config_addresses *const lists[] = {&c->lookup, &c->admin};
	const struct config_address *first = NULL;

	for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
		for (size_t i = 0; i < lists[k]->count; i++) {
			if (!config_is_tls(c, &lists[k]->at[i]))
				return &lists[k]->at[i];
			if (first == NULL)
				first = &lists[k]->at[i];
		}
	return first;
}

/* The status of the answer; 0 where none came. */
static int
ask(int fd)
{
	static const char request[] =
	    "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
	char head[HEAD + 1];
	size_t len = 0;
	ssize_t got;
	int status = 0;

	if (send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) != sizeof(request) - 1)
		return 0;
	do {
		got = recv(fd, head + len, HEAD - len, 0);
		len += got > 0 ? (size_t)got : 0;
	} while (got > 0 && len < HEAD);
	head[len] = '\0';
	return sscanf(head, "HTTP/1.1 %3d", &status) == 1 ? status : 0;
}

int
probe_ready(const struct config *c, struct hrw_fault *fault)
{
	const char *address = pick(c)->text;
	int fd = listen_connect(address, SECONDS, fault), status;

	if (fd < 0)
		return fd;
	status = ask(fd);
	close(fd);
	if (status == 0)
		return hrw_fault(fault, HRW_INTERNAL, "no answer from %s", address);
	if (status != 200)
		return hrw_fault(fault, HRW_INTERNAL,
		    "%s is not ready: it answers %d; ask /readyz?verbose why", address, status);
	return 0;
}
