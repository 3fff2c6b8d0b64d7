/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From who could not talk to whom, to whose fault it is. Pure: cards and tries of all
 * ranks in, sentences out.
 */
#ifndef ASSAY_KERNELS_FENCE_BLAME_H
#define ASSAY_KERNELS_FENCE_BLAME_H

#include <jansson.h>
#include <stddef.h>

/*
 * @cards[r] and @tries[r] are what rank r says, as links.h has them; NULL: nothing. Rank
 * r tried rank r + 1, the last one rank 0; ranks of one machine are neighbours. Calls
 * @found for each problem of a network: @what "link" with the (first) rank of the machine
 * it is about, text "NAME: ..."; "hint" with rank -1 for something that is no fault but
 * that MPI may trip over.
 */
void blame(const json_t *const *cards, const json_t *const *tries, size_t ranks,
	   void (*found)(void *ctx, const char *what, int rank, const char *text),
	   void *ctx);

#endif
