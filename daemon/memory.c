/*
 * memory.c - a look at the heap now and then, and a trim where it would help.
 *
 * (Measured after four minutes of everything at once, 5 MiB being in use throughout:
 * 39 MiB were resident and rising with glibc's heap a thread, 30 and rising with one
 * heap alone or trims alone, 20 and rising by half a MiB a minute with both. That is
 * the caches of threads: up to 240 KiB each, in pieces that lie all over the heap.
 * Without them it is 15, and flat; lookups cost the same. jemalloc took 42, with one
 * heap and no caches 18. Neither smaller caches of SQLite's nor another threshold for
 * mmap changed anything, nor did M_MXFAST.)
 *
 * Those caches are a tunable of glibc's, which it reads from GLIBC_TUNABLES when a
 * program starts; mallopt() has none for it. Whoever starts the daemon sets it: the
 * unit, the image, `make run`. (Tried: to set it and start anew by /proc/self/exe. That
 * is another program under a loader, and no program at all without a /proc.)
 */
#include <malloc.h>

#include "daemon/memory.h"
#include "daemon/metrics/process.h"

enum {
	LOOK_MS = 2000,
	SLACK = 512 << 10, /* bytes that are not worth a trim */
};

#ifdef __GLIBC__

void
memory_prepare(void)
{
	/* Lookups allocate nothing and most other threads wait for a disk: nobody
	 * needs a heap of its own. */
	mallopt(M_ARENA_MAX, 1);
}

/* Bytes that are resident beyond those that somebody asked for. */
static uint64_t
kept_now(void)
{
	const struct mallinfo2 heap = mallinfo2();
	uint64_t used = heap.uordblks + heap.hblkhd, resident = process_resident();

	return resident > used ? resident - used : 0;
}

/* On the libuv pool: where much was let go, it takes milliseconds. */
static void
trim(uv_work_t *work)
{
	(void)work;
	malloc_trim(0);
}

#else

void
memory_prepare(void)
{
}

static uint64_t
kept_now(void)
{
	return 0;
}

static void
trim(uv_work_t *work)
{
	(void)work;
}

#endif

static void
trimmed(uv_work_t *work, int status)
{
	struct memory *m = work->data;

	(void)status;
	m->is_trimming = false;
	m->kept = kept_now();
}

static void
look(uv_timer_t *timer)
{
	struct memory *m = timer->data;
	uint64_t kept = kept_now();

	if (m->is_trimming)
		return;
	/* What was seen during work, when much was let go since the trim, is too much. */
	m->kept = kept < m->kept ? kept : m->kept;
	if (kept - m->kept >= SLACK)
		m->is_trimming = uv_queue_work(timer->loop, &m->work, trim, trimmed) == 0;
}

void
memory_init(struct memory *m, uv_loop_t *loop)
{
	*m = (struct memory){0};
	uv_timer_init(loop, &m->timer);
	m->timer.data = m->work.data = m;
}

void
memory_start(struct memory *m)
{
	trim(&m->work);
	m->kept = kept_now();
	uv_timer_start(&m->timer, look, LOOK_MS, LOOK_MS);
}
