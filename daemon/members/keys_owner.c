/*
 * keys_owner.c - matches sets with pools, by lineage.
 */
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/members/keys_owner.h"

struct search {
	struct store *store;
	const struct snapshot *pools;
};

static bool
find_owner(void *arg, const char *name, const char *lineage, char out[KEYSET_NAME])
{
	const struct search *s = arg;
	const struct pool *pool = snapshot_pool(s->pools, hrw_text(name));
	bool is_its = pool != NULL && (lineage == NULL || strcmp(lineage, pool->lineage) == 0 ||
					  store_is_earlier(s->store, name, lineage, pool->lineage));

	if (is_its)
		keyset_name(name, pool->lineage, out);
	else
		log_event(LOG_WARN,
		    "a stored key set is cleared: its pool was removed, or is another by now",
		    log_text("pool", name), log_text("lineage", lineage));
	return is_its;
}

void
keys_owner_settle(struct keyset *keyset, struct store *store, const struct snapshot *pools)
{
	struct search search = {.store = store, .pools = pools};
	struct hrw_fault fault = {0};
	size_t gone;

	if (keyset_adopt(keyset, find_owner, &search, &gone, &fault) < 0)
		log_error("stored key sets are not given to their pools: %s", fault.detail);
}
