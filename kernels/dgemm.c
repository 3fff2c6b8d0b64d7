/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DGEMM: products of square matrices by the system's BLAS, on every core by itself or by
 * all threads together, and beside it what the cores can do in registers (fma.h): a core
 * that is slow in both is slow, one that is slow in DGEMM alone has a BLAS that is.
 *
 * FLOP of a product: 2 n^3. C = A B + C, so that the last check sees every product.
 */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "kernels/blas.h"
#include "kernels/fma.h"
#include "kernels/kit/kit.h"

#define RATE .unit = "FLOP/s", .better = "higher", .reduce = "median"

static const struct kit_metric metrics[] = {
	{.name = "dgemm.dgemm", RATE, .help = "C = A B + C by cblas_dgemm()"},
	{.name = "dgemm.fma",
	 RATE,
	 .help = "multiply-adds in registers, on the same threads just after: the roof"},
	{.name = NULL},
};

static const char *const autos[] = {"auto", NULL};
static const char *const pers[] = {"core", "l3", "domain", "node", NULL};
static const char *const simds[] = {"auto", "avx512", "avx2", "sse2", "c", NULL};

static const struct kit_option options[] = {
	{.name = "n",
	 .type = KIT_INT,
	 .def = "auto",
	 .choices = autos,
	 .min = 16,
	 .max = 100000,
	 .help = "rows of the matrices; auto: 1024, by all threads together 1536 times "
		 "the "
		 "root of their number, less where memory is short"},
	{.name = "per",
	 .type = KIT_CHOICE,
	 .def = "node",
	 .choices = pers,
	 .help = "one product by all threads (node), or one on every core at the same "
		 "time, "
		 "added up over what shares an L3 or a NUMA domain"},
	{.name = "ntimes",
	 .type = KIT_INT,
	 .def = "3",
	 .min = 1,
	 .max = 1000,
	 .help = "repetitions; one more to warm up"},
	{.name = "seconds",
	 .type = KIT_TIME,
	 .def = "1",
	 .help = "that products, and then multiply-adds, take in a repetition, at least"},
	{.name = "simd",
	 .type = KIT_CHOICE,
	 .def = "auto",
	 .choices = simds,
	 .help = "instructions of fma; auto: the widest the CPU has"},
	/* for the tests of the validation: one element becomes another before it */
	{.name = "inject-error", .hidden = true, .type = KIT_FLAG, .def = "no"},
	{.name = NULL},
};

/* One product, all columns one after the other: C (m x n) = A (m x k) B (k x n) + C. */
struct product {
	double *a, *b, *c;
	int m, n, k, ld; /* ld: rows of each as they are stored */
	uint64_t calls;
};

/* What one thread does and finds. */
struct worker {
	struct product product; /* with calls 0 it has none */
	double dgemm, fma;      /* FLOP/s in this repetition */
	double residual;        /* of its product, by verify */
	double off;             /* largest error of fma */
};

enum { PER_CORE, PER_L3, PER_DOMAIN, PER_NODE };

/* Threads of the node whose rates are added up, on its first rank. */
struct group {
	int key; /* number of its core, L3 or domain */
	double dgemm, fma;
};

struct dgemm {
	struct blas blas;
	const struct fma *fma;
	int per, n, ntimes;
	double seconds;
	bool together;          /* one call of the library works on all threads */
	struct worker *workers; /* one a thread */
	double *memory;
	uint64_t bytes;
	/* first rank of the node: all its threads, those of one rank after another's */
	int *counts, *starts, total;
	int *group_of;
	struct group *groups;
	int n_groups;
};

static const char *const keys[] = {
	[PER_CORE] = "core", [PER_L3] = "l3", [PER_DOMAIN] = "domain"};

/* What thread @i is counted with. */
static int key_of(const struct kit *k, const struct dgemm *x, int i)
{
	switch (x->per) {
	case PER_CORE:
		return k->cpus[i].cpu; /* the number that taskset and top know */
	case PER_L3:
		return k->cpus[i].l3;
	case PER_DOMAIN:
		return k->cpus[i].domain;
	default:
		return 0;
	}
}

