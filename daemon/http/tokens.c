/*
 * tokens.c - one pass over the file, word by word.
 */
#include <fnmatch.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "core/membership.h"
#include "daemon/base/private_file.h"
#include "daemon/http/tokens.h"

enum { NAME_BYTES = 64, TOKENS_MAX = 1000, PATTERNS_MAX = 1000, DIGEST_HEX = 64 };

#define LETTERS	      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
#define NAME_BYTES_OF LETTERS "._-"
#define PATTERN_OF    "abcdefghijklmnopqrstuvwxyz0123456789.-*?"

static const char *const names[] = {
    [ROLE_NONE] = "none",
    [ROLE_READ] = "read",
    [ROLE_PLAN] = "plan",
    [ROLE_OPERATE] = "operate",
    [ROLE_ADMIN] = "admin",
};

const char *
role_name(enum role role)
{
	return names[role];
}

/* The file as it is read. */
struct reader {
	const char *path;
	unsigned line;
	struct tokens *tokens;
	struct hrw_fault *fault;
};

static int
bad_line(struct reader *r, const char *why)
{
	return hrw_fault(r->fault, HRW_BAD_FIELD, "%s:%u: %s", r->path, r->line, why);
}

static int
no_memory(struct reader *r)
{
	return hrw_fault(r->fault, HRW_INTERNAL, "no memory for the tokens");
}

/* The next word of a line, cut off; NULL at its end. */
static char *
next_word(char **at)
{
	char *word = *at + strspn(*at, " \t\r");

	if (*word == '\0')
		return NULL;
	*at = word + strcspn(word, " \t\r");
	if (**at != '\0')
		*(*at)++ = '\0';
	return word;
}

static int
read_name(struct reader *r, const char *word, struct token *t)
{
	if (strlen(word) > NAME_BYTES || strspn(word, NAME_BYTES_OF) != strlen(word) ||
	    strchr(LETTERS, word[0]) == NULL)
		return bad_line(r, "the first word is no name of a token: 1 to 64 letters, digits, "
				   "'.', '_' and '-', a letter or digit first");
	t->name = strdup(word);
	return t->name != NULL ? 0 : no_memory(r);
}

static int
read_role(struct reader *r, const char *word, struct token *t)
{
	for (enum role role = ROLE_READ; word != NULL && role <= ROLE_ADMIN; role++)
		if (strcmp(word, names[role]) == 0) {
			t->role = role;
			return 0;
		}
	return bad_line(r, "the second word is no role: read, plan, operate or admin");
}

static int
read_digest(struct reader *r, const char *word, struct token *t)
{
	uint8_t of_nothing[HRW_SHA256_BYTES];
	size_t len = 0;

	if (word == NULL || strlen(word) != DIGEST_HEX ||
	    sodium_hex2bin(t->digest, sizeof(t->digest), word, DIGEST_HEX, NULL, &len, NULL) < 0 ||
	    len != sizeof(t->digest))
		return bad_line(r,
		    "the third word is no SHA-256 of a token, which has 64 hex digits: "
		    "printf %s \"$TOKEN\" | sha256sum");
	hrw_sha256(hrw_bytes(NULL, 0), of_nothing);
	if (sodium_memcmp(t->digest, of_nothing, len) == 0)
		return bad_line(
		    r, "the third word is the SHA-256 of an empty text: make a token first");
	return 0;
}

static int
read_pattern(struct reader *r, const char *word, struct token *t)
{
	char **pattern;

	if (t->pattern_count == PATTERNS_MAX)
		return bad_line(r, "a token takes 1,000 patterns at most");
	if (strlen(word) > HRW_NAME_BYTES_MAX || strspn(word, PATTERN_OF) != strlen(word))
		return bad_line(r, "a pattern of pools holds a pool's letters, digits, '.' and "
				   "'-', '*' for any of them and '?' for one");
	pattern = realloc(t->pattern, (t->pattern_count + 1) * sizeof(*pattern));
	if (pattern == NULL)
		return no_memory(r);
	t->pattern = pattern;
	pattern[t->pattern_count] = strdup(word);
	return pattern[t->pattern_count++] != NULL ? 0 : no_memory(r);
}

/* Two tokens of one name could not be told apart in the history; one token of
 * two names would have two roles. */
