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

/* Field case F01: series whose MAD is zero. */
static const struct {
	const char *name;
	double values[10];
	size_t n, outliers;
	double bad;
} mad_zero[] = {
	{"flat_tiny_dev", {100, 100, 100, 100, 100, 100, 100, 100, 100, 100.1}, 10, 0, 0},
	{"flat_one_bad", {100, 100, 100, 100, 100, 100, 100, 50}, 8, 1, 50},
	{"all_equal", {100, 100, 100, 100, 100, 100, 100, 100}, 8, 0, 0},
	{"all_zero", {0, 0, 0, 0, 0, 0}, 6, 0, 0},
	{"two_values", {1, 1}, 2, 0, 0},
	{"one_value", {5}, 1, 0, 0},
};

static void f01_equal_values_hide_no_outlier_and_make_none(void **state)
{
	(void)state;
	for (size_t c = 0; c < N(mad_zero); c++) {
		double v[10], median, sigma, z, last = 0;
		size_t n = mad_zero[c].n, found = 0;

		memcpy(v, mad_zero[c].values, sizeof(v));
		n = stats_sort(v, n);
		median = stats_median(v, n);
		sigma = stats_sigma(v, n);
		z = stats_outlier_z(n, 1);
		assert_true(isfinite(median) && isfinite(sigma) && isfinite(z));
		for (size_t i = 0; i < n; i++) {
			if (stats_outlier(v[i], median, sigma, z, 0.05)) {
				found++;
				last = v[i];
			}
		}
		if (found != mad_zero[c].outliers)
			fail_msg("%s: %zu outliers", mad_zero[c].name, found);
		close_to(last, mad_zero[c].bad);
	}
}

static void outlier_limit_grows_with_values_and_tests(void **state)
{
	(void)state;
	assert_true(fabs(stats_outlier_z(1, 1) - 2.5758293035489) < 1e-9);
	assert_true(stats_outlier_z(100, 1) > stats_outlier_z(10, 1));
	assert_true(fabs(stats_outlier_z(10, 20) - stats_outlier_z(200, 1)) < 1e-12);
	assert_true(stats_outlier_z(10000, 20) < 7);
	assert_true(isfinite(stats_outlier_z(0, 0)));
	/* beyond the robust limit, but less than what matters */
	assert_false(stats_outlier(96, 100, 0.1, 4, 0.05));
	assert_true(stats_outlier(94, 100, 0.1, 4, 0.05));
	assert_false(stats_outlier(94, 100, 3, 4, 0.05));
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
		cmocka_unit_test(f01_equal_values_hide_no_outlier_and_make_none),
		cmocka_unit_test(outlier_limit_grows_with_values_and_tests),
		cmocka_unit_test(interval_covers_the_median_often_enough),
		cmocka_unit_test(few_values_take_their_spread_from_elsewhere),
		cmocka_unit_test(nothing_gives_a_nan),
		cmocka_unit_test(values_needed_follow_from_spread_and_distance),
		cmocka_unit_test(limits_give_words_each_side_its_own),
		cmocka_unit_test(resolution_is_what_makes_a_value_certain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
