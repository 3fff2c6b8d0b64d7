/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hpcg_ranks NX NY NZ THREADS: the solvers of assay-hpcg on the ranks it is started with
 * against a small one of its own, which holds the whole grid, has no matrix, and does all
 * ranks' boxes one after the other. Prints what differs; exit status 1 then.
 */
#include <math.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/hpcg/check.h"
#include "kernels/hpcg/solver.h"

enum { ITERATIONS = 6 };

/* One level of the whole grid. */
struct whole {
	int n[3], box[3];
	size_t points;
	double *x, *old, *r, *ax;
};

/* Sum over the neighbours of point @p, or -1 of those in another box from @old. */
static double neighbours(const struct whole *w, const int p[3], const double *x,
			 const double *old, int *count)
{
	double sum = 0;

	*count = 0;
	for (int z = p[2] - 1; z <= p[2] + 1; z++) {
		for (int y = p[1] - 1; y <= p[1] + 1; y++) {
			for (int q = p[0] - 1; q <= p[0] + 1; q++) {
				const int c[3] = {q, y, z};
				bool own = true, itself = true, inside = true;

				for (int d = 0; d < 3; d++) {
					inside = inside && c[d] >= 0 && c[d] < w->n[d];
					itself = itself && c[d] == p[d];
				}
				if (!inside || itself)
					continue;
				for (int d = 0; d < 3; d++)
					own = own && c[d] / w->box[d] == p[d] / w->box[d];
				++*count;
				sum += (own ? x : old)[((size_t)z * (size_t)w->n[1] +
							(size_t)y) *
							       (size_t)w->n[0] +
						       (size_t)q];
			}
		}
	}
	return sum;
}

static size_t point(const struct whole *w, size_t i, int p[3])
{
	const size_t x = (size_t)w->n[0], y = (size_t)w->n[1];

	p[0] = (int)(i % x);
	p[1] = (int)(i / x % y);
	p[2] = (int)(i / x / y);
	return i;
}

static void product(const struct whole *w, const double *x, double *y)
{
	for (size_t i = 0; i < w->points; i++) {
		int p[3], count;

		(void)point(w, i, p);
		y[i] = 26 * x[i] - neighbours(w, p, x, x, &count);
	}
}

/* Points of a box keep their order when all points are gone through in theirs. */
static void smooth(const struct whole *w, const double *r, double *x)
{
	int p[3], count;

	memcpy(w->old, x, w->points * sizeof(*x));
	for (size_t i = 0; i < w->points; i++) {
		(void)point(w, i, p);
		x[i] = (r[i] + neighbours(w, p, x, w->old, &count)) / 26;
	}
	for (size_t i = w->points; i-- > 0;) {
		(void)point(w, i, p);
		x[i] = (r[i] + neighbours(w, p, x, w->old, &count)) / 26;
	}
}

static size_t finer(const struct whole *c, size_t i)
{
	int p[3];

	(void)point(c, i, p);
	return (2 * (size_t)p[2] * 2 * (size_t)c->n[1] + 2 * (size_t)p[1]) * 2 *
		       (size_t)c->n[0] +
	       2 * (size_t)p[0];
}

static void cycle(struct whole *w, int level, const double *r, double *x)
{
	struct whole *c = w + 1;

	memset(x, 0, w->points * sizeof(*x));
	smooth(w, r, x);
	if (level == LEVELS - 1)
		return;
	product(w, x, w->ax);
	for (size_t i = 0; i < c->points; i++)
		c->r[i] = r[finer(c, i)] - w->ax[finer(c, i)];
	cycle(c, level + 1, c->r, c->x);
	for (size_t i = 0; i < c->points; i++)
		x[finer(c, i)] += c->x[i];
	smooth(w, r, x);
}

static double dot(const struct whole *w, const double *x, const double *y)
{
	double sum = 0;

	for (size_t i = 0; i < w->points; i++)
		sum += x[i] * y[i];
	return sum;
}

static void whole_cg(struct whole *w, double *history)
{
	double *r = mem_calloc(w->points, sizeof(*r)),
	       *d = mem_calloc(w->points, sizeof(*d));
	double rz = 0, first;

	for (size_t i = 0; i < w->points; i++) {
		int p[3], count;

		(void)neighbours(w, (point(w, i, p), p), r, r, &count);
		r[i] = 26 - count;
	}
	first = sqrt(dot(w, r, r));
	history[0] = 1;
	for (int k = 1; k <= ITERATIONS; k++) {
		const double before = rz;
		double a;

		cycle(w, 0, r, w->x);
		rz = dot(w, r, w->x);
		for (size_t i = 0; i < w->points; i++)
			d[i] = w->x[i] + (k == 1 ? 0 : rz / before) * d[i];
		product(w, d, w->ax);
		a = rz / dot(w, d, w->ax);
		for (size_t i = 0; i < w->points; i++)
			r[i] -= a * w->ax[i];
		history[k] = sqrt(dot(w, r, r)) / first;
	}
	free(r);
	free(d);
}

