/* SPDX-License-Identifier: Apache-2.0 */
/* Tests between two ranks, the first and the last: latency, bw, bibw. */
#include "kernels/net/net.h"

static bool takes_part(const struct kit *k)
{
	return k->rank == 0 || k->rank == k->ranks - 1;
}

static int setup(struct kit *k, struct net *x, struct err *e)
{
	return takes_part(k) ? net_open(k, x, k->rank ? 0 : k->ranks - 1, e) : 0;
}

static void measure(struct kit *k, struct net *x, enum measure_way way, uint64_t size,
		    struct net_figures *out)
{
	const struct measure_how how = net_how(x, size);
	const uint64_t before = x->end.sent;
	struct measure_figure f;

	if (!takes_part(k))
		return;
	measure_run(&x->end, way, size, &how, &f);
	*(x->peer > 0 ? &x->far : &x->near) += x->end.sent - before;
	*out = (struct net_figures){.value = f.value,
				    .tail = {f.p50, f.p90, f.p99},
				    .turns = f.turns,
				    .wrong = f.wrong};
}

static void latency(struct kit *k, struct net *x, uint64_t size, struct net_figures *f)
{
	measure(k, x, MEASURE_PING_PONG, size, f);
}

static void bw(struct kit *k, struct net *x, uint64_t size, struct net_figures *f)
{
	measure(k, x, MEASURE_THERE, size, f);
}

static void bibw(struct kit *k, struct net *x, uint64_t size, struct net_figures *f)
{
	measure(k, x, MEASURE_BOTH, size, f);
}

static void teardown(struct net *x)
{
	measure_close(&x->end);
}

const struct net_test net_latency = {
	.name = "latency",
	.metric = "net.latency",
	.ranks = 2,
	.counts = {10000, 100, 1000, 10},
	.sizes = {1, (uint64_t)4 << 20},
	.setup = setup,
	.measure = latency,
	.teardown = teardown,
};

const struct net_test net_bw = {
	.name = "bw",
	.metric = "net.bw",
	.ranks = 2,
	.window = true,
	.bandwidth = true,
	.counts = {100, 10, 20, 2},
	.sizes = {1, (uint64_t)4 << 20},
	.setup = setup,
	.measure = bw,
	.teardown = teardown,
};

const struct net_test net_bibw = {
	.name = "bibw",
	.metric = "net.bibw",
	.ranks = 2,
	.window = true,
	.bandwidth = true,
	.counts = {100, 10, 20, 2},
	.sizes = {1, (uint64_t)4 << 20},
	.setup = setup,
	.measure = bibw,
	.teardown = teardown,
};
