#include <stdio.h>
#include <string.h>

#include "daemon/base/cgroup.h"

#define ROOT "/sys/fs/cgroup"

enum { PATH_BYTES = 4096 };

bool
cgroup_line(const char *folder, const char *file, char *line, int size)
{
	char path[2 * PATH_BYTES];
	FILE *opened;
	bool is_there;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	opened = fopen(path, "re");
	if (opened == NULL)
		return false;
	is_there = fgets(line, size, opened) != NULL;
	fclose(opened);
	if (is_there)
		line[strcspn(line, "\n")] = '\0';
	return is_there;
}

/* Is `name` one of a list, as in "cpu,cpuacct"? */
static bool
is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (; *list != '\0'; list += strcspn(list, ","), list += *list == ',')
		if (strncmp(list, name, len) == 0 && (list[len] == ',' || list[len] == '\0'))
			return true;
	return false;
}

static void
see_all(const char *root, char *group, void (*see)(const char *folder, void *arg), void *arg)
{
	char folder[PATH_BYTES + 64];

	for (;;) {
		snprintf(
		    folder, sizeof(folder), "%s%s", root, strcmp(group, "/") == 0 ? "" : group);
		see(folder, arg);
		if (strrchr(group, '/') == NULL)
			return;
		*strrchr(group, '/') = '\0';
	}
}

void
cgroup_walk(const char *controller, void (*see)(const char *folder, void *arg), void *arg)
{
	char line[PATH_BYTES], root[64] = ROOT;
	FILE *groups = fopen("/proc/self/cgroup", "re");

	if (groups == NULL)
		return;
	while (fgets(line, sizeof(line), groups) != NULL) {
		/* "0::/GROUP" of version 2, "4:cpu,cpuacct:/GROUP" of version 1 */
		char *list = strchr(line, ':'),
		     *group = list != NULL ? strchr(list + 1, ':') : NULL;

		if (group == NULL)
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (list[1] != '\0' && !is_listed(list + 1, controller))
			continue;
		snprintf(root, sizeof(root), list[1] == '\0' ? ROOT : ROOT "/%s", controller);
		see_all(root, group, see, arg);
	}
	fclose(groups);
}
