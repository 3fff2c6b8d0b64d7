/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Latency of memory by a chase of pointers: each line holds the address of the next, all
 * lines are one cycle in random order, so no prefetcher knows where it goes and each load
 * waits for the one before.
 */
#ifndef ASSAY_KERNELS_CHASE_H
#define ASSAY_KERNELS_CHASE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of one step: two cache lines, since some CPUs fetch them in pairs. */
enum { CHASE_STEP = 128 };

/*
 * Makes one cycle over all lines of @bytes at @memory (Sattolo, Inf. Process. Lett. 22,
 * 1986). Gives the number of lines.
 */
size_t chase_make(void *memory, uint64_t bytes, uint64_t seed);

/* @steps from the line @p; where it ends. */
void *chase(void *p, uint64_t steps);

#endif
