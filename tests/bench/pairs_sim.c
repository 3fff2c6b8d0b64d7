/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule `pairs` on simulated fabrics, as the tables of RESULTS.md.
 *
 *     pairs_sim [NODES [SEEDS [all]]]     faults found and false alarms
 *     pairs_sim cost                      what a schedule costs, over nodes
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/matching.h"
#include "fabric.h"
#include "record/record.h"

static const struct {
	double loss, noise;
	bool heavy, latency, groups;
} cells[] = {
	{0.5, 0.01, false, false, true}, {0.2, 0.02, false, false, true},
	{0.5, 0.05, true, false, true},  {0.5, 0.05, true, false, false},
	{0.5, 0.03, false, true, true},
};

enum { N_CELLS = sizeof(cells) / sizeof(cells[0]), LEAF = 32 };

static void row(size_t nodes, size_t seeds, bool all, enum fabric_fault fault)
{
	(void)printf("| %s |", fabric_fault_names[fault]);
	for (size_t c = 0; c < N_CELLS; c++) {
		struct fabric_model m = {.nodes = nodes,
					 .leaf = LEAF,
					 .fault = fault,
					 .loss = cells[c].loss,
					 .noise = cells[c].noise,
					 .heavy = cells[c].heavy,
					 .latency = cells[c].latency,
					 .groups = cells[c].groups,
					 .all = all};
		size_t found = 0, wrong = 0, unsteady = 0, cleared = 0, scattered = 0;

		for (size_t s = 1; s <= seeds; s++) {
			struct fabric_result r = fabric_simulate(&m, s);

			found += r.found;
			wrong += r.wrong;
			unsteady += r.unsteady;
			cleared += r.cleared;
			scattered += r.scattered;
		}
		if (fault != FABRIC_CLEAN)
			(void)printf(" %zu,", found);
		(void)printf(" %zu, %zu, %zu%s |", wrong, unsteady, cleared,
			     scattered ? " (scattered)" : "");
		(void)fflush(stdout);
	}
	(void)printf("\n");
}

static void faults(size_t nodes, size_t seeds, bool all)
{
	(void)printf("%zu nodes, %d behind a leaf, %zu rounds, %zu seeds\n\n", nodes,
		     LEAF,
		     all ? matching_all(nodes, 0).rounds : matching_sample_rounds(nodes),
		     seeds);
	(void)printf("| fault |");
	for (size_t c = 0; c < N_CELLS; c++)
		(void)printf(" -%.0f %%, %s, noise %.0f %%%s%s |", 100 * cells[c].loss,
			     cells[c].latency ? "latency" : "rate", 100 * cells[c].noise,
			     cells[c].heavy ? " heavy" : "",
			     cells[c].groups ? "" : ", groups not known");
	(void)printf("\n|---|---|---|---|---|---|\n");
	for (enum fabric_fault f = 0; f < FABRIC_FAULTS; f++)
		row(nodes, seeds, all, f);
}

/* Bytes a pair takes in the journal: its four values, with names of ten letters. */
static double bytes_a_pair(void)
{
	static const char *const metrics[] = {"net.pair_latency", "net.pair_bw",
					      "net.pair_bw", "net.pair_bibw"};
	struct strbuf sb = {0};
	double n;

	for (size_t i = 0; i < 4; i++) {
		struct record r = record_make(RECORD_KIND_sample);

		r.t = 1700000000.123456;
		r.u.sample.step = 1234;
		r.u.sample.attempt = 1;
		r.u.sample.node = "cluster001";
		r.u.sample.peer = "cluster002";
		r.u.sample.rank = 1234;
		r.u.sample.metric = metrics[i];
		r.u.sample.value = record_num(12345678901.234567);
		r.u.sample.unit = i ? "B/s" : "s";
		record_encode(&r, &sb);
		strbuf_addstr(&sb, "\n");
	}
	n = (double)sb.len;
	strbuf_release(&sb);
	return n;
}

/* What one pair takes, s: the kernel's default for its four measurements. */
#define PAIR_SECONDS 0.4

static void cost_row(size_t nodes, bool all)
{
	struct fabric_model m = {
		.nodes = nodes, .leaf = LEAF, .noise = 0.02, .groups = true, .all = all};
	struct matching x = all ? matching_all(nodes, 0) : matching_sample(nodes, 0, 1);
	double bytes = (double)x.rounds * floor((double)nodes / 2) * bytes_a_pair();
	struct rusage use;

	(void)printf("| %zu | %s | %zu | %.3g %% | %.3g | %.3g | %.3g |", nodes,
		     all ? "all" : "sample", x.rounds, 100 * matching_share(&x),
		     PAIR_SECONDS * (double)x.rounds,
		     PAIR_SECONDS * (double)x.rounds *
			     (double)matching_turns(&x, nodes / 16 ? nodes / 16 : 1),
		     bytes / 1e6);
	if (all && nodes > 2000) {
		(void)printf(" - | - |\n");
	} else {
		struct fabric_result r = fabric_simulate(&m, 1);

		(void)getrusage(RUSAGE_SELF, &use);
		(void)printf(" %.2g | %.0f |\n", r.seconds,
			     (double)use.ru_maxrss * 1024 / 1e6);
	}
	(void)fflush(stdout);
	matching_release(&x);
}

static void costs(void)
{
	static const size_t sizes[] = {16, 64, 256, 1000, 4096, 10000};

	(void)printf("| nodes | schedule | rounds | share of pairs | loaded, s | "
		     "a sixteenth of the nodes at once, s | journal, MB | judged in, s | "
		     "peak memory so far, MB |\n|---|---|---|---|---|---|---|---|---|\n");
	for (int all = 0; all < 2; all++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			cost_row(sizes[i], all);
	}
}

int main(int argc, char **argv)
{
	size_t nodes = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	size_t seeds = argc > 2 ? strtoul(argv[2], NULL, 10) : 100;

	if (argc == 2 && !strcmp(argv[1], "cost")) {
		costs();
		return 0;
	}
	if (nodes < 3 || !seeds || argc > 4) {
		(void)fprintf(
			stderr,
			"usage: pairs_sim [NODES [SEEDS [all]]] | pairs_sim cost\n");
		return 2;
	}
	faults(nodes, seeds, argc > 3);
	return 0;
}
