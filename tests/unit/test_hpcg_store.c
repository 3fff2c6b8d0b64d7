/* SPDX-License-Identifier: Apache-2.0 */
/* Stores of assay-hpcg: any matrix, any number of parts, every instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/hpcg/store.h"
#include "kernels/hpcg/sweep.h"
#include "kernels/kit/kit.h"

enum { ROWS = 333, MOST = 12 };

static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static double value(uint32_t *state)
{
	return 0.5 + (double)(next(state) % 1000) / 1000;
}

/*
 * Rows of 1 to MOST entries at random columns, some given twice, its pattern not
 * symmetric; @ghosts of the columns are ghosts.
 */
static void random_matrix(struct matrix *a, int32_t ghosts, uint32_t seed)
{
	*a = (struct matrix){.rows = ROWS, .ghosts = ghosts};
	a->start = mem_calloc(ROWS + 1, sizeof(*a->start));
	a->column = mem_calloc((size_t)ROWS * MOST, sizeof(*a->column));
	a->value = mem_calloc((size_t)ROWS * MOST, sizeof(*a->value));
	for (int32_t i = 0; i < ROWS; i++) {
		const int n = 1 + (int)(next(&seed) % MOST);
		int32_t *c = a->column + a->start[i];

		c[0] = i; /* in no order: the diagonal first, ghosts anywhere */
		for (int k = 1; k < n; k++) {
			do
				c[k] = (int32_t)(next(&seed) % (uint32_t)(ROWS + ghosts));
			while (c[k] == i);
		}
		for (int k = 0; k < n; k++)
			a->value[a->start[i] + k] =
				c[k] == i ? 20 + value(&seed) : -value(&seed);
		a->start[i + 1] = a->start[i] + n;
	}
	a->entries = a->start[ROWS];
}

static void free_matrix(struct matrix *a)
{
	free(a->start);
	free(a->column);
	free(a->value);
}

/* Without ghosts, as the loops over a store. */
static void plain_product(const struct matrix *a, const double *x, double *y)
{
	for (int32_t i = 0; i < a->rows; i++) {
		y[i] = 0;
		for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
			y[i] += a->column[k] < a->rows ? a->value[k] * x[a->column[k]]
						       : 0;
	}
}

static void plain_relax(const struct matrix *a, int32_t i, const double *r, double *x)
{
	double sum = r[i], diagonal = 0;

	for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
		if (a->column[k] == i)
			diagonal = a->value[k];
		else if (a->column[k] < a->rows)
			sum -= a->value[k] * x[a->column[k]];
	}
	x[i] = sum / diagonal;
}

/* A vector with its guards; @from in the order of the matrix, or NULL for zeros. */
static double *stored_vector(const struct store *s, const double *from)
{
	const size_t bytes = ((size_t)s->rows + (size_t)2 * GUARD) * sizeof(double);
	double *x = aligned_alloc(64, bytes);

	assert_non_null(x);
	memset(x, 0, bytes);
	for (int32_t i = 0; from && i < ROWS; i++)
		x[GUARD + s->stored[i]] = from[i];
	return x + GUARD;
}

static void free_vector(double *x)
{
	free(x - GUARD);
}

static void same(const struct store *s, const double *stored, const double *expected)
{
	for (int32_t i = 0; i < ROWS; i++) {
		const double off = fabs(stored[s->stored[i]] - expected[i]);

		assert_true(off <= 1e-13 * (1 + fabs(expected[i])));
	}
}

