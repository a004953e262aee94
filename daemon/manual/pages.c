/*
 * pages.c - hrwd(8) and hrwd.json(5): the tables, and a few words between them.
 */
#include <stdio.h>

#include "daemon/config/config.h"
#include "daemon/config/flags.h"
#include "daemon/manual/manual.h"

/* Text as roff takes it: a hyphen that is typed is a minus, and no line is read
 * as a request. */
static void
put(struct buffer *out, const char *text)
{
	bool is_first = true;

	for (; *text != '\0'; text++) {
		if (is_first && (*text == '.' || *text == '\''))
			buffer_add_text(out, "\\&");
		if (*text == '\\')
			buffer_add_text(out, "\\e");
		else if (*text == '-')
			buffer_add_text(out, "\\-");
		else
			buffer_add(out, text, 1);
		is_first = *text == '\n';
	}
}

static void
line(struct buffer *out, const char *text)
{
	put(out, text);
	buffer_add_text(out, "\n");
}

static void
title(struct buffer *out, const char *name, int number, const char *manual)
{
	buffer_printf(
	    out, ".TH %s %d \"\" \"hrwd " HRW_VERSION "\" \"%s\"\n", name, number, manual);
}

static void
paragraph(struct buffer *out, const char *text)
{
	buffer_add_text(out, ".PP\n");
	line(out, text);
}

/* A paragraph that hangs on a bold word, with an italic one behind it. */
static void
item(struct buffer *out, const char *word, const char *argument, const char *text)
{
	buffer_add_text(out, ".TP\n\\fB");
	put(out, word);
	buffer_add_text(out, "\\fR");
	if (argument != NULL) {
		buffer_add_text(out, " \\fI");
		put(out, argument);
		buffer_add_text(out, "\\fR");
	}
	buffer_add_text(out, "\n");
	line(out, text);
}

static void
example(struct buffer *out, const char *command)
{
	buffer_add_text(out, ".PP\n.in +4n\n.EX\n");
	line(out, command);
	buffer_add_text(out, ".EE\n.in\n");
}

static void
put_flags(struct buffer *out)
{
	char word[32];

	for (const struct flag *f = flag_rows; f->name != NULL; f++) {
		snprintf(word, sizeof(word), "--%s", f->name);
		item(out, word, f->argument, f->help);
	}
}

void
pages_daemon(struct buffer *out)
{
	struct buffer usage = {0};

	flags_usage(&usage);
	title(out, "HRWD", 8, "System Administration");
	buffer_add_text(out, ".SH NAME\n");
	line(out, "hrwd - tells which cache node is home to a key");
	buffer_add_text(out, ".SH SYNOPSIS\n");
	line(out, buffer_text(&usage));
	buffer_fini(&usage);
	buffer_add_text(out, ".SH DESCRIPTION\n");
	line(out, "hrwd answers over HTTP which node of a cache fleet owns a key, which nodes hold "
		  "its copies, and where else a copy still is. Before a node joins, drains, "
		  "changes weight or leaves, it tells which keys lose and gain copies, each with "
		  "the node that a new copy can be made from.");
	paragraph(out, "Reads are answered on the lookup listener, changes on the admin listener "
		       "alone. GET /openapi.json lists every path, parameter and error code.");
	buffer_add_text(out, ".SH EXAMPLES\n");
	paragraph(out, "A daemon with an empty pool, its store in the current folder:");
	example(out, "hrwd");
	paragraph(out, "Is a configuration right? 0 where it is, else 2, and why:");
	example(out, "hrwd --config /etc/hrwd/hrwd.json --check");
	buffer_add_text(out, ".SH OPTIONS\n");
	put_flags(out);
	paragraph(out, "Flags win over the configuration file. Without one there is an empty pool "
		       "\"default\", and the defaults of hrwd.json(5).");
	buffer_add_text(out, ".SH SIGNALS\n");
	item(out, "SIGTERM, SIGINT", NULL,
	    "take no new connections, finish the requests under way, for limits.stop_seconds at "
	    "most, and end; streams of GET /watch, and who waits for a change, are ended at once. "
	    "A second one ends everything at once");
	item(out, "SIGHUP", NULL,
	    "reads the configuration again, and a plain-file store; the log says which options "
	    "cannot change while hrwd runs");
	buffer_add_text(out, ".SH EXIT STATUS\n");
	item(out, "0", NULL, "it ended as it was asked to, or --check found nothing wrong");
	item(out, "1", NULL, "it could not start; one line on stderr says why");
	item(out, "2", NULL, "the flags or the configuration are wrong");
	buffer_add_text(out, ".SH ENVIRONMENT\n");
	item(out, "STATE_DIRECTORY", NULL,
	    "the folder of the store, hrwd.db, where neither --store nor the file names one; "
	    "systemd sets it");
	item(out, "LISTEN_FDS, LISTEN_FDNAMES", NULL,
	    "sockets handed over by systemd, named \"lookup\" or \"admin\" "
	    "(FileDescriptorName=): they take the place of what the flags and the file say of "
	    "that listener");
	item(out, "GLIBC_TUNABLES", NULL,
	    "glibc.malloc.tcache_count=0 keeps memory flattest, by some 3 MiB under load; the "
	    "unit and the image set it");
	item(out, "NOTIFY_SOCKET, WATCHDOG_USEC", NULL,
	    "systemd is told of readiness, reloads and the end (Type=notify), and gets a sign of "
	    "life while the main loop and every lookup loop turn (WatchdogSec=)");
	item(out, "JOURNAL_STREAM", NULL,
	    "where stderr is the stream that it names, as systemd sets it, each line begins with "
	    "its level, as sd-daemon(3) has it");
	buffer_add_text(out, ".SH FILES\n");
	item(out, "/etc/hrwd/hrwd.json", NULL, "the configuration that the service runs with");
	item(out, "/var/lib/hrwd/hrwd.db", NULL,
	    "memberships, history and plans of the service; key sets are in hrwd-keys.db beside "
	    "it");
	buffer_add_text(out, ".SH SEE ALSO\n");
	line(out, "hrwd.json(5), hrwctl(1), systemd.socket(5)");
}

