/*
 * measure.c - short runs in turn, medians, and one format of lines.
 */
#include "tests/bench/core/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 31 };

static const double run_ns = 1e6;

double
cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int
by_value(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

double
median(double *list, size_t count)
{
	qsort(list, count, sizeof(*list), by_value);
	return count % 2 == 1 ? list[count / 2] : (list[count / 2 - 1] + list[count / 2]) / 2;
}

static double
time_of(struct contender *c, size_t times)
{
	double start = cpu_ns();

	c->run(c->with, times);
	return (cpu_ns() - start) / (double)times;
}

/* How many times fill a run; the caches are warm then. */
static size_t
times_for(struct contender *c)
{
	size_t times = 1;
	double ns;

	while ((ns = time_of(c, times)) * (double)times < run_ns / 4)
		times *= 4;
	return ns * (double)times >= run_ns ? times : (size_t)(run_ns / ns) + 1;
}

void
measure(struct contender *list, size_t count)
{
	static double took[CONTENDERS_MAX][ROUNDS];
	size_t times[CONTENDERS_MAX];

	for (size_t i = 0; i < count; i++)
		times[i] = times_for(&list[i]);
	for (size_t r = 0; r < ROUNDS; r++)
		for (size_t i = 0; i < count; i++)
			took[i][r] = time_of(&list[i], times[i]);
	for (size_t i = 0; i < count; i++)
		list[i].ns = median(took[i], ROUNDS);
}

void
row(const char *what, double figure, const char *unit, const char *beside, double ratio)
{
	printf("%-38s %10.4g %-14s %-34s %.3g\n", what, figure, unit, beside, ratio);
	fflush(stdout);
}

void
row_alone(const char *what, double figure, const char *unit, const char *remark)
{
	printf("%-38s %10.4g %-14s %s\n", what, figure, unit, remark);
	fflush(stdout);
}
