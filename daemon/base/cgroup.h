/*
 * cgroup.h - the limits that a container or a service manager sets for this process.
 *
 * Sources: Linux Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/; proc(5),
 * /proc/[pid]/cgroup.
 */
#ifndef HRWD_BASE_CGROUP_H
#define HRWD_BASE_CGROUP_H

#include <stdbool.h>

/* Sees the folder of this process's control group and of each one above it, as far up
 * as the process may look: of version 2, and of version 1's `controller`. A folder may
 * be missing. */
void cgroup_walk(const char *controller, void (*see)(const char *folder, void *arg), void *arg);

/* The first line of a file there without its LF; false where there is none. */
bool cgroup_line(const char *folder, const char *file, char *line, int size);

#endif
