/*
 * tokens_test.c - files of tokens, and who one of them is.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/http/tokens.h"
#include "tests/dsl/folder.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

/* SHA-256 of "a", "b" and "". */
#define OF_A	   "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
#define OF_B	   "3E23E8160039594A33894F6564E1B1348BBD7A0088D42C4ACB73EEAED59C009D"
#define OF_NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static struct tokens *
read_bytes(const char *lines, size_t len, struct hrw_fault *fault)
{
	struct tokens *tokens;
	const char *path;

	folder_new();
	path = folder_file("tokens");
	folder_write(path, lines, len);
	ck_assert_int_eq(chmod(path, 0600), 0);
	tokens = tokens_read(path, fault);
	folder_remove();
	return tokens;
}

static struct tokens *
read_lines(const char *lines)
{
	struct hrw_fault fault = {0};
	struct tokens *tokens = read_bytes(lines, strlen(lines), &fault);

	ck_assert_msg(tokens != NULL, "%s", fault.detail);
	return tokens;
}

START_TEST(a_line_is_a_name_a_role_a_digest_and_patterns)
{
	struct tokens *tokens = read_lines("# a comment\r\n\n  ops-1.x\tadmin " OF_A "\r\n"
					   "ci plan " OF_B " img-* ?\n# the end");

	ck_assert_uint_eq(tokens->count, 2);
	ck_assert_str_eq(tokens->token[0].name, "ops-1.x");
	ck_assert_int_eq(tokens->token[0].role, ROLE_ADMIN);
	ck_assert_uint_eq(tokens->token[0].pattern_count, 0);
	ck_assert_int_eq(tokens->token[1].role, ROLE_PLAN);
	ck_assert_uint_eq(tokens->token[1].pattern_count, 2);
	ck_assert_str_eq(tokens->token[1].pattern[1], "?");
	tokens_free(tokens);
}
END_TEST

START_TEST(a_token_is_found_by_all_of_its_bytes)
{
	struct tokens *tokens = read_lines("one read " OF_A "\ntwo admin " OF_B "\n");

	ck_assert_str_eq(tokens_find(tokens, hrw_text("a"))->name, "one");
	ck_assert_str_eq(tokens_find(tokens, hrw_text("b"))->name, "two");
	ck_assert_ptr_null(tokens_find(tokens, hrw_text("")));
	ck_assert_ptr_null(tokens_find(tokens, hrw_text("aa")));
	ck_assert_ptr_null(tokens_find(tokens, hrw_text(OF_A)));
	ck_assert_ptr_null(tokens_find(tokens, hrw_bytes("a\0", 2)));
	tokens_free(tokens);
}
END_TEST

START_TEST(a_digest_that_begins_alike_is_another)
{
	struct tokens *tokens = read_lines("one read " OF_A "\n");
	uint8_t digest[HRW_SHA256_BYTES];
	int alike = 0;

	for (int i = 0; i < 4000; i++) {
		const char *other = text("other-%d", i);

		hrw_sha256(hrw_text(other), digest);
		alike += digest[0] == tokens->token[0].digest[0];
		ck_assert_ptr_null(tokens_find(tokens, hrw_text(other)));
	}
	ck_assert_int_gt(alike, 4);
	tokens_free(tokens);
}
END_TEST

