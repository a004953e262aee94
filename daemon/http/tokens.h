/*
 * tokens.h - who may ask for what.
 *
 * A file of lines "name role sha256-of-the-token [pool patterns]" is read into a
 * list that is never written again. Tokens themselves are kept nowhere: what a
 * client sends is hashed, and hashes are compared in constant time, all of them
 * each time. A token is 32 random bytes or so, hence a plain hash suffices.
 *
 * Source: RFC 6750 (bearer tokens).
 */
#ifndef HRWD_HTTP_TOKENS_H
#define HRWD_HTTP_TOKENS_H

#include <stdbool.h>

#include "core/bytes.h"
#include "core/error.h"
#include "core/hash/sha256.h"

/* Each may do what those before it may. ROLE_NONE: asked of nobody. */
enum role { ROLE_NONE, ROLE_READ, ROLE_PLAN, ROLE_OPERATE, ROLE_ADMIN };

/* "read", "plan", "operate", "admin"; "none". Static storage. */
const char *role_name(enum role role);

struct token {
	char *name; /* [A-Za-z0-9][A-Za-z0-9._-]{0,63} */
	enum role role;
	uint8_t digest[HRW_SHA256_BYTES];
	size_t pattern_count; /* 0: every pool */
	char **pattern;	      /* of pools, with * and ? */
};

struct tokens {
	size_t count;
	struct token *token;
	uint8_t text[HRW_SHA256_BYTES]; /* of the whole file: is it the same still? */
	struct tokens *older;		/* the owner's: those that this one replaced */
};

/* Reads a file of tokens, to tokens_free().
 *   errors  BAD_FIELD with file, line and what a line should be (never what it is:
 *           somebody may have put a token there): malformed, a name or a token
 *           twice, no token at all, or a file that others may use. NULL then */
struct tokens *tokens_read(const char *path, struct hrw_fault *fault);
void tokens_free(struct tokens *tokens); /* without `older`; NULL is fine */

/* The token whose text was sent; NULL: none is. Takes as long for one as for
 * another. */
const struct token *tokens_find(const struct tokens *tokens, struct hrw_bytes sent);

/* May it know of a pool of that name? NULL, who was asked for no token, may. */
bool token_sees(const struct token *token, struct hrw_bytes pool);

#endif
