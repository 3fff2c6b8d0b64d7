/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether messages of all sizes arrive. On some links small ones do and large ones never:
 * where an end believes in a larger MTU than its path has, or a firewall drops what is
 * fragmented. MPI then waits for ever, so the first message of each size has a time
 * limit.
 */
#ifndef ASSAY_KERNELS_LADDER_H
#define ASSAY_KERNELS_LADDER_H

#include <mpi.h>
#include <stdint.h>

/* The two ranks of a pair: each has memory for the largest message each way. */
struct ladder {
	MPI_Comm comm;
	int peer, tag;
	unsigned char *out, *in;
	uint64_t least, most; /* bytes; at most INT_MAX */
	double patience;      /* s, for a message each way */
};

/*
 * Collective over the pair: exchanges a message of the least size, of eight times that,
 * ... of the most. 0, or the first size that did not come; the call is then still open
 * and nothing more can be sent that way, so the job has to end. *@arrived (may be NULL)
 * is the last size that came, 0 when none did.
 */
uint64_t ladder_climb(const struct ladder *l, uint64_t *arrived);

#endif
