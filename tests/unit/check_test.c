/*
 * check_test.c - which names, addresses, zones and weights are taken, and what
 * a user reads about the others.
 */
#include <math.h>

#include "core/membership.h"
#include "tests/dsl/edge.h"
#include "tests/dsl/suite.h"

#define X31	 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define LABEL_63 X31 X31 "x"
#define HOST_253 LABEL_63 "." LABEL_63 "." LABEL_63 "." X31 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* The fault names the value and holds the remedy. */
static void
says(const struct hrw_fault *fault, int rc, enum hrw_error error, const char *value,
    const char *remedy)
{
	ck_assert_msg(rc == (int)error, "\"%s\": %d", value, rc);
	ck_assert_int_eq(fault->error, error);
	ck_assert_msg(
	    strstr(fault->detail, value) != NULL, "\"%s\" not in: %s", value, fault->detail);
	ck_assert_msg(
	    strstr(fault->detail, remedy) != NULL, "\"%s\" not in: %s", remedy, fault->detail);
}

static int
name(const char *text, struct hrw_fault *fault)
{
	return hrw_check_name(at_edge(hrw_text(text)), 32, HRW_BAD_SERVER, fault);
}

static int
address(const char *text, struct hrw_fault *fault)
{
	return hrw_check_address(at_edge(hrw_text(text)), fault);
}

static int
zone(const char *text, struct hrw_fault *fault)
{
	return hrw_check_zone(at_edge(hrw_text(text)), fault);
}

START_TEST(a_name_is_a_slug)
{
	static const char *const good[] = {
	    "a", "cache-a", "web1.eu-west", "z", "a-", "a.", X31 "x"};
	struct hrw_fault fault;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_msg(name(good[i], &fault) == 0, "%s", good[i]);
}
END_TEST

START_TEST(another_name_is_refused_with_the_byte_and_the_rule)
{
	static const char *const bad[] = {
	    "Cache", "1a", "-a", ".a", "a_b", "a b", "a/b", "é", "a:1", "ab\tc", "A"};
	struct hrw_fault fault;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int rc = name(bad[i], &fault);

		says(&fault, rc, HRW_BAD_SERVER, i == 9 ? "ab\\x09c" : bad[i], "1 to 32 of a-z");
		ck_assert_str_eq(fault.reason, "name");
	}
	name("ab_c", &fault);
	ck_assert_ptr_nonnull(strstr(fault.detail, "byte 3"));
	says(&fault, name("", &fault), HRW_BAD_SERVER, "empty", "1 to 32 of a-z");
	says(&fault, name(X31 "xx", &fault), HRW_BAD_SERVER, "33 bytes", "limits.name_bytes");
	says(&fault, hrw_check_name(hrw_bytes("a\0b", 3), 32, HRW_BAD_SERVER, &fault),
	    HRW_BAD_SERVER, "a\\x00b", "byte 2");
}
END_TEST

START_TEST(a_pools_name_is_checked_alike)
{
	struct hrw_fault fault;

	ck_assert_int_eq(hrw_check_name(hrw_text("images"), 32, HRW_BAD_POOL, &fault), 0);
	says(&fault, hrw_check_name(hrw_text("Images"), 32, HRW_BAD_POOL, &fault), HRW_BAD_POOL,
	    "Images", "a pool's name");
	ck_assert_ptr_null(fault.reason);
}
END_TEST

START_TEST(an_address_is_a_host_and_a_port)
{
	static const char *const good[] = {"127.0.0.1:11211", "0.0.0.0:1", "255.255.255.255:65535",
	    "localhost:80", "cache-a.example.com:11211", "a:1", "A.B:9", "1a:1", "3com.com:80",
	    "10.0.0.1.example:80", "[::1]:11211", "[2001:db8::7]:1", "[::ffff:10.0.0.1]:80",
	    "[FE80::1]:80", "fleet_cache_1:11211", "xn--80ak6aa92e.com:80", LABEL_63 ":1",
	    HOST_253 ":65535"};
	struct hrw_fault fault;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_msg(address(good[i], &fault) == 0, "%s", good[i]);
}
END_TEST

