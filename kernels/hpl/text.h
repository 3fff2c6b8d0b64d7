/* SPDX-License-Identifier: Apache-2.0 */
/* Results of assay-hpl for people, in the columns that readers of HPL's output know. */
#ifndef ASSAY_KERNELS_HPL_TEXT_H
#define ASSAY_KERNELS_HPL_TEXT_H

#include "kernels/hpl/runs.h"

/* @ntimes results of each of @runs, in their order, among the @n records. */
void text_results(const struct kit *k, const struct runs *runs, int ntimes,
		  const struct record *records, size_t n, FILE *out);

#endif
