/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which node is it? A launch over several nodes that failed is split until a node fails
 * with partners that work with others, or computes wrongly alone; that node is excluded,
 * and the launch is made again without it. Everything is read from the journal, each
 * round anew.
 */
#ifndef ASSAY_JUDGE_ISOLATE_H
#define ASSAY_JUDGE_ISOLATE_H

#include "judge/judge.h"

/* Requests split, pair and exclude for the launches over several nodes of @in. */
void isolate_sets(const struct rule_input *in, struct summary *out);

/* An ERROR, or a FAIL where it computes wrongly, for each node that was excluded as a
 * culprit, with how it was found. */
void isolate_culprits(const struct rule_input *in, struct summary *out);

#endif
