/*
 * document.c - a whole pool as JSON, and back.
 */
#include <stdlib.h>

#include "core/node.h"
#include "core/range.h"
#include "daemon/members/document_node.h"

/* What a pool object may say; the rest of what answers show is passed over. */
static const char *const pool_names[] = {"placement", "copies", "max_moved", "settles_after",
    "max_ttl", "nodes", "name", "pool", "epoch", "lineage", "fingerprint", "settled", "only_joins",
    "keys", NULL};

/* Of these, what only answers have, as they give it. */
static const struct {
	const char *name;
	unsigned types; /* bits by enum json_type */
} read_only[] = {
    {"name", 1u << JSON_STRING},
    {"pool", 1u << JSON_STRING},
    {"epoch", 1u << JSON_NUMBER},
    {"lineage", 1u << JSON_STRING},
    {"fingerprint", 1u << JSON_STRING},
    {"settled", 1u << JSON_BOOL | 1u << JSON_OBJECT},
    {"only_joins", 1u << JSON_BOOL},
    {"keys", 1u << JSON_NUMBER | 1u << JSON_NULL},
};

static int
check_read_only(const struct json *j, struct hrw_fault *fault)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(read_only) / sizeof(read_only[0]); i++)
		rc = json_as_given(json_get(j, read_only[i].name), read_only[i].types, fault);
	return rc;
}

static int
no_memory(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_INTERNAL, "out of memory");
}

int
document_copies_read(const struct json *j, const struct hrw_limits *limits, unsigned *copies,
    struct hrw_fault *fault)
{
	size_t limit = limits != NULL ? limits->copies : HRW_COPIES_MAX;
	char shown[HRW_SHOWN], range[HRW_RANGE_SHOWN];
	int64_t number;

	if (!json_integer(j, &number) || number < 1 || (uint64_t)number > limit)
		return json_fault(j, fault, HRW_BAD_COPIES,
		    "%s is not a number of copies: use %s, or raise limits.copies "
		    "(to %d at most)",
		    hrw_show(json_source(j), shown, sizeof(shown)),
		    hrw_show_whole_range(1, limit, range), HRW_COPIES_MAX);
	*copies = (unsigned)number;
	return 0;
}

int
document_twice(const struct hrw_node *node, size_t count, size_t *at, const char **field,
    struct hrw_fault *fault)
{
	size_t by;

	if (hrw_find_taken(node, count, false, &by, at) < 0)
		return no_memory(fault);
	if (*at == count)
		return 0;
	if (strcmp(node[by].name, node[*at].name) == 0) {
		*field = "name";
		hrw_fault(fault, HRW_BAD_SERVER,
		    "\"%s\" is listed twice: leave one of them out, or rename it", node[by].name);
		if (fault != NULL)
			fault->reason = "name";
		return HRW_BAD_SERVER;
	}
	*field = "id";
	return hrw_fault(fault, HRW_BAD_SERVER,
	    "id %d is listed twice, for \"%s\" and \"%s\": give one of them another, or leave it "
	    "out",
	    node[by].id, node[by].name, node[*at].name);
}

/* No name stands in a list twice, nor an id. */
static int
check_twice(const struct json *array, const struct document_parts *parts, struct hrw_fault *fault)
{
	const struct json *again = json_first(array);
	const char *field;
	size_t at;
	int rc = document_twice(parts->node, parts->count, &at, &field, fault);

	if (rc != HRW_BAD_SERVER)
		return rc;
	while (at-- > 0)
		again = json_next(again);
	json_fault_at(json_get(again, field), fault);
	return rc;
}

static int
nodes_read(const struct json *array, enum node_source source, const struct hrw_limits *limits,
    struct document_parts *out, struct hrw_fault *fault)
{
	size_t count = json_count(array);
	int rc;

