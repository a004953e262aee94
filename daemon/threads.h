/*
 * threads.h - every thread is made before the daemon serves.
 *
 * libuv makes the threads of its pool at the first work, and aborts where it cannot:
 * a limit would end the daemon at its first change. Here it fails the start.
 */
#ifndef HRWD_THREADS_H
#define HRWD_THREADS_H

#include "daemon/config/config.h"

/* Makes the pool, as large as reports, uploads and the rest need; only a larger
 * UV_THREADPOOL_SIZE counts. Then finds out whether the workers' threads can be made
 * beside it. The first thing of a start: where the pool cannot be made, libuv leaves no
 * way back, so that the process says why and ends here with status 1.
 *   errors  INTERNAL with the limit's name: too few for the workers */
int threads_make(const struct config *config, struct hrw_fault *fault);

/* Why no thread could be made, with the limit's name. INTERNAL */
int threads_fault(const struct config *config, struct hrw_fault *fault);

#endif
