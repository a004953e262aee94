/*
 * config_test.c - options, their defaults, and where a mistake stands.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/config/config.h"
#include "daemon/base/cpus.h"
#include "tests/dsl/suite.h"

enum { PATH = 64 };

static void
write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* A file of that text; its path. */
static const char *
file_of(const char *text)
{
	static char path[PATH];
	int fd;

	strcpy(path, "/tmp/hrwd-config-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	write_text(path, text);
	return path;
}

static struct config *
good(const char *text)
{
	struct hrw_fault fault = {0};
	const char *path = file_of(text);
	struct config *c = config_read(path, &fault);

	unlink(path);
	ck_assert_msg(c != NULL, "%s", fault.detail);
	return c;
}

START_TEST(defaults_are_those_of_the_table)
{
	struct config *c = config_new();

	ck_assert_ptr_nonnull(c);
	ck_assert_uint_eq(c->members.limits->nodes, 64);
	ck_assert_uint_eq(c->members.limits->key_bytes, 256);
	ck_assert_uint_eq(c->members.limits->copies, 8);
	ck_assert_uint_eq(c->members.limits->name_bytes, 32);
	ck_assert_uint_eq(c->http.json_bytes, 4194304);
	ck_assert_uint_eq(c->keys, 20000000);
	ck_assert_uint_eq(c->http.head_seconds, 10);
	ck_assert_str_eq(c->http.lookup.at[0].text, "127.0.0.1:7070");
	ck_assert_str_eq(c->http.admin.at[0].text, "127.0.0.1:7071");
	ck_assert_str_eq(c->members.default_pool, "default");
	ck_assert_uint_ge(c->http.workers, 1);
	ck_assert_uint_le(c->http.workers, 16);
	ck_assert_int_eq(c->log_level, LOG_INFO);
	ck_assert(c->store_create && c->members.store_path[0] == '/');
	config_free(c);
}
END_TEST

START_TEST(the_shipped_file_has_every_option_with_its_default)
{
	static const char *const other[] = {"nodes", "path", "file", "pools"};
	struct hrw_fault fault = {0};
	struct config *c = config_read("conf/hrwd.json", &fault);

	ck_assert_msg(c != NULL, "%s", fault.detail);
	ck_assert_uint_eq(c->members.limits->nodes, 1024);
	ck_assert_ptr_nonnull(json_get(c->members.pools, "default"));
	for (const struct config_option *o = config_options; o->name != NULL; o++) {
		const struct json *j = c->document;
		struct buffer text = {0};
		struct json_out out = json_out(&text);
		size_t i = 0;

		while (i < sizeof(other) / sizeof(other[0]) && strcmp(other[i], o->name) != 0)
			i++;
		if (o->section != NULL)
			j = json_get(j, o->section);
		j = json_get(j, o->name);
		if (strcmp(o->name, "file") == 0)
			continue; /* instead of path */
		ck_assert_msg(j != NULL, "%s is missing", o->name);
		json_put_tree(&out, NULL, j);
		if (i == sizeof(other) / sizeof(other[0]))
			ck_assert_str_eq(buffer_text(&text), o->initial);
		buffer_fini(&text);
	}
	config_free(c);
}
END_TEST

START_TEST(every_option_can_be_set)
{
	struct config *c =
	    good("// comment\n"
		 "{\"listen\":{\"lookup\":[\"127.0.0.1:1\",\"[::1]:2\"],\"admin\":\"unix:/tmp/a\","
		 "\"hosts\":[\"a.example\"]},\"workers\":3,\"store\":{\"path\":\"x/y.db\","
		 "\"create\":false},\"default_pool\":\"photos\",\"limits\":{\"nodes\":16384,"
		 "\"idle_seconds\":1},\"log\":{\"level\":\"debug\",\"format\":\"json\"},"
		 "\"pools\":{\"photos\":{\"copies\":2,\"nodes\":[{\"name\":\"a\","
		 "\"address\":\"h:1\"}]}}} /* end */");
	char here[4096];

	ck_assert_uint_eq(c->http.lookup.count, 2);
	ck_assert_str_eq(c->http.lookup.at[1].text, "[::1]:2");
	ck_assert_str_eq(c->http.admin.at[0].text, "unix:/tmp/a");
	ck_assert_str_eq(c->http.hosts[0], "a.example");
	ck_assert_uint_eq(c->http.workers, 3);
	ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
	ck_assert_uint_eq(strlen(c->members.store_path), strlen(here) + strlen("/x/y.db"));
	ck_assert(!c->store_create);
	ck_assert_str_eq(c->members.default_pool, "photos");
	ck_assert_uint_eq(c->members.limits->nodes, 16384);
	ck_assert_uint_eq(c->http.idle_seconds, 1);
	ck_assert_int_eq(c->log_level, LOG_DEBUG);
	ck_assert(c->log_is_json);
	ck_assert_uint_eq(json_count(c->members.pools), 1);
	config_free(c);
	c = good("{\"store\":{\"file\":\"/etc/pools.json\"}}");
	ck_assert_int_eq(c->store, CONFIG_STORE_FILE);
	ck_assert_str_eq(c->members.store_path, "/etc/pools.json");
	config_free(c);
}
END_TEST

START_TEST(a_mistake_is_told_by_file_line_column_and_field)
{
	static const struct {
		const char *text, *told;
	} samples[] = {
	    {"{\n  \"limits\": { \"keybytes\": 1 }\n}",
		":2:27: /limits/keybytes: \"keybytes\" is not known here: did you mean "
		"\"key_bytes\"?; known: nodes, key_bytes"},
	    {"{\"ssl\":{}}", ":1:8: /ssl: \"ssl\" is not known here"},
	    {"{\n\"limits\":{\"nodes\":\n0}}", ":3:1: /limits/nodes: \"nodes\" is 0: give a whole "
					       "number from 1 to 16384"},
	    {"{\"limits\":{\"nodes\":1.5}}", ":1:20: /limits/nodes: \"nodes\" is 1.5:"},
	    {"{\"limits\":{\"nodes\":\"64\"}}", ":1:20: /limits/nodes: \"nodes\" is a string here"},
	    {"{\"limits\":[]}", ":1:11: /limits: limits is an array here: give an object"},
	    {"{\"workers\":65}", ":1:12: /workers: "},
	    {"{\"workers\":\"many\"}", ":1:12: /workers: "},
	    {"{\"log\":{\"level\":\"loud\"}}", ":1:17: /log/level: \"level\" is \"loud\": give "
					       "\"error\", \"warn\""},
	    {"{\"listen\":{\"lookup\":\"nowhere\"}}", ":1:21: /listen/lookup: "},
	    {"{\"listen\":{\"lookup\":[\"127.0.0.1:1\",7]}}", ":1:36: /listen/lookup/1: "},
	    {"{\"store\":{\"path\":\"a\",\"file\":\"b\"}}", ":1:29: /store/file: "},
	    {"{\"default_pool\":\"Photos\"}", ":1:17: /default_pool: "},
	    {"{\"workers\":1,\n\"workers\":2}", ":2:1"},
	    {"{\n  \"workers\": 1,\n}", ":3:1: no comma stands before"},
	    {"[]", ":1:1: a configuration is an array here"},
	    {"", ":1:1: "},
	    {"{\"pools\":{\"p\":{\"copys\":2}}}", ":1:24: /pools/p/copys: "},
	    {"{\"pools\":{\"p\":{\"nodes\":[{\"name\":\"a\",\"address\":\"h:1\",\n\"weight\":-1}]}}"
	     "}",
		":2:"},
	    {"{\"pools\":{\"P\":{}}}", ":1:15: /pools/P: "},
	    {"{\"pools\":{\"p\":{\"nodes\":[{\"name\":\"a\"}]}}}",
		":1:25: /pools/p/nodes/0/address: "},
	    {"{\"pools\":{\"p\":{\"placement\":\"jump\",\"nodes\":[{\"name\":\"a\","
	     "\"address\":\"h:1\",\"zone\":\"r\"}]}}}",
		":1:79: /pools/p/nodes/0/zone: "},
	    {"{\"pools\":{\"p\":{\"placement\":\"ring\",\"nodes\":[{\"name\":\"b\","
	     "\"address\":\"h:1\",\"weight\":2},{\"name\":\"a\",\"address\":\"h:1\"}]}}}",
		":1:81: /pools/p/nodes/0/weight: "},
	    {"{\"pools\":{\"p\":{\"placement\":{\"name\":\"haproxy-map\",\"len\":9}}}}",
		":1:56: /pools/p/placement/len: "},
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct hrw_fault fault = {0};
		const char *path = file_of(samples[i].text);
		struct config *c = config_read(path, &fault);

		ck_assert_msg(c == NULL, "taken: %s", samples[i].text);
		ck_assert_msg(strncmp(fault.detail, path, strlen(path)) == 0 &&
				  strncmp(fault.detail + strlen(path), samples[i].told,
				      strlen(samples[i].told)) == 0,
		    "%s\nis told as %s", samples[i].text, fault.detail);
		unlink(path);
	}
}
END_TEST

START_TEST(a_file_that_is_not_there_is_named)
{
	struct hrw_fault fault = {0};

	ck_assert_ptr_null(config_read("/nowhere/hrwd.json", &fault));
	ck_assert_str_eq(
	    fault.detail, "/nowhere/hrwd.json cannot be read: No such file or directory");
	ck_assert_ptr_null(config_read("/", &fault));
}
END_TEST

START_TEST(flags_win_and_are_judged_alike)
{
	struct config *c = good("{\"listen\":{\"lookup\":\"off\"},\"store\":{\"file\":\"/a\"}}");
	struct hrw_fault fault = {0};

	ck_assert_uint_eq(c->http.lookup.count, 0);
	ck_assert_int_eq(config_set_lookup(c, "127.0.0.1:8", &fault), 0);
	ck_assert_str_eq(c->http.lookup.at[0].text, "127.0.0.1:8");
	ck_assert_int_lt(config_set_admin(c, "nowhere", &fault), 0);
	ck_assert_ptr_eq(strstr(fault.detail, "--admin: "), fault.detail);
	ck_assert_int_eq(config_set_store(c, "/b.db", &fault), 0);
	ck_assert_int_eq(c->store, CONFIG_STORE_SQLITE);
	ck_assert_str_eq(c->members.store_path, "/b.db");
	config_free(c);
}
END_TEST

START_TEST(nobody_from_elsewhere_reaches_the_admin_listener)
{
	struct config *c = good("{\"listen\":{\"admin\":[\"127.0.0.1:1\",\"0.0.0.0:2\"]}}");
	struct hrw_fault fault = {0};

	ck_assert_int_eq(config_check(c, &fault), HRW_BAD_ADDRESS);
	ck_assert_ptr_nonnull(strstr(fault.detail, ":1:35: /listen/admin/1: "));
	ck_assert_int_eq(config_set_admin(c, "unix:/tmp/x", &fault), 0);
	ck_assert_int_eq(config_check(c, &fault), 0);
	ck_assert_int_eq(config_set_admin(c, "off", &fault), 0);
	ck_assert_int_eq(config_check(c, &fault), 0);
	ck_assert_int_eq(config_set_lookup(c, "off", &fault), 0);
	ck_assert_int_eq(config_check(c, &fault), HRW_BAD_FIELD);
	config_free(c);
}
END_TEST

START_TEST(a_reload_takes_what_can_change_and_names_the_rest)
{
	const char *path =
	    file_of("{\"workers\":1,\"limits\":{\"keys\":5,\"nodes\":7,\"key_bytes\":9}}");
	struct hrw_fault fault = {0};
	struct config *c = config_read(path, &fault);
	const struct hrw_limits *before = c->members.limits;
	struct buffer fixed = {0};

	write_text(path, "{\"workers\":2,\"log\":{\"level\":\"warn\"},\"limits\":{\"nodes\":8}}");
	ck_assert_int_eq(config_reload(c, &fixed, &fault), 0);
	ck_assert_str_eq(buffer_text(&fixed), "workers, limits.key_bytes");
	ck_assert_uint_eq(c->keys, 20000000);
	ck_assert_int_eq(c->log_level, LOG_WARN);
	ck_assert_uint_eq(c->http.workers, 1);
	ck_assert_uint_eq(c->members.limits->nodes, 8);
	ck_assert_uint_eq(c->members.limits->key_bytes, 9);
	ck_assert_uint_eq(before->nodes, 7);
	write_text(path, "{\"log\":{\"level\":\"error\"},");
	ck_assert_int_eq(config_reload(c, &fixed, &fault), HRW_BAD_JSON);
	ck_assert_int_eq(c->log_level, LOG_WARN);
	buffer_fini(&fixed);
	config_free(c);
	unlink(path);
}
END_TEST

START_TEST(the_state_directory_holds_the_store)
{
	struct config *c;

	setenv("STATE_DIRECTORY", "/var/lib/one:/var/lib/two", 1);
	c = config_new();
	unsetenv("STATE_DIRECTORY");
	ck_assert_str_eq(c->members.store_path, "/var/lib/one/hrwd.db");
	config_free(c);
}
END_TEST

START_TEST(help_names_every_option)
{
	struct buffer text = {0};

	config_help(&text);
	for (const struct config_option *o = config_options; o->name != NULL; o++)
		ck_assert_ptr_nonnull(strstr(buffer_text(&text), o->help));
	ck_assert_ptr_nonnull(strstr(buffer_text(&text), "limits.key_bytes"));
	buffer_fini(&text);
}
END_TEST

START_TEST(there_is_a_cpu)
{
	ck_assert_uint_ge(cpus_usable(), 1);
}
END_TEST

SUITE(config)
{
	tcase_add_test(tests, defaults_are_those_of_the_table);
	tcase_add_test(tests, the_shipped_file_has_every_option_with_its_default);
	tcase_add_test(tests, every_option_can_be_set);
	tcase_add_test(tests, a_mistake_is_told_by_file_line_column_and_field);
	tcase_add_test(tests, a_file_that_is_not_there_is_named);
	tcase_add_test(tests, flags_win_and_are_judged_alike);
	tcase_add_test(tests, nobody_from_elsewhere_reaches_the_admin_listener);
	tcase_add_test(tests, a_reload_takes_what_can_change_and_names_the_rest);
	tcase_add_test(tests, the_state_directory_holds_the_store);
	tcase_add_test(tests, help_names_every_option);
	tcase_add_test(tests, there_is_a_cpu);
}
