/*
 * pool.c - a version of a pool, with all that lookups need worked out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "core/estimate.h"
#include "core/hash/fnv1a.h"
#include "daemon/members/fingerprint.h"
#include "daemon/members/pool.h"
#include "daemon/members/warnings.h"

const struct pool_terms pool_no_terms = {.max_moved = -1};

/* So many random bits never come twice among the pools of one fleet. */
static int
lineage_new(char out[POOL_LINEAGE + 1])
{
	uint64_t bits;

	if (getrandom(&bits, sizeof(bits), 0) != (ssize_t)sizeof(bits))
		return HRW_INTERNAL;
	snprintf(out, POOL_LINEAGE + 1, "%016llx", (unsigned long long)bits);
	return 0;
}

static void
pool_free(struct pool *pool)
{
	hrw_settled_fini(&pool->match);
	if (pool->settled != pool->present)
		hrw_membership_free(pool->settled);
	hrw_membership_free(pool->present);
	pthread_mutex_destroy(&pool->share_lock);
	free(pool->share);
	free(pool->warnings);
	free(pool->extra);
	free(pool->name);
	free(pool);
}

/* NULL: no memory. */
static char *
warnings_of(const struct hrw_membership *m)
{
	struct buffer out = {0};

	buffer_add_text(&out, "");
	if (warnings_find(m, warnings_add, &out) < 0)
		out.failed = true;
	return buffer_take(&out);
}

static struct hrw_membership *
frozen_copy(const struct hrw_membership *m)
{
	struct hrw_membership *copy = hrw_membership_copy(m);

	if (copy != NULL && hrw_membership_freeze(copy, NULL, NULL) < 0) {
		hrw_membership_free(copy);
		copy = NULL;
	}
	return copy;
}

struct pool *
pool_new(const char *name, uint64_t epoch, const char *lineage, const struct pool_terms *terms,
    struct hrw_membership *present, struct hrw_membership *settled)
{
	struct pool *pool = calloc(1, sizeof(*pool));

	if (settled != present && hrw_is_settled(present, settled)) {
		hrw_membership_free(settled);
		settled = present;
	} else if (settled == present && !hrw_is_settled(present, present)) {
		settled = frozen_copy(present); /* a node is joining whose copies count */
	}
	if (pool == NULL || settled == NULL) {
		free(pool);
		if (settled != present)
			hrw_membership_free(settled);
		hrw_membership_free(present);
		return NULL;
	}
	atomic_init(&pool->references, 1);
	pthread_mutex_init(&pool->share_lock, NULL);
	pool->epoch = epoch;
	pool->terms = *terms;
	pool->only_joins = settled == present;
	pool->present = present;
	pool->settled = settled;
	pool->name = strdup(name);
	pool->share = calloc(present->count + 1, sizeof(*pool->share));
	pool->warnings = warnings_of(present);
	if (pool->name == NULL || pool->share == NULL || pool->warnings == NULL ||
	    hrw_settled_init(&pool->match, present, settled) < 0)
		goto fail;
	pool->name_hash = hrw_fnv1a32(hrw_text(name));
	if (lineage != NULL)
		snprintf(pool->lineage, sizeof(pool->lineage), "%s", lineage);
	else if (lineage_new(pool->lineage) < 0)
		goto fail;
	if (fingerprint_of(present, pool->fingerprint) < 0)
		goto fail;
	snprintf(pool->epoch_text, sizeof(pool->epoch_text), "%llu", (unsigned long long)epoch);
	snprintf(pool->etag, sizeof(pool->etag), "\"%s-%s\"", pool->epoch_text, pool->lineage);
	if ((present->placement->traits & HRW_FAIR) != 0)
		pool_shares(pool);
	return pool;
fail:
	pool_free(pool);
	return NULL;
}

const double *
pool_shares(struct pool *pool)
{
	if (pool_has_shares(pool))
		return pool->share;
	pthread_mutex_lock(&pool->share_lock);
	if (!pool_has_shares(pool)) {
		hrw_shares(pool->present, pool->share);
		atomic_store_explicit(&pool->has_shares, true, memory_order_release);
	}
	pthread_mutex_unlock(&pool->share_lock);
	return pool->share;
}

struct pool *
pool_acquire(struct pool *pool)
{
	atomic_fetch_add_explicit(&pool->references, 1, memory_order_relaxed);
	return pool;
}

/* Releasing orders a reader's last look before the free, by whoever is last. */
void
pool_release(struct pool *pool)
{
	if (pool != NULL &&
	    atomic_fetch_sub_explicit(&pool->references, 1, memory_order_acq_rel) == 1)
		pool_free(pool);
}
