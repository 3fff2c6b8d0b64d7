/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU models: what configs/cpus.yaml knows of them, found by the text /proc/cpuinfo or
 * DMI gives. A model is known only when its whole number is the same: a 9654P is no 9654.
 */
#ifndef ASSAY_JUDGE_CPUS_H
#define ASSAY_JUDGE_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/names.h"
#include "base/strbuf.h"

/* Per socket. 0 where the file does not say. */
struct cpu_model {
	const char *model; /* normalised: "AMD EPYC 7713" */
	const char *generation;
	int sockets; /* most in one node */
	int cores, ccds, l3_count;
	double l3;              /* B, all of them */
	double base, boost;     /* Hz */
	int channels;           /* of memory */
	double memory;          /* fastest, transfers/s of 8 B each and channel */
	double bandwidth;       /* B/s it can reach where that is below its channels' */
	double flops_per_cycle; /* double precision, a core */
	const int *nps;         /* possible NUMA domains per socket; 0 = both are one */
	size_t n_nps;
	bool uncertain; /* sources differ: a limit made from it gives at most WARN */
	const char *note, *from;
	const char *where; /* file:line:col */
};

struct cpus {
	struct arena arena;
	struct cpu_model *models;
	size_t n, cap;
	struct names index; /* folded normalised models, numbered as models is */
};

/*
 * Appends the name of a model without what is not part of it: marks such as (R), padding,
 * "NN-Core Processor", "CPU", the clock behind '@'.
 */
void cpus_normalise(const char *text, struct strbuf *out);

/* Both are the same model, upper and lower case alike. Empty texts are no model. */
bool cpus_same(const char *a, const char *b);

/* Reads cpus.yaml. Errors as plan_load(). cpus_release() after, also after an error. */
int cpus_load(struct cpus *c, const char *path, struct err *e);
void cpus_release(struct cpus *c);

/* The model @text names, NULL when it is not known. */
const struct cpu_model *cpus_find(const struct cpus *c, const char *text);

/* Per socket: B/s of its memory, FLOP/s at base clock; 0 when not known. */
double cpu_bandwidth(const struct cpu_model *m);
double cpu_peak(const struct cpu_model *m);

#endif
