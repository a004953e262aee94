/*
 * kernels_test.c - every kernel gives the ranking of the plain loops, bit for bit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/hash/fmix.h"
#include "core/hash/fnv1a.h"
#include "core/kernel.h"
#include "core/ln.h"
#include "tests/dsl/generate.h"
#include "tests/dsl/suite.h"

enum { KERNELS = 3, WANT_MAX = 70 };

/* One pool, frozen for each kernel that runs here; [0] by the plain loops. */
struct twins {
	size_t count;
	struct hrw_membership *m[KERNELS];
	const char *name[KERNELS];
};

/* Takes the draft. */
static struct twins
twins(struct hrw_membership *draft)
{
	const char *chosen = hrw_kernel_chosen();
	struct twins t = {0};

	for (; hrw_kernel_runnable(t.count) != NULL; t.count++) {
		t.name[t.count] = hrw_kernel_runnable(t.count);
		ck_assert_int_eq(hrw_kernel_choose(t.name[t.count], NULL), 0);
		t.m[t.count] = frozen(hrw_membership_copy(draft));
	}
	ck_assert_int_eq(hrw_kernel_choose(chosen, NULL), 0);
	hrw_membership_free(draft);
	return t;
}

static void
agree(const struct twins *t, struct hrw_bytes key, size_t want, uint64_t seed)
{
	uint32_t expected[WANT_MAX], got[WANT_MAX];
	int count = hrw_rank(t->m[0], key, want, expected);

	for (size_t k = 1; k < t->count; k++) {
		ck_assert_int_eq(hrw_rank(t->m[k], key, want, got), count);
		for (int i = 0; i < count; i++)
			ck_assert_msg(got[i] == expected[i],
			    "%s, seed %ju, %zu nodes, the best %zu: %s, not %s, is number %d",
			    t->name[k], (uintmax_t)seed, t->m[0]->count, want,
			    t->m[0]->node[got[i]].name, t->m[0]->node[expected[i]].name, i + 1);
	}
}

enum weights { EQUAL, FEW, ANY, STEPS, ONE_HEAVY, ONE_LIGHT, WEIGHTS };

static double
weight_of(enum weights kind, size_t i, struct dice *d)
{
	static const double few[] = {1, 2, 4, 1.5};

	switch (kind) {
	case FEW:
		return few[dice_below(d, 4)];
	case ANY:
		return any_weight(d);
	case STEPS:
		return dice_percent(d, 50) ? 1 : nextafter(1, 2);
	case ONE_HEAVY:
		return i == 3 ? 1e9 : 1;
	case ONE_LIGHT:
		return i == 3 ? 1e-6 : 1;
	case EQUAL:
	case WEIGHTS:
		break;
	}
	return 3;
}

static struct twins
pool_of(size_t count, enum weights kind, struct dice *d)
{
	struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 1);
	struct hrw_node *list = calloc(count, sizeof(*list));
	char(*name)[24] = calloc(count, sizeof(*name));

	for (size_t i = 0; i < count; i++) {
		sprintf(name[i], "n-%zu", i);
		list[i] = (struct hrw_node){
		    .name = name[i], .id = HRW_ID_UNSET, .weight = weight_of(kind, i, d)};
	}
	ck_assert_int_eq(hrw_membership_add_all(m, list, count, NULL, NULL, NULL), 0);
	free(name);
	free(list);
	return twins(m);
}

START_TEST(kernels_agree_on_pools_of_every_size)
{
	for (size_t count = 1; count <= 300; count++)
		for (enum weights kind = EQUAL; kind < WEIGHTS; kind++) {
			struct dice d = {count * WEIGHTS + kind};
			struct twins t = pool_of(count, kind, &d);

			for (size_t want = 1; want <= WANT_MAX; want++)
				agree(&t, any_key(&d), want, d.state);
			for (int i = 0; i < 40; i++)
				agree(&t, any_key(&d), 1 + dice_below(&d, 4), d.state);
			forget_nodes();
		}
}
END_TEST

START_TEST(kernels_agree_on_large_pools)
{
	static const size_t counts[] = {511, 512, 1000, 1023, 1024, 1025, 1088, 2049, 4096};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (enum weights kind = EQUAL; kind < WEIGHTS; kind++) {
			struct dice d = {counts[i] + kind};
			struct twins t = pool_of(counts[i], kind, &d);

			for (size_t want = 1; want <= WANT_MAX; want += 1 + want / 4)
				agree(&t, any_key(&d), want, d.state);
			for (int n = 0; n < 200; n++)
				agree(&t, any_key(&d), 1 + dice_below(&d, 3), d.state);
			forget_nodes();
		}
}
END_TEST

/* Many keys: rare things come up. */
START_TEST(kernels_agree_on_many_keys)
{
	static const size_t counts[] = {2, 3, 5, 8, 13, 16, 17, 64, 100};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (enum weights kind = EQUAL; kind < WEIGHTS; kind++) {
			struct dice d = {counts[i] * 1000 + kind};
			struct twins t = pool_of(counts[i], kind, &d);

			for (int n = 0; n < 20000; n++)
				agree(&t, any_key(&d), 1 + dice_below(&d, 4), d.state);
			forget_nodes();
		}
}
END_TEST

