/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests share without ranks: how many turns, and percentiles of them. */
#include <stdlib.h>

#include "kernels/net/net.h"

const int net_shares[NET_SHARES] = {50, 90, 99};

struct measure_how net_how(const struct net *x, uint64_t size)
{
	const bool large = size > NET_LARGE;

	return (struct measure_how){
		.window = x->test->window ? x->window : 1,
		.turns = large ? x->counts.large_turns : x->counts.turns,
		.warmup = large ? x->counts.large_warmup : x->counts.warmup,
		.seconds = x->seconds,
		.each = x->each,
	};
}

static int rising(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void net_tail(double *values, int n, double *tail)
{
	qsort(values, (size_t)n, sizeof(*values), rising);
	for (int i = 0; i < NET_SHARES; i++)
		tail[i] = measure_percentile(values, n, net_shares[i]);
}
