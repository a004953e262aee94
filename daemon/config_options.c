/*
 * config_options.c - the table of options, and the readers that its rows name.
 */
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/config_options.h"
#include "daemon/cpus.h"
#include "daemon/http/listen.h"
#include "daemon/members/document.h"
#include "daemon/members/secrets.h"

enum { WORKERS_AUTO_MAX = 16, WORKERS_MAX = 64 };

static int
no_memory(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_INTERNAL, "no memory for the configuration");
}

static int
mistyped(const struct config_option *option, const struct json *j, struct hrw_fault *fault)
{
	return json_fault(j, fault, HRW_BAD_FIELD, "\"%s\" is %s here: give %s", option->name,
	    json_type_name(json_type(j)), option->type);
}

/* A member of the configuration that a row points at. */
static void *
member_of(struct config *c, const struct config_option *option)
{
	return (char *)c + option->offset;
}

static int
whole_number(const struct config_option *option, const struct json *j, uint64_t *out,
    struct hrw_fault *fault)
{
	int64_t number;

	if (json_type(j) != JSON_NUMBER)
		return mistyped(option, j, fault);
	if (!json_integer(j, &number) || number < (int64_t)option->min ||
	    (uint64_t)number > option->max)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "\"%s\" is %.*s: give a whole number from %llu to %llu", option->name,
		    (int)json_source(j).len, (const char *)json_source(j).data,
		    (unsigned long long)option->min, (unsigned long long)option->max);
	*out = (uint64_t)number;
	return 0;
}

static int
read_count(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	uint64_t number;

	if (whole_number(option, j, &number, fault) < 0)
		return HRW_BAD_FIELD;
	/* Members have two widths, and those that reload are atomic. */
	if (option->size == sizeof(unsigned))
		*(unsigned *)member_of(c, option) = (unsigned)number;
	else
		atomic_store((atomic_uint_least64_t *)member_of(c, option), number);
	return 0;
}

struct config_limits {
	struct hrw_limits limits;
	struct config_limits *older;
};

/* One of core's limits: the offset is in struct hrw_limits. */
static int
read_limit(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	const struct hrw_limits *now = atomic_load(&c->limits);
	struct config_limits *next;
	uint64_t number;
	size_t *member;

	if (whole_number(option, j, &number, fault) < 0)
		return HRW_BAD_FIELD;
	next = calloc(1, sizeof(*next));
	if (next == NULL)
		return no_memory(fault);
	if (now != NULL)
		next->limits = *now;
	member = (size_t *)(void *)((char *)&next->limits + option->offset);
	if (now != NULL && *member == number) {
		free(next);
		return 0;
	}
	*member = (size_t)number;
	next->older = c->all_limits;
	c->all_limits = next;
	atomic_store(&c->limits, &next->limits);
	return 0;
}

static int
read_flag(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	if (json_type(j) != JSON_BOOL)
		return mistyped(option, j, fault);
	*(bool *)member_of(c, option) = json_bool(j);
	return 0;
}

/* One of the row's words: its number, or the error. */
static int
word_number(const struct config_option *option, const struct json *j, struct hrw_fault *fault)
{
	const char *text = json_text(j);

	if (text == NULL)
		return mistyped(option, j, fault);
	for (int i = 0; option->choices[i] != NULL; i++)
		if (strcmp(option->choices[i], text) == 0)
			return i;
	return json_fault(j, fault, HRW_BAD_FIELD, "\"%s\" is \"%.80s\": give %s", option->name,
	    text, option->type);
}

/* Replaces a text that the configuration owns. */
static int
set_text(char **at, const char *text, struct hrw_fault *fault)
{
	char *copy = strdup(text);

	if (copy == NULL)
		return no_memory(fault);
	free(*at);
	*at = copy;
	return 0;
}

static void
addresses_fini(struct config_addresses *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->at[i].text);
	*list = (struct config_addresses){0};
}

/* The rights of a unix socket's file, as chmod has them. */
static int
read_mode(const struct json *j, struct config_address *a, struct hrw_fault *fault)
{
	const char *text = json_text(j);
	unsigned long mode = 0;

	if (text != NULL && text[0] != '\0' && strlen(text) <= 4 &&
	    strspn(text, "01234567") == strlen(text))
		mode = strtoul(text, NULL, 8);
	if (mode == 0 || mode > 0777)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "a mode is a text of octal digits, as chmod has them: \"0660\"");
	a->access.mode = (mode_t)mode;
	return 0;
}

