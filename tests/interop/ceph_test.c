/*
 * Ceph's own tools: crushtool for numbers, osdmaptool for names of objects.
 */
#include <stdlib.h>

#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/interop/match.h"
#include "tests/interop/real.h"

enum { NUMBERS = 400, OBJECTS = 30, OSDS_MIN = 4, OSDS_MAX = 20, HOSTS_MAX = 6, PG_BITS = 3 };

/* Host buckets, in the root's order. */
struct hosts {
	size_t count;
	struct {
		const char *name;
		int id;
		double weight; /* as the root has it */
	} host[HOSTS_MAX];
	size_t of[OSDS_MAX]; /* by osd */
};

/* How a weight is kept: 16.16 of a 32-bit float. */
static double
as_kept(double weight)
{
	return (double)(uint32_t)((float)weight * 65536.0f) / 65536.0;
}

/* Osds dealt out to hosts: the first of each is in order, so that the hosts'
 * order by lowest osd is h0, h1, … as hrwd has it unless told. */
static void
deal(struct trial *t, struct hosts *h)
{
	struct dice *d = &t->match->dice;

	*h = (struct hosts){.count = 3 + dice_below(d, HOSTS_MAX - 2)};
	if (h->count > t->count)
		h->count = t->count;
	for (size_t i = 0; i < h->count; i++) {
		h->host[i].name = text("h%zu", i);
		h->host[i].id = -2 - (int)i;
	}
	for (size_t n = 0; n < t->count; n++) {
		size_t of = n < h->count ? n : dice_below(d, (uint32_t)h->count);

		h->of[n] = of;
		h->host[of].weight += as_kept(t->server[n].weight);
		t->server[n].more = text("%s,\"zone\":\"%s\"", t->server[n].more, h->host[of].name);
	}
}

/* Hosts in another order, with other ids and weights than their osds' sum; as a
 * parameter. */
static const char *
rename_hosts(struct trial *t, struct hosts *h)
{
	struct dice *d = &t->match->dice;
	struct page page = {0};
	size_t place[HOSTS_MAX];
	struct hosts old = *h;

	for (size_t i = 0; i < h->count; i++) {
		size_t at = dice_below(d, (uint32_t)i + 1);

		place[i] = place[at];
		place[at] = i;
	}
	for (size_t i = 0; i < h->count; i++) {
		h->host[i] = old.host[place[i]];
		h->host[i].id = -3 - 2 * (int)place[i];
		h->host[i].weight = 1 + dice_below(d, 64) / 8.0;
	}
	for (size_t n = 0; n < t->count; n++)
		for (size_t i = 0; i < h->count; i++)
			if (place[i] == old.of[n])
				h->of[n] = i;
	page_add(&page, ",'hosts':[");
	for (size_t i = 0; i < h->count; i++)
		page_add(&page, "%s{'name':'%s','id':%d,'weight':%.6f}", i == 0 ? "" : ",",
		    h->host[i].name, h->host[i].id, h->host[i].weight);
	page_add(&page, "]");
	return kept(page.data);
}

/* Weights of all sizes and parts. */
static void
weigh(struct trial *t)
{
	for (size_t n = 0; n < t->count; n++)
		t->server[n].weight = (1 + dice_below(&t->match->dice, 9000)) / 1000.0;
}

/* Some osds that weigh nothing, and some that are in by half. */
static void
disturb(struct trial *t)
{
	struct dice *d = &t->match->dice;

	for (size_t n = 0; n < t->count; n++) {
		if (dice_percent(d, 10))
			t->server[n].weight = 0;
		if (dice_percent(d, 30) && !t->server[n].is_down)
			t->server[n].more = text(",\"reweight\":0.%u", 1 + dice_below(d, 9));
	}
}

/* The value of ,"reweight":… */
static double
reweight_of(const struct server *s)
{
	const char *at = strstr(s->more, "\"reweight\":");

	if (s->is_down)
		return 0;
	return at != NULL ? strtod(at + 11, NULL) : 1;
}

static void
map_osds(struct page *page, const struct trial *t, const struct hosts *h, size_t host)
{
	for (size_t n = 0; n < t->count; n++)
		if (h == NULL || h->of[n] == host)
			page_add(page, "\titem osd.%u weight %.9f\n", t->server[n].id,
			    t->server[n].weight);
}

