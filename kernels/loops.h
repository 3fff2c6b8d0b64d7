/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inner loops that move memory, in the widest instructions the CPU has at run time,
 * with plain and with non-temporal stores. Shared by the kernels that measure bandwidth.
 *
 * Vectors are of doubles, at 64-byte boundaries, of a length that is a multiple of
 * LOOPS_STEP; each loop handles the part of one thread.
 */
#ifndef ASSAY_KERNELS_LOOPS_H
#define ASSAY_KERNELS_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

/* Elements: 4 KiB. */
enum { LOOPS_STEP = 512 };

/* Streams read at once by .read, and how stores are done. */
enum { LOOPS_STREAMS = 8 };
enum loops_store { LOOPS_PLAIN, LOOPS_NT, LOOPS_STORES };

enum loops_op {
	LOOPS_COPY,  /* d = x */
	LOOPS_SCALE, /* d = s x */
	LOOPS_ADD,   /* d = x + y */
	LOOPS_TRIAD, /* d = x + s y */
	LOOPS_OPS,
};

typedef void loops_fn(double *d, const double *x, const double *y, double s, size_t n);

struct loops {
	const char *name; /* "avx512", "avx2", "sse2", "c" */
	bool (*usable)(void);
	/* LOOPS_NT is NULL where there are no non-temporal stores */
	loops_fn *op[LOOPS_OPS][LOOPS_STORES];
	/* Sum of x, read as LOOPS_STREAMS streams side by side. */
	double (*read)(const double *x, size_t n);
};

/* All there are in this program, the widest first; NULL at the end. */
const struct loops *loops_at(size_t i);

/* The widest this CPU can do. */
const struct loops *loops_best(void);

#endif
