/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule `peers` on simulated fleets, as the tables of RESULTS.md: false alarms and misses.
 *
 *     peers_sim [METRICS [NODES-A-CELL]]
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "fleet.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const size_t sizes[] = {2, 4, 5, 8, 16, 64, 1000, 10000};

/* @share of the nodes are bad, rounded down; with 0 there is one when @loss is set. */
struct scenario {
	const char *name;
	double share, loss, noise;
	bool heavy, persistent;
};

static const struct scenario scenarios[] = {
	{"normal noise", 0, 0, 0.01, false, false},
	{"normal noise", 0, 0, 0.04, false, false},
	{"heavy tails", 0, 0, 0.01, true, false},
	{"heavy tails", 0, 0, 0.04, true, false},
	{"nodes differ for good", 0, 0, 0.01, false, true},
	{"nodes differ for good", 0, 0, 0.02, false, true},
	{"nodes differ for good", 0, 0, 0.04, false, true},
	{"one node -10 %", 0, 0.1, 0.002, false, false},
	{"one node -10 %", 0, 0.1, 0.01, false, false},
	{"one node -10 %", 0, 0.1, 0.04, false, false},
	{"one node -20 %", 0, 0.2, 0.01, false, false},
	{"one node -20 %", 0, 0.2, 0.02, false, false},
	{"one node -20 %", 0, 0.2, 0.04, false, false},
	{"one node -50 %", 0, 0.5, 0.01, false, false},
	{"one node -50 %", 0, 0.5, 0.04, false, false},
	{"10 % of nodes -20 %", 0.1, 0.2, 0.01, false, false},
	{"10 % of nodes -20 %", 0.1, 0.2, 0.04, false, false},
	{"40 % of nodes -20 %", 0.4, 0.2, 0.01, false, false},
	{"40 % of nodes -20 %", 0.4, 0.2, 0.04, false, false},
	{"half of them -10 %", 0.5, 0.1, 0.01, false, false},
	{"half of them -20 %", 0.5, 0.2, 0.04, false, false},
};

static double percent(size_t part, size_t of)
{
	return of ? 100.0 * (double)part / (double)of : 0;
}

static void cell(const struct scenario *sc, size_t n, size_t metrics, size_t nodes)
{
	struct fleet_model m = {.nodes = n,
				.metrics = metrics,
				.loss = sc->loss,
				.noise = sc->noise,
				.heavy = sc->heavy,
				.persistent = sc->persistent};
	size_t fleets = nodes / n > 200 ? nodes / n : 200;
	struct fleet_result r;
	double launches;

	m.bad = sc->share > 0 ? (size_t)(sc->share * (double)n) : sc->loss > 0;
	if (sc->share > 0 && !m.bad) {
		(void)printf(" |");
		return;
	}
	r = fleet_simulate(&m, fleets, 1);
	launches = (double)r.launches / (double)(r.good + r.bad);
	if (r.bad)
		(void)printf(" %.4g + %.3g, %.2f |", percent(r.bad_failed, r.bad),
			     percent(r.bad_warned, r.bad), launches);
	else
		(void)printf(" %.3g, %.2g, %.2f |", percent(r.alarmed, r.fleets),
			     percent(r.good_warned, r.good), launches);
	(void)fflush(stdout);
}

static void table(bool bad, size_t metrics, size_t nodes)
{
	(void)printf("| %s | noise |", bad ? "fault" : "clean fleet");
	for (size_t k = 0; k < N(sizes); k++)
		(void)printf(" %zu |", sizes[k]);
	(void)printf("\n|---|---|");
	for (size_t k = 0; k < N(sizes); k++)
		(void)printf("---|");
	for (size_t i = 0; i < N(scenarios); i++) {
		if ((scenarios[i].loss > 0) != bad)
			continue;
		(void)printf("\n| %s | %.2g %% |", scenarios[i].name,
			     100 * scenarios[i].noise);
		for (size_t k = 0; k < N(sizes); k++)
			cell(&scenarios[i], sizes[k], metrics, nodes);
	}
	(void)printf("\n\n");
}

int main(int argc, char **argv)
{
	size_t metrics = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	size_t nodes = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000;
	double start = clock_now();

	if (!metrics || !nodes || argc > 3) {
		(void)fprintf(stderr, "usage: peers_sim [METRICS [NODES-A-CELL]]\n");
		return 2;
	}
	(void)printf("FAIL in %% of fleets, WARN in %% of nodes, launches a node\n\n");
	table(false, metrics, nodes);
	(void)printf("bad nodes found: FAIL + WARN in %%, launches a node\n\n");
	table(true, metrics, nodes);
	(void)printf("%zu metrics, %zu nodes a cell, %.1f s\n", metrics, nodes,
		     clock_now() - start);
	return 0;
}
