/*
 * copies.c - looks each stored key up, and tells what its holders lack.
 */
#include <stdlib.h>

#include "daemon/base/csv.h"
#include "daemon/base/json.h"
#include "daemon/base/log.h"
#include "daemon/members/copies.h"
#include "daemon/members/source.h"

struct copies {
	struct pool *pool;
	struct listing listing;
	struct listing_filter to, from;
	struct keyset_reader *reader; /* NULL: nothing is missing */
	/* What the key at hand lacks, as indexes into the membership. */
	struct work {
		uint32_t to[HRW_COPIES_MAX], from[2 * HRW_COPIES_MAX];
		size_t to_count, from_count;
	} work;
};

static struct listing_filter
filter_of(const struct pool *pool, const char *name)
{
	const struct hrw_node *node =
	    name != NULL ? hrw_membership_find(pool->present, name) : NULL;

	return listing_filter(
	    name, node != NULL ? (uint32_t)(node - pool->present->node) : HRW_NOT_LISTED);
}

struct copies *
copies_open(struct keyset *keyset, const struct copies_request *ask, struct hrw_fault *fault)
{
	struct copies *c = calloc(1, sizeof(*c));
	struct keyset_stats stats;
	char name[KEYSET_NAME];

	if (c == NULL) {
		hrw_fault(fault, HRW_INTERNAL, "no memory for the list of copies");
		return NULL;
	}
	c->pool = pool_acquire(ask->pool);
	c->listing = (struct listing){.form = ask->form, .columns = "to,from", .limit = ask->limit};
	c->to = filter_of(ask->pool, ask->to);
	c->from = filter_of(ask->pool, ask->from);
	if (pool_is_settled(c->pool))
		return c;
	c->reader = keyset_reader_open(
	    keyset, keyset_name(c->pool->name, c->pool->lineage, name), 0, &stats, fault);
	if (c->reader == NULL) {
		copies_close(c);
		return NULL;
	}
	if (ask->after.data != NULL)
		keyset_reader_after(c->reader, ask->after);
	return c;
}

void
copies_close(void *copies)
{
	struct copies *c = copies;

	keyset_reader_close(c->reader);
	listing_fini(&c->listing);
	pool_release(c->pool);
	free(c);
}

/* The cold holders; the warm nodes best first, holders before the fallback. False:
 * the key has all its copies. */
static bool
look_up(const struct copies *c, struct hrw_bytes key, struct work *work)
{
	struct hrw_lookup found;

	work->to_count = work->from_count = 0;
	hrw_settled_lookup(&c->pool->match, key, 0, &found);
	for (size_t i = 0; i < found.holders; i++) {
		if (found.is_warm[i])
			work->from[work->from_count++] = found.holder[i];
		else
			work->to[work->to_count++] = found.holder[i];
	}
	for (size_t i = 0; i < found.fallback_count; i++)
		work->from[work->from_count++] = found.fallback[i];
	return work->to_count > 0;
}

static void
put_names(struct json_out *o, const char *name, const struct pool *pool, const uint32_t *node,
    size_t count)
{
	json_open_array(o, name);
	for (size_t i = 0; i < count; i++)
		json_put_text(o, NULL, pool->present->node[node[i]].name);
	json_close_array(o);
}

static void
csv_names(struct buffer *out, const struct pool *pool, const uint32_t *node, size_t count)
{
	buffer_add_text(out, ",");
	for (size_t i = 0; i < count; i++)
		buffer_printf(out, "%s%s", i > 0 ? " " : "", pool->present->node[node[i]].name);
}

static long
read_keys(void *copies, struct buffer *records)
{
	struct copies *c = copies;
	struct hrw_fault fault;
	long count = c->reader != NULL ? keyset_read(c->reader, records, &fault) : 0;

	if (count < 0)
		log_event(LOG_ERROR, "a list of copies is cut short",
		    log_text("pool", c->pool->name), log_text("detail", fault.detail));
	return count;
}

static bool
look(void *copies, struct hrw_bytes key)
{
	struct copies *c = copies;

	return look_up(c, key, &c->work) && listing_fits(&c->to, c->work.to, c->work.to_count) &&
	       listing_fits(&c->from, c->work.from, c->work.from_count);
}

static void
write_key(void *copies, struct hrw_bytes key, struct buffer *out)
{
	const struct copies *c = copies;
	const struct work *work = &c->work;
	struct json_out o;

	if (c->listing.form == LISTING_CSV) {
		csv_key(out, key);
		csv_names(out, c->pool, work->to, work->to_count);
		csv_names(out, c->pool, work->from, work->from_count);
		return;
	}
	o = json_out(out);
	json_open_object(&o, NULL);
	json_put_key(&o, key);
	put_names(&o, "to", c->pool, work->to, work->to_count);
	put_names(&o, "from", c->pool, work->from, work->from_count);
	json_close_object(&o);
}

int
copies_fill(void *copies, struct buffer *out)
{
	static const struct listing_parts parts = {read_keys, look, write_key};
	struct copies *c = copies;

	return listing_fill(&c->listing, &parts, c, out);
}
