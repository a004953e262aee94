/*
 * secrets_test.c - secret files, and what a secret is good for.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/members/document.h"
#include "daemon/members/secrets.h"
#include "tests/dsl/folder.h"
#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define HEX   "00112233445566778899aabbccddeeff"
#define OTHER "ffeeddccbbaa99887766554433221100"

/* A file of the folder, with that mode. */
static void
put(const char *name, const char *content, unsigned mode)
{
	const char *path = folder_file(name);

	folder_write(path, content, strlen(content));
	ck_assert_int_eq(chmod(path, mode), 0);
}

/* A new folder of secrets; its path. */
static const char *
use_folder(void)
{
	const char *path = folder_new();

	ck_assert_int_eq(secrets_use(path, NULL), 0);
	return path;
}

static const struct {
	const char *content;
	unsigned mode;
	const char *part; /* of the fault; NULL: it is taken */
} files[] = {
    {HEX, 0600, NULL},
    {HEX "\n", 0400, NULL},
    {"00112233445566778899AABBCCDDEEFF\r\n", 0640, NULL},
    {HEX, 0644, "everybody"},
    {HEX, 0660, "group"},
    {HEX "0", 0600, "32 hex digits"},
    {"0011", 0600, "32 hex digits"},
    {"", 0600, "32 hex digits"},
    {"g0112233445566778899aabbccddeeff", 0600, "32 hex digits"},
    {" " HEX, 0600, "32 hex digits"},
    {HEX "\n" OTHER, 0600, "32 hex digits"},
};

START_TEST(a_file_of_32_hex_digits_that_others_cannot_use_is_a_secret)
{
	uint8_t got[HRW_SECRET_BYTES];
	struct hrw_fault fault = {0};
	int rc;

	use_folder();
	put("photos", files[_i].content, files[_i].mode);
	rc = secrets_get("photos", got, &fault);
	if (files[_i].part == NULL) {
		ck_assert_msg(rc == 0, "%s", fault.detail);
		ck_assert_uint_eq(got[0], 0x00);
		ck_assert_uint_eq(got[15], 0xff);
	} else {
		ck_assert_int_eq(rc, HRW_BAD_FIELD);
		ck_assert_msg(strstr(fault.detail, files[_i].part) != NULL, "%s", fault.detail);
		ck_assert_msg(strstr(fault.detail, "0011") == NULL, "%s", fault.detail);
	}
	folder_remove();
}
END_TEST

START_TEST(a_secret_lies_in_its_folder_and_nowhere_else)
{
	static const char *const names[] = {"", ".", "..", "../x", "/etc/passwd", "a/b", ".hidden"};
	uint8_t got[HRW_SECRET_BYTES];
	struct hrw_fault fault = {0};
	char outside[] = "/tmp/hrwd-outside-XXXXXX";
	int fd = mkstemp(outside);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, HEX, 32), 32);
	close(fd);
	use_folder();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		ck_assert_int_eq(secrets_get(names[i], got, &fault), HRW_BAD_FIELD);
		ck_assert_msg(strstr(fault.detail, "without a path") != NULL, "%s", fault.detail);
	}
	ck_assert_int_eq(secrets_get("absent", got, &fault), HRW_BAD_FIELD);
	ck_assert_msg(strstr(fault.detail, "absent") != NULL, "%s", fault.detail);
	ck_assert_int_eq(symlink(outside, folder_file("out")), 0);
	ck_assert_int_eq(secrets_get("out", got, &fault), HRW_BAD_FIELD);
	ck_assert_msg(strstr(fault.detail, "outside") != NULL, "%s", fault.detail);
	/* As a mounted secret is: a link to a file beside it. */
	put("file", HEX, 0600);
	ck_assert_int_eq(symlink("file", folder_file("in")), 0);
	ck_assert_int_eq(secrets_get("in", got, &fault), 0);
	unlink(outside);
	folder_remove();
}
END_TEST

START_TEST(a_secret_that_was_read_stays_what_it_was)
{
	uint8_t first[HRW_SECRET_BYTES], second[HRW_SECRET_BYTES];

	use_folder();
	put("photos", HEX, 0600);
	ck_assert_int_eq(secrets_get("photos", first, NULL), 0);
	put("photos", OTHER, 0600);
	secrets_look();
	ck_assert_int_eq(secrets_get("photos", second, NULL), 0);
	ck_assert_mem_eq(first, second, sizeof(first));
	unlink(folder_file("photos"));
	secrets_look();
	ck_assert_int_eq(secrets_get("photos", second, NULL), 0);
	ck_assert_mem_eq(first, second, sizeof(first));
	folder_remove();
}
END_TEST