static void check_store(const struct matrix *a, const struct store *s,
			const struct sweeps *w)
{
	double x[ROWS], r[ROWS], y[ROWS], expected = 0, dot = 0;
	double *sx, *sr, *sy;
	uint32_t seed = 5;

	for (int32_t i = 0; i < ROWS; i++) {
		x[i] = value(&seed);
		r[i] = value(&seed);
	}
	sx = stored_vector(s, x);
	sr = stored_vector(s, r);
	sy = stored_vector(s, NULL);
	plain_product(a, x, y);
	for (int t = 0; t < s->parts; t++)
		dot += w->product(s, &s->part[t], sx, sy);
	same(s, sy, y);
	for (int32_t i = 0; i < ROWS; i++)
		expected += x[i] * y[i];
	assert_true(fabs(dot / expected - 1) < 1e-12);

	for (int32_t i = 0; i < ROWS; i++)
		plain_relax(a, i, r, x);
	for (int32_t l = 0; l < s->levels; l++) {
		for (int t = s->parts; t-- > 0;)
			w->forward(s, &s->part[t], l, sr, sx);
	}
	same(s, sx, x);
	for (int32_t i = ROWS; i-- > 0;)
		plain_relax(a, i, r, x);
	dot = expected = 0;
	for (int32_t l = s->levels; l-- > 0;) {
		for (int t = 0; t < s->parts; t++)
			dot += w->backward(s, &s->part[t], l, sr, sx);
	}
	same(s, sx, x);
	for (int32_t i = 0; i < ROWS; i++)
		expected += x[i] * r[i];
	assert_true(fabs(dot / expected - 1) < 1e-12);

	/* a sweep from zero must not look at what was there before */
	memset(x, 0, sizeof(x));
	for (int32_t i = 0; i < ROWS; i++)
		plain_relax(a, i, r, x);
	for (int32_t l = 0; l < s->levels; l++) {
		for (int t = 0; t < s->parts; t++)
			w->first(s, &s->part[t], l, sr, sx);
	}
	same(s, sx, x);
	free_vector(sx);
	free_vector(sr);
	free_vector(sy);
}

static void check_matrix(const struct matrix *a)
{
	for (int threads = 1; threads <= 5; threads++) {
		struct store s;
		struct err e = {0};

		assert_int_equal(store_make(&s, a, threads, &e), 0);
		for (size_t i = 0; sweeps_at(i); i++) {
			if (sweeps_at(i)->usable())
				check_store(a, &s, sweeps_at(i));
		}
		store_release(&s);
	}
}

static void any_matrix_gives_the_products_and_sweeps_of_its_rows(void **unused)
{
	(void)unused;
	for (uint32_t seed = 1; seed <= 10; seed++) {
		struct matrix a;

		random_matrix(&a, seed % 2 ? 0 : 40, seed);
		check_matrix(&a);
		free_matrix(&a);
	}
}

/* A row per level, all rows in one level, and bands: the extremes of the schedule. */
static void chains_and_independent_rows_are_stored(void **unused)
{
	static const int32_t widths[] = {0, 1, 7, 8, 30};

	(void)unused;
	for (size_t w = 0; w < 5; w++) {
		struct matrix a = {.rows = ROWS};
		int64_t k = 0;

		a.start = mem_calloc(ROWS + 1, sizeof(*a.start));
		a.column = mem_calloc((size_t)ROWS * 3, sizeof(*a.column));
		a.value = mem_calloc((size_t)ROWS * 3, sizeof(*a.value));
		for (int32_t i = 0; i < ROWS; i++) {
			for (int32_t d = -1; d <= 1; d++) {
				const int32_t c = i + d * widths[w];

				if ((d && !widths[w]) || c < 0 || c >= ROWS)
					continue;
				a.column[k] = c;
				a.value[k++] = d ? -1 - 0.01 * i : 9;
			}
			a.start[i + 1] = k;
		}
		check_matrix(&a);
		free_matrix(&a);
	}
}

/* The problem itself is stored without gathers, up to the corners of small boxes. */
static void the_27_point_problem_has_few_offsets(void **unused)
{
	const struct grid g = grid_make(1, 0, (const int[3]){40, 40, 40});
	struct matrix a;
	struct store s;
	struct err e = {0};

	(void)unused;
	assert_int_equal(problem_make(&a, &g, &e), 0);
	assert_int_equal(a.entries, grid_all_entries(&g));
	assert_int_equal(store_make(&s, &a, 1, &e), 0);
	assert_int_equal(s.levels, 7 * 39 + 1); /* x + 2 y + 4 z */
	assert_int_equal(s.lower, 13);
	assert_int_equal(s.upper, 13);
	assert_true(s.part[0].slices[1] > s.rows / SLICE / 2);
	assert_true(s.part[0].slices[0] < s.rows / SLICE / 20);
	store_release(&s);
	problem_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_matrix_gives_the_products_and_sweeps_of_its_rows),
		cmocka_unit_test(chains_and_independent_rows_are_stored),
		cmocka_unit_test(the_27_point_problem_has_few_offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
