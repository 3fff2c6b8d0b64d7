/* SPDX-License-Identifier: Apache-2.0 */
/* One problem: its grid, its memory, its matrix and its tasks. */
#include "kernels/hpl/lu.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/hpl/gen.h"
#include "kernels/kit/kit.h"

double lu_flops(int64_t n)
{
	const double d = (double)n;

	return d * d * (2.0 / 3 * d + 1.5);
}

static void open_grid(struct lu *x, MPI_Comm comm)
{
	const struct size *s = &x->want.size;

	(void)MPI_Comm_dup(comm, &x->all);
	(void)MPI_Comm_rank(x->all, &x->rank);
	x->p = x->want.by_column ? x->rank % s->p : x->rank / s->q;
	x->q = x->want.by_column ? x->rank / s->p : x->rank % s->q;
	(void)MPI_Comm_split(x->all, x->p, x->q, &x->row);
	(void)MPI_Comm_split(x->all, x->q, x->p, &x->col);
	(void)MPI_Comm_dup(x->col, &x->rows_comm);
	(void)MPI_Allreduce(&x->threads, &x->max_threads, 1, MPI_INT, MPI_MAX, x->all);
}

static int64_t blocks_of(const struct lu *x)
{
	return (x->own_cols + x->nb - 1) / x->nb;
}

static void open_units(struct lu *x)
{
	const int blocks = (int)blocks_of(x);

	x->units = blocks + x->has_b;
	x->unit_at = mem_calloc((size_t)x->units + 1, sizeof(*x->unit_at));
	for (int i = 0; i < blocks; i++)
		x->unit_at[i] = (int64_t)i * x->nb;
	x->unit_at[blocks] = x->own_cols;
	x->unit_at[x->units] = x->cols;
	x->done_to = mem_calloc((size_t)x->units + 1, sizeof(*x->done_to));
	x->next = mem_calloc((size_t)x->steps, sizeof(*x->next));
	x->done = mem_calloc((size_t)x->steps, sizeof(*x->done));
	x->tasks = mem_calloc((size_t)x->steps, sizeof(*x->tasks));
	x->first_swap = mem_calloc((size_t)x->steps + 1, sizeof(*x->first_swap));
	for (int64_t k = 0; k < x->steps; k++) {
		x->tasks[k] = lu_tasks(x, k);
		x->first_swap[k + 1] = x->first_swap[k] + x->tasks[k];
	}
}

/* The first unit that step @k updates. */
static int first_unit(const struct lu *x, int64_t k)
{
	const int64_t col = lu_col(x, lu_after(x, k));

	return (int)(col < x->own_cols ? col / x->nb : blocks_of(x));
}

/* Units of a task after the first: as many as fit the cache, less when threads starve. */
static int group(const struct lu *x, int rest)
{
	const int most = (int)(x->parts.chunk / x->nb),
		  fair = rest / (2 * x->max_threads);

	if (x->max_threads == 1 || fair >= most)
		return most;
	return fair > 1 ? fair : 1;
}

int lu_tasks(const struct lu *x, int64_t k)
{
	const int ahead = lu_owns(x, k + 1), rest = x->units - first_unit(x, k) - ahead;
	const int g = group(x, rest);

	return ahead + (rest + g - 1) / g;
}

struct lu_range lu_task(const struct lu *x, int64_t k, int i)
{
	const int first = first_unit(x, k), ahead = lu_owns(x, k + 1);
	const int g = group(x, x->units - first - ahead);
	struct lu_range r;

	if (ahead && !i) {
		r.unit = first;
		r.end = first + 1;
	} else {
		r.unit = first + ahead + (i - ahead) * g;
		r.end = r.unit + g < x->units ? r.unit + g : x->units;
	}
	r.col = x->unit_at[r.unit];
	r.width = x->unit_at[r.end] - r.col;
	return r;
}

/* The next @doubles of the memory. */
static double *cut(double **at, int64_t doubles)
{
	double *const here = *at;

	*at += doubles;
	return here;
}

