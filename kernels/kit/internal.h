/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the kit share and kernels do not see. */
#ifndef ASSAY_KERNELS_KIT_INTERNAL_H
#define ASSAY_KERNELS_KIT_INTERNAL_H

#include "base/arena.h"
#include "host/counters.h"
#include "kernels/kit/cpulist.h"
#include "kernels/kit/kit.h"
#include "kernels/kit/options.h"
#include "kernels/kit/start.h"

/* Marks of one rank, joined over all ranks at the end into the exit status. */
enum { KIT_FAILED = 1, KIT_USAGE = 2, KIT_NOT_RUN = 4 };

struct kit_private {
	struct kit_values values;
	struct cpumask mask;  /* inherited */
	char *env;            /* inherited, what of it matters: a JSON object */
	struct kit_cpu *cpus; /* k->cpus */
	unsigned marks;
	const char *what;         /* of the event kit_agree() makes: "skip", "invalid" */
	bool records;             /* --format records */
	struct counters counters; /* of the node before the run; local rank 0 */
	struct gauges *gauges;    /* the same: looks at clock and temperature */
	int *watched;             /* CPUs whose clock that is */
	struct strbuf queue;      /* JSON lines that wait for kit_flush() */
	/* rank 0 */
	int64_t printed; /* @assay lines so far */
	bool broken;     /* stdout does not take them */
	struct arena arena;
	struct record *list; /* without --format records: all there is */
	size_t n_list, cap_list;
};

/* Collective: chooses this rank's CPUs, binds its threads, reads the binding back. */
int kit_bind(struct kit *k, struct err *e);
/* This rank's threads are still bound as kit_bind() left them. */
int kit_bind_check(struct kit *k, struct err *e);
/* CPUs this process may use, as it was started. */
void kit_inherited(struct cpumask *mask);

/* Around the run: local rank 0 reads the node's counters and queues what moved. */
void kit_counters_before(struct kit *k);
void kit_counters_after(struct kit *k);

/* Queues the rank record. */
void kit_emit_rank(struct kit *k);
/* Queues any record; one that does not fit a line becomes an event "invalid". */
void kit_emit(struct kit *k, const struct record *r);
/* Rank 0: the last line, or the text for people. 0 when stdout took everything. */
int kit_emit_end(struct kit *k);

#endif