static int choose(struct kit *k, struct dgemm *x, struct err *e)
{
	const char *simd = kit_option(k, "simd");

	x->fma = fma_best();
	for (unsigned int i = 0; fma_at(i); i++) {
		if (!strcmp(fma_at(i)->name, simd))
			x->fma = fma_at(i);
	}
	if (!x->fma->usable() ||
	    (strcmp(simd, "auto") != 0 && strcmp(simd, x->fma->name) != 0))
		return kit_skip(k, e, "this CPU has no %s", simd);
	for (int i = 0; pers[i]; i++) {
		if (kit_is(k, "per", pers[i]))
			x->per = i;
	}
	for (int i = 0; i < k->threads; i++) {
		if (key_of(k, x, i) < 0)
			return kit_skip(k, e, "the %s of CPU %d is not known",
					x->per == PER_L3 ? "L3 cache" : "NUMA domain",
					k->cpus[i].cpu);
	}
	x->ntimes = (int)kit_int(k, "ntimes");
	x->seconds = kit_time(k, "seconds");
	blas_find(&x->blas);
	/*
	 * Threads that are not OpenMP's are not those the kit has bound: such a library
	 * works on one thread at a time, and we share out the product.
	 */
	x->together = x->per == PER_NODE && (k->threads == 1 || x->blas.openmp);
	(void)blas_set_threads(&x->blas, x->together ? k->threads : 1);
	return 0;
}

/* Node. Numbers the groups on the first rank. */
static void find_groups(struct kit *k, struct dgemm *x)
{
	int *mine = mem_calloc((size_t)k->threads, sizeof(*mine)), *all;

	for (int i = 0; i < k->threads; i++)
		mine[i] = key_of(k, x, i);
	x->counts = mem_calloc((size_t)k->local_ranks, sizeof(*x->counts));
	x->starts = mem_calloc((size_t)k->local_ranks, sizeof(*x->starts));
	(void)MPI_Allgather(&k->threads, 1, MPI_INT, x->counts, 1, MPI_INT, k->node);
	for (int i = 0; i < k->local_ranks; i++) {
		x->starts[i] = x->total;
		x->total += x->counts[i];
	}
	all = mem_calloc((size_t)x->total, sizeof(*all));
	x->group_of = mem_calloc((size_t)x->total, sizeof(*x->group_of));
	x->groups = mem_calloc((size_t)x->total, sizeof(*x->groups));
	(void)MPI_Allgatherv(mine, k->threads, MPI_INT, all, x->counts, x->starts,
			     MPI_INT, k->node);
	for (int i = 0; i < x->total; i++) {
		int g = 0;

		while (g < x->n_groups && x->groups[g].key != all[i])
			g++;
		x->groups[g].key = all[i];
		x->n_groups += g == x->n_groups;
		x->group_of[i] = g;
	}
	free(mine);
	free(all);
}

static uint64_t bytes_of(const struct dgemm *x, int products)
{
	return 3 * (uint64_t)x->n * (uint64_t)x->n * sizeof(double) * (uint64_t)products;
}

/* Chooses n by what memory there is, and maps it. */
static int allocate(struct kit *k, struct dgemm *x, struct err *e)
{
	static const int step = 64, fewest = 256;
	const int products = x->per == PER_NODE ? 1 : k->threads;
	char need[UNITS_TEXT], have[UNITS_TEXT];
	uint64_t usable;

	if (kit_usable_memory(k, &usable, e))
		return -1;
	x->n = (int)kit_int(k, "n");
	if (!x->n) {
		x->n = x->per == PER_NODE ? (int)(1536 * sqrt(k->threads)) / step * step
					  : 1024;
		while (x->n > fewest && bytes_of(x, products) > usable)
			x->n -= step;
	}
	x->bytes = bytes_of(x, products);
	if (x->bytes > usable)
		return kit_skip(k, e, "needs %s, %s usable",
				units_format_memory(need, sizeof(need), (double)x->bytes),
				units_format_memory(have, sizeof(have), (double)usable));
	x->memory = kit_alloc(x->bytes, e);
	return x->memory ? 0 : -1;
}

/* The product whose matrices begin at @memory. */
static struct product square(double *memory, int n)
{
	const size_t size = (size_t)n * (size_t)n;

	return (struct product){.a = memory,
				.b = memory + size,
				.c = memory + 2 * size,
				.m = n,
				.n = n,
				.k = n,
				.ld = n};
}

