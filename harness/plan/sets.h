/* SPDX-License-Identifier: Apache-2.0 */
/* Launches over several nodes at once, and the parts of one that failed. */
#ifndef ASSAY_PLAN_SETS_H
#define ASSAY_PLAN_SETS_H

#include "plan/round.h"

/*
 * Adds the launches of @w's step over all nodes that take part, or over disjoint sets of
 * them of each size of its series, and what requests want of
 * them: its parts when it failed (split), a suspect with a node that works (pair), the
 * rest without those excluded since, a repeat. @w names stage and step.
 */
int sets_add(struct round *r, struct what *w, struct err *e);

#endif
