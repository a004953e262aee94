/*
 * error.c - the list of errors in words, and faults made safe to show.
 */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/bytes.h"

static const struct {
	int error;
	const char *code, *title;
} errors[] = {
#define ROW(name, number, code, title) {(number), (code), (title)},
    HRW_ERRORS(ROW)
#undef ROW
};

enum { ERRORS = sizeof(errors) / sizeof(errors[0]) };

const char *
hrw_error_code(int error)
{
	for (size_t i = 0; i < ERRORS; i++)
		if (errors[i].error == error)
			return errors[i].code;
	return hrw_error_code(HRW_INTERNAL);
}

const char *
hrw_error_title(int error)
{
	for (size_t i = 0; i < ERRORS; i++)
		if (errors[i].error == error)
			return errors[i].title;
	return hrw_error_title(HRW_INTERNAL);
}

int
hrw_error_from_code(const char *code)
{
	for (size_t i = 0; i < ERRORS; i++)
		if (strcmp(errors[i].code, code) == 0)
			return errors[i].error;
	return 0;
}

/* Formats into `room`, made safe. The raw text may be longer than what is kept
 * of it here: then it is longer than the room as well, and is cut there. */
static void __attribute__((format(printf, 3, 0)))
write_safe(char *room, size_t size, const char *format, va_list values)
{
	char raw[2 * HRW_FAULT_DETAIL];

	if (vsnprintf(raw, sizeof(raw), format, values) < 0)
		raw[0] = '\0';
	hrw_show(hrw_text(raw), room, size);
}

#undef hrw_fault /* an analyser's, see error.h */

int
hrw_fault(struct hrw_fault *f, enum hrw_error error, const char *format, ...)
{
	va_list values;

	if (f == NULL)
		return error;
	f->error = error;
	f->reason = NULL;
	f->field[0] = '\0';
	va_start(values, format);
	write_safe(f->detail, sizeof(f->detail), format, values);
	va_end(values);
	return error;
}

int
hrw_fault_at(struct hrw_fault *f, const char *format, ...)
{
	va_list values;

	if (f == NULL)
		return 0;
	va_start(values, format);
	write_safe(f->field, sizeof(f->field), format, values);
	va_end(values);
	return f->error;
}
