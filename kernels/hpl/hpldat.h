/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HPL.dat, the input file of HPL 2.x: which combinations to run. What has no meaning for
 * this kernel (panel variants, swapping, storage forms) is checked and left aside.
 */
#ifndef ASSAY_KERNELS_HPL_HPLDAT_H
#define ASSAY_KERNELS_HPL_HPLDAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { HPLDAT_MOST = 20 }; /* values in a list, as HPL has it */

struct hpldat_list {
	int64_t v[HPLDAT_MOST];
	int n;
};

struct hpldat {
	struct hpldat_list n, nb, p, q; /* p and q: grids, pair by pair */
	bool by_column;                 /* ranks fill the grid column by column */
	double threshold;               /* of the residual; not above 0: no check */
	struct hpldat_list broadcast;   /* 0-3 rings, 4-5 long */
	struct hpldat_list depth;       /* of look-ahead */
};

/* @text as HPL reads it; @name stands in errors, which are ERR_USAGE with the line. */
int hpldat_parse(const char *text, const char *name, struct hpldat *d, struct err *e);

#endif
