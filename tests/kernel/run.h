/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a kernel as the controller would, and reads what it printed. */
#ifndef ASSAY_TESTS_KERNEL_RUN_H
#define ASSAY_TESTS_KERNEL_RUN_H

#include "base/spawn.h"
#include "base/strbuf.h"
#include "record/record.h"

/* mpirun as the tests need it: as root, ranks where the kernel puts them. */
#define MPIRUN                                                                  \
	"env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun " \
	"--oversubscribe --bind-to none --mca mpi_yield_when_idle 1 "

struct run {
	struct spawn_result end;
	struct strbuf out, err;
	struct arena arena;
	struct record *records; /* of the @assay lines, the end record included */
	size_t n, cap;
	const char *until; /* what on stdout ends it, or NULL */
};

/*
 * Runs @words, split at blanks outside 'single quotes'; a word that begins with assay- is
 * a program beside the test. OpenMP's and BLAS's variables of the caller are removed.
 * Asserts that it ended by itself within @limit s, that nothing is left of it, and that
 * every @assay line is a record, shorter than 4096 bytes, as many as the end record says.
 */
void run(struct run *r, double limit, const char *words);
/*
 * The same, but ended by SIGTERM as soon as @text is on its stdout, which must be before
 * it ends by itself; nothing is asserted of its records.
 */
void run_until(struct run *r, double limit, const char *words, const char *text);
void run_release(struct run *r);

/* The @i-th record of a kind, or NULL. */
const struct record *run_record(const struct run *r, enum record_kind kind, size_t i);
size_t run_count(const struct run *r, enum record_kind kind);
/* Text of the first event of that sort, or NULL. */
const char *run_event(const struct run *r, const char *what);

#endif
