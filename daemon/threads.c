/*
 * threads.c - which limit it was is found by elimination: pthread_create() says EAGAIN
 * for all of them.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <uv.h>

#include "daemon/base/cgroup.h"
#include "daemon/base/log.h"
#include "daemon/members/report.h"
#include "daemon/notify.h"
#include "daemon/threads.h"

enum {
	FREE = 6, /* of the pool, for what is short */
	GROUP = 4096,
	STACK_BYTES = 8 << 20, /* where ulimit -s sets none */
	POOL_MAX = 1024,       /* libuv takes no larger one */
};

/* Reports and uploads hold threads of the pool for long, and changes must not wait
 * behind them. */
static size_t
pool_size(const struct config *c)
{
	return reports_threads(&c->members) + c->running_uploads + FREE;
}

/* The same, or what the environment asks for if that is more. */
static size_t
pool_asked(const struct config *c)
{
	const char *outside = getenv("UV_THREADPOOL_SIZE");
	long asked = outside != NULL ? strtol(outside, NULL, 10) : 0;
	size_t size = pool_size(c);

	size = asked > 0 && (size_t)asked > size ? (size_t)asked : size;
	return size < POOL_MAX ? size : POOL_MAX;
}

/* Is there no room for a thread's stack? */
static bool
is_memory_short(void)
{
	struct rlimit stack = {STACK_BYTES, STACK_BYTES};
	size_t bytes;
	void *room;

	getrlimit(RLIMIT_STACK, &stack);
	bytes = stack.rlim_cur == RLIM_INFINITY ? STACK_BYTES : (size_t)stack.rlim_cur;
	room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (room == MAP_FAILED)
		return true;
	munmap(room, bytes);
	return false;
}

struct full {
	char folder[GROUP];
	long most; /* 0: no group is full */
};

static void
see_full(const char *folder, void *arg)
{
	struct full *full = arg;
	char most[32], now[32];

	if (full->most > 0 || !cgroup_line(folder, "pids.max", most, sizeof(most)) ||
	    !cgroup_line(folder, "pids.current", now, sizeof(now)) || most[0] == 'm' ||
	    atol(now) < atol(most))
		return;
	full->most = atol(most);
	snprintf(full->folder, sizeof(full->folder), "%s", folder);
}

int
threads_fault(const struct config *c, struct hrw_fault *fault)
{
	struct rlimit processes = {RLIM_INFINITY, RLIM_INFINITY}, space = processes;
	struct full full = {.most = 0};
	size_t workers = c->http.lookup.count > 0 ? c->http.workers : 0;
	char why[HRW_FAULT_DETAIL / 2];

	getrlimit(RLIMIT_NPROC, &processes);
	getrlimit(RLIMIT_AS, &space);
	cgroup_walk("pids", see_full, &full);
	if (is_memory_short() && space.rlim_cur != RLIM_INFINITY)
		snprintf(why, sizeof(why),
		    "its address space may have %llu MiB: raise ulimit -v (LimitAS= of a unit)",
		    (unsigned long long)space.rlim_cur >> 20);
	else if (is_memory_short())
		snprintf(why, sizeof(why), "there is no memory for their stacks: lower ulimit -s");
	else if (full.most > 0)
		snprintf(why, sizeof(why),
		    "its control group may have %ld: raise pids.max of %.160s (TasksMax= of a "
		    "unit, "
		    "--pids-limit of a container)",
		    full.most, full.folder);
	else if (geteuid() != 0 && processes.rlim_cur != RLIM_INFINITY)
		snprintf(why, sizeof(why),
		    "user %ld may have %llu in all: raise ulimit -u (LimitNPROC= of a unit)",
		    (long)geteuid(), (unsigned long long)processes.rlim_cur);
	else
		snprintf(why, sizeof(why),
		    "the system has no more: raise kernel.threads-max or kernel.pid_max");
	return hrw_fault(fault, HRW_INTERNAL,
	    "the %zu threads that hrwd needs (%zu for lookups, %zu for plans, uploads and the "
	    "store) cannot be made: %s",
	    pool_asked(c) + workers, workers, pool_asked(c), why);
}

/* Of the start, for the handler. */
static const struct config *starting;

/* abort() raises the signal on the thread that calls it, which is in libuv, waits for
 * nobody and holds no lock: any function may be called here. Nothing of libuv's may be
 * used any more, though, and exit() would. */
static void
end_start(int signal)
{
	struct hrw_fault fault = {0};

	(void)signal;
	threads_fault(starting, &fault);
	notify_status(fault.detail);
	log_last_words(&fault);
	_exit(EXIT_FAILURE);
}

static void
do_nothing(uv_work_t *work)
{
	(void)work;
}

static void
did_nothing(uv_work_t *work, int status)
{
	(void)work;
	(void)status;
}

/* With the first work, which libuv waits for until each thread has begun. */
static int
make_pool(const struct config *c, struct hrw_fault *fault)
{
	struct sigaction ours = {.sa_handler = end_start}, before;
	uv_work_t work;
	uv_loop_t loop;
	int rc;

	if (uv_loop_init(&loop) < 0)
		return hrw_fault(fault, HRW_INTERNAL, "no event loop can be made");
	starting = c;
	sigaction(SIGABRT, &ours, &before);
	rc = uv_queue_work(&loop, &work, do_nothing, did_nothing);
	sigaction(SIGABRT, &before, NULL);
	starting = NULL;
	uv_run(&loop, UV_RUN_DEFAULT);
	uv_loop_close(&loop);
	return rc < 0 ? hrw_fault(fault, HRW_INTERNAL, "no work can be begun") : 0;
}

static void
set_pool_size(const struct config *c)
{
	char text[24];

	snprintf(text, sizeof(text), "%zu", pool_asked(c));
	setenv("UV_THREADPOOL_SIZE", text, 1);
}

/* Stays until the door is opened. */
static void *
stay(void *door)
{
	pthread_mutex_lock(door);
	pthread_mutex_unlock(door);
	return NULL;
}

static bool
can_be_made(size_t count)
{
	pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
	pthread_t *thread = calloc(count + 1, sizeof(*thread));
	size_t made = 0;

	if (thread == NULL)
		return false;
	pthread_mutex_lock(&door);
	while (made < count && pthread_create(&thread[made], NULL, stay, &door) == 0)
		made++;
	pthread_mutex_unlock(&door);
	for (size_t i = 0; i < made; i++)
		pthread_join(thread[i], NULL);
	free(thread);
	return made == count;
}

int
threads_make(const struct config *c, struct hrw_fault *fault)
{
	int rc;

	set_pool_size(c);
	rc = make_pool(c, fault);
	if (rc == 0 && c->http.lookup.count > 0 && !can_be_made(c->http.workers))
		rc = threads_fault(c, fault);
	return rc;
}
