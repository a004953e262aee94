/*
 * changes.c - the single changes of a kept plan, computed anew.
 *
 * They are not stored: the two memberships and the key set determine them.
 */
#include <assert.h>
#include <sodium.h>
#include <stdlib.h>

#include "daemon/base/csv.h"
#include "daemon/base/json.h"
#include "daemon/base/wall.h"
#include "daemon/members/document.h"
#include "daemon/members/report_private.h"

struct changes {
	struct listing listing;
	struct pool *before, *after;
	struct hrw_membership *nobody;
	struct hrw_plan *plan;
	struct source source;
	bool is_open;
	struct buffer keys; /* of a request, as records */
	struct listing_filter lost, gained, from;
	bool leftover;
	struct past past; /* of a filter by leftovers */
	/* Of the key at hand; which of its gaining nodes have an old copy. */
	struct hrw_change change;
	uint32_t old_count, old[HRW_COPIES_MAX];
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
		rc = source_open_stored(&c->source, r->keyset,
		    c->before != NULL ? c->before : c->after, (uint64_t)generation, after, fault);
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

static struct listing_filter
filter_of(const struct changes *c, const char *name)
{
	uint32_t node = HRW_NOT_LISTED;

	assert(c->plan != NULL); /* the inputs were read */
	for (size_t i = 0; name != NULL && i < c->plan->count && node == HRW_NOT_LISTED; i++)
		if (strcmp(c->plan->name[i], name) == 0)
			node = (uint32_t)i;
	return listing_filter(name, node);
}

struct changes *
changes_open(struct reports *r, const char *id, enum listing_form form,
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
		c->listing = (struct listing){.form = form,
		    .columns = filter->leftover ? "lost,gained,from,leftovers" : "lost,gained,from",
		    .limit = filter->limit};
		rc = inputs_read(c, r, &plan, fault);
		if (rc == 0 && filter->after.data != NULL)
			rc = source_after(&c->source, filter->after, fault);
	}
	store_plan_fini(&plan);
	if (rc < 0) {
		if (c != NULL)
			changes_close(c);
		return NULL;
	}
	c->lost = filter_of(c, filter->lost);
	c->gained = filter_of(c, filter->gained);
	c->from = filter_of(c, filter->from);
	c->leftover = filter->leftover;
	if (c->leftover &&
	    past_open(&c->past, r->store, c->plan, c->before, wall_ms(), fault) < 0) {
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
	listing_fini(&c->listing);
	free(c);
}

/* Has a gaining node an old copy, where only such are asked for? */
static bool
find_leftovers(struct changes *c, struct hrw_bytes key)
{
	if (!c->leftover)
		return true;
	c->old_count = c->past.leftovers == NULL
			   ? 0
			   : hrw_leftovers_of(c->past.leftovers, key, &c->change, c->old);
	return c->old_count > 0;
}

static bool
fits(const struct changes *c, const struct hrw_change *change)
{
	size_t from_count = change->from != HRW_NOT_LISTED;

	return listing_fits(&c->lost, change->lost, change->lost_count) &&
	       listing_fits(&c->gained, change->gained, change->gained_count) &&
	       listing_fits(&c->from, &change->from, from_count);
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
}

static long
read_keys(void *changes, struct buffer *records)
{
	struct changes *c = changes;
	struct hrw_fault fault;

	return source_read(&c->source, records, &fault);
}

static bool
look(void *changes, struct hrw_bytes key)
{
	struct changes *c = changes;

	hrw_plan_key(c->plan, key, &c->change);
	return hrw_change_is_listed(&c->change) && fits(c, &c->change) && find_leftovers(c, key);
}

static void
write_key(void *changes, struct hrw_bytes key, struct buffer *out)
{
	const struct changes *c = changes;

	if (c->listing.form == LISTING_CSV) {
		csv_write(out, c->plan, key, &c->change);
		if (c->leftover) {
			buffer_add_text(out, ",");
			csv_names(out, c->plan, c->old, c->old_count);
		}
		return;
	}
	report_change_write(out, c->plan, key, &c->change, c->old, c->old_count);
}

int
changes_fill(void *changes, struct buffer *out)
{
	static const struct listing_parts parts = {read_keys, look, write_key};
	struct changes *c = changes;

	return listing_fill(&c->listing, &parts, c, out);
}
