#include <sys/random.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>
#include <cjson/cJSON.h>
#include <sodium.h>

#include "tests/dsl/http.h"
#include "tests/dsl/pools.h"
#include "tests/dsl/text.h"
#include "tests/interop/match.h"

enum { KEY_MAX = 2048 };

static uint64_t
seed_of_run(void)
{
	const char *given = getenv("HRW_SEED");
	uint64_t seed;

	if (given != NULL)
		return strtoull(given, NULL, 0);
	ck_assert_int_eq(getrandom(&seed, sizeof(seed), 0), sizeof(seed));
	return seed;
}

struct match *
match_new(enum speech speech)
{
	struct match *m = kept(calloc(1, sizeof(*m)));

	m->seed = seed_of_run();
	m->dice.state = m->seed;
	m->fakes = fakes_new(speech);
	return m;
}

void
server_readdress(struct trial *t, struct server *s, unsigned port)
{
	const char *address = loopback_address(&t->match->dice, port);
	const char *colon = strchr(address, ':');

	s->address = address;
	s->host = text("%.*s", (int)(colon - address), address);
	s->port = (unsigned)strtoul(colon + 1, NULL, 10);
}

struct trial *
trial_add(struct match *m, const char *placement, size_t count, unsigned kind)
{
	struct trial *t = kept(calloc(1, sizeof(*t))), **end = &m->trials;
	unsigned id = 0, up = 0, number = 0;

	while (*end != NULL) {
		end = &(*end)->next;
		number++;
	}
	*end = t;
	t->match = m;
	t->pool = text("p%u", number);
	t->placement = placement;
	t->copies = 1;
	t->count = count;
	t->server = kept(calloc(count, sizeof(*t->server)));
	for (size_t i = 0; i < count; i++) {
		struct server *s = &t->server[i];

		id += 1 + dice_below(&m->dice, 9);
		s->id = id;
		s->name = text("n%zu", i + 1);
		s->more = "";
		s->weight = (kind & TRIAL_WEIGHTS) != 0 ? 1 + dice_below(&m->dice, 9) : 1;
		s->is_down = (kind & TRIAL_DOWN) != 0 && dice_percent(&m->dice, 25);
		up += !s->is_down;
		server_readdress(t, s, 0);
	}
	if (up == 0)
		t->server[0].is_down = false;
	else if ((kind & TRIAL_DOWN) != 0 && up == count && count > 1)
		t->server[dice_below(&m->dice, (uint32_t)count)].is_down = true;
	return t;
}

bool
is_header_byte(unsigned char c)
{
	return c != 0 && strchr(" \t\r\n", c) == NULL;
}

void
trial_key(struct trial *t, const void *key, size_t len)
{
	char *copy = kept(malloc(len + 1));

	memcpy(copy, key, len);
	copy[len] = '\0';
	t->key = realloc(t->key, (t->keys + 1) * sizeof(*t->key));
	ck_assert_ptr_nonnull(t->key);
	t->key[t->keys++] = hrw_bytes(copy, len);
}

void
trial_keys(struct trial *t, size_t count, size_t max_len, bool (*may_have)(unsigned char))
{
	static const char *const words[] = {"photo", "user", "session", "a", "page"};
	struct dice *d = &t->match->dice;
	unsigned char key[KEY_MAX];

	ck_assert_uint_ge(KEY_MAX, max_len);
	for (size_t i = 0; i < count; i++) {
		size_t len = 1 + dice_below(d, (uint32_t)max_len);

		if (i % 2 == 0) {
			const char *word =
			    text("%s-%u", words[dice_below(d, 5)], dice_below(d, 100000));

			trial_key(t, word, strlen(word) < max_len ? strlen(word) : max_len);
			continue;
		}
		for (size_t at = 0; at < len; at++)
			do
				key[at] = (unsigned char)dice_roll(d);
			while (may_have != NULL && !may_have(key[at]));
		trial_key(t, key, len);
	}
}

static void
add_node(struct page *page, const struct server *s)
{
	page_add(page, "{\"name\":\"%s\",\"address\":\"%s\",\"id\":%u", s->name, s->address, s->id);
	if (s->weight != 1)
		page_add(page, ",\"weight\":%.17g", s->weight);
	if (s->hash_name != NULL)
		page_add(page, ",\"hash_name\":\"%s\"", s->hash_name);
	page_add(page, "%s%s}", s->is_down ? ",\"state\":\"draining\"" : "", s->more);
}

/* Nodes in an order by chance: it must not count. */
static const char *
nodes_of(struct trial *t)
{
	struct page page = {0};
	size_t *order = kept(calloc(t->count + 1, sizeof(*order)));

	for (size_t i = 0; i < t->count; i++) {
		size_t at = dice_below(&t->match->dice, (uint32_t)i + 1);

		order[i] = order[at];
		order[at] = i;
	}
	page_add(&page, "[");
	for (size_t i = 0; i < t->count; i++) {
		page_add(&page, i == 0 ? "" : ",");
		add_node(&page, &t->server[order[i]]);
	}
	page_add(&page, "]");
	return kept(page.data);
}

