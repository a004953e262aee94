/*
 * tally.c - the moves are a hash table of the pairs that occur: of n^2 possible
 * ones a change touches few.
 */
#include <stdlib.h>

#include "core/hash/fmix.h"
#include "core/tally.h"

struct hrw_tally *
hrw_tally_new(const struct hrw_plan *plan)
{
	struct hrw_tally *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->count = plan->count;
	t->node = calloc(t->count + 1, sizeof(*t->node));
	if (t->node == NULL) {
		free(t);
		return NULL;
	}
	return t;
}

void
hrw_tally_free(struct hrw_tally *t)
{
	if (t == NULL)
		return;
	free(t->move);
	free(t->node);
	free(t);
}

/* Where a pair stands, or would. There is always an empty place. */
static struct hrw_move *
move_at(struct hrw_move *move, size_t room, uint32_t lost, uint32_t gained)
{
	size_t i = hrw_fmix32(hrw_fmix32(lost) + gained) & (room - 1);

	while (move[i].keys != 0 && (move[i].lost != lost || move[i].gained != gained))
		i = (i + 1) & (room - 1);
	return &move[i];
}

/* Makes room for so many more pairs, half of it staying empty. A power of two. */
static int
move_reserve(struct hrw_tally *t, size_t more)
{
	struct hrw_move *move;
	size_t room = t->move_room == 0 ? 16 : t->move_room;

	while (room < 2 * (t->move_count + more))
		room *= 2;
	if (room == t->move_room)
		return 0;
	move = calloc(room, sizeof(*move));
	if (move == NULL)
		return HRW_INTERNAL;
	for (size_t i = 0; i < t->move_room; i++)
		if (t->move[i].keys != 0)
			*move_at(move, room, t->move[i].lost, t->move[i].gained) = t->move[i];
	free(t->move);
	t->move = move;
	t->move_room = room;
	return 0;
}

static void
move_add(struct hrw_tally *t, uint32_t lost, uint32_t gained, uint64_t keys)
{
	struct hrw_move *move = move_at(t->move, t->move_room, lost, gained);

	t->move_count += move->keys == 0;
	*move = (struct hrw_move){lost, gained, move->keys + keys};
}

static size_t
at_least_one(uint32_t count)
{
	return count == 0 ? 1 : count;
}

/* An empty side takes part as one node that is not listed. */
static void
moves_add(struct hrw_tally *t, const struct hrw_change *c)
{
	for (size_t i = 0; i < at_least_one(c->lost_count); i++)
		for (size_t j = 0; j < at_least_one(c->gained_count); j++)
			move_add(t, c->lost_count == 0 ? HRW_NOT_LISTED : c->lost[i],
			    c->gained_count == 0 ? HRW_NOT_LISTED : c->gained[j], 1);
}

/* Of most keys nothing is missing. */
static void
add_missing(struct hrw_tally *t, const struct hrw_change *c)
{
	t->missing_before += c->missing_before;
	t->missing_after += c->missing_after;
	t->nowhere_before += c->is_nowhere_before;
	t->nowhere_after += c->is_nowhere_after;
}

int
hrw_tally_add(struct hrw_tally *t, const struct hrw_change *c)
{
	bool is_listed = hrw_change_is_listed(c);

	/* Room first: a key is counted whole or not at all. */
	if (is_listed &&
	    move_reserve(t, at_least_one(c->lost_count) * at_least_one(c->gained_count)) < 0)
		return HRW_INTERNAL;
	t->keys++;
	t->owners_changed += c->owner_changed;
	t->owners_cold += c->is_cold;
	if (c->missing_before + c->missing_after + c->is_nowhere_before + c->is_nowhere_after > 0)
		add_missing(t, c);
	for (uint32_t i = 0; i < c->before_count; i++)
		t->node[c->before[i]].before++;
	for (uint32_t i = 0; i < c->after_count; i++)
		t->node[c->after[i]].after++;
	if (!is_listed)
		return 0;

	t->changed++;
	t->copies_lost += c->lost_count;
	t->copies_gained += c->gained_count;
	t->needless += c->needless;
	t->keys_without_source += c->gained_count > 0 && c->from == HRW_NOT_LISTED;
	t->keys_with_leaving_source += c->is_from_leaving;
	for (uint32_t i = 0; i < c->lost_count; i++)
		t->node[c->lost[i]].loses++;
	for (uint32_t i = 0; i < c->gained_count; i++)
		t->node[c->gained[i]].gains++;
	moves_add(t, c);
	return 0;
}

int
hrw_tally_merge(struct hrw_tally *into, const struct hrw_tally *from)
{
	if (move_reserve(into, from->move_count) < 0)
		return HRW_INTERNAL;
	into->keys += from->keys;
	into->changed += from->changed;
	into->copies_lost += from->copies_lost;
	into->copies_gained += from->copies_gained;
	into->needless += from->needless;
	into->keys_without_source += from->keys_without_source;
	into->owners_changed += from->owners_changed;
	into->owners_cold += from->owners_cold;
	into->keys_with_leaving_source += from->keys_with_leaving_source;
	into->missing_before += from->missing_before;
	into->missing_after += from->missing_after;
	into->nowhere_before += from->nowhere_before;
	into->nowhere_after += from->nowhere_after;
	for (size_t i = 0; i < into->count; i++) {
		into->node[i].before += from->node[i].before;
		into->node[i].after += from->node[i].after;
		into->node[i].gains += from->node[i].gains;
		into->node[i].loses += from->node[i].loses;
	}
	for (size_t i = 0; i < from->move_room; i++)
		if (from->move[i].keys != 0)
			move_add(
			    into, from->move[i].lost, from->move[i].gained, from->move[i].keys);
	return 0;
}

/* HRW_NOT_LISTED + 1 is 0: the empty sides stand first. */
static int
move_cmp(const void *left, const void *right)
{
	const struct hrw_move *a = left, *b = right;

	if (a->lost != b->lost)
		return a->lost + 1 < b->lost + 1 ? -1 : 1;
	return (a->gained + 1 > b->gained + 1) - (a->gained + 1 < b->gained + 1);
}

struct hrw_move *
hrw_tally_moves(const struct hrw_tally *t, size_t *count)
{
	struct hrw_move *list;

	*count = 0;
	if (t->move_count == 0)
		return NULL;
	list = malloc(t->move_count * sizeof(*list));
	if (list == NULL)
		return NULL;
	for (size_t i = 0; i < t->move_room; i++)
		if (t->move[i].keys != 0)
			list[(*count)++] = t->move[i];
	qsort(list, *count, sizeof(*list), move_cmp);
	return list;
}
