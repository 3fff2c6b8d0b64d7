/* SPDX-License-Identifier: Apache-2.0 */
/* The loops over a store for each instruction set: see sweep.h. */
#include "kernels/hpcg/sweep.h"

#define INLINE   static inline __attribute__((always_inline))
#define NOINLINE static __attribute__((noinline))

#define SWEEPS(isa)                                                                     \
	{                                                                               \
		.name = #isa, .usable = usable_##isa, .product = product_##isa,         \
		.first = first_##isa, .forward = forward_##isa,                         \
		.backward = backward_##isa, .direct = direct_##isa, .step = step_##isa, \
		.residual = residual_##isa, .dot = dot_##isa,                           \
	}

/* Elements that are prefetched ahead in each slot: 512 bytes. */
#define AHEAD ((ptrdiff_t)64)

#if defined(__x86_64__)
#include <immintrin.h>

#define PREFETCH(p)    _mm_prefetch((const char *)(p), _MM_HINT_T0)
#define PREFETCH_L2(p) _mm_prefetch((const char *)(p), _MM_HINT_T1)

#define NAME(f)          f##_avx512
#define TARGET           __attribute__((target("avx512f,fma")))
#define V8               __m512d
#define ZERO             _mm512_setzero_pd
#define SET              _mm512_set1_pd
#define LOAD             _mm512_load_pd
#define LOADU            _mm512_loadu_pd
#define STORE            _mm512_store_pd
#define ADD              _mm512_add_pd
#define SUB              _mm512_sub_pd
#define DIV              _mm512_div_pd
#define MADD             _mm512_fmadd_pd
#define NMADD            _mm512_fnmadd_pd
#define SUM              _mm512_reduce_add_pd
#define M8               __mmask8
#define MASK(n)          ((__mmask8)(0xffU << (n)))
#define FROM(v, x, mask) _mm512_mask_loadu_pd(v, mask, x)
#define GATHER(x, offsets) \
	_mm512_i32gather_pd(_mm256_loadu_si256((const void *)(offsets)), x, 8)
#include "kernels/hpcg/sweep_body.h"

static bool usable_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma");
}

/* Two vectors of four. */
struct v4x2 {
	__m256d a, b;
};

#define AVX2    __attribute__((target("avx2,fma")))
#define NAME(f) f##_avx2
#define TARGET  AVX2
#define V8      struct v4x2

AVX2 INLINE struct v4x2 zero_avx2(void)
{
	return (struct v4x2){_mm256_setzero_pd(), _mm256_setzero_pd()};
}

AVX2 INLINE struct v4x2 set_avx2(double x)
{
	return (struct v4x2){_mm256_set1_pd(x), _mm256_set1_pd(x)};
}

AVX2 INLINE struct v4x2 load_avx2(const double *x)
{
	return (struct v4x2){_mm256_loadu_pd(x), _mm256_loadu_pd(x + 4)};
}

AVX2 INLINE void store_avx2(double *x, struct v4x2 v)
{
	_mm256_store_pd(x, v.a);
	_mm256_store_pd(x + 4, v.b);
}

AVX2 INLINE struct v4x2 add_avx2(struct v4x2 x, struct v4x2 y)
{
	return (struct v4x2){_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)};
}

AVX2 INLINE struct v4x2 sub_avx2(struct v4x2 x, struct v4x2 y)
{
	return (struct v4x2){_mm256_sub_pd(x.a, y.a), _mm256_sub_pd(x.b, y.b)};
}

AVX2 INLINE struct v4x2 div_avx2(struct v4x2 x, struct v4x2 y)
{
	return (struct v4x2){_mm256_div_pd(x.a, y.a), _mm256_div_pd(x.b, y.b)};
}

AVX2 INLINE struct v4x2 madd_avx2(struct v4x2 x, struct v4x2 y, struct v4x2 z)
{
	return (struct v4x2){_mm256_fmadd_pd(x.a, y.a, z.a),
			     _mm256_fmadd_pd(x.b, y.b, z.b)};
}

AVX2 INLINE struct v4x2 nmadd_avx2(struct v4x2 x, struct v4x2 y, struct v4x2 z)
{
	return (struct v4x2){_mm256_fnmadd_pd(x.a, y.a, z.a),
			     _mm256_fnmadd_pd(x.b, y.b, z.b)};
}

AVX2 INLINE double sum_avx2(struct v4x2 v)
{
	const __m256d x = _mm256_add_pd(v.a, v.b);
	const __m128d y =
		_mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));

	return _mm_cvtsd_f64(_mm_add_sd(y, _mm_unpackhi_pd(y, y)));
}

struct m4x2 {
	__m256d a, b;
};

