/*
 * prepared.c - a table of responses in sets: the hash of a shape chooses the set,
 * and of a set the response that was longest unused makes way. All its room is
 * reserved at once, and touched as it is needed.
 */
#include <stdlib.h>

#include "core/hash/fmix.h"
#include "daemon/http/private.h"

enum {
	SETS = 64,
	WAYS = 4,
	HEADERS_MAX = 16,
	BODY_MAX = 512,
};

/* The library's own copies of a header's texts. */
struct header {
	const char *name;
	char *value;
	size_t name_len, value_len;
};

struct prepared {
	struct MHD_Response *mhd; /* NULL: the place is free */
	bool is_lent;
	uint64_t hash, used;
	size_t body_len, count;
	struct header header[HEADERS_MAX];
	char body[BODY_MAX]; /* what `mhd` sends */
};

struct prepared_table {
	uint64_t clock;
	struct prepared place[SETS][WAYS];
};

/* Headers as an exchange has them, name NUL value NUL …, taken apart. */
struct parts {
	size_t count;
	struct header header[HEADERS_MAX];
};

struct prepared_table *
prepared_new(void)
{
	return calloc(1, sizeof(struct prepared_table));
}

void
prepared_free(struct prepared_table *table)
{
	if (table == NULL)
		return;
	for (size_t set = 0; set < SETS; set++)
		for (size_t way = 0; way < WAYS; way++)
			if (table->place[set][way].mhd != NULL)
				MHD_destroy_response(table->place[set][way].mhd);
	free(table);
}

/* false: there are too many. */
static bool
take_apart(const struct buffer *headers, struct parts *parts)
{
	char *at = headers->data, *end = at + headers->len;

	parts->count = 0;
	while (at < end) {
		struct header *h = &parts->header[parts->count];

		if (parts->count++ == HEADERS_MAX)
			return false;
		h->name = at;
		h->name_len = strlen(at);
		h->value = at + h->name_len + 1;
		h->value_len = strlen(h->value);
		at = h->value + h->value_len + 1;
	}
	return true;
}

static bool
has_shape(const struct prepared *p, const struct parts *parts, size_t body_len)
{
	if (p->mhd == NULL || p->body_len != body_len || p->count != parts->count)
		return false;
	for (size_t i = 0; i < parts->count; i++) {
		const struct header *a = &p->header[i], *b = &parts->header[i];

		if (a->value_len != b->value_len || a->name_len != b->name_len ||
		    memcmp(a->name, b->name, b->name_len) != 0)
			return false;
	}
	return true;
}

static enum MHD_Result
note(void *arg, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct prepared *p = arg;
	struct header *h = &p->header[p->count++];

	(void)kind;
	h->name = name;
	h->name_len = strlen(name);
	h->value = (char *)(uintptr_t)value;
	h->value_len = strlen(value);
	return p->count == HEADERS_MAX ? MHD_NO : MHD_YES;
}

/* Makes a place's response anew. */
static bool
make(struct prepared *p, const struct buffer *headers, size_t body_len)
{
	if (p->mhd != NULL)
		MHD_destroy_response(p->mhd);
	p->mhd = MHD_create_response_from_buffer(body_len, p->body, MHD_RESPMEM_PERSISTENT);
	if (p->mhd == NULL)
		return false;
	response_add_headers(p->mhd, headers);
	p->body_len = body_len;
	p->count = 0;
	MHD_get_response_headers(p->mhd, note, p);
	return true;
}

/* The place that has the shape, else the one to make way; NULL: all are lent, or
 * the one that fits is. */
static struct prepared *
choose(struct prepared *set, uint64_t hash, const struct parts *parts, size_t body_len)
{
	struct prepared *oldest = NULL;

	for (struct prepared *p = set; p < set + WAYS; p++) {
		if (p->hash == hash && has_shape(p, parts, body_len))
			return p->is_lent ? NULL : p;
		if (!p->is_lent && (oldest == NULL || p->used < oldest->used))
			oldest = p;
	}
	return oldest;
}

struct prepared *
prepared_take(struct prepared_table *table, const struct buffer *headers, const struct buffer *body)
{
	uint64_t hash = body->len;
	struct parts parts;
	struct prepared *p;

	if (body->len == 0 || body->len > BODY_MAX || !take_apart(headers, &parts))
		return NULL;
	for (size_t i = 0; i < parts.count; i++)
		hash =
		    hrw_fmix64(hash + parts.header[i].name_len * 256 + parts.header[i].value_len);
	p = choose(table->place[hash % SETS], hash, &parts, body->len);
	if (p == NULL)
		return NULL;
	if (p->hash == hash && has_shape(p, &parts, body->len))
		for (size_t i = 0; i < parts.count; i++)
			memcpy(
			    p->header[i].value, parts.header[i].value, parts.header[i].value_len);
	else if (!make(p, headers, body->len))
		return NULL;
	memcpy(p->body, body->data, body->len);
	p->hash = hash;
	p->used = ++table->clock;
	p->is_lent = true;
	return p;
}

struct MHD_Response *
prepared_response(const struct prepared *p)
{
	return p->mhd;
}

void
prepared_return(struct prepared *p)
{
	if (p != NULL)
		p->is_lent = false;
}
