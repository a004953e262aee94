/*
 * change_read_test.c - what a body may ask for, and where it went wrong.
 */
#include "tests/dsl/pools.h"
#include "tests/dsl/suite.h"

static int
read_error(const char *json, bool is_plan, struct hrw_fault *fault)
{
	struct json *body = json_parse(hrw_text(quoted(json)), JSON_STRICT, fault);
	struct change *c = change_new("default");
	int rc = change_read(c, body, is_plan, &hrw_limits_max, fault);

	json_free(body);
	change_free(c);
	return rc;
}

START_TEST(a_body_that_says_two_things_of_one_node_is_refused)
{
	struct hrw_fault fault;

	ck_assert_int_eq(
	    read_error("{'drain':['a'],'remove':['a']}", false, &fault), HRW_BAD_FIELD);
	ck_assert_int_eq(
	    read_error("{'reweight':{'a':1},'rejoin':['a']}", false, &fault), HRW_BAD_FIELD);
	/* A patch may stand beside one other: a new machine, empty, in one change. */
	ck_assert_int_eq(
	    read_error("{'patch':{'a':{'address':'h:1'}},'rejoin':['a']}", false, &fault), 0);
	ck_assert_int_eq(read_error("{'patch':{'a':{}},'reweight':{'a':1}}", false, &fault), 0);
	ck_assert_int_eq(
	    read_error("{'patch':{'a':{}},'reweight':{'a':1},'drain':['a']}", false, &fault),
	    HRW_BAD_FIELD);
	ck_assert_int_eq(read_error("{'drain':['a','a']}", false, &fault), HRW_BAD_FIELD);
	ck_assert_int_eq(
	    read_error("{'add':[{'name':'a'},{'name':'a'}]}", true, &fault), HRW_BAD_SERVER);
	ck_assert_str_eq(fault.reason, "name");
}
END_TEST

START_TEST(each_field_of_a_body_has_its_own_error)
{
	static const struct {
		const char *json;
		int error;
		const char *field;
	} rows[] = {
	    {"{'drian':[]}", HRW_BAD_FIELD, "/drian"},
	    {"{'drain':'a'}", HRW_BAD_FIELD, "/drain"},
	    {"{'drain':[1]}", HRW_BAD_FIELD, "/drain/0"},
	    {"{'add':[{'address':'a:1'}]}", HRW_BAD_SERVER, "/add/0/name"},
	    {"{'add':[{'name':'A','address':'a:1'}]}", HRW_BAD_SERVER, "/add/0/name"},
	    {"{'add':[{'name':7,'address':'a:1'}]}", HRW_BAD_SERVER, "/add/0/name"},
	    {"{'add':[{'name':'a'}]}", HRW_BAD_ADDRESS, "/add/0/address"},
	    {"{'add':[{'name':'a','address':'a:1'},{'name':'a','address':'a:1'}]}", HRW_BAD_SERVER,
		"/add/1/name"},
	    {"{'add':[{'name':'a','address':'a:1','id':3},{'name':'b','address':'b:1','id':3}]}",
		HRW_BAD_SERVER, "/add/1/id"},
	    {"{'drain':['a','b'],'activate':['c','a']}", HRW_BAD_FIELD, "/activate/1"},
	    {"{'add':[{'name':'a','address':'a'}]}", HRW_BAD_ADDRESS, "/add/0/address"},
	    {"{'add':[{'name':'a','address':'a:1','weight':-1}]}", HRW_BAD_WEIGHT, "/add/0/weight"},
	    {"{'add':[{'name':'a','address':'a:1','weight':null}]}", HRW_BAD_WEIGHT,
		"/add/0/weight"},
	    {"{'add':[{'name':'a','address':'a:1','zone':''}]}", HRW_BAD_ZONE, "/add/0/zone"},
	    {"{'add':[{'name':'a','address':'a:1','state':'draining'}]}", HRW_BAD_FIELD,
		"/add/0/state"},
	    {"{'add':[{'name':'a','address':'a:1','state':'up'}]}", HRW_BAD_FIELD, "/add/0/state"},
	    {"{'add':[{'name':'a','address':'a:1','id':-1}]}", HRW_BAD_FIELD, "/add/0/id"},
	    {"{'add':[{'name':'a','address':'a:1','colour':1}]}", HRW_BAD_FIELD, "/add/0/colour"},
	    {"{'patch':{'a':{'state':'active'}}}", HRW_BAD_FIELD, "/patch/a/state"},
	    {"{'patch':{'a':{'address':null}}}", HRW_BAD_ADDRESS, "/patch/a/address"},
	    {"{'reweight':{'a':'2'}}", HRW_BAD_WEIGHT, "/reweight/a"},
	    {"{'reweight':{'a':1e400}}", HRW_BAD_WEIGHT, "/reweight/a"},
	    {"{'copies':0}", HRW_BAD_COPIES, "/copies"},
	    {"{'copies':'2'}", HRW_BAD_COPIES, "/copies"},
	    {"{'copies':1.5}", HRW_BAD_COPIES, "/copies"},
	    {"{'placement':'rendevouz'}", HRW_BAD_FIELD, "/placement"},
	    {"{'placement':{'name':'ring','vnodes':0}}", HRW_BAD_FIELD, "/placement/vnodes"},
	    {"{'placement':{'name':'ring','points':5}}", HRW_BAD_FIELD, "/placement/points"},
	    {"{'placement':{'vnodes':5}}", HRW_BAD_FIELD, "/placement/name"},
	    {"[]", HRW_BAD_FIELD, ""},
	};
	struct hrw_fault fault;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fault = (struct hrw_fault){0};
		ck_assert_msg(read_error(rows[i].json, false, &fault) == rows[i].error, "%s: %s",
		    rows[i].json, fault.detail);
		ck_assert_msg(strcmp(fault.field, rows[i].field) == 0, "%s: at \"%s\"",
		    rows[i].json, fault.field);
	}
}
END_TEST

START_TEST(a_plan_needs_only_a_name)
{
	struct hrw_fault fault;

	ck_assert_int_eq(read_error("{'add':[{'name':'a'}],'keys':['k']}", true, &fault), 0);
}
END_TEST

SUITE(change_read)
{
	tcase_add_test(tests, a_body_that_says_two_things_of_one_node_is_refused);
	tcase_add_test(tests, each_field_of_a_body_has_its_own_error);
	tcase_add_test(tests, a_plan_needs_only_a_name);
}
