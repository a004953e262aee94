/*
 * document_field.c - one field of a node as JSON, by its type and its own rules.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/members/document_node.h"

/* The fault of a check, at the value's place in the body. */
static int
at(const struct json *j, struct hrw_fault *fault, enum hrw_error error)
{
	json_fault_at(j, fault);
	return error;
}

/* A wrong type: what it is, what it should be. */
static int
mistyped(const struct json *j, struct hrw_fault *fault, enum hrw_error error, const char *wanted)
{
	char shown[HRW_SHOWN];

	if (json_type(j) == JSON_NULL)
		return json_fault(
		    j, fault, error, "\"%s\" is null here: give it %s", json_name(j), wanted);
	return json_fault(j, fault, error, "\"%s\" is %s here, %s: give it %s", json_name(j),
	    json_type_name(json_type(j)), hrw_show(json_source(j), shown, sizeof(shown)), wanted);
}

int
document_bad_name(struct hrw_fault *fault)
{
	if (fault != NULL)
		fault->reason = "name";
	return HRW_BAD_SERVER;
}

/* Where the object may be of a node that is there, its name may be from before
 * the limit was lowered: whoever adds nodes binds those that are new. */
static int
read_name(const struct json *j, enum node_source source, const struct hrw_limits *limits,
    struct hrw_node *out, struct hrw_fault *fault)
{
	size_t limit = limits != NULL ? limits->name_bytes : HRW_NAME_BYTES_MAX;

	if (json_type(j) != JSON_STRING) {
		mistyped(j, fault, HRW_BAD_SERVER, "a name, such as \"cache-a\"");
		return document_bad_name(fault);
	}
	if ((source == NODE_FROM_REQUEST ||
		hrw_check_name(json_bytes(j), HRW_NAME_BYTES_MAX, HRW_BAD_SERVER, NULL) < 0) &&
	    hrw_check_name(json_bytes(j), limit, HRW_BAD_SERVER, fault) < 0)
		return at(j, fault, HRW_BAD_SERVER);
	out->name = (char *)json_text(j);
	return 0;
}

static int
read_address(
    const struct json *j, bool takes_answers, struct hrw_node *out, struct hrw_fault *fault)
{
	if (takes_answers && json_type(j) == JSON_NULL)
		return 0;
	if (json_type(j) != JSON_STRING)
		return mistyped(j, fault, HRW_BAD_ADDRESS, "a text \"host:port\"");
	if (hrw_check_address(json_bytes(j), fault) < 0)
		return at(j, fault, HRW_BAD_ADDRESS);
	out->address = (char *)json_text(j);
	return 0;
}

int
document_weight_read(const struct json *j, bool takes_null, double *weight, struct hrw_fault *fault)
{
	static const char wanted[] = "a number from 1e-6 to 1e9, or 0 for a node that takes no key";
	char shown[HRW_SHOWN];

	*weight = 1;
	if (takes_null && json_type(j) == JSON_NULL)
		return 0;
	if (json_type(j) != JSON_NUMBER)
		return mistyped(j, fault, HRW_BAD_WEIGHT, wanted);
	/* Shown as it was written: 1e400 would be shown as infinite. */
	if (hrw_check_weight(json_number(j), NULL) < 0)
		return json_fault(j, fault, HRW_BAD_WEIGHT, "%s is not a weight: use %s",
		    hrw_show(json_source(j), shown, sizeof(shown)), wanted);
	*weight = json_number(j);
	return 0;
}

static int
read_zone(const struct json *j, struct hrw_node *out, struct hrw_fault *fault)
{
	if (json_type(j) == JSON_NULL)
		return 0;
	if (json_type(j) != JSON_STRING)
		return mistyped(j, fault, HRW_BAD_ZONE, "a text, or null for none");
	if (hrw_check_zone(json_bytes(j), fault) < 0)
		return at(j, fault, HRW_BAD_ZONE);
	out->zone = (char *)json_text(j);
	return 0;
}

static int
read_state(const struct json *j, struct hrw_node *out, struct hrw_fault *fault)
{
	const char *text = json_text(j);
	int state = text != NULL ? hrw_state_from_name(text) : -1;
	char shown[HRW_SHOWN];

	if (json_type(j) != JSON_STRING)
		return mistyped(j, fault, HRW_BAD_FIELD, "\"active\", \"joining\" or \"draining\"");
	if (state < 0)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "state \"%s\" is none: use \"active\", \"joining\" or \"draining\"",
		    hrw_show(json_bytes(j), shown, sizeof(shown)));
	out->state = (enum hrw_state)state;
	return 0;
}

static int
read_id(const struct json *j, struct hrw_node *out, struct hrw_fault *fault)
{
	struct hrw_bytes source = json_source(j);
	char shown[HRW_SHOWN];
	int64_t id;

	if (json_type(j) != JSON_NUMBER)
		return mistyped(j, fault, HRW_BAD_FIELD, "a whole number, or leave it out");
	if (!json_integer(j, &id) || id < 0 || id > INT32_MAX)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "id %s is none: use a whole number from 0 to %d, or leave it out",
		    hrw_show(source, shown, sizeof(shown)), INT32_MAX);
	out->id = (int32_t)id;
	return 0;
}

