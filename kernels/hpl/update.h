/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The update of the trailing matrix, C -= L U, and what it needs: rows of L and of U are
 * packed once, in the order the inner loops read them.
 *
 * Packed L: micro-panels of .mr rows, each k columns one after the other, rows beyond the
 * last are zero. Packed U: panels of .nr columns, each k rows (rounded up to .mr) one
 * after the other. With .mr 1 and the columns of a chunk as one panel, both are plain
 * row-major matrices, as BLAS wants them.
 */
#ifndef ASSAY_KERNELS_HPL_UPDATE_H
#define ASSAY_KERNELS_HPL_UPDATE_H

#include <stdbool.h>
#include <stdint.h>

struct update {
	const char *name; /* "own avx512", "own avx2", "blas" */
	int mr, nr;       /* nr 0: one panel, as wide as the chunk */
	bool (*usable)(void);
	/* U := L11^-1 U; @l11 packed, unit lower triangular, @k x @k; @u packed. */
	void (*solve)(int64_t k, const double *l11, double *u, int64_t w);
	/* C -= L U; @l packed, a whole number of micro-panels apart from the last. */
	void (*multiply)(int64_t rows, int64_t w, int64_t k, const double *l,
			 const double *u, double *c, int64_t ld);
	/*
	 * For panels, whose rows are in packed order (@tiles micro-panels of @width
	 * columns at @w): columns [j + k, j + k + n) -= columns [j, j + k) times @t,
	 * row-major k x n with @ld. @strips: room for k x n rounded up to 24.
	 */
	void (*eliminate)(int64_t tiles, int64_t width, double *w, int64_t j, int64_t k,
			  int64_t n, const double *t, int64_t ld, double *strips);
	/*
	 * One column: column j - 1 is scaled (when j > 0), columns [0, j) times @u are
	 * taken from column j. Gives the row from @from on with its largest element. Rows
	 * of the first micro-panel before @from may be changed, too.
	 */
	int64_t (*column)(int64_t tiles, int64_t width, double *w, int64_t from,
			  int64_t j, const double *u, double scale);
};

/* The table, best first: own kernels, then BLAS, which can always be used; NULL. */
extern const struct update *const update_table[];

/* The kernels this project brings; empty where it has none for the architecture. */
extern const struct update update_avx512, update_avx2;

/* Rows of @k rounded up to whole micro-panels. */
int64_t update_padded(const struct update *u, int64_t k);

/* Packs @rows rows of @k entries from row-major @a. Gives the doubles written. */
int64_t update_pack(const struct update *u, const double *a, int64_t lda, int64_t rows,
		    int64_t k, double *out);

/* Row @i of packed U (@k rows, @w columns) from @row, and back. */
void update_put(const struct update *u, int64_t k, int64_t w, double *packed, int64_t i,
		const double *row);
void update_get(const struct update *u, int64_t k, int64_t w, const double *packed,
		int64_t i, double *row);
/* Zero below row @k and right of column @w, which the tiles read but nobody uses. */
void update_pad(const struct update *u, int64_t k, int64_t w, double *packed);

#endif
