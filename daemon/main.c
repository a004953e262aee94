/*
 * main.c - flags, one row each; then the daemon.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "daemon/config.h"
#include "daemon/loop.h"
#include "daemon/notify.h"

enum { EXIT_USAGE = 2 };

/* What the flags say; texts are argv's. */
struct flags {
	const char *config, *lookup, *admin, *store;
	bool is_check, is_version, is_help;
};

struct flag {
	const char *name, *argument; /* argument NULL: takes none */
	size_t offset;		     /* in struct flags: a text, or a truth */
	const char *help;
};

static const struct flag flags[] = {
    {"config", "FILE", offsetof(struct flags, config), "read the configuration from FILE"},
    {"check", NULL, offsetof(struct flags, is_check),
	"say what is wrong with the configuration, and start nothing"},
    {"lookup", "ADDR", offsetof(struct flags, lookup),
	"answer reads on ADDR: host:port, [v6]:port, unix:/path or off"},
    {"admin", "ADDR", offsetof(struct flags, admin), "take changes on ADDR"},
    {"store", "PATH", offsetof(struct flags, store), "keep memberships in the SQLite file PATH"},
    {"version", NULL, offsetof(struct flags, is_version), "print the version"},
    {"help", NULL, offsetof(struct flags, is_help), "print this, and every option of FILE"},
};

enum { FLAG_COUNT = sizeof(flags) / sizeof(flags[0]) };

static void
print_help(void)
{
	struct buffer text = {0};

	buffer_add_text(&text, "usage: hrwd");
	for (size_t i = 0; i < FLAG_COUNT; i++)
		buffer_printf(&text, " [--%s%s%s]", flags[i].name,
		    flags[i].argument == NULL ? "" : " ",
		    flags[i].argument == NULL ? "" : flags[i].argument);
	buffer_add_text(&text,
	    "\n\nAnswers which node of a cache fleet is home to a key, and plans "
	    "changes of the fleet.\n\n");
	for (size_t i = 0; i < FLAG_COUNT; i++)
		buffer_printf(&text, "  --%-8s%-5s %s\n", flags[i].name,
		    flags[i].argument == NULL ? "" : flags[i].argument, flags[i].help);
	buffer_add_text(&text,
	    "\nOptions of the configuration file (JSON with comments); flags win "
	    "over them:\n\n");
	config_help(&text);
	buffer_add_text(&text,
	    "\nSIGTERM and SIGINT finish the requests under way; SIGHUP reads the "
	    "file again.\n");
	fputs(buffer_text(&text), stdout);
	buffer_fini(&text);
}

/* 0, or EXIT_USAGE after getopt has said why. */
static int
read_flags(int argc, char **argv, struct flags *out)
{
	struct option options[FLAG_COUNT + 1] = {0};
	int code, at;

	for (size_t i = 0; i < FLAG_COUNT; i++) {
		options[i].name = flags[i].name;
		options[i].has_arg = flags[i].argument == NULL ? no_argument : required_argument;
	}
	while ((code = getopt_long(argc, argv, "", options, &at)) == 0) {
		char *member = (char *)out + flags[at].offset;

		if (flags[at].argument == NULL)
			*(bool *)member = true;
		else
			*(const char **)(void *)member = optarg;
	}
	if (code == -1 && optind == argc)
		return 0;
	if (code == -1)
		fprintf(stderr, "hrwd: %s is no flag\n", argv[optind]);
	fputs("hrwd: hrwd --help lists what there is\n", stderr);
	return EXIT_USAGE;
}

static struct config *
load(const struct flags *f, struct hrw_fault *fault)
{
	struct config *c = f->config == NULL ? config_new() : config_read(f->config, fault);
	int rc = 0;

	if (c == NULL) {
		if (f->config == NULL)
			hrw_fault(fault, HRW_INTERNAL, "no memory for the configuration");
		return NULL;
	}
	if (f->lookup != NULL)
		rc = config_set_lookup(c, f->lookup, fault);
	if (rc == 0 && f->admin != NULL)
		rc = config_set_admin(c, f->admin, fault);
	if (rc == 0 && f->store != NULL)
		rc = config_set_store(c, f->store, fault);
	if (rc == 0 && !f->is_check)
		rc = notify_take_sockets(c, fault);
	if (rc == 0)
		rc = config_check(c, fault);
	if (rc == 0)
		return c;
	config_free(c);
	return NULL;
}

int
main(int argc, char **argv)
{
	struct flags f = {0};
	struct hrw_fault fault = {0};
	struct config *c;
	int status = read_flags(argc, argv, &f);

	if (status != 0)
		return status;
	if (f.is_help || f.is_version) {
		if (f.is_help)
			print_help();
		else
			puts("hrwd " HRW_VERSION);
		return EXIT_SUCCESS;
	}
	/* Reports count on this pool, and changes must not wait behind them. */
	setenv("UV_THREADPOOL_SIZE", "24", 0);
	c = load(&f, &fault);
	if (c == NULL) {
		fprintf(stderr, "hrwd: %s\n", fault.detail);
		return EXIT_USAGE;
	}
	if (!f.is_check && loop_run(c, &fault) < 0) {
		fprintf(stderr, "hrwd: %s\n", fault.detail);
		status = EXIT_FAILURE;
	}
	config_free(c);
	uv_library_shutdown();
	return status;
}
