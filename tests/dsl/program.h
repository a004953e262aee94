/*
 * program.h - real programs that a test needs, and that a machine may not have.
 */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include <stdbool.h>

/* Where it is, also outside of an ordinary user's PATH; NULL: nowhere. */
const char *program_path(const char *program);

/* Is it here? Where it is not, says that so many tests are not tried and which
 * Debian package has it; tests/run.sh counts them as skipped. For a SUITE. */
bool program_is_here(const char *program, const char *package, unsigned tests);

#endif
