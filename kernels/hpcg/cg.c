/* SPDX-License-Identifier: Apache-2.0 */
/* Conjugate gradients on stores, and what they need: see solver.h. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "kernels/hpcg/solver.h"
#include "kernels/kit/kit.h"

/*
 * Elements from one vector to the next: not a whole number of pages, as the slots of a
 * store.
 */
static size_t vector_length(int32_t rows)
{
	enum { ODD = 72 };

	return (size_t)rows + (size_t)2 * GUARD + ODD;
}

/* Vectors: each begins at a cache line with GUARD elements before it and after. */
static double *next_vector(char **at, int32_t rows)
{
	double *x = (double *)(void *)*at + GUARD;

	*at += vector_length(rows) * sizeof(double);
	return x;
}

static uint64_t vector_bytes(const struct solver *v)
{
	uint64_t bytes = 0;

	for (int i = 0; i < LEVELS; i++)
		bytes += vector_length(v->level[i].s.rows) * sizeof(double) * (i ? 3 : 7);
	return bytes;
}

uint64_t solver_bytes(const struct grid *g)
{
	/* all levels together have 8/7 of the rows, and at most 10 vectors each */
	return (store_bytes(g) + (uint64_t)grid_rows(g) * 88) * 8 / 7;
}

/* Rows of the finer level, by their stored numbers. */
static void link_levels(struct level *c, const struct level *f)
{
	c->fine = mem_calloc((size_t)c->s.rows + 1, sizeof(*c->fine));
	for (int32_t i = 0; i < c->s.rows; i++)
		c->fine[i] = -1;
	for (int32_t i = 0; i < c->a.rows; i++)
		c->fine[c->s.stored[i]] = f->s.stored[problem_fine_row(&c->grid, i)];
}

/* Each thread touches its part of a vector first. */
static void touch(const struct solver *v, const struct level *l, double *x)
{
	(void)v;
#pragma omp parallel for schedule(static, 1)
	for (int t = 0; t < l->s.parts; t++)
		memset(x + l->s.part[t].row, 0, (size_t)l->s.part[t].rows * sizeof(*x));
}

static int make_vectors(struct solver *v, struct err *e)
{
	struct level *fine = &v->level[0];
	double **mine[] = {&v->b, &v->x, &v->r, &v->z, &v->d, &v->q, &fine->ax};
	char *at;

	v->bytes = vector_bytes(v);
	at = v->memory = kit_alloc(v->bytes, e);
	if (!at)
		return -1;
	for (size_t i = 0; i < sizeof(mine) / sizeof(mine[0]); i++) {
		*mine[i] = next_vector(&at, fine->s.rows);
		touch(v, fine, *mine[i]);
	}
	for (int i = 1; i < LEVELS; i++) {
		struct level *l = &v->level[i];
		double **its[] = {&l->x, &l->r, &l->ax};

		for (size_t k = 0; k < 3; k++) {
			*its[k] = next_vector(&at, l->s.rows);
			touch(v, l, *its[k]);
		}
	}
	for (int32_t i = 0; i < fine->a.rows; i++)
		v->b[fine->s.stored[i]] = problem_rhs(&fine->a, i);
	return 0;
}

int solver_init(struct solver *v, const struct sweeps *sweeps, int threads, struct err *e)
{
	v->sweeps = sweeps;
	v->team.n = threads;
	for (int i = 0; i < LEVELS; i++) {
		struct level *l = &v->level[i];

		if (store_make(&l->s, &l->a, threads, e))
			return -1;
		l->sent = mem_calloc((size_t)l->a.ghosts + 1, sizeof(*l->sent));
		for (int32_t k = 0; k < l->a.ghosts; k++)
			l->sent[k] = l->s.stored[l->a.sent[k]];
		if (i)
			link_levels(l, l - 1);
	}
	return make_vectors(v, e);
}

void solver_release(struct solver *v)
{
	for (int i = 0; i < LEVELS; i++) {
		struct level *l = &v->level[i];

		store_release(&l->s);
		free(l->sent);
		free(l->fine);
		l->sent = l->fine = NULL;
	}
	kit_free(v->memory, v->bytes);
	v->memory = NULL;
}

void solver_to_stored(const struct level *l, const double *from, double *to)
{
	for (int32_t i = 0; i < l->a.rows; i++)
		to[l->s.stored[i]] = from[i];
}

void solver_from_stored(const struct level *l, const double *from, double *to)
{
	for (int32_t i = 0; i < l->a.rows; i++)
		to[i] = from[l->s.stored[i]];
}

/* Thread 0's stop watch: adds the time since the last call to @to. */
static void lap(int thread, double *last, double *to)
{
	double now;

	if (thread)
		return;
	now = clock_now();
	*to += now - *last;
	*last = now;
}

/* What a thread of the team does in solver_cg(). */
static void team_cg(struct solver *v, int thread, int most, double tolerance,
		    bool precondition, struct solution *out)
{
	struct level *l = &v->level[0];
	const struct part *p = &l->s.part[thread];
	struct times *t = &v->times;
	const size_t bytes = (size_t)p->rows * sizeof(double);
	double last = clock_now(), rz = 0, norm, first, wait = 0;
	int k;

	memset(v->x + p->row, 0, bytes);
	memcpy(v->d + p->row, v->x + p->row, bytes);
	if (!thread)
		wait = t->halo;
	(void)solver_product(v, thread, l, v->d, v->q);
	lap(thread, &last, &t->spmv);
	norm = v->sweeps->residual(p, v->b, v->q, v->r);
	lap(thread, &last, &t->waxpby);
	first = norm = sqrt(team_sum(&v->team, thread, norm));
	lap(thread, &last, &t->ddot);
	if (!thread) {
		t->spmv_wait += t->halo - wait;
		out->history[0] = 1;
	}
	for (k = 0; k < most && !(norm / first <= tolerance); k++) {
		const double before = rz;
		double a, sum;

		if (precondition) {
			sum = solver_cycle(v, thread, 0, v->r, v->z);
		} else {
			memcpy(v->z + p->row, v->r + p->row, bytes);
			sum = v->sweeps->dot(p, v->r, v->z);
		}
		lap(thread, &last, &t->mg);
		rz = team_sum(&v->team, thread, sum);
		lap(thread, &last, &t->ddot);
		if (k)
			v->sweeps->direct(p, v->z, rz / before, v->d);
		else
			memcpy(v->d + p->row, v->z + p->row, bytes);
		lap(thread, &last, &t->waxpby);
		if (!thread)
			wait = t->halo;
		sum = solver_product(v, thread, l, v->d, v->q);
		lap(thread, &last, &t->spmv);
		if (!thread)
			t->spmv_wait += t->halo - wait;
		a = rz / team_sum(&v->team, thread, sum);
		lap(thread, &last, &t->ddot);
		sum = v->sweeps->step(p, a, v->d, v->q, v->x, v->r);
		lap(thread, &last, &t->waxpby);
		norm = sqrt(team_sum(&v->team, thread, sum));
		lap(thread, &last, &t->ddot);
		if (!thread)
			out->history[k + 1] = norm / first;
	}
	if (!thread) {
		out->iterations = k;
		out->first = first;
	}
}

void solver_cg(struct solver *v, int most, double tolerance, bool precondition,
	       struct solution *out)
{
	const double start = clock_now(), waited = v->team.waited;

#pragma omp parallel num_threads(v->team.n)
	team_cg(v, omp_get_thread_num(), most, tolerance, precondition, out);
	v->times.all += clock_now() - start;
	v->times.allreduce += v->team.waited - waited;
}
