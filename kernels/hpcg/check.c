/* SPDX-License-Identifier: Apache-2.0 */
/* The checks: see check.h. */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/hpcg/check.h"

enum { MOST = 50 };

/* The diagonal of a stored row. */
static double *diagonal(const struct store *s, int32_t stored)
{
	int t = 0;

	while (stored >= s->part[t].row + s->part[t].rows)
		t++;
	return store_diagonal(s, &s->part[t], stored);
}

/* Multiplies diagonal and right-hand side, or divides again. */
static void exaggerate(struct solver *v, bool undo)
{
	struct level *l = &v->level[0];

	for (int32_t i = 0; i < l->a.rows; i++) {
		const int64_t row = problem_global_row(&l->grid, i);
		const double scale = row < 9 ? (double)(row + 2) * 1e6 : 1e6;
		const int32_t stored = l->s.stored[i];
		double *d = diagonal(&l->s, stored);

		*d = undo ? *d / scale : *d * scale;
		v->b[stored] = undo ? v->b[stored] / scale : v->b[stored] * scale;
	}
}

int check_iterations(struct solver *v, bool precondition)
{
	double history[MOST + 1];
	struct solution s = {.history = history};

	exaggerate(v, false);
	solver_cg(v, MOST, 1e-12, precondition, &s);
	exaggerate(v, true); /* exact: all are small whole numbers */
	return s.iterations;
}

/* Numbers from 1 to 2 that differ from rank to rank: a step of splitmix64 each. */
static double next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return 1 + (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void fill_random(const struct level *l, uint64_t seed, double *x)
{
	uint64_t state = seed + ((uint64_t)problem_global_row(&l->grid, 0) << 8);

	for (int32_t i = 0; i < l->a.rows; i++)
		x[l->s.stored[i]] = next_random(&state);
}

/* y = A x, or the cycle for x. */
static void apply(struct solver *v, bool cycle, double *x, double *y)
{
#pragma omp parallel num_threads(v->team.n)
	{
		const int t = omp_get_thread_num();

		if (cycle)
			(void)solver_cycle(v, t, 0, x, y);
		else
			(void)solver_product(v, t, &v->level[0], x, y);
	}
}

static double dot(struct solver *v, const double *x, const double *y)
{
	double sum = 0;

#pragma omp parallel num_threads(v->team.n)
	{
		const int t = omp_get_thread_num();
		const double all = team_sum(&v->team, t,
					    v->sweeps->dot(&v->level[0].s.part[t], x, y));

		if (!t)
			sum = all;
	}
	return sum;
}

double check_symmetry(struct solver *v, bool cycle)
{
	static const double norm = 2 * 26.0;
	double *x = v->d, *y = v->r, *z = v->z, xz, yz;

	fill_random(&v->level[0], 1, x);
	fill_random(&v->level[0], 2, y);
	apply(v, cycle, y, z);
	xz = dot(v, x, z);
	apply(v, cycle, x, z);
	yz = dot(v, y, z);
	return fabs(xz - yz) / (2 * norm * dot(v, x, x) * dot(v, y, y) * DBL_EPSILON);
}

/* The largest over all ranks; NaN when any is. */
static double largest(double mine)
{
	double in[2] = {isnan(mine) ? 0 : mine, isnan(mine) ? 1 : 0}, out[2];

	(void)MPI_Allreduce(in, out, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return out[1] > 0 ? (double)NAN : out[0];
}

/* The larger one; not fmax(), which loses a NaN. */
static double larger(double a, double b)
{
	return a > b || isnan(a) ? a : b;
}

double check_solution(struct solver *v)
{
	const struct level *l = &v->level[0];
	double worst = 0;

	for (int32_t i = 0; i < l->a.rows; i++)
		v->d[l->s.stored[i]] = 1;
	apply(v, false, v->d, v->q);
	for (int32_t i = 0; i < l->a.rows; i++) {
		const int32_t stored = l->s.stored[i];

		worst = larger(worst, fabs(v->b[stored] - v->q[stored]));
	}
	return largest(worst);
}

double check_plain(struct solver *v, struct plain *p, bool cycle)
{
	const struct level *l = &v->level[0];
	double *x = p->d, *y = p->r, worst = 0, most = 0;

	fill_random(l, 3, v->d);
	solver_from_stored(l, v->d, x);
	apply(v, cycle, v->d, v->q);
	if (cycle)
		plain_cycle(p, 0, x, y);
	else
		plain_spmv(&p->level[0], x, y);
	for (int32_t i = 0; i < l->a.rows; i++) {
		worst = larger(worst, fabs(y[i] - v->q[l->s.stored[i]]));
		most = larger(most, fabs(y[i]));
	}
	return largest(worst) / largest(most);
}

double check_variance(const double *values, int n)
{
	double mean = 0, sum = 0;

	for (int i = 0; i < n; i++)
		mean += (values[i] - values[0]) / n;
	mean += values[0];
	for (int i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sum / n;
}