/* Elements from @n on. */
AVX2 INLINE struct m4x2 mask_avx2(int n)
{
	const __m256i before = _mm256_set1_epi64x(n - 1);
	const __m256i a = _mm256_cmpgt_epi64(_mm256_set_epi64x(3, 2, 1, 0), before),
		      b = _mm256_cmpgt_epi64(_mm256_set_epi64x(7, 6, 5, 4), before);

	return (struct m4x2){_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)};
}

AVX2 INLINE struct v4x2 from_avx2(struct v4x2 v, const double *x, struct m4x2 m)
{
	return (struct v4x2){_mm256_blendv_pd(v.a, _mm256_loadu_pd(x), m.a),
			     _mm256_blendv_pd(v.b, _mm256_loadu_pd(x + 4), m.b)};
}

AVX2 INLINE struct v4x2 gather_avx2(const double *x, const int32_t *offset)
{
	return (struct v4x2){
		_mm256_i32gather_pd(x, _mm_loadu_si128((const void *)offset), 8),
		_mm256_i32gather_pd(x, _mm_loadu_si128((const void *)(offset + 4)), 8)};
}

#define ZERO   zero_avx2
#define SET    set_avx2
#define LOAD   load_avx2
#define LOADU  load_avx2
#define STORE  store_avx2
#define ADD    add_avx2
#define SUB    sub_avx2
#define DIV    div_avx2
#define MADD   madd_avx2
#define NMADD  nmadd_avx2
#define SUM    sum_avx2
#define M8     struct m4x2
#define MASK   mask_avx2
#define FROM   from_avx2
#define GATHER gather_avx2
#include "kernels/hpcg/sweep_body.h"
#undef PREFETCH
#undef PREFETCH_L2

static bool usable_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

/* Plain C: what other processors get, and the cross-check of the others. */
struct v1x8 {
	double v[SLICE];
};

#define EACH for (int i = 0; i < SLICE; i++)

INLINE struct v1x8 set_c(double x)
{
	struct v1x8 r;

	EACH r.v[i] = x;
	return r;
}

INLINE struct v1x8 zero_c(void)
{
	return set_c(0);
}

INLINE struct v1x8 load_c(const double *x)
{
	struct v1x8 r;

	EACH r.v[i] = x[i];
	return r;
}

INLINE void store_c(double *x, struct v1x8 v)
{
	EACH x[i] = v.v[i];
}

INLINE struct v1x8 add_c(struct v1x8 x, struct v1x8 y)
{
	EACH x.v[i] += y.v[i];
	return x;
}

INLINE struct v1x8 sub_c(struct v1x8 x, struct v1x8 y)
{
	EACH x.v[i] -= y.v[i];
	return x;
}

INLINE struct v1x8 div_c(struct v1x8 x, struct v1x8 y)
{
	EACH x.v[i] /= y.v[i];
	return x;
}

INLINE struct v1x8 madd_c(struct v1x8 x, struct v1x8 y, struct v1x8 z)
{
	EACH z.v[i] += x.v[i] * y.v[i];
	return z;
}

INLINE struct v1x8 nmadd_c(struct v1x8 x, struct v1x8 y, struct v1x8 z)
{
	EACH z.v[i] -= x.v[i] * y.v[i];
	return z;
}

INLINE double sum_c(struct v1x8 v)
{
	double sum = 0;

	EACH sum += v.v[i];
	return sum;
}

INLINE struct v1x8 from_c(struct v1x8 v, const double *x, int n)
{
	for (int i = n; i < SLICE; i++)
		v.v[i] = x[i];
	return v;
}

INLINE struct v1x8 gather_c(const double *x, const int32_t *offset)
{
	struct v1x8 r;

	EACH r.v[i] = x[offset[i]];
	return r;
}

#define PREFETCH(p) ((void)(p))
#define PREFETCH_L2 PREFETCH
#define NAME(f)     f##_c
#define TARGET
#define V8      struct v1x8
#define ZERO    zero_c
#define SET     set_c
#define LOAD    load_c
#define LOADU   load_c
#define STORE   store_c
#define ADD     add_c
#define SUB     sub_c
#define DIV     div_c
#define MADD    madd_c
#define NMADD   nmadd_c
#define SUM     sum_c
#define M8      int
#define MASK(n) (n)
#define FROM    from_c
#define GATHER  gather_c
#include "kernels/hpcg/sweep_body.h"

static bool usable_c(void)
{
	return true;
}

static const struct sweeps all[] = {
#if defined(__x86_64__)
	SWEEPS(avx512),
	SWEEPS(avx2),
#endif
	SWEEPS(c),
};

const struct sweeps *sweeps_at(size_t i)
{
	return i < sizeof(all) / sizeof(all[0]) ? &all[i] : NULL;
}
