/*
 * writer_load.c - where the pools of a snapshot come from: the store, the
 * configuration's seeds, a plain file.
 */
#include <assert.h>
#include <stdlib.h>

#include "core/estimate.h"
#include "daemon/base/log.h"
#include "daemon/base/wall.h"
#include "daemon/members/build.h"
#include "daemon/members/warnings.h"
#include "daemon/members/writer_private.h"

/* Pools as they are collected. */
struct loading {
	struct writer *writer;
	const struct snapshot *was; /* before a reload; NULL: none */
	struct snapshot *snapshot;  /* so far */
	struct buffer removed;	    /* names of pools that were, each ended by a NUL */
};

static int
no_memory(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_INTERNAL, "no memory for the pools");
}

/* Takes the pool into the snapshot. */
static int
add_pool(struct loading *l, struct pool *pool, struct hrw_fault *fault)
{
	struct snapshot *next = snapshot_with(l->snapshot, pool->name, pool);

	if (next == NULL)
		return no_memory(fault);
	snapshot_release(l->snapshot);
	l->snapshot = next;
	return 0;
}

static struct pool *
find(const struct snapshot *s, const char *name)
{
	return s != NULL ? (struct pool *)snapshot_pool(s, hrw_text(name)) : NULL;
}

/* What a file changes nobody has planned: so the line says how many keys it moved. */
static void
tell_change(const struct pool *was, const struct pool *pool)
{
	struct buffer what = {0}, moved = {0};
	struct outcome out = {0};

	if (was != pool)
		warnings_find(pool->present, warnings_log, pool->name);
	if (was == pool || !log_is_wanted(LOG_INFO))
		return;
	ops_write(was, pool, false, &out.ops);
	ops_words(&out, &what);
	if (was != NULL)
		buffer_printf(&moved, "%.4g%%",
		    strcmp(was->fingerprint, pool->fingerprint) == 0
			? 0
			: 100 * hrw_owners_moved(was->present, pool->present));
	log_event(LOG_INFO, "pool changed by its file", log_text("pool", pool->name),
	    log_count("epoch", pool->epoch), log_text("what", buffer_text(&what)),
	    log_text("owners_moved", was != NULL ? buffer_text(&moved) : NULL));
	outcome_fini(&out);
	buffer_fini(&what);
	buffer_fini(&moved);
}

/* A pool of a plain file, which follows on what it was before. */
static struct pool *
pool_from_file(struct loading *l, const char *name, const char *text, struct hrw_fault *why)
{
	struct hrw_fault inner = {0}, *fault = &inner;
	const struct hrw_limits *limits = l->writer->config->limits;
	struct json *root = json_parse(hrw_text(text), JSON_COMMENTS | JSON_STORED, fault);
	struct change *c = change_new(name);
	struct pool *was = find(l->was, name), *pool = NULL;
	struct outcome out = {0};
	int rc = c == NULL ? no_memory(fault) : root == NULL ? (int)fault->error : 0;

	if (rc == 0)
		rc = change_read_pool(c, root, limits, fault);
	if (rc == 0) {
		c->force = ~0u;
		c->is_file = true;
		rc = change_build(c, was, wall_ms(), limits, &out, fault);
	}
	if (rc == 0)
		pool = pool_acquire(out.after);
	else
		hrw_fault(why, inner.error, "pool \"%s\"%s%s: %s", name,
		    inner.field[0] != '\0' ? ", " : "", inner.field, inner.detail);
	outcome_fini(&out);
	change_free(c);
	json_free(root);
	return pool;
}

/* A secret file with another content would move keys by a restart alone, without
 * a change, a plan or an epoch. */
static int
check_secret(const struct pool *pool, const char *document, struct hrw_fault *fault)
{
	struct json *root;
	const char *was;
	int rc = 0;

	if ((pool->present->placement->traits & HRW_KEYED) == 0)
		return 0;
	root = json_parse(hrw_text(document), JSON_STORED, NULL);
	was = json_text(json_get(root, "fingerprint"));
	if (was != NULL && strcmp(was, pool->fingerprint) != 0)
		rc = hrw_fault(fault, HRW_STORE_FAILED,
		    "pool \"%s\" would place keys otherwise than before (fingerprint %s, stored "
		    "%s): "
		    "its secret file is not what it was. Put the old one back; to change it, name "
		    "a "
		    "new file in the placement",
		    pool->name, pool->fingerprint, was);
	json_free(root);
	return rc;
}

static int
take(void *arg, const char *name, const char *document, struct hrw_fault *fault)
{
	struct loading *l = arg;
	struct pool *pool;

	if (document == NULL) {
		buffer_add(&l->removed, name, strlen(name) + 1);
		return l->removed.failed ? no_memory(fault) : 0;
	}
	pool = store_is_writable(l->writer->store) ? document_load(name, document, fault)
						   : pool_from_file(l, name, document, fault);
	if (pool == NULL)
		return (int)fault->error;
	if (store_is_writable(l->writer->store) && check_secret(pool, document, fault) < 0) {
		pool_release(pool);
		return (int)fault->error;
	}
	return add_pool(l, pool, fault);
}

