/*
 * cpus.h - how many CPUs this process may use.
 */
#ifndef HRWD_BASE_CPUS_H
#define HRWD_BASE_CPUS_H

/* The CPUs of its affinity, fewer where a cgroup's quota (v2, or v1) grants
 * less time than that, rounded up; 1 at least. */
unsigned cpus_usable(void);

#endif