/* Two nodes whose scores for one key differ by the last bits of a weight. */
START_TEST(kernels_leave_close_scores_to_the_exact_comparison)
{
	struct dice d = {77};

	for (int round = 0; round < 3000; round++) {
		struct hrw_membership *m = draft("a b");
		struct hrw_bytes key = any_key(&d);
		uint32_t hash = hrw_fnv1a32(key);
		uint32_t raw_a = hrw_fmix32(hrw_fnv1a32(hrw_text("a")) ^ hash);
		uint32_t raw_b = hrw_fmix32(hrw_fnv1a32(hrw_text("b")) ^ hash);
		double weight = hrw_ln_score(raw_a, 32, 1) / hrw_ln_score(raw_b, 32, 1);
		struct twins t;

		/* From the last bit to what a kernel can tell. */
		weight *= 1 + (dice_percent(&d, 50) ? 1 : -1) * exp2(-8 - (double)(round % 46));
		if (!(weight >= 1e-6 && weight <= 1e9)) {
			hrw_membership_free(m);
			continue;
		}
		m->node[1].weight = weight;
		for (uint32_t i = 0, more = dice_below(&d, 100); i < more; i++) {
			char name[24];
			struct hrw_node node = {.name = name, .id = HRW_ID_UNSET, .weight = 1e-6};

			sprintf(name, "n-%u", i);
			ck_assert_int_eq(hrw_membership_add(m, &node, NULL, NULL), 0);
		}
		t = twins(m);
		agree(&t, key, 1, (uint64_t)round);
		agree(&t, key, 2, (uint64_t)round);
		forget_nodes();
	}
}
END_TEST

static uint32_t
inverse(uint32_t odd)
{
	uint32_t x = odd; /* Newton: three bits are right, then twice as many */

	for (int i = 0; i < 4; i++)
		x *= 2 - odd * x;
	return x;
}

/* The h of which fmix32 makes `raw`. */
static uint32_t
unmix(uint32_t raw)
{
	uint32_t h = (raw ^ (raw >> 16)) * inverse(0xc2b2ae35u);

	h = (h ^ (h >> 13) ^ (h >> 26)) * inverse(0x85ebca6bu);
	return h ^ (h >> 16);
}

/* A text of eight bytes with that FNV-1a. */
static struct hrw_bytes
text_of_hash(uint32_t hash, uint8_t room[8])
{
	uint32_t before = hash * inverse(HRW_FNV32_PRIME);

	for (uint64_t n = 0;; n++) {
		uint32_t h;

		for (size_t i = 0; i < 7; i++)
			room[i] = (uint8_t)(n >> 8 * i);
		h = hrw_fnv1a32(hrw_bytes(room, 7));
		room[7] = (uint8_t)(h ^ before);
		if ((h ^ before) < 256)
			return hrw_bytes(room, 8);
	}
}

START_TEST(kernels_agree_where_a_raw_is_at_either_end)
{
	static const uint32_t raws[] = {
	    0, 1, 2, UINT32_MAX, UINT32_MAX - 1, 0x7fffffff, 0x80000000u, 0xbfffffffu, 0xc0000000u};
	uint8_t room[8];
	struct dice d = {5};

	for (size_t i = 0; i < sizeof(raws) / sizeof(raws[0]); i++) {
		uint32_t node = hrw_fnv1a32(hrw_text("n-2"));
		struct hrw_bytes key = text_of_hash(node ^ unmix(raws[i]), room);

		ck_assert_uint_eq(hrw_fmix32(node ^ hrw_fnv1a32(key)), raws[i]);
		for (size_t count = 3; count < 200; count += 1 + count / 2)
			for (enum weights kind = EQUAL; kind < WEIGHTS; kind++) {
				struct twins t = pool_of(count, kind, &d);

				for (size_t want = 1; want <= count && want <= 20; want++)
					agree(&t, key, want, d.state);
				forget_nodes();
			}
	}
}
END_TEST

START_TEST(a_kernel_that_is_not_there_is_refused)
{
	const char *chosen = hrw_kernel_chosen();
	struct hrw_fault fault;

	ck_assert_int_eq(hrw_kernel_choose("avx3", &fault), HRW_BAD_FIELD);
	ck_assert_ptr_nonnull(strstr(fault.detail, "\"avx3\""));
	ck_assert_str_eq(hrw_kernel_chosen(), chosen);
	ck_assert_str_eq(hrw_kernel_runnable(0), "portable");
}
END_TEST

SUITE(kernels)
{
	tcase_add_test(tests, kernels_agree_on_pools_of_every_size);
	tcase_add_test(tests, kernels_agree_on_large_pools);
	tcase_add_test(tests, kernels_agree_on_many_keys);
	tcase_add_test(tests, kernels_leave_close_scores_to_the_exact_comparison);
	tcase_add_test(tests, kernels_agree_where_a_raw_is_at_either_end);
	tcase_add_test(tests, a_kernel_that_is_not_there_is_refused);
}
