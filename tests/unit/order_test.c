/*
 * order_test.c - orders are written with their plan and read again; lists in
 * headers.
 */
#include <string.h>

#include "daemon/routes/common.h"
#include "daemon/routes/order.h"
#include "tests/dsl/suite.h"

/* An order of this kind, written and read again; `root` holds its body. */
static struct order
again(const struct order *order, struct json **root)
{
	struct buffer text = {0};
	struct hrw_fault fault = {0};
	struct order back;

	order_write(order, &text);
	*root = json_parse(buffer_bytes(&text), JSON_STRICT, &fault);
	ck_assert_msg(*root != NULL, "%s", fault.detail);
	ck_assert_int_eq(order_parse(*root, &back, &fault), 0);
	buffer_fini(&text);
	return back;
}

START_TEST(an_order_is_read_back_as_it_was_written)
{
	struct json *body =
	    json_parse(hrw_text("{\"weight\":0.1,\"zone\":\"r\\u00e91\"}"), JSON_STRICT, NULL);

	for (int kind = 0; kind < ORDER_KINDS; kind++) {
		unsigned traits = order_traits((enum order_kind)kind);
		struct order order = {.kind = (enum order_kind)kind, .settles_now = kind % 2};
		struct order back;
		struct json *root;

		if (traits & ORDER_NAMES_NODE)
			strcpy(order.node.text, "cache-a");
		if (traits & ORDER_HAS_BODY)
			order.body = body;
		back = again(&order, &root);
		/* What was only planned is made when it is applied. */
		ck_assert_int_eq(back.kind, kind == ORDER_PLAN ? ORDER_CHANGES : kind);
		ck_assert_str_eq(back.node.text, order.node.text);
		ck_assert_int_eq(back.settles_now, order.settles_now);
		ck_assert_int_eq(back.body != NULL, order.body != NULL);
		if (back.body != NULL) {
			ck_assert_uint_eq(json_count(back.body), 2);
			ck_assert_double_eq(json_number(json_get(back.body, "weight")), 0.1);
			ck_assert_str_eq(json_text(json_get(back.body, "zone")), "r\xc3\xa9"
										 "1");
		}
		json_free(root);
	}
	json_free(body);
}
END_TEST

START_TEST(keys_sent_along_are_no_part_of_the_change)
{
	struct json *root,
	    *body = json_parse(hrw_text("{\"keys\":[\"a\"],\"drain\":[\"b\"]}"), JSON_STRICT, NULL);
	struct order order = {.kind = ORDER_PLAN, .body = body};
	struct order back = again(&order, &root);

	ck_assert_ptr_null(json_get(back.body, "keys"));
	ck_assert_ptr_nonnull(json_get(back.body, "drain"));
	json_free(root);
	json_free(body);
}
END_TEST

START_TEST(a_damaged_order_is_refused)
{
	static const char *const texts[] = {"{}", "{\"do\":\"dance\"}", "{\"do\":7}",
	    "{\"do\":\"patch\",\"node\":\"a\"}", "[]", "null"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct json *root = json_parse(hrw_text(texts[i]), JSON_STRICT, NULL);
		struct hrw_fault fault = {0};
		struct order order;

		ck_assert_int_eq(order_parse(root, &order, &fault), HRW_STORE_FAILED);
		json_free(root);
	}
}
END_TEST

START_TEST(a_token_is_found_in_a_list_whole_or_not_at_all)
{
	static const struct {
		const char *header, *token;
		bool is_listed;
	} rows[] = {
	    {"\"4-ab\"", "\"4-ab\"", true},
	    {"W/\"4-ab\"", "\"4-ab\"", true},
	    {"\"x\" , W/\"4-ab\",\"y\"", "\"4-ab\"", true},
	    {"\"14-ab\"", "\"4-ab\"", false},
	    {"\"4-abc\"", "\"4-ab\"", false},
	    {"", "\"4-ab\"", false},
	    {",,", "\"4-ab\"", false},
	    {NULL, "*", false},
	    {" * ", "*", true},
	    {"wait=5, Respond-Async", "respond-async", true},
	    {"respond-asynchronously", "respond-async", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ck_assert_msg(common_lists(rows[i].header, rows[i].token) == rows[i].is_listed,
		    "%s in %s", rows[i].token, rows[i].header);
}
END_TEST

SUITE(order)
{
	tcase_add_test(tests, an_order_is_read_back_as_it_was_written);
	tcase_add_test(tests, keys_sent_along_are_no_part_of_the_change);
	tcase_add_test(tests, a_damaged_order_is_refused);
	tcase_add_test(tests, a_token_is_found_in_a_list_whole_or_not_at_all);
}
