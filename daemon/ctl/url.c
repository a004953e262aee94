/*
 * url.c - percent-encoding.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/ctl/url.h"

static void
encode(struct buffer *url, struct hrw_bytes text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-._~";

	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] != '\0' && strchr(plain, text.data[i]) != NULL)
			buffer_add(url, &text.data[i], 1);
		else
			buffer_printf(url, "%%%02X", text.data[i]);
	}
}

void
url_segment(struct buffer *url, const char *text)
{
	buffer_add_text(url, "/");
	/* "." and ".." are steps in a path to whoever stands between. */
	if (strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
		buffer_add_text(url, text[1] == '.' ? "%2E%2E" : "%2E");
	else
		encode(url, hrw_text(text));
}

void
url_parameter(struct buffer *url, const char *name, struct hrw_bytes value)
{
	bool is_first = url->len == 0 || memchr(url->data, '?', url->len) == NULL;

	buffer_printf(url, "%c%s=", is_first ? '?' : '&', name);
	encode(url, value);
}

void
url_number(struct buffer *url, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	url_parameter(url, name, hrw_text(text));
}

void
url_page(struct buffer *url, uint64_t limit, const char *after)
{
	if (limit != 0)
		url_number(url, "limit", limit);
	if (after != NULL)
		url_parameter(url, "after", hrw_text(after));
}
