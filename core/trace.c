#include "core/trace.h"

#include <stdlib.h>

#include "core/hash/xxh64.h"

void
hrw_trace_fini(struct hrw_trace *t)
{
	free(t->request);
	free(t->key);
	free(t->slot);
	*t = (struct hrw_trace){0};
}

/* Where the key's number stands, or would. */
static uint32_t *
slot_of(const struct hrw_trace *t, struct hrw_bytes key)
{
	size_t at = hrw_xxh64(key) & (t->slots - 1);

	while (t->slot[at] != 0 && !hrw_bytes_equal(t->key[t->slot[at] - 1], key))
		at = (at + 1) & (t->slots - 1);
	return &t->slot[at];
}

/* Half of the slots stay empty. */
static int
grow_slots(struct hrw_trace *t)
{
	size_t slots = t->slots == 0 ? 64 : 2 * t->slots;
	uint32_t *slot = calloc(slots, sizeof(*slot));

	if (slot == NULL)
		return HRW_INTERNAL;
	free(t->slot);
	t->slot = slot;
	t->slots = slots;
	for (size_t i = 0; i < t->distinct; i++)
		*slot_of(t, t->key[i]) = (uint32_t)i + 1;
	return 0;
}

static int
grow_keys(struct hrw_trace *t)
{
	size_t room = t->key_room == 0 ? 64 : 2 * t->key_room;
	struct hrw_bytes *key = realloc(t->key, room * sizeof(*key));

	if (key == NULL)
		return HRW_INTERNAL;
	t->key = key;
	t->key_room = room;
	return 0;
}

static int
grow_requests(struct hrw_trace *t)
{
	size_t room = t->room == 0 ? 64 : 2 * t->room;
	uint32_t *request = realloc(t->request, room * sizeof(*request));

	if (request == NULL)
		return HRW_INTERNAL;
	t->request = request;
	t->room = room;
	return 0;
}

int
hrw_trace_add(struct hrw_trace *t, struct hrw_bytes key)
{
	uint32_t *slot;

	if ((t->count == t->room && grow_requests(t) < 0) ||
	    (t->distinct == t->key_room && grow_keys(t) < 0) ||
	    (2 * (t->distinct + 1) > t->slots && grow_slots(t) < 0))
		return HRW_INTERNAL;
	slot = slot_of(t, key);
	if (*slot == 0) {
		t->key[t->distinct] = key;
		*slot = (uint32_t)++t->distinct;
	}
	t->request[t->count++] = *slot - 1;
	return 0;
}
