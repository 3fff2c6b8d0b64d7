/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest useful kernel, to read first and to copy: how fast each thread copies a
 * buffer that stays in its own cache. It is measured like any other kernel:
 *
 *     assay-example                          by hand
 *     assay-example --format records         as the controller runs it
 *     mpirun -np 2 assay-example --help
 *
 * To make a kernel of your own: copy this file to NAME.c, change the names, add
 * add_kernel(NAME) to CMakeLists.txt. Everything not in here comes from the kit: main(),
 * parsing, MPI, one CPU for each thread, the watchdog, records, the exit status.
 */
#include <string.h>

#include "base/clock.h"
#include "kernels/kit/kit.h"

/*
 * Every number a kernel gives is declared here; the controller learns of it through
 * --describe, so no other file needs to know of a new metric. Units are SI base units.
 */
static const struct kit_metric metrics[] = {
	{.name = "example.copy",
	 .unit = "B/s",
	 .better = "higher",
	 .reduce = "best",
	 .help = "bytes read and written by memcpy() in one thread's cache"},
	{.name = NULL},
};

/* The kernel's own options; --threads, --cpuset, --limit and others come by themselves.
 */
static const struct kit_option options[] = {
	{.name = "size",
	 .type = KIT_SIZE,
	 .def = "16K",
	 .min = 64,
	 .max = (int64_t)1 << 30,
	 .help = "bytes each thread copies"},
	{.name = "ntimes",
	 .type = KIT_INT,
	 .def = "5",
	 .min = 1,
	 .max = 1000,
	 .help = "repetitions"},
	{.name = NULL},
};

/* State lives from setup to teardown; the kit allocates it, zeroed, as k->state. */
struct example {
	uint64_t size;  /* bytes of one buffer */
	uint64_t bytes; /* of all buffers, as kit_free() wants them */
	char *buffers;  /* two of @size for each thread, one after the other */
	int calls;      /* of memcpy() in one repetition */
};

static char *buffer(const struct example *x, int thread, int which)
{
	return x->buffers + (uint64_t)(2 * thread + which) * x->size;
}

/*
 * Checks that it can run and gets everything it needs. What cannot be is said with
 * kit_skip(): the kernel then ends with status 3, and the report shows the sentence in
 * place of a number. After setup the kit asks all ranks: one that failed ends all.
 */
static int setup(struct kit *k, struct err *e)
{
	struct example *x = k->state;
	uint64_t usable;

	x->size = kit_size(k, "size") / 64 * 64; /* whole cache lines a thread */
	x->bytes = 2 * x->size * (uint64_t)k->threads;
	if (kit_usable_memory(k, &usable, e))
		return -1;
	if (x->bytes > usable)
		return kit_skip(k, e, "needs %llu bytes, %llu usable",
				(unsigned long long)x->bytes, (unsigned long long)usable);
	x->buffers = kit_alloc(x->bytes, e);
	if (!x->buffers)
		return -1;
	x->calls = (int)(((uint64_t)256 << 20) / x->size) + 1;
	/* Memory belongs to the NUMA domain of the thread that touches it first. */
#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < k->threads; i++) {
		memset(buffer(x, i, 0), i + 1, x->size);
		memset(buffer(x, i, 1), 0, x->size);
	}
	return 0;
}

/* Without this the compiler sees that a copy is never read, and drops it. */
static void used(void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

/* One thread's copies; s. */
static double copies(const struct example *x, int thread)
{
	char *from = buffer(x, thread, 0), *to = buffer(x, thread, 1);
	const double start = clock_now();

	for (int i = 0; i < x->calls; i++) {
		memcpy(to, from, x->size);
		used(to);
	}
	return clock_now() - start;
}

/*
 * Measures. A sample is one number of one repetition; all of them are kept, and the
 * metric's .reduce says which stands for the launch. The first repetition warms up and
 * is not reported. Ranks on one node start together, as each other's neighbours.
 */
static int run(struct kit *k, struct err *e)
{
	struct example *x = k->state;
	const int ntimes = (int)kit_int(k, "ntimes");

	(void)e; /* nothing can fail here */
	for (int repetition = 0; repetition <= ntimes; repetition++) {
		double slowest = 0;

		(void)MPI_Barrier(k->node);
#pragma omp parallel for schedule(static, 1) reduction(max : slowest)
		for (int i = 0; i < k->threads; i++) {
			const double s = copies(x, i);

			slowest = s > slowest ? s : slowest;
		}
		/* read and written; the slowest thread stands for the rank */
		if (repetition)
			kit_sample(k, "example.copy",
				   2.0 * (double)x->size * x->calls / slowest, repetition,
				   NULL);
		/* hands the records over, so that nothing is lost if a later one hangs */
		kit_flush(k);
	}
	return 0;
}

/*
 * A number without a check of what was computed is worth nothing. A check that fails is
 * not an error of the program: kit_valid() makes the exit status 1.
 */
static int verify(struct kit *k, struct err *e)
{
	const struct example *x = k->state;
	int wrong = 0;

	(void)e;
	for (int i = 0; i < k->threads; i++)
		wrong += memcmp(buffer(x, i, 0), buffer(x, i, 1), x->size) != 0;
	kit_valid(k, "copies", wrong, 0, !wrong,
		  wrong ? "%d of %d threads hold another text than they copied" : NULL,
		  wrong, k->threads);
	return 0;
}

/* Also called after a setup that failed half-way: release what is there. */
static void teardown(struct kit *k)
{
	struct example *x = k->state;

	kit_free(x->buffers, x->bytes);
}

/*
 * The one symbol the kit looks for. Without .text the kit prints a plain table. Of long
 * runs .so_far prints what is there, and .outline says before what would be run: see hpl.
 */
const struct kernel kernel = {
	.name = "example",
	.help = "How fast each thread copies a buffer in its own cache: the kernel to "
		"copy "
		"when you write one.",
	.shape = KIT_NODE,
	.metrics = metrics,
	.options = options,
	.state_size = sizeof(struct example),
	.setup = setup,
	.run = run,
	.verify = verify,
	.teardown = teardown,
};
