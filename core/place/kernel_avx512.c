/*
 * kernel_avx512.c - sixteen nodes at once.
 */
#if defined(__x86_64__)

#include <immintrin.h>

#include "core/place/kernel.h"
#include "core/place/kernel_cost.h"

#define TARGET __attribute__((target("avx512f,avx512dq,bmi,bmi2")))
#define INLINE static inline __attribute__((always_inline)) TARGET

enum { LANES = 16 };
typedef __m512i vec;

INLINE vec
load(const uint32_t *at)
{
	return _mm512_load_si512(at);
}

INLINE void
store(uint32_t *at, vec v)
{
	_mm512_store_si512(at, v);
}

INLINE vec
splat(uint32_t x)
{
	return _mm512_set1_epi32((int)x);
}

INLINE vec
mix(vec hash, vec key)
{
	vec h = _mm512_xor_si512(hash, key);

	h = _mm512_mullo_epi32(_mm512_xor_si512(h, _mm512_srli_epi32(h, 16)), splat(0x85ebca6bu));
	h = _mm512_mullo_epi32(_mm512_xor_si512(h, _mm512_srli_epi32(h, 13)), splat(0xc2b2ae35u));
	/* 0xc3: NOT (a XOR b) */
	return _mm512_ternarylogic_epi32(h, _mm512_srli_epi32(h, 16), h, 0xc3);
}

/* (n + 1/2) / 2^32 */
INLINE __m512
unit(vec n)
{
	return _mm512_fmadd_ps(
	    _mm512_cvtepu32_ps(n), _mm512_set1_ps(0x1p-32f), _mm512_set1_ps(0x1p-33f));
}

/* x A(x) */
INLINE __m512
near(__m512 x)
{
	__m512 sum;

	sum = _mm512_fmadd_ps(x, _mm512_set1_ps(KERNEL_A4), _mm512_set1_ps(KERNEL_A3));
	sum = _mm512_fmadd_ps(x, sum, _mm512_set1_ps(KERNEL_A2));
	sum = _mm512_fmadd_ps(x, sum, _mm512_set1_ps(KERNEL_A1));
	sum = _mm512_fmadd_ps(x, sum, _mm512_set1_ps(KERNEL_A0));
	return _mm512_mul_ps(x, sum);
}

/* 127 ln 2 - 2^-23 ln 2 b - B(m) */
INLINE __m512
far(__m512 u)
{
	__m512 b = _mm512_cvtepi32_ps(_mm512_castps_si512(u)), sum;
	__m512 m = _mm512_getmant_ps(u, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src);

	sum = _mm512_fmadd_ps(m, _mm512_set1_ps(KERNEL_B5), _mm512_set1_ps(KERNEL_B4));
	sum = _mm512_fmadd_ps(m, sum, _mm512_set1_ps(KERNEL_B3));
	sum = _mm512_fmadd_ps(m, sum, _mm512_set1_ps(KERNEL_B2));
	sum = _mm512_fmadd_ps(m, sum, _mm512_set1_ps(KERNEL_B1));
	sum = _mm512_fmadd_ps(m, sum, _mm512_set1_ps(KERNEL_B0));
	b = _mm512_fnmadd_ps(
	    b, _mm512_set1_ps(0x1p-23f * KERNEL_LN_2), _mm512_set1_ps(127 * KERNEL_LN_2));
	return _mm512_add_ps(b, sum);
}

/* v C(v) / weight */
INLINE vec
small_cost(vec v, const float *per_unit)
{
	__m512 x = unit(v), sum;

	sum = _mm512_fmadd_ps(x, _mm512_set1_ps(KERNEL_C2), _mm512_set1_ps(KERNEL_C1));
	sum = _mm512_fmadd_ps(x, sum, _mm512_set1_ps(KERNEL_C0));
	return _mm512_castps_si512(_mm512_mul_ps(_mm512_mul_ps(x, _mm512_load_ps(per_unit)), sum));
}

INLINE vec
cost(vec v, const float *per_unit)
{
	__m512 minus_ln = _mm512_mask_blend_ps(_mm512_movepi32_mask(v), near(unit(v)),
	    far(unit(_mm512_xor_si512(v, splat(UINT32_MAX)))));

	return _mm512_castps_si512(_mm512_mul_ps(minus_ln, _mm512_load_ps(per_unit)));
}

INLINE vec
lower(vec a, vec b)
{
	return _mm512_min_epu32(a, b);
}

INLINE vec
spread(vec v)
{
	v = lower(v, _mm512_shuffle_i32x4(v, v, 0x4e));
	v = lower(v, _mm512_shuffle_i32x4(v, v, 0xb1));
	v = lower(v, _mm512_shuffle_epi32(v, 0x4e));
	return lower(v, _mm512_shuffle_epi32(v, 0xb1));
}

INLINE uint32_t
first(vec v)
{
	return (uint32_t)_mm512_cvtsi512_si32(v);
}

INLINE vec
plus(vec a, vec b)
{
	return _mm512_add_epi32(a, b);
}

INLINE uint32_t
at_most(vec a, vec b)
{
	return _mm512_cmple_epu32_mask(a, b);
}

INLINE vec
raise(vec v, vec x)
{
	return _mm512_mask_mov_epi32(v, _mm512_cmple_epu32_mask(v, x), splat(UINT32_MAX));
}

#include "core/place/kernel_scan.h"

static bool
is_runnable(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

const struct hrw_kernel hrw_kernel_avx512 = {"avx512", is_runnable, by_raw, by_cost, by_small_cost};

#endif
