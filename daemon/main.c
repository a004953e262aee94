/*
 * main.c - what the flags ask for: mostly, to run the daemon.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "core/kernel.h"
#include "daemon/base/log.h"
#include "daemon/begin.h"
#include "daemon/config/config.h"
#include "daemon/config/flags.h"
#include "daemon/inspect.h"
#include "daemon/loop.h"
#include "daemon/memory.h"
#include "daemon/notify.h"
#include "daemon/probe.h"

enum { EXIT_USAGE = 2 };

static void
print_help(void)
{
	struct buffer text = {0};

	flags_help(&text);
	fputs(buffer_text(&text), stdout);
	buffer_fini(&text);
}

/* What was asked for must have been written. */
static int
end_output(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_SUCCESS;
	fprintf(stderr, "hrwd: the output cannot be written: %s\n", strerror(errno));
	return EXIT_FAILURE;
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
	if (rc == 0 && !f->is_check && !f->is_health)
		rc = notify_take_sockets(c, fault);
	if (rc == 0)
		rc = config_check(c, fault);
	if (rc == 0)
		return c;
	config_free(c);
	return NULL;
}

/* Every kernel answers alike: this is for tests, and for measuring. */
static int
choose_kernel(struct hrw_fault *fault)
{
	const char *name = getenv("HRW_KERNEL");

	return name == NULL ? 0 : hrw_kernel_choose(name, fault);
}

int
main(int argc, char **argv)
{
	struct flags f = {0};
	struct hrw_fault fault = {0};
	struct config *c = NULL;
	int status = EXIT_SUCCESS, rc = 0;

	if (begin() < 0) {
		fputs("hrwd: descriptors 0 to 2 are closed, and /dev/null cannot be opened in "
		      "their place\n",
		    stderr);
		return EXIT_FAILURE;
	}
	if (flags_read(argc, argv, &f) < 0)
		return EXIT_USAGE;
	if (f.is_help || f.is_version) {
		if (f.is_help)
			print_help();
		else
			puts("hrwd " HRW_VERSION);
		return end_output();
	}
	if (f.is_check || f.is_health)
		begin_signals();
	else
		memory_prepare();
	if (choose_kernel(&fault) < 0 || (c = load(&f, &fault)) == NULL ||
	    (!f.is_health && inspect_pools(c, f.is_check, &fault) < 0)) {
		log_last_words(&fault);
		if (c != NULL)
			config_free(c);
		return EXIT_USAGE;
	}
	if (f.is_health)
		rc = probe_ready(c, &fault);
	else if (!f.is_check)
		rc = loop_run(c, &fault);
	if (rc < 0) {
		log_last_words(&fault);
		status = EXIT_FAILURE;
	}
	config_free(c);
	uv_library_shutdown();
	log_finish();
	return status;
}
