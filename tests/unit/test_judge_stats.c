/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the judge's statistics and limits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "judge/limits.h"
#include "judge/stats.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* xorshift64*, so that a failure can be repeated. */
static uint64_t seed;

static double uniform(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (double)(seed * 0x2545f4914f6cdd1dU >> 11) * 0x1p-53;
}

static double normal(void)
{
	double u = uniform();

	return sqrt(-2 * log(u > 0 ? u : 0.5)) * cos(2 * acos(-1) * uniform());
}

static void close_to(double a, double b)
{
	if (fabs(a - b) > 1e-9 * (1 + fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

static void sorting_drops_what_is_no_number(void **state)
{
	double v[] = {3, NAN, 1, INFINITY, -INFINITY, 2, 1e301};

	(void)state;
	assert_int_equal(stats_sort(v, N(v)), 3);
	close_to(v[0], 1);
	close_to(v[1], 2);
	close_to(v[2], 3);
	assert_int_equal(stats_sort(v, 0), 0);
	assert_true(stats_usable(-1e300));
	assert_false(stats_usable(NAN));
}

static void quantiles_interpolate_between_values(void **state)
{
	static const double v[] = {1, 2, 3, 4};

	(void)state;
	close_to(stats_quantile(v, 4, 0), 1);
	close_to(stats_quantile(v, 4, 1), 4);
	close_to(stats_quantile(v, 4, 0.5), 2.5);
	close_to(stats_quantile(v, 4, 0.25), 1.75);
	close_to(stats_quantile(v, 4, -3), 1);
	close_to(stats_quantile(v, 4, 7), 4);
	close_to(stats_median(v, 3), 2);
	close_to(stats_median(v, 1), 1);
	close_to(stats_median(v, 0), 0);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void mad_is_the_median_of_the_deviations(void **state)
{
	(void)state;
	seed = 42;
	for (int round = 0; round < 2000; round++) {
		size_t n = 1 + (size_t)(uniform() * 40);
		double v[40], d[40] = {0}, median;

		for (size_t i = 0; i < n; i++)
			v[i] = round % 3 ? floor(uniform() * 6) : normal();
		n = stats_sort(v, n);
		median = stats_median(v, n);
		for (size_t i = 0; i < n; i++)
			d[i] = fabs(v[i] - median);
		qsort(d, n, sizeof(*d), ascending);
		close_to(stats_mad(v, n), stats_median(d, n));
	}
}

static void sigma_is_that_of_normal_values_despite_bad_ones(void **state)
{
	static double v[4000];

	(void)state;
	seed = 7;
	for (size_t i = 0; i < N(v); i++)
		v[i] = i % 10 ? 100 + 3 * normal() : 1e6;
	(void)stats_sort(v, N(v));
	assert_true(fabs(stats_sigma(v, N(v)) - 3) < 0.6);
	assert_true(fabs(stats_median(v, N(v)) - 100) < 1);
}

static void quantiles_of_student_are_those_of_the_tables(void **state)
{
	static const struct {
		double tail, freedom, t;
	} table[] = {
		/* exact: tan(pi (1/2 - p)) for one, (1 - 2p) / sqrt(2p (1 - p)) for two
		 */
		{0.05, 1, 6.3137515146750430},
		{0.0005, 1, 636.61924876871956},
		{0.005, 2, 9.9248432009182924},
		/* to the digits printed, as in Abramowitz and Stegun, table 26.10 */
		{0.025, 10, 2.228},
		{0.005, 5, 4.032},
		{0.0005, 30, 3.646},
		{0.025, 1e9, 1.960},
	};

	(void)state;
	for (size_t i = 0; i < N(table); i++) {
		double t = stats_student(table[i].tail, table[i].freedom);

		if (fabs(t - table[i].t) > (i < 3 ? 1e-9 * t : 0.0006))
			fail_msg("%zu: %.12g is not %.12g", i, t, table[i].t);
	}
	/* it falls with the degrees of freedom, whole or not, and with the tail */
	assert_true(stats_student(1e-6, 7.5) < stats_student(1e-6, 7));
	assert_true(stats_student(1e-6, 7.5) > stats_student(1e-6, 8));
	assert_true(stats_student(1e-6, 7.5) > stats_student(1e-5, 7.5));
	assert_true(isfinite(stats_student(1e-12, 0.37)));
}

static void mad_of_few_values_gives_their_deviation_on_average(void **state)
{
	(void)state;
	seed = 11;
	for (size_t n = 2; n < 20; n++) {
		double sum = 0, v[20];
		const int rounds = 20000;

		for (int i = 0; i < rounds; i++) {
			for (size_t k = 0; k < n; k++)
				v[k] = 100 + 3 * normal();
			(void)stats_sort(v, n);
			sum += stats_mad_sigma(v, n);
		}
		if (fabs(sum / rounds - 3) > 0.09)
			fail_msg("%zu values: %g", n, sum / rounds);
	}
	assert_true(stats_mad_sigma((const double[]){5}, 1) == 0);
	assert_true(stats_mad_sigma(NULL, 0) == 0);
	assert_true(stats_mad_sigma((const double[]){1, 2, 2, 2}, 4) == 0);
}

static void interval_covers_the_median_often_enough(void **state)
{
	static const size_t sizes[] = {6, 7, 10, 25, 100, 501, 1200};

	(void)state;
	seed = 99;
	for (size_t s = 0; s < N(sizes); s++) {
		int covered = 0, rounds = 1000;

		for (int r = 0; r < rounds; r++) {
			static double v[1200];
			struct stats_interval i;

			/* skewed on purpose: the median of exp(normal) is 1 */
			for (size_t k = 0; k < sizes[s]; k++)
				v[k] = exp(normal());
			(void)stats_sort(v, sizes[s]);
			i = stats_interval(v, sizes[s], 0);
			covered += i.low <= 1 && 1 <= i.high;
		}
		/* 95 % minus three standard deviations of the count */
		if (covered < 929)
			fail_msg("n %zu: %d of %d", sizes[s], covered, rounds);
	}
}

static void few_values_take_their_spread_from_elsewhere(void **state)
{
	static const double one[] = {100}, three[] = {98, 100, 101};
	struct stats_interval i = stats_interval(one, 1, 1);

	(void)state;
	close_to(i.low, 100 - 1.959963984540054);
	close_to(i.high, 100 + 1.959963984540054);
	i = stats_interval(one, 1, 0);
	close_to(i.low, 100);
	close_to(i.high, 100);
	i = stats_interval(three, 3, 0);
	close_to(i.low, 98);
	close_to(i.high, 101);
	i = stats_interval(three, 3, 10);
	assert_true(i.low < 90 && i.high > 110);
	i = stats_interval(one, 1, NAN);
	close_to(i.low, 100);
	i = stats_interval(one, 0, 1);
	close_to(i.low, 0);
}

static void nothing_gives_a_nan(void **state)
{
	static const double odd[] = {0,   -0.0,  1e300,    -1e300, 1e-320,
				     NAN, 1e308, INFINITY, 1,      -INFINITY};

	(void)state;
	seed = 5;
	for (int round = 0; round < 5000; round++) {
		size_t n = (size_t)(uniform() * 12);
		double v[12], sigma;
		struct stats_interval i;

		for (size_t k = 0; k < n; k++)
			v[k] = odd[(size_t)(uniform() * 10)];
		n = stats_sort(v, n);
		sigma = stats_sigma(v, n);
		i = stats_interval(v, n, sigma);
		assert_true(isfinite(stats_median(v, n)) && isfinite(stats_mad(v, n)));
		assert_true(isfinite(sigma) && isfinite(i.low) && isfinite(i.high));
		assert_true(i.low <= i.high);
	}
}

static void values_needed_follow_from_spread_and_distance(void **state)
{
	(void)state;
	assert_int_equal(stats_values_needed(0, 1), 1);
	assert_int_equal(stats_values_needed(1, 100), 1);
	assert_int_equal(stats_values_needed(1, 1), 7);
	assert_int_equal(stats_values_needed(1, 0), 1000);
	assert_int_equal(stats_values_needed(1, INFINITY), 1);
	assert_int_equal(stats_values_needed(1e9, 1e-9), 1000);
}

/* A side that is not there is 0. */
static const struct {
	double warn_low, fail_low, warn_high, fail_high;
	double value, low, high;
	enum verdict_word word;
} limits_table[] = {
	/* lower limits 96 and 93 */
	{96, 93, 0, 0, 100, 100, 100, VERDICT_PASS},
	{96, 93, 0, 0, 96, 96, 96, VERDICT_PASS},
	{96, 93, 0, 0, 95, 95, 95, VERDICT_WARN},
	{96, 93, 0, 0, 93, 93, 93, VERDICT_WARN},
	{96, 93, 0, 0, 92, 92, 92, VERDICT_FAIL},
	{96, 93, 0, 0, 1000, 1000, 1000, VERDICT_PASS},
	/* only an interval across both limits is inconclusive */
	{96, 93, 0, 0, 95, 92, 97, VERDICT_INCONCLUSIVE},
	{96, 93, 0, 0, 100, 90, 110, VERDICT_INCONCLUSIVE},
	{96, 93, 0, 0, 90, 80, 100, VERDICT_INCONCLUSIVE},
	{96, 93, 0, 0, 95, 94, 97, VERDICT_WARN},
	{96, 93, 0, 0, 95, 92, 95.9, VERDICT_WARN},
	{96, 93, 0, 0, 92, 80, 95.9, VERDICT_FAIL},
	/* upper limits 104 and 110: less is better */
	{0, 0, 104, 110, 100, 100, 100, VERDICT_PASS},
	{0, 0, 104, 110, 104, 104, 104, VERDICT_PASS},
	{0, 0, 104, 110, 105, 105, 105, VERDICT_WARN},
	{0, 0, 104, 110, 111, 111, 111, VERDICT_FAIL},
	{0, 0, 104, 110, 1, 1, 1, VERDICT_PASS},
	{0, 0, 104, 110, 105, 103, 112, VERDICT_INCONCLUSIVE},
	/* both sides, not alike */
	{96, 93, 104, 120, 119, 119, 119, VERDICT_WARN},
	{96, 93, 104, 120, 121, 121, 121, VERDICT_FAIL},
	{96, 93, 104, 120, 92, 92, 92, VERDICT_FAIL},
	{96, 93, 104, 120, 100, 97, 103, VERDICT_PASS},
	/* one limit alone */
	{0, 93, 0, 0, 92, 80, 100, VERDICT_FAIL},
	{0, 93, 0, 0, 94, 80, 100, VERDICT_PASS},
	{96, 0, 0, 0, 1, 1, 1, VERDICT_WARN},
	{0, 0, 0, 0, 1, 1, 1, VERDICT_PASS},
};

static struct record_num limit(double v)
{
	return v != 0 ? record_num(v) : (struct record_num){0};
}

static void limits_give_words_each_side_its_own(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(limits_table); i++) {
		struct limits l = {limit(limits_table[i].warn_low),
				   limit(limits_table[i].fail_low),
				   limit(limits_table[i].warn_high),
				   limit(limits_table[i].fail_high)};
		struct stats_interval v = {limits_table[i].low, limits_table[i].high};
		enum verdict_word w = limits_judge(&l, limits_table[i].value, v);

		if (w != limits_table[i].word)
			fail_msg("row %zu: %s", i, verdict_name(w));
	}
}

static void resolution_is_what_makes_a_value_certain(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(limits_table); i++) {
		struct limits l = {limit(limits_table[i].warn_low),
				   limit(limits_table[i].fail_low),
				   limit(limits_table[i].warn_high),
				   limit(limits_table[i].fail_high)};
		double v = limits_table[i].value;
		double half = limits_resolution(&l, v) * 0.999;
		struct stats_interval narrow = {v - half, v + half};

		if (!isfinite(half) || half <= 0)
			continue;
		assert_int_not_equal(limits_judge(&l, v, narrow), VERDICT_INCONCLUSIVE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorting_drops_what_is_no_number),
		cmocka_unit_test(quantiles_interpolate_between_values),
		cmocka_unit_test(mad_is_the_median_of_the_deviations),
		cmocka_unit_test(sigma_is_that_of_normal_values_despite_bad_ones),
		cmocka_unit_test(quantiles_of_student_are_those_of_the_tables),
		cmocka_unit_test(mad_of_few_values_gives_their_deviation_on_average),
		cmocka_unit_test(interval_covers_the_median_often_enough),
		cmocka_unit_test(few_values_take_their_spread_from_elsewhere),
		cmocka_unit_test(nothing_gives_a_nan),
		cmocka_unit_test(values_needed_follow_from_spread_and_distance),
		cmocka_unit_test(limits_give_words_each_side_its_own),
		cmocka_unit_test(resolution_is_what_makes_a_value_certain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
