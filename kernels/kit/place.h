/* SPDX-License-Identifier: Apache-2.0 */
/* Where CPUs are: what hwloc knows of the node, reduced to what kernels ask. */
#ifndef ASSAY_KERNELS_KIT_PLACE_H
#define ASSAY_KERNELS_KIT_PLACE_H

#include "kernels/kit/cpulist.h"
#include "kernels/kit/kit.h"

struct place; /* the topology of this node */

/* NULL when hwloc cannot read it; the functions below then know nothing but CPUs. */
struct place *place_load(void);
void place_release(struct place *p);

/* Cores with a CPU in @mask; CPUs when the topology does not know it. */
int place_cores(const struct place *p, const struct cpumask *mask);

/*
 * @n different CPUs of @mask, as far from each other as it allows (first one a package,
 * then one a last-level cache, one a core, and so on), neighbours next to each other in
 * @cpus. @n is not larger than the number of CPUs in @mask.
 */
void place_spread(const struct place *p, const struct cpumask *mask, int n, int *cpus);

/* What is known of CPU @cpu. */
struct kit_cpu place_cpu(const struct place *p, int cpu);

#endif
