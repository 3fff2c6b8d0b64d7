/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HPCG's problem as a plain sparse matrix: each point of the grid with itself (26) and
 * its neighbours (-1), one level of it. Rows are numbered in the order of the grid, x
 * fastest. Nothing behind this module knows of the grid: it reads the matrix.
 */
#ifndef ASSAY_KERNELS_HPCG_PROBLEM_H
#define ASSAY_KERNELS_HPCG_PROBLEM_H

#include "base/err.h"
#include "kernels/hpcg/grid.h"

/* What one rank gets from another and sends to it: as many values each way. */
struct neighbour {
	int rank;
	int32_t first, n; /* of the ghosts, and of the rows sent */
};

struct matrix {
	int32_t rows, ghosts;
	int64_t entries;
	int64_t *start;  /* of each row's entries; rows + 1 */
	int32_t *column; /* rows + g is ghost g, anywhere in its row */
	double *value;
	uint64_t start_bytes, column_bytes, value_bytes; /* as kit_free() wants them */
	struct neighbour neighbours[26];
	int n_neighbours;
	int32_t *sent; /* rows that neighbours need, theirs one after the other */
};

/* Bytes of memory problem_make() takes for a box. */
uint64_t problem_bytes(const struct grid *g);

/* Generates it on this rank's threads. Release it, also after an error. */
int problem_make(struct matrix *a, const struct grid *g, struct err *e);
void problem_release(struct matrix *a);

/* Row @row of the right-hand side for the solution 1: 26 less its neighbours. */
double problem_rhs(const struct matrix *a, int32_t row);

/* Row of the next finer level's matrix that row @row of @coarse stands for. */
int32_t problem_fine_row(const struct grid *coarse, int32_t row);

/* Number of row @row among the rows of all ranks. */
int64_t problem_global_row(const struct grid *g, int32_t row);

#endif
