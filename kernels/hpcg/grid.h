/* SPDX-License-Identifier: Apache-2.0 */
/* Where a rank's box of grid points lies: processes in x, y, z and points of each box. */
#ifndef ASSAY_KERNELS_HPCG_GRID_H
#define ASSAY_KERNELS_HPCG_GRID_H

#include <stdint.h>

/* Flattest box of points, and of processes, that HPCG rates: smallest to largest side. */
#define GRID_FLATTEST 0.125

struct grid {
	int ranks[3], at[3]; /* processes, and this one among them, in x, y, z */
	int n[3];            /* points of this rank's box */
};

/*
 * The grid of @ranks processes, each with a box of @n points, that has the smallest
 * surface, and the place of @rank in it (x runs fastest). Of equal ones the one with more
 * processes in x, then in y.
 */
struct grid grid_make(int ranks, int rank, const int n[3]);

/* Every second point in each direction. Sides of the box must be even. */
struct grid grid_coarse(const struct grid *g);

/* Rank at @at; -1 outside of the grid. */
int grid_rank(const struct grid *g, const int at[3]);

/* Points of this rank's box, and of all. */
int64_t grid_rows(const struct grid *g);
int64_t grid_all_rows(const struct grid *g);
/* Entries of the matrix of all ranks: each point with its neighbours and itself. */
int64_t grid_all_entries(const struct grid *g);

/* Smallest side to the largest. */
double grid_flatness(const int sides[3]);

#endif
