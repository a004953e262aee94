/*
 * placed.c - pools under other placements than the default one.
 */
#include "tests/dsl/placed.h"

#include <check.h>
#include <stdlib.h>

static uint64_t
choice(const struct hrw_param *param, const char *text)
{
	for (uint64_t i = 0; param->choices[i] != NULL; i++)
		if (strcmp(param->choices[i], text) == 0)
			return i;
	ck_abort_msg("%s: no \"%s\"", param->name, text);
	return 0;
}

static void
set_param(const struct hrw_param *param, struct hrw_value *value, char *text)
{
	char *item;

	value->is_given = true;
	switch (param->type) {
	case HRW_PARAM_CHOICE:
		value->number = choice(param, text);
		break;
	case HRW_PARAM_SET:
		value->number = 0;
		while ((item = strsep(&text, ",")) != NULL)
			if (*item != '\0')
				value->number |= UINT64_C(1) << choice(param, item);
		break;
	case HRW_PARAM_TEXT:
		value->text = strdup(text);
		break;
	default:
		value->number = strtoull(text, NULL, 10);
	}
}

struct hrw_membership *
placed(const char *placement, const char *nodes)
{
	struct hrw_membership *m = draft(nodes);
	char *copy = strdup(placement), *rest = copy, *word = strsep(&rest, " ");

	hrw_membership_set_placement(m, hrw_placement_find(word));
	while ((word = strsep(&rest, " ")) != NULL) {
		const char *name = strsep(&word, "=");
		size_t i = 0;

		while (strcmp(m->placement->params[i].name, name) != 0)
			i++;
		set_param(&m->placement->params[i], &m->param[i], word);
	}
	free(copy);
	return m;
}

void
give_slots(struct hrw_membership *m, const char *name, uint32_t first, uint32_t last)
{
	struct hrw_node *node = hrw_membership_find(m, name);

	node->slots = realloc(node->slots, (node->slot_count + 1) * sizeof(*node->slots));
	node->slots[node->slot_count++] = (struct hrw_range){first, last};
}

void
give_token(struct hrw_membership *m, const char *name, int64_t token)
{
	struct hrw_node *node = hrw_membership_find(m, name);

	node->tokens = realloc(node->tokens, (node->token_count + 1) * sizeof(*node->tokens));
	node->tokens[node->token_count++] = token;
}

void
give_host(struct hrw_membership *m, const char *name, int32_t id, double weight)
{
	struct hrw_value *value = m->param;

	for (size_t i = 0; m->placement->params[i].type != HRW_PARAM_HOSTS; i++)
		value++;
	value->is_given = true;
	value->host = realloc(value->host, (value->host_count + 1) * sizeof(*value->host));
	value->host[value->host_count++] = (struct hrw_host){.name = strdup(name),
	    .has_id = id != 0,
	    .id = id,
	    .has_weight = weight >= 0,
	    .weight = weight};
}

void
give_hash_name(struct hrw_membership *m, const char *name, const char *text)
{
	struct hrw_node *node = hrw_membership_find(m, name);

	free(node->hash_name);
	node->hash_name = strdup(text);
	node->hash_name_is_default = false;
}

void
refused(struct hrw_membership *m, int error, const char *field)
{
	struct hrw_fault fault = {0};

	ck_assert_int_eq(hrw_membership_freeze(m, NULL, &fault), error);
	ck_assert_str_eq(fault.field, field);
	ck_assert_str_ne(fault.detail, "");
	hrw_membership_free(m);
}
