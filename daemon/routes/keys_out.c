/*
 * keys_out.c - GET /keys: the stored set, streamed back in order of bytes.
 *
 * NDJSON unless asked otherwise, because it holds any key exactly. Text cannot
 * hold a line feed, so there the set is looked through before the answer begins.
 */
#include <stdlib.h>

#include "daemon/base/log.h"
#include "daemon/members/source.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"
#include "daemon/routes/turns.h"

static const char *const offers[] = {
    "application/x-ndjson", "application/json", "text/plain", NULL};
static const enum keylist_form offered[] = {KEYLIST_NDJSON, KEYLIST_JSON, KEYLIST_TEXT};

struct keys_list {
	struct keyset *keyset;
	char *pool, set[KEYSET_NAME];
	enum turn turn; /* until it is read */
	enum keylist_form form;
	uint64_t limit, lines;	/* the most, 0: all; written so far */
	struct hrw_bytes after; /* data NULL: from the first. Gone when the answer begins */
	struct keyset_reader *reader;
	struct buffer records;
	struct json_out out; /* the array's, across its pieces */
	bool has_begun;
	int rc;
};

static void
list_free(void *state)
{
	struct keys_list *l = state;

	if (l->reader != NULL)
		keyset_reader_close(l->reader);
	buffer_fini(&l->records);
	turn_give_back(l->turn);
	free(l->pool);
	free(l);
}

static bool
is_full(const struct keys_list *l, uint64_t lines)
{
	return l->limit != 0 && lines >= l->limit;
}

/* Looks for a key that text cannot hold. */
static int
check_text(struct keys_list *l, struct keyset_reader *reader, struct hrw_fault *fault)
{
	struct hrw_bytes key;
	uint64_t number = 0;
	size_t at;
	long count;

	for (;;) {
		buffer_clear(&l->records);
		count = keyset_read(reader, &l->records, fault);
		if (count <= 0)
			return (int)count;
		at = 0;
		while (record_next(buffer_bytes(&l->records), &at, &key)) {
			if (is_full(l, number++))
				return 0;
			if (memchr(key.data, '\n', key.len) != NULL)
				return hrw_fault(fault, HRW_BAD_KEY,
				    "key %llu of the list holds a line feed, which text cannot "
				    "show: ask with Accept: application/x-ndjson",
				    (unsigned long long)number);
		}
	}
}

static void
open_set(struct request *req)
{
	struct keys_list *l = req->state;
	struct keyset_reader *first;
	struct keyset_stats stats;

	l->reader = keyset_reader_open(l->keyset, l->set, 0, &stats, &req->fault);
	if (l->reader == NULL) {
		l->rc = (int)req->fault.error;
		return;
	}
	if (l->after.data != NULL)
		keyset_reader_after(l->reader, l->after);
	if (l->form != KEYLIST_TEXT || stats.keys == 0)
		return;
	first = keyset_reader_open(l->keyset, l->set, stats.generation, &stats, &req->fault);
	if (first != NULL && l->after.data != NULL)
		keyset_reader_after(first, l->after);
	l->rc = first != NULL ? check_text(l, first, &req->fault) : (int)req->fault.error;
	if (first != NULL)
		keyset_reader_close(first);
	if (l->rc < 0) {
		keyset_reader_close(l->reader); /* here it may block */
		l->reader = NULL;
	}
}

static void
add_key(struct keys_list *l, struct buffer *out, struct hrw_bytes key)
{
	struct json_out line;

	switch (l->form) {
	case KEYLIST_TEXT:
		buffer_add(out, key.data, key.len);
		buffer_add(out, "\n", 1);
		break;
	case KEYLIST_NDJSON:
		line = json_out(out);
		json_put_key_element(&line, key);
		buffer_add(out, "\n", 1);
		break;
	case KEYLIST_JSON:
		l->out.to = out;
		json_put_key_element(&l->out, key);
		break;
	}
}

/* A piece is a batch of the reader's. */
static int
fill(void *state, struct buffer *out)
{
	struct keys_list *l = state;
	struct hrw_fault fault;
	struct hrw_bytes key;
	size_t at = 0;
	long count;

	if (!l->has_begun && l->form == KEYLIST_JSON) {
		l->out = json_out(out);
		json_open_array(&l->out, NULL);
	}
	l->has_begun = true;
	buffer_clear(&l->records);
	count = is_full(l, l->lines) ? 0 : keyset_read(l->reader, &l->records, &fault);
	if (count < 0) {
		log_event(LOG_ERROR, "a list of keys is cut short", log_text("pool", l->pool),
		    log_text("detail", fault.detail));
		return (int)count;
	}
	for (; !is_full(l, l->lines) && record_next(buffer_bytes(&l->records), &at, &key);
	     l->lines++)
		add_key(l, out, key);
	if (count == 0 && l->form == KEYLIST_JSON) {
		l->out.to = out;
		json_close_array(&l->out);
		buffer_add(out, "\n", 1);
	}
	return count > 0;
}

static int
opened(struct request *req)
{
	struct keys_list *l = req->state;

	if (l->rc < 0)
		return l->rc;
	req->state = NULL; /* the stream's from here on */
	req->state_free = NULL;
	return respond_stream(req, 200, common_keylist_types[l->form], fill, l, list_free);
}

int
keys_get(struct request *req)
{
	struct keys_list *l = calloc(1, sizeof(*l));
	const struct pool *pool;
	int rc;

	if (l == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory for keys");
	req->state = l;
	req->state_free = list_free;
	l->keyset = req->app->keyset;
	l->form = offered[request_accepts(req, offers)];
	rc = common_pool(req, &pool);
	if (rc == 0)
		rc = common_page(req, &l->limit, &l->after);
	if (rc == 0)
		rc = turn_take(req, TURN_LIST, &l->turn);
	if (rc < 0)
		return rc;
	l->pool = strdup(pool->name);
	keyset_name(pool->name, pool->lineage, l->set);
	if (l->pool == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory for keys");
	return request_background(req, open_set, opened);
}