static const char *
config_of(struct match *m)
{
	struct page page = {0};

	page_add(&page, "{\"limits\":{\"nodes\":2048,\"key_bytes\":2048},\"pools\":{");
	match_each (t, m)
		page_add(&page, "%s\"%s\":{\"placement\":%s,\"copies\":%u,\"nodes\":%s}",
		    t == m->trials ? "" : ",", t->pool, quoted(t->placement), t->copies,
		    nodes_of(t));
	page_add(&page, "}}");
	return kept(page.data);
}

static const char *
encoded(struct hrw_bytes key)
{
	struct page page = {0};

	for (size_t i = 0; i < key.len; i++)
		page_add(&page, "%%%02x", key.data[i]);
	return kept(page.data);
}

/* The names of an answer's list, with commas between. */
static const char *
joined(const cJSON *list, const char *member)
{
	struct page page = {0};
	const cJSON *one;

	page_bytes(&page, "", 0);
	cJSON_ArrayForEach (one, list) {
		const cJSON *name =
		    member != NULL ? cJSON_GetObjectItemCaseSensitive(one, member) : one;

		page_add(&page, "%s%s", page.len != 0 ? "," : "", cJSON_GetStringValue(name));
	}
	return kept(page.data);
}

/* One key; a key that nobody can take is an answer too. */
static const char *
ask_one(struct trial *t, size_t key)
{
	struct answer *a = get(t->match->daemon->lookup,
	    text("/replicas?pool=%s&key=%s", t->pool, encoded(t->key[key])));

	if (a->status == 503) {
		expect_refusal(a, 503, "no-servers", NULL);
		return "";
	}
	expect_status(a, 200);
	return joined(value_at(a->json, "replicas"), "node");
}

/* All keys in one request, whose answer is refused whole when one has no owner. */
static bool
ask_all(struct trial *t)
{
	struct page body = {0};
	const cJSON *results, *one;
	struct answer *a;
	size_t at = 0;

	page_add(&body, "[");
	for (size_t i = 0; i < t->keys; i++) {
		char base64[KEY_MAX * 2];

		sodium_bin2base64(base64, sizeof(base64), t->key[i].data, t->key[i].len,
		    sodium_base64_VARIANT_ORIGINAL);
		page_add(&body, "%s{\"key_base64\":\"%s\"}", i == 0 ? "" : ",", base64);
	}
	page_add(&body, "]");
	a = post(t->match->daemon->lookup, text("/owners?pool=%s&copies=%u", t->pool, t->copies),
	    kept(body.data));
	if (a->status == 503)
		return false;
	expect_status(a, 200);
	results = value_at(a->json, "results");
	ck_assert_int_eq(cJSON_GetArraySize(results), (int)t->keys);
	cJSON_ArrayForEach (one, results)
		t->ours[at++] = joined(cJSON_GetObjectItemCaseSensitive(one, "replicas"), NULL);
	return true;
}

void
match_start(struct match *m)
{
	enum { ALSO_ALONE = 10 };

	m->daemon = daemon_start(config_of(m), NULL);
	match_each (t, m) {
		bool has_all;

		t->ours = kept(calloc(t->keys + 1, sizeof(*t->ours)));
		kept(t->key);
		has_all = ask_all(t);
		for (size_t i = 0; i < t->keys && (!has_all || i < ALSO_ALONE); i++) {
			const char *alone = ask_one(t, i);

			if (has_all)
				ck_assert_str_eq(alone, t->ours[i]);
			t->ours[i] = alone;
		}
	}
}

void
trial_compare(struct trial *t, size_t key, const char *theirs)
{
	char shown[HRW_SHOWN];

	t->match->compared++;
	if (strcmp(theirs, t->ours[key]) == 0)
		return;
	/* Check takes short messages only. */
	printf("%s: %s\n", t->pool,
	    get(t->match->daemon->lookup, text("/nodes?pool=%s", t->pool))->body);
	printf("the key in hex: %s\n", encoded(t->key[key]));
	fflush(stdout);
	ck_abort_msg(
	    "key \"%s\": the real one chose \"%.200s\", hrwd \"%.200s\" in pool %s, %.200s; "
	    "again with HRW_SEED=0x%" PRIx64,
	    hrw_show(t->key[key], shown, sizeof(shown)), theirs, t->ours[key], t->pool,
	    t->placement, t->match->seed);
}

void
match_end(struct match *m)
{
	size_t pools = 0;

	match_each (t, m)
		pools++;
	printf("%s: %zu pools, %zu choices alike, HRW_SEED=0x%" PRIx64 "\n", m->trials->placement,
	    pools, m->compared, m->seed);
	fflush(stdout);
	daemon_stop(m->daemon);
}