/* The map in crushtool's own text; h NULL: one flat bucket. */
static const char *
map_of(const struct trial *t, const struct hosts *h)
{
	struct page page = {0};

	page_add(&page, "tunable choose_local_tries 0\ntunable choose_local_fallback_tries 0\n"
			"tunable choose_total_tries 50\ntunable chooseleaf_descend_once 1\n"
			"tunable chooseleaf_vary_r 1\ntunable chooseleaf_stable 1\n"
			"tunable straw_calc_version 1\ntunable allowed_bucket_algs 54\n");
	for (size_t n = 0; n < t->count; n++)
		page_add(&page, "device %u osd.%u\n", t->server[n].id, t->server[n].id);
	page_add(&page, "type 0 osd\ntype 1 host\ntype 11 root\n");
	for (size_t i = 0; h != NULL && i < h->count; i++) {
		page_add(&page, "host %s {\n\tid %d\n\talg straw2\n\thash 0\n", h->host[i].name,
		    h->host[i].id);
		map_osds(&page, t, h, i);
		page_add(&page, "}\n");
	}
	page_add(&page, "root default {\n\tid -1\n\talg straw2\n\thash 0\n");
	if (h == NULL)
		map_osds(&page, t, NULL, 0);
	for (size_t i = 0; h != NULL && i < h->count; i++)
		page_add(&page, "\titem %s weight %.9f\n", h->host[i].name, h->host[i].weight);
	page_add(&page,
	    "}\nrule spread {\n\tid 0\n\ttype replicated\n\tmin_size 1\n\tmax_size 10\n"
	    "\tstep take default\n\tstep %s firstn 0 type %s\n\tstep emit\n}\n",
	    h != NULL ? "chooseleaf" : "choose", h != NULL ? "host" : "osd");
	return kept(page.data);
}

static void
compile_map(const struct trial *t, const struct hosts *h)
{
	const char *map = map_of(t, h);

	daemon_write(t->match->daemon, "map.txt", map, strlen(map));
	real_output(t->match->daemon, "crushtool", "-c", "$DIR/map.txt", "-o", "$DIR/map", NULL);
}

/* "[3,1]" as names of nodes with commas between. */
static const char *
names_in(const struct trial *t, const char *list)
{
	struct page page = {0};

	page_bytes(&page, "", 0);
	for (const char *at = list + 1; *list == '[' && *at != ']' && *at != '\0';) {
		char *end;
		unsigned long id = strtoul(at, &end, 10);

		for (size_t n = 0; n < t->count; n++)
			if (t->server[n].id == id)
				page_add(
				    &page, "%s%s", page.len != 0 ? "," : "", t->server[n].name);
		at = *end == ',' ? end + 1 : end;
	}
	return kept(page.data);
}

/* crushtool's answers for the numbers from the first key on, a line each. */
static void
compare_with_crushtool(struct trial *t, const struct hosts *h)
{
	const char *first = (const char *)t->key[0].data;
	const char *last = (const char *)t->key[t->keys - 1].data, *said;
	struct page weights = {0};
	size_t compared = 0;

	compile_map(t, h);
	for (size_t n = 0; n < t->count; n++)
		page_add(
		    &weights, "--weight %u %.9f ", t->server[n].id, reweight_of(&t->server[n]));
	said = real_output(t->match->daemon, "sh", "-c",
	    text("crushtool -i $DIR/map --test --show-mappings --rule 0 --num-rep %u --min-x %s "
		 "--max-x %s %s",
		t->copies, first, last, weights.data),
	    NULL);
	free(weights.data);
	for (const char *at = said; (at = strstr(at, "CRUSH rule 0 x ")) != NULL;) {
		at += strlen("CRUSH rule 0 x ");
		ck_assert_uint_lt(compared, t->keys);
		ck_assert_uint_eq(
		    strtoul(at, NULL, 10), strtoul((const char *)t->key[compared].data, NULL, 10));
		trial_compare(t, compared++, names_in(t, strchr(at, '[')));
	}
	ck_assert_uint_eq(compared, t->keys);
}

static void
number_keys(struct trial *t)
{
	unsigned first = (unsigned)dice_roll(&t->match->dice) % 2000000000;

	for (unsigned i = 0; i < NUMBERS; i++) {
		const char *key = text("%u", first + i);

		trial_key(t, key, strlen(key));
	}
}

static size_t
any_count(struct match *m)
{
	return OSDS_MIN + dice_below(&m->dice, OSDS_MAX - OSDS_MIN + 1);
}

