#include "daemon/inspect.h"
#include "daemon/members/writer.h"

int
inspect_pools(const struct config *c, struct hrw_fault *fault)
{
	struct store_file_rules rules = {&c->json_bytes, &c->allow_empty};
	struct snapshot *snapshot;
	struct store *store;

	if (c->store != CONFIG_STORE_FILE)
		return 0;
	store = store_open_file(c->store_path, &rules, fault);
	if (store == NULL)
		return (int)fault->error;
	snapshot = writer_look(c, store, fault);
	snapshot_release(snapshot);
	store_close(store);
	return snapshot != NULL ? 0 : (int)fault->error;
}