/* Thread @i's tile of one product: tiles as square as the number of threads allows. */
static struct product tile(const struct product *whole, int i, int threads)
{
	struct product p = *whole;
	int rows = (int)sqrt(threads), columns, row, column;
	int first_row, first_column;

	while (threads % rows)
		rows--;
	columns = threads / rows;
	row = i % rows;
	column = i / rows;
	first_row = (int)((int64_t)whole->m * row / rows);
	first_column = (int)((int64_t)whole->n * column / columns);
	p.m = (int)((int64_t)whole->m * (row + 1) / rows) - first_row;
	p.n = (int)((int64_t)whole->n * (column + 1) / columns) - first_column;
	p.a += first_row;
	p.b += (size_t)first_column * (size_t)p.ld;
	p.c += (size_t)first_column * (size_t)p.ld + first_row;
	return p;
}

/* Numbers between -1/2 and 1/2 (Marsaglia's xorshift, J. Stat. Softw. 8(14), 2003). */
static void fill(double *x, size_t n, uint64_t seed)
{
	uint64_t s = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);

	for (size_t i = 0; i < n; i++) {
		s ^= s << 13;
		s ^= s >> 7;
		s ^= s << 17;
		x[i] = (double)(s >> 11) * 0x1p-53 - 0.5;
	}
}

/* Columns first, first + step, ...; C is zero, and touched here first as A and B are. */
static void fill_columns(const struct product *p, int first, int step)
{
	const size_t ld = (size_t)p->ld;

	for (size_t j = (size_t)first; j < ld; j += (size_t)step) {
		fill(p->a + j * ld, ld, j);
		fill(p->b + j * ld, ld, ~j);
		memset(p->c + j * ld, 0, ld * sizeof(double));
	}
}

/* Every thread's product, and its memory where the thread is. */
static void share_out(struct kit *k, struct dgemm *x)
{
	const struct product whole = square(x->memory, x->n);
	const size_t size = 3 * (size_t)x->n * (size_t)x->n;

#pragma omp parallel
	{
		const int i = omp_get_thread_num();
		struct worker *w = &x->workers[i];

		if (x->per != PER_NODE) {
			w->product = square(x->memory + (size_t)i * size, x->n);
			fill_columns(&w->product, 0, 1);
		} else {
			fill_columns(&whole, i, k->threads);
			if (!x->together)
				w->product = tile(&whole, i, k->threads);
			else if (!i)
				w->product = whole;
		}
	}
}

static int setup(struct kit *k, struct err *e)
{
	struct dgemm *x = k->state;

	x->workers = mem_calloc((size_t)k->threads, sizeof(*x->workers));
	/* what follows talks to the other ranks: all come along or none */
	if (kit_agree(k, choose(k, x, e), e))
		return -1;
	find_groups(k, x);
	if (allocate(k, x, e))
		return -1;
	share_out(k, x);
	return 0;
}

/* Products for @seconds, one at least; FLOP/s. */
static double products(struct product *p, double seconds)
{
	const double start = clock_now();
	uint64_t calls = 0;
	double s;

	do {
		cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, p->m, p->n, p->k,
			    1.0, p->a, p->ld, p->b, p->ld, 1.0, p->c, p->ld);
		calls++;
		s = clock_now() - start;
	} while (s < seconds);
	p->calls += calls;
	return 2.0 * p->m * p->n * p->k * (double)calls / s;
}

static double multiply_adds(const struct fma *f, double seconds, double *off)
{
	enum { ROUNDS = 1 << 14 }; /* a fraction of a millisecond */
	const double start = clock_now();
	uint64_t calls = 0;
	double s;

	do {
		const double d = f->run(ROUNDS);

		if (!(d <= *off))
			*off = d;
		calls++;
		s = clock_now() - start;
	} while (s < seconds);
	return f->flops * ROUNDS * (double)calls / s;
}

/* Node. All products, then all multiply-adds; rates into the workers. */
static void measure(struct kit *k, struct dgemm *x)
{
	(void)MPI_Barrier(k->node);
	if (x->together) {
		x->workers[0].dgemm = products(&x->workers[0].product, x->seconds);
	} else {
#pragma omp parallel
		{
			struct worker *w = &x->workers[omp_get_thread_num()];

			w->dgemm = products(&w->product, x->seconds);
		}
	}
	(void)MPI_Barrier(k->node);
#pragma omp parallel
	{
		struct worker *w = &x->workers[omp_get_thread_num()];

		w->fma = multiply_adds(x->fma, x->seconds, &w->off);
	}
}