	if (json_type(array) != JSON_ARRAY)
		return json_fault(array, fault, HRW_BAD_FIELD,
		    "nodes is %s: give a list of node objects", json_type_name(json_type(array)));
	out->node = calloc(count + 1, sizeof(*out->node));
	out->set = calloc(count + 1, sizeof(*out->set));
	if (out->node == NULL || out->set == NULL)
		return no_memory(fault);
	json_each (j, array) {
		struct hrw_node *node = &out->node[out->count];
		unsigned *set = &out->set[out->count];

		rc = document_node_from(j, NODE_FIELDS, source, limits, node, set, fault);
		if (rc < 0)
			return rc;
		out->count++;
		rc = document_node_is_whole(j, node, source != NODE_FROM_STORE, fault);
		if (rc < 0)
			return rc;
	}
	return check_twice(array, out, fault);
}

/* The template of a pool object: placement, parameters, copies. */
static int
template_read(const struct json *j, bool is_stored, const struct hrw_limits *limits,
    struct document_parts *out, struct hrw_fault *fault)
{
	const struct json *placement = json_get(j, "placement"), *copies = json_get(j, "copies");
	unsigned number = 1;
	int rc = 0;

	if (copies != NULL)
		rc = document_copies_read(copies, limits, &number, fault);
	if (rc < 0)
		return rc;
	out->template = placement != NULL
			    ? document_placement_read(placement, is_stored, number, fault)
			    : hrw_membership_new(hrw_placements[0], number);
	if (out->template != NULL)
		return 0;
	if (placement == NULL)
		return no_memory(fault);
	return fault != NULL ? (int)fault->error : HRW_BAD_FIELD;
}

int
document_parts_read(const struct json *j, bool is_stored, const struct hrw_limits *limits,
    struct document_parts *out, struct hrw_fault *fault)
{
	enum node_source source = is_stored ? NODE_FROM_STORE : NODE_FROM_ANSWER;
	const struct json *nodes = json_get(j, "nodes");
	unsigned set;
	int rc = 0;

	*out = (struct document_parts){.terms = pool_no_terms};
	if (json_type(j) != JSON_OBJECT)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "a pool is %s: give an object with \"placement\", \"copies\" and \"nodes\"",
		    json_type_name(json_type(j)));
	if (!is_stored)
		rc = json_only(j, pool_names, fault);
	if (!is_stored && rc == 0)
		rc = check_read_only(j, fault);
	if (rc == 0)
		rc = document_terms_read(j, &out->terms, &set, fault);
	if (rc == 0)
		rc = template_read(j, is_stored, is_stored ? NULL : limits, out, fault);
	if (rc == 0 && nodes != NULL)
		rc = nodes_read(nodes, source, is_stored ? NULL : limits, out, fault);
	if (rc < 0)
		document_parts_fini(out);
	return rc;
}

int
document_list_read(const struct json *array, const struct hrw_limits *limits,
    struct document_parts *out, struct hrw_fault *fault)
{
	int rc;

	*out = (struct document_parts){.terms = pool_no_terms};
	rc = nodes_read(array, NODE_FROM_ANSWER, limits, out, fault);
	if (rc < 0)
		document_parts_fini(out);
	return rc;
}

void
document_parts_fini(struct document_parts *parts)
{
	hrw_membership_free(parts->template);
	for (size_t i = 0; i < parts->count; i++)
		document_node_fini(&parts->node[i]);
	free(parts->node);
	free(parts->set);
	*parts = (struct document_parts){.terms = pool_no_terms};
}

/* Puts the parts together: a draft with the nodes in it. */
static struct hrw_membership *
assemble(const struct json *j, struct document_parts *parts, const struct hrw_limits *limits,
    struct hrw_fault *fault)
{
	struct hrw_membership *m = parts->template;
	char field[HRW_FAULT_FIELD], pointer[HRW_FAULT_FIELD];
	size_t at = 0;
	int rc;

