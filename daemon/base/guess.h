/*
 * guess.h - the word that was meant.
 */
#ifndef HRWD_BASE_GUESS_H
#define HRWD_BASE_GUESS_H

/* The one of `names` (ended by NULL) that a mistyped one is nearest to; NULL: none is
 * near. */
const char *guess_word(const char *name, const char *const *names);

#endif
