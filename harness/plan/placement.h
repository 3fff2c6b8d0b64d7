/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a kernel's ranks and threads run on a node, from its topology, the CPUs it may
 * use and a word of the plan:
 *
 *   all-cores          one rank with a thread on every core
 *   all-threads        one rank with a thread on every CPU, SMT siblings last
 *   N-per-l3           one rank with N threads on each L3, spread over its cores; without
 *                      an L3 on each last-level cache there is, else on each package
 *   N-per-domain       one rank with N threads on each NUMA domain that has CPUs
 *   N-per-socket       one rank with N threads on each socket
 *   N-per-node         one rank with N threads spread over the node
 *   one-per-l3         one rank per L3 with a thread on every core
 *   one-per-domain     one rank per NUMA domain that has CPUs, as before; one-per-socket,
 *                      one-per-node likewise
 *   one-per-core       one rank with one thread on every core
 *   one-per-domain-xN  the same ranks (of every part) with N threads each
 *   anywhere           one rank with one thread, on a CPU the kernel chooses
 *
 * A core gets one thread; its SMT siblings get one only when all cores of the part have
 * theirs and more were asked for. A kernel binds thread i to the i-th CPU of its list;
 * lists are in hwloc's order, so neighbouring threads share caches whatever the numbering
 * of CPUs.
 */
#ifndef ASSAY_PLAN_PLACEMENT_H
#define ASSAY_PLAN_PLACEMENT_H

#include <hwloc.h>

#include "base/arena.h"
#include "base/err.h"
#include "host/topology.h"
#include "plan/step.h"

/* The word is one of those above (N from 1 to 8192), else ERR_USAGE. */
int placement_check(const char *word, struct err *e);

/* @word is "anywhere", which needs no topology. */
bool placement_anywhere(const char *word);

/*
 * The placement of @word on the CPUs that are both in @t and in @mask; texts in @a.
 * *@remark is one sentence when the node could not give all the word asks for (fewer
 * cores on an L3 than N, no L3, domains of different size), else NULL. ERR_USAGE for an
 * unknown word, or when no CPU is left.
 */
int placement_make(const struct topology *t, hwloc_const_bitmap_t mask, const char *word,
		   struct arena *a, struct placed *out, const char **remark,
		   struct err *e);

#endif
