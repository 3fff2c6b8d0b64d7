/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tests of assay-net: what one of them is, and what they share. A test measures one
 * size after the other, all of them again in each repetition; or does it all by itself.
 */
#ifndef ASSAY_KERNELS_NET_NET_H
#define ASSAY_KERNELS_NET_NET_H

#include "kernels/kit/kit.h"
#include "kernels/kit/locality.h"
#include "kernels/net/measure.h"
#include "kernels/net/sizes.h"
#include "kernels/wires.h"

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

/* Where the two ranks are bound during a part of the test. */
struct net_place {
	char at[48]; /* for `at` of samples: "\"locality\":\"near\"", "" = as started */
	char value[16]; /* of that */
	int domain;     /* of this rank's node: index in .locality; -1: as started */
	int id;         /* number of that domain */
};

enum { NET_PLACES = 64 };

/* State of the kernel. */
struct net {
	const struct net_test *test;
	struct sizes sizes;
	struct net_counts counts;
	int repeat, window;
	double seconds;         /* --seconds */
	bool each;              /* -c: every message is checked */
	uint64_t piece, spoil;  /* as in .end */
	struct measure_end end; /* of tests between two ranks */
	struct wires *wires;    /* before the first message; local rank 0 */
	uint64_t loopback;
	int node;             /* smallest rank on this rank's node */
	bool apart;           /* mbw_mr: this rank's partner is on another node */
	int peer;             /* rank 0: the last rank, -1 when it is on the same node */
	void *own;            /* of the test */
	int repetition;       /* from 1 */
	uint64_t seed;        /* of contents; the same on all ranks */
	uint64_t wrong;       /* bytes this rank received, of all sizes */
	uint64_t wrong_sizes; /* bit i: in messages of the i-th size */
	uint64_t far, near; /* bytes this rank sent to other nodes, and within its own */
	struct net_place places[NET_PLACES];
	int n_places, place; /* at least one; the one that is being measured */
	bool moves;          /* the ends are bound to them */
	struct locality locality;
	char device[64];  /* that near and far are about */
	double remote[2]; /* rank 0, by place: mean of the repetitions */
};

/* Turns for messages of @size bytes, as the options or the test say. */
struct measure_how net_how(const struct net *x, uint64_t size);

/* Every rank: .run of a test of sizes. All of them, in each repetition and place. */
int net_sweep(struct kit *k, struct net *x, struct err *e);

/*
 * Node: what carried the messages, one event of one rank. net_wires_before() is called
 * before the first message, by every rank.
 */
void net_wires_before(struct kit *k, struct net *x);
void net_wires_after(struct kit *k, struct net *x);

/* Makes x->end towards @peer; a skip when its messages do not fit into memory. */
int net_open(struct kit *k, struct net *x, int peer, struct err *e);

/*
 * Collective, after setup: finds the device that carries the messages (or takes that of
 * --device) and fills x->places as --locality wants them, as many on all ranks; a skip
 * when that cannot be.
 */
int net_places(struct kit *k, struct net *x, struct err *e);
/* Collective: binds the ends as x->places[x->place] says, with buffers that are there. */
int net_move(struct kit *k, struct net *x, struct err *e);
/* Rank 0: what was lost far away. */
void net_remote(struct kit *k, struct net *x);

/* Percentiles of @n values, one a turn, which are sorted for it. */
void net_tail(double *values, int n, double *tail);

/* The table of sizes, with the columns that users of OSU know. */
void net_table(const struct kit *k, const struct net *x, const struct record *records,
	       size_t n, FILE *out);

#endif
