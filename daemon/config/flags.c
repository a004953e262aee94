#include <getopt.h>
#include <stdio.h>

#include "daemon/config/config.h"
#include "daemon/config/flags.h"

enum { FLAGS_MAX = 32 };

const struct flag flag_rows[] = {
    {"config", "FILE", offsetof(struct flags, config), true, "read the configuration from FILE"},
    {"check", NULL, offsetof(struct flags, is_check), false,
	"say what is wrong with the configuration, and start nothing"},
    {"health", NULL, offsetof(struct flags, is_health), false,
	"ask the daemon that runs with these options whether it is ready, and start nothing"},
    {"lookup", "ADDR", offsetof(struct flags, lookup), false,
	"answer reads on ADDR: host:port, [v6]:port, unix:/path or off"},
    {"admin", "ADDR", offsetof(struct flags, admin), false, "take changes on ADDR"},
    {"store", "PATH", offsetof(struct flags, store), true,
	"keep memberships in the SQLite file PATH"},
    {"version", NULL, offsetof(struct flags, is_version), false, "print the version"},
    {"help", NULL, offsetof(struct flags, is_help), false, "print this, and every option of FILE"},
    {.name = NULL},
};

int
flags_read(int argc, char **argv, struct flags *out)
{
	struct option options[FLAGS_MAX] = {0};
	int code, at;

	for (size_t i = 0; flag_rows[i].name != NULL; i++) {
		options[i].name = flag_rows[i].name;
		options[i].has_arg =
		    flag_rows[i].argument == NULL ? no_argument : required_argument;
	}
	while ((code = getopt_long(argc, argv, "", options, &at)) == 0) {
		char *member = (char *)out + flag_rows[at].offset;

		if (flag_rows[at].argument == NULL)
			*(bool *)member = true;
		else
			*(const char **)(void *)member = optarg;
	}
	if (code == -1 && optind == argc)
		return 0;
	if (code == -1)
		fprintf(stderr, "hrwd: %s is no flag\n", argv[optind]);
	fputs("hrwd: hrwd --help lists what there is\n", stderr);
	return -1;
}

void
flags_usage(struct buffer *out)
{
	buffer_add_text(out, "hrwd");
	for (const struct flag *f = flag_rows; f->name != NULL; f++)
		buffer_printf(out, " [--%s%s%s]", f->name, f->argument == NULL ? "" : " ",
		    f->argument == NULL ? "" : f->argument);
}

void
flags_help(struct buffer *out)
{
	buffer_add_text(out, "usage: ");
	flags_usage(out);
	buffer_add_text(out, "\n\nAnswers which node of a cache fleet is home to a key, and plans "
			     "changes of the fleet.\n\n");
	for (const struct flag *f = flag_rows; f->name != NULL; f++)
		buffer_printf(out, "  --%-8s%-5s %s\n", f->name,
		    f->argument == NULL ? "" : f->argument, f->help);
	buffer_add_text(out, "\nOptions of the configuration file (JSON with comments); flags win "
			     "over them:\n\n");
	config_help(out);
	buffer_add_text(out, "\nHRW_KERNEL=portable|avx2|avx512 in the environment chooses how "
			     "nodes are scored;\nevery way gives the same answers.\n");
	buffer_add_text(out, "\nSIGTERM and SIGINT finish the requests under way; SIGHUP reads the "
			     "file again.\n");
}
