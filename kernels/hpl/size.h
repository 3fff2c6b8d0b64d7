/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sizes of an HPL problem, without MPI: the process grid, block sizes, how much memory a
 * rank needs, and the order that fits. All functions are pure.
 */
#ifndef ASSAY_KERNELS_HPL_SIZE_H
#define ASSAY_KERNELS_HPL_SIZE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	SIZE_NB_MAX = 1024,
	SIZE_MR_MAX = 8,  /* most rows of a register tile */
	SIZE_NR_MAX = 24, /* most columns of one */
	SIZE_BASE = 8,    /* columns of a panel that are factored one by one */
};

/* The least share of memory that may be asked for: less gives a problem of nothing. */
#define SIZE_LEAST_SHARE 0.001

struct size {
	int64_t n;   /* order */
	int nb;      /* block size */
	int p, q;    /* process grid: rows, columns */
	int threads; /* a rank */
};

/* What a rank needs, in doubles, part by part. */
struct size_parts {
	int64_t ld;     /* from one row of the matrix to the next */
	int64_t matrix; /* with the right-hand side */
	int64_t panel;  /* one of the two buffers a panel is factored in and sent from */
	int64_t head;   /* of it, pivots and L11 before the rows of L */
	int64_t chunk;  /* columns that one task updates, at most */
	int64_t block;  /* packed rows of U of a task: one for each thread */
	int64_t slot;   /* rows on their way between the ranks of a column */
	int64_t slots;  /* of those */
	int64_t vectors;
};

/* p x q = @ranks, as square as can be, p <= q. */
void size_grid(int ranks, int *p, int *q);
/* The grid is so flat that the rate suffers: a prime number of ranks, or twice one. */
bool size_flat(int p, int q);

/* The block size of an order @n on a @p x @q grid when none is asked for. */
int size_block(int64_t n, int p, int q);

/* Of a rank with @rows rows and @cols columns, the right-hand side included. */
struct size_parts size_parts(const struct size *s, int64_t rows, int64_t cols);
/* Bytes of the rank that needs most. Below N^2 8 / ranks + 10 % with size_block(). */
uint64_t size_bytes(const struct size *s);

/*
 * The order that takes the share @share of @usable bytes a rank: a multiple of nb, and
 * never so large that size_bytes() exceeds @usable. s->n is not read. 0: nothing fits.
 */
int64_t size_order(const struct size *s, uint64_t usable, double share);

#endif
