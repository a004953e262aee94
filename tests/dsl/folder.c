#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/dsl/folder.h"

static char folder[256];

const char *
folder_new(void)
{
	const char *base = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/hrwd-test-XXXXXX", base != NULL ? base : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	return folder;
}

void
folder_remove(void)
{
	DIR *dir = opendir(folder);
	struct dirent *e;

	ck_assert_ptr_nonnull(dir);
	while ((e = readdir(dir)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			unlinkat(dirfd(dir), e->d_name, 0);
	closedir(dir);
	ck_assert_int_eq(rmdir(folder), 0);
}

const char *
folder_file(const char *name)
{
	static char path[64][sizeof(folder) + 64];
	static size_t count;
	char out[sizeof(path[0])];

	snprintf(out, sizeof(out), "%s/%s", folder, name);
	for (size_t i = 0; i < count; i++)
		if (strcmp(path[i], out) == 0)
			return path[i];
	ck_assert_uint_lt(count, sizeof(path) / sizeof(*path));
	memcpy(path[count], out, sizeof(out));
	return path[count++];
}

char *
folder_read(const char *path, size_t *len)
{
	struct stat st;
	char *data;
	int fd = open(path, O_RDONLY);

	*len = 0;
	if (fd < 0)
		return NULL;
	ck_assert_int_eq(fstat(fd, &st), 0);
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return NULL;
	}
	data = malloc((size_t)st.st_size + 1);
	ck_assert_ptr_nonnull(data);
	ck_assert_int_eq(read(fd, data, (size_t)st.st_size), st.st_size);
	data[st.st_size] = '\0';
	*len = (size_t)st.st_size;
	close(fd);
	return data;
}

void
folder_write(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0640);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, len), (ssize_t)len);
	close(fd);
}

size_t
folder_step(size_t usual)
{
	return getenv("HRW_EVERY_BYTE") != NULL ? 1 : usual;
}
