/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kit: everything a kernel needs besides its own arithmetic. A kernel is one file
 * that exports `const struct kernel kernel` (see kernels/example.c, which explains every
 * hook) and one line add_kernel(NAME) in kernels/CMakeLists.txt; the kit brings main(),
 * options, MPI, binding, the watchdog, records and the exit status.
 *
 * Exit status: 0 ok; 1 a check of the kernel's own result failed; 2 usage; 3 it did not
 * run or its numbers must not be used (an event record says why); 124 the watchdog ended
 * it. In MPI's own trouble whatever MPI gives.
 *
 * Functions marked "collective" must be called by every rank, and as often as by any
 * other; all others belong to the calling rank alone. Only the thread that called the
 * hook may call any of them.
 */
#ifndef ASSAY_KERNELS_KIT_H
#define ASSAY_KERNELS_KIT_H

#include <mpi.h>

#include "kernels/kit/kernel.h"

/* One thread's place; what is unknown is -1, or 0 where it counts bytes. */
struct kit_cpu {
	int cpu;             /* number of the operating system */
	int core, l3;        /* hwloc's logical numbers on this node */
	int llc;             /* instance of the last-level cache, numbered per node */
	uint64_t llc_bytes;  /* its size */
	int domain;          /* NUMA domain, number of the operating system */
	uint64_t domain_mem; /* memory in it, in bytes; 0 = none, or unknown */
};

struct kit_private;

/* A kernel in action: what its hooks are given. All fields are for reading. */
struct kit {
	const struct kernel *kernel;
	void *state;     /* kernel->state_size zeroed bytes, the kernel's own */
	int rank, ranks; /* in MPI_COMM_WORLD */
	MPI_Comm node;   /* the ranks that share this rank's node */
	int local_rank, local_ranks; /* in it */
	int threads;                 /* busy threads, also the size of an OpenMP team */
	const struct kit_cpu *cpus;  /* OpenMP thread i is bound to cpus[i].cpu alone */
	struct kit_private *priv;
};

/* Options by name. A name or type that is not in the table is a bug and aborts. */
const char *kit_option(const struct kit *k, const char *name); /* as typed */
bool kit_is(const struct kit *k, const char *name, const char *text);
int64_t kit_int(const struct kit *k, const char *name);
uint64_t kit_size(const struct kit *k, const char *name); /* bytes */
double kit_time(const struct kit *k, const char *name);   /* s */
bool kit_flag(const struct kit *k, const char *name);

/*
 * Records of this rank; they wait until kit_flush(). @at is a JSON object that says where
 * on the scale ("{\"store\":\"nt\"}"), or NULL; @repetition counts from 1, 0 = none. A
 * metric that is not declared, or an @at that is not JSON, is a bug and aborts.
 */
void kit_sample(struct kit *k, const char *metric, double value, int repetition,
		const char *at);
/* The same for what this rank measured with rank @peer. */
void kit_pair_sample(struct kit *k, int peer, const char *metric, double value,
		     int repetition, const char *at);
/* @fmt: one sentence when it is not ok, else NULL. A check that is not ok: status 1. */
void kit_valid(struct kit *k, const char *check, double value, double limit, bool ok,
	       const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* The same for one of several problems, which @at names as that of its samples does. */
void kit_valid_at(struct kit *k, const char *at, const char *check, double value,
		  double limit, bool ok, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));
/* @what: remark, size, ...; skip and invalid come from kit_skip() and kit_invalid(). */
void kit_event(struct kit *k, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* For a hook's `return`: this rank cannot run, or its numbers would mean nothing. */
int kit_skip(struct kit *k, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int kit_invalid(struct kit *k, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Collective: hands all ranks' records to rank 0, which prints them. */
void kit_flush(struct kit *k);
/* Rank 0 alone, in the middle of a long measurement: prints its own records so far. */
void kit_flush_own(struct kit *k);

/*
 * Collective: 0 when @rc is 0 on every rank, else -1 on every rank. A failing rank's
 * reason becomes an event record and is taken out of @e, so that the hook can return -1
 * without its being told twice; an empty reason leaves the telling to another rank.
 */
int kit_agree(struct kit *k, int rc, struct err *e);

/* A number over the ranks of a communicator. */
struct kit_stat {
	double min, mean, max;
	int min_rank, max_rank; /* in the communicator */
};

/* Every rank of @comm: the same result on each. */
struct kit_stat kit_stat(MPI_Comm comm, double value);

/* Smallest step of clock_now() in s, as seen by calling it. */
double kit_tick(void);

/*
 * Memory this rank may use, in bytes: its share of what the node has free, of every
 * control group's limit above it, and of its own limits. The operating system and MPI are
 * left 2 % and at least 64 MiB of it.
 */
int kit_usable_memory(const struct kit *k, uint64_t *bytes, struct err *e);

/*
 * @bytes of zeroed memory that no thread has touched yet (its pages come to the NUMA
 * domain of the thread that does first), at a 2 MiB boundary, in huge pages where the
 * system gives them. kit_free() takes the same @bytes; NULL is fine.
 */
void *kit_alloc(uint64_t bytes, struct err *e);
void kit_free(void *p, uint64_t bytes);

/*
 * Binds the one thread of a kernel that is .alone to the first CPU of @cpus, a list, that
 * this process may use; it stays there until the next call.
 */
int kit_move(struct kit *k, const char *cpus, struct err *e);

/* The NUMA domain that holds the page at @p; -1 when it was never touched, or unknown. */
int kit_domain_of(void *p);

/* A NUMA domain of this node; one may have no memory, and one no CPUs (HBM, CXL). */
struct kit_domain {
	int id;          /* the operating system's, not always 0..n-1 */
	uint64_t memory; /* bytes; 0: none */
	int package;     /* index of its CPUs' package, -1 without */
	int threads;     /* of this rank on its CPUs */
};

/*
 * The domains in order of their ids; *of[i] is the index of thread i's, -1 when it is not
 * known. The number of them, -1 with @e when the topology cannot be read. free() both.
 */
int kit_domains(const struct kit *k, struct kit_domain **domains, int **of,
		struct err *e);

/*
 * kit_alloc() with all pages in domain @id, whoever touches them. NULL where that is not
 * permitted or the domain has not enough memory free. kit_free() it.
 */
void *kit_alloc_in(uint64_t bytes, int id, struct err *e);

/* The plain table of samples a kernel without .text gets; for those that add to it. */
void kit_table(const struct kit *k, const struct record *records, size_t n, FILE *out);

#endif
