/* SPDX-License-Identifier: Apache-2.0 */
/* Two limits, warn and fail, each side its own: what a value with its interval gets. */
#ifndef ASSAY_JUDGE_LIMITS_H
#define ASSAY_JUDGE_LIMITS_H

#include "judge/stats.h"
#include "judge/verdict.h"

/* In the unit of the value. A side without limits has both absent. */
struct limits {
	struct record_num warn_low, fail_low, warn_high, fail_high;
};

/*
 * FAIL beyond a fail limit, WARN beyond a warn limit, else PASS: by the value alone. Only
 * where @interval covers both limits of a side nothing can be said: INCONCLUSIVE.
 */
enum verdict_word limits_judge(const struct limits *l, double value,
			       struct stats_interval interval);

/*
 * The largest half width an interval around @value may have so that it no longer covers
 * both limits of a side; infinity without limits.
 */
double limits_resolution(const struct limits *l, double value);

#endif