/* Node. A sample for each group of the node, from its first rank. */
static void sample(struct kit *k, struct dgemm *x, int repetition)
{
	double *mine = mem_calloc(2 * (size_t)k->threads, sizeof(*mine));
	double *all = mem_calloc(2 * (size_t)x->total, sizeof(*all));
	MPI_Datatype pair;
	char at[64];

	for (size_t i = 0; i < (size_t)k->threads; i++) {
		mine[2 * i] = x->workers[i].dgemm;
		mine[2 * i + 1] = x->workers[i].fma;
	}
	(void)MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
	(void)MPI_Type_commit(&pair);
	(void)MPI_Gatherv(mine, k->threads, pair, all, x->counts, x->starts, pair, 0,
			  k->node);
	(void)MPI_Type_free(&pair);
	for (int g = 0; g < x->n_groups; g++)
		x->groups[g].dgemm = x->groups[g].fma = 0;
	for (size_t i = 0; i < (size_t)x->total; i++) {
		x->groups[x->group_of[i]].dgemm += all[2 * i];
		x->groups[x->group_of[i]].fma += all[2 * i + 1];
	}
	for (int g = 0; g < x->n_groups && !k->local_rank; g++) {
		if (x->per != PER_NODE)
			(void)snprintf(at, sizeof(at), "{\"%s\":%d}", keys[x->per],
				       x->groups[g].key);
		kit_sample(k, "dgemm.dgemm", x->groups[g].dgemm, repetition,
			   x->per == PER_NODE ? NULL : at);
		kit_sample(k, "dgemm.fma", x->groups[g].fma, repetition,
			   x->per == PER_NODE ? NULL : at);
	}
	free(mine);
	free(all);
}

/*
 * The first products are not counted, but watched: how many threads work, wherever the
 * library has them from, and whether they stay where they belong. A rank's own part of a
 * record says what library it is.
 */
static int warm_up(struct kit *k, struct dgemm *x, struct err *e)
{
	struct blas_watch *w = mem_calloc(1, sizeof(*w));
	char name[160];
	int n, loose;

	(void)blas_text(&x->blas, name, sizeof(name));
	blas_watch_start(w);
	if (x->together) {
		(void)products(&x->workers[0].product, x->seconds / 2);
	} else {
#pragma omp parallel
		(void)products(&x->workers[omp_get_thread_num()].product, x->seconds / 2);
	}
	n = blas_watch_end(w, &loose);
	free(w);
	if (!k->local_rank)
		kit_event(k, "library", "BLAS: %s, %d thread%s, n = %d, %s", name, n,
			  n == 1 ? "" : "s", x->n, x->blas.file);
	if (n > k->threads)
		return kit_invalid(k, e, "%s works with %d threads on %d CPU%s", name, n,
				   k->threads, k->threads == 1 ? "" : "s");
	if (loose)
		return kit_invalid(k, e, "%d thread%s of %s not bound to a CPU", loose,
				   loose == 1 ? " is" : "s are", name);
	if (n < k->threads)
		kit_event(k, "remark",
			  n ? "%s worked with %d of %d threads"
			    : "threads of %s not known: no answer from the system",
			  name, n, k->threads);
	return 0;
}

static int run(struct kit *k, struct err *e)
{
	struct dgemm *x = k->state;

	if (kit_agree(k, warm_up(k, x, e), e))
		return -1;
	for (int repetition = 1; repetition <= x->ntimes; repetition++) {
		measure(k, x);
		sample(k, x, repetition);
		kit_flush(k);
	}
	return 0;
}

/* Rows of y = M x, and of z = |M| |x|; M is rows x columns. */
static void times(const double *m, int ld, int rows, int columns, const double *x,
		  const double *xa, double *y, double *z)
{
	memset(y, 0, (size_t)rows * sizeof(*y));
	if (z)
		memset(z, 0, (size_t)rows * sizeof(*z));
	for (int j = 0; j < columns; j++) {
		const double *column = m + (size_t)j * (size_t)ld;

		for (int i = 0; i < rows; i++) {
			y[i] += column[i] * x[j];
			if (z)
				z[i] += fabs(column[i]) * xa[j];
		}
	}
}

