/*
 * law.h - what every fuzz target asks of a parser.
 *
 * A target is one file here, tests/fuzz/NAME.c, with LLVMFuzzerTestOneInput(),
 * and a folder of seeds, tests/fuzz/seeds/NAME/: `make fuzz` finds both. Beside
 * the sanitizers' laws a target checks its parser's own: what was read and
 * written reads the same again, a split changes nothing, a refusal says why.
 */
#ifndef TESTS_FUZZ_LAW_H
#define TESTS_FUZZ_LAW_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "core/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define law(truth) ((truth) ? (void)0 : law_broken(#truth, __FILE__, __LINE__))

static inline void
law_broken(const char *truth, const char *file, int line)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, truth);
	abort();
}

/* An error from the list, told in words that a log line and an answer can hold. */
static inline void
law_of_faults(int rc, const struct hrw_fault *fault)
{
	const char *const text[] = {fault->detail, fault->field};

	if (rc >= 0)
		return;
	law((int)fault->error == rc);
	law(hrw_error_from_code(hrw_error_code(rc)) == rc);
	law(fault->detail[0] != '\0');
	for (size_t i = 0; i < 2; i++) {
		law(hrw_is_utf8(hrw_text(text[i])));
		for (const char *at = text[i]; *at != '\0'; at++)
			law((unsigned char)*at >= ' ' && *at != 0x7f);
	}
}

/* A copy with a NUL behind it, to free(). What stands after a NUL of its own is
 * out of a C string's sight. */
static inline char *
law_text(const uint8_t *data, size_t len)
{
	char *text = malloc(len + 1);

	law(text != NULL);
	if (len > 0)
		memcpy(text, data, len);
	text[len] = '\0';
	return text;
}

#endif
