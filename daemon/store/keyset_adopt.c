/*
 * keyset_adopt.c - whose the sets are: called by pool and lineage, and cleared where
 * nobody has that lineage any more.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/store/keyset_private.h"

const char *
keyset_name(const char *pool, const char *lineage, char out[KEYSET_NAME])
{
	snprintf(out, KEYSET_NAME, "%s %s", pool, lineage);
	return out;
}

bool
keyset_is_lost(struct keyset *k)
{
	return atomic_load_explicit(&k->place.is_lost, memory_order_relaxed);
}

void
keyset_look(struct keyset *k)
{
	place_look(&k->place, NULL);
}

/* The set behind that one, in order of names. 1, 0 at the end. */
static int
next_name(struct keyset *k, const char *after, char name[KEYSET_NAME], struct hrw_fault *fault)
{
	sqlite3_stmt *s = database_statement(&k->writer, SETS_NEXT, fault);
	int rc;

	if (s == NULL)
		return HRW_STORE_FAILED;
	database_bind_text(s, 1, after);
	rc = database_step(&k->writer, s, fault);
	if (rc > 0)
		snprintf(name, KEYSET_NAME, "%s", (const char *)sqlite3_column_text(s, 0));
	sqlite3_reset(s);
	return rc;
}

static int
rename_set(struct keyset *k, const char *from, const char *to, struct hrw_fault *fault)
{
	sqlite3_stmt *s = database_statement(&k->writer, SET_RENAME, fault);

	if (s == NULL)
		return HRW_STORE_FAILED;
	database_bind_text(s, 1, from);
	database_bind_text(s, 2, to);
	return database_step(&k->writer, s, fault);
}

/* Gives the set its owner's name, or lets it go. */
static int
settle(struct keyset *k, const char *name, keyset_owner owner, void *arg, size_t *gone,
    struct hrw_fault *fault)
{
	char pool[KEYSET_NAME], to[KEYSET_NAME], *lineage;
	struct keyset_stats stats;
	int rc;

	snprintf(pool, sizeof(pool), "%s", name);
	lineage = strchr(pool, ' ');
	if (lineage != NULL)
		*lineage++ = '\0';
	if (!owner(arg, pool, lineage, to)) {
		rc = keyset_clear(k, name, true, &stats, fault);
		*gone += rc == 0;
		return rc;
	}
	if (strcmp(name, to) == 0)
		return 0;
	pthread_mutex_lock(&k->writing);
	rc = rename_set(k, name, to, fault);
	pthread_mutex_unlock(&k->writing);
	return rc;
}

/* An older hrwd would not find the sets any more. */
static int
raise_version(struct keyset *k, struct hrw_fault *fault)
{
	sqlite3_stmt *s = database_statement(&k->writer, VERSION_GET, fault);
	int version = 0;

	if (s == NULL)
		return HRW_STORE_FAILED;
	if (database_step(&k->writer, s, fault) > 0)
		version = sqlite3_column_int(s, 0);
	sqlite3_reset(s);
	return version == 1 ? database_run(&k->writer, "PRAGMA user_version = 2", fault) : 0;
}

int
keyset_adopt(struct keyset *k, keyset_owner owner, void *arg, size_t *gone, struct hrw_fault *fault)
{
	char name[KEYSET_NAME] = "";
	int rc;

	*gone = 0;
	/* A name that a set gets comes behind the one it had, or stands for itself. */
	while ((rc = next_name(k, name, name, fault)) > 0) {
		rc = settle(k, name, owner, arg, gone, fault);
		if (rc < 0)
			return rc;
	}
	return rc < 0 ? rc : raise_version(k, fault);
}
