/*
 * check.c - what a name, an address, a zone and a weight may be.
 *
 * Host names follow RFC 1123, labels of letters, digits and inner hyphens, and
 * take the underscore too, which container networks give to their hosts. A
 * host whose last label is a number could only be read as an IPv4 address, by
 * some resolvers in surprising ways, so it must be a whole dotted quad.
 */
#include <arpa/inet.h>
#include <stdlib.h>

#include "core/membership.h"
#include "core/number.h"
#include "core/range.h"

enum { HOST_BYTES_MAX = 253, LABEL_BYTES_MAX = 63 };

static bool
is_lower(uint8_t c)
{
	return c >= 'a' && c <= 'z';
}

static bool
is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(uint8_t c)
{
	return is_lower(c) || (c >= 'A' && c <= 'Z');
}

int
hrw_check_name(struct hrw_bytes name, size_t limit, enum hrw_error error, struct hrw_fault *fault)
{
	const char *what = error == HRW_BAD_POOL ? "a pool's name" : "a node's name";
	char shown[HRW_SHOWN], range[HRW_RANGE_SHOWN];
	size_t good = 0;

	while (good < name.len &&
	       (is_lower(name.data[good]) ||
		   (good > 0 && (is_digit(name.data[good]) || name.data[good] == '.' ||
				    name.data[good] == '-'))))
		good++;
	if (good == name.len && name.len > 0 && name.len <= limit)
		return 0;
	hrw_show(name, shown, sizeof(shown));
	hrw_show_range(1, limit, range);
	if (name.len == 0)
		hrw_fault(fault, error,
		    "%s is empty: give it %s of a-z, 0-9, '.' and '-', a letter first", what,
		    range);
	else if (good < name.len)
		hrw_fault(fault, error,
		    "\"%s\" is not %s, because of byte %zu: use %s of a-z, 0-9, '.' and '-', a "
		    "letter first",
		    shown, what, good + 1, range);
	else
		hrw_fault(fault, error,
		    "\"%s\" has %zu bytes, and %s at most %zu: shorten it, or raise "
		    "limits.name_bytes",
		    shown, name.len, what, limit);
	if (fault != NULL && error == HRW_BAD_SERVER)
		fault->reason = "name";
	return error;
}

/* Does a resolver take the host for an IPv4 address? Its last label is decimal
 * digits, or 0x and hexadecimal ones. */
static bool
looks_like_v4(const char *host)
{
	const char *dot = strrchr(host, '.');
	const char *label = dot != NULL ? dot + 1 : host;

	if (label[0] == '0' && (label[1] == 'x' || label[1] == 'X'))
		return label[2 + strspn(label + 2, "0123456789abcdefABCDEF")] == '\0';
	return label[0] != '\0' && label[strspn(label, "0123456789")] == '\0';
}

/* What is wrong with a host; NULL when nothing is. */
static const char *
host_wrong(const char *host)
{
	struct in_addr v4;
	size_t len = strlen(host), label = 0;

	if (len == 0)
		return "the host is empty";
	if (len > HOST_BYTES_MAX)
		return "the host is longer than 253 bytes";
	if (looks_like_v4(host))
		return inet_pton(AF_INET, host, &v4) == 1
			   ? NULL
			   : "its host is no IPv4 address (four numbers from 0 to 255, without "
			     "leading zeros)";
	for (size_t i = 0; i <= len; i++) {
		uint8_t c = (uint8_t)host[i];

		if (c == '.' || c == '\0') {
			if (label == 0)
				return "the host has an empty label";
			if (host[i - 1] == '-')
				return "a label of the host ends with a hyphen";
			label = 0;
			continue;
		}
		if (!is_letter(c) && !is_digit(c) && c != '-' && c != '_')
			return "a host is made of letters, digits, hyphens, underscores and dots";
		if (c == '-' && label == 0)
			return "a label of the host starts with a hyphen";
		if (++label > LABEL_BYTES_MAX)
			return "a label of the host is longer than 63 bytes";
	}
	return NULL;
}