START_TEST(another_address_is_refused_with_the_reason)
{
	static const struct {
		const char *text, *reason;
	} bad[] = {
	    {"", "empty"},
	    {"localhost", "port is missing"},
	    {"10.0.0.1", "port is missing"},
	    {":80", "host is empty"},
	    {"host:", "not a number"},
	    {"host:http", "not a number"},
	    {"host:80 ", "not a number"},
	    {"host: 80", "not a number"},
	    {"host:+80", "not a number"},
	    {"host:-1", "not a number"},
	    {"host:8e1", "not a number"},
	    {"host:0", "1 to 65535"},
	    {"host:080", "leading zeros"},
	    {"host:65536", "1 to 65535"},
	    {"host:99999999999999999999", "1 to 65535"},
	    {"10.0.0.256:80", "no IPv4"},
	    {"10.0.0:80", "no IPv4"},
	    {"10.0.0.01:80", "no IPv4"},
	    {"1.2.3.4.5:80", "no IPv4"},
	    {"2130706433:80", "no IPv4"},
	    {"0x7f000001:80", "no IPv4"},
	    {"127.0.0.0x1:80", "no IPv4"},
	    {"example.7:80", "no IPv4"},
	    {"::1:80", "brackets"},
	    {"2001:db8::1", "brackets"},
	    {"a:1:2", "brackets"},
	    {"[::1", "not closed"},
	    {"[::1]", "port is missing"},
	    {"[::1]80", "port is missing"},
	    {"[::1]:0", "1 to 65535"},
	    {"[]:80", "no IPv6"},
	    {"[127.0.0.1]:80", "no IPv6"},
	    {"[fe80::1%eth0]:80", "no IPv6"},
	    {"[1:2:3:4:5:6:7:8:9]:80", "no IPv6"},
	    {"[::1::]:80", "no IPv6"},
	    {"[12345::]:80", "no IPv6"},
	    {"a..b:80", "empty label"},
	    {".a:80", "empty label"},
	    {"a.:80", "empty label"},
	    {"-a:80", "starts with a hyphen"},
	    {"a.-b:80", "starts with a hyphen"},
	    {"a-:80", "ends with a hyphen"},
	    {"a-.b:80", "ends with a hyphen"},
	    {"a+b:80", "letters, digits"},
	    {"a b:80", "letters, digits"},
	    {"http://a:80", "brackets"},
	    {"ünder:80", "letters, digits"},
	    {"a/b:80", "letters, digits"},
	};
	struct hrw_fault fault;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int rc = address(bad[i].text, &fault);

		says(&fault, rc, HRW_BAD_ADDRESS, bad[i].text, bad[i].reason);
		says(&fault, rc, HRW_BAD_ADDRESS, "host:port", "from 1 to 65535");
	}
	says(&fault, address(LABEL_63 "x:80", &fault), HRW_BAD_ADDRESS, X31, "63 bytes");
	says(&fault, address(HOST_253 "x:80", &fault), HRW_BAD_ADDRESS, X31, "253 bytes");
	says(&fault, address(HOST_253 HOST_253 ":80", &fault), HRW_BAD_ADDRESS, X31, "too long");
	says(&fault, hrw_check_address(hrw_bytes("a:80\0", 5), &fault), HRW_BAD_ADDRESS,
	    "a:80\\x00", "NUL");
}
END_TEST

START_TEST(a_zone_is_1_to_64_plain_bytes)
{
	struct hrw_fault fault;

	ck_assert_int_eq(zone("r1", &fault), 0);
	ck_assert_int_eq(zone("EU_west-1.a", &fault), 0);
	ck_assert_int_eq(zone("7", &fault), 0);
	ck_assert_int_eq(zone(LABEL_63 "x", &fault), 0);
	says(&fault, zone(LABEL_63 "xx", &fault), HRW_BAD_ZONE, "65 bytes", "1 to 64");
	says(&fault, zone("", &fault), HRW_BAD_ZONE, "0 bytes", "null");
	says(&fault, zone("rack 1", &fault), HRW_BAD_ZONE, "rack 1", "byte 5");
	says(&fault, zone("é", &fault), HRW_BAD_ZONE, "é", "byte 1");
	says(&fault, hrw_check_zone(hrw_bytes("a\0", 2), &fault), HRW_BAD_ZONE, "a\\x00", "byte 2");
}
END_TEST

START_TEST(a_weight_is_0_or_from_a_millionth_to_a_milliard)
{
	static const double good[] = {0, -0.0, 1e-6, 0.5, 1, 1e9};
	static const struct {
		double weight;
		const char *shown;
	} bad[] = {{-1, "-1"}, {9.9e-7, "9.9"}, {1000000001, "1000000001"}, {-1e-6, "-1e-06"},
	    {INFINITY, "inf"}, {-INFINITY, "-inf"}, {5e-324, "5e-324"}};
	struct hrw_fault fault;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_int_eq(hrw_check_weight(good[i], &fault), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		says(&fault, hrw_check_weight(bad[i].weight, &fault), HRW_BAD_WEIGHT, bad[i].shown,
		    "0.000001 to 1000000000");
	says(&fault, hrw_check_weight(NAN, &fault), HRW_BAD_WEIGHT, "nan", "0 for a node");
}
END_TEST

START_TEST(a_check_without_a_fault_gives_its_number)
{
	ck_assert_int_eq(name("A", NULL), HRW_BAD_SERVER);
	ck_assert_int_eq(address("a", NULL), HRW_BAD_ADDRESS);
	ck_assert_int_eq(zone("", NULL), HRW_BAD_ZONE);
	ck_assert_int_eq(hrw_check_weight(-1, NULL), HRW_BAD_WEIGHT);
}
END_TEST

SUITE(check)
{
	tcase_add_test(tests, a_name_is_a_slug);
	tcase_add_test(tests, another_name_is_refused_with_the_byte_and_the_rule);
	tcase_add_test(tests, a_pools_name_is_checked_alike);
	tcase_add_test(tests, an_address_is_a_host_and_a_port);
	tcase_add_test(tests, another_address_is_refused_with_the_reason);
	tcase_add_test(tests, a_zone_is_1_to_64_plain_bytes);
	tcase_add_test(tests, a_weight_is_0_or_from_a_millionth_to_a_milliard);
	tcase_add_test(tests, a_check_without_a_fault_gives_its_number);
}
