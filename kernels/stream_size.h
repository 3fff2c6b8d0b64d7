/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large STREAM's arrays must be: at least four times the last-level caches that the
 * run may use, together (McCalpin's rule, so that memory and not cache is measured).
 */
#ifndef ASSAY_KERNELS_STREAM_SIZE_H
#define ASSAY_KERNELS_STREAM_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Cache assumed where the system does not tell: bytes a thread, and at least in all. The
 * largest a core has today is 12 MiB (Genoa-X, Turin-X: 96 MiB for eight cores).
 */
#define STREAM_LLC_A_THREAD ((uint64_t)12 << 20)
#define STREAM_LLC_AT_LEAST ((uint64_t)96 << 20)

/*
 * Bytes that b is further into its slot than a, and c than b: at one distance from a 4
 * KiB boundary the three would meet in the same cache sets and be taken for one another
 * by the store buffer, which compares the low 12 bits of addresses.
 */
enum { STREAM_PAD = 5120 };

struct stream_want {
	uint64_t llc;   /* bytes of all instances together, 0 = unknown */
	uint64_t asked; /* bytes of one array, 0 = by the rule */
	int threads;    /* that share the arrays */
};

/* All in bytes. */
struct stream_size {
	uint64_t least;  /* of one array by the rule */
	uint64_t part;   /* of one array of one thread: a multiple of 4 KiB */
	uint64_t stride; /* from one thread's slot to the next: its part and the pads */
	uint64_t array;  /* of one array: part * threads */
	bool guessed; /* the cache was unknown, `least` rests on the assumption above */
	bool small;   /* asked for less than the rule: not for baselines */
};

/* Pure. Sizes round up, so that every thread has the same whole number of pages. */
struct stream_size stream_size(const struct stream_want *want);

#endif
