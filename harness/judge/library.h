/* SPDX-License-Identifier: Apache-2.0 */
/* A library that uses half of what the nodes can do: no node is at fault. */
#ifndef ASSAY_JUDGE_LIBRARY_H
#define ASSAY_JUDGE_LIBRARY_H

#include "judge/nodes.h"
#include "judge/verdict.h"

/*
 * Adds a remark where DGEMM stays below its limit by theory, a share of what the same
 * cores do in registers, on every node of a CPU model with the same library: the BLAS is
 * slow then, not the node.
 */
void library_cause(struct summary *s, const struct judge_nodes *nodes);

#endif
