/* SPDX-License-Identifier: Apache-2.0 */
/* What several nodes have to do together before a plan's own steps: see plan.h. */
#include <string.h>

#include "plan/plan.h"

/* s: a launch over few nodes, and what each node adds to it. */
#define PER_NODE 0.05

static const struct rung {
	const char *stage, *kernel;
	double limit, estimate;
} rungs[] = {
	{"preflight", "fence", 10, 2},
	{"fabric", "transport", 20, 3},
};

enum { RUNGS = sizeof(rungs) / sizeof(rungs[0]) };

static bool has_stage(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->n_stages; i++) {
		if (!strcmp(p->stages[i].name, name))
			return true;
	}
	return false;
}

void plan_preflight(struct plan *p, size_t nodes)
{
	struct plan_stage *all =
		arena_alloc(&p->arena, p->n_stages + RUNGS, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < RUNGS; i++) {
		struct plan_step *step;

		if (has_stage(p, rungs[i].stage))
			continue;
		step = arena_alloc(&p->arena, 1, sizeof(*step));
		*step = (struct plan_step){
			.kernel = rungs[i].kernel,
			.name = rungs[i].kernel,
			.on = PLAN_ON_ALL,
			.place = "anywhere",
			.limit = rungs[i].limit + PER_NODE * (double)nodes,
			.estimate = rungs[i].estimate + PER_NODE * (double)nodes,
			.where = "the preflight",
		};
		all[n++] = (struct plan_stage){.name = rungs[i].stage,
					       .gate = true,
					       .steps = step,
					       .n_steps = 1,
					       .where = "the preflight"};
	}
	p->n_preflight = n;
	for (size_t i = 0; i < p->n_stages; i++)
		all[n++] = p->stages[i];
	p->stages = all;
	p->n_stages = n;
}

void plan_no_preflight(struct plan *p)
{
	p->stages += p->n_preflight;
	p->n_stages -= p->n_preflight;
	p->n_preflight = 0;
}
