/*
 * Stored documents and pools of a configuration: what is loaded is stored, and
 * what was stored is loaded and stored to the same letters.
 *
 * The first byte: 'c' is a pool of a configuration, others are stored ones.
 */
#include "daemon/members/document.h"
#include "tests/fuzz/law.h"

enum { DOCUMENT_MAX = 4096 };

static void
law_of_pools(const uint8_t *data, size_t len)
{
	struct hrw_fault fault = {0};
	struct json *j = json_parse(hrw_bytes(data, len), JSON_COMMENTS, &fault);
	struct hrw_membership *m;
	struct pool_terms terms = pool_no_terms;

	if (j == NULL)
		return;
	m = document_pool_read(j, &hrw_limits_max, &terms, &fault);
	if (m == NULL)
		law_of_faults((int)fault.error, &fault);
	law(m != NULL || fault.error != 0);
	law(terms.max_moved <= 1);
	hrw_membership_free(m);
	json_free(j);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct hrw_fault fault = {0};
	struct pool *pool, *again;
	char *text, *first, *second;

	if (len == 0 || len > DOCUMENT_MAX)
		return 0;
	if (data[0] == 'c') {
		law_of_pools(data + 1, len - 1);
		return 0;
	}
	text = law_text(data + 1, len - 1);
	pool = document_load("default", text, &fault);
	free(text);
	if (pool == NULL) {
		law(fault.error == HRW_STORE_FAILED);
		law_of_faults((int)fault.error, &fault);
		return 0;
	}
	first = document_store(pool);
	law(first != NULL);
	again = document_load("default", first, &fault);
	law(again != NULL);
	law(strcmp(pool->fingerprint, again->fingerprint) == 0);
	second = document_store(again);
	law(second != NULL && strcmp(first, second) == 0);
	free(first);
	free(second);
	pool_release(again);
	pool_release(pool);
	return 0;
}
