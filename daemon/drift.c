/*
 * drift.c - two pools are the same when their fingerprints are, and max_moved.
 */
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/drift.h"
#include "daemon/members/change.h"
#include "daemon/members/fingerprint.h"
#include "daemon/metrics/metrics.h"

/* The configuration was read and checked, so only memory can be short here: a
 * pool that cannot be compared counts as the same. */
static bool
is_same(const struct config *config, const struct json *j, const struct pool *pool)
{
	char fingerprint[POOL_FINGERPRINT + 1];
	struct hrw_membership *m;
	struct pool_terms terms;
	bool same = true;

	m = document_pool_read(j, config->members.limits, &terms, NULL);
	if (m == NULL)
		return true;
	if (hrw_membership_freeze(m, config->members.limits, NULL) == 0) {
		same = document_terms_differing(&terms, &pool->terms) == 0 &&
		       (fingerprint_of(m, fingerprint) < 0 ||
			   strcmp(fingerprint, pool->fingerprint) == 0);
	}
	hrw_membership_free(m);
	return same;
}

/* Would `hrwctl apply` of it change anything? What it leaves out of a node that is
 * there, a state, an id or a hash name, stays. */
static bool
would_change(const struct config *config, const struct json *j, const struct pool *pool)
{
	struct change *c = change_new(pool->name);
	struct outcome out = {0};
	struct hrw_fault fault;
	bool changes = true;

	if (c != NULL && change_read_pool(c, j, config->members.limits, &fault) == 0) {
		c->force = ~0u;
		if (change_build(c, (struct pool *)pool, 0, config->members.limits, &out, &fault) ==
		    0)
			changes = !out.is_unchanged;
	}
	outcome_fini(&out);
	change_free(c);
	return changes;
}

static void
tell_difference(const struct app *app, const struct json *j, const struct pool *pool)
{
	if (would_change(app->config, j, pool))
		log_warn("pool %s of %s differs from the store's, which is the truth "
			 "(epoch %llu): apply the file to change it",
		    pool->name, app->config->path, (unsigned long long)pool->epoch);
	else
		log_warn(
		    "pool %s of %s leaves out what the store knows of its nodes (epoch %llu): a "
		    "new store made from it would place keys otherwise. Write states, ids and "
		    "hash names as hrwctl pool show has them into it",
		    pool->name, app->config->path, (unsigned long long)pool->epoch);
}

void
drift_tell(const struct app *app, const struct snapshot *snapshot)
{
	/* A plain file is the truth itself. */
	if (app->config->members.pools == NULL || app->config->store == CONFIG_STORE_FILE)
		return;
	json_each (j, app->config->members.pools) {
		const char *name = json_name(j);
		const struct pool *pool = snapshot_pool(snapshot, hrw_text(name));
		bool differs = pool == NULL || !is_same(app->config, j, pool);

		metrics_drift(app->metrics, name, differs);
		if (pool == NULL)
			log_warn("pool %s stands in %s, but was removed: the store keeps it so "
				 "(apply the file to bring it back)",
			    name, app->config->path);
		else if (differs)
			tell_difference(app, j, pool);
	}
}
