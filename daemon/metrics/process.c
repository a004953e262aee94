/*
 * process.c - Linux's own figures, from /proc.
 */
#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon/metrics/process.h"

static uint64_t
time_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_usec * 1000;
}

static uint64_t
count_entries(const char *path)
{
	DIR *folder = opendir(path);
	uint64_t count = 0;

	if (folder == NULL)
		return 0;
	for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
		count += entry->d_name[0] != '.';
	closedir(folder);
	return count;
}

static void
read_memory(struct process *out)
{
	FILE *file = fopen("/proc/self/statm", "re");
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned long long size, resident;

	if (file == NULL)
		return;
	if (fscanf(file, "%llu %llu", &size, &resident) == 2) {
		out->virtual_bytes = size * page;
		out->resident_bytes = resident * page;
	}
	fclose(file);
}

uint64_t
process_resident(void)
{
	struct process now = {0};

	read_memory(&now);
	return now.resident_bytes;
}

void
process_read(struct process *out)
{
	struct rusage usage;
	struct rlimit files;

	*out = (struct process){0};
	if (getrusage(RUSAGE_SELF, &usage) == 0)
		out->cpu_ns = time_ns(&usage.ru_utime) + time_ns(&usage.ru_stime);
	read_memory(out);
	out->open_fds = count_entries("/proc/self/fd");
	if (out->open_fds > 0)
		out->open_fds--; /* the folder itself */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0)
		out->max_fds = files.rlim_cur;
	out->threads = count_entries("/proc/self/task");
}