START_TEST(patterns_are_those_of_a_shell_and_none_means_every_pool)
{
	static const struct {
		const char *patterns, *pool;
		bool sees;
	} cases[] = {
	    {"", "anything", true},
	    {"img", "img", true},
	    {"img", "img2", false},
	    {"img", "im", false},
	    {"img-*", "img-", true},
	    {"img-*", "img-a.b-c", true},
	    {"img-*", "img", false},
	    {"*-eu", "img-eu", true},
	    {"*-eu", "img-eu-2", false},
	    {"i?g", "img", true},
	    {"i?g", "ig", false},
	    {"a b c*", "cd", true},
	    {"*", "", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tokens *tokens = read_lines(text("t read " OF_A " %s\n", cases[i].patterns));

		ck_assert_msg(token_sees(tokens->token, hrw_text(cases[i].pool)) == cases[i].sees,
		    "\"%s\" for \"%s\"", cases[i].patterns, cases[i].pool);
		/* A NUL ends no name. */
		if (tokens->token->pattern_count > 0)
			ck_assert(!token_sees(tokens->token, hrw_bytes("img\0", 4)));
		tokens_free(tokens);
	}
	ck_assert(token_sees(NULL, hrw_text("any")));
}
END_TEST

/* Lines that are refused, and what is said; never what stands in them. */
static const struct {
	const char *lines, *part;
} bad[] = {
    {"", "holds no token"},
    {"hush", "tokens:1: the second word is no role"},
    {"hush hush", "tokens:1: the second word is no role"},
    {"a Read " OF_A, "tokens:1: the second word is no role"},
    {"a none " OF_A, "tokens:1: the second word is no role"},
    {"a read", "tokens:1: the third word is no SHA-256"},
    {"a read hush", "tokens:1: the third word is no SHA-256"},
    {"a read " OF_A "0", "tokens:1: the third word is no SHA-256"},
    {"a read g" OF_A, "tokens:1: the third word is no SHA-256"},
    {"a read " OF_A " Hush", "tokens:1: a pattern of pools"},
    {"a read " OF_A " [a-z]", "tokens:1: a pattern of pools"},
    {"a read " OF_A " \\hush", "tokens:1: a pattern of pools"},
    {"hush! read " OF_A, "tokens:1: the first word is no name"},
    {"hush:x read " OF_A, "tokens:1: the first word is no name"},
    {".hush read " OF_A, "tokens:1: the first word is no name"},
    {"\xff read " OF_A, "tokens:1: the first word is no name"},
    {"a read " OF_A "\na plan " OF_B, "tokens:2: a token of this name"},
    {"a read " OF_A "\nb plan " OF_A, "tokens:2: this very token"},
};

START_TEST(a_bad_line_is_named_and_not_shown)
{
	struct hrw_fault fault = {0};

	ck_assert_ptr_null(read_bytes(bad[_i].lines, strlen(bad[_i].lines), &fault));
	ck_assert_int_eq(fault.error, HRW_BAD_FIELD);
	ck_assert_msg(strstr(fault.detail, bad[_i].part) != NULL, "%s", fault.detail);
	ck_assert_msg(strcasestr(fault.detail, "hush") == NULL, "%s", fault.detail);
}
END_TEST

START_TEST(a_NUL_byte_ends_no_line)
{
	static const char lines[] = "a read " OF_A "\0 hush\n";
	struct hrw_fault fault = {0};

	ck_assert_ptr_null(read_bytes(lines, sizeof(lines) - 1, &fault));
	ck_assert_msg(strstr(fault.detail, "NUL") != NULL, "%s", fault.detail);
}
END_TEST

/* The token that says nothing could be sent by a client that has none. */
START_TEST(no_token_is_empty)
{
	struct hrw_fault fault = {0};
	static const char lines[] = "a read " OF_NOTHING;

	ck_assert_ptr_null(read_bytes(lines, sizeof(lines) - 1, &fault));
	ck_assert_msg(strstr(fault.detail, "empty") != NULL, "%s", fault.detail);
}
END_TEST

START_TEST(what_is_no_file_is_no_file_of_tokens)
{
	struct hrw_fault fault = {0};

	ck_assert_ptr_null(tokens_read("/nowhere/tokens", &fault));
	ck_assert_msg(strstr(fault.detail, "/nowhere/tokens") != NULL, "%s", fault.detail);
	ck_assert_ptr_null(tokens_read("/tmp", &fault));
	ck_assert_msg(strstr(fault.detail, "no regular file") != NULL, "%s", fault.detail);
	ck_assert_ptr_null(tokens_read("/dev/zero", &fault));
	folder_new();
	ck_assert_int_eq(mkfifo(folder_file("pipe"), 0600), 0);
	ck_assert_ptr_null(tokens_read(folder_file("pipe"), &fault));
	ck_assert_msg(strstr(fault.detail, "no regular file") != NULL, "%s", fault.detail);
	folder_remove();
}
END_TEST

SUITE(tokens)
{
	tcase_add_test(tests, a_line_is_a_name_a_role_a_digest_and_patterns);
	tcase_add_test(tests, a_token_is_found_by_all_of_its_bytes);
	tcase_add_test(tests, a_digest_that_begins_alike_is_another);
	tcase_add_test(tests, patterns_are_those_of_a_shell_and_none_means_every_pool);
	tcase_add_loop_test(
	    tests, a_bad_line_is_named_and_not_shown, 0, sizeof(bad) / sizeof(*bad));
	tcase_add_test(tests, a_NUL_byte_ends_no_line);
	tcase_add_test(tests, no_token_is_empty);
	tcase_add_test(tests, what_is_no_file_is_no_file_of_tokens);
}