static int
check_twice(struct reader *r, const struct token *t)
{
	for (const struct token *other = r->tokens->token; other < t; other++) {
		if (strcmp(other->name, t->name) == 0)
			return bad_line(r, "a token of this name stands in an earlier line");
		if (sodium_memcmp(other->digest, t->digest, sizeof(t->digest)) == 0)
			return bad_line(r, "this very token stands in an earlier line");
	}
	return 0;
}

static int
read_token(struct reader *r, char *line)
{
	char *word = next_word(&line);
	struct token *t;
	int rc;

	if (word == NULL || word[0] == '#')
		return 0;
	if (r->tokens->count == TOKENS_MAX)
		return bad_line(r, "a file holds 1,000 tokens at most");
	t = realloc(r->tokens->token, (r->tokens->count + 1) * sizeof(*t));
	if (t == NULL)
		return no_memory(r);
	r->tokens->token = t;
	t += r->tokens->count++;
	*t = (struct token){0};
	rc = read_name(r, word, t);
	if (rc == 0)
		rc = read_role(r, next_word(&line), t);
	if (rc == 0)
		rc = read_digest(r, next_word(&line), t);
	while (rc == 0 && (word = next_word(&line)) != NULL)
		rc = read_pattern(r, word, t);
	return rc < 0 ? rc : check_twice(r, t);
}

static int
read_lines(struct reader *r, struct buffer *text)
{
	char *at, *end;
	int rc = 0;

	hrw_sha256(buffer_bytes(text), r->tokens->text);
	buffer_add(text, "", 1);
	if (text->failed)
		return no_memory(r);
	at = text->data;
	end = at + text->len - 1;
	while (rc == 0 && at < end) {
		size_t len = strcspn(at, "\n");

		r->line++;
		if (at[len] == '\0' && at + len < end)
			return bad_line(r, "it holds a NUL byte");
		at[len] = '\0';
		rc = read_token(r, at);
		at += len + 1;
	}
	if (rc == 0 && r->tokens->count == 0)
		return hrw_fault(r->fault, HRW_BAD_FIELD,
		    "%s holds no token, so nobody could get in: a line is a name, a role and the "
		    "SHA-256 of a token",
		    r->path);
	return rc;
}

struct tokens *
tokens_read(const char *path, struct hrw_fault *fault)
{
	struct reader r = {.path = path, .tokens = calloc(1, sizeof(*r.tokens)), .fault = fault};
	struct buffer text = {0};
	int rc = r.tokens == NULL ? no_memory(&r) : private_file_read(path, &text, fault);

	if (rc == 0)
		rc = read_lines(&r, &text);
	private_file_forget(&text);
	if (rc == 0)
		return r.tokens;
	tokens_free(r.tokens);
	return NULL;
}

void
tokens_free(struct tokens *tokens)
{
	for (size_t i = 0; tokens != NULL && i < tokens->count; i++) {
		struct token *t = &tokens->token[i];

		for (size_t k = 0; k < t->pattern_count; k++)
			free(t->pattern[k]);
		free(t->pattern);
		free(t->name);
	}
	if (tokens != NULL)
		free(tokens->token);
	free(tokens);
}

const struct token *
tokens_find(const struct tokens *tokens, struct hrw_bytes sent)
{
	const struct token *found = NULL;
	uint8_t digest[HRW_SHA256_BYTES];

	hrw_sha256(sent, digest);
	for (size_t i = 0; i < tokens->count; i++)
		if (sodium_memcmp(digest, tokens->token[i].digest, sizeof(digest)) == 0)
			found = &tokens->token[i];
	return found;
}

bool
token_sees(const struct token *token, struct hrw_bytes pool)
{
	char name[HRW_NAME_BYTES_MAX + 1];

	if (token == NULL || token->pattern_count == 0)
		return true;
	/* What no pool can be called, no pattern has. */
	if (pool.len == 0 || pool.len > HRW_NAME_BYTES_MAX ||
	    memchr(pool.data, '\0', pool.len) != NULL)
		return false;
	memcpy(name, pool.data, pool.len);
	name[pool.len] = '\0';
	for (size_t i = 0; i < token->pattern_count; i++)
		if (fnmatch(token->pattern[i], name, 0) == 0)
			return true;
	return false;
}
