/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HPCG's method as it is defined, on the plain matrix in the order of the grid: what the
 * fast one (store.h, cycle.h, cg.h) is held against. The reference iterations that a
 * rating is charged by are made with it. Slow; sweeps run on one thread.
 */
#ifndef ASSAY_KERNELS_HPCG_PLAIN_H
#define ASSAY_KERNELS_HPCG_PLAIN_H

#include "kernels/hpcg/halo.h"

/* Levels of the multigrid cycle, the finest counted. */
enum { LEVELS = 4 };

struct plain_level {
	const struct grid *grid;
	const struct matrix *a;
	struct halo *halo;
	double *r, *x, *ax; /* of this level; ghosts after the rows of x */
};

struct plain {
	struct plain_level level[LEVELS];
	double *r, *d; /* of CG */
	void *memory;  /* of all vectors */
	uint64_t bytes;
};

/* Its vectors, for a box of that size and the ghosts around it; bytes. */
uint64_t plain_bytes(const struct grid *g);
/* Allocates them; level[].grid, .a and .halo are set. Release it, also after an error. */
int plain_init(struct plain *p, struct err *e);
void plain_release(struct plain *p);

/* Rank's rows only are read and written; ghosts behind x come from the neighbours. */
void plain_spmv(struct plain_level *l, double *x, double *y);
void plain_cycle(struct plain *p, int level, const double *r, double *x);

/*
 * @iterations of CG for @b from zero. @history[i] becomes the norm of the residual after
 * i iterations, over that before the first.
 */
void plain_cg(struct plain *p, const double *b, int iterations, double *history);

#endif