static const char *
port_wrong(const char *port)
{
	size_t digits = strspn(port, "0123456789");

	if (digits == 0 || port[digits] != '\0')
		return "the port is not a number";
	if (port[0] == '0' || digits > 5 || strtol(port, NULL, 10) > 65535)
		return "the port is not one of 1 to 65535, without leading zeros";
	return NULL;
}

/* What is wrong with an address; NULL when nothing is. Splits `text` in place. */
static const char *
address_wrong(char *text)
{
	struct in6_addr v6;
	char *colon, *bracket;
	const char *wrong;

	if (text[0] == '[') {
		bracket = strchr(text, ']');
		if (bracket == NULL)
			return "the bracket is not closed";
		*bracket = '\0';
		if (inet_pton(AF_INET6, text + 1, &v6) != 1)
			return "what stands in brackets is no IPv6 address";
		if (bracket[1] != ':')
			return "the port is missing";
		return port_wrong(bracket + 2);
	}
	colon = strchr(text, ':');
	if (colon == NULL)
		return "the port is missing";
	if (strchr(colon + 1, ':') != NULL)
		return "an IPv6 address stands in brackets";
	*colon = '\0';
	wrong = host_wrong(text);
	return wrong != NULL ? wrong : port_wrong(colon + 1);
}

int
hrw_check_address(struct hrw_bytes address, struct hrw_fault *fault)
{
	char text[HRW_ADDRESS_BYTES_MAX + 1], shown[HRW_SHOWN];
	const char *wrong;

	if (address.len == 0)
		wrong = "it is empty";
	else if (address.len > HRW_ADDRESS_BYTES_MAX)
		wrong = "it is too long";
	else if (memchr(address.data, '\0', address.len) != NULL)
		wrong = "it has a NUL byte";
	else {
		memcpy(text, address.data, address.len);
		text[address.len] = '\0';
		wrong = address_wrong(text);
	}
	if (wrong == NULL)
		return 0;
	return hrw_fault(fault, HRW_BAD_ADDRESS,
	    "\"%s\" is not an address: %s; write host:port, 192.0.2.1:port or [2001:db8::1]:port, "
	    "with a port from 1 to 65535",
	    hrw_show(address, shown, sizeof(shown)), wrong);
}

int
hrw_check_zone(struct hrw_bytes zone, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];
	size_t good = 0;

	while (good < zone.len &&
	       (is_letter(zone.data[good]) || is_digit(zone.data[good]) ||
		   (zone.data[good] != '\0' && strchr("._-", zone.data[good]) != NULL)))
		good++;
	if (good == zone.len && zone.len >= 1 && zone.len <= HRW_ZONE_BYTES_MAX)
		return 0;
	hrw_show(zone, shown, sizeof(shown));
	if (good < zone.len)
		return hrw_fault(fault, HRW_BAD_ZONE,
		    "\"%s\" is not a zone, because of byte %zu: use "
		    "1 to %d of A-Z, a-z, 0-9, '.', '_' and '-', or null for a zone of its own",
		    shown, good + 1, HRW_ZONE_BYTES_MAX);
	return hrw_fault(fault, HRW_BAD_ZONE,
	    "\"%s\" is not a zone, it has %zu bytes: use 1 to %d, "
	    "or null for a zone of its own",
	    shown, zone.len, HRW_ZONE_BYTES_MAX);
}

int
hrw_check_weight(double weight, struct hrw_fault *fault)
{
	char shown[HRW_NUMBER];

	/* Written so that NaN fails. */
	if (weight == 0 || (weight >= 1e-6 && weight <= 1e9))
		return 0;
	return hrw_fault(fault, HRW_BAD_WEIGHT,
	    "%s is not a weight: use a number from 0.000001 to 1000000000, or 0 for a node that "
	    "takes no key",
	    hrw_show_number(weight, shown));
}
