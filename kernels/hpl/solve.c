/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Back substitution, block by block from the last. For each the ranks of its grid row
 * add up what the blocks solved so far contribute, each of its own columns: whole rows
 * one after the other, as they are stored. The owner of the diagonal block solves and
 * tells its column.
 */
#include <string.h>

#include "kernels/hpl/lu.h"

static double dot(const double *a, const double *b, int64_t n)
{
	double s[8] = {0}, sum = 0;
	int64_t j = 0;

	for (; j + 8 <= n; j += 8) {
		for (int i = 0; i < 8; i++)
			s[i] += a[j + i] * b[j + i];
	}
	for (; j < n; j++)
		sum += a[j] * b[j];
	for (int i = 0; i < 8; i++)
		sum += s[i];
	return sum;
}

/* Right-hand side of block @k less what is solved, on the rank that has the block. */
static void gather(struct lu *x, int64_t k, double *v)
{
	const int64_t row = lu_row(x, k * x->nb), width = lu_width(x, k);
	const int64_t col = lu_col(x, lu_after(x, k)), known = x->own_cols - col;
	const int root = (int)(k % x->Q);

#pragma omp parallel for schedule(static) num_threads(x->threads)
	for (int64_t i = 0; i < width; i++)
		v[i] = (x->has_b ? *lu_at(x, row + i, x->own_cols) : 0) -
		       dot(lu_at(x, row + i, col), x->x + col, known);
	if (x->Q > 1)
		(void)MPI_Reduce(x->q == root ? MPI_IN_PLACE : v, v, (int)width,
				 MPI_DOUBLE, MPI_SUM, root, x->row);
}

/* U v := v with block @k on the diagonal. */
static void diagonal(const struct lu *x, int64_t k, double *v)
{
	const int64_t row = lu_row(x, k * x->nb), col = lu_col(x, k * x->nb);
	const int64_t width = lu_width(x, k);

	for (int64_t i = width - 1; i >= 0; i--) {
		const double *u = lu_at(x, row + i, col);

		v[i] = (v[i] - dot(u + i + 1, v + i + 1, width - i - 1)) / u[i];
	}
}

void lu_solve(struct lu *x)
{
	for (int64_t k = x->steps - 1; k >= 0; k--) {
		const int p = (int)(k % x->P), q = (int)(k % x->Q);
		const int64_t width = lu_width(x, k);
		double *v = x->message[0];
		int64_t col;

		if (x->p == p)
			gather(x, k, v);
		if (x->q != q)
			continue;
		col = lu_col(x, k * x->nb);
		if (x->p == p) {
			diagonal(x, k, v);
			memcpy(x->x + col, v, (size_t)width * sizeof(double));
		}
		if (x->P > 1)
			(void)MPI_Bcast(x->x + col, (int)width, MPI_DOUBLE, p, x->col);
	}
}
