/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factoring a panel: recursive by halves of its columns (Toledo 1997), left-looking
 * within the last few, over the ranks of one grid column.
 *
 * Each rank works on a column-major copy of its rows. The nb x nb top block is kept
 * apart, the same on all ranks: a pivot row is put there as it is found and solved there
 * by everyone, so that the search for the pivot is the only communication, one reduction
 * a column.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "kernels/hpl/lu.h"

/* Columns that are factored one by one. */
enum { BASE = 8 };

struct work {
	struct lu *x;
	int64_t k, first; /* panel; its first local row */
	int64_t rows,
		top; /* local rows in @w; of them in the top block, on their owner */
	int64_t ld, width;
	double *w; /* column-major, @rows x @width */
	double *t; /* column-major, the top block */
	int64_t *pivots;
	bool waited;
};

/* First local row that is still in the race for pivot @j. */
static int64_t left(const struct work *o, int64_t j)
{
	return j < o->top ? j : o->top;
}

static double *column(const struct work *o, int64_t j)
{
	return o->w + j * o->ld;
}

/* What is sent in the search for a pivot. */
enum { VALUE, ROW, CURRENT, ROWS };

/*
 * Of two candidates the larger, of equal ones the first: the same whichever way round,
 * NaN or not, so that all ranks agree. The row now on top comes from the one that has it.
 */
static void pick(void *in, void *inout, int *count, MPI_Datatype *type)
{
	int size;

	(void)MPI_Type_size(*type, &size);
	for (int i = 0; i < *count; i++) {
		const int64_t n = size / (int64_t)sizeof(double);
		const double *a = (const double *)in + i * n;
		double *b = (double *)inout + i * n;
		const int64_t half = (n - ROWS) / 2;
		const double x = fabs(a[VALUE]), y = fabs(b[VALUE]);

		if (x > y || (!(y > x) && a[ROW] < b[ROW])) {
			b[VALUE] = a[VALUE];
			b[ROW] = a[ROW];
			memcpy(b + ROWS, a + ROWS, (size_t)half * sizeof(double));
		}
		if (a[CURRENT] != 0) {
			b[CURRENT] = 1;
			memcpy(b + ROWS + half, a + ROWS + half,
			       (size_t)half * sizeof(double));
		}
	}
}

void panel_open(struct lu *x)
{
	(void)MPI_Type_contiguous(ROWS + 2 * x->nb, MPI_DOUBLE, &x->pick_type);
	(void)MPI_Type_commit(&x->pick_type);
	(void)MPI_Op_create(pick, 1, &x->pick);
}

void panel_close(struct lu *x)
{
	(void)MPI_Type_free(&x->pick_type);
	(void)MPI_Op_free(&x->pick);
}

static void get_row(const struct work *o, int64_t row, double *out)
{
	for (int64_t j = 0; j < o->width; j++)
		out[j] = column(o, j)[row];
}

static void set_row(const struct work *o, int64_t row, const double *in)
{
	for (int64_t j = 0; j < o->width; j++)
		column(o, j)[row] = in[j];
}

/* The winner of all ranks; @mine becomes it. */
static void agree(struct work *o, int thread, double **mine)
{
	struct lu *x = o->x;
	double *swap;

	if (x->P == 1)
		return;
	/* the first reduction waits for ranks that are not here yet */
	if (!o->waited)
		(void)lu_phase(x, thread, LU_WAIT);
	(void)MPI_Allreduce(mine[0], mine[1], 1, x->pick_type, x->pick, x->col);
	if (!o->waited)
		(void)lu_phase(x, thread, LU_PANEL);
	o->waited = true;
	swap = mine[0];
	mine[0] = mine[1];
	mine[1] = swap;
}

/* Finds and swaps pivot @j, whose column is up to date. */
static void pivot(struct work *o, int thread, int64_t j)
{
	struct lu *x = o->x;
	const int64_t from = left(o, j), nb = x->nb;
	double *const m = x->message[0], *best;
	int64_t row;

	m[VALUE] = 0;
	m[ROW] = INFINITY;
	m[CURRENT] = 0;
	if (from < o->rows) {
		row = from + (int64_t)cblas_idamax((int)(o->rows - from),
						   column(o, j) + from, 1);
		m[VALUE] = column(o, j)[row];
		m[ROW] = (double)dist_global(o->first + row, nb, x->p, x->P);
		get_row(o, row, m + ROWS);
	}
	if (j < o->top) {
		m[CURRENT] = 1;
		get_row(o, j, m + ROWS + nb);
	}
	agree(o, thread, x->message);
	best = x->message[0];
	o->pivots[j] = (int64_t)best[ROW];
	for (int64_t c = 0; c < o->width; c++)
		o->t[c * nb + j] = best[ROWS + c];
	if (dist_owner(o->pivots[j], nb, x->P) != x->p)
		return;
	row = dist_local(o->pivots[j], nb, x->P) - o->first;
	set_row(o, row, best + ROWS + nb);
}

