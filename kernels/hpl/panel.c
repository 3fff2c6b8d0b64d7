/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factoring a panel: recursive by halves of its columns (Toledo 1997), left-looking
 * within the last few, over the ranks of one grid column.
 *
 * Each rank works on a copy of its rows in packed order (update.h), so that they can be
 * sent as they are. The nb x nb top block is kept apart, the same on all ranks: a pivot
 * row is put there as it is found and solved there by everyone, so that the search for
 * the pivot is the only communication, one reduction a column. Rows of the top block that
 * had their pivot are rubbish in the copy.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "kernels/hpl/lu.h"

/* Columns that are factored one by one. */
enum { BASE = SIZE_BASE };

struct work {
	struct lu *x;
	const struct update *up;
	int64_t first;     /* local row */
	int64_t rows, top; /* from there on; of them in the top block, on their owner */
	int64_t pad;       /* packed rows of the top block */
	int64_t tiles, width;
	double *w; /* packed: the top block, then the others */
	double *t; /* row-major, the top block as it will be */
	/*
	 * Columns [at, at + BASE) while they are factored one by one: the same order, but
	 * side by side. In @w they are 8 nb doubles apart, in the same cache sets.
	 */
	double *b;
	int64_t at;
	int64_t *pivots;
	bool waited;
};

/* First packed row that is still in the race for pivot @j. */
static int64_t left(const struct work *o, int64_t j)
{
	return j < o->top ? j : o->pad;
}

static bool any_left(const struct work *o, int64_t j)
{
	return j < o->top || o->top < o->rows;
}

/* Packed row @r; its entries are .mr apart. */
static double *packed(const struct work *o, int64_t r)
{
	return o->w + r / o->up->mr * o->up->mr * o->width + r % o->up->mr;
}

/* What is sent in the search for a pivot. */
enum { VALUE, ROW, CURRENT, ROWS };

/*
 * Of two candidates the larger, of equal ones the first: the same whichever way round,
 * NaN or not, so that all ranks agree. The row now on top comes from the one that has it.
 */
/* NOLINTNEXTLINE(readability-non-const-parameter): MPI_User_function */
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

/* Columns of the base of packed row @r. */
static double *in_base(const struct work *o, int64_t r)
{
	return o->b + r / o->up->mr * o->up->mr * BASE + r % o->up->mr;
}

static void get_row(const struct work *o, int64_t row, double *out)
{
	const double *in = packed(o, row), *b = in_base(o, row);
	const int mr = o->up->mr;

	for (int64_t j = 0; j < o->width; j++)
		out[j] = in[j * mr];
	for (int64_t j = 0; j < BASE && o->at + j < o->width; j++)
		out[o->at + j] = b[j * mr];
}

