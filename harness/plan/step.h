/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps: what is launched. next_steps() is the only place where a step comes from: the
 * plan on an empty journal, the judge's requests and what a crash left over later on.
 */
#ifndef ASSAY_PLAN_STEP_H
#define ASSAY_PLAN_STEP_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "plan/plan.h"
#include "record/state.h"

/* One launch. Texts live in the arena of the struct steps it is part of. */
struct step {
	int64_t id, attempt;
	const char *key;  /* stage/name@node */
	const char *name; /* stage/name */
	const char *stage, *kernel, *place;
	const char **nodes; /* in rank order: node i has ranks i*per_node .. */
	size_t n_nodes;
	int ranks, per_node;
	const char
		*cpusets; /* per local rank, ':' between them; "" = kernel's own choice */
	int threads;      /* per rank */
	const char **options; /* words for the kernel: "--store", "both", ... */
	size_t n_options;
	double limit;    /* s */
	double estimate; /* s */
	int at_once;     /* of its stage: launches at the same time; 0 = all (max 64) */
	const char *request; /* id of the request behind it, NULL for the plan */
};

struct steps {
	struct arena arena;
	struct step *items;
	size_t n, cap;
	/* what the time budget left out, one line each, for the report and stderr */
	const char **left_out;
	size_t n_left_out, cap_left_out;
};

/* What the judge wants; the journal's form is struct record_request. */
struct request {
	const char *id, *want, *target, *because;
};

/*
 * The steps of the next round. Pure: the same arguments give the same steps.
 * @topology gives, for a node, the path of its hwloc XML ("DIR/nodes/CLASS.xml").
 * @budget is the time left in s, or infinity.
 */
int next_steps(struct steps *out, const struct plan *plan, const struct state *state,
	       const struct request *requests, size_t n_requests, double budget,
	       const char *dir, struct err *e);
void steps_release(struct steps *s);

#endif
