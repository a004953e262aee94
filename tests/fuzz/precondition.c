/*
 * If-Match and If-None-Match: a pool is matched only by a list that names it, or
 * by "*", and a list that begins with its own tag always does.
 *
 * The first byte: 'n' is If-None-Match, others are If-Match.
 */
#include "daemon/members/build.h"
#include "tests/fuzz/law.h"

static struct pool *pool;

static void
begin(void)
{
	struct hrw_fault fault;

	pool = document_load("default",
	    "{\"format\":1,\"min_reader\":1,\"epoch\":4,\"lineage\":\"0123456789abcdef\","
	    "\"placement\":\"rendezvous\",\"copies\":1,\"nodes\":[]}",
	    &fault);
	law(pool != NULL && strcmp(pool->etag, "\"4-0123456789abcdef\"") == 0);
}

static int
judge(bool is_none, char *list)
{
	struct change c = {.pool = (char *)(uintptr_t) "default"};
	struct hrw_fault fault = {0};
	int rc;

	*(is_none ? &c.precondition.if_none_match : &c.precondition.if_match) = list;
	rc = precondition_judge(&c, pool, &fault);
	law_of_faults(rc, &fault);
	law(rc == 0 || rc == HRW_STALE_EPOCH);
	return rc;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	bool is_none = len > 0 && data[0] == 'n';
	char *text = law_text(data, len), *list = text + (len > 0), *with;
	int rc;

	if (pool == NULL)
		begin();
	rc = judge(is_none, list);
	if ((rc == 0) != is_none)
		law(strchr(list, '*') != NULL || strstr(list, pool->etag) != NULL ||
		    strstr(list, "\"4\"") != NULL);
	law(asprintf(&with, "%s, %s", pool->etag, list) > 0);
	law((judge(is_none, with) == 0) != is_none);
	free(with);
	free(text);
	return 0;
}
