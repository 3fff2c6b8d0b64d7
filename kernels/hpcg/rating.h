/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What HPCG counts, with S sets of I iterations, n rows and e entries of all ranks:
 *
 *   DDOT, WAXPBY   (3 I S + S) 2 n each
 *   SpMV           (I S + S) 2 e
 *   MG             I S (10 e on each but the coarsest level, 4 e there): two sweeps
 * before and two after of 2 e each and a residual of 2 e
 *
 * rating = flops x (reference iterations / I) / (time of the sets + S (set-up + storing)
 * / 10): iterations beyond the reference's earn nothing.
 *
 * And the bytes that this program has to move at least, from what is stored (store.h).
 * Each vector is counted once for a pass over it, however often it is read in it, and a
 * line that is fetched only to be overwritten not at all:
 *
 *   product   matrix + x + y
 *   sweep     matrix + r + x read and written; from zero: diagonal and lower entries, r
 *             and x written
 *   SpMV      one product
 *   MG        each but the coarsest level: sweep from zero, three sweeps, a product, and
 *             for each coarse row three values down and three up; coarsest: a sweep from
 *             zero and one back
 */
#ifndef ASSAY_KERNELS_HPCG_RATING_H
#define ASSAY_KERNELS_HPCG_RATING_H

#include "kernels/hpcg/solver.h"

/* Operations and bytes of one run of sets. */
struct work {
	double ddot, waxpby, spmv, mg; /* floating-point operations of all ranks */
	double spmv_bytes, mg_bytes;   /* of this rank */
};

struct work rating_work(const struct solver *v, int sets, int iterations);

/* FLOP/s. Times in s; @iterations were run in each of @sets, @reference were needed. */
double rating(const struct work *w, int sets, int iterations, int reference, double time,
	      double setup, double storing);

/* Bytes of matrix and vectors one row and iteration of CG takes, over all levels. */
double rating_bytes_per_row(const struct solver *v);

#endif
