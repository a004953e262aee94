/*
 * ctl.c - how hrwctl speaks of what went wrong.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "daemon/ctl/ctl.h"

const struct ctl_exit_row ctl_exits[] = {
    {CTL_DONE, "done, or so already; a question answered"},
    {CTL_REFUSED, "refused by a guard, the daemon or the one who was asked; or it is not an hrwd"},
    {CTL_USAGE, "wrong use: an option, an argument, a file that cannot be read"},
    {CTL_UNREACHABLE, "no hrwd answers there"},
    {CTL_CONFLICT, "the pool or its keys have changed since, or another change came first"},
    {CTL_PENDING, "something would change (only with --exit-code)"},
    {CTL_OUTPUT, "done, but the output could not be written"},
    {CTL_LEFT, "left by Ctrl-C"},
    {CTL_DONE, NULL},
};

int
ctl_fail(int status, const char *format, ...)
{
	char *text, *shown;
	va_list list;
	int len;

	va_start(list, format);
	len = vasprintf(&text, format, list);
	va_end(list);
	if (len < 0)
		return status;
	shown = malloc((size_t)len * 4 + 8);
	/* Into one file both come in the order in which they were said. */
	fflush(stdout);
	if (shown != NULL)
		fprintf(stderr, "hrwctl: %s\n",
		    hrw_show(hrw_bytes(text, (size_t)len), shown, (size_t)len * 4 + 8));
	free(shown);
	free(text);
	return status;
}

const char *
ctl_shown(const char *text)
{
	enum { COPIES = 16 };
	static char *copy[COPIES];
	static unsigned turn;
	size_t size = strlen(text) * 4 + 8;
	char *shown = malloc(size);

	if (shown == NULL)
		return "";
	hrw_show(hrw_text(text), shown, size);
	if (strcmp(shown, text) == 0) {
		free(shown);
		return text;
	}
	turn = (turn + 1) % COPIES;
	free(copy[turn]);
	return copy[turn] = shown;
}

const char *
ctl_control(const char *text)
{
	for (const char *at = text; *at != '\0'; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return at;
	return NULL;
}