static int
read_group(const struct json *j, struct config_address *a, struct hrw_fault *fault)
{
	const char *text = json_text(j);
	struct group *group = text != NULL ? getgrnam(text) : NULL;
	char shown[HRW_SHOWN];

	if (group == NULL)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "this machine has no group \"%s\": name one that it has (getent group)",
		    text != NULL ? hrw_show(hrw_text(text), shown, sizeof(shown)) : "");
	a->access.group = group->gr_gid;
	return 0;
}

/* {"address":"unix:/run/x","mode":"0660","group":"hrwd"}, {"address":"…","tls":false} */
static int
read_access(const struct json *j, struct config_address *a, struct hrw_fault *fault)
{
	static const char *const names[] = {"address", "mode", "group", "tls", NULL};
	const struct json *mode = json_get(j, "mode"), *group = json_get(j, "group"),
			  *tls = json_get(j, "tls"), *for_unix = mode != NULL ? mode : group;
	int rc = json_only(j, names, fault);

	if (rc == 0 && for_unix != NULL && !listen_is_unix(a->text))
		rc = json_fault(for_unix, fault, HRW_BAD_FIELD,
		    "%s is no unix socket: only those have a mode and a group", a->text);
	if (rc == 0 && mode != NULL)
		rc = read_mode(mode, a, fault);
	if (rc == 0 && group != NULL)
		rc = read_group(group, a, fault);
	if (rc < 0 || tls == NULL)
		return rc;
	if (json_type(tls) != JSON_BOOL || (json_bool(tls) && listen_is_unix(a->text)))
		return json_fault(tls, fault, HRW_BAD_FIELD, "\"tls\" is %s",
		    json_type(tls) == JSON_BOOL ? "for TCP addresses: a unix socket has none"
						: "true or false");
	a->tls = json_bool(tls) ? CONFIG_TLS_ALWAYS : CONFIG_TLS_NEVER;
	return 0;
}

static int
address_add(struct config_addresses *list, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	bool is_object = json_type(j) == JSON_OBJECT;
	const struct json *address = is_object ? json_get(j, "address") : j;
	const char *text = json_text(address);
	struct config_address *a;

	if (text == NULL)
		return mistyped(option, address != NULL ? address : j, fault);
	if (list->count == CONFIG_ADDRESSES_MAX)
		return json_fault(j, fault, HRW_BAD_FIELD, "\"%s\" takes at most %d addresses",
		    option->name, CONFIG_ADDRESSES_MAX);
	if (listen_check(text, fault) < 0) {
		char said[HRW_FAULT_DETAIL];

		snprintf(said, sizeof(said), "%s", fault->detail);
		return json_fault(address, fault, HRW_BAD_ADDRESS, "%s", said);
	}
	a = &list->at[list->count];
	*a = (struct config_address){
	    .text = strdup(text), .access = {.mode = 0660, .group = (gid_t)-1}};
	if (a->text == NULL)
		return no_memory(fault);
	list->count++;
	return is_object ? read_access(j, a, fault) : 0;
}

