/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plan requires. An entry is a rule ("bios"), a metric ("stream.triad"), or both
 * ("facts.pcie": of rule facts the metric pcie). What is required and was not judged is
 * an ERROR (no-data), be it SKIP, UNJUDGED, or no verdict at all on some node.
 */
#ifndef ASSAY_JUDGE_REQUIRED_H
#define ASSAY_JUDGE_REQUIRED_H

#include "judge/verdict.h"

/*
 * Marks the verdicts that are required, turns those that say nothing into ERROR, and adds
 * one for each node where there is none. Returns the number of entries.
 */
size_t required_apply(struct summary *s);

#endif
