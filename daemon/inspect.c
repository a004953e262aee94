#include "daemon/inspect.h"
#include "daemon/members/document.h"
#include "daemon/members/warnings.h"
#include "daemon/members/writer.h"

static int
inspect_file(const struct config *c, bool warns, struct hrw_fault *fault)
{
	struct store_file_rules rules = {&c->http.json_bytes, &c->allow_empty};
	struct store *store = store_open_file(c->members.store_path, &rules, fault);
	struct snapshot *s;

	if (store == NULL)
		return (int)fault->error;
	s = writer_look(&c->members, store, fault);
	store_close(store);
	for (size_t i = 0; warns && s != NULL && i < s->count; i++)
		warnings_find(s->pool[i]->present, warnings_log, s->pool[i]->name);
	snapshot_release(s);
	return s != NULL ? 0 : (int)fault->error;
}

/* They were read and checked: only memory can be short here. */
static void
warn_of(const struct config *c, const struct json *j)
{
	struct pool_terms terms;
	struct hrw_membership *m = document_pool_read(j, c->members.limits, &terms, NULL);

	if (m != NULL && hrw_membership_freeze(m, c->members.limits, NULL) == 0)
		warnings_find(m, warnings_log, (char *)json_name(j));
	hrw_membership_free(m);
}

int
inspect_pools(const struct config *c, bool warns, struct hrw_fault *fault)
{
	if (c->store == CONFIG_STORE_FILE)
		return inspect_file(c, warns, fault);
	if (warns && c->members.pools != NULL)
		json_each (pool, c->members.pools)
			warn_of(c, pool);
	return 0;
}
