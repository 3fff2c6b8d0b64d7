/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inner loops over a store for one instruction set: products, Gauss-Seidel sweeps
 * and vector updates. All vectors are in stored order with GUARD elements around.
 */
#ifndef ASSAY_KERNELS_HPCG_SWEEP_H
#define ASSAY_KERNELS_HPCG_SWEEP_H

#include <stdbool.h>

#include "kernels/hpcg/store.h"

struct sweeps {
	const char *name; /* "avx512", "avx2", "c" */
	bool (*usable)(void);
	/* y = A x without ghosts on the rows of @p; x y over them. */
	double (*product)(const struct store *s, const struct part *p, const double *x,
			  double *y);
	/*
	 * Gauss-Seidel for A x = r on the rows of @p in one level, without ghosts:
	 * forward from x = 0, forward, and backward, which gives r x over them.
	 */
	void (*first)(const struct store *s, const struct part *p, int32_t level,
		      const double *r, double *x);
	void (*forward)(const struct store *s, const struct part *p, int32_t level,
			const double *r, double *x);
	double (*backward)(const struct store *s, const struct part *p, int32_t level,
			   const double *r, double *x);
	/* y = x + b y */
	void (*direct)(const struct part *p, const double *x, double b, double *y);
	/* x += a d, r -= a q; r r */
	double (*step)(const struct part *p, double a, const double *d, const double *q,
		       double *x, double *r);
	/* r = b - q; r r */
	double (*residual)(const struct part *p, const double *b, const double *q,
			   double *r);
	double (*dot)(const struct part *p, const double *x, const double *y);
};

/* All of them, widest first; NULL beyond the last. */
const struct sweeps *sweeps_at(size_t i);

#endif
