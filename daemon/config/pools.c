/*
 * pools.c - the pools that seed the store, and which of them is the default.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/config/private.h"
#include "daemon/members/document.h"

int
config_read_default_pool(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	const char *text = json_text(j);

	if (text == NULL)
		return config_mistyped(option, j, fault);
	if (hrw_check_name(hrw_text(text), HRW_NAME_BYTES_MAX, HRW_BAD_POOL, fault) < 0) {
		char said[HRW_FAULT_DETAIL];

		snprintf(said, sizeof(said), "%s", fault->detail);
		return json_fault(j, fault, HRW_BAD_POOL, "%s", said);
	}
	return config_set_text(&c->members.default_pool, text, fault);
}

/* What is wrong with a pool as a whole is told within it. */
static int
pool_fault(const struct json *pool, int rc, struct hrw_fault *fault)
{
	char pointer[HRW_FAULT_FIELD], field[HRW_FAULT_FIELD];

	json_pointer(pool, pointer, sizeof(pointer));
	memcpy(field, fault->field, sizeof(field));
	hrw_fault_at(fault, "%s%s", pointer, field);
	return rc;
}

static int
check_pool(const struct config *c, const struct json *pool, struct hrw_fault *fault)
{
	struct hrw_membership *m;
	struct pool_terms terms;
	int rc = hrw_check_name(
	    hrw_text(json_name(pool)), c->members.limits->name_bytes, HRW_BAD_POOL, fault);

	if (rc < 0)
		return pool_fault(pool, rc, fault);
	m = document_pool_read(pool, c->members.limits, &terms, fault);
	if (m == NULL)
		return (int)fault->error;
	rc = hrw_membership_freeze(m, c->members.limits, fault);
	hrw_membership_free(m);
	return rc < 0 ? pool_fault(pool, rc, fault) : 0;
}

int
config_read_pools(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	if (json_type(j) != JSON_OBJECT)
		return config_mistyped(option, j, fault);
	json_each (pool, j) {
		int rc = c->is_elsewhere ? 0 : check_pool(c, pool, fault);

		if (rc < 0)
			return rc;
	}
	c->members.pools = j;
	return 0;
}
