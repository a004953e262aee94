/*
 * nodes.c - memberships from short text.
 */
#include "tests/dsl/nodes.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/zones.h"

/* What nodes() made, so that it stays reachable: a test need not free it. */
static struct hrw_membership **kept;
static size_t kept_count;

/* One node out of "name:weight@zone!state"; writes NULs into the text. */
static struct hrw_node
parse(char *text, char *address)
{
	struct hrw_node node = {.name = text, .weight = 1, .id = HRW_ID_UNSET};
	char *mark;

	if ((mark = strchr(text, '!')) != NULL) {
		int state = hrw_state_from_name(mark + 1);

		ck_assert_msg(state >= 0, "no state \"%s\"", mark + 1);
		node.state = (enum hrw_state)state;
		*mark = '\0';
	}
	if ((mark = strchr(text, '@')) != NULL) {
		node.zone = mark + 1;
		*mark = '\0';
	}
	if ((mark = strchr(text, ':')) != NULL) {
		node.weight = strtod(mark + 1, NULL);
		*mark = '\0';
	}
	snprintf(address, HRW_ADDRESS_BYTES_MAX, "%.200s.test:11211", text);
	node.address = address;
	return node;
}

struct hrw_membership *
draft(const char *text)
{
	struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 1);
	size_t room = strlen(text) / 2 + 1, count = 0, at;
	struct hrw_node *list = calloc(room, sizeof(*list));
	char(*address)[HRW_ADDRESS_BYTES_MAX] = calloc(room, sizeof(*address));
	char *copy = strdup(text), *rest = copy, *word;
	struct hrw_fault fault;

	while ((word = strtok_r(rest, " ", &rest)) != NULL) {
		list[count] = parse(word, address[count]);
		count++;
	}
	if (hrw_membership_add_all(m, list, count, NULL, &at, &fault) < 0)
		ck_abort_msg("%s: node %zu: %s", text, at, fault.detail);
	free(copy);
	free(address);
	free(list);
	return m;
}

struct hrw_membership *
frozen(struct hrw_membership *m)
{
	struct hrw_fault fault;

	if (hrw_membership_freeze(m, NULL, &fault) < 0)
		ck_abort_msg("%s", fault.detail);
	kept = realloc(kept, (kept_count + 1) * sizeof(struct hrw_membership *));
	kept[kept_count++] = m;
	return m;
}

void
forget_nodes(void)
{
	while (kept_count > 0)
		hrw_membership_free(kept[--kept_count]);
}

struct hrw_membership *
nodes(const char *text)
{
	return frozen(draft(text));
}

struct hrw_membership *
pool(unsigned copies, const char *text)
{
	struct hrw_membership *m = draft(text);

	m->copies = copies;
	return frozen(m);
}

const char *
owner(const struct hrw_membership *m, struct hrw_bytes key)
{
	uint32_t node;

	return hrw_rank(m, key, 1, &node) == 1 ? m->node[node].name : NULL;
}

bool
owns(const struct hrw_membership *m, const char *name, struct hrw_bytes key)
{
	const char *first = owner(m, key);

	return first != NULL && strcmp(first, name) == 0;
}

/* Joins names into one of a few rooms that are used in turn, so that two
 * answers can be compared. */
static const char *
join(const struct hrw_membership *m, const uint32_t *node, int count)
{
	static char *room[4];
	static unsigned turn;
	char **text = &room[turn++ % 4];
	size_t len = 1, at = 0;

	for (int i = 0; i < count; i++)
		len += strlen(m->node[node[i]].name) + 1;
	free(*text);
	*text = calloc(1, len);
	for (int i = 0; i < count; i++)
		at += (size_t)snprintf(
		    *text + at, len - at, "%s%s", i > 0 ? " " : "", m->node[node[i]].name);
	return *text;
}

const char *
holders(const struct hrw_membership *m, struct hrw_bytes key, size_t copies)
{
	uint32_t node[HRW_COPIES_MAX];

	return join(m, node, hrw_holders(m, key, copies, node));
}

const char *
ranking(const struct hrw_membership *m, struct hrw_bytes key)
{
	static uint32_t node[HRW_NODES_MAX];

	return join(m, node, hrw_rank(m, key, HRW_NODES_MAX, node));
}

struct hrw_bytes
numbered(const char *kind, size_t i)
{
	static char room[16][48];
	static unsigned turn;
	char *text = room[turn++ % 16];

	snprintf(text, sizeof(room[0]), "%s-%zu", kind, i);
	return hrw_text(text);
}
