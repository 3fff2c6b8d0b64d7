/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The multiply-adds for one instruction set; fma.c includes this once for each. It
 * defines NAME(f) the function's name, TARGET its attribute, VEC a vector of WIDTH
 * doubles, CHAINS how many of them (they and two constants must fit into the registers),
 * and on it SET, STORE and MADD(x, y, z) = x y + z. No include guard: read several times
 * on purpose.
 */

/* The inner loops are unrolled whole, so that every vector becomes a register. */
TARGET static double NAME(run)(uint64_t rounds)
{
	const VEC half = SET(0.5), one = SET(1.0);
	double out[CHAINS * WIDTH] __attribute__((aligned(64)));
	VEC x[CHAINS];

#pragma GCC unroll 32
	for (int i = 0; i < CHAINS; i++)
		x[i] = SET(1.0 + i);
	for (uint64_t r = 0; r < rounds; r++) {
#pragma GCC unroll 4
		for (int u = 0; u < UNROLL; u++) {
#pragma GCC unroll 32
			for (int i = 0; i < CHAINS; i++)
				x[i] = MADD(x[i], half, one);
		}
	}
#pragma GCC unroll 32
	for (int i = 0; i < CHAINS; i++)
		STORE(out + (ptrdiff_t)i * WIDTH, x[i]);
	return distance(out, sizeof(out) / sizeof(out[0]));
}

/* for the next instruction set */
#undef NAME
#undef TARGET
#undef VEC
#undef WIDTH
#undef CHAINS
#undef SET
#undef STORE
#undef MADD
