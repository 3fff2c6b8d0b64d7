/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which BLAS a rate was reached with. One that uses half of what the nodes can do is at
 * fault itself: no node is.
 */
#ifndef ASSAY_JUDGE_LIBRARY_H
#define ASSAY_JUDGE_LIBRARY_H

#include "judge/nodes.h"
#include "judge/verdict.h"

/*
 * "OpenBLAS 0.3.21 (Haswell, OpenMP)", as the kernel that measured @series said of its
 * last launch ("BLAS: ..., 2 threads, ..."); in the arena of @s. NULL where it said
 * nothing.
 */
const char *library_name(struct summary *s, const struct series *series);

/* Is @name (may be NULL) the library @wanted, such as "BLIS" or "OpenBLAS 0.3.20"? */
bool library_is(const char *name, const char *wanted);

/*
 * Adds a remark where DGEMM stays below its limit by theory, a share of what the same
 * cores do in registers, on every node of a CPU model with the same library: the BLAS is
 * slow then, not the node.
 */
void library_cause(struct summary *s, const struct judge_nodes *nodes);

#endif