static void make_whole(struct whole *w, const struct grid *g)
{
	w->points = 1;
	for (int d = 0; d < 3; d++) {
		w->box[d] = g->n[d];
		w->n[d] = g->n[d] * g->ranks[d];
		w->points *= (size_t)w->n[d];
	}
	w->x = mem_calloc(4 * w->points, sizeof(*w->x));
	w->old = w->x + w->points;
	w->r = w->old + w->points;
	w->ax = w->r + w->points;
}

/* Residuals that differ from the whole grid's; counts them. */
static int compare(const char *who, const double *found, const double *expected)
{
	int wrong = 0;

	for (int i = 0; i <= ITERATIONS && expected[i] > 1e-8; i++) {
		if (fabs(found[i] / expected[i] - 1) < 1e-9)
			continue;
		printf("%s: iteration %d: %.12g, expected %.12g\n", who, i, found[i],
		       expected[i]);
		wrong++;
	}
	return wrong;
}

static int try_all(struct solver *v, struct plain *plain, const double *expected,
		   int ranks, int threads)
{
	double history[ITERATIONS + 1], *b = plain->r;
	struct solution s = {.history = history};
	struct err e = {0};
	bool tried = false;
	int wrong = 0;

	for (int32_t i = 0; i < v->level[0].a.rows; i++)
		b[i] = problem_rhs(&v->level[0].a, i);
	plain_cg(plain, b, ITERATIONS, history);
	wrong += compare("plain", history, expected);
	for (size_t i = 0; sweeps_at(i); i++) {
		if (!sweeps_at(i)->usable() || (tried && ranks > 1))
			continue;
		tried = true;
		if (solver_init(v, sweeps_at(i), threads, &e)) {
			printf("%s\n", e.msg);
			return 1;
		}
		solver_cg(v, ITERATIONS, 0, true, &s);
		wrong += compare(sweeps_at(i)->name, history, expected);
		wrong += !(check_symmetry(v, false) <= 1) +
			 !(check_symmetry(v, true) <= 1);
		wrong += !(check_solution(v) <= 1e-12);
		wrong += !(check_plain(v, plain, true) <= 1e-12);
		solver_release(v);
	}
	return wrong;
}

int main(int argc, char **argv)
{
	static struct solver v;
	struct plain plain = {0};
	struct whole w[LEVELS];
	struct err e = {0};
	double expected[ITERATIONS + 1];
	int rank, ranks, level, wrong, threads, n[3];

	(void)MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	(void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	(void)MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	threads = argc == 5 ? (int)strtol(argv[4], NULL, 10) : 1;
	omp_set_num_threads(threads);
	for (int d = 0; d < 3; d++)
		n[d] = argc == 5 ? (int)strtol(argv[1 + d], NULL, 10) : 16;
	for (int i = 0; i < LEVELS; i++) {
		struct level *l = &v.level[i];

		l->grid =
			i ? grid_coarse(&v.level[i - 1].grid) : grid_make(ranks, rank, n);
		if (problem_make(&l->a, &l->grid, &e))
			return 1;
		halo_init(&l->halo, &l->a);
		plain.level[i] = (struct plain_level){
			.grid = &l->grid, .a = &l->a, .halo = &l->halo};
		if (!rank)
			make_whole(&w[i], &l->grid);
	}
	if (plain_init(&plain, &e))
		return 1;
	if (!rank)
		whole_cg(w, expected);
	(void)MPI_Bcast(expected, ITERATIONS + 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	wrong = try_all(&v, &plain, expected, ranks, threads);
	if (!rank)
		printf("%d x %d x %d ranks, %d wrong, residual %.3g after %d "
		       "iterations\n",
		       v.level[0].grid.ranks[0], v.level[0].grid.ranks[1],
		       v.level[0].grid.ranks[2], wrong, expected[ITERATIONS], ITERATIONS);
	plain_release(&plain);
	for (int i = 0; i < LEVELS; i++) {
		halo_release(&v.level[i].halo);
		problem_release(&v.level[i].a);
		if (!rank)
			free(w[i].x);
	}
	(void)MPI_Finalize();
	return wrong != 0;
}
