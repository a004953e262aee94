/*
 * witness.c - a file of lines that are each 64 bytes, so that none crosses a sector.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/claim.h"
#include "daemon/store/witness.h"

enum {
	LINE = 64,
	DIGITS = 16, /* of 64 bits */
	FILE_MODE = 0640,
	/* Pools that were made and removed leave lineages behind: past so many, the
	 * oldest lines are used again. */
	LINES_MAX = 65536,
};

struct seen {
	uint64_t key; /* of a pool and its lineage; 0: the line says nothing */
	uint64_t epoch;
	int64_t seal;
};

struct witness {
	int fd;
	struct seen *seen; /* by line */
	size_t count, room;
	size_t oldest; /* the line to use again when all are taken */
};

/* FNV-1a, 32 bits (RFC 9923): tells a line that was half written. */
static uint32_t
check_of(const char *text, size_t len)
{
	uint32_t h = 0x811c9dc5u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)text[i]) * 0x01000193u;
	return h;
}

/* "KEY EPOCH SEAL CHECK\n" */
enum { CHECKED = DIGITS + 1 + 20 + 1 + DIGITS };

static void
write_line(const struct seen *seen, char line[LINE + 1])
{
	snprintf(line, LINE + 1, "%016" PRIx64 " %020" PRIu64 " %016" PRIx64, seen->key,
	    seen->epoch, (uint64_t)seen->seal);
	snprintf(line + CHECKED, (size_t)LINE + 1 - CHECKED, " %08" PRIx32 "\n",
	    check_of(line, CHECKED));
}

/* A line that is not as it was written says nothing: its key is 0. */
static struct seen
read_line(const char *line)
{
	struct seen seen = {0};
	uint64_t seal = 0;
	uint32_t check = 0;
	char text[LINE + 1];

	memcpy(text, line, LINE);
	text[LINE] = '\0';
	if (sscanf(text + CHECKED, " %8" SCNx32, &check) != 1 || check != check_of(text, CHECKED) ||
	    sscanf(text, "%16" SCNx64 " %20" SCNu64 " %16" SCNx64, &seen.key, &seen.epoch, &seal) !=
		3)
		return (struct seen){0};
	seen.seal = (int64_t)seal;
	return seen;
}

static int
grow(struct witness *w)
{
	size_t room = w->room == 0 ? 16 : 2 * w->room;
	struct seen *seen;

	if (w->count < w->room)
		return 0;
	seen = realloc(w->seen, room * sizeof(*seen));
	if (seen == NULL)
		return -1;
	w->seen = seen;
	w->room = room;
	return 0;
}

static int
read_all(struct witness *w)
{
	char line[LINE];
	ssize_t got;

	/* A part of a line at the end is written over. */
	while ((got = pread(w->fd, line, LINE, (off_t)(w->count * LINE))) == LINE &&
	       w->count < LINES_MAX) {
		if (grow(w) < 0)
			return -1;
		w->seen[w->count++] = read_line(line);
	}
	return got < 0 ? -1 : 0;
}

struct witness *
witness_open(const char *store)
{
	struct witness *w = calloc(1, sizeof(*w));
	char *real = claim_path(store);
	char *path = real != NULL ? claim_beside(real, ".epochs") : NULL;

	free(real);
	if (w == NULL || path == NULL) {
		errno = ENOMEM;
		goto fail;
	}
	w->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
	if (w->fd >= 0 && read_all(w) == 0) {
		free(path);
		return w;
	}
	if (w->fd >= 0)
		close(w->fd);
	free(w->seen);
fail:
	free(path);
	free(w);
	return NULL;
}

void
witness_close(struct witness *w)
{
	if (w == NULL)
		return;
	witness_flush(w);
	close(w->fd);
	free(w->seen);
	free(w);
}

/* FNV-1a, 64 bits: the names of pools may be longer than a line. */
static uint64_t
fold(uint64_t h, const char *text)
{
	do
		h = (h ^ (uint8_t)*text) * 0x100000001b3u;
	while (*text++ != '\0');
	return h;
}

static uint64_t
key_of(const char *pool, const char *lineage)
{
	return fold(fold(0xcbf29ce484222325u, pool), lineage);
}

/* The line of that key; w->count: it has none. */
static size_t
line_of(const struct witness *w, uint64_t key)
{
	size_t at = 0;

	while (at < w->count && w->seen[at].key != key)
		at++;
	return at;
}

bool
witness_get(
    const struct witness *w, const char *pool, const char *lineage, uint64_t *epoch, int64_t *seal)
{
	size_t at = line_of(w, key_of(pool, lineage));

	if (at == w->count)
		return false;
	*epoch = w->seen[at].epoch;
	*seal = w->seen[at].seal;
	return true;
}

int
witness_put(struct witness *w, const char *pool, const char *lineage, uint64_t epoch, int64_t seal)
{
	struct seen seen = {.key = key_of(pool, lineage), .epoch = epoch, .seal = seal};
	size_t at = line_of(w, seen.key);
	char line[LINE + 1];
	ssize_t put;

	if (at == w->count && w->count == LINES_MAX) {
		at = w->oldest;
		w->oldest = (w->oldest + 1) % LINES_MAX;
	} else if (at == w->count) {
		if (grow(w) < 0)
			return -1;
		w->count++;
	}
	w->seen[at] = seen;
	write_line(&seen, line);
	do
		put = pwrite(w->fd, line, LINE, (off_t)(at * LINE));
	while (put < 0 && errno == EINTR);
	if (put >= 0 && put < LINE)
		errno = ENOSPC;
	return put == LINE ? 0 : -1;
}

void
witness_flush(struct witness *w)
{
	if (w != NULL)
		fdatasync(w->fd);
}
