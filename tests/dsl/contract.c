#include <sys/mman.h>

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/json.h"
#include "tests/dsl/contract.h"
#include "tests/dsl/http.h"

enum { ROWS = 256, ROW_BYTES = 96, KEPT_BYTES = 256 << 10 };

/* Shared by the runner and the processes it forks, one of which runs at a time;
 * two threads of one may add a row twice, which does no harm. */
static struct record {
	atomic_uint count;
	char row[ROWS][ROW_BYTES];
} * record;

__attribute__((constructor)) static void
map(void)
{
	record =
	    mmap(NULL, sizeof(*record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (record == MAP_FAILED)
		abort();
}

static int
has(const char *row)
{
	unsigned count = atomic_load(&record->count);

	for (unsigned i = 0; i < count && i < ROWS; i++)
		if (strcmp(record->row[i], row) == 0)
			return 1;
	return 0;
}

static void
add(const char *row)
{
	unsigned at;

	if (has(row))
		return;
	at = atomic_fetch_add(&record->count, 1);
	if (at < ROWS)
		snprintf(record->row[at], ROW_BYTES, "%s", row);
}

/* "GET /nodes/cache-a?x" and "GET /nodes/{name}" both become "GET /nodes/{}". */
static void
pattern(const char *method, const char *path, char out[ROW_BYTES])
{
	static const char *const named[] = {"/nodes/", "/pools/", "/plans/"};
	size_t len;

	if (strncmp(path, "/v1/", 4) == 0)
		path += 3;
	len = strcspn(path, "?#");
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++) {
		size_t head = strlen(named[i]);
		size_t name;

		if (strncmp(path, named[i], head) != 0)
			continue;
		name = strcspn(path + head, "/?#");
		snprintf(out, ROW_BYTES, "%s %s{}%.*s", method, named[i], (int)(len - head - name),
		    path + head + name);
		return;
	}
	snprintf(out, ROW_BYTES, "%s %.*s", method, (int)len, path);
}

void
contract_record(const char *method, const char *path, long status, const char *code)
{
	char row[ROW_BYTES];

	if (status >= 200 && status < 400) {
		pattern(method, path, row);
		add(row);
	}
	if (code != NULL) {
		snprintf(row, ROW_BYTES, "%s", code);
		add(row);
	}
}

int
contract_has_route(const char *method, const char *path)
{
	char row[ROW_BYTES];

	pattern(method, path, row);
	return has(row);
}

int
contract_has_code(const char *code)
{
	return has(code);
}

static void
put_body(struct json_out *o, const char *name, const void *data, size_t len)
{
	struct hrw_bytes body = hrw_bytes(data, len);

	if (data != NULL && len <= KEPT_BYTES && hrw_is_utf8(body))
		json_put_bytes(o, name, body);
}

void
contract_keep(const char *method, const char *path, const char *headers, const void *body,
    size_t len, const struct answer *a)
{
	const char *file = getenv("HRW_RECORD");
	struct buffer line = {0};
	struct json_out o = json_out(&line);
	int fd;

	if (file == NULL || a->status == 0 || !hrw_is_utf8(hrw_text(path)) ||
	    (headers != NULL && !hrw_is_utf8(hrw_text(headers))))
		return;
	json_open_object(&o, NULL);
	json_put_text(&o, "method", method);
	json_put_text(&o, "path", path);
	json_put_text(&o, "headers", headers != NULL ? headers : "");
	put_body(&o, "body", body, len);
	json_put_int(&o, "status", a->status);
	json_put_text(&o, "answer_headers", a->headers);
	put_body(&o, "answer", a->body, a->len);
	json_close_object(&o);
	buffer_add(&line, "\n", 1);
	/* One write, so that lines of several threads stay whole. */
	fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, line.data, line.len) != (ssize_t)line.len)
		abort();
	close(fd);
	buffer_fini(&line);
}
