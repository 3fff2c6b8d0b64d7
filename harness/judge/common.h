/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault that all nodes share: they agree with each other and miss the baseline alike,
 * so the build, the BIOS profile or the baseline is wrong, and no node is.
 */
#ifndef ASSAY_JUDGE_COMMON_H
#define ASSAY_JUDGE_COMMON_H

#include "judge/nodes.h"
#include "judge/verdict.h"

/* Adds one remark for each step, metric and CPU model where that is so. */
void common_cause(struct summary *s, const struct judge_nodes *nodes);

#endif
