/* SPDX-License-Identifier: Apache-2.0 */
/* Compressing the columns of a store, slice by slice: the rules are in store.h. */
#ifndef ASSAY_KERNELS_HPCG_SLICE_H
#define ASSAY_KERNELS_HPCG_SLICE_H

#include "kernels/hpcg/store.h"

/* Offsets of a piece: lower slots, then upper ones. */
struct piece {
	int32_t *offset;
	int lower, upper; /* in use */
};

struct slicer {
	const struct store *s;
	const struct matrix *a;
	struct part *p;
	const int32_t *natural; /* row of the matrix of a stored one, -1: none */
	int slots;
	int32_t *memory;
	struct piece piece[PIECES];
	int last; /* piece of the slice before, whose offsets were stored last; -1: none
		   */
	/* of each row's lower entries, and from s->lower on its upper ones: */
	int32_t *offset[SLICE]; /* its column less the row's number */
	int32_t *slot[SLICE];   /* among the lower, or the upper, of its row's piece */
	double *value[SLICE];
	int lower[SLICE], upper[SLICE]; /* how many of them */
	double *values;
	size_t cap_fringe[5];
};

/* For the slices of part @p of @s, in their order. slicer_release() it. */
struct slicer slicer_init(const struct store *s, const struct matrix *a, struct part *p,
			  const int32_t *natural);
void slicer_release(struct slicer *z);

/* Stores the slice whose first row has number @row. */
void slicer_add(struct slicer *z, int32_t row);

#endif
