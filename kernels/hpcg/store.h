/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A matrix stored for speed. It is made from any matrix by looking at its entries alone,
 * and holds and gives every one of its values.
 *
 * Order: a Gauss-Seidel sweep takes rows in their order. Row i waits for the rows before
 * it that it has an entry of, and those for none of its level or later; rows of a level
 * can be done side by side and the values are those of the sweep in order. So rows are
 * renumbered by level. Each level is cut into slices of 8 rows, the slices of a level are
 * dealt out to the threads in one piece each, and a thread's slices of all levels have
 * consecutive numbers: memory of its own, read from one end to the other by each sweep.
 * Rows that fill up a level's last slice have no entries, diagonal 1 and vectors 0.
 *
 * Values: entries before the diagonal (lower), after it (upper) and on it apart; the k-th
 * of all rows of a thread together ("slot" k), so that one slot of a slice is a vector. A
 * row with fewer entries has zeros stored. Entries of ghosts are kept apart, so that all
 * else can be done before they have arrived.
 *
 * Columns: where slot k of a slice's 8 rows has 8 consecutive columns, one offset from
 * the row's number to the column stands for the eight. Consecutive slices share offsets
 * that hold for both. A slice where that holds for the rows up to some and from there on
 * with other offsets has two or more pieces; one and two pieces are read by the same
 * instructions, since a branch that is guessed wrong costs as much as a slice. All others
 * gather by 8 offsets a slot, as every slice of a matrix without such an order does. This
 * is compression of the columns found in the matrix without loss.
 */
#ifndef ASSAY_KERNELS_HPCG_STORE_H
#define ASSAY_KERNELS_HPCG_STORE_H

#include <stddef.h>

#include "kernels/hpcg/problem.h"

/* Rows of a slice; pieces a slice may have before it gathers. */
enum { SLICE = 8, PIECES = 4 };
/* Elements that are kept zero before and after a vector: offsets may reach there. */
enum { GUARD = SLICE };

/* Where the offsets of a slice are. */
struct slice {
	uint32_t offset;         /* first of store->offset, in units of all slots */
	uint8_t pieces;          /* 0: gathers, by SLICE offsets a slot */
	uint8_t cut[PIECES - 1]; /* first row of each piece after the first; or SLICE */
};

/* Entries of ghosts, one row of the part after the other. */
struct fringe {
	int32_t rows;
	int32_t *row, *start; /* stored number; of its entries, rows + 1 */
	int32_t *ghost;
	double *value;
	double *saved; /* right-hand side while its ghosts are taken off */
};

/* What one thread works on. */
struct part {
	int32_t row, rows;   /* first stored row, multiples of SLICE */
	size_t stride;       /* elements from one slot to the next */
	double *value;       /* lower slots, upper ones, the diagonal */
	int32_t reach;       /* farthest column in the part from its row */
	struct slice *slice; /* of rows row, row + SLICE, ... */
	int32_t *level;      /* first slice of each level; levels + 1 */
	int32_t *offset;
	size_t n_offset, cap_offset;
	struct fringe fringe;
	int32_t slices[PIECES + 1]; /* how many, by pieces, 0: gather; for the report */
};

struct store {
	int32_t rows;         /* stored, those that fill up included */
	int32_t levels;       /* of the sweep */
	int32_t first_fringe; /* level: the ones before have no ghosts in any part */
	int lower, upper;     /* slots */
	int parts;
	struct part *part;
	int32_t *stored; /* number of each row of the matrix, in the order of the grid */
	void *memory;    /* values */
	uint64_t bytes;  /* of it */
	size_t ghost_entries;
	double read;       /* bytes a product reads of the matrix, see store_bytes() */
	double read_lower; /* of these, what a sweep from zero reads */
};

/* Where slot 0 of row @row of @p is; the other slots follow every p->stride elements. */
static inline double *store_value(const struct part *p, int32_t row)
{
	return p->value + (row - p->row);
}

static inline double *store_diagonal(const struct store *s, const struct part *p,
				     int32_t row)
{
	return store_value(p, row) + (size_t)(s->lower + s->upper) * p->stride;
}

/* About how many bytes the store of a box takes, to be checked before. */
uint64_t store_bytes(const struct grid *g);

/* Stores @a for @threads threads. Release it, also after an error. */
int store_make(struct store *s, const struct matrix *a, int threads, struct err *e);
void store_release(struct store *s);

#endif
