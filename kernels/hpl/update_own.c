/* SPDX-License-Identifier: Apache-2.0 */
/* Own kernels of the update, for each instruction set: see update.h, update_body.h. */
#include "kernels/hpl/update.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <stddef.h>
#include <string.h>

#define PREFETCH(p) _mm_prefetch((const char *)(p), _MM_HINT_T0)

__attribute__((target("avx512f"))) static inline void
keep_avx512(__m512d *best, __m512d *where, __m512d v, __m512d here)
{
	const __mmask8 more = _mm512_cmp_pd_mask(v, *best, _CMP_GT_OQ);

	*best = _mm512_mask_mov_pd(*best, more, v);
	*where = _mm512_mask_mov_pd(*where, more, here);
}

__attribute__((target("avx2,fma"))) static inline void
keep_avx2(__m256d *best, __m256d *where, __m256d v, __m256d here)
{
	const __m256d more = _mm256_cmp_pd(v, *best, _CMP_GT_OQ);

	*best = _mm256_blendv_pd(*best, v, more);
	*where = _mm256_blendv_pd(*where, here, more);
}

#define NAME(f)        f##_avx512
#define TARGET         __attribute__((target("avx512f")))
#define VEC            __m512d
#define WIDTH          ((int64_t)8)
#define MR             ((int64_t)8)
#define NV             ((int64_t)3)
#define LOAD           _mm512_loadu_pd
#define STORE          _mm512_storeu_pd
#define SET            _mm512_set1_pd
#define MUL            _mm512_mul_pd
#define ABS            _mm512_abs_pd
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
#undef MUL
#undef ABS
#undef NMADD

#define NAME(f)        f##_avx2
#define TARGET         __attribute__((target("avx2,fma")))
#define VEC            __m256d
#define WIDTH          ((int64_t)4)
#define MR             ((int64_t)4)
#define NV             ((int64_t)3)
#define LOAD           _mm256_loadu_pd
#define STORE          _mm256_storeu_pd
#define SET            _mm256_set1_pd
#define MUL            _mm256_mul_pd
#define ABS(v)         _mm256_andnot_pd(_mm256_set1_pd(-0.0), v)
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
				     .multiply = multiply_avx512,
				     .eliminate = eliminate_avx512,
				     .column = column_avx512};
const struct update update_avx2 = {.name = "own avx2",
				   .mr = 4,
				   .nr = 12,
				   .usable = usable_avx2,
				   .solve = solve_avx2,
				   .multiply = multiply_avx2,
				   .eliminate = eliminate_avx2,
				   .column = column_avx2};
#else
static bool never(void)
{
	return false;
}

const struct update update_avx512 = {.name = "own avx512", .mr = 8, .usable = never};
const struct update update_avx2 = {.name = "own avx2", .mr = 4, .usable = never};
#endif
