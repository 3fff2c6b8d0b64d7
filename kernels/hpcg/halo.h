/* SPDX-License-Identifier: Apache-2.0 */
/* The exchange of ghost values with the neighbours of a rank. Only the kit's thread. */
#ifndef ASSAY_KERNELS_HPCG_HALO_H
#define ASSAY_KERNELS_HPCG_HALO_H

#include "kernels/hpcg/problem.h"

#include <mpi.h>

struct halo {
	int n;             /* neighbours */
	int32_t ghosts;    /* values each way */
	double *ghost;     /* received */
	double *send;      /* to be filled before halo_start() */
	MPI_Request *open; /* persistent: receives, then sends */
};

/* Prepares it for the ghosts of @a. halo_release() before MPI ends. */
void halo_init(struct halo *h, const struct matrix *a);
void halo_release(struct halo *h);

/* Sends h->send and receives h->ghost; nothing may be done to them before halo_end(). */
void halo_start(struct halo *h);
void halo_end(struct halo *h);

#endif
