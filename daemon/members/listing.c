/*
 * listing.c - the frame of a list: its form, its pieces and its end.
 */
#include "daemon/members/listing.h"
#include "core/error.h"
#include "core/settled.h"
#include "daemon/members/source.h"

/* A piece of the answer, and how many keys at most are looked at for one: where few
 * of them are listed, a piece must not hold a thread for long. */
enum { PIECE = 64 << 10, PIECE_KEYS = 1 << 18 };

static void
begin(struct listing *l, struct buffer *out)
{
	if (!l->has_begun && l->form == LISTING_CSV)
		buffer_printf(out, "key,key_base64,%s\r\n", l->columns);
	if (!l->has_begun && l->form == LISTING_JSON)
		buffer_add_text(out, "[");
	l->has_begun = true;
}

static void
write_line(struct listing *l, const struct listing_parts *parts, void *arg, struct hrw_bytes key,
    struct buffer *out)
{
	static const char *const ends[] = {"\n", "", "\r\n"};

	if (l->form == LISTING_JSON)
		buffer_add_text(out, l->lines > 0 ? ",\n" : "\n");
	parts->write(arg, key, out);
	buffer_add_text(out, ends[l->form]);
	l->lines++;
}

/* The next batch of keys: 1, 0 at the end, negative on an error. */
static int
next_batch(struct listing *l, const struct listing_parts *parts, void *arg)
{
	long count;

	buffer_clear(&l->records);
	l->at = 0;
	count = parts->read(arg, &l->records);
	return count > 0 ? 1 : (int)count;
}

static bool
is_full(const struct listing *l)
{
	return l->limit != 0 && l->lines == l->limit;
}

int
listing_fill(struct listing *l, const struct listing_parts *parts, void *arg, struct buffer *out)
{
	struct hrw_bytes key;
	int rc = 1;

	begin(l, out);
	for (size_t keys = 0; rc == 1 && out->len < PIECE && keys < PIECE_KEYS; keys++) {
		if (is_full(l))
			rc = 0;
		else if (!record_next(buffer_bytes(&l->records), &l->at, &key))
			rc = next_batch(l, parts, arg);
		else if (parts->look(arg, key))
			write_line(l, parts, arg, key, out);
	}
	if (rc == 0 && l->form == LISTING_JSON)
		buffer_add_text(out, "\n]\n");
	return out->failed ? HRW_INTERNAL : rc;
}

void
listing_fini(struct listing *l)
{
	buffer_fini(&l->records);
}

struct listing_filter
listing_filter(const char *name, uint32_t node)
{
	bool is_node = name != NULL && name[0] != '\0';

	return (struct listing_filter){.is_any = name == NULL,
	    .is_known = !is_node || node != HRW_NOT_LISTED,
	    .node = is_node ? node : HRW_NOT_LISTED};
}

bool
listing_fits(const struct listing_filter *filter, const uint32_t *node, size_t count)
{
	if (filter->is_any || !filter->is_known)
		return filter->is_any;
	if (filter->node == HRW_NOT_LISTED)
		return count == 0;
	return hrw_is_among(node, count, filter->node);
}
