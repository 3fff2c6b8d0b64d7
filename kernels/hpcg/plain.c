/* SPDX-License-Identifier: Apache-2.0 */
/* Conjugate gradients with the multigrid cycle, by the book: see plain.h. */
#include <math.h>
#include <string.h>

#include "kernels/hpcg/plain.h"
#include "kernels/kit/kit.h"

uint64_t plain_bytes(const struct grid *g)
{
	/* three a level, 8/7 of the finest together, and two of CG; ghosts of 16 points
	 */
	return (uint64_t)grid_rows(g) * sizeof(double) * 6 / 2 * 3;
}

static size_t length(const struct plain_level *l)
{
	return (size_t)l->a->rows + (size_t)l->a->ghosts;
}

int plain_init(struct plain *p, struct err *e)
{
	size_t n = 2 * length(&p->level[0]);
	double *at;

	for (int i = 0; i < LEVELS; i++)
		n += 3 * length(&p->level[i]);
	p->bytes = n * sizeof(double);
	at = p->memory = kit_alloc(p->bytes, e);
	if (!at)
		return -1;
	for (int i = 0; i < LEVELS; i++) {
		struct plain_level *l = &p->level[i];

		l->r = at;
		l->x = l->r + length(l);
		l->ax = l->x + length(l);
		at = l->ax + length(l);
	}
	p->r = at;
	p->d = at + length(&p->level[0]);
	return 0;
}

void plain_release(struct plain *p)
{
	kit_free(p->memory, p->bytes);
	*p = (struct plain){0};
}

static void exchange(struct plain_level *l, double *x)
{
	const struct matrix *a = l->a;

	for (int32_t i = 0; i < a->ghosts; i++)
		l->halo->send[i] = x[a->sent[i]];
	halo_start(l->halo);
	halo_end(l->halo);
	memcpy(x + a->rows, l->halo->ghost, (size_t)a->ghosts * sizeof(*x));
}

void plain_spmv(struct plain_level *l, double *x, double *y)
{
	const struct matrix *a = l->a;

	exchange(l, x);
#pragma omp parallel for schedule(static)
	for (int32_t i = 0; i < a->rows; i++) {
		double sum = 0;

		for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
			sum += a->value[k] * x[a->column[k]];
		y[i] = sum;
	}
}

static void relax(const struct matrix *a, int32_t i, const double *r, double *x)
{
	double sum = r[i], diagonal = 1;

	for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
		if (a->column[k] == i)
			diagonal = a->value[k];
		else
			sum -= a->value[k] * x[a->column[k]];
	}
	x[i] = sum / diagonal;
}

/* Symmetric Gauss-Seidel; ghosts stay what they were before. */
static void smooth(struct plain_level *l, const double *r, double *x)
{
	exchange(l, x);
	for (int32_t i = 0; i < l->a->rows; i++)
		relax(l->a, i, r, x);
	for (int32_t i = l->a->rows; i-- > 0;)
		relax(l->a, i, r, x);
}

void plain_cycle(struct plain *p, int level, const double *r, double *x)
{
	struct plain_level *l = &p->level[level], *c = l + 1;

	memset(x, 0, length(l) * sizeof(*x));
	smooth(l, r, x);
	if (level == LEVELS - 1)
		return;
	plain_spmv(l, x, l->ax);
	for (int32_t i = 0; i < c->a->rows; i++) {
		const int32_t fine = problem_fine_row(c->grid, i);

		c->r[i] = r[fine] - l->ax[fine];
	}
	plain_cycle(p, level + 1, c->r, c->x);
	for (int32_t i = 0; i < c->a->rows; i++)
		x[problem_fine_row(c->grid, i)] += c->x[i];
	smooth(l, r, x);
}

static double dot(const struct matrix *a, const double *x, const double *y)
{
	double sum = 0, all = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (int32_t i = 0; i < a->rows; i++)
		sum += x[i] * y[i];
	(void)MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

void plain_cg(struct plain *p, const double *b, int iterations, double *history)
{
	struct plain_level *l = &p->level[0];
	const struct matrix *a = l->a;
	double *r = p->r, *d = p->d, rz = 0, first;

	/* the solution itself is of no interest, its residual is: r = b - A 0 */
	memcpy(r, b, (size_t)a->rows * sizeof(*r));
	first = sqrt(dot(a, r, r));
	history[0] = 1;
	for (int k = 1; k <= iterations; k++) {
		const double before = rz;
		double alpha;

		plain_cycle(p, 0, r, l->x);
		rz = dot(a, r, l->x);
		for (int32_t i = 0; i < a->rows; i++)
			d[i] = l->x[i] + (k == 1 ? 0 : rz / before) * d[i];
		plain_spmv(l, d, l->ax);
		alpha = rz / dot(a, d, l->ax);
		for (int32_t i = 0; i < a->rows; i++)
			r[i] -= alpha * l->ax[i];
		history[k] = sqrt(dot(a, r, r)) / first;
	}
}
