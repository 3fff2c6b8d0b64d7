/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of assay-hpl for people, in the columns that readers of HPL's output know: a
 * head before the first problem, a line for each when it is solved, how many passed, and
 * where the time went.
 */
#ifndef ASSAY_KERNELS_HPL_TEXT_H
#define ASSAY_KERNELS_HPL_TEXT_H

#include "kernels/hpl/runs.h"

/* What was printed; begins zeroed. */
struct text {
	bool begun;
	size_t seen; /* records */
	size_t tests, passed, failed;
};

/* What of an HPL.dat is something else here, one sentence; "" for problems of options. */
void text_mapping(const struct runs *runs, char *text, size_t size);

/*
 * The head when it was not printed yet, and the result that came since the last call. The
 * @n records are all there are; results come in the order of @runs, as often as ntimes.
 */
void text_so_far(struct text *t, const struct kit *k, const struct runs *runs,
		 const struct record *records, size_t n, FILE *out);
/* No more come. */
void text_end(const struct text *t, const struct kit *k, const struct runs *runs,
	      const struct record *records, size_t n, FILE *out);

#endif