static int
read_hash_name(const struct json *j, struct hrw_node *out, struct hrw_fault *fault)
{
	struct hrw_bytes text = json_bytes(j);

	if (json_type(j) != JSON_STRING)
		return mistyped(j, fault, HRW_BAD_FIELD, "a text, or leave it out");
	if (json_text(j) == NULL || text.len < 1 || text.len > HRW_HASH_NAME_BYTES_MAX)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "hash_name has %zu bytes%s: use 1 to %d without NUL, or leave it out", text.len,
		    json_text(j) == NULL ? ", a NUL among them" : "", HRW_HASH_NAME_BYTES_MAX);
	out->hash_name = (char *)json_text(j);
	return 0;
}

static int
range_read(const struct json *j, struct hrw_range *out, struct hrw_fault *fault)
{
	const struct json *first = json_first(j), *last = first != NULL ? json_next(first) : NULL;
	char shown[HRW_SHOWN];
	int64_t from, to;

	if (json_type(j) != JSON_ARRAY || json_count(j) != 2 || !json_integer(first, &from) ||
	    !json_integer(last, &to) || from < 0 || to < from || to > UINT32_MAX)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "%s is no range of slots: use pairs [first, last] of whole numbers, both "
		    "included, such as [0, 5460]",
		    hrw_show(json_source(j), shown, sizeof(shown)));
	*out = (struct hrw_range){(uint32_t)from, (uint32_t)to};
	return 0;
}

static int
read_slots(const struct json *j, struct hrw_node *out, struct hrw_fault *fault)
{
	int rc = 0;

	if (json_type(j) == JSON_NULL)
		return 0;
	if (json_type(j) != JSON_ARRAY)
		return mistyped(j, fault, HRW_BAD_FIELD, "a list of pairs [first, last]");
	out->slots = calloc(json_count(j) + 1, sizeof(*out->slots));
	if (out->slots == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	json_each (range, j) {
		rc = range_read(range, &out->slots[out->slot_count], fault);
		if (rc < 0)
			break;
		out->slot_count++;
	}
	return rc;
}

/* A signed 64-bit number as decimal text, as it would be written. */
static bool
token_parse(const char *text, int64_t *out)
{
	char again[24], *end;

	if (text == NULL)
		return false;
	errno = 0;
	*out = strtoll(text, &end, 10);
	snprintf(again, sizeof(again), "%lld", (long long)*out);
	return errno == 0 && *end == '\0' && strcmp(again, text) == 0;
}

static int
read_tokens(const struct json *j, struct hrw_node *out, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];

	if (json_type(j) == JSON_NULL)
		return 0;
	if (json_type(j) != JSON_ARRAY)
		return mistyped(j, fault, HRW_BAD_FIELD, "a list of numbers as decimal texts");
	out->tokens = calloc(json_count(j) + 1, sizeof(*out->tokens));
	if (out->tokens == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	json_each (token, j) {
		if (!token_parse(json_text(token), &out->tokens[out->token_count]))
			return json_fault(token, fault, HRW_BAD_FIELD,
			    "token %s is not a signed 64-bit number as decimal text, such as "
			    "\"-9223372036854775808\"",
			    hrw_show(json_source(token), shown, sizeof(shown)));
		out->token_count++;
	}
	return 0;
}

static int
read_reweight(const struct json *j, struct hrw_node *out, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];

	if (json_type(j) == JSON_NULL)
		return 0;
	if (json_type(j) != JSON_NUMBER || !(json_number(j) >= 0 && json_number(j) <= 1))
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "reweight is %s here: use a number from 0 to 1, or null",
		    hrw_show(json_source(j), shown, sizeof(shown)));
	out->has_reweight = true;
	out->reweight = json_number(j);
	return 0;
}

static int
read_healthy(const struct json *j, struct hrw_node *out, struct hrw_fault *fault)
{
	if (json_type(j) == JSON_NULL)
		return 0;
	if (json_type(j) != JSON_BOOL)
		return mistyped(j, fault, HRW_BAD_FIELD, "true or false");
	out->has_healthy = true;
	out->is_unhealthy = !json_bool(j);
	return 0;
}

int
document_field_read(const struct json *j, unsigned bit, unsigned allowed, enum node_source source,
    const struct hrw_limits *limits, struct hrw_node *out, struct hrw_fault *fault)
{
	switch (bit) {
	case NODE_NAME:
		return read_name(j, source, limits, out, fault);
	case NODE_ADDRESS:
		return read_address(j, source != NODE_FROM_REQUEST, out, fault);
	case NODE_WEIGHT:
		return document_weight_read(j, (allowed & NODE_NAME) == 0, &out->weight, fault);
	case NODE_ZONE:
		return read_zone(j, out, fault);
	case NODE_STATE:
		return read_state(j, out, fault);
	case NODE_ID:
		return read_id(j, out, fault);
	case NODE_SLOTS:
		return read_slots(j, out, fault);
	case NODE_TOKENS:
		return read_tokens(j, out, fault);
	case NODE_REWEIGHT:
		return read_reweight(j, out, fault);
	case NODE_HEALTHY:
		return read_healthy(j, out, fault);
	default:
		return read_hash_name(j, out, fault);
	}
}
