/*
 * document_node.c - one node as JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "daemon/members/document_node.h"

struct field {
	const char *name;
	unsigned bit;	 /* of enum node_field; 0: only answers have it */
	const char *why; /* it may not be set where it is not allowed */
};

/* In the order in which node objects are written. */
static const struct field fields[] = {
    {"name", NODE_NAME, "it is the node's identity: add a node of the new name instead"},
    {"id", NODE_ID, "it is fixed when the node joins"},
    {"address", NODE_ADDRESS, ""},
    {"weight", NODE_WEIGHT, ""},
    {"zone", NODE_ZONE, ""},
    {"state", NODE_STATE, "use drain, activate or rejoin"},
    {"hash_name", NODE_HASH_NAME, "it is fixed when the node joins"},
    {"state_since", 0, ""},
    {"hash_name_default", 0, ""},
    {"share", 0, ""},
    {"health", 0, ""},
    {"healthy", 0, ""},
    {"pool", 0, ""},
    {"epoch", 0, ""},
};

enum { FIELDS = sizeof(fields) / sizeof(fields[0]) };

static const struct field *
field_find(const char *name)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (strcmp(fields[i].name, name) == 0)
			return &fields[i];
	return NULL;
}

/* The fault of a check, at the value's place in the body. */
static int
at(const struct json *j, struct hrw_fault *fault)
{
	char pointer[HRW_FAULT_FIELD];

	json_pointer(j, pointer, sizeof(pointer));
	return hrw_fault_at(fault, "%s", pointer);
}

/* A wrong type: what it is, what it should be. */
static int
mistyped(const struct json *j, struct hrw_fault *fault, enum hrw_error error, const char *wanted)
{
	return json_fault(j, fault, error, "\"%s\" is %s: give it %s", json_name(j),
	    json_type_name(json_type(j)), wanted);
}

/* Marks a BAD_SERVER as one of the name, not of a clash. */
static int
bad_name(struct hrw_fault *fault)
{
	if (fault != NULL)
		fault->reason = "name";
	return HRW_BAD_SERVER;
}

static int
read_name(const struct json *j, const struct hrw_limits *limits, struct hrw_node *out,
    struct hrw_fault *fault)
{
	size_t limit = limits != NULL ? limits->name_bytes : HRW_NAME_BYTES_MAX;

	if (json_type(j) != JSON_STRING) {
		mistyped(j, fault, HRW_BAD_SERVER, "a name, such as \"cache-a\"");
		return bad_name(fault);
	}
	if (hrw_check_name(json_bytes(j), limit, HRW_BAD_SERVER, fault) < 0)
		return at(j, fault);
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
		return at(j, fault);
	out->address = (char *)json_text(j);
	return 0;
}

static int
read_weight(const struct json *j, bool is_patch, struct hrw_node *out, struct hrw_fault *fault)
{
	if (is_patch && json_type(j) == JSON_NULL)
		return 0;
	if (json_type(j) != JSON_NUMBER)
		return mistyped(j, fault, HRW_BAD_WEIGHT, "a number: 0, or from 1e-6 to 1e9");
	if (hrw_check_weight(json_number(j), fault) < 0)
		return at(j, fault);
	out->weight = json_number(j);
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
		return at(j, fault);
	out->zone = (char *)json_text(j);
	return 0;
}

static int
read_state(const struct json *j, bool may_drain, struct hrw_node *out, struct hrw_fault *fault)
{
	const char *text = json_text(j);
	int state = text != NULL ? hrw_state_from_name(text) : -1;
	char shown[HRW_SHOWN];

	if (json_type(j) != JSON_STRING)
		return mistyped(j, fault, HRW_BAD_FIELD, "\"active\" or \"joining\"");
	if (state < 0 || (state == HRW_DRAINING && !may_drain))
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "state \"%s\" is not one to give here: "
		    "use \"active\"%s \"joining\"%s",
		    hrw_show(json_bytes(j), shown, sizeof(shown)), may_drain ? "," : " or",
		    may_drain ? " or \"draining\"" : ", and drain the node once it is there");
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

/* What went before "2026-01-02T03:04:05.678Z"; 0 where it is none. */
static int64_t
time_read(const char *text)
{
	struct tm tm = {0};
	int ms = 0;

	if (text == NULL || sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ", &tm.tm_year, &tm.tm_mon,
				&tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ms) != 7)
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	return (int64_t)timegm(&tm) * 1000 + ms;
}

