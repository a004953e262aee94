/*
 * ctl.c - how hrwctl speaks of what went wrong.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/bytes.h"
#include "daemon/ctl/ctl.h"

const struct ctl_exit_row ctl_exits[] = {
    {CTL_DONE, "done", "done, or so already; a question answered"},
    {CTL_REFUSED, "refused",
	"refused, by a guard, the daemon or you; not yet so; or it is not an hrwd"},
    {CTL_USAGE, "wrong use", "wrong use: an option, an argument, a file that cannot be read"},
    {CTL_UNREACHABLE, "no hrwd there", "no hrwd answers there"},
    {CTL_CONFLICT, "changed since",
	"the pool or its keys have changed since, or another change came first"},
    {CTL_PENDING, "would change (--exit-code)", "something would change (only with --exit-code)"},
    {CTL_OUTPUT, "output lost", "done, but the output could not be written"},
    {CTL_LEFT, "left by Ctrl-C", "left by Ctrl-C"},
    {CTL_DONE, NULL, NULL},
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

unsigned
ctl_patience(struct ctl *ctl, unsigned most)
{
	struct timespec time;
	uint64_t now;

	if (ctl->options.deadline == 0)
		return most;
	clock_gettime(CLOCK_BOOTTIME, &time);
	now = (uint64_t)time.tv_sec;
	if (ctl->due == 0)
		ctl->due = now + ctl->options.deadline;
	if (now >= ctl->due)
		return 0;
	return ctl->due - now < most ? (unsigned)(ctl->due - now) : most;
}

int
ctl_late(const struct ctl *ctl)
{
	return ctl_fail(CTL_REFUSED,
	    "it is not so yet after %llu seconds (--deadline): the same command waits again",
	    (unsigned long long)ctl->options.deadline);
}
