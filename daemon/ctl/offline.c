/*
 * offline.c - a plan without a daemon: the pool and the keys come from files, and
 * the very code that the daemon plans with does the rest.
 */
#include <stdlib.h>
#include <time.h>

#include "core/keytype.h"
#include "daemon/base/wall.h"
#include "daemon/ctl/body.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/command.h"
#include "daemon/ctl/planned.h"
#include "daemon/members/document.h"
#include "daemon/members/report_private.h"

enum {
	CHANGES_MAX = 1000, /* listed, as the daemon lists them */
	KEYS_A_LOOK = 65536,
};

/* The keys of a file: sorted, each once, as a stored set has them. */
struct keys {
	struct buffer text;
	struct hrw_bytes *key;
	size_t count;
};

static void
keys_fini(struct keys *keys)
{
	buffer_fini(&keys->text);
	free(keys->key);
}

static int
bytes_cmp(const void *a, const void *b)
{
	return hrw_bytes_cmp(*(const struct hrw_bytes *)a, *(const struct hrw_bytes *)b);
}

static int
keys_read(struct keys *keys, const char *path, const struct pool *pool)
{
	const char *at, *end, *line;
	struct hrw_fault fault;
	size_t lines = 1, kept = 0;
	int rc = body_file(path, &keys->text);

	if (rc != 0)
		return rc;
	at = keys->text.data;
	end = at + keys->text.len;
	for (const char *c = at; c < end && (c = memchr(c, '\n', (size_t)(end - c))) != NULL; c++)
		lines++;
	keys->key = calloc(lines, sizeof(*keys->key));
	if (keys->key == NULL)
		return ctl_no_memory();
	while (at < end) {
		struct hrw_bytes *key = &keys->key[keys->count++];

		line = memchr(at, '\n', (size_t)(end - at));
		*key = hrw_bytes(at, (size_t)((line != NULL ? line : end) - at));
		if (key->len == 0 || key->len > HRW_KEY_BYTES_MAX)
			return ctl_fail(CTL_USAGE, "%s: line %zu: a key has 1 to %d bytes", path,
			    keys->count, HRW_KEY_BYTES_MAX);
		if (hrw_key_check(pool->present, *key, &fault) < 0)
			return ctl_fail(
			    CTL_USAGE, "%s: line %zu: %s", path, keys->count, fault.detail);
		at += key->len + 1;
	}
	qsort(keys->key, keys->count, sizeof(*keys->key), bytes_cmp);
	for (size_t i = 0; i < keys->count; i++)
		if (kept == 0 || !hrw_bytes_equal(keys->key[kept - 1], keys->key[i]))
			keys->key[kept++] = keys->key[i];
	keys->count = kept;
	return 0;
}

/* What GET /pools/{pool} gave: with its epoch, lineage and settled membership. */
static struct pool *
pool_of_answer(const struct json *j, const char *name, struct hrw_fault *fault)
{
	struct buffer text = {0};
	struct json_out o = json_out(&text);
	struct pool *pool;

	json_open_object(&o, NULL);
	json_put_int(&o, "format", DOCUMENT_FORMAT);
	json_put_int(&o, "min_reader", 1);
	json_each (member, j)
		json_put_tree(&o, json_name(member), member);
	json_close_object(&o);
	pool = document_load(name, buffer_text(&text), fault);
	buffer_fini(&text);
	return pool;
}

/* What a configuration says: a pool that is made by it, and settled. */
static struct pool *
pool_of_configuration(const struct json *j, const char *name, struct hrw_fault *fault)
{
	struct change *c = change_new(name);
	struct outcome out = {0};
	struct pool *pool = NULL;
	int rc = c != NULL ? 0 : hrw_fault(fault, HRW_INTERNAL, "no memory");

	if (rc == 0)
		rc = change_read_pool(c, j, &hrw_limits_max, fault);
	if (rc == 0)
		rc = change_build(c, NULL, wall_ms(), &hrw_limits_max, &out, fault);
	if (rc == 0)
		pool = pool_acquire(out.after);
	outcome_fini(&out);
	change_free(c);
	return pool;
}

/* The pool that is meant, in a file of one or of many; NULL after saying why. */
static struct pool *
read_pool(struct ctl *ctl, const char *path)
{
	struct json *root = body_json(path);
	const struct json *j = root, *pools = json_get(root, "pools");
	const char *name = ctl->options.pool, *own = json_text(json_get(root, "name"));
	struct hrw_fault fault = {0};
	struct pool *pool = NULL;

	if (root == NULL)
		return NULL;
	if (pools != NULL && body_configuration(path, root, &pools) != 0) {
		json_free(root);
		return NULL;
	}
	if (name == NULL)
		name = own != NULL ? own : "default";
	if (pools != NULL && json_count(pools) == 1 && ctl->options.pool == NULL)
		name = json_name(json_first(pools));
	if (pools != NULL)
		j = json_get(pools, name);
	if (j == NULL)
		ctl_fail(CTL_USAGE, "%s has no pool \"%s\": --pool names another", path, name);
	else if (json_get(j, "epoch") != NULL)
		pool = pool_of_answer(j, name, &fault);
	else
		pool = pool_of_configuration(j, name, &fault);
	if (j != NULL && pool == NULL)
		ctl_fail(CTL_USAGE, "%s: %s%s%s", path, fault.detail,
		    fault.field[0] != '\0' ? ", at " : "", fault.field);
	json_free(root);
	return pool;
}

