/*
 * copies.c - looks each stored key up, and tells what its holders lack.
 */
#include <stdlib.h>

#include "daemon/csv.h"
#include "daemon/json.h"
#include "daemon/log.h"
#include "daemon/members/copies.h"
#include "daemon/members/source.h"

/* A piece of the answer, and how many keys at most are looked at for one: where few
 * copies are missing, a piece must not hold a thread for long. */
enum { PIECE = 64 << 10, PIECE_KEYS = 1 << 18 };

/* A side of the filter. */
struct side {
	bool is_any, is_known;
	uint32_t node; /* HRW_NOT_LISTED: the side must be empty */
};

struct copies {
	struct pool *pool;
	enum changes_form form;
	struct side to, from;
	uint64_t limit, lines;
	struct keyset_reader *reader; /* NULL: nothing is missing */
	struct buffer records;
	size_t at;
	bool has_begun;
};

/* What one key lacks, as indexes into the membership. */
struct work {
	uint32_t to[HRW_COPIES_MAX], from[2 * HRW_COPIES_MAX];
	size_t to_count, from_count;
};

static struct side
side_of(const struct pool *pool, const char *name)
{
	struct side side = {.is_any = name == NULL, .is_known = true, .node = HRW_NOT_LISTED};
	const struct hrw_node *node;

	if (name == NULL || name[0] == '\0')
		return side;
	node = hrw_membership_find(pool->present, name);
	side.is_known = node != NULL;
	if (node != NULL)
		side.node = (uint32_t)(node - pool->present->node);
	return side;
}

struct copies *
copies_open(struct keyset *keyset, const struct copies_request *ask, struct hrw_fault *fault)
{
	struct copies *c = calloc(1, sizeof(*c));
	struct keyset_stats stats;

	if (c == NULL) {
		hrw_fault(fault, HRW_INTERNAL, "no memory for the list of copies");
		return NULL;
	}
	c->pool = pool_acquire(ask->pool);
	c->form = ask->form;
	c->limit = ask->limit;
	c->to = side_of(ask->pool, ask->to);
	c->from = side_of(ask->pool, ask->from);
	if (pool_is_settled(c->pool))
		return c;
	c->reader = keyset_reader_open(keyset, c->pool->name, 0, &stats, fault);
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
	buffer_fini(&c->records);
	pool_release(c->pool);
	free(c);
}

/* The cold holders; the warm nodes best first, holders before the fallback. False:
 * the key has all its copies. */
static bool
look(const struct copies *c, struct hrw_bytes key, struct work *work)
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

static bool
fits(const struct side *side, const uint32_t *node, size_t count)
{
	if (side->is_any)
		return true;
	if (!side->is_known)
		return false;
	if (side->node == HRW_NOT_LISTED)
		return count == 0;
	for (size_t i = 0; i < count; i++)
		if (node[i] == side->node)
			return true;
	return false;
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

static void
write_line(
    const struct copies *c, struct buffer *out, struct hrw_bytes key, const struct work *work)
{
	struct json_out o;

	if (c->form == CHANGES_CSV) {
		csv_key(out, key);
		csv_names(out, c->pool, work->to, work->to_count);
		csv_names(out, c->pool, work->from, work->from_count);
		buffer_add_text(out, "\r\n");
		return;
	}
	if (c->form == CHANGES_JSON)
		buffer_add_text(out, c->lines > 0 ? ",\n" : "\n");
	o = json_out(out);
	json_open_object(&o, NULL);
	json_put_key(&o, key);
	put_names(&o, "to", c->pool, work->to, work->to_count);
	put_names(&o, "from", c->pool, work->from, work->from_count);
	json_close_object(&o);
	if (c->form == CHANGES_NDJSON)
		buffer_add_text(out, "\n");
}

/* The next batch of keys: 1, 0 at the end, negative on an error. */
static int
next_batch(struct copies *c)
{
	struct hrw_fault fault;
	long count;

	buffer_clear(&c->records);
	c->at = 0;
	if (c->reader == NULL || (c->limit != 0 && c->lines == c->limit))
		return 0;
	count = keyset_read(c->reader, &c->records, &fault);
	if (count < 0)
		log_event(CONFIG_LOG_ERROR, "a list of copies is cut short",
		    log_text("pool", c->pool->name), log_text("detail", fault.detail));
	return count > 0 ? 1 : (int)count;
}

int
copies_fill(void *copies, struct buffer *out)
{
	struct copies *c = copies;
	struct hrw_bytes key;
	struct work work;
	int rc = 1;

	if (!c->has_begun && c->form == CHANGES_CSV)
		buffer_add_text(out, "key,key_base64,to,from\r\n");
	if (!c->has_begun && c->form == CHANGES_JSON)
		buffer_add_text(out, "[");
	c->has_begun = true;
	for (size_t keys = 0; out->len < PIECE && keys < PIECE_KEYS; keys++) {
		bool is_full = c->limit != 0 && c->lines == c->limit;

		if (is_full || !record_next(buffer_bytes(&c->records), &c->at, &key)) {
			rc = next_batch(c);
			if (rc <= 0)
				break;
			continue;
		}
		if (!look(c, key, &work) || !fits(&c->to, work.to, work.to_count) ||
		    !fits(&c->from, work.from, work.from_count))
			continue;
		write_line(c, out, key, &work);
		c->lines++;
	}
	if (rc == 0 && c->form == CHANGES_JSON)
		buffer_add_text(out, "\n]\n");
	return out->failed ? HRW_INTERNAL : rc;
}
