/*
 * origin.c - names compare without case; a port matters to Origin alone, where
 * it must be Host's.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <strings.h>

#include "daemon/http/origin.h"

enum { HOST_MAX = 256 };

/* The host of "host", "host:port" or "[v6]:port" as a C string without brackets;
 * false when it is none. */
static bool
host_part(struct hrw_bytes text, char out[HOST_MAX])
{
	const char *from = (const char *)text.data, *end = from + text.len, *stop;

	if (text.len == 0 || text.len >= HOST_MAX || memchr(from, '\0', text.len) != NULL)
		return false;
	if (*from == '[') {
		stop = memchr(++from, ']', text.len - 1);
		if (stop == NULL || (stop + 1 < end && stop[1] != ':'))
			return false;
	} else {
		stop = memchr(from, ':', text.len);
		if (stop == NULL)
			stop = end;
	}
	if (stop == from)
		return false;
	memcpy(out, from, (size_t)(stop - from));
	out[stop - from] = '\0';
	return true;
}

static bool
is_loopback(const char *host)
{
	struct in_addr v4;
	struct in6_addr v6;

	if (strcasecmp(host, "localhost") == 0)
		return true;
	if (inet_pton(AF_INET, host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	if (inet_pton(AF_INET6, host, &v6) != 1)
		return false;
	return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

/* Is `host` the host of an address or name of ours? */
static bool
is_host_of(const char *host, const char *ours)
{
	char part[HOST_MAX];

	return host_part(hrw_text(ours), part) && strcasecmp(host, part) == 0;
}

static bool
is_ours(struct hrw_bytes text, const char *own, const struct http_config *config)
{
	char host[HOST_MAX];

	if (!host_part(text, host))
		return false;
	if (is_loopback(host) || is_host_of(host, own))
		return true;
	for (size_t i = 0; i < config->admin.count; i++)
		if (is_host_of(host, config->admin.at[i].text))
			return true;
	for (size_t i = 0; i < config->host_count; i++)
		if (is_host_of(host, config->hosts[i]))
			return true;
	return false;
}

/* "host" and "host:80" are one place, with https "host:443". */
static struct hrw_bytes
without_default_port(struct hrw_bytes host, const char *scheme)
{
	const char *port = strcmp(scheme, "https") == 0 ? ":443" : ":80";
	size_t len = strlen(port);

	if (host.len > len && memcmp(host.data + host.len - len, port, len) == 0)
		host.len -= len;
	return host;
}

static bool
is_same_place(struct hrw_bytes origin, struct hrw_bytes host, const char *scheme)
{
	size_t len = strlen(scheme) + strlen("://");
	struct hrw_bytes place;
	char begin[16];

	snprintf(begin, sizeof(begin), "%s://", scheme);
	if (origin.len <= len || strncasecmp((const char *)origin.data, begin, len) != 0)
		return false;
	place = without_default_port(hrw_bytes(origin.data + len, origin.len - len), scheme);
	host = without_default_port(host, scheme);
	return place.len == host.len &&
	       strncasecmp((const char *)place.data, (const char *)host.data, host.len) == 0;
}

int
origin_check(struct hrw_bytes host, struct hrw_bytes origin, const char *own, const char *scheme,
    const struct http_config *config, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN], shown_host[HRW_SHOWN];

	if (own != NULL && !is_ours(host, own, config))
		return hrw_fault(fault, HRW_FORBIDDEN,
		    "the Host \"%s\" is no name of this listener: use localhost, its address, or "
		    "a name listed in listen.hosts",
		    hrw_show(host, shown, sizeof(shown)));
	if (origin.data != NULL && !is_same_place(origin, host, scheme))
		return hrw_fault(fault, HRW_FORBIDDEN,
		    "a page of the origin \"%s\" may not use this listener; only its own, "
		    "%s://%s, may",
		    hrw_show(origin, shown, sizeof(shown)), scheme,
		    hrw_show(host, shown_host, sizeof(shown_host)));
	return 0;
}
