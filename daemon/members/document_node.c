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
	unsigned types;	 /* as answers give it, where only they have it */
};

enum {
	TEXT = 1u << JSON_STRING,
	NUMBER = 1u << JSON_NUMBER,
	FLAG = 1u << JSON_BOOL,
	NONE = 1u << JSON_NULL,
};

static const struct field fields[] = {
    {"name", NODE_NAME, "it is the node's identity: add a node of the new name instead", 0},
    {"id", NODE_ID, "it is fixed when the node joins", 0},
    {"address", NODE_ADDRESS, "", 0},
    {"weight", NODE_WEIGHT, "", 0},
    {"zone", NODE_ZONE, "", 0},
    {"state", NODE_STATE, "use drain, activate or rejoin", 0},
    {"hash_name", NODE_HASH_NAME, "it is fixed when the node joins", 0},
    {"slots", NODE_SLOTS, "", 0},
    {"tokens", NODE_TOKENS, "", 0},
    {"reweight", NODE_REWEIGHT, "", 0},
    {"healthy", NODE_HEALTHY, "", 0},
    {"state_since", 0, "", TEXT | NONE},
    {"joined_epoch", 0, "", NUMBER},
    {"empty", 0, "", FLAG},
    {"hash_name_default", 0, "", FLAG},
    {"share", 0, "", NUMBER},
    {"health", 0, "", ~0u},
    {"pool", 0, "", TEXT},
    {"epoch", 0, "", NUMBER},
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

const char *
document_field_name(unsigned field)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (fields[i].bit == field)
			return fields[i].name;
	return "";
}

/* The Unix time of "2026-01-02T03:04:05.678Z"; 0 where it is none. By hand: each
 * node has one, and a scanf of it was a twelfth of a start. */
static int64_t
time_read(const char *text)
{
	static const char form[] = "0000-00-00T00:00:00.000Z";
	int part[7] = {0}, at = 0;
	struct tm tm = {0};

	if (text == NULL || strlen(text) != sizeof(form) - 1)
		return 0;
	for (size_t i = 0; i < sizeof(form) - 1; i++) {
		if (form[i] == '0' && text[i] >= '0' && text[i] <= '9')
			part[at] = part[at] * 10 + (text[i] - '0');
		else if (form[i] == '0' || form[i] != text[i])
			return 0;
		else
			at++;
	}
	tm = (struct tm){.tm_year = part[0] - 1900,
	    .tm_mon = part[1] - 1,
	    .tm_mday = part[2],
	    .tm_hour = part[3],
	    .tm_min = part[4],
	    .tm_sec = part[5]};
	return (int64_t)timegm(&tm) * 1000 + part[6];
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

static int
members_read(const struct json *j, unsigned allowed, enum node_source source,
    const struct hrw_limits *limits, struct hrw_node *out, unsigned *set, struct hrw_fault *fault)
{
	json_each (member, j) {
		const struct field *field = field_find(json_name(member));
		int rc;

		if (field == NULL && source == NODE_FROM_STORE)
			continue;
		if (field == NULL || (field->bit == 0 && source == NODE_FROM_REQUEST))
			return stranger(j, allowed, fault);
		if (field->bit == 0) {
			rc = source == NODE_FROM_STORE ? 0
						       : json_as_given(member, field->types, fault);
			if (rc < 0)
				return rc;
			continue;
		}
		if ((field->bit & allowed) == 0)
			return json_fault(member, fault, HRW_BAD_FIELD,
			    "\"%s\" cannot be set here: %s", field->name, field->why);
		rc = document_field_read(member, field->bit, allowed, source, limits, out, fault);
		if (rc < 0)
			return rc;
		/* An address of null is one that was left out. */
		if (field->bit != NODE_ADDRESS || out->address != NULL)
			*set |= field->bit;
	}
	return 0;
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
	rc = members_read(j, allowed, source, limits, out, set, fault);
	if (rc < 0) {
		document_node_fini(out);
		return rc;
	}
	if (source == NODE_FROM_STORE) {
		int64_t joined = 0;

		out->is_empty = json_bool(json_get(j, "empty"));
		json_integer(json_get(j, "joined_epoch"), &joined);
		out->joined = (uint64_t)joined;
	}
	if (source != NODE_FROM_REQUEST) {
		out->hash_name_is_default = json_bool(json_get(j, "hash_name_default"));
		out->since_ms = time_read(json_text(json_get(j, "state_since")));
	}
	return 0;
}

void
document_node_fini(struct hrw_node *node)
{
	free(node->slots);
	free(node->tokens);
	node->slots = NULL;
	node->tokens = NULL;
}

int
document_node_read(const struct json *j, unsigned allowed, bool takes_answers,
    const struct hrw_limits *limits, struct hrw_node *out, unsigned *set, struct hrw_fault *fault)
{
	return document_node_from(j, allowed, takes_answers ? NODE_FROM_ANSWER : NODE_FROM_REQUEST,
	    limits, out, set, fault);
}

int
document_node_is_whole(
    const struct json *j, const struct hrw_node *node, bool needs_address, struct hrw_fault *fault)
{
	if (node->name == NULL) {
		json_lacks(j, "name", fault, HRW_BAD_SERVER,
		    "a node has no name: give it a \"name\", such as \"cache-a\"");
		return document_bad_name(fault);
	}
	if (node->address == NULL && needs_address)
		return json_lacks(j, "address", fault, HRW_BAD_ADDRESS,
		    "\"%s\" has no address: give it an \"address\" \"host:port\", such as "
		    "\"127.0.0.1:11211\"",
		    node->name);
	return 0;
}

static void
put_slots(struct json_out *o, const struct hrw_node *n)
{
	json_open_array(o, "slots");
	for (size_t i = 0; i < n->slot_count; i++) {
		json_open_array(o, NULL);
		json_put_count(o, NULL, n->slots[i].first);
		json_put_count(o, NULL, n->slots[i].last);
		json_close_array(o);
	}
	json_close_array(o);
}

/* As texts: readers with doubles for numbers would round them. */
static void
put_tokens(struct json_out *o, const struct hrw_node *n)
{
	char text[24];

	json_open_array(o, "tokens");
	for (size_t i = 0; i < n->token_count; i++) {
		snprintf(text, sizeof(text), "%lld", (long long)n->tokens[i]);
		json_put_text(o, NULL, text);
	}
	json_close_array(o);
}

void
document_node_write(struct json_out *o, const struct hrw_membership *m, size_t node)
{
	const struct hrw_node *n = &m->node[node];
	unsigned traits = m->placement->traits;

	json_put_text(o, "name", n->name);
	json_put_int(o, "id", n->id);
	json_put_text(o, "address", n->address);
	json_put_number(o, "weight", n->weight);
	json_put_text(o, "zone", n->zone);
	json_put_text(o, "state", hrw_state_name(n->state));
	json_put_time(o, "state_since", n->since_ms);
	if (n->joined != 0)
		json_put_count(o, "joined_epoch", n->joined);
	if (n->is_empty)
		json_put_bool(o, "empty", true);
	if (n->hash_name != NULL) {
		json_put_text(o, "hash_name", n->hash_name);
		json_put_bool(o, "hash_name_default", n->hash_name_is_default);
	}
	if (n->slots != NULL)
		put_slots(o, n);
	if (n->tokens != NULL)
		put_tokens(o, n);
	if (n->has_reweight || (traits & HRW_REWEIGHT) != 0)
		json_put_number(o, "reweight", n->has_reweight ? n->reweight : 1);
	if (n->is_unhealthy || (traits & HRW_HEALTH) != 0)
		json_put_bool(o, "healthy", !n->is_unhealthy);
}
