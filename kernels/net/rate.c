/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbw_mr: all pairs at once, rank r with rank r + pairs. The bandwidth of all is their
 * bytes over the mean of their times, the message rate that over the size of a message.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "kernels/net/net.h"

static int pairs(const struct kit *k)
{
	return k->ranks / 2;
}

/* Of an odd number of ranks the last has none. */
static bool paired(const struct kit *k)
{
	return k->rank < 2 * pairs(k);
}

static int partner(const struct kit *k)
{
	return k->rank < pairs(k) ? k->rank + pairs(k) : k->rank - pairs(k);
}

/* Collective over the pair: its ranks are on different nodes. */
static bool is_far(const struct net *x, int peer)
{
	int theirs;

	(void)MPI_Sendrecv(&x->node, 1, MPI_INT, peer, 0, &theirs, 1, MPI_INT, peer, 0,
			   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return x->node != theirs;
}

static int setup(struct kit *k, struct net *x, struct err *e)
{
	if (!paired(k))
		return 0;
	x->apart = is_far(x, partner(k));
	return net_open(k, x, partner(k), e);
}

/* Who has no peer meets the others before each turn. */
static void only_meet(const struct measure_how *how)
{
	for (int i = 0; i < 2 * (how->warmup + how->turns); i++)
		(void)MPI_Barrier(*how->meet);
}

static void measure(struct kit *k, struct net *x, uint64_t size, struct net_figures *f)
{
	MPI_Comm all = MPI_COMM_WORLD;
	struct measure_how how = net_how(x, size);
	const double bytes = (double)size * how.window * pairs(k);
	const uint64_t before = x->end.sent;
	double *times = mem_calloc((size_t)how.turns, sizeof(*times)), total = 0;
	const double *mine = times;

	how.meet = &all;
	how.seconds = 0;
	if (paired(k))
		(void)measure_times(&x->end, MEASURE_THERE, size, &how, &f->wrong);
	else
		only_meet(&how);
	if (k->rank < pairs(k))
		mine = x->end.times;
	*(x->apart ? &x->far : &x->near) += x->end.sent - before;
	/* those who kept no time add nothing to the sums */
	(void)MPI_Reduce(k->rank ? mine : MPI_IN_PLACE, k->rank ? NULL : x->end.times,
			 how.turns, MPI_DOUBLE, MPI_SUM, 0, all);
	if (!k->rank) {
		for (int i = 0; i < how.turns; i++) {
			times[i] = x->end.times[i] / pairs(k);
			total += times[i];
			times[i] = bytes / times[i];
		}
		f->turns = how.turns;
		f->value = bytes * how.turns / total;
		net_tail(times, how.turns, f->tail);
	}
	free(times);
}

static void teardown(struct net *x)
{
	measure_close(&x->end);
}

const struct net_test net_mbw_mr = {
	.name = "mbw_mr",
	.metric = "net.mbw",
	.rate = "net.rate",
	.ranks = 2,
	.window = true,
	.bandwidth = true,
	.of_all = true,
	.counts = {100, 10, 100, 10},
	.sizes = {1, (uint64_t)4 << 20},
	.setup = setup,
	.measure = measure,
	.teardown = teardown,
};
