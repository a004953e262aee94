#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/http/own_socket.h"

enum { BACKLOG = 16 };

/* In the abstract namespace (unix(7)): the kernel forgets it with the process. */
static socklen_t
name_of(const char *bound, struct sockaddr_un *name)
{
	int len;

	*name = (struct sockaddr_un){.sun_family = AF_UNIX};
	len = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1, "hrwd-health:%s", bound);
	if ((size_t)len > sizeof(name->sun_path) - 2)
		len = (int)sizeof(name->sun_path) - 2;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}

static int
user_of(int fd, uid_t *user)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return -1;
	*user = peer.uid;
	return 0;
}

int
own_socket_listen(const char *bound)
{
	struct sockaddr_un name;
	socklen_t len = name_of(bound, &name);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&name, len) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int
own_socket_connect(const char *bound, int seconds)
{
	struct timeval limit = {.tv_sec = seconds};
	struct sockaddr_un name;
	socklen_t len = name_of(bound, &name);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&name, len) == 0 &&
	    (geteuid() == 0 || own_socket_is_ours(fd)))
		return fd;
	close(fd);
	return -1;
}

bool
own_socket_is_ours(int fd)
{
	uid_t user;

	return user_of(fd, &user) == 0 && (user == geteuid() || user == 0);
}
