/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics that a few bad values, equal values or too few values cannot upset. Every
 * function takes sorted values as stats_sort() leaves them, and never gives a NaN.
 */
#ifndef ASSAY_JUDGE_STATS_H
#define ASSAY_JUDGE_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* A value beyond this is no measurement; sums and differences of less stay finite. */
#define STATS_MOST 1e300

/* A number that may be counted: finite and not beyond STATS_MOST. */
bool stats_usable(double v);

/* Moves the usable values of @v to the front, ascending, and returns their number. */
size_t stats_sort(double *v, size_t n);

/*
 * Quantile @q in 0..1 by linear interpolation between order statistics (type 7 of Hyndman
 * and Fan, Am. Stat. 50:361, 1996). 0 for no values.
 */
double stats_quantile(const double *sorted, size_t n, double q);
double stats_median(const double *sorted, size_t n);
/* Median of the absolute deviations from the median, not scaled. */
double stats_mad(const double *sorted, size_t n);

/*
 * 1.4826 MAD times what makes it, on the average of normal values, their standard
 * deviation also for few of them (Croux and Rousseeuw, Computational Statistics 1:411,
 * 1992). 0 when more than half of the values are equal.
 */
double stats_mad_sigma(const double *sorted, size_t n);

/*
 * Robust standard deviation, in the unit of the values: 1.4826 MAD, and where more than
 * half of the values are equal (MAD 0) 1.2533 times the mean absolute deviation from the
 * median (Iglewicz and Hoaglin, 1993). 0 when all are equal or n < 2.
 */
double stats_sigma(const double *sorted, size_t n);

struct stats_interval {
	double low, high;
};

/*
 * Interval for the median of the distribution @n independent values come from.
 * n >= 6: order statistics, at least 95 % whatever the distribution is. Fewer values
 * cannot give 95 % that way (smallest to largest has 1 - 2^(1-n)), so the interval is
 * smallest to largest, widened to median +- 1.96 s / sqrt(n) with @sigma as s, the
 * standard deviation of one value known from elsewhere (0 when it is not); from three
 * values on s is taken times sqrt(pi / 2), what a median varies more than a mean.
 */
struct stats_interval stats_interval(const double *sorted, size_t n, double sigma);

/*
 * Number of values after which that interval would be narrower than +- @half for values
 * that vary by @sigma, at least 1; at most 1000.
 */
size_t stats_values_needed(double sigma, double half);

/*
 * t with P(T > t) = @tail for Student's distribution with @freedom degrees of freedom,
 * which need not be whole: 0 < @tail < 0.5, freedom > 0.
 */
double stats_student(double tail, double freedom);

#endif
