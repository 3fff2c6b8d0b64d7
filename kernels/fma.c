/* SPDX-License-Identifier: Apache-2.0 */
/* Multiply-adds in registers for each instruction set: see fma.h. */
#include "kernels/fma.h"

#include <math.h>
#include <stddef.h>

/* Multiply-adds of each chain in a round. */
enum { UNROLL = 4 };

/* As many as the registers hold beside two constants, and more than the latency needs. */
enum { AVX512_CHAINS = 16, AVX2_CHAINS = 12, SSE2_CHAINS = 12, C_CHAINS = 12 };

/* The largest distance from 2 of @n elements; a NaN is the largest of all. */
static double distance(const double *x, size_t n)
{
	double worst = 0;

	for (size_t i = 0; i < n; i++) {
		const double off = fabs(x[i] - 2);

		if (!(off <= worst))
			worst = off;
	}
	return worst;
}

#define FMA_ENTRY(isa, width, chains)                                   \
	{                                                               \
		.name = #isa, .usable = usable_##isa, .run = run_##isa, \
		.flops = 2.0 * UNROLL * (width) * (chains),             \
	}

#if defined(__x86_64__)
#include <immintrin.h>

#define NAME(f) f##_avx512
#define TARGET  __attribute__((target("avx512f")))
#define VEC     __m512d
#define WIDTH   8
#define CHAINS  AVX512_CHAINS
#define SET     _mm512_set1_pd
#define STORE   _mm512_store_pd
#define MADD    _mm512_fmadd_pd
#include "kernels/fma_body.h"

#define NAME(f) f##_avx2
#define TARGET  __attribute__((target("avx2,fma")))
#define VEC     __m256d
#define WIDTH   4
#define CHAINS  AVX2_CHAINS
#define SET     _mm256_set1_pd
#define STORE   _mm256_store_pd
#define MADD    _mm256_fmadd_pd
#include "kernels/fma_body.h"

#define NAME(f)       f##_sse2
#define TARGET        __attribute__((target("sse2")))
#define VEC           __m128d
#define WIDTH         2
#define CHAINS        SSE2_CHAINS
#define SET           _mm_set1_pd
#define STORE         _mm_store_pd
#define MADD(x, y, z) _mm_add_pd(_mm_mul_pd(x, y), z)
#include "kernels/fma_body.h"

static bool usable_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}

static bool usable_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool usable_sse2(void)
{
	return true; /* every x86-64 */
}
#endif

/* Plain C: what other processors get; the compiler makes vectors of it where it can. */
#define NAME(f) f##_c
#define TARGET
#define VEC           double
#define WIDTH         1
#define CHAINS        C_CHAINS
#define SET(v)        (v)
#define STORE(p, v)   (*(p) = (v))
#define MADD(x, y, z) ((x) * (y) + (z))
#include "kernels/fma_body.h"

static bool usable_c(void)
{
	return true;
}

static const struct fma all[] = {
#if defined(__x86_64__)
	FMA_ENTRY(avx512, 8, AVX512_CHAINS),
	FMA_ENTRY(avx2, 4, AVX2_CHAINS),
	FMA_ENTRY(sse2, 2, SSE2_CHAINS),
#endif
	FMA_ENTRY(c, 1, C_CHAINS),
};

const struct fma *fma_at(unsigned int i)
{
	return i < sizeof(all) / sizeof(all[0]) ? &all[i] : NULL;
}

const struct fma *fma_best(void)
{
	const struct fma *f = all;

	while (!f->usable())
		f++;
	return f;
}
