/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast solver: multigrid cycle and conjugate gradients on stores. Its iterates are
 * those of plain.h but for the order of sums; every operation HPCG counts is done, except
 * those on values known to be zero: the entries after the diagonal and of ghosts in a
 * sweep that starts from zero. Dot products are summed where their vectors pass by.
 *
 * All threads of the team call the functions marked "team", with their number.
 */
#ifndef ASSAY_KERNELS_HPCG_SOLVER_H
#define ASSAY_KERNELS_HPCG_SOLVER_H

#include "kernels/hpcg/halo.h"
#include "kernels/hpcg/plain.h"
#include "kernels/hpcg/store.h"
#include "kernels/hpcg/sweep.h"
#include "kernels/hpcg/team.h"

struct level {
	struct grid grid;
	struct matrix a;
	struct halo halo;
	struct store s;
	int32_t *sent; /* stored rows that neighbours need */
	int32_t *fine; /* stored row of the finer level of each stored row, -1: none */
	double *x, *r, *ax; /* of the cycle; x and r not of the finest level */
};

/* s of thread 0 in each phase, added up. */
struct times {
	double all, ddot, waxpby, spmv, mg;
	double allreduce, halo; /* waiting, part of the above */
	double spmv_wait;       /* part of halo */
};

struct solver {
	struct level level[LEVELS];
	struct team team;
	const struct sweeps *sweeps;
	/* of the finest level, in stored order */
	double *b, *x, *r, *z, *d, *q;
	struct times times;
	void *memory; /* of all vectors */
	uint64_t bytes;
};

/* Solution and its way. */
struct solution {
	int iterations;
	double first;    /* norm of the residual before the first */
	double *history; /* after i iterations, over the first; as many as asked, and 1 */
};

/* Stores the matrices of all levels (grid, a and halo are set); b is that of HPCG. */
int solver_init(struct solver *v, const struct sweeps *sweeps, int threads,
		struct err *e);
void solver_release(struct solver *v);

/* Bytes solver_init() will take. */
uint64_t solver_bytes(const struct grid *g);

/* Copies between the order of the grid and that of the store. */
void solver_to_stored(const struct level *l, const double *from, double *to);
void solver_from_stored(const struct level *l, const double *from, double *to);

/* Team. y = A x; x y over the thread's rows. */
double solver_product(struct solver *v, int thread, struct level *l, const double *x,
		      double *y);

/*
 * Team. One multigrid cycle from zero for A x = r; r x over the thread's rows. @r is
 * written to and given back as it was.
 */
double solver_cycle(struct solver *v, int thread, int level, double *r, double *x);

/*
 * Solves A x = b from zero, at most @most iterations or until the residual has fallen to
 * @tolerance of the first. Adds to v->times. Without @precondition the cycle is left out.
 */
void solver_cg(struct solver *v, int most, double tolerance, bool precondition,
	       struct solution *out);

#endif
