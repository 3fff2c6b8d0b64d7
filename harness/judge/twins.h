/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two names that lead to one machine. Results are kept by the name asked for, so nothing
 * is lost; but then one machine was measured twice, and another never.
 */
#ifndef ASSAY_JUDGE_TWINS_H
#define ASSAY_JUDGE_TWINS_H

#include "judge/judge.h"

/*
 * A WARN by rule `coverage` for each node that answers the same host name as another.
 * That a host calls itself otherwise than it is called here (a domain, capitals, another
 * name) is nothing.
 */
void twins_judge(const struct rule_input *in, struct summary *out);

#endif
