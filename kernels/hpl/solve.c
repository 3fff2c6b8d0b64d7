/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Back substitution, block by block from the last: the ranks of a grid row add up what
 * the blocks solved so far contribute, the owner of the diagonal block solves, its column
 * is told and adds its part to the rows above.
 */
#include <string.h>

#include "kernels/hpl/lu.h"

/* Right-hand side of block @k less what is solved, on the rank that has the block. */
static void gather(struct lu *x, int64_t k, double *v)
{
	const int64_t row = lu_row(x, k * x->nb), width = lu_width(x, k);
	const int root = (int)(k % x->Q);

	for (int64_t i = 0; i < width; i++)
		v[i] = (x->has_b ? *lu_at(x, row + i, x->own_cols) : 0) -
		       x->sums[row + i];
	if (x->Q > 1)
		(void)MPI_Reduce(x->q == root ? MPI_IN_PLACE : v, v, (int)width,
				 MPI_DOUBLE, MPI_SUM, root, x->row);
}

/* U v := v with block @k on the diagonal. */
static void diagonal(const struct lu *x, int64_t k, double *v)
{
	const int64_t row = lu_row(x, k * x->nb), col = lu_col(x, k * x->nb);

	for (int64_t i = lu_width(x, k) - 1; i >= 0; i--) {
		const double *u = lu_at(x, row + i, col);

		for (int64_t j = i + 1; j < lu_width(x, k); j++)
			v[i] -= u[j] * v[j];
		v[i] /= u[i];
	}
}

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

void lu_solve(struct lu *x)
{
	memset(x->sums, 0, (size_t)x->rows * sizeof(double));
	for (int64_t k = x->steps - 1; k >= 0; k--) {
		const int p = (int)(k % x->P), q = (int)(k % x->Q);
		const int64_t width = lu_width(x, k), above = lu_row(x, k * x->nb);
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
#pragma omp parallel for schedule(static) num_threads(x->threads)
		for (int64_t r = 0; r < above; r++)
			x->sums[r] += dot(lu_at(x, r, col), x->x + col, width);
	}
}
