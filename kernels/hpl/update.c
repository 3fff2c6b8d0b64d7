/* SPDX-License-Identifier: Apache-2.0 */
/* Packing, the update by BLAS, and the table of kernels: see update.h. */
#include "kernels/hpl/update.h"

#include <cblas.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static bool always(void)
{
	return true;
}

static void solve_blas(int64_t k, const double *l11, double *u, int64_t w)
{
	cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, (int)k,
		    (int)w, 1, l11, (int)k, u, (int)w);
}

static void multiply_blas(int64_t rows, int64_t w, int64_t k, const double *l,
			  const double *u, double *c, int64_t ld)
{
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)w, (int)k,
		    -1, l, (int)k, u, (int)w, 1, c, (int)ld);
}

/* NOLINTBEGIN(readability-non-const-parameter): as the others have it */
static void eliminate_blas(int64_t tiles, int64_t width, double *w, int64_t j, int64_t k,
			   int64_t n, const double *t, int64_t ld, double *strips)
{
	(void)strips;
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)tiles, (int)n, (int)k,
		    -1, w + j, (int)width, t, (int)ld, 1, w + j + k, (int)width);
}

/* NOLINTEND(readability-non-const-parameter) */

static int64_t column_blas(int64_t tiles, int64_t width, double *w, int64_t from,
			   int64_t j, const double *u, double scale)
{
	int64_t found = from;
	double most = -1;

	for (int64_t r = from; r < tiles; r++) {
		double *const row = w + r * width;

		if (j > 0)
			row[j - 1] *= scale;
		for (int64_t l = 0; l < j; l++)
			row[j] -= row[l] * u[l];
		if (fabs(row[j]) > most) {
			most = fabs(row[j]);
			found = r;
		}
	}
	return found;
}

static const struct update update_blas = {.name = "blas",
					  .mr = 1,
					  .usable = always,
					  .solve = solve_blas,
					  .multiply = multiply_blas,
					  .eliminate = eliminate_blas,
					  .column = column_blas};

const struct update *const update_table[] = {&update_avx512, &update_avx2, &update_blas,
					     NULL};

int64_t update_padded(const struct update *u, int64_t k)
{
	return (k + u->mr - 1) / u->mr * u->mr;
}

int64_t update_pack(const struct update *u, const double *a, int64_t lda, int64_t rows,
		    int64_t k, double *out)
{
	const int mr = u->mr;
	double *const start = out;

	for (int64_t r = 0; r < rows; r += mr, a += mr * lda, out += mr * k) {
		const int64_t have = rows - r < mr ? rows - r : mr;

		if (have < mr)
			memset(out, 0, (size_t)(mr * k) * sizeof(double));
		for (int64_t i = 0; i < have; i++) {
			/* rows are far apart: no processor guesses the next one */
			for (int64_t c = 0; c < k && r + mr + i < rows; c += 8)
				__builtin_prefetch(a + (i + mr) * lda + c);
			for (int64_t c = 0; c < k; c++)
				out[c * mr + i] = a[i * lda + c];
		}
	}
	return out - start;
}

static int64_t width(const struct update *u, int64_t w)
{
	return u->nr ? u->nr : w;
}

void update_put(const struct update *u, int64_t k, int64_t w, double *packed, int64_t i,
		const double *row)
{
	const int64_t nr = width(u, w), next = update_padded(u, k) * nr;

	packed += i * nr;
	for (int64_t j = 0; j < w; j += nr, packed += next)
		memcpy(packed, row + j,
		       (size_t)(w - j < nr ? w - j : nr) * sizeof(double));
}

void update_get(const struct update *u, int64_t k, int64_t w, const double *packed,
		int64_t i, double *row)
{
	const int64_t nr = width(u, w), next = update_padded(u, k) * nr;

	packed += i * nr;
	for (int64_t j = 0; j < w; j += nr, packed += next)
		memcpy(row + j, packed,
		       (size_t)(w - j < nr ? w - j : nr) * sizeof(double));
}

void update_pad(const struct update *u, int64_t k, int64_t w, double *packed)
{
	const int64_t nr = width(u, w), kp = update_padded(u, k);
	const int64_t left = w % nr;

	for (int64_t j = 0; j < w; j += nr, packed += kp * nr) {
		memset(packed + k * nr, 0, (size_t)((kp - k) * nr) * sizeof(double));
		for (int64_t i = 0; left && j + nr > w && i < k; i++)
			memset(packed + i * nr + left, 0,
			       (size_t)(nr - left) * sizeof(double));
	}
}