	parts->template = NULL;
	rc = hrw_membership_add_all(m, parts->node, parts->count, limits, &at, fault);
	if (rc < 0) {
		if (fault != NULL) {
			memcpy(field, fault->field, sizeof(field));
			json_pointer(j, pointer, sizeof(pointer));
			hrw_fault_at(fault, "%s/nodes/%zu%s", pointer, at, field);
		}
		hrw_membership_free(m);
		return NULL;
	}
	return m;
}

struct hrw_membership *
document_pool_read(const struct json *j, const struct hrw_limits *limits, struct pool_terms *terms,
    struct hrw_fault *fault)
{
	struct document_parts parts;
	struct hrw_membership *m;

	if (document_parts_read(j, false, limits, &parts, fault) < 0)
		return NULL;
	*terms = parts.terms;
	m = assemble(j, &parts, limits, fault);
	document_parts_fini(&parts);
	return m;
}

/* One membership of a stored document, frozen. */
static struct hrw_membership *
membership_load(const struct json *j, struct pool_terms *terms, struct hrw_fault *fault)
{
	struct document_parts parts;
	struct hrw_membership *m;

	if (document_parts_read(j, true, NULL, &parts, fault) < 0)
		return NULL;
	*terms = parts.terms;
	m = assemble(j, &parts, NULL, fault);
	document_parts_fini(&parts);
	if (m != NULL && hrw_membership_freeze(m, NULL, fault) < 0) {
		hrw_membership_free(m);
		return NULL;
	}
	return m;
}

/* Members of a stored document that pool_names lacks. */
static const char *const stored_names[] = {"format", "min_reader", "settling", "made_ms", NULL};

