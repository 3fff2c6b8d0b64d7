/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gates: a node with a FAIL in a stage that is one stays out of the later stages. It is
 * asked for as a request "exclude", which the planner obeys; what the node misses by it
 * is listed.
 */
#ifndef ASSAY_JUDGE_GATES_H
#define ASSAY_JUDGE_GATES_H

#include "judge/judge.h"

/*
 * Looks at the verdicts that are there. For each node that failed at a gate: the request,
 * unless the journal has it, and for each step of a later stage that was never planned on
 * it a SKIP and an entry of what is missing. A node that was admitted again misses none.
 */
void gates_apply(const struct rule_input *in, struct summary *out);

#endif
