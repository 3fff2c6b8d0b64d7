/* SPDX-License-Identifier: Apache-2.0 */
/* All sizes one after the other, in each repetition and place; and who carried them. */
#include <stdlib.h>

#include "base/mem.h"
#include "kernels/net/net.h"

static void sample(struct kit *k, const struct net *x, const char *metric, double value,
		   const char *more, uint64_t size)
{
	const char *place = x->places[x->place].at;
	char at[128], last[32] = "";

	if (x->sizes.max)
		(void)snprintf(last, sizeof(last), "\"size\":%llu",
			       (unsigned long long)size);
	(void)snprintf(at, sizeof(at), "{%s%s%s%s%s}", place,
		       *place && (*more || *last) ? "," : "", more,
		       *more && *last ? "," : "", last);
	if (x->peer > 0)
		kit_pair_sample(k, x->peer, metric, value, x->repetition, at);
	else
		kit_sample(k, metric, value, x->repetition, at);
}

/* Rank 0. */
static void report(struct kit *k, const struct net *x, uint64_t size,
		   const struct net_figures *f)
{
	char tail[64], share[32];

	(void)snprintf(tail, sizeof(tail), "%s_tail", x->test->metric);
	sample(k, x, x->test->metric, f->value, "", size);
	for (int i = 0; i < NET_SHARES; i++) {
		(void)snprintf(share, sizeof(share), "\"percentile\":%d", net_shares[i]);
		sample(k, x, tail, f->tail[i], share, size);
	}
	if (x->test->rate && size)
		sample(k, x, x->test->rate, f->value / (double)size, "", size);
	if (x->test->collective) {
		sample(k, x, tail, f->min, "\"rank\":\"fastest\"", size);
		sample(k, x, tail, f->max, "\"rank\":\"slowest\"", size);
	}
}

/* What far away costs shows in small messages' latency and in large ones' bandwidth. */
static void note_remote(struct net *x, uint64_t size, double value)
{
	const bool last = !sizes_next(&x->sizes, size);

	if (x->place < 2 && (x->test->bandwidth ? last : size == x->sizes.min))
		x->remote[x->place] += value / x->repeat;
}

static void sizes(struct kit *k, struct net *x)
{
	uint64_t size = x->sizes.min;
	int number = 0;

	do {
		struct net_figures f = {0};

		(void)MPI_Barrier(MPI_COMM_WORLD);
		x->test->measure(k, x, size, &f);
		if (!k->rank)
			report(k, x, size, &f);
		note_remote(x, size, f.value);
		x->wrong += f.wrong;
		x->wrong_sizes |= (uint64_t)(f.wrong != 0) << number++;
		kit_flush(k);
		size = sizes_next(&x->sizes, size);
	} while (size);
}

int net_sweep(struct kit *k, struct net *x, struct err *e)
{
	for (x->repetition = 1; x->repetition <= x->repeat; x->repetition++) {
		for (x->place = 0; x->place < x->n_places; x->place++) {
			if (x->moves && net_move(k, x, e))
				return -1;
			sizes(k, x);
		}
	}
	net_remote(k, x);
	return 0;
}

void net_wires_before(struct kit *k, struct net *x)
{
	if (k->local_rank)
		return;
	if (!x->wires)
		x->wires = mem_calloc(1, sizeof(*x->wires));
	wires_read("", x->wires);
	x->loopback = wires_loopback("");
}

void net_wires_after(struct kit *k, struct net *x)
{
	uint64_t mine[2] = {x->far, x->near}, all[2];
	struct strbuf text = {0};
	struct wires sent;

	(void)MPI_Reduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, 0, k->node);
	if (k->local_rank)
		return;
	if (all[0]) {
		wires_since(x->wires, all[0], &sent);
		wires_say(&sent, all[0], &text);
	} else if (all[1] && k->local_ranks == k->ranks) {
		wires_say_near(wires_loopback("") - x->loopback, all[1], &text);
	}
	if (text.len)
		kit_event(k, "transport", "%s", strbuf_str(&text));
	strbuf_release(&text);
}
