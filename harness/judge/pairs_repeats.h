/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs that were measured again alone, since a finding of pairs.h names them. That one
 * direction is slow is proven where the other one is good then: a machine that is loaded,
 * or a path that was slow for a while, is slow both ways.
 */
#ifndef ASSAY_JUDGE_PAIRS_REPEATS_H
#define ASSAY_JUDGE_PAIRS_REPEATS_H

#include "judge/pairs_data.h"

/* What the finding was made from. */
struct pairs_judged {
	const struct pairs_data *data;
	const char *metric;
	const struct pairs_question *q;
	const struct pairs *pairs;
};

/* What they say; zeroed before the first. */
struct pairs_repeats {
	size_t checked; /* launches with values of it */
	size_t slow;    /* that were slow again, as the finding says */
	/* of a finding of one direction: those of them that were slow in the other, too;
	 * the first of them: who sent what the finding is about, to whom, and the shares
	 * of what good pairs reach, there and back */
	size_t both;
	uint32_t from, to;
	double there, back;
};

/* Adds a launch of a pair that @f wants checked. */
void pairs_repeats_add(struct pairs_repeats *r, const struct pairs_judged *j,
		       const struct pairs_finding *f, const struct pairs_again *again);

/*
 * pairs_settle() with them. A finding of one direction is no more than unsteady when it
 * needs those that were slow both ways.
 */
enum pairs_state pairs_repeats_settle(const struct pairs_repeats *r,
				      const struct pairs_finding *f);

/*
 * A node that is slow at times only: that few values show one direction is chance, so
 * that one that is slow both ways confirms it.
 */
bool pairs_repeats_any_way(const struct pairs_finding *f);

#endif
