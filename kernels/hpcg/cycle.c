/* SPDX-License-Identifier: Apache-2.0 */
/* Products, sweeps and the multigrid cycle on stores: see solver.h. */
#include <string.h>

#include "base/clock.h"
#include "kernels/hpcg/solver.h"

/* Team. Brings x to the neighbours; all threads have written theirs. */
static void exchange_start(struct solver *v, int thread, struct level *l, const double *x)
{
	const int64_t n = l->halo.ghosts;

	team_barrier(&v->team);
	if (!n)
		return;
	for (int64_t i = n * thread / v->team.n; i < n * (thread + 1) / v->team.n; i++)
		l->halo.send[i] = x[l->sent[i]];
	team_barrier(&v->team);
	if (!thread)
		halo_start(&l->halo);
}

/* Team. Ghosts are there, on all threads. */
static void exchange_end(struct solver *v, int thread, struct level *l)
{
	if (!l->halo.ghosts)
		return;
	if (!thread) {
		const double start = clock_now();

		halo_end(&l->halo);
		v->times.halo += clock_now() - start;
	}
	team_barrier(&v->team);
}

/* What the ghosts add to row @i of the fringe. */
static double fringe_sum(const struct fringe *f, int32_t i, const double *ghost)
{
	double sum = 0;

	for (int32_t k = f->start[i]; k < f->start[i + 1]; k++)
		sum += f->value[k] * ghost[f->ghost[k]];
	return sum;
}

double solver_product(struct solver *v, int thread, struct level *l, const double *x,
		      double *y)
{
	const struct part *p = &l->s.part[thread];
	const struct fringe *f = &p->fringe;
	double dot;

	exchange_start(v, thread, l, x);
	dot = v->sweeps->product(&l->s, p, x, y);
	exchange_end(v, thread, l);
	for (int32_t i = 0; i < f->rows; i++) {
		const double sum = fringe_sum(f, i, l->halo.ghost);

		y[f->row[i]] += sum;
		dot += x[f->row[i]] * sum;
	}
	return dot;
}

/* Takes what ghosts add to the rows of the fringe off r, and keeps r. */
static void fringe_off(const struct fringe *f, const double *ghost, double *r)
{
	for (int32_t i = 0; i < f->rows; i++) {
		f->saved[i] = r[f->row[i]];
		r[f->row[i]] -= fringe_sum(f, i, ghost);
	}
}

/* Gives r back; the sum of x times what was off. */
static double fringe_on(const struct fringe *f, const double *x, double *r)
{
	double dot = 0;

	for (int32_t i = 0; i < f->rows; i++) {
		dot += x[f->row[i]] * (f->saved[i] - r[f->row[i]]);
		r[f->row[i]] = f->saved[i];
	}
	return dot;
}

/* Team. Symmetric Gauss-Seidel from x = 0: ghosts are zero, too. */
static double smooth_zero(struct solver *v, int thread, struct level *l, const double *r,
			  double *x)
{
	const struct store *s = &l->s;
	const struct part *p = &s->part[thread];
	double dot = 0;

	for (int32_t i = 0; i < s->levels; i++) {
		v->sweeps->first(s, p, i, r, x);
		team_barrier(&v->team);
	}
	for (int32_t i = s->levels; i-- > 0;) {
		dot += v->sweeps->backward(s, p, i, r, x);
		team_barrier(&v->team);
	}
	return dot;
}

/*
 * Team. Symmetric Gauss-Seidel; r x. The first levels need no ghosts: they are done while
 * ghosts are on their way. As in HPCG both sweeps take the ghosts from before the first.
 */
static double smooth(struct solver *v, int thread, struct level *l, double *r, double *x)
{
	const struct store *s = &l->s;
	const struct part *p = &s->part[thread];
	double dot = 0;

	exchange_start(v, thread, l, x);
	for (int32_t i = 0; i < s->levels; i++) {
		if (i == s->first_fringe) {
			exchange_end(v, thread, l);
			fringe_off(&p->fringe, l->halo.ghost, r);
		}
		v->sweeps->forward(s, p, i, r, x);
		team_barrier(&v->team);
	}
	/* the second sweep's operations with ghosts are done again, as they are counted
	 */
	(void)fringe_on(&p->fringe, x, r);
	fringe_off(&p->fringe, l->halo.ghost, r);
	for (int32_t i = s->levels; i-- > 0;) {
		dot += v->sweeps->backward(s, p, i, r, x);
		team_barrier(&v->team);
	}
	return dot + fringe_on(&p->fringe, x, r);
}

/* Team. The residual of the finer level at the points of the coarse one. */
static void restrict_to(struct solver *v, int thread, struct level *c, const double *r,
			const double *ax)
{
	const struct part *p = &c->s.part[thread];

	team_barrier(&v->team);
	for (int32_t i = p->row; i < p->row + p->rows; i++) {
		if (c->fine[i] >= 0)
			c->r[i] = r[c->fine[i]] - ax[c->fine[i]];
	}
}

/* Team. The coarse level's solution added at its points. */
static void prolong(int thread, const struct level *c, double *x)
{
	const struct part *p = &c->s.part[thread];

	for (int32_t i = p->row; i < p->row + p->rows; i++) {
		if (c->fine[i] >= 0)
			x[c->fine[i]] += c->x[i];
	}
}

double solver_cycle(struct solver *v, int thread, int level, double *r, double *x)
{
	struct level *l = &v->level[level], *c = l + 1;
	double dot = smooth_zero(v, thread, l, r, x);

	if (level == LEVELS - 1)
		return dot;
	(void)solver_product(v, thread, l, x, l->ax);
	restrict_to(v, thread, c, r, l->ax);
	(void)solver_cycle(v, thread, level + 1, c->r, c->x);
	prolong(thread, c, x);
	return smooth(v, thread, l, r, x);
}
