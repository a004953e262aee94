/*
 * table.c - cells are kept until the widest of each column is known.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <wchar.h>

#include "daemon/base/buffer.h"
#include "daemon/ctl/table.h"

/* A code point of well-formed UTF-8, and its length in bytes. */
static size_t
decode(const char *at, wchar_t *out)
{
	unsigned char lead = (unsigned char)*at;
	size_t len = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	uint32_t code = len == 1 ? lead : lead & (0x7fu >> len);

	for (size_t i = 1; i < len; i++)
		code = code << 6 | ((unsigned char)at[i] & 0x3f);
	*out = (wchar_t)code;
	return len;
}

/* Columns of a terminal that the text fills. */
static int
width(const char *text)
{
	int sum = 0, one;
	wchar_t code;

	while (*text != '\0') {
		text += decode(text, &code);
		one = wcwidth(code); /* negative where the locale does not know it */
		sum += one < 0 ? 1 : one;
	}
	return sum;
}

static void
add(struct table *t, char *text, enum terminal_style style)
{
	if (t->count == t->room && !t->failed) {
		size_t room = t->room == 0 ? 64 : t->room * 2;
		struct table_cell *cell = realloc(t->cell, room * sizeof(*cell));

		if (cell == NULL) {
			t->failed = true;
		} else {
			t->cell = cell;
			t->room = room;
		}
	}
	if (text == NULL || t->failed) {
		t->failed = true;
		free(text);
		return;
	}
	t->cell[t->count++] = (struct table_cell){text, style};
}

static void
add_shown(struct table *t, struct hrw_bytes text, enum terminal_style style)
{
	/* Each byte may become \xNN, and the mark of a cut wants room too. */
	size_t size = text.len * 4 + 8;
	char *shown = malloc(size);

	if (shown != NULL)
		hrw_show(text, shown, size);
	add(t, shown, style);
}

void
table_column(struct table *t, enum table_side side, const char *head)
{
	t->side[t->columns++] = side;
	add_shown(t, hrw_text(head), STYLE_HEAD);
}

void
table_cell(struct table *t, const char *format, ...)
{
	char *text;
	va_list list;
	int len;

	va_start(list, format);
	len = vasprintf(&text, format, list);
	va_end(list);
	if (len < 0) {
		t->failed = true;
		return;
	}
	add_shown(t, hrw_bytes(text, (size_t)len), STYLE_NONE);
	free(text);
}

void
table_bytes(struct table *t, struct hrw_bytes text)
{
	add_shown(t, text, STYLE_NONE);
}

const char *
table_number(uint64_t count, char out[TABLE_COUNT])
{
	char digits[TABLE_COUNT];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count), at = 0;

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}

void
table_count(struct table *t, uint64_t count)
{
	char out[TABLE_COUNT];

	add_shown(t, hrw_text(table_number(count, out)), STYLE_NONE);
}

void
table_style(struct table *t, enum terminal_style style)
{
	if (!t->failed && t->count > 0)
		t->cell[t->count - 1].style = style;
}

/* As much of a text as fits into so many columns, the last of them for "…". */
static void
print_cut(const char *text, int columns, FILE *to)
{
	wchar_t code;

	while (*text != '\0') {
		size_t len = decode(text, &code);
		int one = wcwidth(code);

		columns -= one < 0 ? 1 : one;
		if (columns < 1)
			break;
		fwrite(text, 1, len, to);
		text += len;
	}
	fputs("…", to);
}

static void
print_row(const struct table *t, const struct table_cell *row, const int *widest, FILE *to,
    const struct terminal *terminal)
{
	int left = terminal->columns > 0 ? terminal->columns : INT_MAX;
	int owed = 0; /* spaces that only a later cell makes worth printing */

	for (size_t i = 0; i < t->columns; i++) {
		int pad = widest[i] - width(row[i].text);
		bool is_cut;

		if (row[i].text[0] == '\0') {
			owed += widest[i] + 2;
			continue;
		}
		if (t->side[i] == TABLE_RIGHT)
			owed += pad;
		if (owed >= left)
			break;
		left -= owed;
		is_cut = width(row[i].text) > left;
		fprintf(to, "%*s", owed, "");
		if (row[i].style != STYLE_NONE)
			fputs(terminal_style(terminal, row[i].style), to);
		/* Of a number a part would be another number. */
		if (is_cut)
			print_cut(t->side[i] == TABLE_LEFT ? row[i].text : "", left, to);
		else
			fputs(row[i].text, to);
		if (row[i].style != STYLE_NONE)
			fputs(terminal_style(terminal, STYLE_NONE), to);
		if (is_cut)
			break;
		left -= width(row[i].text);
		owed = 2 + (t->side[i] == TABLE_LEFT ? pad : 0);
	}
	fputc('\n', to);
}

void
table_fini(struct table *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->cell[i].text);
	free(t->cell);
	*t = (struct table){0};
}

void
table_print(struct table *t, FILE *to, const struct terminal *terminal)
{
	int widest[TABLE_COLUMNS_MAX] = {0};

	for (size_t i = 0; i < t->count; i++) {
		int cell = width(t->cell[i].text);

		if (cell > widest[i % t->columns])
			widest[i % t->columns] = cell;
	}
	for (size_t i = 0; i + t->columns <= t->count; i += t->columns)
		print_row(t, &t->cell[i], widest, to, terminal);
	if (t->failed)
		fputs("… (no memory for the rest)\n", to);
	table_fini(t);
}
