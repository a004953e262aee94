/*
 * node.c - one node: its fields checked, copied and compared.
 */
#include "core/node.h"
#include "core/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const state_names[] = {
    [HRW_ACTIVE] = "active",
    [HRW_JOINING] = "joining",
    [HRW_DRAINING] = "draining",
};

enum { STATES = sizeof(state_names) / sizeof(state_names[0]) };

const char *
hrw_state_name(enum hrw_state state)
{
	return state_names[state];
}

int
hrw_state_from_name(const char *name)
{
	for (int i = 0; i < STATES; i++)
		if (strcmp(state_names[i], name) == 0)
			return i;
	return -1;
}

bool
hrw_text_same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool
hrw_text_copy(char **to, const char *from)
{
	*to = from != NULL ? strdup(from) : NULL;
	return from == NULL || *to != NULL;
}

bool
hrw_array_copy(void *to, const void *from, size_t size)
{
	void *copy = size > 0 ? malloc(size) : NULL;

	if (copy != NULL)
		memcpy(copy, from, size);
	memcpy(to, &copy, sizeof(copy));
	return size == 0 || copy != NULL;
}

void
hrw_node_fini(struct hrw_node *node)
{
	free(node->name);
	free(node->address);
	free(node->zone);
	free(node->hash_name);
	free(node->slots);
	free(node->tokens);
}

int
hrw_node_copy(struct hrw_node *to, const struct hrw_node *from)
{
	*to = *from;
	to->name = to->address = to->zone = to->hash_name = NULL;
	to->slots = NULL;
	to->tokens = NULL;
	if (hrw_text_copy(&to->name, from->name) && hrw_text_copy(&to->address, from->address) &&
	    hrw_text_copy(&to->zone, from->zone) &&
	    hrw_text_copy(&to->hash_name, from->hash_name) &&
	    hrw_array_copy(&to->slots, from->slots, from->slot_count * sizeof(*from->slots)) &&
	    hrw_array_copy(&to->tokens, from->tokens, from->token_count * sizeof(*from->tokens)))
		return 0;
	hrw_node_fini(to);
	return HRW_INTERNAL;
}

static int
check_hash_name(const struct hrw_node *node, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];
	struct hrw_bytes text;

	if (node->hash_name == NULL)
		return 0;
	text = hrw_text(node->hash_name);
	if (text.len < 1 || text.len > HRW_HASH_NAME_BYTES_MAX)
		return hrw_fault(fault, HRW_BAD_FIELD,
		    "hash_name \"%s\" has %zu bytes: use 1 to %d, or leave it out",
		    hrw_show(text, shown, sizeof(shown)), text.len, HRW_HASH_NAME_BYTES_MAX);
	if (!hrw_is_utf8(text))
		return hrw_fault(fault, HRW_BAD_FIELD,
		    "hash_name \"%s\" is not UTF-8: use text that is",
		    hrw_show(text, shown, sizeof(shown)));
	return 0;
}

/* Fields that only some placements use. */

static bool
same_array(const void *a, size_t a_count, const void *b, size_t b_count, size_t size)
{
	return a_count == b_count && (a_count == 0 || memcmp(a, b, a_count * size) == 0);
}

bool
hrw_slots_same(const struct hrw_node *a, const struct hrw_node *b)
{
	return same_array(a->slots, a->slot_count, b->slots, b->slot_count, sizeof(*a->slots));
}

bool
hrw_tokens_same(const struct hrw_node *a, const struct hrw_node *b)
{
	return same_array(a->tokens, a->token_count, b->tokens, b->token_count, sizeof(*a->tokens));
}

/* To say 1 is to leave it out. */
static double
reweight_of(const struct hrw_node *node)
{
	return node->has_reweight ? node->reweight : 1;
}

bool
hrw_reweight_same(const struct hrw_node *a, const struct hrw_node *b)
{
	return reweight_of(a) == reweight_of(b);
}

static bool
hashes_nothing(const struct hrw_placement *placement)
{
	return placement->hashed == HRW_HASHED_NOTHING;
}

/* An empty list is one that was given, too. */
const char *
hrw_unused_field(
    const struct hrw_placement *placement, const struct hrw_node *node, const struct hrw_node *was)
{
	static const struct hrw_node bare = {0};
	const struct hrw_node *old = was != NULL ? was : &bare;
	const struct {
		const char *name;
		bool is_used, is_new;
	} rows[] = {
	    {"zone", (placement->traits & (HRW_ZONED | HRW_HOSTS)) != 0,
		node->zone != NULL && !hrw_text_same(node->zone, old->zone)},
	    {"hash_name", !hashes_nothing(placement),
		node->hash_name != NULL && !node->hash_name_is_default &&
		    !hrw_text_same(node->hash_name, old->hash_name)},
	    {"slots", (placement->traits & HRW_SLOTS) != 0,
		node->slots != NULL && (old->slots == NULL || !hrw_slots_same(node, old))},
	    {"tokens", (placement->traits & HRW_TOKENS) != 0,
		node->tokens != NULL && (old->tokens == NULL || !hrw_tokens_same(node, old))},
	    {"reweight", (placement->traits & HRW_REWEIGHT) != 0,
		node->has_reweight && (!old->has_reweight || !hrw_reweight_same(node, old))},
	    {"healthy", (placement->traits & HRW_HEALTH) != 0,
		node->has_healthy &&
		    (!old->has_healthy || node->is_unhealthy != old->is_unhealthy)},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!rows[i].is_used && rows[i].is_new)
			return rows[i].name;
	return NULL;
}

void
hrw_fault_at_node(struct hrw_fault *fault, const struct hrw_node *node, const char *field, ...)
{
	char text[HRW_FAULT_FIELD];
	va_list values;

	va_start(values, field);
	vsnprintf(text, sizeof(text), field, values);
	va_end(values);
	hrw_fault_at(fault, "/nodes/%u/%s", node->listed, text);
}

