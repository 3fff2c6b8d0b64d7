/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What assay-hpl is asked to run: one problem from its options, or every combination of
 * an HPL.dat; sizes checked against the memory of all ranks.
 */
#ifndef ASSAY_KERNELS_HPL_RUNS_H
#define ASSAY_KERNELS_HPL_RUNS_H

#include "kernels/hpl/lu.h"
#include "kernels/kit/kit.h"

struct runs {
	struct lu_want *items;
	size_t n, cap;
	double threshold; /* of the residual; not above 0: nothing is checked */
	uint64_t usable;  /* bytes, of the rank with least */
	bool from_file;   /* samples say which combination they are of */
	int combinations; /* of the file, before those that are the same here became one
			   */
	bool deeper;      /* it asks for more look-ahead than there is */
};

/*
 * Collective. The same list on all ranks. -1 with ERR_USAGE for what cannot be meant, by
 * kit_skip() for what does not fit; some reasons are with one rank alone.
 */
int runs_make(struct kit *k, struct runs *r, struct err *e);
/* Without ranks: one line on what k->ranks of them would run, for kernel.h's outline. */
int runs_outline(struct kit *k, FILE *out, struct err *e);
void runs_release(struct runs *r);

#endif