/* The outcome of what the file or the options say. */
static int
build(struct ctl *ctl, struct pool *pool, struct outcome *out)
{
	const char *path = ctl->argument_count > 0 ? ctl->argument[0] : NULL;
	struct change *change = change_new(pool->name);
	struct hrw_fault fault = {0};
	struct buffer body = {0};
	struct json *j = NULL;
	int rc, error = 0;

	rc = change != NULL ? body_change(ctl, path, NULL, &body) : ctl_no_memory();
	if (rc != 0)
		goto out;
	j = json_parse(buffer_bytes(&body), JSON_STORED, &fault);
	error =
	    j != NULL ? change_read(change, j, true, &hrw_limits_max, &fault) : (int)fault.error;
	if (error == 0) {
		change->is_dry_run = true;
		error = change_build(change, pool, wall_ms(), &hrw_limits_max, out, &fault);
	}
	if (error < 0)
		rc = ctl_fail(CTL_REFUSED, "%s (%s)", fault.detail, hrw_error_code(fault.error));
out:
	json_free(j);
	buffer_fini(&body);
	change_free(change);
	return rc;
}

static int
count_key(struct report *r, struct hrw_bytes key)
{
	struct hrw_change change;

	hrw_plan_key(r->plan, key, &change);
	if (hrw_tally_add(r->total, &change) < 0)
		return ctl_no_memory();
	if (!hrw_change_is_listed(&change) || r->source.kind == SOURCE_ESTIMATE)
		return 0;
	if (r->change_count == CHANGES_MAX) {
		r->is_truncated = true;
		return 0;
	}
	if (r->change_count++ > 0)
		buffer_add_text(&r->changes, ",");
	report_change_write(&r->changes, r->plan, key, &change, NULL, 0);
	return r->changes.failed ? ctl_no_memory() : 0;
}

static int
count(struct ctl *ctl, struct report *r, const struct keys *keys)
{
	char room[HRW_SAMPLE_KEY_BYTES];
	uint64_t total = r->keys_total;
	int rc = 0;

	for (uint64_t i = 0; rc == 0 && i < total; i++) {
		rc = count_key(r, r->source.kind == SOURCE_ESTIMATE
				      ? hrw_sample_key(report_after(r), (uint32_t)i, room)
				      : keys->key[i]);
		if (i % KEYS_A_LOOK == KEYS_A_LOOK - 1 && i + 1 < total)
			terminal_bar(&ctl->terminal, (double)i / (double)total, total, "keys");
	}
	terminal_clear(&ctl->terminal);
	return rc;
}

static int
show(struct ctl *ctl, struct report *r)
{
	struct buffer text = {0};
	struct json *j;
	int rc = CTL_DONE;

	report_write_as(r, REPORT_DONE, &text);
	j = text.failed ? NULL : json_parse(buffer_bytes(&text), JSON_STORED, NULL);
	if (j == NULL)
		rc = ctl_no_memory();
	else if (ctl->is_json)
		client_print(&text);
	else if (planned_is_idle(j))
		fputs("already so: nothing would change\n", ctl->out);
	else
		planned_show(ctl, j);
	if (rc == CTL_DONE && ctl->options.has_exit_code)
		rc = r->has_refusal ? CTL_REFUSED : planned_is_idle(j) ? CTL_DONE : CTL_PENDING;
	json_free(j);
	buffer_fini(&text);
	return rc;
}

static int
report(struct ctl *ctl, struct pool *before, struct outcome *out, const struct keys *keys)
{
	struct report r = {
	    .pool = before->name,
	    .outcome = (char *)"dry_run", /* only read */
	    .ops = (char *)buffer_text(&out->ops),
	    .has_refusal = out->refusal != 0,
	    .refusal = out->fault,
	    .before_pool = before,
	    .after_pool = out->after,
	    .source.kind = keys->key != NULL ? SOURCE_REQUEST : SOURCE_ESTIMATE,
	    .keys_total = keys->key != NULL ? keys->count : HRW_SAMPLE_KEYS,
	};
	int rc;

	r.plan = report_plan(before, out->after, NULL, buffer_text(&out->emptied));
	r.total = r.plan != NULL ? hrw_tally_new(r.plan) : NULL;
	rc = r.total != NULL ? count(ctl, &r, keys) : ctl_no_memory();
	if (rc == 0)
		rc = show(ctl, &r);
	buffer_fini(&r.changes);
	hrw_tally_free(r.total);
	hrw_plan_free(r.plan);
	return rc;
}

int
offline_plan(struct ctl *ctl)
{
	struct pool *pool = read_pool(ctl, ctl->options.offline);
	struct outcome out = {0};
	struct keys keys = {0};
	int rc = pool != NULL ? 0 : CTL_USAGE;

	if (rc == 0)
		rc = build(ctl, pool, &out);
	if (rc == 0 && ctl->options.keys != NULL)
		rc = keys_read(&keys, ctl->options.keys, pool);
	if (rc == 0)
		rc = report(ctl, pool, &out, &keys);
	keys_fini(&keys);
	outcome_fini(&out);
	pool_release(pool);
	return rc;
}
