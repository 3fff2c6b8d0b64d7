/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of CPUs as masks and as lists ("0-3,8"), up to the 8192 CPUs Linux knows. */
#ifndef ASSAY_KERNELS_KIT_CPULIST_H
#define ASSAY_KERNELS_KIT_CPULIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strbuf.h"

#define CPULIST_MAX 8192

struct cpumask {
	uint64_t bits[CPULIST_MAX / 64];
};

bool cpumask_has(const struct cpumask *m, int cpu);
void cpumask_add(struct cpumask *m, int cpu);
int cpumask_count(const struct cpumask *m);
/* CPUs in rising order into @cpus (room for CPULIST_MAX); gives their number. */
int cpumask_list(const struct cpumask *m, int *cpus);

/*
 * CPUs of "0-3,8" in the order written; free *@cpus, also after an error. Empty, backward
 * ranges, numbers beyond CPULIST_MAX and a CPU named twice are ERR_USAGE.
 */
int cpulist_parse(const char *text, size_t len, int **cpus, int *n, struct err *e);

/* Appends CPUs in their order, runs of rising neighbours as ranges. */
void cpulist_format(const int *cpus, int n, struct strbuf *out);
void cpumask_format(const struct cpumask *m, struct strbuf *out);

#endif
