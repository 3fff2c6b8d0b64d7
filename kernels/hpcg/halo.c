/* SPDX-License-Identifier: Apache-2.0 */
/* Ghost values by persistent messages: see halo.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "kernels/hpcg/halo.h"

/* One level's messages cannot overtake another's: each exchange ends before the next. */
enum { TAG = 27 };

void halo_init(struct halo *h, const struct matrix *a)
{
	*h = (struct halo){.n = a->n_neighbours, .ghosts = a->ghosts};
	h->ghost = mem_calloc((size_t)a->ghosts + 1, sizeof(*h->ghost));
	h->send = mem_calloc((size_t)a->ghosts + 1, sizeof(*h->send));
	h->open = mem_calloc(2 * (size_t)h->n + 1, sizeof(*h->open));
	for (int i = 0; i < h->n; i++) {
		const struct neighbour *n = &a->neighbours[i];

		(void)MPI_Recv_init(h->ghost + n->first, n->n, MPI_DOUBLE, n->rank, TAG,
				    MPI_COMM_WORLD, &h->open[i]);
		(void)MPI_Send_init(h->send + n->first, n->n, MPI_DOUBLE, n->rank, TAG,
				    MPI_COMM_WORLD, &h->open[h->n + i]);
	}
}

void halo_release(struct halo *h)
{
	for (int i = 0; h->open && i < 2 * h->n; i++)
		(void)MPI_Request_free(&h->open[i]);
	free(h->open);
	free(h->send);
	free(h->ghost);
	*h = (struct halo){0};
}

void halo_start(struct halo *h)
{
	if (h->n)
		(void)MPI_Startall(2 * h->n, h->open);
}

void halo_end(struct halo *h)
{
	if (h->n)
		(void)MPI_Waitall(2 * h->n, h->open, MPI_STATUSES_IGNORE);
}