/* Options of one object; NULL: those that stand outermost. */
static void
put_section(struct buffer *out, const char *section)
{
	struct buffer text = {0};

	for (const struct config_option *o = config_options; o->name != NULL; o++) {
		if ((section == NULL) != (o->section == NULL) ||
		    (section != NULL && strcmp(section, o->section) != 0))
			continue;
		buffer_clear(&text);
		buffer_printf(&text, "%s.\nIt is ", o->help);
		config_describe(&text, o);
		buffer_add_text(
		    &text, o->reloads ? ". Read again on SIGHUP." : ". Changes with a restart.");
		item(out, o->name, NULL, buffer_text(&text));
	}
	buffer_fini(&text);
}

/* Of pools and nodes, whose readers are members/document*.c. tests/scripts/install.sh
 * holds the names to those of the schema. */
static const struct {
	const char *name, *text;
} pool_fields[] =
    {
	{"placement", "how keys are placed: a name, or an object with \"name\" and the placement's "
		      "parameters.\nDefault: rendezvous."},
	{"copies", "nodes that hold a key.\nDefault: 1."},
	{"nodes", "a list of nodes, each with the fields below."},
	{"max_moved",
	    "the largest part of the owners, from 0 to 1, that a change may move unforced; "
	    "null: any.\nDefault: null."},
	{"settles_after", "for caches that fill as they are read: seconds after which a membership "
			  "counts as settled; null: only when somebody says so.\nDefault: null."},
	{"max_ttl",
	    "the longest that any value lives, in seconds; null: not known.\nDefault: null."},
},
  node_fields[] = {
      {"name", "what it is called: it decides which keys it gets, so it stays."},
      {"address", "host:port; its change moves no key."},
      {"weight", "its share of the keys: 0, or from 1e-6 to 1e9.\nDefault: 1."},
      {"zone", "what fails together with it, such as a rack; copies stand in different zones.\n"
	       "Default: null, a zone of its own."},
      {"state", "active, joining or draining.\nDefault: active."},
      {"id", "a whole number that some placements go by.\nDefault: one that is free."},
      {"slots, tokens, reweight, healthy",
	  "what redis-cluster, cassandra-murmur3, ceph-straw2 and glb "
	  "know of a node."},
      {"hash_name", "what some placements hash instead of the name or address.\nDefault: as the "
		    "placement has it."},
};

static void
put_fields(struct buffer *out)
{
	buffer_add_text(out, ".SH POOLS\n");
	line(out, "Each member of \"pools\" is a pool by its name, with these fields:");
	for (size_t i = 0; i < sizeof(pool_fields) / sizeof(pool_fields[0]); i++)
		item(out, pool_fields[i].name, NULL, pool_fields[i].text);
	paragraph(out, "A node has these:");
	for (size_t i = 0; i < sizeof(node_fields) / sizeof(node_fields[0]); i++)
		item(out, node_fields[i].name, NULL, node_fields[i].text);
}

void
pages_config(struct buffer *out)
{
	const char *section = NULL;

	title(out, "HRWD.JSON", 5, "File Formats");
	buffer_add_text(out, ".SH NAME\n");
	line(out, "hrwd.json - the configuration of hrwd");
	buffer_add_text(out, ".SH DESCRIPTION\n");
	line(out, "One JSON object, in which // and /* */ comments may stand. A field that is not "
		  "known is an error, never ignored: hrwd --check says where it is, by line and "
		  "column, and what it could have meant.");
	paragraph(out,
	    "Pools stand in the file as they stand in the HTTP interface. They seed what "
	    "the store does not know yet: from then on the store is the truth, and a "
	    "restart never undoes a change made over HTTP.");
	buffer_add_text(out, ".SH EXAMPLE\n.EX\n");
	line(out, "{\n"
		  "  \"listen\": { \"lookup\": \"0.0.0.0:7070\" },   // the network may look up\n"
		  "  \"pools\": {\n"
		  "    \"default\": {\n"
		  "      \"copies\": 2,\n"
		  "      \"nodes\": [\n"
		  "        { \"name\": \"cache-a\", \"address\": \"10.0.0.1:11211\" },\n"
		  "        { \"name\": \"cache-b\", \"address\": \"10.0.0.2:11211\", \"weight\": 2 "
		  "}\n"
		  "      ]\n"
		  "    }\n"
		  "  }\n"
		  "}");
	buffer_add_text(out, ".EE\n.SH OPTIONS\n");
	put_section(out, NULL);
	for (const struct config_option *o = config_options; o->name != NULL; o++) {
		if (o->section == NULL || (section != NULL && strcmp(section, o->section) == 0))
			continue;
		section = o->section;
		buffer_printf(out, ".SS In \\(dq%s\\(dq\n", section);
		put_section(out, section);
	}
	put_fields(out);
	buffer_add_text(out, ".SH SEE ALSO\n");
	line(out, "hrwd(8), hrwctl(1)");
}
