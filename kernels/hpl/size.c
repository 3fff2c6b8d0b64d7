/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of an HPL problem: see size.h. */
#include "kernels/hpl/size.h"

#include <math.h>

#include "kernels/hpl/dist.h"

/* U of a task stays in the second-level cache beside a micro-panel of L and the tiles. */
static const int64_t chunk_columns = 480;

static int64_t round_up(int64_t x, int64_t to)
{
	return (x + to - 1) / to * to;
}

void size_grid(int ranks, int *p, int *q)
{
	*p = 1;
	for (int i = 1; (int64_t)i * i <= ranks; i++) {
		if (ranks % i == 0)
			*p = i;
	}
	*q = ranks / *p;
}

bool size_flat(int p, int q)
{
	/* 1 x 2 and 1 x 3 are as square as it gets with so few */
	return p < q && (int64_t)p * 4 < q;
}

int size_block(int64_t n, int p, int q)
{
	/* multiples of 24: tiles of all kernels divide them */
	static const int blocks[] = {192, 144, 96, 72, 48};
	const int64_t cols = n / q;
	int i = 0;

	/*
	 * Two panel buffers are 2 nb / cols of the matrix. The rest is 2 %, and as much
	 * again where rows are on their way between ranks.
	 */
	while (i < 4 && (int64_t)blocks[i] * (p > 1 ? 29 : 27) > cols)
		i++;
	return blocks[i];
}

/* An odd number of cache lines, so that rows do not meet in the same cache sets. */
static int64_t odd_lines(int64_t doubles)
{
	return round_up(doubles, 8) + (round_up(doubles, 8) / 8 % 2 ? 0 : 8);
}

struct size_parts size_parts(const struct size *s, int64_t rows, int64_t cols)
{
	struct size_parts z = {0};
	const int64_t nb = s->nb;

	z.ld = odd_lines(cols);
	z.matrix = rows * z.ld;
	z.head = round_up(nb, 8) + round_up((nb + SIZE_MR_MAX) * nb, 8);
	z.panel = round_up(z.head + round_up(rows, SIZE_MR_MAX) * nb, 8);
	z.chunk = nb > chunk_columns ? nb : chunk_columns / nb * nb;
	z.block = (nb + SIZE_MR_MAX) * round_up(z.chunk, SIZE_NR_MAX);
	z.block = round_up(z.block, 8);
	z.slots = s->p > 1 ? s->threads + 1 : 0;
	z.slot = round_up(2 * nb * z.chunk, 8);
	z.vectors = (round_up(rows, SIZE_MR_MAX) + (int64_t)2 * SIZE_MR_MAX) * SIZE_BASE +
		    round_up(nb * nb, 8) + round_up(nb * (nb + SIZE_NR_MAX), 8) +
		    round_up(cols, 8) + 2 * round_up(2 * nb + 3, 8);
	return z;
}

uint64_t size_bytes(const struct size *s)
{
	/* process (0, 0) has at least as much of everything as any other */
	const int64_t rows = dist_count(s->n, s->nb, 0, s->p);
	const int64_t cols = dist_count(s->n + 1, s->nb, 0, s->q);
	const struct size_parts z = size_parts(s, rows, cols);

	return sizeof(double) * (uint64_t)(z.matrix + 2 * z.panel + z.block * s->threads +
					   z.slot * z.slots + z.vectors);
}

int64_t size_order(const struct size *s, uint64_t usable, double share)
{
	const double ranks = (double)s->p * s->q;
	const double elements = share * (double)usable / sizeof(double) * ranks;
	struct size t = *s;

	/* at most 2^30: no machine has the 2^63 bytes of its matrix */
	t.n = (int64_t)fmin(sqrt(elements), 0x1p30) / s->nb * s->nb;
	while (t.n > 0 && size_bytes(&t) > usable)
		t.n -= s->nb;
	return t.n;
}
