/*
 * process.h - what the process takes of the machine.
 */
#ifndef HRWD_METRICS_PROCESS_H
#define HRWD_METRICS_PROCESS_H

#include <stdint.h>

struct process {
	uint64_t cpu_ns; /* user and system */
	uint64_t resident_bytes, virtual_bytes;
	uint64_t open_fds, max_fds;
	uint64_t threads;
};

/* What cannot be read stays 0.
 *   cost  a few system calls, and a listing of the open descriptors */
void process_read(struct process *out);

/* Bytes that are in memory; 0 where that cannot be read. */
uint64_t process_resident(void);

#endif
