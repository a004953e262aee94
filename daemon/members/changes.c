/*
 * changes.c - the single changes of a kept plan, computed anew.
 *
 * They are not stored: the two memberships and the key set determine them.
 */
#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <time.h>

#include "daemon/csv.h"
#include "daemon/json.h"
#include "daemon/members/document.h"
#include "daemon/members/report_impl.h"

/* A piece of the answer, and how many keys at most are looked at for one: a
 * filter that matches little must not hold a thread for long. */
enum { PIECE = 64 << 10, PIECE_KEYS = 1 << 18 };

/* A side of the filter: any node, none, or one of the plan's. */
struct side {
	bool is_any, is_known;
	uint32_t node; /* HRW_NOT_LISTED: the side must be empty */
};

struct changes {
	enum changes_form form;
	struct pool *before, *after;
	struct hrw_membership *nobody;
	struct hrw_plan *plan;
	struct source source;
	bool is_open;
	struct buffer keys;    /* of a request, as records */
	struct buffer records; /* the present batch */
	size_t at;
	struct side lost, gained, from;
	bool leftover;
	struct past past; /* of a filter by leftovers */
	bool has_begun, has_entry, has_ended;
};

/* A key as the inputs hold it: a string, or {"key_base64"}. */
static int
key_read(const struct json *j, struct buffer *out)
{
	struct hrw_bytes text = json_bytes(j);
	unsigned char *bytes;
	size_t len;
	int rc = HRW_INTERNAL;

	if (json_type(j) == JSON_STRING) {
		record_add(out, text);
		return 0;
	}
	text = json_bytes(json_get(j, "key_base64"));
	bytes = malloc(text.len + 1);
	if (bytes == NULL)
		return HRW_INTERNAL;
	if (sodium_base642bin(bytes, text.len + 1, (const char *)text.data, text.len, NULL, &len,
		NULL, sodium_base64_VARIANT_ORIGINAL) == 0) {
		record_add(out, hrw_bytes(bytes, len));
		rc = 0;
	}
	free(bytes);
	return rc;
}

/* A pool of the inputs; NULL with 0 where it was null. */
static int
pool_read(const struct json *j, const char *name, struct pool **out, struct hrw_fault *fault)
{
	struct hrw_bytes source;
	char *document;

	if (j == NULL || json_type(j) == JSON_NULL)
		return 0;
	source = json_source(j);
	document = strndup((const char *)source.data, source.len);
	if (document == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "no memory for a plan");
	*out = document_load(name, document, fault);
	free(document);
	return *out != NULL ? 0 : (int)fault->error;
}

/* The memberships and the keys that the plan was made of. */
static int
inputs_read(
    struct changes *c, struct reports *r, const struct store_plan *plan, struct hrw_fault *fault)
{
	struct json *inputs = json_parse(hrw_text(plan->inputs), JSON_STRICT, fault);
	const struct hrw_membership *after;
	const char *source;
	int64_t generation = 0;
	uint64_t count = 0;
	int rc;

	if (inputs == NULL)
		return (int)fault->error;
	rc = pool_read(json_get(inputs, "before"), plan->pool, &c->before, fault);
	if (rc == 0)
		rc = pool_read(json_get(inputs, "after"), plan->pool, &c->after, fault);
	if (rc < 0)
		goto out;
	rc = hrw_fault(fault, HRW_INTERNAL, "no memory for a plan");
	c->nobody = hrw_membership_new(hrw_placements[0], 1);
	if (c->nobody == NULL || hrw_membership_freeze(c->nobody, NULL, NULL) < 0)
		goto out;
	after = c->after != NULL ? c->after->present : c->nobody;
	c->plan =
	    report_plan(c->before, c->after, c->nobody, json_text(json_get(inputs, "emptied")));
	if (c->plan == NULL)
		goto out;
	source = json_text(json_get(inputs, "source"));
	if (source != NULL && strcmp(source, "stored") == 0) {
		json_integer(json_get(inputs, "generation"), &generation);
		rc = source_open_stored(
		    &c->source, r->keyset, plan->pool, (uint64_t)generation, after, fault);
	} else {
		rc = 0;
		json_each (key, json_get(inputs, "keys")) {
			rc = rc == 0 ? key_read(key, &c->keys) : rc;
			count++;
		}
		if (rc < 0 || c->keys.failed)
			rc = hrw_fault(fault, HRW_INTERNAL, "the plan's keys cannot be read");
		source_open_request(&c->source, buffer_bytes(&c->keys), count);
	}
	c->is_open = rc == 0;
out:
	json_free(inputs);
	return rc;
}

static struct side
side_of(const struct changes *c, const char *name)
{
	struct side side = {.is_any = name == NULL, .is_known = true, .node = HRW_NOT_LISTED};

	if (name == NULL || name[0] == '\0')
		return side;
	side.is_known = false;
	assert(c->plan != NULL); /* the inputs were read */
	for (size_t i = 0; i < c->plan->count && !side.is_known; i++) {
		if (strcmp(c->plan->name[i], name) == 0) {
			side.is_known = true;
			side.node = (uint32_t)i;
		}
	}
	return side;
}

