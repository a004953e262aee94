/*
 * file_truth_test.c - a file of pools is the truth: a daemon that follows it through
 * any number of edits places keys as one that starts on its last text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/estimate.h"
#include "daemon/base/log.h"
#include "daemon/config/config.h"
#include "daemon/members/fingerprint.h"
#include "daemon/members/secrets.h"
#include "daemon/members/writer.h"
#include "tests/dsl/dice.h"
#include "tests/dsl/folder.h"
#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"

enum { NODES = 8, EDITS = 12, SEEDS = 2, KEYS = 300 };

/* A node as the file has it. */
struct line {
	int name, address; /* numbers that stand in them */
	double weight;
	int zone;
	int id;		   /* 0: left out */
	bool has_name;	   /* a hash_name of its own */
	const char *state; /* NULL: left out */
};

struct text {
	const struct hrw_placement *placement;
	struct line line[NODES];
	size_t count;
};

static double
some_weight(const struct hrw_placement *p, struct dice *d)
{
	if (p->weights.rule == HRW_WEIGHT_NONE || p->weights.max == 1)
		return 1;
	return 1 + dice_below(d, 3);
}

static struct line
some_line(const struct text *t, struct dice *d)
{
	static const char *const states[] = {
	    NULL, NULL, NULL, NULL, NULL, "active", "joining", "draining"};
	struct line line;
	bool is_free;

	do {
		line = (struct line){.name = (int)dice_below(d, 2 * NODES),
		    .address = (int)dice_below(d, 1000),
		    .weight = some_weight(t->placement, d),
		    .zone = (int)dice_below(d, 5),
		    .id = dice_percent(d, 15) ? 1 + (int)dice_below(d, 100) : 0,
		    .has_name = dice_percent(d, 15),
		    .state = states[dice_below(d, 8)]};
		is_free = true;
		for (size_t i = 0; i < t->count; i++)
			is_free = is_free && t->line[i].name != line.name;
	} while (!is_free);
	return line;
}

static void
insert(struct text *t, struct dice *d)
{
	size_t at = dice_below(d, (uint32_t)t->count + 1);
	struct line line;

	if (t->count == NODES)
		return;
	line = some_line(t, d);
	memmove(&t->line[at + 1], &t->line[at], (t->count - at) * sizeof(line));
	t->line[at] = line;
	t->count++;
}

static void
reverse(struct text *t)
{
	for (size_t i = 0; i < t->count / 2; i++) {
		struct line other = t->line[i];

		t->line[i] = t->line[t->count - 1 - i];
		t->line[t->count - 1 - i] = other;
	}
}

static void
edit(struct text *t, struct dice *d)
{
	struct line *line = &t->line[dice_below(d, (uint32_t)t->count)];
	size_t placements = 0;

	switch (dice_below(d, 8)) {
	case 0:
	case 1:
		line->address = (int)dice_below(d, 1000);
		break;
	case 2:
		reverse(t);
		break;
	case 3:
	case 4:
		insert(t, d);
		break;
	case 5:
		if (t->count > 2)
			*line = t->line[--t->count];
		break;
	case 6:
		*line = some_line(t, d);
		break;
	case 7: /* for a while another placement */
		while (hrw_placements[placements] != NULL)
			placements++;
		if (dice_percent(d, 30))
			t->placement = hrw_placements[dice_below(d, (uint32_t)placements)];
		break;
	}
}

static void
write_line(FILE *out, const struct text *t, const struct line *line)
{
	unsigned traits = t->placement->traits;

	fprintf(out, "{\"name\":\"n%d\",\"address\":\"10.0.%d.%d:11211\"", line->name,
	    line->address / 250, 1 + line->address % 250);
	if (t->placement->weights.rule != HRW_WEIGHT_NONE)
		fprintf(out, ",\"weight\":%g", line->weight);
	if ((traits & HRW_HOSTS) != 0 || ((traits & HRW_ZONED) != 0 && line->zone > 2))
		fprintf(out, ",\"zone\":\"z%d\"", line->zone);
	if (line->id != 0)
		fprintf(out, ",\"id\":%d", line->id);
	if (line->has_name && t->placement->hashed != HRW_HASHED_NOTHING)
		fprintf(out, ",\"hash_name\":\"own-%d\"", line->address);
	if (line->state != NULL)
		fprintf(out, ",\"state\":\"%s\"", line->state);
	if ((traits & HRW_SLOTS) != 0)
		fprintf(out, ",\"slots\":[[%d,%d]]", line->name * 1000, line->name * 1000 + 999);
	if ((traits & HRW_TOKENS) != 0)
		fprintf(out, ",\"tokens\":[\"%d\",\"%d\"]", line->name * 7919 - 60000,
		    line->name * 104729 + 1);
	fprintf(out, "}");
}

static const char required[] = "0123456789abcdef0123456789abcdef";

static void
write_text(const struct text *t)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	const struct hrw_param *param = t->placement->params;

	fprintf(out, "{\"one\":{\"placement\":{\"name\":\"%s\"", t->placement->name);
	for (size_t i = 0; param != NULL && param[i].name != NULL; i++)
		if (param[i].is_required)
			fprintf(out, ",\"%s\":\"%s\"", param[i].name,
			    param[i].type == HRW_PARAM_SECRET ? "key" : required);
	fprintf(out, "},\"nodes\":[");
	for (size_t i = 0; i < t->count; i++) {
		fprintf(out, i == 0 ? "" : ",");
		write_line(out, t, &t->line[i]);
	}
	fprintf(out, "]}}");
	fclose(out);
	folder_write(folder_file("pools.json"), text, len);
	free(text);
}

