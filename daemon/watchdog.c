#include "daemon/watchdog.h"
#include "daemon/notify.h"

/* Signs in the time that the manager waits for one: one may be late. */
enum { SIGNS = 3 };

void
watchdog_init(struct watchdog *dog, uv_loop_t *loop)
{
	uv_timer_init(loop, &dog->timer);
	dog->timer.data = dog;
}

static void
look(uv_timer_t *timer)
{
	struct watchdog *dog = timer->data;

	for (size_t i = 0; i < dog->worker_count; i++)
		if (!worker_has_answered(dog->worker[i]))
			return;
	notify_alive();
	for (size_t i = 0; i < dog->worker_count; i++)
		worker_ask(dog->worker[i]);
}

void
watchdog_start(struct watchdog *dog, struct worker *const *worker, size_t count)
{
	uint64_t every = notify_watchdog_ms() / SIGNS;

	dog->worker = worker;
	dog->worker_count = count;
	if (every > 0)
		uv_timer_start(&dog->timer, look, 0, every);
}

void
watchdog_stop(struct watchdog *dog)
{
	uv_timer_stop(&dog->timer);
}