const char *
hrw_hashed_field(const struct hrw_membership *m, const struct hrw_node *node)
{
	if (!node->hash_name_is_default)
		return "hash_name";
	return m->placement->hashed == HRW_HASHED_NAME ? "name" : "address";
}

int
hrw_fault_collision(struct hrw_fault *fault, const struct hrw_membership *m,
    const struct hrw_node *a, const struct hrw_node *b, const char *because)
{
	const struct hrw_node *later = a->listed > b->listed ? a : b;

	hrw_fault(fault, HRW_BAD_SERVER,
	    "\"%s\" and \"%s\" %s, so no key could tell them apart: choose %sa \"hash_name\" for "
	    "one of them",
	    a->name, b->name, because, m->placement->hashed == HRW_HASHED_NAME ? "a name or " : "");
	hrw_fault_at_node(fault, later, "%s", hrw_hashed_field(m, later));
	if (fault != NULL)
		fault->reason = "collision";
	return HRW_BAD_SERVER;
}

int
hrw_unused_fault(struct hrw_fault *fault, const struct hrw_placement *placement, const char *field)
{
	return hrw_fault(fault, HRW_BAD_FIELD, "%s uses no \"%s\" of a node: leave it out",
	    placement->name, field);
}

static int
check_unused(const struct hrw_placement *placement, const struct hrw_node *node, const char **field,
    struct hrw_fault *fault)
{
	const char *unused = hrw_unused_field(placement, node, NULL);

	if (unused == NULL)
		return 0;
	*field = unused;
	return hrw_unused_fault(fault, placement, unused);
}

static int
check_reweight(const struct hrw_node *node, struct hrw_fault *fault)
{
	char shown[HRW_NUMBER];

	if (!node->has_reweight || (node->reweight >= 0 && node->reweight <= 1))
		return 0;
	return hrw_fault(fault, HRW_BAD_FIELD,
	    "reweight %s is out of range: use 0 to 1, or leave it out",
	    hrw_show_number(node->reweight, shown));
}

int
hrw_node_check(const struct hrw_node *node, const struct hrw_placement *placement,
    const struct hrw_limits *limits, struct hrw_fault *fault)
{
	size_t name_limit = limits != NULL ? limits->name_bytes : HRW_NAME_BYTES_MAX;
	const char *field = "name";
	int rc;

	rc = hrw_check_name(hrw_text(node->name), name_limit, HRW_BAD_SERVER, fault);
	if (rc == 0 && node->address != NULL) {
		field = "address";
		rc = hrw_check_address(hrw_text(node->address), fault);
	}
	if (rc == 0) {
		field = "weight";
		rc = hrw_check_weight(node->weight, fault);
	}
	if (rc == 0 && node->zone != NULL) {
		field = "zone";
		rc = hrw_check_zone(hrw_text(node->zone), fault);
	}
	if (rc == 0) {
		field = "hash_name";
		rc = check_hash_name(node, fault);
	}
	if (rc == 0) {
		field = "reweight";
		rc = check_reweight(node, fault);
	}
	if (rc == 0 && limits != NULL)
		rc = check_unused(placement, node, &field, fault);
	if (rc == 0 && node->id < HRW_ID_UNSET) {
		field = "id";
		rc = hrw_fault(fault, HRW_BAD_FIELD,
		    "id %d is negative: use a whole number from 0 to %d, or leave it out", node->id,
		    INT32_MAX);
	}
	if (rc == 0 && (int)node->state != HRW_ACTIVE && (int)node->state != HRW_JOINING &&
	    (int)node->state != HRW_DRAINING) {
		field = "state";
		rc = hrw_fault(fault, HRW_BAD_FIELD,
		    "state %d is none: use active, joining or draining", (int)node->state);
	}
	if (rc < 0)
		hrw_fault_at(fault, "/%s", field);
	return rc;
}

static int
replace_text(char **field, const char *text, struct hrw_fault *fault)
{
	char *copy;

	if (!hrw_text_copy(&copy, text))
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	free(*field);
	*field = copy;
	return 0;
}

int
hrw_node_set_address(struct hrw_node *node, const char *address, struct hrw_fault *fault)
{
	int rc = address != NULL ? hrw_check_address(hrw_text(address), fault) : 0;

	return rc < 0 ? rc : replace_text(&node->address, address, fault);
}

int
hrw_node_set_zone(struct hrw_node *node, const char *zone, struct hrw_fault *fault)
{
	int rc = zone != NULL ? hrw_check_zone(hrw_text(zone), fault) : 0;

	return rc < 0 ? rc : replace_text(&node->zone, zone, fault);
}

int
hrw_node_set_weight(struct hrw_node *node, double weight, struct hrw_fault *fault)
{
	int rc = hrw_check_weight(weight, fault);

	if (rc == 0)
		node->weight = weight + 0.0; /* -0 becomes 0 */
	return rc;
}

bool
hrw_node_same(const struct hrw_node *a, const struct hrw_node *b)
{
	return hrw_text_same(a->address, b->address) && hrw_text_same(a->hash_name, b->hash_name) &&
	       a->hash_name_is_default == b->hash_name_is_default && a->id == b->id &&
	       a->is_empty == b->is_empty && hrw_node_is_untouched(a, b);
}

bool
hrw_node_is_untouched(const struct hrw_node *a, const struct hrw_node *b)
{
	return a->weight == b->weight && a->state == b->state && hrw_text_same(a->zone, b->zone) &&
	       hrw_reweight_same(a, b) && a->is_unhealthy == b->is_unhealthy &&
	       hrw_slots_same(a, b) && hrw_tokens_same(a, b);
}
