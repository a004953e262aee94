/*
 * framing_prepare.c - a head before libmicrohttpd reads it.
 *
 * It has read the first line, and most often the rest lies behind it in its buffer,
 * ended by a NUL, since it clears its memory. What is done here only spares it from
 * failing on what is legal; nothing is trusted that framing_read() does not check.
 */
#include <microhttpd.h>
#include <strings.h>

#include "daemon/http/framing.h"

const char framing_hidden[] = "Cookie";

/* The memory is mapped in pages: one that holds a byte can be read to its end. */
enum { PAGE = 4096 };

static bool
begins_with(const char *line, const char *end, const char *name)
{
	size_t len = strlen(name);

	return (size_t)(end - line) > len && strncasecmp(line, name, len) == 0;
}

/* "name: value \r\n" to "name:  value\r\n": it skips blanks before a value alone. */
static void
move_blanks(char *value, char *end)
{
	size_t blanks = 0;

	while (end - blanks > value &&
	       (end[-1 - (long)blanks] == ' ' || end[-1 - (long)blanks] == '\t'))
		blanks++;
	if (blanks == 0 || end - blanks == value)
		return;
	memmove(value + blanks, value, (size_t)(end - value) - blanks);
	memset(value, ' ', blanks);
}

void
framing_prepare(struct MHD_Connection *mhd, char *rest)
{
	static const char length[] = "Content-Length:";
	char *line = rest, *stop = rest + PAGE - ((uintptr_t)rest & (PAGE - 1)), *feed;
	bool has_cookie = false, is_whole = false;

	while (line < stop && line < rest + 2 && *line == '\0')
		line++;
	while ((feed = memchr(line, '\n', (size_t)(stop - line))) != NULL) {
		char *end = feed > line && feed[-1] == '\r' ? feed - 1 : feed;

		if (end == line) {
			is_whole = true;
			break;
		}
		if ((*line | 0x20) == 'c') {
			has_cookie |= begins_with(line, end, "Cookie");
			if (begins_with(line, end, length))
				move_blanks(line + sizeof(length) - 1, end);
		}
		line = feed + 1;
	}
	/* The first of a name is the one that is found. */
	if (!is_whole || has_cookie)
		MHD_set_connection_value_n(
		    mhd, MHD_HEADER_KIND, framing_hidden, sizeof(framing_hidden) - 1, "", 0);
}
