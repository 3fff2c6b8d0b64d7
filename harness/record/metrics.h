/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of a run declare about their metrics, from the plan record. */
#ifndef ASSAY_RECORD_METRICS_H
#define ASSAY_RECORD_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/names.h"

struct metric {
	const char *name, *unit, *kernel;
	bool higher;  /* more is better */
	bool best;    /* a launch counts with its best repetition, else with the median */
	bool unrated; /* it shows that something works; no reference is missed */
	bool relative; /* it is compared with like nodes only; no reference is missed */
	bool of_set;   /* its numbers are about all nodes of a launch as one */
};

struct metrics {
	struct metric **items; /* live in the arena given to metrics_read() */
	size_t n, cap;
	struct names index; /* numbered as items is */
	struct names sets;  /* kernels whose numbers are about all their nodes as one */
};

/* @kernels: kernel name -> description as JSON; NULL or nonsense gives no metrics. */
void metrics_read(struct metrics *m, const char *kernels, struct arena *a);
void metrics_release(struct metrics *m);

/* What is declared about @name, NULL when nothing is. */
const struct metric *metrics_find(const struct metrics *m, const char *name);

/* The kernel's numbers are about a set of nodes, not about each of them. */
bool metrics_of_set(const struct metrics *m, const char *kernel);

#endif