static int open_memory(struct lu *x, struct err *e)
{
	const struct size_parts *z = &x->parts;
	const int64_t message = ((int64_t)2 * x->nb + 3 + 7) / 8 * 8;
	double *at;

	x->bytes = sizeof(double) *
		   (uint64_t)(z->matrix + 2 * z->panel + z->block * x->threads +
			      z->slot * z->slots + z->vectors);
	x->memory = at = kit_alloc(x->bytes, e);
	if (!at)
		return -1;
	x->a = cut(&at, z->matrix);
	for (int i = 0; i < 2; i++) {
		struct lu_panel *p = &x->panels[i];

		p->at = cut(&at, z->panel);
		p->pivots = (int64_t *)(void *)p->at;
		p->l11 = p->at + ((int64_t)x->nb + 7) / 8 * 8;
		p->l = p->at + z->head;
		swap_open(&p->swap, x->nb, x->P);
	}
	x->blocks = cut(&at, z->block * x->threads);
	x->slots = mem_calloc((size_t)z->slots + 1, sizeof(*x->slots));
	for (int64_t i = 0; i < z->slots; i++) {
		x->slots[i].u = cut(&at, z->slot);
		x->slots[i].moved = x->slots[i].u + (int64_t)x->nb * z->chunk;
	}
	x->top = cut(&at, ((int64_t)x->nb * x->nb + 7) / 8 * 8);
	x->base = cut(&at, ((x->rows + 7) / 8 * 8 + 16) * SIZE_BASE);
	x->strips = cut(&at, ((int64_t)x->nb * (x->nb + SIZE_NR_MAX) + 7) / 8 * 8);
	x->message[0] = cut(&at, message);
	x->message[1] = cut(&at, message);
	x->x = cut(&at, (x->cols + 7) / 8 * 8);
	return 0;
}

int lu_open(struct lu *x, MPI_Comm comm, const struct lu_want *want, struct err *e)
{
	const struct size *s = &want->size;

	memset(x, 0, sizeof(*x));
	x->want = *want;
	x->n = s->n;
	x->nb = s->nb;
	x->P = s->p;
	x->Q = s->q;
	x->threads = s->threads;
	x->steps = (s->n + s->nb - 1) / s->nb;
	open_grid(x, comm);
	x->rows = dist_count(x->n, x->nb, x->p, x->P);
	x->own_cols = dist_count(x->n, x->nb, x->q, x->Q);
	x->cols = dist_count(x->n + 1, x->nb, x->q, x->Q);
	x->has_b = x->cols > x->own_cols;
	x->parts = size_parts(s, x->rows, x->cols);
	x->ld = x->parts.ld;
	open_units(x);
	panel_open(x);
	x->clocks = mem_calloc((size_t)x->threads, sizeof(*x->clocks));
	return open_memory(x, e);
}

void lu_close(struct lu *x)
{
	if (!x->tasks)
		return;
	panel_close(x);
	bcast_release(&x->bcast);
	for (int i = 0; i < 2; i++)
		swap_close(&x->panels[i].swap);
	(void)MPI_Comm_free(&x->rows_comm);
	(void)MPI_Comm_free(&x->col);
	(void)MPI_Comm_free(&x->row);
	(void)MPI_Comm_free(&x->all);
	kit_free(x->memory, x->bytes);
	free(x->slots);
	free(x->clocks);
	free(x->unit_at);
	free(x->done_to);
	free(x->next);
	free(x->done);
	free(x->tasks);
	free(x->first_swap);
	memset(x, 0, sizeof(*x));
}

void lu_generate(struct lu *x)
{
#pragma omp parallel for schedule(static) num_threads(x->threads)
	for (int64_t r = 0; r < x->rows; r++) {
		const int64_t i = dist_global(r, x->nb, x->p, x->P);

		for (int u = 0; u < x->units; u++) {
			const int64_t c = x->unit_at[u];
			const bool b = x->has_b && u + 1 == x->units;

			gen_row(x->want.seed, x->n, i,
				b ? x->n : dist_global(c, x->nb, x->q, x->Q),
				x->unit_at[u + 1] - c, lu_at(x, r, c));
		}
	}
}
