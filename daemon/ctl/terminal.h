/*
 * terminal.h - what only a terminal gets: colours, questions, a progress bar.
 *
 * NO_COLOR (https://no-color.org) means no colours, TERM=dumb no bar either.
 */
#ifndef HRWD_CTL_TERMINAL_H
#define HRWD_CTL_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

struct terminal {
	bool has_colours; /* where people read */
	bool can_ask;	  /* stdin and stderr are terminals */
	bool has_bar;	  /* stderr is one that moves its cursor */
	bool is_screen;	  /* stdout is one */
	int columns;	  /* of the one where people read; 0: none, or not known */
};

enum terminal_style { STYLE_NONE, STYLE_HEAD, STYLE_GOOD, STYLE_WARN, STYLE_BAD };

/* fd: where people read. */
void terminal_init(struct terminal *t, int fd);

/* The sequence that begins a style; STYLE_NONE ends it. "" without colours. */
const char *terminal_style(const struct terminal *t, enum terminal_style style);

/* Asks on stderr; false for anything but y or yes. */
bool terminal_confirm(const char *question);

/* A bar over the present line of stderr; clear takes it away. Nothing without a
 * terminal.
 *   progress   0..1 */
void terminal_bar(const struct terminal *t, double progress, uint64_t total, const char *unit);
void terminal_clear(const struct terminal *t);

/* From now on Ctrl-C is noted instead of ending the program; twice ends it. */
void terminal_catch(void);
bool terminal_is_left(void);

#endif