/*
 * Freivalds' check: C x against calls (A (B x)), O(n^2) where the product is O(n^3). As a
 * share of what rounding may do at most, (k + calls) eps calls |A| |B| |x| (Higham,
 * Accuracy and Stability of Numerical Algorithms, 3.5); one wrong element is millions.
 */
static double residual(const struct product *p)
{
	const size_t most = (size_t)p->ld;
	double *x = mem_calloc(most, sizeof(*x)), *xa = mem_calloc(most, sizeof(*xa));
	double *y = mem_calloc(most, sizeof(*y)), *ya = mem_calloc(most, sizeof(*ya));
	double *z = mem_calloc(most, sizeof(*z)), *za = mem_calloc(most, sizeof(*za));
	double *c = mem_calloc(most, sizeof(*c));
	const double calls = (double)p->calls;
	double worst = 0;

	fill(x, (size_t)p->n, 12345);
	for (int j = 0; j < p->n; j++)
		xa[j] = fabs(x[j]);
	times(p->b, p->ld, p->k, p->n, x, xa, y, ya);
	times(p->a, p->ld, p->m, p->k, y, ya, z, za);
	times(p->c, p->ld, p->m, p->n, x, NULL, c, NULL);
	for (int i = 0; i < p->m; i++) {
		const double limit = (p->k + calls) * DBL_EPSILON * calls * za[i];
		const double share = fabs(c[i] - calls * z[i]) / limit;

		if (!(share <= worst)) /* not fmax(), which loses a NaN */
			worst = share;
	}
	free(x);
	free(xa);
	free(y);
	free(ya);
	free(z);
	free(za);
	free(c);
	return worst;
}

static int verify(struct kit *k, struct err *e)
{
	struct dgemm *x = k->state;
	double worst = 0, off = 0;
	int bad = 0;

	(void)e;
	if (kit_flag(k, "inject-error")) {
		const struct product *p =
			&x->workers[x->together ? 0 : k->threads - 1].product;

		p->c[(size_t)(p->n / 2) * (size_t)p->ld + (size_t)(p->m / 2)] *= 1.001;
	}
#pragma omp parallel
	{
		struct worker *w = &x->workers[omp_get_thread_num()];

		if (w->product.calls)
			w->residual = residual(&w->product);
	}
	for (int i = 0; i < k->threads; i++) {
		if (!(x->workers[i].residual <= worst)) {
			worst = x->workers[i].residual;
			bad = i;
		}
		if (!(x->workers[i].off <= off))
			off = x->workers[i].off;
	}
	kit_valid(k, "product", worst, 1, worst <= 1,
		  worst <= 1 ? NULL
			     : "a product on CPU %d is not A B: rounding would be "
			       "%.2g times smaller",
		  k->cpus[bad].cpu, worst);
	kit_valid(k, "multiply-adds", off, 0, off == 0,
		  off == 0 ? NULL : "multiply-adds do not end at 2, but %g off", off);
	return 0;
}

static void teardown(struct kit *k)
{
	struct dgemm *x = k->state;

	kit_free(x->memory, x->bytes);
	free(x->workers);
	free(x->counts);
	free(x->starts);
	free(x->group_of);
	free(x->groups);
}

static void text(struct kit *k, const struct record *r, size_t n, FILE *out)
{
	const struct dgemm *x = k->state;

	for (size_t i = 0; i < n; i++) {
		if (r[i].kind == RECORD_KIND_event &&
		    !strcmp(r[i].u.event.what, "library") && !r[i].u.event.rank)
			(void)fprintf(out, "%s; fma: %s\n", r[i].u.event.text,
				      x->fma->name);
	}
	kit_table(k, r, n, out);
}

const struct kernel kernel = {
	.name = "dgemm",
	.help = "Products of matrices by the system's BLAS on every core by itself or on "
		"all together, beside what the cores can do in registers.",
	.shape = KIT_NODE,
	.metrics = metrics,
	.options = options,
	.state_size = sizeof(struct dgemm),
	.setup = setup,
	.run = run,
	.verify = verify,
	.teardown = teardown,
	.text = text,
};
