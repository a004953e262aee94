/*
 * document_terms.c - what an operator sets for a pool beside its membership.
 */
#include "daemon/members/document.h"

static const struct {
	enum pool_term term;
	const char *name;
} names[] = {
    {TERM_MAX_MOVED, "max_moved"},
    {TERM_SETTLES_AFTER, "settles_after"},
    {TERM_MAX_TTL, "max_ttl"},
};

enum { NAMES = sizeof(names) / sizeof(names[0]) };

const char *
document_term_name(enum pool_term term)
{
	for (size_t i = 0; i < NAMES; i++)
		if (names[i].term == term)
			return names[i].name;
	return "";
}

static int
part_read(const struct json *j, double *part, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];

	*part = -1;
	if (json_type(j) == JSON_NULL)
		return 0;
	if (json_type(j) != JSON_NUMBER || !(json_number(j) >= 0 && json_number(j) <= 1))
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "max_moved %s is not a part of 1: use a number from 0 to 1, or null for none",
		    hrw_show(json_source(j), shown, sizeof(shown)));
	*part = json_number(j);
	return 0;
}

static int
seconds_read(const struct json *j, const char *name, uint32_t *seconds, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];
	int64_t number;

	*seconds = 0;
	if (json_type(j) == JSON_NULL)
		return 0;
	if (!json_integer(j, &number) || number < 1 || number > POOL_SECONDS_MAX)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "%s %s is not a number of seconds: use a whole number from 1 to %d, or null "
		    "for "
		    "none",
		    name, hrw_show(json_source(j), shown, sizeof(shown)), POOL_SECONDS_MAX);
	*seconds = (uint32_t)number;
	return 0;
}

int
document_terms_read(
    const struct json *j, struct pool_terms *terms, unsigned *set, struct hrw_fault *fault)
{
	int rc = 0;

	*set = 0;
	for (size_t i = 0; rc == 0 && i < NAMES; i++) {
		const struct json *value = json_get(j, names[i].name);

		if (value == NULL)
			continue;
		*set |= names[i].term;
		switch (names[i].term) {
		case TERM_MAX_MOVED:
			rc = part_read(value, &terms->max_moved, fault);
			break;
		case TERM_SETTLES_AFTER:
			rc = seconds_read(value, names[i].name, &terms->settles_after, fault);
			break;
		case TERM_MAX_TTL:
			rc = seconds_read(value, names[i].name, &terms->max_ttl, fault);
			break;
		}
	}
	return rc;
}

void
document_terms_write(struct json_out *o, const struct pool_terms *terms)
{
	if (terms->max_moved < 0)
		json_put_null(o, "max_moved");
	else
		json_put_number(o, "max_moved", terms->max_moved);
	json_put_count_or_null(o, "settles_after", terms->settles_after);
	json_put_count_or_null(o, "max_ttl", terms->max_ttl);
}

unsigned
document_terms_differing(const struct pool_terms *a, const struct pool_terms *b)
{
	unsigned set = 0;

	if (a->max_moved != b->max_moved)
		set |= TERM_MAX_MOVED;
	if (a->settles_after != b->settles_after)
		set |= TERM_SETTLES_AFTER;
	if (a->max_ttl != b->max_ttl)
		set |= TERM_MAX_TTL;
	return set;
}
