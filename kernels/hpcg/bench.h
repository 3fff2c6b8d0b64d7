/* SPDX-License-Identifier: Apache-2.0 */
/* State of assay-hpcg and its numbers, for hpcg.c (the hooks) and text.c (by hand). */
#ifndef ASSAY_KERNELS_HPCG_BENCH_H
#define ASSAY_KERNELS_HPCG_BENCH_H

#include "kernels/hpcg/rating.h"
#include "kernels/kit/kit.h"

/* Iterations of the plain method whose residual must be reached, and the most for it. */
enum { REFERENCE = 50, MOST_ITERATIONS = 10 * REFERENCE };
/* What may be left of the reference's residual, as HPCG takes it: six digits. */
#define REACHED (1 + 1e-6)
/* s: HPCG's official minimum. */
#define OFFICIAL 1800.0

/* How rank 0 holds the finest level's matrix: for people. */
struct stored {
	int levels;
	double one, pieces, gather; /* shares of slices */
	double matrix, all; /* bytes a row: in SpMV; and iteration, with vectors */
};

struct bench {
	struct solver solver;
	struct plain plain;
	bool made_halos;
	double setup, storing;            /* s, of the slowest rank */
	double history[REFERENCE + 1];    /* of the plain method */
	double fast[MOST_ITERATIONS + 1]; /* of the first set of the solver */
	int iterations;                   /* of a set */
	double reached; /* residual of the first set, over the first residual */
	int sets;
	double *residuals; /* of each set, over the first */
	double mean;       /* of them */
	double minimum;    /* s asked for */
	struct work work;
	struct times times; /* of this rank's sets */
	double time;        /* of the sets, s of the slowest rank */
	double rate;        /* FLOP/s */
	bool rated;         /* the grid is not too flat */
	struct stored stored;
};

/* The result as HPCG's users know it: kernel.text. */
void bench_text(struct kit *k, const struct record *records, size_t n, FILE *out);

#endif