/* Columns [@j0, @j0 + @n), one after the other. */
static void base(struct work *o, int thread, int64_t j0, int64_t n)
{
	const int64_t nb = o->x->nb;

	for (int64_t j = j0; j < j0 + n; j++) {
		double *const u = o->t + j * nb;
		int64_t from = left(o, j);

		for (int64_t i = j0; i < j; i++) {
			for (int64_t l = j0; l < i; l++)
				u[i] -= o->t[l * nb + i] * u[l];
		}
		if (j > j0 && from < o->rows)
			cblas_dgemv(CblasColMajor, CblasNoTrans, (int)(o->rows - from),
				    (int)(j - j0), -1, column(o, j0) + from, (int)o->ld,
				    u + j0, 1, 1, column(o, j) + from, 1);
		pivot(o, thread, j);
		from = left(o, j + 1);
		if (from < o->rows)
			cblas_dscal((int)(o->rows - from), 1 / u[j], column(o, j) + from,
				    1);
	}
}

static void factor(struct work *o, int thread, int64_t j0, int64_t n)
{
	const int64_t nb = o->x->nb, a = (n / 2 + BASE - 1) / BASE * BASE, b = n - a;
	int64_t from;

	if (n <= BASE) {
		base(o, thread, j0, n);
		return;
	}
	factor(o, thread, j0, a);
	cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, (int)a,
		    (int)b, 1, o->t + j0 * nb + j0, (int)nb, o->t + (j0 + a) * nb + j0,
		    (int)nb);
	from = left(o, j0 + a);
	if (from < o->rows)
		cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans,
			    (int)(o->rows - from), (int)b, (int)a, -1,
			    column(o, j0) + from, (int)o->ld, o->t + (j0 + a) * nb + j0,
			    (int)nb, 1, column(o, j0 + a) + from, (int)o->ld);
	factor(o, thread, j0 + a, b);
}

/* The panel's columns of the matrix into @w, or back. Lines of eight stay in the cache.
 */
static void copy_in(const struct work *o, int64_t col)
{
	for (int64_t r = 0; r < o->rows; r += 8) {
		const int64_t end = r + 8 < o->rows ? r + 8 : o->rows;

		for (int64_t j = 0; j < o->width; j++) {
			for (int64_t i = r; i < end; i++)
				column(o, j)[i] = lu_at(o->x, o->first + i, col)[j];
		}
	}
}

static void copy_out(const struct work *o, int64_t col)
{
	for (int64_t r = 0; r < o->rows; r += 8) {
		const int64_t end = r + 8 < o->rows ? r + 8 : o->rows;

		for (int64_t j = 0; j < o->width; j++) {
			for (int64_t i = r; i < end; i++)
				lu_at(o->x, o->first + i, col)[j] =
					i < o->top ? o->t[j * o->x->nb + i]
						   : column(o, j)[i];
		}
	}
}

/* L11 in the order of packed L; the top block is column-major, the packer wants rows. */
static void pack_top(struct work *o, struct lu_panel *p)
{
	const int mr = o->x->want.update->mr;
	const int64_t k = o->width, nb = o->x->nb;

	memset(p->l11, 0,
	       (size_t)(update_padded(o->x->want.update, k) * k) * sizeof(double));
	for (int64_t i = 0; i < k; i++) {
		double *out = p->l11 + i / mr * mr * k + i % mr;

		for (int64_t c = 0; c < k; c++)
			out[c * mr] = o->t[c * nb + i];
	}
}

void panel_factor(struct lu *x, int thread, int64_t k)
{
	struct lu_panel *p = &x->panels[k % 2];
	const int64_t j0 = k * x->nb, col = lu_col(x, j0),
		      after = lu_row(x, lu_after(x, k));
	struct work o = {.x = x,
			 .k = k,
			 .first = lu_row(x, j0),
			 .width = lu_width(x, k),
			 .w = p->l,
			 .t = x->top,
			 .pivots = p->pivots};

	o.rows = x->rows - o.first;
	o.top = after - o.first;
	o.ld = (o.rows + 7) / 8 * 8;
	o.ld += o.ld / 8 % 2 ? 0 : 8;
	copy_in(&o, col);
	factor(&o, thread, 0, o.width);
	copy_out(&o, col);
	pack_top(&o, p);
	(void)update_pack(x->want.update, lu_at(x, after, col), x->ld, x->rows - after,
			  o.width, p->l);
}