START_TEST(without_a_folder_there_are_no_secrets)
{
	uint8_t got[HRW_SECRET_BYTES];
	struct hrw_fault fault = {0};

	ck_assert_int_eq(secrets_get("photos", got, &fault), HRW_BAD_FIELD);
	ck_assert_msg(strstr(fault.detail, "\"secrets\"") != NULL, "%s", fault.detail);
	ck_assert_int_eq(secrets_use("/nowhere/secrets", &fault), HRW_BAD_FIELD);
	ck_assert_msg(strstr(fault.detail, "/nowhere/secrets") != NULL, "%s", fault.detail);
}
END_TEST

#define EIGHT                                                                                      \
	"\"nodes\":[{\"name\":\"a\",\"address\":\"h:1\"},{\"name\":\"b\",\"address\":\"h:2\"},"    \
	"{\"name\":\"c\",\"address\":\"h:3\"},{\"name\":\"d\",\"address\":\"h:4\"},"               \
	"{\"name\":\"e\",\"address\":\"h:5\"},{\"name\":\"f\",\"address\":\"h:6\"},"               \
	"{\"name\":\"g\",\"address\":\"h:7\"},{\"name\":\"h\",\"address\":\"h:8\"}]"

/* The eight nodes under a placement, as a document has it. */
static struct hrw_membership *
eight(const char *placement)
{
	struct hrw_fault fault = {0};
	struct json *j = json_parse(
	    hrw_text(text("{\"placement\":%s," EIGHT "}", placement)), JSON_STRICT, &fault);
	struct hrw_membership *m;
	struct pool_terms terms;

	ck_assert_ptr_nonnull(j);
	m = document_pool_read(j, NULL, &terms, &fault);
	ck_assert_msg(m != NULL, "%s", fault.detail);
	json_free(j);
	return frozen(m);
}

/* Pearson's statistic of how keys fall on eight nodes: above 24.3 once in a
 * thousand times when they fall evenly. */
static double
unevenness(const struct hrw_membership *m, const char *const *keys, size_t count)
{
	size_t owned[8] = {0};
	double expected = (double)count / 8, sum = 0;

	for (size_t i = 0; i < count; i++)
		owned[owner(m, hrw_text(keys[i]))[0] - 'a']++;
	for (size_t i = 0; i < 8; i++)
		sum += ((double)owned[i] - expected) * ((double)owned[i] - expected) / expected;
	return sum;
}

/* Whoever knows the nodes can choose keys of one: thousands are soon found. The
 * same keys under a secret, the pool's own or another, fall as any would. */
START_TEST(keys_aimed_at_one_node_spread_evenly_under_a_secret)
{
	enum { AIMED = 4000 };
	static const char *keys[AIMED];
	struct hrw_membership *plain = eight("\"rendezvous\""), *keyed, *other;
	size_t found = 0;

	for (unsigned long i = 0; found < AIMED; i++) {
		const char *key = text("user-%lu", i);

		if (owns(plain, "c", hrw_text(key)))
			keys[found++] = key;
	}
	use_folder();
	put("photos", HEX, 0600);
	put("video", OTHER, 0600);
	keyed = eight("{\"name\":\"rendezvous-keyed\",\"secret_file\":\"photos\"}");
	other = eight("{\"name\":\"rendezvous-keyed\",\"secret_file\":\"video\"}");
	ck_assert_double_gt(unevenness(plain, keys, AIMED), 7.0 * AIMED - 1);
	ck_assert_double_lt(unevenness(keyed, keys, AIMED), 24.3);
	ck_assert_double_lt(unevenness(other, keys, AIMED), 24.3);
	/* Nor do keys aimed at a node under one secret meet under another. */
	found = 0;
	for (unsigned long i = 0; found < AIMED; i++) {
		const char *key = text("user-%lu", i);

		if (owns(other, "c", hrw_text(key)))
			keys[found++] = key;
	}
	ck_assert_double_gt(unevenness(other, keys, AIMED), 7.0 * AIMED - 1);
	ck_assert_double_lt(unevenness(keyed, keys, AIMED), 24.3);
	folder_remove();
}
END_TEST

SUITE(secrets)
{
	tcase_add_loop_test(tests, a_file_of_32_hex_digits_that_others_cannot_use_is_a_secret, 0,
	    sizeof(files) / sizeof(*files));
	tcase_add_test(tests, a_secret_lies_in_its_folder_and_nowhere_else);
	tcase_add_test(tests, a_secret_that_was_read_stays_what_it_was);
	tcase_add_test(tests, without_a_folder_there_are_no_secrets);
	tcase_add_test(tests, keys_aimed_at_one_node_spread_evenly_under_a_secret);
}
