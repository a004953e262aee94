/*
 * terminal.c - the few sequences that every terminal knows (ECMA-48).
 */
#include <sys/ioctl.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/ctl/table.h"
#include "daemon/ctl/terminal.h"

enum { BAR = 30 };

static volatile sig_atomic_t is_left;

void
terminal_init(struct terminal *t, int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	struct winsize size = {0};
	bool is_dumb = term != NULL && strcmp(term, "dumb") == 0;

	t->has_bar = isatty(STDERR_FILENO) == 1 && !is_dumb;
	t->is_screen = isatty(STDOUT_FILENO) == 1;
	t->can_ask = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
	t->has_colours = isatty(fd) == 1 && (no_color == NULL || *no_color == '\0') && !is_dumb;
	t->columns = ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

const char *
terminal_style(const struct terminal *t, enum terminal_style style)
{
	static const char *const sequences[] = {
	    [STYLE_NONE] = "\x1b[0m",
	    [STYLE_HEAD] = "\x1b[1m",
	    [STYLE_GOOD] = "\x1b[32m",
	    [STYLE_WARN] = "\x1b[33m",
	    [STYLE_BAD] = "\x1b[31m",
	};

	return t->has_colours ? sequences[style] : "";
}

bool
terminal_confirm(const char *question)
{
	char answer[16];

	fputs(question, stderr);
	fflush(stderr);
	if (fgets(answer, sizeof(answer), stdin) == NULL) {
		fputc('\n', stderr);
		return false;
	}
	answer[strcspn(answer, "\r\n")] = '\0';
	return strcmp(answer, "y") == 0 || strcmp(answer, "Y") == 0 || strcmp(answer, "yes") == 0;
}

void
terminal_bar(const struct terminal *t, double progress, uint64_t total, const char *unit)
{
	int full = (int)(progress * BAR);
	char done[TABLE_COUNT], all[TABLE_COUNT];

	if (!t->has_bar)
		return;
	fprintf(stderr, "\r[%.*s%*s] %3d %%  %s of %s %s\x1b[K", full,
	    "##############################", BAR - full, "", (int)(progress * 100),
	    table_number((uint64_t)(progress * (double)total), done), table_number(total, all),
	    unit);
	fflush(stderr);
}

void
terminal_clear(const struct terminal *t)
{
	if (t->has_bar) {
		fputs("\r\x1b[K", stderr);
		fflush(stderr);
	}
}

static void
note(int number)
{
	(void)number;
	is_left = 1;
}

void
terminal_catch(void)
{
	/* SA_RESETHAND: who presses it twice means it. No SA_RESTART: a wait ends. */
	struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESETHAND};

	sigaction(SIGINT, &action, NULL);
}

bool
terminal_is_left(void)
{
	return is_left != 0;
}