static int64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct changes *
changes_open(struct reports *r, const char *id, enum changes_form form,
    const struct changes_filter *filter, struct hrw_fault *fault)
{
	struct store_plan plan;
	struct changes *c;
	int rc;

	rc = store_plan_get(r->store, id, &plan, fault);
	if (rc < 0)
		return NULL;
	c = calloc(1, sizeof(*c));
	if (c == NULL) {
		rc = hrw_fault(fault, HRW_INTERNAL, "no memory for a plan");
	} else {
		c->form = form;
		rc = inputs_read(c, r, &plan, fault);
	}
	store_plan_fini(&plan);
	if (rc < 0) {
		if (c != NULL)
			changes_close(c);
		return NULL;
	}
	c->lost = side_of(c, filter->lost);
	c->gained = side_of(c, filter->gained);
	c->from = side_of(c, filter->from);
	c->leftover = filter->leftover;
	if (c->leftover && past_open(&c->past, r->store, c->plan, c->before, now_ms(), fault) < 0) {
		changes_close(c);
		return NULL;
	}
	return c;
}

void
changes_close(void *changes)
{
	struct changes *c = changes;

	if (c->is_open)
		source_close(&c->source);
	past_close(&c->past);
	hrw_plan_free(c->plan);
	hrw_membership_free(c->nobody);
	pool_release(c->before);
	pool_release(c->after);
	buffer_fini(&c->keys);
	buffer_fini(&c->records);
	free(c);
}

static bool
side_fits(const struct side *side, const uint32_t *nodes, uint32_t count)
{
	if (side->is_any)
		return true;
	if (!side->is_known)
		return false;
	if (side->node == HRW_NOT_LISTED)
		return count == 0;
	for (uint32_t i = 0; i < count; i++)
		if (nodes[i] == side->node)
			return true;
	return false;
}

/* Has a gaining node an old copy, where only such are asked for? */
static bool
is_leftover(const struct changes *c, struct hrw_bytes key, const struct hrw_change *change)
{
	uint32_t node[HRW_COPIES_MAX];

	return !c->leftover || (c->past.leftovers != NULL &&
				   hrw_leftovers_of(c->past.leftovers, key, change, node) > 0);
}

static bool
fits(const struct changes *c, const struct hrw_change *change)
{
	return side_fits(&c->lost, change->lost, change->lost_count) &&
	       side_fits(&c->gained, change->gained, change->gained_count) &&
	       (c->from.is_any || (c->from.is_known && c->from.node == change->from));
}

static void
csv_names(struct buffer *out, const struct hrw_plan *plan, const uint32_t *nodes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		buffer_printf(out, "%s%s", i > 0 ? " " : "", plan->name[nodes[i]]);
}

/* key,key_base64,lost,gained,from: one of the first two is empty. */
static void
csv_write(struct buffer *out, const struct hrw_plan *plan, struct hrw_bytes key,
    const struct hrw_change *c)
{
	csv_key(out, key);
	buffer_add_text(out, ",");
	csv_names(out, plan, c->lost, c->lost_count);
	buffer_add_text(out, ",");
	csv_names(out, plan, c->gained, c->gained_count);
	buffer_add_text(out, ",");
	if (c->from != HRW_NOT_LISTED)
		buffer_add_text(out, plan->name[c->from]);
	buffer_add_text(out, "\r\n");
}

static void
write_change(
    struct changes *c, struct buffer *out, struct hrw_bytes key, const struct hrw_change *change)
{
	switch (c->form) {
	case CHANGES_CSV:
		csv_write(out, c->plan, key, change);
		break;
	case CHANGES_JSON:
		buffer_add_text(out, c->has_entry ? ",\n" : "\n");
		report_change_write(out, c->plan, key, change);
		break;
	case CHANGES_NDJSON:
		report_change_write(out, c->plan, key, change);
		buffer_add_text(out, "\n");
		break;
	}
	c->has_entry = true;
}

/* The next batch of keys: 1, 0 at the end, negative on an error. */
static int
next_batch(struct changes *c)
{
	struct hrw_fault fault;
	long count;

	buffer_clear(&c->records);
	c->at = 0;
	count = source_read(&c->source, &c->records, &fault);
	return count > 0 ? 1 : (int)count;
}

int
changes_fill(void *changes, struct buffer *out)
{
	struct changes *c = changes;
	struct hrw_change change;
	struct hrw_bytes key;
	int rc = 1;

	if (!c->has_begun && c->form == CHANGES_CSV)
		buffer_add_text(out, "key,key_base64,lost,gained,from\r\n");
	if (!c->has_begun && c->form == CHANGES_JSON)
		buffer_add_text(out, "[");
	c->has_begun = true;
	for (size_t keys = 0; out->len < PIECE && keys < PIECE_KEYS; keys++) {
		if (!record_next(buffer_bytes(&c->records), &c->at, &key)) {
			rc = next_batch(c);
			if (rc <= 0)
				break;
			continue;
		}
		hrw_plan_key(c->plan, key, &change);
		if (hrw_change_is_listed(&change) && fits(c, &change) &&
		    is_leftover(c, key, &change))
			write_change(c, out, key, &change);
	}
	if (rc == 0 && c->form == CHANGES_JSON)
		buffer_add_text(out, "\n]\n");
	return out->failed ? HRW_INTERNAL : rc;
}
