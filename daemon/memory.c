/*
 * memory.c - a look at the heap now and then, and a trim where it would help.
 *
 * (Measured after three to five minutes of everything at once, 5 MiB being in use
 * throughout: 39 MiB were resident and rising with glibc's heap a thread, 30 and
 * rising with one heap alone or trims alone, 20 with both; jemalloc took 42. Neither
 * smaller caches of SQLite's nor another threshold for mmap changed that.)
 */
#include <malloc.h>

#include "daemon/memory.h"
#include "daemon/process.h"

enum {
	LOOK_MS = 2000,
	SLACK = 512 << 10, /* bytes that are not worth a trim */
};

#ifdef __GLIBC__

void
memory_prepare(void)
{
	/* Lookups allocate nothing and most other threads wait for a disk: nobody
	 * needs a heap of his own. */
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
	/* What was seen amid work, when much was let go since the trim, is too much. */
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
