/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HPCG's checks of the solver, and two that are sharper: entry by entry against the plain
 * matrix. Collective, each.
 */
#ifndef ASSAY_KERNELS_HPCG_CHECK_H
#define ASSAY_KERNELS_HPCG_CHECK_H

#include "kernels/hpcg/solver.h"

/*
 * Iterations CG needs to 1e-12 with the diagonal a million times larger (the first nine
 * rows of all up to ten times more); at most 12 plain and 2 with the cycle are right.
 */
int check_iterations(struct solver *v, bool precondition);

/*
 * |x' M y - y' M x| for two fixed vectors over what rounding may give, 2 ||A|| |x|^2
 * |y|^2 epsilon: at most 1 is right. M is the matrix, or the cycle.
 */
double check_symmetry(struct solver *v, bool cycle);

/* Largest |b - A 1| in any row; b is made so that it is zero. */
double check_solution(struct solver *v);

/*
 * Largest difference between a product (or a cycle) by the store and by the plain matrix,
 * over the largest value of the latter.
 */
double check_plain(struct solver *v, struct plain *p, bool cycle);

/* Mean and variance of @n values, as HPCG takes them. */
double check_variance(const double *values, int n);

#endif
