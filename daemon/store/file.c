/*
 * file.c - the store in a plain file that others write: its pools are read, never
 * changed. History and plans are kept in memory, in an SQLite store of ours.
 *
 * The file holds the "pools" object of a configuration: by itself, or as a member
 * of that name.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/hash/xxh64.h"
#include "core/membership.h"
#include "daemon/base/json.h"
#include "daemon/store/methods.h"
#include "daemon/store/text.h"

struct file {
	struct store store;
	struct store *memory;
	char *path;
	const struct store_file_rules *rules;
	pthread_mutex_t lock;
	struct text_stamp loaded, seen; /* at the last load, good or bad; at the last look */
	uint64_t hash;			/* of the text that was loaded */
	bool is_read;			/* there was such a text */
	struct store_reading reading;
};

static struct file *
file_of(struct store *s)
{
	return (struct file *)s;
}

/* A pool that lost its nodes is more often a slip of the pen than meant. */
static int
check_empty(const struct json *j, const char *what, struct hrw_fault *fault)
{
	return json_fault(j, fault, HRW_BAD_FIELD,
	    "%s, and every lookup would fail: list some, or let store.allow_empty be true if that "
	    "is meant",
	    what);
}

/* The object of pools inside the document; NULL with a fault. */
static const struct json *
pools_of(const struct json *root, bool allow_empty, struct hrw_fault *fault)
{
	static const char *const names[] = {"pools", NULL};
	const struct json *pools = json_get(root, names[0]), *nodes;

	if (pools != NULL && json_only(root, names, fault) < 0)
		return NULL;
	if (pools == NULL)
		pools = root;
	if (json_type(pools) != JSON_OBJECT) {
		json_fault(pools, fault, HRW_BAD_FIELD,
		    "the pools must be an object of pools by name, not %s",
		    json_type_name(json_type(pools)));
		return NULL;
	}
	json_each (pool, pools) {
		if (hrw_check_name(
			hrw_text(json_name(pool)), HRW_NAME_BYTES_MAX, HRW_BAD_POOL, fault) < 0)
			return NULL;
		if (json_type(pool) != JSON_OBJECT) {
			json_fault(pool, fault, HRW_BAD_FIELD, "a pool must be an object, not %s",
			    json_type_name(json_type(pool)));
			return NULL;
		}
		nodes = json_get(pool, "nodes");
		if (!allow_empty && (nodes == NULL || json_count(nodes) == 0)) {
			check_empty(pool, "the pool has no nodes", fault);
			return NULL;
		}
	}
	if (!allow_empty && json_count(pools) == 0) {
		check_empty(pools, "the file has no pools", fault);
		return NULL;
	}
	return pools;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(
	    json_name(*(const struct json *const *)a), json_name(*(const struct json *const *)b));
}

/* Hands over each pool, in order of names. */
static int
give(const struct json *pools, store_each_pool each, void *arg, struct hrw_fault *fault)
{
	size_t count = json_count(pools), at = 0;
	const struct json **pool = malloc((count + 1) * sizeof(struct json *));
	struct buffer document = {0};
	int rc = 0;

	if (pool == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "no memory for the file of pools");
	json_each (p, pools)
		pool[at++] = p;
	qsort(pool, count, sizeof(struct json *), by_name);
	for (size_t i = 0; i < count && rc >= 0; i++) {
		struct json_out out;

		buffer_clear(&document);
		out = json_out(&document);
		json_put_tree(&out, NULL, pool[i]);
		rc = each(arg, json_name(pool[i]), buffer_text(&document), fault);
		if (document.failed)
			rc = hrw_fault(fault, HRW_INTERNAL, "no memory for a pool");
	}
	buffer_fini(&document);
	free(pool);
	return rc < 0 ? rc : 0;
}

/* What the text comes to. */
static int
take_text(struct file *f, const struct buffer *text, store_each_pool each, void *arg,
    struct hrw_fault *fault)
{
	struct hrw_fault inner = {0};
	struct json *root = json_parse(buffer_bytes(text), JSON_COMMENTS, &inner);
	const struct json *pools = NULL;
	int rc;

	if (root != NULL)
		pools = pools_of(root, atomic_load(f->rules->allow_empty), &inner);
	if (pools == NULL) {
		rc = hrw_fault(fault, inner.error, "%s: %s%s%s", f->path, inner.field,
		    inner.field[0] != '\0' ? ": " : "", inner.detail);
		hrw_fault_at(fault, "%s", inner.field);
	} else {
		rc = give(pools, each, arg, fault);
	}
	json_free(root);
	return rc;
}

static void
note(struct file *f, const struct text_stamp *stamp, const struct buffer *text, bool is_read,
    int rc, const struct hrw_fault *fault)
{
	struct store_reading *r = &f->reading;
	uint64_t hash = is_read ? hrw_xxh64(buffer_bytes(text)) : 0;

	pthread_mutex_lock(&f->lock);
	f->loaded = f->seen = *stamp;
	f->is_read = is_read;
	f->hash = hash;
	if (rc == 0) {
		*r = (struct store_reading){.failures = r->failures};
	} else {
		if (!r->is_failing)
			r->since = (int64_t)time(NULL);
		r->is_failing = true;
		r->failures++;
		memcpy(r->detail, fault->detail, sizeof(r->detail));
	}
	pthread_mutex_unlock(&f->lock);
}