static bool
is_among(const char *const *names, const char *name)
{
	for (; *names != NULL; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

/* The members that this version does not know, as they stand: "a":1,"b":[2].
 * NULL in *out when there is none. */
static int
extra_load(const struct json *root, char **out, struct hrw_fault *fault)
{
	struct buffer text = {0};
	struct json_out o = json_out(&text);

	*out = NULL;
	json_each (member, root)
		if (!is_among(pool_names, json_name(member)) &&
		    !is_among(stored_names, json_name(member)))
			json_put_raw(&o, json_name(member), json_source(member));
	if (text.len == 0 && !text.failed)
		return 0;
	*out = buffer_take(&text);
	return *out != NULL ? 0 : no_memory(fault);
}

static void
clocks_load(const struct json *list, struct pool_clocks *clocks)
{
	json_each (j, list) {
		int64_t epoch, at_ms;

		if (clocks->count < POOL_CLOCKS && json_integer(json_get(j, "epoch"), &epoch) &&
		    json_integer(json_get(j, "at_ms"), &at_ms))
			clocks->at[clocks->count++] = (struct pool_clock){(uint64_t)epoch, at_ms};
	}
}

/* Both memberships and what goes with them. */
static struct pool *
pool_load(const char *name, const struct json *root, struct hrw_fault *fault)
{
	const struct json *settled_json = json_get(root, "settled");
	const char *lineage = json_text(json_get(root, "lineage"));
	struct hrw_membership *present = NULL, *settled = NULL;
	struct pool *pool = NULL;
	char *extra = NULL;
	struct pool_terms terms, ignored;
	int64_t epoch;

	if (!json_integer(json_get(root, "epoch"), &epoch) || epoch < 1 || lineage == NULL ||
	    strlen(lineage) != POOL_LINEAGE) {
		hrw_fault(fault, HRW_STORE_FAILED, "it has no epoch or no lineage");
		return NULL;
	}
	if (extra_load(root, &extra, fault) < 0)
		return NULL;
	present = settled = membership_load(root, &terms, fault);
	if (present != NULL && settled_json != NULL && json_type(settled_json) == JSON_OBJECT)
		settled = membership_load(settled_json, &ignored, fault);
	if (present == NULL || settled == NULL) {
		hrw_membership_free(present);
		free(extra);
		return NULL;
	}
	pool = pool_new(name, (uint64_t)epoch, lineage, &terms, present, settled);
	if (pool == NULL) {
		no_memory(fault);
		free(extra);
		return NULL;
	}
	pool->extra = extra;
	pool->only_joins = pool->only_joins || json_bool(json_get(root, "only_joins"));
	clocks_load(json_get(root, "settling"), &pool->clocks);
	json_integer(json_get(root, "made_ms"), &pool->made_ms);
	return pool;
}

struct pool *
document_load(const char *name, const char *document, struct hrw_fault *fault)
{
	struct hrw_fault inner = {0};
	struct json *root = json_parse(hrw_text(document), JSON_STORED, &inner);
	struct pool *pool = NULL;
	int64_t format, reader;

	if (root != NULL) {
		if (!json_integer(json_get(root, "format"), &format) ||
		    !json_integer(json_get(root, "min_reader"), &reader))
			hrw_fault(&inner, HRW_STORE_FAILED, "it has no format or min_reader");
		else if (reader > DOCUMENT_READER)
			hrw_fault(&inner, HRW_STORE_FAILED,
			    "it is from a newer version and needs reader %lld, this one is %d: run "
			    "that version, or go back to a copy of the store",
			    (long long)reader, DOCUMENT_READER);
		else
			pool = pool_load(name, root, &inner);
	}
	if (pool == NULL)
		hrw_fault(fault, HRW_STORE_FAILED, "the document of pool \"%s\" cannot be read: %s",
		    name, inner.detail);
	json_free(root);
	return pool;
}

static void
membership_write(struct json_out *o, const struct hrw_membership *m)
{
	document_placement_write(o, "placement", m);
	json_put_count(o, "copies", m->copies);
	json_open_array(o, "nodes");
	for (size_t i = 0; i < m->count; i++) {
		json_open_object(o, NULL);
		document_node_write(o, m, i);
		json_close_object(o);
	}
	json_close_array(o);
}

void
document_pool_write(struct json_out *o, const struct pool *pool)
{
	membership_write(o, pool->present);
	document_terms_write(o, &pool->terms);
	json_put_count(o, "epoch", pool->epoch);
	json_put_text(o, "lineage", pool->lineage);
	json_put_text(o, "fingerprint", pool->fingerprint);
	if (pool_is_settled(pool)) {
		json_put_bool(o, "settled", true);
		return;
	}
	json_open_object(o, "settled");
	membership_write(o, pool->settled);
	json_close_object(o);
	json_put_bool(o, "only_joins", pool->only_joins);
}

/* A reader that knows no empty nodes would call them warm. */
static int
min_reader(const struct pool *pool)
{
	for (size_t i = 0; i < pool->settled->count; i++)
		if (pool->settled->node[i].is_empty)
			return DOCUMENT_READER;
	return 1;
}

static void
clocks_write(struct json_out *o, const struct pool_clocks *clocks)
{
	json_open_array(o, "settling");
	for (size_t i = 0; i < clocks->count; i++) {
		json_open_object(o, NULL);
		json_put_count(o, "epoch", clocks->at[i].epoch);
		json_put_int(o, "at_ms", clocks->at[i].at_ms);
		json_close_object(o);
	}
	json_close_array(o);
}

char *
document_store(const struct pool *pool)
{
	struct buffer text = {0};
	struct json_out o = json_out(&text);

	json_open_object(&o, NULL);
	json_put_int(&o, "format", DOCUMENT_FORMAT);
	json_put_int(&o, "min_reader", min_reader(pool));
	document_pool_write(&o, pool);
	json_put_int(&o, "made_ms", pool->made_ms);
	if (pool->clocks.count > 0)
		clocks_write(&o, &pool->clocks);
	if (pool->extra != NULL)
		buffer_printf(&text, ",%s", pool->extra);
	json_close_object(&o);
	return buffer_take(&text);
}
