/*
 * router.c - a literal segment beats a captured one: /keys/stats is no pool.
 */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/http/router.h"

struct shape {
	const struct route *row;
	size_t count, captures;
	struct hrw_bytes segment[TARGET_SEGMENTS_MAX]; /* data NULL: captured */
	unsigned literals; /* a bit for each literal segment, the first highest */
};

struct router {
	size_t count;
	struct shape shape[];
};

static const char *const method_names[] = {
    [METHOD_GET] = "GET",
    [METHOD_HEAD] = "HEAD",
    [METHOD_POST] = "POST",
    [METHOD_PUT] = "PUT",
    [METHOD_PATCH] = "PATCH",
    [METHOD_DELETE] = "DELETE",
};

static bool
read_shape(const struct route *row, struct shape *s)
{
	const char *at = row->path;
	*s = (struct shape){.row = row};
	while (*at == '/') {
		size_t len = strcspn(++at, "/");

		if (s->count == TARGET_SEGMENTS_MAX)
			return false;
		if (*at == '{')
			s->captures++;
		else {
			s->segment[s->count] = hrw_bytes(at, len);
			s->literals |= 1u << (TARGET_SEGMENTS_MAX - s->count);
		}
		s->count++;
		at += len;
	}
	return s->captures <= REQUEST_SEGMENTS_MAX;
}

struct router *
router_new(const struct route *rows, size_t count, enum listener listener)
{
	struct router *router = calloc(1, sizeof(*router) + count * sizeof(router->shape[0]));

	if (router == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if ((rows[i].where & listener) == 0)
			continue;
		if (!read_shape(&rows[i], &router->shape[router->count++])) {
			free(router);
			return NULL;
		}
	}
	return router;
}

void
router_free(struct router *router)
{
	free(router);
}

static bool
has_shape(const struct shape *s, const struct target *target)
{
	if (s->count != target->segment_count)
		return false;
	for (size_t i = 0; i < s->count; i++)
		if (s->segment[i].data != NULL &&
		    !hrw_bytes_equal(s->segment[i], target->segment[i]))
			return false;
	return true;
}

static const struct route *
found(const struct shape *s, const struct target *target, struct hrw_bytes *segment)
{
	size_t captures = 0;

	for (size_t i = 0; i < s->count; i++)
		if (s->segment[i].data == NULL)
			segment[captures++] = target->segment[i];
	return s->row;
}

/* The fault of a path that no row has. */
static void
unknown_path(const struct target *target, struct hrw_fault *fault)
{
	char path[3 * HRW_SHOWN] = "";
	size_t len = 0;

	for (size_t i = 0; i < target->segment_count; i++) {
		char shown[HRW_SHOWN / 2];

		len += (size_t)snprintf(path + len, sizeof(path) - len, "/%s",
		    hrw_show(target->segment[i], shown, sizeof(shown)));
	}
	hrw_fault(fault, HRW_UNKNOWN_PATH,
	    "no path here is %s; GET /openapi.json lists those there are", path);
}

const struct route *
router_find(const struct router *router, const char *method, const struct target *target,
    struct hrw_bytes segment[REQUEST_SEGMENTS_MAX], char allow[ROUTER_ALLOW],
    struct hrw_fault *fault)
{
	const struct shape *best = NULL, *other = NULL;
	const char *wanted = strcmp(method, "HEAD") == 0 ? "GET" : method;

	for (size_t i = 0; i < router->count; i++) {
		const struct shape *s = &router->shape[i];

		if (!has_shape(s, target))
			continue;
		if (strcmp(method_names[s->row->method], wanted) != 0) {
			other = other == NULL || s->literals > other->literals ? s : other;
			continue;
		}
		/* No path is more literal than one without a capture. */
		if (s->captures == 0)
			return s->row;
		if (best == NULL || s->literals > best->literals)
			best = s;
	}
	/* A more literal path without this method hides the less literal one. */
	if (best != NULL && (other == NULL || best->literals >= other->literals))
		return found(best, target, segment);
	if (best == NULL && other == NULL) {
		unknown_path(target, fault);
		return NULL;
	}
	allow[0] = '\0';
	for (size_t i = 0; i < router->count; i++) {
		const struct shape *s = &router->shape[i];
		size_t len = strlen(allow);

		if (!has_shape(s, target) || s->literals != other->literals)
			continue;
		snprintf(allow + len, ROUTER_ALLOW - len, "%s%s%s", len == 0 ? "" : ", ",
		    method_names[s->row->method], s->row->method == METHOD_GET ? ", HEAD" : "");
	}
	hrw_fault(fault, HRW_BAD_METHOD, "%s is not a method of %s here; it takes %s", method,
	    other->row->path, allow);
	return NULL;
}