static bool
was_removed(const struct loading *l, const char *name)
{
	for (size_t at = 0; at < l->removed.len; at += strlen(l->removed.data + at) + 1)
		if (strcmp(l->removed.data + at, name) == 0)
			return true;
	return false;
}

/* One seed to be stored. */
struct seed {
	struct outcome outcome;
	struct buffer entry;
	char *document;
};

static void
seeds_free(struct seed *seed, size_t count)
{
	for (size_t i = 0; seed != NULL && i < count; i++) {
		outcome_fini(&seed[i].outcome);
		buffer_fini(&seed[i].entry);
		free(seed[i].document);
	}
	free(seed);
}

/* Makes a pool as a request would. j NULL: an empty one. */
static int
seed_make(struct loading *l, const char *name, const struct json *j, struct seed *seed,
    struct store_write *write, struct hrw_fault *fault)
{
	const struct hrw_limits *limits = l->writer->config->limits;
	struct change *c = change_new(name);
	int64_t now_ms = wall_ms();
	struct task *task;
	struct pool *pool;
	int rc = c == NULL ? no_memory(fault) : 0;

	if (rc == 0 && j != NULL) {
		rc = change_read_pool(c, j, limits, fault);
	} else if (rc == 0) {
		task = change_add(c, TASK_POOL);
		if (task != NULL)
			task->template = hrw_membership_new(hrw_placements[0], 1);
		if (task == NULL || task->template == NULL)
			rc = no_memory(fault);
	}
	if (rc == 0)
		c->from = strdup("configuration");
	if (rc == 0)
		rc = change_build(c, NULL, now_ms, limits, &seed->outcome, fault);
	if (rc < 0)
		goto out;
	pool = seed->outcome.after;
	assert(pool != NULL);
	entry_write(&seed->entry, c, now_ms, NULL, pool->epoch, 0, "applied",
	    buffer_text(&seed->outcome.ops));
	seed->document = document_store(pool);
	*write = (struct store_write){.pool = pool->name,
	    .lineage = pool->lineage,
	    .epoch_after = pool->epoch,
	    .document = seed->document,
	    .has_document = true,
	    .entry = buffer_text(&seed->entry),
	    .at_ms = now_ms};
	rc = seed->entry.failed || seed->document == NULL ? no_memory(fault)
							  : add_pool(l, pool_acquire(pool), fault);
out:
	change_free(c);
	return rc;
}

static bool
is_known(const struct loading *l, const char *name)
{
	return find(l->snapshot, name) != NULL || was_removed(l, name);
}

/* Pools of the configuration that the store knows nothing of, in one commit; where
 * it speaks of no pools, the default one, empty. */
static int
seed_all(struct loading *l, struct hrw_fault *fault)
{
	const struct members_config *config = l->writer->config;
	size_t room = config->pools != NULL ? json_count(config->pools) : 1, count = 0;
	struct seed *seed = calloc(room + 1, sizeof(*seed));
	struct store_write *write = calloc(room + 1, sizeof(*write));
	int rc = seed == NULL || write == NULL ? no_memory(fault) : 0;

	if (rc == 0 && config->pools != NULL) {
		json_each (j, config->pools) {
			if (is_known(l, json_name(j)))
				continue;
			count++;
			rc = seed_make(
			    l, json_name(j), j, &seed[count - 1], &write[count - 1], fault);
			if (rc < 0)
				break;
		}
	} else if (rc == 0 && !is_known(l, config->default_pool)) {
		count = 1;
		rc = seed_make(l, config->default_pool, NULL, &seed[0], &write[0], fault);
	}
	if (rc == 0 && count > 0)
		rc = store_commit_all(l->writer->store, write, count, fault);
	seeds_free(seed, count);
	free(write);
	return rc;
}

static struct snapshot *
load(struct writer *w, const struct snapshot *was, struct hrw_fault *fault)
{
	struct loading l = {
	    .writer = w, .was = was, .snapshot = snapshot_new(w->config->default_pool)};
	int rc = l.snapshot == NULL ? no_memory(fault) : 0;

	if (rc == 0)
		rc = store_load(w->store, take, &l, fault);
	if (rc == 0 && store_is_writable(w->store))
		rc = seed_all(&l, fault);
	buffer_fini(&l.removed);
	if (rc < 0) {
		snapshot_release(l.snapshot);
		return NULL;
	}
	l.snapshot->is_ready = true;
	return l.snapshot;
}

struct snapshot *
writer_look(const struct members_config *config, struct store *store, struct hrw_fault *fault)
{
	struct writer w = {.config = config, .store = store};

	assert(!store_is_writable(store));
	return load(&w, NULL, fault);
}

struct snapshot *
load_first(struct writer *w, struct hrw_fault *fault)
{
	return load(w, NULL, fault);
}

struct snapshot *
load_again(struct writer *w, const struct snapshot *now, struct hrw_fault *fault)
{
	struct snapshot *next = load(w, now, fault);

	for (size_t i = 0; next != NULL && i < next->count; i++)
		tell_change(find(now, next->pool[i]->name), next->pool[i]);
	for (size_t i = 0; next != NULL && i < now->count; i++)
		if (find(next, now->pool[i]->name) == NULL)
			log_event(LOG_WARN, "pool gone: its file has it no more",
			    log_text("pool", now->pool[i]->name));
	return next;
}
