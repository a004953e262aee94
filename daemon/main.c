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
#include "daemon/base/sink.h"
#include "daemon/begin.h"
#include "daemon/config/config.h"
#include "daemon/config/flags.h"
#include "daemon/inspect.h"
#include "daemon/loop.h"
#include "daemon/members/report.h"
#include "daemon/memory.h"
#include "daemon/notify.h"
#include "daemon/probe.h"

enum {
	EXIT_USAGE = 2,
	THREADS_FREE = 6,    /* of the libuv pool, for what is short */
	LAST_WORDS_MS = 500, /* for a reader of stderr that is slow */
};

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

/* One line, whatever the configuration says of the log. */
static void
complain(const struct hrw_fault *fault)
{
	struct buffer line = {0};

	buffer_printf(&line, "%shrwd: %s\n", log_prefix(LOG_ERROR), fault->detail);
	sink_write(buffer_bytes(&line));
	buffer_fini(&line);
}

/* Every kernel answers alike: this is for tests, and for measuring. */
static int
choose_kernel(struct hrw_fault *fault)
{
	const char *name = getenv("HRW_KERNEL");

	return name == NULL ? 0 : hrw_kernel_choose(name, fault);
}

/* Reports and uploads hold threads of the libuv pool for long, and changes must
 * not wait behind them. */
static void
set_threads(const struct config *c)
{
	char count[24];

	snprintf(count, sizeof(count), "%zu",
	    reports_threads(&c->members) + c->running_uploads + THREADS_FREE);
	setenv("UV_THREADPOOL_SIZE", count, 0);
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
		memory_prepare(argv);
	if (choose_kernel(&fault) < 0 || (c = load(&f, &fault)) == NULL ||
	    (!f.is_health && inspect_pools(c, f.is_check, &fault) < 0)) {
		complain(&fault);
		if (c != NULL)
			config_free(c);
		sink_finish(LAST_WORDS_MS);
		return EXIT_USAGE;
	}
	set_threads(c);
	if (f.is_health)
		rc = probe_ready(c, &fault);
	else if (!f.is_check)
		rc = loop_run(c, &fault);
	if (rc < 0) {
		complain(&fault);
		status = EXIT_FAILURE;
	}
	config_free(c);
	uv_library_shutdown();
	sink_finish(LAST_WORDS_MS);
	return status;
}
