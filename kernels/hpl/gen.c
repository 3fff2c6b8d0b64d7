/* SPDX-License-Identifier: Apache-2.0 */
/* The random system: see gen.h. */
#include "kernels/hpl/gen.h"

/* The finaliser of SplitMix64 (Steele, Lea, Flood: Fast Splittable PRNGs, 2014). */
static inline uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void gen_row(uint64_t seed, int64_t n, int64_t i, int64_t j, int64_t count, double *out)
{
	const uint64_t gamma = UINT64_C(0x9e3779b97f4a7c15);
	const uint64_t first = (uint64_t)i * (uint64_t)(n + 1) + (uint64_t)j + 1;

	for (int64_t c = 0; c < count; c++) {
		const uint64_t z = mix(seed + (first + (uint64_t)c) * gamma);

		/* 53 bits, exact in a double; 2^-53 */
		out[c] = (double)((int64_t)(z >> 11) - ((int64_t)1 << 52)) * 0x1p-53;
	}
}