static int
read_addresses(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	struct config_addresses *list = member_of(c, option);
	const char *text = json_text(j);

	addresses_fini(list);
	if (text != NULL && strcmp(text, "off") == 0)
		return 0;
	if (json_type(j) != JSON_ARRAY)
		return address_add(list, option, j, fault);
	json_each (address, j) {
		int rc = address_add(list, option, address, fault);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static void
hosts_fini(struct config *c)
{
	for (size_t i = 0; i < c->host_count; i++)
		free(c->hosts[i]);
	free(c->hosts);
	c->hosts = NULL;
	c->host_count = 0;
}

static int
read_hosts(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	hosts_fini(c);
	if (json_type(j) != JSON_ARRAY)
		return mistyped(option, j, fault);
	c->hosts = calloc(json_count(j) + 1, sizeof(*c->hosts));
	if (c->hosts == NULL)
		return no_memory(fault);
	json_each (host, j) {
		const char *text = json_text(host);

		if (text == NULL || text[0] == '\0' || strpbrk(text, "/ \t@") != NULL)
			return json_fault(host, fault, HRW_BAD_FIELD,
			    "\"%s\" holds host names: give texts like \"hrwd.example.org\"",
			    option->name);
		if (set_text(&c->hosts[c->host_count], text, fault) < 0)
			return HRW_INTERNAL;
		c->host_count++;
	}
	return 0;
}

static int
read_workers(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	const char *text = json_text(j);
	unsigned usable;

	if (json_type(j) == JSON_NUMBER)
		return read_count(c, option, j, fault);
	if (text == NULL || strcmp(text, "auto") != 0)
		return json_fault(
		    j, fault, HRW_BAD_FIELD, "\"%s\" takes %s", option->name, option->type);
	usable = cpus_usable();
	c->workers = usable < WORKERS_AUTO_MAX ? usable : WORKERS_AUTO_MAX;
	return 0;
}

static int
read_live_flag(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	if (json_type(j) != JSON_BOOL)
		return mistyped(option, j, fault);
	atomic_store((atomic_bool *)member_of(c, option), json_bool(j));
	return 0;
}

/* An absolute path of a relative one, to free(). */
static char *
absolute(const char *path)
{
	struct buffer out = {0};
	char *here = NULL;

	if (path[0] != '/') {
		here = getcwd(NULL, 0);
		if (here == NULL)
			return NULL;
		buffer_printf(&out, "%s%s", here, strcmp(here, "/") == 0 ? "" : "/");
	}
	buffer_add_text(&out, strncmp(path, "./", 2) == 0 ? path + 2 : path);
	free(here);
	return buffer_take(&out);
}

/* A path of the file system, or null for none. */
static int
read_path(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	char **member = member_of(c, option), *whole = NULL;
	const char *text = json_text(j);

	if (json_type(j) != JSON_NULL && (text == NULL || text[0] == '\0'))
		return mistyped(option, j, fault);
	if (text != NULL) {
		whole = absolute(text);
		if (whole == NULL)
			return no_memory(fault);
	}
	free(*member);
	*member = whole;
	return 0;
}

/* Pools are read right after it, by their secrets. */
static int
read_secrets(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	struct hrw_fault inner;
	int rc = read_path(c, option, j, fault);

	if (rc < 0 || c->secrets == NULL || secrets_use(c->secrets, &inner) == 0)
		return rc;
	return json_fault(j, fault, inner.error, "%s", inner.detail);
}

static int
set_store(struct config *c, enum config_store store, const char *path, struct hrw_fault *fault)
{
	char *whole = absolute(path);

	if (whole == NULL)
		return no_memory(fault);
	free(c->store_path);
	c->store_path = whole;
	c->store = store;
	return 0;
}

static int
read_store_path(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	const char *text = json_text(j);

	if (text == NULL || text[0] == '\0')
		return mistyped(option, j, fault);
	return set_store(c, CONFIG_STORE_SQLITE, text, fault);
}

static int
read_store_file(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	const char *text = json_text(j);

	if (text == NULL || text[0] == '\0')
		return mistyped(option, j, fault);
	if (c->document != NULL && json_at(c->document, "/store/path") != NULL)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "a store is either a \"path\" (SQLite) or a \"file\" (read only): keep one of "
		    "them");
	return set_store(c, CONFIG_STORE_FILE, text, fault);
}

static int
read_default_pool(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	const char *text = json_text(j);

	if (text == NULL)
		return mistyped(option, j, fault);
	if (hrw_check_name(hrw_text(text), HRW_NAME_BYTES_MAX, HRW_BAD_POOL, fault) < 0) {
		char said[HRW_FAULT_DETAIL];

		snprintf(said, sizeof(said), "%s", fault->detail);
		return json_fault(j, fault, HRW_BAD_POOL, "%s", said);
	}
	return set_text(&c->default_pool, text, fault);
}

static int
read_log_level(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	int number = word_number(option, j, fault);

	if (number < 0)
		return number;
	c->log_level = (enum config_log_level)number;
	return 0;
}

static int
read_log_format(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	int number = word_number(option, j, fault);

	if (number < 0)
		return number;
	c->log_is_json = number == 1;
	return 0;
}

/* What is wrong with a pool as a whole is told within it. */
static int
pool_fault(const struct json *pool, int rc, struct hrw_fault *fault)
{
	char pointer[HRW_FAULT_FIELD], field[HRW_FAULT_FIELD];

	json_pointer(pool, pointer, sizeof(pointer));
	memcpy(field, fault->field, sizeof(field));
	hrw_fault_at(fault, "%s%s", pointer, field);
	return rc;
}

static int
check_pool(const struct config *c, const struct json *pool, struct hrw_fault *fault)
{
	struct hrw_membership *m;
	double max_moved;
	int rc =
	    hrw_check_name(hrw_text(json_name(pool)), c->limits->name_bytes, HRW_BAD_POOL, fault);

	if (rc < 0)
		return pool_fault(pool, rc, fault);
	m = document_pool_read(pool, c->limits, &max_moved, fault);
	if (m == NULL)
		return (int)fault->error;
	rc = hrw_membership_freeze(m, c->limits, fault);
	hrw_membership_free(m);
	return rc < 0 ? pool_fault(pool, rc, fault) : 0;
}

static int
read_pools(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	if (json_type(j) != JSON_OBJECT)
		return mistyped(option, j, fault);
	json_each (pool, j) {
		int rc = check_pool(c, pool, fault);

		if (rc < 0)
			return rc;
	}
	c->pools = j;
	return 0;
}

static const char *const levels[] = {"error", "warn", "info", "debug", NULL};
static const char *const formats[] = {"text", "json", NULL};

#define AT(member)                                                                                 \
	.offset = offsetof(struct config, member), .size = sizeof((struct config){0}.member)
#define COUNT(called, reader, least, most, standard, text)                                         \
	.section = "limits", .name = (called), .type = "a whole number", .initial = (standard),    \
	.help = (text), .read = (reader), .min = (least), .max = (most)
#define LIMIT(called, member, least, most, standard, text)                                         \
	{                                                                                          \
		COUNT(called, read_count, least, most, standard, text), AT(member)                 \
	}
#define LIVE(called, member, least, most, standard, text)                                          \
	{                                                                                          \
		COUNT(called, read_count, least, most, standard, text), AT(member),                \
		    .reloads = true                                                                \
	}
/* A connection's buffer is made for key_bytes at the start. */
#define CORE(member, most, standard, text, live)                                                   \
	{                                                                                          \
		COUNT(#member, read_limit, 1, most, standard, text),                               \
		    .offset = offsetof(struct hrw_limits, member), .reloads = (live)               \
	}

#define ADDRESSES                                                                                  \
	"an address (host:port, [v6]:port, unix:/path), {\"address\":…} with \"mode\" and "      \
	"\"group\" of a unix socket or \"tls\":false, a list of them, or \"off\""

/* Rows of a section stand together. Limits come before what they bind. */
const struct config_option config_options[] = {
    {"listen", "lookup", ADDRESSES, "\"127.0.0.1:7070\"", "where reads are answered",
	read_addresses, AT(lookup)},
    {"listen", "admin", ADDRESSES, "\"127.0.0.1:7071\"",
	"where changes are taken too: loopback or a unix socket, or with auth.tokens anywhere",
	read_addresses, AT(admin)},
    {"listen", "hosts", "a list of host names", "[]",
	"further names that the Host header may have on the admin listener", .read = read_hosts},
    {NULL, "workers", "\"auto\" or a whole number from 1 to 64", "\"auto\"",
	"lookup event loops; auto: the CPUs it may use, at most 16", read_workers, AT(workers), 1,
	WORKERS_MAX},
    {"store", "path", "the path of an SQLite file", NULL,
	"memberships, history and plans; $STATE_DIRECTORY/hrwd.db or ./hrwd.db when left out",
	.read = read_store_path},
    {"store", "create", "true or false", "true", "make the file where it is missing", read_flag,
	AT(store_create)},
    {"store", "file", "the path of a JSON file", NULL,
	"instead of \"path\": a file with \"pools\", followed and never written",
	.read = read_store_file},
    CORE(nodes, HRW_NODES_MAX, "64", "nodes of a pool", true),
    CORE(key_bytes, HRW_KEY_BYTES_MAX, "256", "bytes of a key", false),
    CORE(copies, HRW_COPIES_MAX, "8", "copies of a key", true),
    CORE(name_bytes, HRW_NAME_BYTES_MAX, "32", "bytes of a name", true),
    LIVE("json_bytes", json_bytes, 1024, 1 << 28, "4194304", "bytes of a JSON body"),
    LIVE("body_bytes", body_bytes, 1024, UINT64_C(1) << 40, "67108864",
	"bytes of a list of keys, where it is not a key set"),
    LIVE("keys", keys, 1, UINT64_C(10000000000), "20000000", "keys of a pool's key set"),
    LIMIT("parameters", parameters, 1, 1000, "64", "query parameters of a request"),
    LIMIT("connections", connections, 1, 1000000, "10000",
	"connections to a listener; half of them may wait for a change"),
    LIMIT("connections_per_address", connections_per_address, 1, 1000000, "1000",
	"of them from one address; loopback and unix sockets are not counted"),
    LIMIT("idle_seconds", idle_seconds, 1, 86400, "60", "a connection without a request"),
    LIMIT("head_seconds", head_seconds, 1, 3600, "10", "for the whole head of a request"),
    LIMIT("body_seconds", body_seconds, 1, 86400, "300", "for the whole body of a request"),
    LIVE("plans", plans, 1, 1000000, "1000", "plans that are kept"),
    LIVE("running_plans", running_plans, 1, 64, "2", "plans computed at once"),
    LIMIT("running_uploads", running_uploads, 1, 64, "4", "key sets changed at once"),
    LIVE("running_lists", running_lists, 1, 1000, "16",
	"key sets, and single changes of plans, sent at once"),
    LIVE("history", history, 1, 10000000, "10000", "changes that are kept"),
    {"auth", "tokens", "the path of a file, or null", "null",
	"lines: name role sha256-of-token [pool patterns]; with it the admin listener asks for "
	"tokens",
	read_path, AT(tokens_path), .reloads = true},
    {"auth", "lookup", "true or false", "false", "ask for tokens on the lookup listener, too",
	read_live_flag, AT(auth_lookup), .reloads = true},
    {"tls", "certificate", "the path of a file, or null", "null",
	"the certificate, and those that lead from it to its root, in PEM", read_path,
	AT(certificate), .reloads = true},
    {"tls", "key", "the path of a file, or null", "null", "its private key, in PEM", read_path,
	AT(key), .reloads = true},
    {"tls", "client_ca", "the path of a file, or null", "null",
	"whose certificates clients must show, in PEM; null: none is asked for", read_path,
	AT(client_ca), .reloads = true},
    {"log", "level", "\"error\", \"warn\", \"info\" or \"debug\"", "\"info\"",
	"the least important lines that are written", read_log_level, .choices = levels,
	.reloads = true},
    {"log", "format", "\"text\" or \"json\"", "\"text\"", "how they are written, to stderr",
	read_log_format, .choices = formats, .reloads = true},
    {"log", "access", "true or false", "false", "a line for each request, too, whatever the level",
	read_live_flag, AT(log_access), .reloads = true},
    {NULL, "secrets", "the path of a folder, or null", "null",
	"where the secret files of rendezvous-keyed are, which pools name without a path",
	read_secrets, AT(secrets)},
    {NULL, "default_pool", "the name of a pool", "\"default\"",
	"the pool of a request that names none", .read = read_default_pool},
    {NULL, "pools", "an object of pools", NULL,
	"pools by name: they seed what the store does not know", .read = read_pools},
    {.name = NULL},
};

void
config_values_fini(struct config *c)
{
	struct config_limits *limits;
	struct tokens *tokens;
	struct tls *tls;

	addresses_fini(&c->lookup);
	addresses_fini(&c->admin);
	hosts_fini(c);
	while ((limits = c->all_limits) != NULL) {
		c->all_limits = limits->older;
		free(limits);
	}
	free(c->store_path);
	free(c->default_pool);
	free(c->certificate);
	free(c->key);
	free(c->client_ca);
	free(c->secrets);
	while ((tls = atomic_load(&c->tls)) != NULL) {
		atomic_store(&c->tls, tls->older);
		tls_free(tls);
	}
	free(c->tokens_path);
	while ((tokens = atomic_load(&c->tokens)) != NULL) {
		atomic_store(&c->tokens, tokens->older);
		tokens_free(tokens);
	}
}
