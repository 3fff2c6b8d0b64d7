/* SPDX-License-Identifier: Apache-2.0 */
/* Own kernels of the update, for each instruction set: see update.h, update_body.h. */
#include "kernels/hpl/update.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <stddef.h>
#include <string.h>

#define PREFETCH(p) _mm_prefetch((const char *)(p), _MM_HINT_T0)

#define NAME(f)        f##_avx512
#define TARGET         __attribute__((target("avx512f")))
#define VEC            __m512d
#define WIDTH          8
#define MR             8
#define NV             3
#define LOAD           _mm512_loadu_pd
#define STORE          _mm512_storeu_pd
#define SET            _mm512_set1_pd
#define ZERO           _mm512_setzero_pd
#define SUB            _mm512_sub_pd
#define MADD(a, b, c)  _mm512_fmadd_pd(a, b, c)
#define NMADD(a, b, c) _mm512_fnmadd_pd(a, b, c)
#include "kernels/hpl/update_body.h"
#undef NAME
#undef TARGET
#undef VEC
#undef WIDTH
#undef MR
#undef NV
#undef LOAD
#undef STORE
#undef SET
#undef ZERO
#undef SUB
#undef MADD
#undef NMADD

#define NAME(f)        f##_avx2
#define TARGET         __attribute__((target("avx2,fma")))
#define VEC            __m256d
#define WIDTH          4
#define MR             6
#define NV             2
#define LOAD           _mm256_loadu_pd
#define STORE          _mm256_storeu_pd
#define SET            _mm256_set1_pd
#define ZERO           _mm256_setzero_pd
#define SUB            _mm256_sub_pd
#define MADD(a, b, c)  _mm256_fmadd_pd(a, b, c)
#define NMADD(a, b, c) _mm256_fnmadd_pd(a, b, c)
#include "kernels/hpl/update_body.h"

static bool usable_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}

static bool usable_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

const struct update update_avx512 = {.name = "own avx512",
				     .mr = 8,
				     .nr = 24,
				     .usable = usable_avx512,
				     .solve = solve_avx512,
				     .multiply = multiply_avx512};
const struct update update_avx2 = {.name = "own avx2",
				   .mr = 6,
				   .nr = 8,
				   .usable = usable_avx2,
				   .solve = solve_avx2,
				   .multiply = multiply_avx2};
#else
static bool never(void)
{
	return false;
}

const struct update update_avx512 = {.name = "own avx512", .mr = 8, .usable = never};
const struct update update_avx2 = {.name = "own avx2", .mr = 6, .usable = never};
#endif
