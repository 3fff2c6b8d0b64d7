/* SPDX-License-Identifier: Apache-2.0 */
/* Clock and temperature of a node while it was measured. */
#ifndef ASSAY_JUDGE_GAUGES_H
#define ASSAY_JUDGE_GAUGES_H

#include "judge/judge.h"
#include "judge/verdict.h"

/*
 * Counters @from to before @to of @st are of one node. WARN, by rule counter, where the
 * clock fell for good while the kernel ran: its last third is a tenth slower than its
 * first. A clock that stands still, and looks that are fewer than nine, say nothing.
 */
void gauges_judge(struct summary *out, const struct state_step *st, size_t from,
		  size_t to);

/* One remark for what nodes do not tell, however many nodes and steps. */
void gauges_unreadable(struct summary *out, const struct state *state);

#endif
