/*
 * methods.h - what a kind of store gives to store.c; see store.h for the promises.
 */
#ifndef HRWD_STORE_METHODS_H
#define HRWD_STORE_METHODS_H

#include "daemon/store/figures.h"
#include "daemon/store/store.h"

struct store_methods {
	bool is_writable;
	void (*close)(struct store *s);
	bool (*has_changed)(struct store *s);			     /* NULL: never */
	void (*reading)(struct store *s, struct store_reading *out); /* NULL: nothing to tell */
	bool (*is_lost)(struct store *s);			     /* NULL: never */
	int (*copy)(struct store *s, const char *to, struct hrw_fault *fault); /* NULL: cannot */
	bool (*is_earlier)(struct store *s, const char *pool, const char *was,
	    const char *lineage); /* NULL: never */
	int (*load)(struct store *s, store_each_pool each, void *arg, struct hrw_fault *fault);
	int (*commit)(
	    struct store *s, struct store_write *writes, size_t count, struct hrw_fault *fault);
	char *(*document)(struct store *s, const char *pool, const char *lineage, uint64_t epoch,
	    struct hrw_fault *fault);
	int64_t (*removed_at)(struct store *s, const char *pool, const char *node);
	int (*history)(struct store *s, const char *pool, int64_t after, size_t limit,
	    store_each_entry each, void *arg, struct hrw_fault *fault);
	int (*summarise)(
	    struct store *s, int64_t history_id, const char *summary, struct hrw_fault *fault);
	int (*plan_put)(struct store *s, const struct store_plan *plan, struct hrw_fault *fault);
	int (*plan_get)(
	    struct store *s, const char *id, struct store_plan *out, struct hrw_fault *fault);
	int (*plans)(struct store *s, const char *pool, const char *after, size_t limit,
	    store_each_plan each, void *arg, struct hrw_fault *fault);
	int (*trim)(struct store *s, size_t plans, size_t history, struct hrw_fault *fault);
};

/* The first member of each kind's own struct. */
struct store {
	const struct store_methods *methods;
	struct store_figures figures;
};

#endif