static void set_row(const struct work *o, int64_t row, const double *in)
{
	double *out = packed(o, row), *b = in_base(o, row);
	const int mr = o->up->mr;

	for (int64_t j = 0; j < o->width; j++)
		out[j * mr] = in[j];
	for (int64_t j = 0; j < BASE && o->at + j < o->width; j++)
		b[j * mr] = in[o->at + j];
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

/* Swaps pivot @j, this rank's candidate being packed row @row, -1: none. */
static void pivot(struct work *o, int thread, int64_t j, int64_t row)
{
	struct lu *x = o->x;
	const int64_t nb = x->nb;
	double *const m = x->message[0], *best;

	m[VALUE] = 0;
	m[ROW] = INFINITY;
	m[CURRENT] = 0;
	if (row >= 0) {
		const int64_t local = row < o->top ? row : row - o->pad + o->top;

		m[VALUE] = in_base(o, row)[(j - o->at) * o->up->mr];
		m[ROW] = (double)dist_global(o->first + local, nb, x->p, x->P);
		get_row(o, row, m + ROWS);
	}
	if (j < o->top) {
		m[CURRENT] = 1;
		get_row(o, j, m + ROWS + nb);
	}
	agree(o, thread, x->message);
	best = x->message[0];
	o->pivots[j] = (int64_t)best[ROW];
	memcpy(o->t + j * nb, best + ROWS, (size_t)o->width * sizeof(double));
	if (dist_owner(o->pivots[j], nb, x->P) != x->p)
		return;
	row = dist_local(o->pivots[j], nb, x->P) - o->first;
	set_row(o, row < o->top ? row : row - o->top + o->pad, best + ROWS + nb);
}

/*
 * Fetches @n columns from @j0 on of a micro-panel some after @t: they are in one piece,
 * but far from the last, and no processor guesses that.
 */
static void ahead(const struct work *o, int64_t t, int64_t j0, int64_t n)
{
	const int64_t mr = o->up->mr, next = t + 4;

	for (int64_t i = 0; i < n * mr && next < o->tiles; i += 8)
		__builtin_prefetch(o->w + (next * o->width + j0) * mr + i);
}

/* Columns of the base out of the panel. */
static void open_base(struct work *o, int64_t j0, int64_t n)
{
	const int64_t mr = o->up->mr, tile = mr * o->width;

	o->at = j0;
	for (int64_t t = left(o, j0) / mr; t < o->tiles; t++) {
		ahead(o, t, j0, n);
		memcpy(o->b + t * mr * BASE, o->w + t * tile + j0 * mr,
		       (size_t)(n * mr) * sizeof(double));
	}
}

/* And back; the last has no next one in whose pass it would have been scaled. */
static void close_base(struct work *o, int64_t n, double scale)
{
	const int64_t mr = o->up->mr, tile = mr * o->width;

	for (int64_t t = left(o, o->at) / mr; t < o->tiles; t++) {
		double *const b = o->b + t * mr * BASE;

		ahead(o, t, o->at, n);
		for (int64_t i = 0; i < mr; i++)
			b[(n - 1) * mr + i] *= scale;
		memcpy(o->w + t * tile + o->at * mr, b,
		       (size_t)(n * mr) * sizeof(double));
	}
}

/* Columns [@j0, @j0 + @n), one after the other; @n is at most BASE or all there are. */
static void base(struct work *o, int thread, int64_t j0, int64_t n)
{
	const int64_t nb = o->x->nb;
	double u[BASE] = {0}, by = 1;

	open_base(o, j0, n);
	for (int64_t j = j0; j < j0 + n; j++) {
		const int64_t from = left(o, j);
		int64_t row = -1;

		for (int64_t i = j0; i < j; i++) {
			double *const t = o->t + i * nb;

			for (int64_t l = j0; l < i; l++)
				t[j] -= t[l] * u[l - j0];
			u[i - j0] = t[j];
		}
		if (any_left(o, j)) {
			row = o->up->column(o->tiles, BASE, o->b, from, j - j0, u, by);
			/* where all are NaN, zeros of the filling seem larger */
			if ((row >= o->top && row < o->pad) ||
			    row >= o->pad + o->rows - o->top)
				row = from;
		}
		pivot(o, thread, j, row);
		by = 1 / o->t[j * nb + j];
	}
	close_base(o, n, by);
}

static void factor(struct work *o, int thread, int64_t j0, int64_t n)
{
	const int64_t nb = o->x->nb, a = (n / 2 + BASE - 1) / BASE * BASE, b = n - a;
	double *const right = o->t + j0 * nb + j0 + a;
	int64_t skip;

	if (n <= BASE) {
		base(o, thread, j0, n);
		return;
	}
	factor(o, thread, j0, a);
	cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, (int)a,
		    (int)b, 1, o->t + j0 * nb + j0, (int)nb, right, (int)nb);
	skip = left(o, j0 + a) / o->up->mr;
	o->up->eliminate(o->tiles - skip, o->width, o->w + skip * o->up->mr * o->width,
			 j0, a, b, right, nb, o->x->strips);
	factor(o, thread, j0 + a, b);
}

void panel_factor(struct lu *x, int thread, int64_t k)
{
	struct lu_panel *p = &x->panels[k % 2];
	const struct update *up = x->want.update;
	const int64_t j0 = k * x->nb, col = lu_col(x, j0),
		      after = lu_row(x, lu_after(x, k));
	struct work o = {.x = x,
			 .up = up,
			 .first = lu_row(x, j0),
			 .width = lu_width(x, k),
			 .t = x->top,
			 .b = x->base,
			 .pivots = p->pivots};

	o.rows = x->rows - o.first;
	o.top = after - o.first;
	o.pad = update_padded(up, o.top);
	o.tiles = (o.pad + update_padded(up, o.rows - o.top)) / up->mr;
	/* so that the rows of L end where they are sent from; L11 comes there at the end
	 */
	o.w = p->l - o.pad * o.width;
	(void)update_pack(up, lu_at(x, o.first, col), x->ld, o.top, o.width, o.w);
	(void)update_pack(up, lu_at(x, after, col), x->ld, o.rows - o.top, o.width, p->l);
	factor(&o, thread, 0, o.width);
	(void)update_pack(up, o.t, x->nb, o.width, o.width, p->l11);
	for (int64_t i = 0; i < o.top; i++)
		memcpy(lu_at(x, o.first + i, col), o.t + i * x->nb,
		       (size_t)o.width * sizeof(double));
}