START_TEST(flat_maps_give_what_crushtool_says)
{
	enum { POOLS = 6 };
	struct match *m = match_new(SPEAKS_HTTP);

	for (unsigned i = 0; i < POOLS; i++) {
		struct trial *t =
		    trial_add(m, "{'name':'ceph-straw2','failure_domain':'osd','key_type':'int32'}",
			any_count(m), i);

		t->copies = 1 + i % 4;
		if ((i & TRIAL_WEIGHTS) != 0)
			weigh(t);
		if (i % 4 == 3)
			disturb(t);
		number_keys(t);
	}
	match_start(m);
	match_each (t, m)
		compare_with_crushtool(t, NULL);
	match_end(m);
}
END_TEST

START_TEST(maps_of_hosts_give_what_crushtool_says)
{
	enum { POOLS = 8 };
	struct match *m = match_new(SPEAKS_HTTP);
	struct hosts hosts[POOLS];
	size_t at = 0;

	for (unsigned i = 0; i < POOLS; i++) {
		struct trial *t = trial_add(m, "", any_count(m), i);

		t->copies = 1 + i % 4;
		if ((i & TRIAL_WEIGHTS) != 0)
			weigh(t);
		if (i % 4 == 3)
			disturb(t);
		deal(t, &hosts[i]);
		t->placement = text("{'name':'ceph-straw2','key_type':'int32'%s}",
		    i >= POOLS / 2 ? rename_hosts(t, &hosts[i]) : "");
		number_keys(t);
	}
	match_start(m);
	match_each (t, m)
		compare_with_crushtool(t, &hosts[at++]);
	match_end(m);
}
END_TEST

/* What a shell takes between ' and '. */
static bool
is_object_byte(unsigned char c)
{
	return c > 0x20 && c < 0x7f && c != '\'' && c != '$';
}

/* A name, its group and its osds: " object 'photo' -> 1.2f -> [3,1]". */
static void
compare_with_osdmaptool(struct trial *t, const struct hosts *h, unsigned bits, unsigned pgp_bits)
{
	const struct daemon *d = t->match->daemon;
	const char *out = "";

	compile_map(t, h);
	real_output(d, "osdmaptool", "--createsimple", text("%u", t->server[t->count - 1].id + 1),
	    "$DIR/osdmap", "--with-default-pool", "--pg-bits", text("%u", bits), "--pgp-bits",
	    text("%u", pgp_bits), "--clobber", NULL);
	real_output(d, "osdmaptool", "$DIR/osdmap", "--import-crush", "$DIR/map", NULL);
	for (size_t n = 0; n < t->count; n++)
		if (t->server[n].is_down)
			out = text("--mark-out %u", t->server[n].id);
	for (size_t i = 0; i < t->keys; i++) {
		const char *key = (const char *)t->key[i].data;
		const char *said = real_output(d, "sh", "-c",
		    text("osdmaptool $DIR/osdmap --mark-up-in %s --pool 1 --test-map-object '%s'",
			out, key),
		    NULL);
		const char *list = strstr(said, "-> [");

		ck_assert_msg(list != NULL, "osdmaptool: %s", said);
		trial_compare(t, i, names_in(t, list + 3));
	}
}

START_TEST(objects_are_where_osdmaptool_says)
{
	enum { POOLS = 4 };
	struct match *m = match_new(SPEAKS_HTTP);
	struct hosts hosts[POOLS];
	size_t at = 0;

	for (unsigned i = 0; i < POOLS; i++) {
		struct trial *t = trial_add(m, "", any_count(m), 0);
		unsigned osds = t->server[t->count - 1].id + 1,
			 pgp_bits = i < 2 ? PG_BITS : PG_BITS - 1;

		/* The tool makes pools of three copies, takes one osd out at most, and
		 * gives weight to an osd that has none. */
		t->copies = 3;
		if (i % 2 == 1)
			t->server[dice_below(&m->dice, (uint32_t)t->count)].is_down = true;
		weigh(t);
		deal(t, &hosts[i]);
		t->placement = text("{'name':'ceph-straw2','pool_id':1,'pg_num':%u,'pgp_num':%u}",
		    osds << PG_BITS, osds << pgp_bits);
		trial_keys(t, OBJECTS, 40, is_object_byte);
	}
	match_start(m);
	match_each (t, m) {
		compare_with_osdmaptool(t, &hosts[at], PG_BITS, at < 2 ? PG_BITS : PG_BITS - 1);
		at++;
	}
	match_end(m);
}
END_TEST

SUITE(ceph)
{
	if (!program_is_here("crushtool", "ceph-base", 2))
		return;
	tcase_add_test(tests, flat_maps_give_what_crushtool_says);
	tcase_add_test(tests, maps_of_hosts_give_what_crushtool_says);
	if (!program_is_here("osdmaptool", "ceph-base", 1))
		return;
	tcase_add_test(tests, objects_are_where_osdmaptool_says);
}