/* One member that is allowed. */
static int
read_field(const struct json *j, unsigned bit, unsigned allowed, enum node_source source,
    const struct hrw_limits *limits, struct hrw_node *out, struct hrw_fault *fault)
{
	switch (bit) {
	case NODE_NAME:
		return read_name(j, limits, out, fault);
	case NODE_ADDRESS:
		return read_address(j, source != NODE_FROM_REQUEST, out, fault);
	case NODE_WEIGHT:
		return read_weight(j, (allowed & NODE_NAME) == 0, out, fault);
	case NODE_ZONE:
		return read_zone(j, out, fault);
	case NODE_STATE:
		return read_state(j, (allowed & NODE_DRAINING) != 0, out, fault);
	case NODE_ID:
		return read_id(j, out, fault);
	default:
		return read_hash_name(j, out, fault);
	}
}

/* The fault of a member that no node object has. */
static int
stranger(const struct json *object, unsigned allowed, struct hrw_fault *fault)
{
	const char *names[FIELDS + 1];
	size_t count = 0;

	for (size_t i = 0; i < FIELDS; i++)
		if ((fields[i].bit & allowed) != 0)
			names[count++] = fields[i].name;
	names[count] = NULL;
	return json_only(object, names, fault);
}

int
document_node_from(const struct json *j, unsigned allowed, enum node_source source,
    const struct hrw_limits *limits, struct hrw_node *out, unsigned *set, struct hrw_fault *fault)
{
	int rc;

	*out = (struct hrw_node){.weight = 1, .id = HRW_ID_UNSET, .state = HRW_ACTIVE};
	*set = 0;
	if (json_type(j) != JSON_OBJECT)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "a node is %s here: give an object such as {\"name\":\"cache-a\","
		    "\"address\":\"127.0.0.1:11211\"}",
		    json_type_name(json_type(j)));
	json_each (member, j) {
		const struct field *field = field_find(json_name(member));

		if (field == NULL && source == NODE_FROM_STORE)
			continue;
		if (field == NULL || (field->bit == 0 && source == NODE_FROM_REQUEST))
			return stranger(j, allowed, fault);
		if (field->bit == 0)
			continue;
		if ((field->bit & allowed) == 0)
			return json_fault(member, fault, HRW_BAD_FIELD,
			    "\"%s\" cannot be set here: %s", field->name, field->why);
		rc = read_field(member, field->bit, allowed, source, limits, out, fault);
		if (rc < 0)
			return rc;
		/* An address of null is one that was left out. */
		if (field->bit != NODE_ADDRESS || out->address != NULL)
			*set |= field->bit;
	}
	if ((allowed & NODE_NAME) != 0 && out->name == NULL) {
		json_fault(j, fault, HRW_BAD_SERVER,
		    "a node has no name: give it a \"name\", such as \"cache-a\"");
		return bad_name(fault);
	}
	if (source != NODE_FROM_REQUEST) {
		out->hash_name_is_default = json_bool(json_get(j, "hash_name_default"));
		out->since_ms = time_read(json_text(json_get(j, "state_since")));
	}
	return 0;
}

int
document_node_read(const struct json *j, unsigned allowed, bool takes_answers,
    const struct hrw_limits *limits, struct hrw_node *out, unsigned *set, struct hrw_fault *fault)
{
	return document_node_from(j, allowed, takes_answers ? NODE_FROM_ANSWER : NODE_FROM_REQUEST,
	    limits, out, set, fault);
}

int
document_node_needs_address(
    const struct json *j, const char *name, unsigned set, struct hrw_fault *fault)
{
	if ((set & NODE_ADDRESS) != 0)
		return 0;
	return json_fault(j, fault, HRW_BAD_ADDRESS,
	    "\"%s\" has no address: give it an \"address\" \"host:port\", such as "
	    "\"127.0.0.1:11211\"",
	    name);
}

void
document_node_write(struct json_out *o, const struct hrw_membership *m, size_t node)
{
	const struct hrw_node *n = &m->node[node];

	json_put_text(o, "name", n->name);
	json_put_int(o, "id", n->id);
	json_put_text(o, "address", n->address);
	json_put_number(o, "weight", n->weight);
	json_put_text(o, "zone", n->zone);
	json_put_text(o, "state", hrw_state_name(n->state));
	json_put_time(o, "state_since", n->since_ms);
	if (n->hash_name != NULL) {
		json_put_text(o, "hash_name", n->hash_name);
		json_put_bool(o, "hash_name_default", n->hash_name_is_default);
	}
}
