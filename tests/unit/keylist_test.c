/*
 * keylist_test.c - key lists read the same however their bytes arrive.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/http/keylist.h"
#include "tests/dsl/suite.h"

enum { KEY_BYTES = 12, READ_MAX = 512 };

/* What was read: "<key>" one after another, NUL as '0', then the fault. */
struct reading {
	char text[READ_MAX];
	size_t len;
	int status;
	struct hrw_fault fault;
};

static int
each(void *arg, struct hrw_bytes key)
{
	struct reading *r = arg;

	r->text[r->len++] = '<';
	for (size_t i = 0; i < key.len; i++)
		r->text[r->len++] = key.data[i] == '\0' ? '0' : (char)key.data[i];
	r->text[r->len++] = '>';
	r->text[r->len] = '\0';
	return key.len == 4 && memcmp(key.data, "stop", 4) == 0 ? HRW_TOO_LARGE : 0;
}

/* Feeds a piece that ends at an unreadable page. */
static int
feed(struct keylist *list, const char *data, size_t len, struct hrw_fault *fault)
{
	static char *map;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (map == NULL) {
		map = mmap(
		    NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		ck_assert_int_eq(mprotect(map + page, page, PROT_NONE), 0);
	}
	memcpy(map + page - len, data, len);
	return keylist_feed(list, hrw_bytes(map + page - len, len), fault);
}

/* Reads a list cut at two places. */
static struct reading
read_cut(enum keylist_form form, const char *data, size_t len, size_t first, size_t second)
{
	struct reading r = {0};
	struct keylist *list = keylist_new(form, KEY_BYTES, each, &r);

	r.status = feed(list, data, first, &r.fault);
	if (r.status == 0)
		r.status = feed(list, data + first, second - first, &r.fault);
	if (r.status == 0)
		r.status = feed(list, data + second, len - second, &r.fault);
	if (r.status == 0)
		r.status = keylist_end(list, &r.fault);
	else
		ck_assert_int_eq(keylist_end(list, NULL), r.status);
	keylist_free(list);
	return r;
}

static struct reading
read_list(enum keylist_form form, const char *data, size_t len)
{
	struct reading whole = read_cut(form, data, len, len, len);

	for (size_t first = 0; first <= len; first++)
		for (size_t second = first; second <= len; second++) {
			struct reading r = read_cut(form, data, len, first, second);

			ck_assert_int_eq(r.status, whole.status);
			ck_assert_str_eq(r.text, whole.text);
			ck_assert_str_eq(r.fault.detail, whole.fault.detail);
			ck_assert_str_eq(r.fault.field, whole.fault.field);
		}
	return whole;
}

struct example {
	enum keylist_form form;
	const char *list;
	size_t len;
	const char *keys; /* as read before the fault */
	int status;
	const char *said; /* in the detail; NULL: anything */
};

#define E(form, list, keys, status, said)                                                          \
	{                                                                                          \
		KEYLIST_##form, list, sizeof(list) - 1, keys, status, said                         \
	}

static const struct example examples[] = {
    E(TEXT, "", "", 0, NULL),
    E(TEXT, "a\nbc", "<a><bc>", 0, NULL),
    E(TEXT, "a\tb\r\n\xff\n", "<a\tb\r><\xff>", 0, NULL),
    E(TEXT, "a\0b\n", "<a0b>", 0, NULL),
    E(TEXT, "\n", "", HRW_BAD_KEY, "line 1: "),
    E(TEXT, "a\n\nb", "<a>", HRW_BAD_KEY, "line 2: "),
    E(TEXT, "123456789012\n1234567890123\n", "<123456789012>", HRW_BAD_KEY, "line 2: "),
    E(TEXT, "1234567890123", "", HRW_BAD_KEY, "longer than 12 bytes"),
    E(TEXT, "a\nstop\nb", "<a><stop>", HRW_TOO_LARGE, NULL),

    E(JSON, "[]", "", 0, NULL),
    E(JSON, " [ \"a\" ,\n\"b\"\t]\r\n", "<a><b>", 0, NULL),
    E(JSON, "[{\"key\":\"a\"},{ \"key_base64\" : \"AGE=\" }]", "<a><0a>", 0, NULL),
    E(JSON, "[\"\\u0000\\n\\\"\\/\\u00e9\"]", "<0\n\"/\xc3\xa9>", 0, NULL),
    E(JSON, "[\"\\ud83d\\ude00\",\"\xf0\x9f\x98\x80\"]", "<\xf0\x9f\x98\x80><\xf0\x9f\x98\x80>", 0,
	NULL),
    E(JSON, "[\"123456789012\",\"1234567890123\"]", "<123456789012>", HRW_BAD_KEY,
	"key 2 of the array"),
    E(JSON, "[\"a\",\"\"]", "<a>", HRW_BAD_KEY, "key 2 of the array"),
    E(JSON, "[{\"key\":\"\"}]", "", HRW_BAD_KEY, "empty"),
    E(JSON, "[1]", "", HRW_BAD_KEY, "a number"),
    E(JSON, "[null]", "", HRW_BAD_KEY, "null"),
    E(JSON, "[[]]", "", HRW_BAD_KEY, "an array"),
    E(JSON, "[{\"key\":7}]", "", HRW_BAD_KEY, "a number"),
    E(JSON, "[{\"key\":{}}]", "", HRW_BAD_KEY, "an object"),
    E(JSON, "[{\"kex\":\"a\"}]", "", HRW_BAD_FIELD, "\"kex\""),
    E(JSON, "[{\"a_very_long_name_of_a_field\":1}]", "", HRW_BAD_FIELD, "a_very_long_name"),
    E(JSON, "[{\"key\":\"a\",\"key\":\"b\"}]", "", HRW_BAD_FIELD, "twice"),
    E(JSON, "[{\"key\":\"a\",\"key_base64\":\"AA==\"}]", "", HRW_BAD_FIELD, "twice"),
    E(JSON, "[{}]", "", HRW_BAD_FIELD, "neither"),
    E(JSON, "[{\"key\":\"a\",\"owner\":\"n\"},{\"replicas\":[\"n\",\"m\"],\"key\":\"b\"}]",
	"<a><b>", 0, NULL),
    E(NDJSON, "{\"key\":\"a\",\"lost\":[\"n\"],\"gained\":[ ],\"from\":null}\n", "<a>", 0, NULL),
    E(JSON, "[{\"owner\":\"n\"}]", "", HRW_BAD_FIELD, "neither"),
    E(JSON, "[{\"key\":\"a\",\"owner\":7}]", "", HRW_BAD_JSON, "a name"),
    E(JSON, "[{\"key\":\"a\",\"owner\":nul}]", "", HRW_BAD_JSON, "null"),
    E(JSON, "[{\"key\":\"a\",\"owner\":n ull}]", "", HRW_BAD_JSON, "null"),
    E(JSON, "[{\"key\":\"a\",\"lost\":[\"n\",]}]", "", HRW_BAD_JSON, "names"),
    E(JSON, "{\"keys\":[]}", "", HRW_BAD_FIELD, "an object"),
    E(JSON, "", "", HRW_BAD_JSON, "empty"),
    E(JSON, "[\"a\"", "<a>", HRW_BAD_JSON, "ends before"),
    E(JSON, "[\"a\",]", "<a>", HRW_BAD_JSON, "line 1, column 6"),
    E(JSON, "[,\"a\"]", "", HRW_BAD_JSON, NULL),
    E(JSON, "[\"a\" \"b\"]", "<a>", HRW_BAD_JSON, NULL),
    E(JSON, "[\"a\"] x", "<a>", HRW_BAD_JSON, "after the array"),
    E(JSON, "[\n\"a\nb\"]", "", HRW_BAD_JSON, "line 2, column 3"),
    E(JSON, "[\"\\x\"]", "", HRW_BAD_JSON, "escape"),
    E(JSON, "[\"\\u12g4\"]", "", HRW_BAD_JSON, NULL),
    E(JSON, "[\"\\ud800\"]", "", HRW_BAD_JSON, "surrogate"),
    E(JSON, "[\"\\ud800\\u0041\"]", "", HRW_BAD_JSON, "surrogate"),
    E(JSON, "[\"\\udc00\"]", "", HRW_BAD_JSON, "surrogate"),
    E(JSON, "[\"\xff\"]", "", HRW_BAD_JSON, "UTF-8"),
    E(JSON, "[\"\xc0\x80\"]", "", HRW_BAD_JSON, "UTF-8"),
    E(JSON, "[\"\xed\xa0\x80\"]", "", HRW_BAD_JSON, "UTF-8"),
    E(JSON, "[\"\xe2\x82\"]", "", HRW_BAD_JSON, "UTF-8"),
    E(JSON, "\xef\xbb\xbf[]", "", HRW_BAD_JSON, NULL),
    E(JSON, "['a']", "", HRW_BAD_JSON, NULL),
    E(JSON, "[\"a\"/**/]", "<a>", HRW_BAD_JSON, NULL),

    E(NDJSON, "", "", 0, NULL),
    E(NDJSON, "\"a\"\n{\"key\":\"b\"}\r\n \"c\" ", "<a><b><c>", 0, NULL),
    E(NDJSON, "\"a\"\n\n\"b\"", "<a>", HRW_BAD_JSON, "line 2, column 1"),
    E(NDJSON, "\"a\" \"b\"", "<a>", HRW_BAD_JSON, NULL),
    E(NDJSON, "{\"key\":\n\"b\"}", "", HRW_BAD_JSON, "line 1"),
    E(NDJSON, "{\"key\":\"b\"", "", HRW_BAD_JSON, "ends within"),
    E(NDJSON, "\"a\"\n\"\"\n", "<a>", HRW_BAD_KEY, "line 2: "),
    E(NDJSON, "[\"a\"]", "", HRW_BAD_KEY, "an array"),

    E(NDJSON, "{\"key_base64\":\"QUJD\"}", "<ABC>", 0, NULL),
    E(NDJSON, "{\"key_base64\":\"QUI=\"}", "<AB>", 0, NULL),
    E(NDJSON, "{\"key_base64\":\"\\/\\/8=\"}", "<\xff\xff>", 0, NULL),
    E(NDJSON, "{\"key_base64\":\"QQ==\"}", "<A>", 0, NULL),
    E(NDJSON, "{\"key_base64\":\"QR==\"}", "", HRW_BAD_KEY, "base64"),
    E(NDJSON, "{\"key_base64\":\"QUJ=\"}", "", HRW_BAD_KEY, "base64"),
    E(NDJSON, "{\"key_base64\":\"QQ\"}", "", HRW_BAD_KEY, "base64"),
    E(NDJSON, "{\"key_base64\":\"Q===\"}", "", HRW_BAD_KEY, "base64"),
    E(NDJSON, "{\"key_base64\":\"QQ=A\"}", "", HRW_BAD_KEY, "base64"),
    E(NDJSON, "{\"key_base64\":\"QQ====\"}", "", HRW_BAD_KEY, "base64"),
    E(NDJSON, "{\"key_base64\":\"Q-_=\"}", "", HRW_BAD_KEY, "base64"),
    E(NDJSON, "{\"key_base64\":\"\"}", "", HRW_BAD_KEY, "empty"),
    E(NDJSON, "{\"key_base64\":\"MTIzNDU2Nzg5MDEy\"}", "<123456789012>", 0, NULL),
    E(NDJSON, "{\"key_base64\":\"MTIzNDU2Nzg5MDEyMw==\"}", "", HRW_BAD_KEY, "longer than 12"),
};

START_TEST(every_split_of_a_list_reads_as_the_whole)
{
	const struct example *e = &examples[_i];
	struct reading r = read_list(e->form, e->list, e->len);

	ck_assert_msg(r.status == e->status, "example %d: %d instead of %d: %s", _i, r.status,
	    e->status, r.fault.detail);
	ck_assert_str_eq(r.text, e->keys);
	if (e->status < 0 && e->said != NULL)
		ck_assert_msg(strstr(r.fault.detail, e->said) != NULL,
		    "example %d does not say \"%s\": %s", _i, e->said, r.fault.detail);
}
END_TEST

START_TEST(a_key_of_an_array_is_pointed_at)
{
	struct reading r = read_list(KEYLIST_JSON, "[\"a\",\"b\",3]", 11);

	ck_assert_str_eq(r.fault.field, "/2");
}
END_TEST

SUITE(keylist)
{
	tcase_add_loop_test(tests, every_split_of_a_list_reads_as_the_whole, 0,
	    (int)(sizeof(examples) / sizeof(*examples)));
	tcase_add_test(tests, a_key_of_an_array_is_pointed_at);
}
