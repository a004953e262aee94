/*
 * Bodies that ask for changes: what is taken can be applied or is refused in
 * words, applying it twice gives the same, and its outcome can be stored.
 *
 * The first byte says which route's body it is.
 */
#include "daemon/members/change.h"
#include "tests/fuzz/law.h"

static const char document[] =
    "{\"format\":1,\"min_reader\":1,\"epoch\":4,\"lineage\":\"0123456789abcdef\",\"copies\":2,"
    "\"placement\":\"rendezvous\",\"settled\":true,\"nodes\":["
    "{\"name\":\"a\",\"id\":0,\"address\":\"h:1\",\"zone\":\"r1\"},"
    "{\"name\":\"b\",\"id\":1,\"address\":\"h:2\",\"weight\":2,\"zone\":\"r2\"},"
    "{\"name\":\"c\",\"id\":2,\"address\":\"h:3\",\"state\":\"draining\"}]}";

static int
read_body(struct change *c, uint8_t route, const struct json *body, struct hrw_fault *fault)
{
	const struct hrw_limits *limits = &hrw_limits_max;
	struct hrw_bytes name = hrw_text("b");

	switch (route) {
	case 'a':
		return change_read_node(
		    c, TASK_ADD, hrw_bytes(NULL, 0), body, false, limits, fault);
	case 'u':
		return change_read_node(c, TASK_PUT, name, body, false, limits, fault);
	case 'p':
		return change_read_node(c, TASK_PATCH, name, body, false, limits, fault);
	case 'n':
		return change_read_nodes(c, body, limits, fault);
	case 'o':
		return change_read_pool(c, body, limits, fault);
	case 'q':
		return change_read_pool_patch(c, body, limits, fault);
	default:
		return change_read(c, body, route == 'd', limits, fault);
	}
}

static char *
outcome_of(const struct change *c, struct pool *now, struct hrw_fault *fault)
{
	struct outcome out = {0};
	char *stored = NULL;
	int rc = change_build(c, now, 1700000000000, &hrw_limits_max, &out, fault);

	law_of_faults(rc, fault);
	if (rc == 0 && out.after != NULL)
		stored = document_store(out.after);
	law(rc < 0 || out.after == NULL || stored != NULL);
	outcome_fini(&out);
	return stored;
}

/* Generated configurations of many nodes take seconds to place: not the parser's. */
enum { BODY_MAX = 2048 };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct hrw_fault fault = {0};
	struct change *c = change_new("default");
	struct pool *now = document_load("default", document, &fault), *loaded;
	struct json *body = NULL;
	char *first = NULL, *second = NULL;
	int rc;

	law(c != NULL && now != NULL);
	if (len > 0 && len < BODY_MAX)
		body = json_parse(hrw_bytes(data + 1, len - 1), JSON_STRICT, &fault);
	if (body == NULL)
		goto out;
	rc = read_body(c, data[0], body, &fault);
	law_of_faults(rc, &fault);
	if (rc < 0)
		goto out;
	c->force = data[0] == 'f' ? ~0u : 0;
	first = outcome_of(c, now, &fault);
	second = outcome_of(c, now, &fault);
	law((first == NULL) == (second == NULL));
	if (first == NULL)
		goto out;
	law(strcmp(first, second) == 0);
	loaded = document_load("default", first, &fault);
	law(loaded != NULL);
	pool_release(loaded);
out:
	free(first);
	free(second);
	json_free(body);
	change_free(c);
	pool_release(now);
	return 0;
}
