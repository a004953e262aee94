/*
 * kernel_avx2.c - eight nodes at once.
 */
#if defined(__x86_64__)

#include <immintrin.h>

#include "core/place/kernel.h"
#include "core/place/kernel_cost.h"

#define TARGET __attribute__((target("avx2,fma,bmi,bmi2")))
#define INLINE static inline __attribute__((always_inline)) TARGET

enum { LANES = 8 };
typedef __m256i vec;

INLINE vec
load(const uint32_t *at)
{
	return _mm256_load_si256((const vec *)(const void *)at);
}

INLINE void
store(uint32_t *at, vec v)
{
	_mm256_store_si256((vec *)(void *)at, v);
}

INLINE vec
splat(uint32_t x)
{
	return _mm256_set1_epi32((int)x);
}

INLINE vec
invert(vec v)
{
	return _mm256_xor_si256(v, splat(UINT32_MAX));
}

INLINE vec
mix(vec hash, vec key)
{
	vec h = _mm256_xor_si256(hash, key);

	h = _mm256_mullo_epi32(_mm256_xor_si256(h, _mm256_srli_epi32(h, 16)), splat(0x85ebca6bu));
	h = _mm256_mullo_epi32(_mm256_xor_si256(h, _mm256_srli_epi32(h, 13)), splat(0xc2b2ae35u));
	return invert(_mm256_xor_si256(h, _mm256_srli_epi32(h, 16)));
}

/* (n + 1/2) / 2^32. Only signed numbers become floats here, so by halves. */
INLINE __m256
unit(vec n)
{
	__m256 low = _mm256_cvtepi32_ps(_mm256_blend_epi16(n, splat(0), 0xaa));
	__m256 high = _mm256_cvtepi32_ps(_mm256_srli_epi32(n, 16));

	low = _mm256_fmadd_ps(low, _mm256_set1_ps(0x1p-32f), _mm256_set1_ps(0x1p-33f));
	return _mm256_fmadd_ps(high, _mm256_set1_ps(0x1p-16f), low);
}

/* x A(x) */
INLINE __m256
near(__m256 x)
{
	__m256 sum;

	sum = _mm256_fmadd_ps(x, _mm256_set1_ps(KERNEL_A4), _mm256_set1_ps(KERNEL_A3));
	sum = _mm256_fmadd_ps(x, sum, _mm256_set1_ps(KERNEL_A2));
	sum = _mm256_fmadd_ps(x, sum, _mm256_set1_ps(KERNEL_A1));
	sum = _mm256_fmadd_ps(x, sum, _mm256_set1_ps(KERNEL_A0));
	return _mm256_mul_ps(x, sum);
}

/* 127 ln 2 - 2^-23 ln 2 b - B(m) */
INLINE __m256
far(__m256 u)
{
	__m256 b = _mm256_cvtepi32_ps(_mm256_castps_si256(u)), sum;
	__m256 m =
	    _mm256_or_ps(_mm256_and_ps(u, _mm256_castsi256_ps(splat(0x7fffff))), _mm256_set1_ps(1));

	sum = _mm256_fmadd_ps(m, _mm256_set1_ps(KERNEL_B5), _mm256_set1_ps(KERNEL_B4));
	sum = _mm256_fmadd_ps(m, sum, _mm256_set1_ps(KERNEL_B3));
	sum = _mm256_fmadd_ps(m, sum, _mm256_set1_ps(KERNEL_B2));
	sum = _mm256_fmadd_ps(m, sum, _mm256_set1_ps(KERNEL_B1));
	sum = _mm256_fmadd_ps(m, sum, _mm256_set1_ps(KERNEL_B0));
	b = _mm256_fnmadd_ps(
	    b, _mm256_set1_ps(0x1p-23f * KERNEL_LN_2), _mm256_set1_ps(127 * KERNEL_LN_2));
	return _mm256_add_ps(b, sum);
}

/* v C(v) / weight */
INLINE vec
small_cost(vec v, const float *per_unit)
{
	__m256 x = unit(v), sum;

	sum = _mm256_fmadd_ps(x, _mm256_set1_ps(KERNEL_C2), _mm256_set1_ps(KERNEL_C1));
	sum = _mm256_fmadd_ps(x, sum, _mm256_set1_ps(KERNEL_C0));
	return _mm256_castps_si256(_mm256_mul_ps(_mm256_mul_ps(x, _mm256_load_ps(per_unit)), sum));
}

INLINE vec
cost(vec v, const float *per_unit)
{
	/* The top bit of each lane chooses. */
	__m256 minus_ln =
	    _mm256_blendv_ps(near(unit(v)), far(unit(invert(v))), _mm256_castsi256_ps(v));

	return _mm256_castps_si256(_mm256_mul_ps(minus_ln, _mm256_load_ps(per_unit)));
}

INLINE vec
lower(vec a, vec b)
{
	return _mm256_min_epu32(a, b);
}

INLINE vec
spread(vec v)
{
	v = lower(v, _mm256_permute2x128_si256(v, v, 1));
	v = lower(v, _mm256_shuffle_epi32(v, 0x4e));
	return lower(v, _mm256_shuffle_epi32(v, 0xb1));
}

INLINE uint32_t
first(vec v)
{
	return (uint32_t)_mm256_cvtsi256_si32(v);
}

INLINE vec
plus(vec a, vec b)
{
	return _mm256_add_epi32(a, b);
}

INLINE vec
is_at_most(vec a, vec b)
{
	return _mm256_cmpeq_epi32(lower(a, b), a);
}

INLINE uint32_t
at_most(vec a, vec b)
{
	return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(is_at_most(a, b)));
}

INLINE vec
raise(vec v, vec x)
{
	return _mm256_or_si256(v, is_at_most(v, x));
}

#include "core/place/kernel_scan.h"

static bool
is_runnable(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

const struct hrw_kernel hrw_kernel_avx2 = {"avx2", is_runnable, by_raw, by_cost, by_small_cost};

#endif
