/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The next round while it is put together. What a launch is for and on which nodes is
 * said by the file that adds it (next.c, sets.c); here it gets its number, placement,
 * limit and share of the time that is left.
 */
#ifndef ASSAY_PLAN_ROUND_H
#define ASSAY_PLAN_ROUND_H

#include <jansson.h>

#include "plan/known.h"
#include "plan/step.h"

struct round {
	struct steps *out;
	const struct plan *plan;
	const struct known *known;
	const struct request *requests;
	size_t n_requests;
	const struct placer *placer;
	const json_t *kernels; /* what the kernels say of themselves, by name */
	size_t n_chassis;      /* a node whose chassis is not known has one of its own */
	double budget, used;   /* s */
	int64_t next_id;
};

/* A launch to be added; all but @st is the caller's to set. */
struct what {
	const struct plan_stage *stage;
	const struct plan_step *ps;
	const char *key;
	const char *const *nodes;
	size_t n_nodes;
	size_t smallest;     /* nodes of the smallest set of its series; 0: in none */
	const char *suffix;  /* of the step's name, for a set of that series, or NULL */
	bool part;           /* of a set that failed */
	const char *chassis; /* that must have no other launch meanwhile, or NULL */
	const struct state_step *st; /* what the journal knows of it; NULL: it is new */
	const char *request;         /* id of what wants it; NULL: the plan */
};

/*
 * Adds @w when the journal does not know this key for this request, or knows it
 * unfinished, then on the nodes it was planned for. What the time left does not allow is
 * listed as left out instead. @w is copied, and may be used again for the next launch.
 */
int round_add(struct round *r, struct what *w, struct err *e);

/* The node has facts and is not excluded. */
bool round_takes_part(const struct round *r, const char *node);

#endif
