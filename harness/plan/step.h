/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps: what is launched. next_steps() is the only place where a step comes from: the
 * plan on an empty journal, the judge's requests and what a crash left over later on.
 */
#ifndef ASSAY_PLAN_STEP_H
#define ASSAY_PLAN_STEP_H

#include <stdbool.h>
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
	const char **command; /* words of a program instead of the kernel */
	size_t n_command;
	const char *reader, *dir; /* of that program; dir may be NULL */
	const char **options;     /* words for the kernel: "--store", "both", ... */
	size_t n_options;
	double limit;    /* s */
	double estimate; /* s */
	double cost; /* s of the run: the estimate over the launches at the same time */
	int at_once; /* of its stage: launches at the same time; 0 = all (max 64) */
	/* no other launch of this chassis at the same time; NULL: it does not matter */
	const char *chassis;
	const char *request; /* id of the request behind it, NULL for the plan */
	const char *remark;  /* of its placement, or NULL */
	const char *refused; /* why it cannot be placed: it ends as "skip" unstarted */
};

struct left_out {
	const char *key, *node, *text;
};

struct steps {
	struct arena arena;
	struct step *items;
	size_t n, cap;
	struct left_out *left_out; /* what the time budget left out */
	size_t n_left_out, cap_left_out;
};

/* What the judge wants; the journal's form is struct record_request. */
struct request {
	const char *id, *want, *target, *because;
	const char *partner; /* of a pair, else NULL */
};

/* Where the ranks of one launch run on one node. */
struct placed {
	int per_node, threads; /* ranks on the node, threads of each */
	const char *cpusets;   /* per local rank, ':' between them */
	const char *remark;    /* where it is less than the word asks for, or NULL */
};

/*
 * Gives the placement of @place on @node; its texts go into @a. ERR_USAGE when the node
 * cannot be used like that.
 */
struct placer {
	int (*place)(const void *ctx, const char *node, const char *place,
		     struct arena *a, struct placed *out, struct err *e);
	const void *ctx;
};

/*
 * The steps of the next round. Pure: the same arguments give the same steps. On an empty
 * journal that is the plan; later what a crash left in flight (again, as the next
 * attempt), what was never started, and what requests, @requests and those in the
 * journal, want that was not done yet. After a gate stage nothing follows in the same
 * round. Nodes without facts and excluded nodes get no steps, but a node that failed a
 * gate gets the repeats that may still clear it; a set that failed with a node that is
 * excluded since is launched again without it. @budget is the time left in s, or
 * infinity: what does not fit by its estimate is left out and listed.
 */
int next_steps(struct steps *out, const struct plan *plan, const struct state *state,
	       const struct request *requests, size_t n_requests, double budget,
	       const struct placer *placer, struct err *e);
void steps_release(struct steps *s);

#endif
