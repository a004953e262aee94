/*
 * table.h - tables that line up, whatever stands in them.
 *
 * Columns are as wide as their widest cell; two spaces stand between them and
 * none at a line's end. On a terminal a line ends where its width does, with "…":
 * one that went on below would line up with nothing. Control bytes and bytes that are not UTF-8 are
 * shown escaped, so a cell can neither break its line nor speak to the terminal.
 */
#ifndef HRWD_CTL_TABLE_H
#define HRWD_CTL_TABLE_H

#include <stdio.h>

#include "core/bytes.h"
#include "daemon/ctl/terminal.h"

enum { TABLE_COLUMNS_MAX = 16 };

enum table_side { TABLE_LEFT, TABLE_RIGHT };

struct table_cell {
	char *text;
	enum terminal_style style;
};

/* All zeros is an empty table. */
struct table {
	size_t columns;
	enum table_side side[TABLE_COLUMNS_MAX];
	struct table_cell *cell; /* rows of `columns`, the heads first */
	size_t count, room;
	bool failed; /* no memory: the rest was dropped */
};

/* Columns come first, then cells from left to right, row by row. */
void table_column(struct table *t, enum table_side side, const char *head);
void table_cell(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_bytes(struct table *t, struct hrw_bytes text);
void table_count(struct table *t, uint64_t count);	      /* with thousands apart */
void table_style(struct table *t, enum terminal_style style); /* of the cell just added */

/* Frees what it holds, unprinted. */
void table_fini(struct table *t);

/* Prints it and frees what it holds. */
void table_print(struct table *t, FILE *to, const struct terminal *terminal);

/* 12907 as "12,907". Returns `out`. */
enum { TABLE_COUNT = 32 };
const char *table_number(uint64_t count, char out[TABLE_COUNT]);

#endif
