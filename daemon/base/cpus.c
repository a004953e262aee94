/*
 * cpus.c - affinity says which CPUs, a cgroup's quota how much time on them.
 *
 * Sources: sched_getaffinity(2); Linux Documentation/admin-guide/cgroup-v2.rst,
 * cpu.max; cgroup-v1 cpu.cfs_quota_us.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/base/cgroup.h"
#include "daemon/base/cpus.h"

/* CPUs that so much time a period amounts to; 0: no quota. */
static unsigned
cpus_of(long long quota, long long period)
{
	if (quota <= 0 || period <= 0)
		return 0;
	return (unsigned)((quota + period - 1) / period);
}

static unsigned
smaller(unsigned a, unsigned b)
{
	if (a == 0 || b == 0)
		return a + b;
	return a < b ? a : b;
}

/* Keeps the least quota of our own group and those above it; 0: none. */
static void
see_quota(const char *folder, void *arg)
{
	unsigned *least = arg;
	char line[64];
	long long quota = 0, period = 0;

	if (cgroup_line(folder, "cpu.max", line, sizeof(line))) {
		if (sscanf(line, "%lld %lld", &quota, &period) != 2)
			return; /* "max" */
	} else if (cgroup_line(folder, "cpu.cfs_quota_us", line, sizeof(line))) {
		quota = atoll(line);
		if (cgroup_line(folder, "cpu.cfs_period_us", line, sizeof(line)))
			period = atoll(line);
	}
	*least = smaller(*least, cpus_of(quota, period));
}

unsigned
cpus_usable(void)
{
	cpu_set_t set;
	unsigned count = 0, quota = 0;

	if (sched_getaffinity(0, sizeof(set), &set) == 0) {
		count = (unsigned)CPU_COUNT(&set);
	} else {
		long online = sysconf(_SC_NPROCESSORS_ONLN);

		count = online > 0 ? (unsigned)online : 1;
	}
	cgroup_walk("cpu", see_quota, &quota);
	count = smaller(count, quota);
	return count == 0 ? 1 : count;
}
