/* SPDX-License-Identifier: Apache-2.0 */
/* A run inside a Slurm job: its nodes' states and its time. See campaign.h. */
#include <math.h>

#include "base/clock.h"
#include "base/units.h"
#include "cmd/campaign.h"

/*
 * Kept back of a job's time, in s, for the report and for the signal some scripts ask
 * for two minutes early (which Slurm sends up to a minute earlier still): a tenth, but
 * at least 10 s.
 */
static double margin(double left)
{
	return fmin(180, fmax(10, left / 10));
}

static void limit_time(struct campaign *c)
{
	double left = c->view.time_left, usable = fmax(0, left - margin(left));
	char ends[UNITS_TEXT], limit[UNITS_TEXT];

	if (!isfinite(left))
		return;
	(void)units_format_duration(ends, sizeof(ends), left);
	if (c->args->time_limit) {
		if (c->plan.limits.time > left)
			words_add(&c->view.remarks, &c->arena,
				  arena_printf(&c->arena,
					       "Slurm ends job %s in %s, before "
					       "--time-limit",
					       c->slurm.job, ends));
		return;
	}
	if (c->plan.limits.time > 0 && c->plan.limits.time <= usable)
		return;
	c->job_end = clock_now() + usable;
	words_add(&c->view.remarks, &c->arena,
		  arena_printf(&c->arena,
			       "Slurm ends job %s in %s: time limit %s, the rest is for "
			       "the report",
			       c->slurm.job, ends,
			       units_format_duration(limit, sizeof(limit), usable)));
}

int campaign_slurm(struct campaign *c, struct err *e)
{
	if (slurm_nodes(&c->slurm, c->run_id, c->nodes, c->n_nodes, &c->arena, &c->view,
			e) ||
	    slurm_time(&c->slurm, c->run_id, &c->arena, &c->view, e))
		return -1;
	limit_time(c);
	return 0;
}

double campaign_time_left(const struct campaign *c)
{
	double limit = c->plan.limits.time;
	double end = limit > 0 ? c->t0 + limit : INFINITY;

	return fmin(end, c->job_end) - clock_now();
}
