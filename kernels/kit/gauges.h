/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that looks at clock and temperature each second while a kernel runs, on a CPU
 * that the kernel does not use where there is one.
 */
#ifndef ASSAY_KERNELS_KIT_GAUGES_H
#define ASSAY_KERNELS_KIT_GAUGES_H

#include "host/counters.h"
#include "kernels/kit/cpulist.h"

struct gauges;

/*
 * Starts it: @cpus are those whose clock is looked at, @allowed those it may run on. NULL
 * where there is nothing to be seen, or no thread to be had: nobody's measurement fails
 * for that. @io and @cpus have to stay. It looks each @period s.
 */
struct gauges *gauges_start(const struct host_io *io, const int *cpus, int n,
			    const struct cpumask *allowed, double period);

/*
 * Ends it; *@n looks, borrowed until gauges_free(). Of a long run each k-th look is kept:
 * at most GAUGES_KEPT.
 */
enum { GAUGES_KEPT = 240 };
const struct counters_gauges *gauges_stop(struct gauges *g, int *n);
void gauges_free(struct gauges *g);

#endif
