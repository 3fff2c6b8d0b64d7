/* SPDX-License-Identifier: Apache-2.0 */
/* NUMA domains of a machine as kernels see them: pure, see kit_domains() for the rest. */
#ifndef ASSAY_KERNELS_KIT_DOMAINS_H
#define ASSAY_KERNELS_KIT_DOMAINS_H

#include "host/topology.h"
#include "kernels/kit/kit.h"

/*
 * The domains of @t in order of their ids, which need not be 0..n-1; *of[i] is the index
 * of the one that @cpus[i] belongs to, -1 for none. free() both; 0 for a machine of which
 * no domains are known.
 */
int domains_make(const struct topology *t, const struct kit_cpu *cpus, int n_cpus,
		 struct kit_domain **domains, int **of);

#endif
