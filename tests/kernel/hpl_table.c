/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Solves a table of systems over one grid, in one job: hpl_table P Q THREADS LARGEST
 * [EVERY]: orders up to LARGEST, every EVERYth of the combinations.
 * Each must pass HPL's check, and small ones equal LAPACK's dgesv. Prints a line for each
 * that is wrong, and how many there were; status 1 when any was wrong.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "kernels/hpl/gen.h"
#include "kernels/hpl/lu.h"

void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *pivots,
	    double *b, const int *ldb, int *info);

static const int64_t orders[] = {1,   2,   3,   7,   8,   9,    15,   16,   17,
				 31,  47,  48,  49,  61,  96,   97,   101,  127,
				 192, 211, 256, 389, 500, 1000, 1009, 2003, 4000};
static const int blocks[] = {1, 2, 5, 8, 16, 24, 32, 48, 72, 100, 144, 192, 256};

/* The worst relative difference to dgesv's solution; its own error is of that size too.
 */
static double against_lapack(const struct lu *x, const double *mine)
{
	const int n = (int)x->n, one = 1;
	double *a = mem_calloc((size_t)n * (size_t)n, sizeof(*a));
	double *b = mem_calloc((size_t)n, sizeof(*b)), worst = 0, size = 0;
	int *pivots = mem_calloc((size_t)n, sizeof(*pivots)), info = 0;

	for (int i = 0; i < n; i++) {
		double row[1024];

		gen_row(x->want.seed, n, i, 0, n, row);
		for (int j = 0; j < n; j++)
			a[j * n + i] = row[j];
		gen_row(x->want.seed, n, i, n, 1, &b[i]);
	}
	dgesv_(&n, &one, a, &n, pivots, b, &n, &info);
	for (int i = 0; i < n; i++) {
		worst = fmax(worst, fabs(b[i] - mine[i]));
		size = fmax(size, fabs(b[i]));
	}
	free(a);
	free(b);
	free(pivots);
	return info ? INFINITY : worst / size;
}

/* The whole solution on every rank. */
static double *collect(const struct lu *x)
{
	double *all = mem_calloc((size_t)x->n, sizeof(*all));

	for (int64_t c = 0; !x->p && c < x->own_cols; c++)
		all[dist_global(c, x->nb, x->q, x->Q)] = x->x[c];
	(void)MPI_Allreduce(MPI_IN_PLACE, all, (int)x->n, MPI_DOUBLE, MPI_SUM, x->all);
	return all;
}

static int solve(const struct lu_want *want)
{
	struct lu x;
	struct err e = {0};
	struct lu_check c;
	double *all, off = 0;
	int wrong;

	if (lu_open(&x, MPI_COMM_WORLD, want, &e)) {
		(void)printf("%s\n", e.msg);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	lu_generate(&x);
	lu_factor(&x);
	lu_solve(&x);
	c = lu_check(&x);
	all = collect(&x);
	if (x.n <= 500 && !x.rank)
		off = against_lapack(&x, all);
	/* dgesv and we both err by about the condition, some n^2 for such matrices */
	wrong = !(c.residual < 16) ||
		!(off < 100 * 0x1p-53 * (double)(x.n * x.n) + 1e-12);
	if (wrong && !x.rank)
		(void)printf(
			"N %lld NB %d %dx%d threads %d look-ahead %d %s broadcast %d: "
			"residual %g, dgesv differs by %g\n",
			(long long)x.n, x.nb, x.P, x.Q, x.threads, want->lookahead,
			want->update->name, want->bcast, c.residual, off);
	free(all);
	lu_close(&x);
	return wrong;
}

static int number(const char *text)
{
	return (int)strtol(text, NULL, 10);
}

int main(int argc, char **argv)
{
	const int64_t largest = number(argv[4]);
	const int every = argc > 5 ? number(argv[5]) : 1;
	int level, rank, wrong = 0, count = 0, seen = 0;

	(void)MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	(void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	omp_set_num_threads(number(argv[3]));
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		for (size_t j = 0; j < sizeof(blocks) / sizeof(blocks[0]); j++) {
			for (int u = 0; update_table[u]; u++) {
				struct lu_want want = {
					.size = {orders[i], blocks[j], number(argv[1]),
						 number(argv[2]), number(argv[3])},
					.update = update_table[u],
					.seed = 42 + i,
					.by_column = j % 2,
					.bcast = (enum bcast_kind)((i + j) % 3),
					.lookahead = (i + j + (size_t)u) % 4 != 0,
				};

				if (orders[i] > largest || !want.update->usable() ||
				    (orders[i] > 60L * blocks[j] && blocks[j] < 16) ||
				    seen++ % every)
					continue;
				wrong += solve(&want);
				count++;
			}
		}
	}
	if (!rank)
		(void)printf("%d of %d wrong\n", wrong, count);
	(void)MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	(void)MPI_Finalize();
	return wrong != 0;
}
