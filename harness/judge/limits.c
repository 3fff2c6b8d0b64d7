/* SPDX-License-Identifier: Apache-2.0 */
/* Words for values: see limits.h. */
#include "judge/limits.h"

#include <math.h>

/* An upper side is a lower side upside down. */
struct side {
	double warn, fail, value, low, high;
};

/* Without a fail limit nothing fails; without a warn limit nothing is in between. */
static struct side lower(const struct limits *l, double v, struct stats_interval i)
{
	double fail = l->fail_low.set ? l->fail_low.v : -INFINITY;
	double warn = l->warn_low.set ? l->warn_low.v : fail;

	return (struct side){warn, fail, v, i.low, i.high};
}

static struct side upper(const struct limits *l, double v, struct stats_interval i)
{
	double fail = l->fail_high.set ? -l->fail_high.v : -INFINITY;
	double warn = l->warn_high.set ? -l->warn_high.v : fail;

	return (struct side){warn, fail, -v, -i.high, -i.low};
}

static enum verdict_word judge_side(const struct side *s)
{
	if (s->warn > s->fail && s->low < s->fail && s->high >= s->warn)
		return VERDICT_INCONCLUSIVE;
	if (s->value < s->fail)
		return VERDICT_FAIL;
	return s->value < s->warn ? VERDICT_WARN : VERDICT_PASS;
}

enum verdict_word limits_judge(const struct limits *l, double value,
			       struct stats_interval interval)
{
	struct side low = lower(l, value, interval), high = upper(l, value, interval);

	return verdict_worse(judge_side(&low), judge_side(&high));
}

static double resolution(const struct side *s)
{
	return fmax(s->value - s->fail, s->warn - s->value);
}

double limits_resolution(const struct limits *l, double value)
{
	struct stats_interval none = {value, value};
	struct side low = lower(l, value, none), high = upper(l, value, none);

	return fmin(resolution(&low), resolution(&high));
}