static int
file_load(struct store *s, store_each_pool each, void *arg, struct hrw_fault *fault)
{
	struct file *f = file_of(s);
	struct buffer text = {0};
	struct text_stamp stamp;
	int rc = text_read(f->path, atomic_load(f->rules->most), &text, &stamp, fault);
	bool is_read = rc == 0;

	if (rc == 0)
		rc = take_text(f, &text, each, arg, fault);
	note(f, &stamp, &text, is_read, rc, fault);
	buffer_fini(&text);
	return rc;
}

/* May a text of the same stamp be another, or be readable by now? Blocks. */
static bool
is_another(struct file *f)
{
	struct buffer text = {0};
	struct text_stamp stamp;
	bool is_read = text_read(f->path, atomic_load(f->rules->most), &text, &stamp, NULL) == 0;
	uint64_t hash = is_read ? hrw_xxh64(buffer_bytes(&text)) : 0;
	bool is_other;

	pthread_mutex_lock(&f->lock);
	is_other = is_read && (!f->is_read || hash != f->hash);
	pthread_mutex_unlock(&f->lock);
	buffer_fini(&text);
	return is_other;
}

/* A file that was renamed into place is taken at once. One that is gone, or is written
 * in place, must look the same twice: a mount may be swapped just now, and the rest of
 * the text be on its way. */
static bool
file_has_changed(struct store *s)
{
	struct file *f = file_of(s);
	struct text_stamp now = text_look(f->path), loaded, seen;
	bool is_renamed, is_read;

	pthread_mutex_lock(&f->lock);
	loaded = f->loaded;
	seen = f->seen;
	is_read = f->is_read;
	f->seen = now;
	pthread_mutex_unlock(&f->lock);
	if (text_is_same(&now, &loaded))
		return (!is_read || text_is_fresh(&now)) && is_another(f);
	is_renamed = now.error == 0 && (now.inode != loaded.inode || now.device != loaded.device);
	return is_renamed || text_is_same(&now, &seen);
}

static void
file_reading(struct store *s, struct store_reading *out)
{
	struct file *f = file_of(s);

	pthread_mutex_lock(&f->lock);
	*out = f->reading;
	pthread_mutex_unlock(&f->lock);
}

/* History entries are taken; nothing that makes an epoch is. */
static int
file_commit(struct store *s, struct store_write *writes, size_t count, struct hrw_fault *fault)
{
	struct file *f = file_of(s);

	for (size_t i = 0; i < count; i++)
		if (writes[i].has_document)
			return hrw_fault(fault, HRW_READ_ONLY,
			    "pool %s comes from the file %s, which is only read here: change it "
			    "there",
			    writes[i].pool, f->path);
	return store_commit_all(f->memory, writes, count, fault);
}

static char *
file_document(
    struct store *s, const char *pool, const char *lineage, uint64_t epoch, struct hrw_fault *fault)
{
	return store_document(file_of(s)->memory, pool, lineage, epoch, fault);
}

static int64_t
file_removed_at(struct store *s, const char *pool, const char *node)
{
	return store_removed_at(file_of(s)->memory, pool, node);
}

static int
file_history(struct store *s, const char *pool, int64_t after, size_t limit, store_each_entry each,
    void *arg, struct hrw_fault *fault)
{
	return store_history(file_of(s)->memory, pool, after, limit, each, arg, fault);
}

static int
file_summarise(struct store *s, int64_t history_id, const char *summary, struct hrw_fault *fault)
{
	return store_summarise(file_of(s)->memory, history_id, summary, fault);
}

static int
file_plan_put(struct store *s, const struct store_plan *plan, struct hrw_fault *fault)
{
	return store_plan_put(file_of(s)->memory, plan, fault);
}

static int
file_plan_get(struct store *s, const char *id, struct store_plan *out, struct hrw_fault *fault)
{
	return store_plan_get(file_of(s)->memory, id, out, fault);
}

static int
file_plans(struct store *s, const char *pool, const char *after, size_t limit, store_each_plan each,
    void *arg, struct hrw_fault *fault)
{
	return store_plans(file_of(s)->memory, pool, after, limit, each, arg, fault);
}

static int
file_trim(struct store *s, size_t plans, size_t history, struct hrw_fault *fault)
{
	return store_trim(file_of(s)->memory, plans, history, fault);
}

static void
file_close(struct store *s)
{
	struct file *f = file_of(s);

	store_close(f->memory);
	pthread_mutex_destroy(&f->lock);
	free(f->path);
	free(f);
}

static const struct store_methods methods = {
    .is_writable = false,
    .close = file_close,
    .has_changed = file_has_changed,
    .reading = file_reading,
    .load = file_load,
    .commit = file_commit,
    .document = file_document,
    .removed_at = file_removed_at,
    .history = file_history,
    .summarise = file_summarise,
    .plan_put = file_plan_put,
    .plan_get = file_plan_get,
    .plans = file_plans,
    .trim = file_trim,
};

static int
ignore(void *arg, const char *pool, const char *document, struct hrw_fault *fault)
{
	(void)arg, (void)pool, (void)document, (void)fault;
	return 0;
}

struct store *
store_open_file(const char *path, const struct store_file_rules *rules, struct hrw_fault *fault)
{
	struct file *f = calloc(1, sizeof(*f));

	if (f == NULL || (f->path = strdup(path)) == NULL) {
		free(f);
		hrw_fault(fault, HRW_INTERNAL, "no memory for a store");
		return NULL;
	}
	f->store.methods = &methods;
	f->rules = rules;
	pthread_mutex_init(&f->lock, NULL);
	f->memory = store_open_sqlite(":memory:", true, NULL, fault);
	if (f->memory != NULL && file_load(&f->store, ignore, NULL, fault) == 0)
		return &f->store;
	file_close(&f->store);
	return NULL;
}
