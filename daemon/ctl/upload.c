/*
 * upload.c - curl asks for bytes, and a file or a dump answers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/base/json.h"
#include "daemon/ctl/upload.h"

static void
show_progress(const struct upload *u)
{
	if (u->size > 0 && u->sent <= u->size)
		terminal_bar(
		    &u->ctl->terminal, (double)u->sent / (double)u->size, u->size, "bytes");
}

static long
fail(struct upload *u, const char *why)
{
	terminal_clear(&u->ctl->terminal);
	ctl_fail(CTL_USAGE, "%s: %s", u->path, why);
	u->failed = true;
	return -1;
}

/* The end of the input. A command in front of a pipe that failed leaves nothing,
 * and must not empty a key set. */
static long
end(struct upload *u, bool has_keys)
{
	if (has_keys || u->may_be_empty)
		return 0;
	return fail(u, "it has no keys, and nothing is changed: --empty empties the key set");
}

/* One piece. 0 at the end, negative after saying why. */
static long
read_piece(struct upload *u, char *room, size_t size)
{
	size_t len = fread(room, 1, size, u->file);

	if (len == 0 && ferror(u->file))
		return fail(u, strerror(errno));
	if (len == 0)
		return end(u, u->sent > 0);
	u->sent += len;
	show_progress(u);
	return (long)len;
}

long
upload_read(void *upload, char *room, size_t size)
{
	return read_piece(upload, room, size);
}

/* Takes each CR before an LF away. One at the end waits for what follows it.
 *   in       from room + 1 on, so that a CR that waited has room before it
 *   returns  the bytes that are left, from room on */
static size_t
strip(struct upload *u, char *room, size_t len)
{
	size_t count = 0;

	for (size_t i = 1; i <= len; i++) {
		char byte = room[i];

		if (u->has_cr && byte != '\n')
			room[count++] = '\r';
		u->has_cr = byte == '\r';
		if (!u->has_cr)
			room[count++] = byte;
	}
	return count;
}

/* What stands before the first key: a byte order mark of UTF-8 goes; with one of
 * UTF-16 no line is what it seems. */
static long
skip_mark(struct upload *u, char *text, size_t len)
{
	if (len >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
		return fail(u, "it is UTF-16: iconv -f UTF-16 -t UTF-8 makes of it what is needed");
	if (len < 3 || memcmp(text, "\xef\xbb\xbf", 3) != 0)
		return (long)len;
	memmove(text, text + 3, len - 3);
	return (long)len - 3;
}

long
upload_read_crlf(void *upload, char *room, size_t size)
{
	struct upload *u = upload;
	size_t count = 0;

	/* 0 would be the end. */
	while (count == 0) {
		bool is_first = u->sent == 0;
		long len = read_piece(u, room + 1, size - 1);

		if (len > 0 && is_first)
			len = skip_mark(u, room + 1, (size_t)len);
		if (len < 0 || (len == 0 && !is_first))
			return len;
		if (len == 0 && feof(u->file))
			return end(u, false);
		count = strip(u, room, (size_t)len);
	}
	return (long)count;
}

static long
fail_at_line(struct upload *u, const char *why)
{
	char text[HRW_FAULT_DETAIL + 64];

	snprintf(text, sizeof(text), "line %llu: %s", (unsigned long long)u->number, why);
	return fail(u, text);
}

/* One line of a dump into `pending`. */
static long
convert_line(struct upload *u, size_t len)
{
	struct hrw_bytes line = hrw_bytes(u->line, len);
	struct hrw_fault fault;
	struct json_out o;
	int rc = dump_line(u->kind, line, &u->key, &fault);

	if (rc < 0)
		return fail_at_line(u, fault.detail);
	if (rc == DUMP_EMPTY_KEY && u->keeps_empty)
		rc = DUMP_KEY;
	if (rc != DUMP_NOTHING)
		u->has_end = rc == DUMP_END;
	u->empty += rc == DUMP_EMPTY_KEY;
	if (rc != DUMP_KEY)
		return 0;
	u->keys++;
	u->in_quotes += len > 2 && u->line[0] == '"' && u->line[len - 1] == '"';
	o = json_out(&u->pending);
	json_put_key_element(&o, buffer_bytes(&u->key));
	buffer_add_text(&u->pending, "\n");
	return 0;
}

/* Lines become NDJSON, until there is `size` of it. 0, or -1 after saying why. */
static long
convert(struct upload *u, size_t size)
{
	ssize_t len = 0;

	buffer_clear(&u->pending);
	u->at = 0;
	while (u->pending.len < size && (len = getline(&u->line, &u->room, u->file)) > 0) {
		u->number++;
		u->sent += (uint64_t)len;
		if (convert_line(u, (size_t)len - (u->line[len - 1] == '\n')) < 0)
			return -1;
	}
	if (ferror(u->file))
		return fail(u, strerror(errno));
	if (u->pending.failed)
		return fail(u, "no memory");
	if (len > 0)
		return 0;
	if (u->kind == DUMP_MEMCACHED && !u->has_end &&
	    !(u->number == 0 && u->ctl->options.may_be_empty))
		return fail(u,
		    "it does not end in END, as memcached ends a whole dump: it was cut short, "
		    "and nothing is changed");
	return u->pending.len > 0 ? 0 : end(u, u->keys > 0);
}

long
upload_read_dump(void *upload, char *room, size_t size)
{
	struct upload *u = upload;
	size_t left;

	if (u->at == u->pending.len) {
		if (convert(u, size) < 0)
			return -1;
		show_progress(u);
	}
	left = u->pending.len - u->at;
	if (left > size)
		left = size;
	if (left > 0)
		memcpy(room, u->pending.data + u->at, left);
	u->at += left;
	return (long)left;
}

int
upload_send(struct upload *u, struct ask *ask, struct reply *reply)
{
	int rc;

	ask->read_from = u->path;
	ask->arg = u;
	rc = client_ask(u->ctl, ask, reply);
	terminal_clear(&u->ctl->terminal);
	if (rc == CTL_LEFT && u->failed)
		return CTL_USAGE;
	return rc == 0 && reply->status != 200 ? client_refused(u->ctl, reply) : rc;
}

void
upload_remark(const struct upload *u)
{
	if (u->empty > 0)
		ctl_fail(CTL_DONE, "%llu empty key%s left out: hrwd places no empty key",
		    (unsigned long long)u->empty, u->empty == 1 ? " was" : "s were");
	if (u->kind == DUMP_REDIS && u->keys > 0 && u->in_quotes == u->keys)
		ctl_fail(CTL_DONE,
		    "every key stands in quotes, and they are part of the keys now: where "
		    "redis-cli put them there, import again with --no-raw");
}

int
upload_open(struct upload *u, struct ctl *ctl, const char *path)
{
	struct stat st;

	*u = (struct upload){.ctl = ctl, .path = path, .may_be_empty = ctl->options.may_be_empty};
	u->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	if (u->file == NULL)
		return ctl_fail(CTL_USAGE, "%s: %s", path, strerror(errno));
	if (fstat(fileno(u->file), &st) == 0 && S_ISREG(st.st_mode))
		u->size = (uint64_t)st.st_size;
	return 0;
}

void
upload_close(struct upload *u)
{
	if (u->file != NULL && u->file != stdin)
		fclose(u->file);
	buffer_fini(&u->key);
	buffer_fini(&u->pending);
	free(u->line);
}
