/*
 * precondition.c - is the pool still the one that the request was about?
 *
 * Source: RFC 9110, 13.1: If-Match by the strong comparison, where a weak tag
 * equals none; If-None-Match by the weak one.
 */
#include <stdio.h>

#include "daemon/members/build.h"

/* One entity tag of a list; *at moves past it and what follows. False: the end,
 * or no tag at all. */
static bool
next_tag(const char **at, struct hrw_bytes *tag, bool *is_weak)
{
	const char *text = *at + strspn(*at, " \t,"), *end;

	*is_weak = strncmp(text, "W/", 2) == 0;
	if (*is_weak)
		text += 2;
	end = *text == '"' ? strchr(text + 1, '"') : NULL;
	if (end == NULL)
		return false;
	*tag = hrw_bytes(text, (size_t)(end + 1 - text));
	*at = end + 1;
	end = *at + strspn(*at, " \t");
	return *end == ',' || *end == '\0';
}

/* The pool's own tag, or its epoch alone in quotes. */
static bool
is_of(const struct pool *pool, struct hrw_bytes tag)
{
	char epoch[24];

	snprintf(epoch, sizeof(epoch), "\"%llu\"", (unsigned long long)pool->epoch);
	return hrw_bytes_equal(tag, hrw_text(pool->etag)) || hrw_bytes_equal(tag, hrw_text(epoch));
}

static bool
is_any(const char *list)
{
	list += strspn(list, " \t");
	return *list == '*' && list[1 + strspn(list + 1, " \t")] == '\0';
}

/* etagc of RFC 9110, 8.8.3, between quotes. */
static bool
is_tag(struct hrw_bytes quoted)
{
	for (size_t i = 1; i + 1 < quoted.len; i++)
		if (quoted.data[i] <= ' ' || quoted.data[i] == 0x7f)
			return false;
	return true;
}

int
precondition_check(const char *header, const char *list, struct hrw_fault *fault)
{
	const char *at = list;
	char shown[HRW_SHOWN];
	struct hrw_bytes tag;
	bool is_weak, has_tag = false;

	if (list == NULL || is_any(list))
		return 0;
	while (next_tag(&at, &tag, &is_weak) && is_tag(tag))
		has_tag = true;
	if (has_tag && at[strspn(at, " \t,")] == '\0')
		return 0;
	hrw_fault(fault, HRW_BAD_PARAMETER,
	    "%s is '%s': send the ETag of an answer as it was given, the epoch alone in quotes "
	    "(\"4\"), a list of such with commas between, or *",
	    header, hrw_show(hrw_text(list), shown, sizeof(shown)));
	hrw_fault_at(fault, "%s", header);
	return HRW_BAD_PARAMETER;
}

static bool
matches(const struct pool *pool, const char *list, bool takes_weak)
{
	struct hrw_bytes tag;
	bool is_weak;

	if (is_any(list))
		return true;
	while (next_tag(&list, &tag, &is_weak))
		if ((takes_weak || !is_weak) && is_of(pool, tag))
			return true;
	return false;
}

static bool
makes_pool(const struct change *c)
{
	return c->count > 0 && c->task[0].op == TASK_POOL;
}

/* what: a header, or what else the epoch was known by. */
static int
stale(const struct pool *now, const char *what, const char *value, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];

	hrw_show(hrw_text(value), shown, sizeof(shown));
	if (now == NULL)
		return hrw_fault(fault, HRW_STALE_EPOCH,
		    "%s is %s, but there is no such pool: send If-None-Match: * to make it", what,
		    shown);
	return hrw_fault(fault, HRW_STALE_EPOCH,
	    "%s is %s, but pool \"%s\" is at epoch %llu: look at what changed, then send If-Match: "
	    "%s",
	    what, shown, now->name, (unsigned long long)now->epoch, now->etag);
}

static int
at_header(struct hrw_fault *fault, const char *header, int rc)
{
	if (rc < 0)
		hrw_fault_at(fault, "%s", header);
	return rc;
}

static int
required(const struct change *c, const struct pool *now, struct hrw_fault *fault)
{
	if (now == NULL)
		return hrw_fault(fault, HRW_PRECONDITION_REQUIRED,
		    "this makes pool \"%s\", or replaces it if it is there by then: send "
		    "If-None-Match: * to make it only, or If-Match: * for either",
		    c->pool);
	return hrw_fault(fault, HRW_PRECONDITION_REQUIRED,
	    "this replaces what pool \"%s\" has: send If-Match: %s, the ETag that GET gave, or "
	    "If-Match: * for any",
	    now->name, now->etag);
}

int
precondition_judge(const struct change *c, const struct pool *now, struct hrw_fault *fault)
{
	const char *match = c->precondition.if_match, *none = c->precondition.if_none_match;

	if (none != NULL && now != NULL && matches(now, none, true))
		return at_header(fault, "If-None-Match", stale(now, "If-None-Match", none, fault));
	/* "*" lets a pool be made as well as replaced: any epoch, none too. */
	if (match != NULL &&
	    !(now != NULL ? matches(now, match, false) : makes_pool(c) && is_any(match)))
		return at_header(fault, "If-Match", stale(now, "If-Match", match, fault));
	if (c->expected_etag != NULL && (now == NULL || strcmp(c->expected_etag, now->etag) != 0))
		return stale(now, "the epoch of the plan", c->expected_etag, fault);
	if (c->precondition.is_required && match == NULL && none == NULL)
		return at_header(fault, "If-Match", required(c, now, fault));
	return 0;
}
