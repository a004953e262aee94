/*
 * options.c - the table of options.
 */
#include <stdlib.h>

#include "daemon/config/private.h"

enum { WORKERS_MAX = 64 };

static const char *const levels[] = {"error", "warn", "info", "debug", NULL};
static const char *const formats[] = {"text", "json", NULL};

#define AT(member)                                                                                 \
	.offset = offsetof(struct config, member), .size = sizeof((struct config){0}.member)
#define COUNT(called, reader, least, most, standard, text)                                         \
	.section = "limits", .name = (called), .type = "a whole number", .initial = (standard),    \
	.help = (text), .read = (reader), .min = (least), .max = (most)
#define LIMIT(called, member, least, most, standard, text)                                         \
	{                                                                                          \
		COUNT(called, config_read_count, least, most, standard, text), AT(member)          \
	}
#define LIVE(called, member, least, most, standard, text)                                          \
	{                                                                                          \
		COUNT(called, config_read_count, least, most, standard, text), AT(member),         \
		    .reloads = true                                                                \
	}
/* A connection's buffer is made for key_bytes at the start. */
#define CORE(member, most, standard, text, live)                                                   \
	{                                                                                          \
		COUNT(#member, config_read_limit, 1, most, standard, text),                        \
		    .offset = offsetof(struct hrw_limits, member), .reloads = (live)               \
	}

#define ADDRESSES                                                                                  \
	"an address (host:port, [v6]:port, unix:/path), {\"address\":…} with \"mode\" and "      \
	"\"group\" of a unix socket or \"tls\":false, a list of them, or \"off\""

/* Rows of a section stand together. Limits come before what they bind. */
const struct config_option config_options[] = {
    {"listen", "lookup", ADDRESSES, "\"127.0.0.1:7070\"", "where reads are answered",
	config_read_addresses, AT(http.lookup)},
    {"listen", "admin", ADDRESSES, "\"127.0.0.1:7071\"",
	"where changes are taken too: loopback or a unix socket, or with auth.tokens anywhere",
	config_read_addresses, AT(http.admin)},
    {"listen", "hosts", "a list of host names", "[]",
	"further names that the Host header may have on the admin listener",
	.read = config_read_hosts},
    {NULL, "workers", "\"auto\" or a whole number from 1 to 64", "\"auto\"",
	"lookup event loops; auto: the CPUs it may use, at most 16", config_read_workers,
	AT(http.workers), 1, WORKERS_MAX},
    {"store", "path", "the path of an SQLite file", NULL,
	"memberships, history and plans; $STATE_DIRECTORY/hrwd.db or ./hrwd.db when left out",
	.read = config_read_store_path},
    {"store", "create", "true or false", "true", "make the file where it is missing",
	config_read_flag, AT(store_create)},
    {"store", "file", "the path of a JSON file", NULL,
	"instead of \"path\": a file with \"pools\", followed and never written",
	.read = config_read_store_file},
    {"store", "allow_empty", "true or false", "false",
	"take such a file without pools, and pools in it without nodes", config_read_live_flag,
	AT(allow_empty), .reloads = true},
    CORE(nodes, HRW_NODES_MAX, "64", "nodes of a pool", true),
    CORE(key_bytes, HRW_KEY_BYTES_MAX, "256", "bytes of a key", false),
    CORE(copies, HRW_COPIES_MAX, "8", "copies of a key", true),
    CORE(name_bytes, HRW_NAME_BYTES_MAX, "32", "bytes of a name", true),
    LIVE("json_bytes", http.json_bytes, 1024, 1 << 28, "4194304", "bytes of a JSON body"),
    LIVE("body_bytes", http.body_bytes, 1024, UINT64_C(1) << 40, "67108864",
	"bytes of a list of keys, where it is not a key set"),
    LIVE("keys", keys, 1, UINT64_C(10000000000), "20000000", "keys of a pool's key set"),
    LIMIT("parameters", http.parameters, 1, 1000, "64", "query parameters of a request"),
    LIMIT("connections", http.connections, 1, 1000000, "10000",
	"connections to a listener; half of them may wait for a change"),
    LIMIT("connections_per_address", http.connections_per_address, 1, 1000000, "1000",
	"of them from one address; loopback and unix sockets are not counted"),
    LIMIT("idle_seconds", http.idle_seconds, 1, 86400, "60", "a connection without a request"),
    LIMIT("head_seconds", http.head_seconds, 1, 3600, "10", "for the whole head of a request"),
    LIMIT("body_seconds", http.body_seconds, 1, 86400, "300", "for the whole body of a request"),
    LIVE("stop_seconds", http.stop_seconds, 0, 3600, "10",
	"for the requests under way when the daemon is told to stop"),
    LIVE("plans", members.plans, 1, 1000000, "1000", "plans that are kept"),
    LIVE("running_plans", members.running_plans, 1, 64, "2", "plans computed at once"),
    LIMIT("running_uploads", running_uploads, 1, 64, "4", "key sets changed at once"),
    LIVE("running_lists", running_lists, 1, 1000, "16",
	"key sets, and single changes of plans, sent at once"),
    LIVE("history", members.history, 1, 10000000, "10000", "changes that are kept"),
    {"auth", "tokens", "the path of a file, or null", "null",
	"lines: name role sha256-of-token [pool patterns]; with it the admin listener asks for "
	"tokens",
	config_read_path, AT(tokens_path), .reloads = true},
    {"auth", "lookup", "true or false", "false", "ask for tokens on the lookup listener, too",
	config_read_live_flag, AT(http.auth_lookup), .reloads = true},
    {"tls", "certificate", "the path of a file, or null", "null",
	"the certificate, and those that lead from it to its root, in PEM", config_read_path,
	AT(certificate), .reloads = true},
    {"tls", "key", "the path of a file, or null", "null", "its private key, in PEM",
	config_read_path, AT(key), .reloads = true},
    {"tls", "client_ca", "the path of a file, or null", "null",
	"whose certificates clients must show, in PEM; null: none is asked for", config_read_path,
	AT(client_ca), .reloads = true},
    {"log", "level", "\"error\", \"warn\", \"info\" or \"debug\"", "\"info\"",
	"the least important lines that are written", config_read_log_level, .choices = levels,
	.reloads = true},
    {"log", "format", "\"text\" or \"json\"", "\"text\"", "how they are written, to stderr",
	config_read_log_format, .choices = formats, .reloads = true},
    {"log", "access", "true or false", "false", "a line for each request, too, whatever the level",
	config_read_live_flag, AT(http.log_access), .reloads = true},
    {NULL, "secrets", "the path of a folder, or null", "null",
	"where the secret files of rendezvous-keyed are, which pools name without a path",
	config_read_secrets, AT(secrets)},
    {NULL, "default_pool", "the name of a pool", "\"default\"",
	"the pool of a request that names none", .read = config_read_default_pool},
    {NULL, "pools", "an object of pools", NULL,
	"pools by name: they seed what the store does not know", .read = config_read_pools},
    {.name = NULL},
};

void
config_values_fini(struct config *c)
{
	config_addresses_fini(&c->http.lookup);
	config_addresses_fini(&c->http.admin);
	config_hosts_fini(c);
	config_limits_fini(c);
	free(c->members.store_path);
	free(c->members.default_pool);
	free(c->certificate);
	free(c->key);
	free(c->client_ca);
	free(c->secrets);
	free(c->tokens_path);
}
