/*
 * address.c - an address as it is typed, for curl.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/client.h"

int
client_address(const char *address, char **base, char **socket_path)
{
	size_t len = strlen(address);
	int rc;

	*base = *socket_path = NULL;
	while (len > 0 && address[len - 1] == '/')
		len--;
	if (len == 0 || strpbrk(address, " ?#@") != NULL || ctl_control(address) != NULL)
		return ctl_fail(CTL_USAGE,
		    "--admin is \"%s\": give host:port, [v6]:port, unix:/path, http://… or "
		    "https://…",
		    address);
	if (strncmp(address, "unix:", 5) == 0) {
		*socket_path = strdup(address + 5);
		rc = asprintf(base, "http://localhost");
	} else {
		*socket_path = strdup("");
		rc = asprintf(base, "%s%.*s", strstr(address, "://") != NULL ? "" : "http://",
		    (int)len, address);
	}
	if (rc < 0)
		*base = NULL;
	if (*base != NULL && *socket_path != NULL)
		return 0;
	free(*base);
	free(*socket_path);
	*base = *socket_path = NULL;
	return ctl_no_memory();
}
