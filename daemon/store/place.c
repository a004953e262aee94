/*
 * place.c - looks at names, and compares what they lead to.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "daemon/store/claim.h"
#include "daemon/store/place.h"

static const char *const suffixes[PLACE_FILES] = {"", "-wal", ".lock"};

int
place_note(
    struct place *p, const struct database_kind *kind, const char *path, struct hrw_fault *fault)
{
	p->kind = kind;
	atomic_store(&p->is_lost, false);
	if (path == NULL)
		return 0;
	p->path = claim_path(path);
	for (size_t i = 0; i < PLACE_FILES; i++) {
		char *name = p->path != NULL ? claim_beside(p->path, suffixes[i]) : NULL;
		struct stat st;

		if (name == NULL)
			return hrw_fault(fault, HRW_INTERNAL, "no memory left");
		if (stat(name, &st) == 0) {
			p->at[i].device = st.st_dev;
			p->at[i].inode = st.st_ino;
		}
		free(name);
	}
	return 0;
}

void
place_fini(struct place *p)
{
	free(p->path);
	p->path = NULL;
}

int
place_look(struct place *p, struct hrw_fault *fault)
{
	for (size_t i = 0; p->path != NULL && i < PLACE_FILES; i++) {
		char *name = claim_beside(p->path, suffixes[i]);
		struct stat st;
		bool is_there;

		if (name == NULL)
			return hrw_fault(fault, HRW_INTERNAL, "no memory left");
		is_there =
		    p->at[i].inode == 0 || (stat(name, &st) == 0 && st.st_ino == p->at[i].inode &&
					       st.st_dev == p->at[i].device);
		if (!is_there) {
			atomic_store(&p->is_lost, true);
			hrw_fault(fault, HRW_STORE_FAILED,
			    "the %s %s is not where it was opened: %s was removed, moved or "
			    "replaced while the daemon runs (nothing was changed; put it back, or "
			    "restart the daemon)",
			    p->kind->what, p->path, name);
			free(name);
			return HRW_STORE_FAILED;
		}
		free(name);
	}
	atomic_store(&p->is_lost, false);
	return 0;
}
