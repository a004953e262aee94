/*
 * cpus.c - affinity says which CPUs, a cgroup's quota how much time on them.
 *
 * Sources: sched_getaffinity(2); Linux Documentation/admin-guide/cgroup-v2.rst,
 * cpu.max; cgroup-v1 cpu.cfs_quota_us.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/cpus.h"

enum { PATH_BYTES = 4096 };

/* The first line of a file without its LF; false when there is none. */
static bool
read_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "re");
	bool is_there;

	if (file == NULL)
		return false;
	is_there = fgets(line, size, file) != NULL;
	fclose(file);
	if (is_there)
		line[strcspn(line, "\n")] = '\0';
	return is_there;
}

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

/* The least quota of our own group and those above it; 0: none. */
static unsigned
quota_v2(void)
{
	char line[PATH_BYTES], group[PATH_BYTES] = "", path[2 * PATH_BYTES];
	FILE *groups = fopen("/proc/self/cgroup", "re");
	unsigned least = 0;

	if (groups == NULL)
		return 0;
	while (fgets(line, sizeof(line), groups) != NULL)
		if (strncmp(line, "0::", 3) == 0)
			snprintf(
			    group, sizeof(group), "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
	fclose(groups);
	for (;;) {
		long long quota, period;

		snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpu.max", group);
		if (read_line(path, line, sizeof(line)) &&
		    sscanf(line, "%lld %lld", &quota, &period) == 2)
			least = smaller(least, cpus_of(quota, period));
		if (group[0] == '\0')
			return least;
		*strrchr(group, '/') = '\0';
	}
}

static unsigned
quota_v1(void)
{
	char line[64];
	long long quota, period;

	if (!read_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", line, sizeof(line)) ||
	    sscanf(line, "%lld", &quota) != 1)
		return 0;
	if (!read_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", line, sizeof(line)) ||
	    sscanf(line, "%lld", &period) != 1)
		return 0;
	return cpus_of(quota, period);
}

unsigned
cpus_usable(void)
{
	cpu_set_t set;
	unsigned count = 0;

	if (sched_getaffinity(0, sizeof(set), &set) == 0) {
		count = (unsigned)CPU_COUNT(&set);
	} else {
		long online = sysconf(_SC_NPROCESSORS_ONLN);

		count = online > 0 ? (unsigned)online : 1;
	}
	count = smaller(count, smaller(quota_v2(), quota_v1()));
	return count == 0 ? 1 : count;
}
