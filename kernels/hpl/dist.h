/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One dimension of a block-cyclic distribution: blocks of nb rows (or columns) dealt out
 * to p processes in turn, beginning with process 0.
 */
#ifndef ASSAY_KERNELS_HPL_DIST_H
#define ASSAY_KERNELS_HPL_DIST_H

#include <stdint.h>

/* How many of the first @n are with process @i of @p; also where @n begins there. */
static inline int64_t dist_count(int64_t n, int64_t nb, int i, int p)
{
	const int64_t blocks = n / nb, turn = blocks % p;
	const int64_t whole = blocks / p * nb;

	if (i < turn)
		return whole + nb;
	return i == turn ? whole + n % nb : whole;
}

/* The process that has @g. */
static inline int dist_owner(int64_t g, int64_t nb, int p)
{
	return (int)(g / nb % p);
}

/* Where the owner of @g has it. */
static inline int64_t dist_local(int64_t g, int64_t nb, int p)
{
	return g / nb / p * nb + g % nb;
}

/* What process @i has at @l. */
static inline int64_t dist_global(int64_t l, int64_t nb, int i, int p)
{
	return (l / nb * p + i) * nb + l % nb;
}

#endif
