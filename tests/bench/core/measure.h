/*
 * measure.h - CPU time of things side by side, and the table they go into.
 *
 * A contender runs again and again in turn with the others, each time for one
 * millisecond, so that what disturbs the machine disturbs all of them; the
 * median of its runs counts. Time is the thread's CPU time.
 */
#ifndef TESTS_BENCH_MEASURE_H
#define TESTS_BENCH_MEASURE_H

#include <stddef.h>

struct contender {
	/* Does the thing `times` times. */
	void (*run)(void *with, size_t times);
	void *with;
	double ns; /* receives the median of one time */
};

enum { CONTENDERS_MAX = 16 };

/* Measures them beside one another, CONTENDERS_MAX at most. */
void measure(struct contender *list, size_t count);

/* CPU time of this thread in ns. */
double cpu_ns(void);

/* The middle of `count` numbers; sorts them. */
double median(double *list, size_t count);

/* One line of the table, as http.sh prints its own: what, how much, in what unit,
 * beside what, and the ratio of both. */
void row(const char *what, double figure, const char *unit, const char *beside, double ratio);

/* The same where there is nothing to compare with. */
void row_alone(const char *what, double figure, const char *unit, const char *remark);

#endif
