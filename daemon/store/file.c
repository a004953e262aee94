/*
 * file.c - the store in a plain file that others write: its pools are read, never
 * changed. History and plans are kept in memory, in an SQLite store of ours.
 *
 * The file holds the "pools" object of a configuration: by itself, or as a member
 * of that name.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/membership.h"
#include "daemon/base/json.h"
#include "daemon/store/methods.h"

/* Of a file that would not be read whole. */
enum { FILE_BYTES_MAX = 64 << 20 };

/* What tells one text of the file from the next: a rename gives another inode, a
 * write in place another time. */
struct stamp {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec written;
};

struct file {
	struct store store;
	struct store *memory;
	char *path;
	pthread_mutex_t lock;
	struct stamp loaded; /* of the last load, good or bad */
};

static struct file *
file_of(struct store *s)
{
	return (struct file *)s;
}

static struct stamp
stamp_of(const struct stat *st)
{
	return (struct stamp){st->st_dev, st->st_ino, st->st_size, st->st_mtim};
}

static bool
is_same(const struct stamp *a, const struct stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->written.tv_sec == b->written.tv_sec && a->written.tv_nsec == b->written.tv_nsec;
}

static int
unreadable(const struct file *f, const char *why, struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_STORE_FAILED,
	    "the file of pools %s cannot be read: %s; mend the path or the file", f->path, why);
}

/* The whole text, and the stamp of what was read. */
static int
read_text(struct file *f, struct buffer *text, struct stamp *stamp, struct hrw_fault *fault)
{
	int fd = open(f->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t got = 1;
	int rc = 0;

	*stamp = (struct stamp){0};
	if (fd < 0)
		return unreadable(f, strerrordesc_np(errno), fault);
	if (fstat(fd, &st) < 0)
		rc = unreadable(f, strerrordesc_np(errno), fault);
	else if (!S_ISREG(st.st_mode))
		rc = unreadable(f, "it is no regular file", fault);
	else if (st.st_size > FILE_BYTES_MAX)
		rc = unreadable(f, "it is longer than 64 MiB", fault);
	else
		*stamp = stamp_of(&st);
	while (rc == 0 && got > 0 && text->len <= FILE_BYTES_MAX) {
		if (buffer_reserve(text, 1 << 16) < 0) {
			rc = hrw_fault(fault, HRW_INTERNAL, "no memory for the file of pools");
			break;
		}
		got = read(fd, text->data + text->len, 1 << 16);
		if (got < 0)
			rc = unreadable(f, strerrordesc_np(errno), fault);
		else
			text->len += (size_t)got;
	}
	close(fd);
	return rc;
}

/* The object of pools inside the document; NULL with a fault. */
static const struct json *
pools_of(const struct json *root, struct hrw_fault *fault)
{
	static const char *const names[] = {"pools", NULL};
	const struct json *pools = json_get(root, names[0]);

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

static int
file_load(struct store *s, store_each_pool each, void *arg, struct hrw_fault *fault)
{
	struct file *f = file_of(s);
	struct hrw_fault inner = {0};
	struct buffer text = {0};
	struct json *root = NULL;
	const struct json *pools = NULL;
	struct stamp stamp;
	int rc;

	rc = read_text(f, &text, &stamp, fault);
	pthread_mutex_lock(&f->lock);
	f->loaded = stamp;
	pthread_mutex_unlock(&f->lock);
	if (rc < 0)
		goto out;
	root = json_parse(buffer_bytes(&text), JSON_COMMENTS, &inner);
	if (root != NULL)
		pools = pools_of(root, &inner);
	if (pools == NULL) {
		rc = hrw_fault(fault, inner.error, "%s: %s", f->path, inner.detail);
		hrw_fault_at(fault, "%s", inner.field);
		goto out;
	}
	rc = give(pools, each, arg, fault);
out:
	json_free(root);
	buffer_fini(&text);
	return rc;
}

/* Gone for a moment, as while a mount is swapped, is not another text. */
static bool
file_has_changed(struct store *s)
{
	struct file *f = file_of(s);
	struct stamp now;
	struct stat st;
	bool has_changed;

	if (stat(f->path, &st) < 0)
		return false;
	now = stamp_of(&st);
	pthread_mutex_lock(&f->lock);
	has_changed = !is_same(&now, &f->loaded);
	pthread_mutex_unlock(&f->lock);
	return has_changed;
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
store_open_file(const char *path, struct hrw_fault *fault)
{
	struct file *f = calloc(1, sizeof(*f));

	if (f == NULL || (f->path = strdup(path)) == NULL) {
		free(f);
		hrw_fault(fault, HRW_INTERNAL, "no memory for a store");
		return NULL;
	}
	f->store.methods = &methods;
	pthread_mutex_init(&f->lock, NULL);
	f->memory = store_open_sqlite(":memory:", true, NULL, fault);
	if (f->memory != NULL && file_load(&f->store, ignore, NULL, fault) == 0)
		return &f->store;
	file_close(&f->store);
	return NULL;
}
