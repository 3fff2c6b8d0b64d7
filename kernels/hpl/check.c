/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HPL's check: ||A x - b|| / (eps (||A|| ||x|| + ||b||) n) in infinity norms with
 * eps = 2^-53, of the system made again; a result is right below 16.
 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "base/mem.h"
#include "kernels/hpl/gen.h"
#include "kernels/hpl/lu.h"

/* Rows that are added up over the grid's columns at once. */
enum { ROWS = 1024 };

/* This rank's part of a row: A x, sum of |A|, b. */
static void part(const struct lu *x, int64_t row, double *buffer, double out[3])
{
	const int64_t i = dist_global(row, x->nb, x->p, x->P);

	out[0] = out[1] = out[2] = 0;
	for (int u = 0; u < x->units; u++) {
		const int64_t c = x->unit_at[u], width = x->unit_at[u + 1] - c;

		if (x->has_b && u + 1 == x->units) {
			gen_row(x->want.seed, x->n, i, x->n, 1, &out[2]);
			continue;
		}
		gen_row(x->want.seed, x->n, i, dist_global(c, x->nb, x->q, x->Q), width,
			buffer);
		for (int64_t j = 0; j < width; j++) {
			out[0] += buffer[j] * x->x[c + j];
			out[1] += fabs(buffer[j]);
		}
	}
}

/* Not fmax(), which loses a NaN. */
static void keep(double *most, double v)
{
	v = fabs(v);
	if (v > *most || isnan(v))
		*most = v;
}

struct lu_check lu_check(struct lu *x)
{
	double norms[4] = {0}; /* r, a, x, b */
	double(*sums)[3] = mem_calloc(ROWS, sizeof(*sums));
	double *buffers = mem_calloc((size_t)x->threads * (size_t)x->nb, sizeof(double));
	struct lu_check c;
	int bad, any = 0;

	for (int64_t r0 = 0; r0 < x->rows; r0 += ROWS) {
		const int n = (int)(x->rows - r0 < ROWS ? x->rows - r0 : ROWS);

#pragma omp parallel for schedule(static) num_threads(x->threads)
		for (int i = 0; i < n; i++)
			part(x, r0 + i, buffers + (int64_t)omp_get_thread_num() * x->nb,
			     sums[i]);
		(void)MPI_Allreduce(MPI_IN_PLACE, sums, 3 * n, MPI_DOUBLE, MPI_SUM,
				    x->row);
		for (int i = 0; i < n; i++) {
			keep(&norms[0], sums[i][2] - sums[i][0]);
			keep(&norms[1], sums[i][1]);
			keep(&norms[3], sums[i][2]);
		}
	}
	for (int64_t j = 0; j < x->own_cols; j++)
		keep(&norms[2], x->x[j]);
	/* MPI_MAX may lose a NaN, too */
	bad = !isfinite(norms[0] + norms[1] + norms[2] + norms[3]);
	(void)MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, x->all);
	(void)MPI_Allreduce(MPI_IN_PLACE, norms, 4, MPI_DOUBLE, MPI_MAX, x->all);
	c = (struct lu_check){.r = norms[0], .a = norms[1], .x = norms[2], .b = norms[3]};
	c.residual = any ? NAN : c.r / (0x1p-53 * (c.a * c.x + c.b) * (double)x->n);
	free(sums);
	free(buffers);
	return c;
}
