/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel as tables: what it is called, what it measures, its options, its hooks. Apart
 * from kit.h so that what only reads the tables needs no MPI.
 */
#ifndef ASSAY_KERNELS_KIT_KERNEL_H
#define ASSAY_KERNELS_KIT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "record/record.h"

struct kit; /* a kernel in action: kit.h */

/* What one launch of the kernel measures: each node by itself, two nodes, or a set. */
enum kit_shape { KIT_NODE, KIT_PAIR, KIT_SET };

/* A metric; the last of a list has no name. */
struct kit_metric {
	const char *name;   /* "stream.triad": the kernel's name, a dot, the metric */
	const char *unit;   /* SI base as in record.def: "B/s", "FLOP/s", "s", ... */
	const char *better; /* "higher" or "lower" */
	const char *reduce; /* repetitions of one launch to one value: "best", "median" */
	const char *help;
	bool unrated;  /* shows that something works: nobody misses a reference for it */
	bool relative; /* says something beside that of like nodes only: as unrated, but
			  they are compared */
	bool of_set;   /* about all nodes of the launch as one, whatever the shape */
};

/*
 * How size and memory hang together, for kernels whose size is a choice: the planner
 * computes the size from a share of the memory before anything is started, and refuses
 * one that does not fit.
 */
struct kit_fit {
	const char *options[4]; /* that are the size: {"n"}, or {"nx", "ny", "nz"} */
	int power;              /* a problem has n^power elements, or nx * ny * nz */
	double bytes;           /* an element takes, in all arrays together */
	bool per_rank; /* every rank has a problem of this size; else they share one */
	/* Sizes are multiples of it: "8", an option, "nb", or "nb|576" if that is a word
	 */
	const char *multiple;
	bool strict; /* of given ones, too */
	int least;
	const char *grid[2]; /* options of a process grid, {"p", "q"}; or none */
	const char *file;    /* option of a file that says all sizes itself; or NULL */
};

enum kit_type {
	KIT_INT,
	KIT_SIZE,   /* bytes: 64M and 64MiB are binary, 64MB is decimal */
	KIT_TIME,   /* s: 10, 1.5m, 2h */
	KIT_TEXT,   /* any text */
	KIT_FILE,   /* path of a file, or one of .choices */
	KIT_CHOICE, /* one of .choices */
	KIT_FLAG,   /* "no" unless given; --name, or --name yes|no */
};

/* An option; the last of a list has no name. */
struct kit_option {
	const char *name; /* without the dashes */
	char letter;      /* short form, 0 = none */
	bool operand;     /* the word without dashes; at most one option of a kernel */
	bool hidden;      /* for tests: in neither --help nor --describe */
	enum kit_type type;
	const char *def; /* default as it would be typed */
	/*
	 * KIT_CHOICE: the choices. KIT_INT, KIT_SIZE, KIT_TIME: words allowed in place
	 * of a number ("auto"); their value is 0, kit_is() tells. NULL at the end.
	 */
	const char *const *choices;
	int64_t min, max; /* KIT_INT, KIT_SIZE: limits; max 0 = none */
	int64_t multiple; /* and it must be a multiple of that; 0 = need not */
	const char *help;
};

/*
 * A kernel. A hook gives 0, or -1 with @e set by kit_skip(), kit_invalid() or err_*().
 * After setup, run and verify the kit asks all ranks how it went: when one failed, the
 * others stop there too and the reason is the failing rank's. Inside run, a rank that
 * finds trouble must bring it to the next kit_agree(), never leave the others waiting.
 */
struct kernel {
	const char *name; /* "stream" gives the program assay-stream */
	const char *help; /* what it measures, one or a few sentences */
	enum kit_shape shape;
	const struct kit_metric *metrics;
	const struct kit_option *options; /* of its own; may be NULL */
	const struct kit_fit *fit;        /* NULL: its size follows from nothing */
	size_t state_size;
	/*
	 * One thread a rank, whatever --threads says. MPI is told so, and leaves out
	 * locks that cost half of the latency within a node.
	 */
	bool alone;
	/*
	 * Before there are ranks: checks values of options that the table cannot check
	 * (ERR_USAGE), sets variables that MPI reads. May be NULL.
	 */
	int (*early)(struct kit *k, struct err *e);
	/*
	 * For --outline, without ranks and MPI: one line on what would be run, from the
	 * options, k->ranks and k->threads alone. ERR_USAGE for what cannot be. May be
	 * NULL.
	 */
	int (*outline)(struct kit *k, FILE *out, struct err *e);
	/* Checks sizes, allocates, touches first. */
	int (*setup)(struct kit *k, struct err *e);
	/* Measures: kit_sample() for each repetition, kit_flush() after each. */
	int (*run)(struct kit *k, struct err *e);
	/* Checks the result: kit_valid(). May be NULL. */
	int (*verify)(struct kit *k, struct err *e);
	/* Releases, also after a setup that failed half-way. May be NULL. */
	void (*teardown)(struct kit *k);
	/*
	 * Rank 0 without --format records, after each kit_flush(): prints what can be
	 * said of the @n records of all ranks so far, for a run that may not come to its
	 * end. May be NULL.
	 */
	void (*so_far)(struct kit *k, const struct record *records, size_t n, FILE *out);
	/*
	 * Rank 0 without --format records, at the end: prints the @n records of all
	 * ranks as this benchmark's users know it. NULL: a plain table.
	 */
	void (*text)(struct kit *k, const struct record *records, size_t n, FILE *out);
};

#endif