/* A daemon's part that reads pools. */
struct reader {
	uv_loop_t loop;
	struct config *config;
	struct store_file_rules rules;
	struct store *store;
	struct writer *writer; /* NULL: the file was refused */
};

static struct hrw_fault fault;

static void
reader_start(struct reader *r)
{

	ck_assert_int_eq(uv_loop_init(&r->loop), 0);
	r->config = config_new();
	r->config->store = CONFIG_STORE_FILE;
	r->rules = (struct store_file_rules){&r->config->http.json_bytes, &r->config->allow_empty};
	r->store = store_open_file(folder_file("pools.json"), &r->rules, &fault);
	ck_assert_msg(r->store != NULL, "%s", fault.detail);
	r->writer = writer_new(&r->loop, &r->config->members, r->store, &fault);
}

static void
reader_end(struct reader *r)
{
	if (r->writer != NULL)
		writer_free(r->writer);
	uv_run(&r->loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&r->loop), 0);
	store_close(r->store);
	config_free(r->config);
}

static const struct pool *
reader_pool(const struct reader *r)
{
	return snapshot_pool(*writer_snapshot(r->writer), hrw_text("one"));
}

static void
reader_reload(struct reader *r)
{
	writer_reload(r->writer);
	while (!writer_is_idle(r->writer))
		uv_run(&r->loop, UV_RUN_ONCE);
}

static const char *
owner_of(const struct hrw_membership *m, struct hrw_bytes key)
{
	const char *name = owner(m, key);

	return name != NULL ? name : "nobody";
}

/* Both place alike, by their own account and in fact. */
static void
expect_alike(const struct pool *follows, const struct pool *starts, const char *where)
{
	char room[HRW_SAMPLE_KEY_BYTES];

	ck_assert_msg(strcmp(follows->fingerprint, starts->fingerprint) == 0,
	    "%s: another fingerprint", where);
	for (uint32_t i = 0; i < KEYS; i++) {
		struct hrw_bytes key = hrw_sample_key(starts->present, i, room);

		ck_assert_msg(
		    strcmp(owner_of(follows->present, key), owner_of(starts->present, key)) == 0,
		    "%s: another owner", where);
	}
	ck_assert_msg(hrw_membership_equal(follows->settled, starts->settled),
	    "%s: settled otherwise", where);
}

static unsigned taken, refusals, another;

/* A text that a start refuses is kept out while running, too. */
static void
follow_edits(struct text *t, struct dice *d, unsigned seed)
{
	struct reader follows, starts;

	write_text(t);
	reader_start(&follows);
	ck_assert_msg(follows.writer != NULL, "%s", fault.detail);
	for (unsigned i = 0; i < EDITS; i++) {
		const struct pool *was = reader_pool(&follows);
		char where[120];

		for (unsigned k = dice_below(d, 3); k < 3; k++)
			edit(t, d);
		snprintf(where, sizeof(where), "%s, seed %u, edit %u", t->placement->name, seed, i);
		write_text(t);
		reader_reload(&follows);
		reader_start(&starts);
		*(starts.writer != NULL ? &taken : &refusals) += 1;
		another += reader_pool(&follows) != was;
		if (starts.writer != NULL)
			expect_alike(reader_pool(&follows), reader_pool(&starts), where);
		else
			ck_assert_msg(reader_pool(&follows) == was, "%s: taken", where);
		reader_end(&starts);
	}
	reader_end(&follows);
}

START_TEST(a_followed_file_places_keys_as_a_start_on_it_does)
{
	static const char secret[] = "000102030405060708090a0b0c0d0e0f\n";

	folder_new();
	folder_write(folder_file("key"), secret, sizeof(secret) - 1);
	ck_assert_int_eq(chmod(folder_file("key"), 0600), 0);
	ck_assert_int_eq(secrets_use(folder_file(""), &fault), 0);
	for (size_t p = 0; hrw_placements[p] != NULL; p++) {
		for (unsigned seed = 0; seed < SEEDS; seed++) {
			struct dice d = {p * 1000 + seed};
			struct text t = {.placement = hrw_placements[p]};

			for (int i = 0; i < 4; i++)
				insert(&t, &d);
			for (size_t i = 0; i < t.count; i++) {
				t.line[i].id = 0;
				t.line[i].address = 1000 + (int)i; /* edits go below */
				t.line[i].has_name = false;
				t.line[i].state = NULL;
			}
			follow_edits(&t, &d, seed);
		}
	}
	folder_remove();
	/* Some edits are refused, most are not. */
	ck_assert_uint_gt(refusals, 0);
	ck_assert_uint_gt(taken, 2 * refusals);
	ck_assert_uint_gt(another, taken / 4);
}
END_TEST

SUITE(file_truth)
{
	log_set(LOG_ERROR, false);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, a_followed_file_places_keys_as_a_start_on_it_does);
}
