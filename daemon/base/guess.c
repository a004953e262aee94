/*
 * guess.c - by edit distance.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "daemon/base/guess.h"

enum { GUESS_BYTES_MAX = 40, GUESS_DISTANCE_MAX = 2 };

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Edit distance of two short names: insertions, deletions, replacements.
 * Source: Wagner & Fischer, JACM 21(1), 1974. */
static size_t
distance(const char *a, const char *b)
{
	size_t row[GUESS_BYTES_MAX + 1], a_len = strlen(a), b_len = strlen(b);

	if (a_len > GUESS_BYTES_MAX || b_len > GUESS_BYTES_MAX)
		return SIZE_MAX;
	for (size_t k = 0; k <= b_len; k++)
		row[k] = k;
	for (size_t i = 1; i <= a_len; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= b_len; k++) {
			size_t replaced = diagonal + (a[i - 1] != b[k - 1]);

			diagonal = row[k];
			row[k] = least(replaced, least(row[k], row[k - 1]) + 1);
		}
	}
	return row[b_len];
}

const char *
guess_word(const char *name, const char *const *names)
{
	const char *guess = NULL;
	size_t best = GUESS_DISTANCE_MAX + 1;

	for (; *names != NULL; names++) {
		size_t far = distance(name, *names);

		/* Of a name of two letters everything is near. */
		if (far < best && far < strlen(*names)) {
			best = far;
			guess = *names;
		}
	}
	return guess;
}
