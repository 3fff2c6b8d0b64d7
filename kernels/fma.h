/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The peak of a core: fused multiply-adds of doubles that touch registers only, in as
 * many independent chains as hide their latency. What a core cannot do here it can do
 * nowhere.
 */
#ifndef ASSAY_KERNELS_FMA_H
#define ASSAY_KERNELS_FMA_H

#include <stdbool.h>
#include <stdint.h>

struct fma {
	const char *name; /* "avx512", "avx2", "sse2", "c" */
	bool (*usable)(void);
	double flops; /* of one round */
	/*
	 * x = x / 2 + 1 in every element, @rounds times: all end at exactly 2 after sixty
	 * of them. Gives the largest distance from 2, NaN when an element is none.
	 */
	double (*run)(uint64_t rounds);
};

/* All there are in this program, the widest first; NULL at the end. */
const struct fma *fma_at(unsigned int i);

/* The widest this CPU can do. */
const struct fma *fma_best(void);

#endif
