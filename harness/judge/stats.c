/* SPDX-License-Identifier: Apache-2.0 */
/* Robust statistics: see stats.h. */
#include "judge/stats.h"

#include <math.h>
#include <stdlib.h>

#define SIGMA_OF_MAD  1.4826022185056018 /* 1 / quantile of N(0,1) at 3/4 */
#define SIGMA_OF_MEAN 1.2533141373155003 /* sqrt(pi / 2) */
#define Z95           1.959963984540054

enum {
	FEWEST_FOR_ORDER = 6, /* 1 - 2^(1-n) reaches 95 % */
	EXACT_BINOMIAL = 500, /* beyond, 0.5^n comes near the smallest double */
	MOST_NEEDED = 1000,
};

bool stats_usable(double v)
{
	return isfinite(v) && fabs(v) <= STATS_MOST;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

size_t stats_sort(double *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (stats_usable(v[i]))
			v[kept++] = v[i];
	}
	if (kept > 1)
		qsort(v, kept, sizeof(*v), ascending);
	return kept;
}

double stats_quantile(const double *sorted, size_t n, double q)
{
	double at, below;
	size_t i;

	if (!n)
		return 0;
	at = fmin(fmax(q, 0), 1) * (double)(n - 1);
	below = floor(at);
	i = (size_t)below;
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]);
}

double stats_median(const double *sorted, size_t n)
{
	return stats_quantile(sorted, n, 0.5);
}

double stats_mad(const double *sorted, size_t n)
{
	double median = stats_median(sorted, n), last = 0, deviation = 0;
	size_t left, right = 0;

	while (right < n && sorted[right] <= median)
		right++;
	/* the deviations in ascending order, by merging both sides from the middle out */
	left = right;
	for (size_t i = 0; i <= n / 2 && n; i++) {
		last = deviation;
		if (right == n ||
		    (left > 0 && median - sorted[left - 1] <= sorted[right] - median))
			deviation = median - sorted[--left];
		else
			deviation = sorted[right++] - median;
	}
	return n % 2 ? deviation : last / 2 + deviation / 2;
}

double stats_mad_sigma(const double *sorted, size_t n)
{
	static const double few[] = {1,     1,     1.196, 1.495, 1.363,
				     1.206, 1.200, 1.140, 1.129, 1.107};
	double factor =
		n < sizeof(few) / sizeof(few[0]) ? few[n] : (double)n / ((double)n - 0.8);

	return n < 2 ? 0 : SIGMA_OF_MAD * factor * stats_mad(sorted, n);
}

double stats_sigma(const double *sorted, size_t n)
{
	double median, sum = 0;
	double mad = stats_mad(sorted, n);

	if (n < 2)
		return 0;
	if (mad > 0)
		return SIGMA_OF_MAD * mad;
	median = stats_median(sorted, n);
	for (size_t i = 0; i < n; i++)
		sum += fabs(sorted[i] - median);
	return SIGMA_OF_MEAN * sum / (double)n;
}

/*
 * How many values may be cut off at each end so that what is left covers the median with
 * 95 %: the largest k with 2 P(Binomial(n, 1/2) < k + 1) <= 0.05 is cut at k.
 */
static size_t cut_off(size_t n)
{
	double p, sum;
	size_t k = 0;

	if (n > EXACT_BINOMIAL)
		return (size_t)floor((double)n / 2 - Z95 * sqrt((double)n) / 2) - 1;
	p = sum = pow(0.5, (double)n);
	for (;;) {
		p *= (double)(n - k) / (double)(k + 1);
		if (2 * (sum + p) > 0.05)
			return k;
		sum += p;
		k++;
	}
}

struct stats_interval stats_interval(const double *sorted, size_t n, double sigma)
{
	double median = stats_median(sorted, n), half;

	if (!n)
		return (struct stats_interval){0, 0};
	if (n >= FEWEST_FOR_ORDER) {
		size_t k = cut_off(n);

		return (struct stats_interval){sorted[k], sorted[n - 1 - k]};
	}
	half = stats_usable(sigma) ? Z95 * sigma / sqrt((double)n) : 0;
	if (n > 2)
		half *= SIGMA_OF_MEAN;
	return (struct stats_interval){fmin(sorted[0], median - half),
				       fmax(sorted[n - 1], median + half)};
}

size_t stats_values_needed(double sigma, double half)
{
	double z = Z95 * SIGMA_OF_MEAN, n;

	if (!(sigma > 0))
		return 1;
	if (!(half > 0))
		return MOST_NEEDED;
	n = ceil(pow(z * sigma / half, 2));
	return n < 1 ? 1 : n < MOST_NEEDED ? (size_t)n : MOST_NEEDED;
}

/*
 * The regularized incomplete beta function I_x(a, b) for x below (a + 1) / (a + b + 2),
 * by its continued fraction (DLMF 8.17.22) in Lentz's way.
 */
static double incomplete_beta(double a, double b, double x)
{
	double front =
		exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) /
		a;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = f = 1 / d;
	for (int m = 1; m < 1000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 / (1 + even * d);
		c = 1 + even / c;
		f *= c * d;
		d = 1 / (1 + odd * d);
		c = 1 + odd / c;
		f *= c * d;
		if (fabs(c * d - 1) < 1e-13)
			break;
	}
	return front * f;
}

/* P(T > t), t > 0: of the two ends of the fraction the one that converges. */
static double student_tail(double t, double freedom)
{
	double x = freedom / (freedom + t * t), a = freedom / 2;

	if (x < (a + 1) / (a + 2.5))
		return incomplete_beta(a, 0.5, x) / 2;
	return 0.5 - incomplete_beta(0.5, a, 1 - x) / 2;
}

double stats_student(double tail, double freedom)
{
	double low = 1e-9, high = 1e12;

	/* the tail falls steadily, so halving finds it; by ratios, for it is long */
	for (int i = 0; i < 200 && high > low * (1 + 1e-14); i++) {
		double mid = sqrt(low * high);

		if (student_tail(mid, freedom) > tail)
			low = mid;
		else
			high = mid;
	}
	return high;
}
