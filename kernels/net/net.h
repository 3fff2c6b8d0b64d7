/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tests of assay-net: what one of them is, and what they share. A test measures one
 * size after the other, all of them again in each repetition; or does it all by itself.
 */
#ifndef ASSAY_KERNELS_NET_NET_H
#define ASSAY_KERNELS_NET_NET_H

#include "kernels/kit/kit.h"
#include "kernels/net/measure.h"
#include "kernels/net/sizes.h"

/* Messages above this have counts of their own, B. */
#define NET_LARGE ((uint64_t)8192)

/* Turns that count and turns before them, up to NET_LARGE and above, as OSU 7.x has them.
 */
struct net_counts {
	int turns, warmup, large_turns, large_warmup;
};

/* Percentiles of the turns that are reported. */
enum { NET_SHARES = 3 };
extern const int net_shares[NET_SHARES];

/* What was measured with messages of one size, in SI units. */
struct net_figures {
	double value;            /* mean of all turns */
	double tail[NET_SHARES]; /* percentiles of the turns */
	double min, max;         /* of the ranks' means, where each has one; else 0 */
	int turns;
	uint64_t wrong; /* every rank: bytes it received that were not what was sent */
};

struct net;

struct net_test {
	const char *name;   /* first word of the command line */
	const char *metric; /* of .value; with "_tail" behind it of the percentiles */
	int ranks;          /* it needs at least */
	bool window;        /* has several messages under way: -W */
	bool of_all;        /* about all ranks, not the first and the last */
	bool bandwidth;     /* .value is B/s, else s */
	bool collective;    /* of all ranks together: .min and .max are there */
	const char *rate;   /* metric of messages a second, or NULL */
	struct net_counts counts;
	struct sizes sizes; /* unless -m says others; 0 to 0: there are no messages */
	/* Buffers: may be NULL. */
	int (*setup)(struct kit *k, struct net *x, struct err *e);
	/* Collective: one size. Rank 0 has the figures, whoever measured; each .wrong. */
	void (*measure)(struct kit *k, struct net *x, uint64_t size,
			struct net_figures *f);
	/* In place of .measure: does everything itself. */
	int (*run)(struct kit *k, struct net *x, struct err *e);
	void (*teardown)(struct net *x);
	/* Rank 0: what people see; NULL: the table of sizes. */
	void (*text)(struct kit *k, const struct net *x, const struct record *records,
		     size_t n, FILE *out);
};

/* State of the kernel. */
struct net {
	const struct net_test *test;
	struct sizes sizes;
	int repeat, window;
	bool each;              /* -c: every message is checked */
	struct measure_end end; /* of tests between two ranks */
	int peer;             /* rank 0: the last rank, -1 when it is on the same node */
	void *own;            /* of the test */
	int repetition;       /* from 1 */
	uint64_t seed;        /* of contents; the same on all ranks */
	uint64_t wrong;       /* bytes this rank received, of all sizes */
	uint64_t wrong_sizes; /* bit i: in messages of the i-th size */
};

/* Turns for messages of @size bytes, as the options or the test say. */
struct measure_how net_how(const struct kit *k, const struct net *x, uint64_t size);

/* ERR_SYSTEM or a skip when @bytes of buffers do not fit into this rank's memory. */
int net_fits(struct kit *k, double bytes, struct err *e);

/* Percentiles of @n values, one a turn, which are sorted for it. */
void net_tail(double *values, int n, double *tail);

/* The table of sizes, with the columns that users of OSU know. */
void net_table(const struct kit *k, const struct net *x, const struct record *records,
	       size_t n, FILE *out);

#endif
