/* SPDX-License-Identifier: Apache-2.0 */
/* The memory loops of every instruction set this CPU has against plain arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/loops.h"

enum { N = 3 * LOOPS_STEP, GUARD = 8 };

struct vectors {
	double *d, *x, *y; /* N elements and a guard behind them */
};

static double *vector(void)
{
	double *v = aligned_alloc(64, (N + GUARD) * sizeof(*v));

	assert_non_null(v);
	return v;
}

static void fill(struct vectors *v)
{
	for (int i = 0; i < N + GUARD; i++) {
		v->d[i] = -1;
		v->x[i] = i + 0.5;
		v->y[i] = 1000.25 - 3 * i;
	}
}

static double wanted(enum loops_op op, const struct vectors *v, int i)
{
	switch (op) {
	case LOOPS_COPY:
		return v->x[i];
	case LOOPS_SCALE:
		return 3 * v->x[i];
	case LOOPS_ADD:
		return v->x[i] + v->y[i];
	case LOOPS_TRIAD:
	default:
		return v->x[i] + 3 * v->y[i];
	}
}

static void check(const struct loops *l, enum loops_op op, int store, struct vectors *v)
{
	if (!l->op[op][store]) {
		assert_int_equal(store, LOOPS_NT); /* plain stores are everywhere */
		return;
	}
	fill(v);
	l->op[op][store](v->d, v->x, v->y, 3.0, N);
	for (int i = 0; i < N; i++) {
		if (v->d[i] != wanted(op, v, i))
			fail_msg("%s, loop %d, store %d: element %d is %g, not %g",
				 l->name, op, store, i, v->d[i], wanted(op, v, i));
	}
	for (int i = N; i < N + GUARD; i++)
		assert_true(v->d[i] == -1);
}

static void every_loop_writes_what_it_should_and_no_more(void **unused)
{
	struct vectors v = {vector(), vector(), vector()};

	(void)unused;
	for (size_t i = 0; loops_at(i); i++) {
		if (!loops_at(i)->usable())
			continue;
		for (int op = 0; op < LOOPS_OPS; op++) {
			check(loops_at(i), (enum loops_op)op, LOOPS_PLAIN, &v);
			check(loops_at(i), (enum loops_op)op, LOOPS_NT, &v);
		}
	}
	free(v.d);
	free(v.x);
	free(v.y);
}

static void read_adds_up_every_element_once(void **unused)
{
	double *x = vector();

	(void)unused;
	for (size_t i = 0; loops_at(i); i++) {
		const struct loops *l = loops_at(i);

		if (!l->usable())
			continue;
		for (int j = 0; j < N + GUARD; j++)
			x[j] = 1;
		assert_true(l->read(x, N) == N);
		for (int j = 0; j < N; j++) {
			x[j] = 1 + (1 << 20);
			assert_true(l->read(x, N) == N + (1 << 20));
			x[j] = 1;
		}
		x[N - 1] = NAN;
		assert_true(isnan(l->read(x, N)));
	}
	free(x);
}

/* Of a length where the streams are empty, short, and long with a rest. */
static void read_covers_every_length(void **unused)
{
	static const size_t step = LOOPS_STEP, lengths[] = {1, 2, 40, 41};
	double *x = aligned_alloc(64, sizeof(*x) * 41 * step);

	(void)unused;
	assert_non_null(x);
	for (size_t i = 0; i < 41 * step; i++)
		x[i] = (double)i;
	for (size_t i = 0; loops_at(i); i++) {
		for (size_t k = 0; k < 4 && loops_at(i)->usable(); k++) {
			const size_t n = lengths[k] * step;

			const size_t sum = n * (n - 1) / 2;

			assert_true(loops_at(i)->read(x, n) == (double)sum);
		}
	}
	free(x);
}

static void the_best_is_one_this_cpu_can_do(void **unused)
{
	(void)unused;
	assert_true(loops_best()->usable());
	assert_true(loops_at(0) != NULL);
	for (size_t i = 0; loops_at(i) != loops_best(); i++)
		assert_false(loops_at(i)->usable());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_loop_writes_what_it_should_and_no_more),
		cmocka_unit_test(read_adds_up_every_element_once),
		cmocka_unit_test(read_covers_every_length),
		cmocka_unit_test(the_best_is_one_this_cpu_can_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
