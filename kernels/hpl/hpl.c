/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HPL: how fast all ranks together solve a random dense system, and which of them is
 * slow. The work is done by lu.h; here are options, records and the text for people.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "kernels/blas.h"
#include "kernels/hpl/runs.h"
#include "kernels/hpl/text.h"

#define SECONDS .unit = "s", .better = "lower", .reduce = "median", .unrated = true

static const struct kit_metric metrics[] = {
	{.name = "hpl.rate",
	 .unit = "FLOP/s",
	 .better = "higher",
	 .reduce = "best",
	 .help = "of all ranks together, N^2 (2 N / 3 + 3 / 2) in the time"},
	{.name = "hpl.time", SECONDS, .help = "factorisation and solution"},
	{.name = "hpl.panel", SECONDS, .help = "factoring panels, mean of threads"},
	{.name = "hpl.broadcast", SECONDS, .help = "sending panels, mean of threads"},
	{.name = "hpl.swap", SECONDS, .help = "swapping rows, mean of threads"},
	{.name = "hpl.update", SECONDS, .help = "the matrix update, mean of threads"},
	{.name = "hpl.wait", SECONDS, .help = "waiting, mean of threads"},
	{.name = "hpl.rank_rate",
	 .unit = "FLOP/s",
	 .better = "higher",
	 .reduce = "median",
	 .unrated = true,
	 .help = "of a rank while it computes the update"},
	{.name = "hpl.rank_wait",
	 .unit = "ratio",
	 .better = "lower",
	 .reduce = "median",
	 .unrated = true,
	 .help = "share of the time that a rank waited for other ranks"},
	{.name = NULL},
};

static const char *const autos[] = {"auto", NULL};
static const char *const nones[] = {"none", NULL};
static const char *const maps[] = {"row", "column", NULL};
static const char *const updates[] = {"auto", "own", "blas", NULL};
static const char *const simds[] = {"auto", "avx512", "avx2", NULL};
static const char *const broadcasts[] = {"auto", "ring", "long", NULL};

static const struct kit_option options[] = {
	{.name = "n",
	 .type = KIT_INT,
	 .def = "auto",
	 .choices = autos,
	 .min = 1,
	 .max = (int64_t)1 << 30, /* the bytes of its matrix fit into 64 bits */
	 .help = "order of the system; auto: from --memory"},
	{.name = "memory",
	 .type = KIT_TEXT,
	 .def = "0.8",
	 .help = "share of the usable memory of the smallest node, for all ranks alike; "
		 "at "
		 "least 0.1 %"},
	{.name = "nb",
	 .type = KIT_INT,
	 .def = "auto",
	 .choices = autos,
	 .min = 1,
	 .max = SIZE_NB_MAX,
	 .help = "block size"},
	{.name = "p",
	 .type = KIT_INT,
	 .def = "auto",
	 .choices = autos,
	 .min = 1,
	 .max = 1 << 20,
	 .help = "rows of the process grid; auto: nearly square, p <= q"},
	{.name = "q",
	 .type = KIT_INT,
	 .def = "auto",
	 .choices = autos,
	 .min = 1,
	 .max = 1 << 20,
	 .help = "columns of the process grid"},
	{.name = "pmap",
	 .type = KIT_CHOICE,
	 .def = "row",
	 .choices = maps,
	 .help = "ranks fill the grid row by row or column by column"},
	{.name = "update",
	 .type = KIT_CHOICE,
	 .def = "auto",
	 .choices = updates,
	 .help = "the matrix update: own kernels, or BLAS; auto: own where the CPU has "
		 "AVX2 or AVX-512"},
	{.name = "simd",
	 .type = KIT_CHOICE,
	 .def = "auto",
	 .choices = simds,
	 .help = "instructions of own kernels; auto: the widest the CPUs have"},
	{.name = "broadcast",
	 .type = KIT_CHOICE,
	 .def = "auto",
	 .choices = broadcasts,
	 .help = "how panels are sent; auto: long for those short for so many ranks"},
	{.name = "look-ahead",
	 .type = KIT_FLAG,
	 .def = "yes",
	 .help = "factor the next panel before the rest is updated"},
	{.name = "hpl-dat",
	 .type = KIT_FILE,
	 .def = "none",
	 .choices = nones,
	 .help = "an HPL.dat: every combination of its N, NB, grids, broadcasts and "
		 "depths; "
		 "then --n, --memory, --nb, --p, --q, --pmap, --broadcast and "
		 "--look-ahead "
		 "do not count. A threshold not above 0 leaves the results unchecked: "
		 "they count nowhere"},
	{.name = "ntimes",
	 .type = KIT_INT,
	 .def = "1",
	 .min = 1,
	 .max = 1000,
	 .help = "repetitions of each"},
	{.name = "seed", .type = KIT_INT, .def = "1", .help = "of the random system"},
	/* for the tests of the check: one element of the factors becomes another */
	{.name = "inject-error", .hidden = true, .type = KIT_FLAG, .def = "no"},
	{.name = NULL},
};

static const struct kit_fit fit = {
	.options = {"n"},
	.power = 2,
	.bytes = sizeof(double),
	.multiple = "nb|576", /* of every block size that auto chooses */
	.least = 1,
	.grid = {"p", "q"},
	.file = "hpl-dat",
};

struct hpl {
	struct runs runs;
	struct blas blas;
	struct text text;
	int64_t small; /* the order that was said to be too small last */
	/* what progress is told of */
	struct kit *k;
	double flops, start, next;
};

static int setup(struct kit *k, struct err *e)
{
	struct hpl *x = k->state;

	x->k = k;
	blas_find(&x->blas);
	/* threads are ours: each works with the library by itself */
	(void)blas_set_threads(&x->blas, 1);
	return runs_make(k, &x->runs, e);
}

/* Rank 0 in a long run: how far, how fast, how long still. */
static void progress(void *ctx, double done)
{
	struct hpl *x = ctx;
	const double s = clock_now() - x->start;
	char rate[UNITS_TEXT], rest[UNITS_TEXT];

	if (s < x->next || done <= 0)
		return;
	/* every 10 s, in runs of hours every twentieth */
	x->next = s + fmax(10, s / done / 20);
	kit_event(x->k, "progress", "%.1f %% after %.0f s, projected %s, %s left",
		  done * 100, s,
		  units_format(rate, sizeof(rate), x->flops * done / s, "FLOP/s"),
		  units_format_duration(rest, sizeof(rest), s / done - s));
	kit_flush_own(x->k);
}

static void phases(struct kit *k, const struct lu *lu, double time, int repetition,
		   const char *at)
{
	static const char *const names[] = {[LU_PANEL] = "hpl.panel",
					    [LU_BROADCAST] = "hpl.broadcast",
					    [LU_SWAP] = "hpl.swap",
					    [LU_UPDATE] = "hpl.update",
					    [LU_WAIT] = "hpl.wait"};
	double s[LU_PHASES] = {0}, mean[LU_PHASES], flops = 0, wait;

	for (int t = 0; t < lu->threads; t++) {
		for (int i = 0; i < LU_PHASES; i++)
			s[i] += lu->clocks[t].s[i] / lu->threads;
		flops += lu->clocks[t].flops;
	}
	wait = s[LU_WAIT];
	s[LU_WAIT] += s[LU_SELF];
	(void)MPI_Reduce(s, mean, LU_PHASES, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	for (int i = 0; i < LU_PHASES && !k->rank; i++) {
		if (names[i])
			kit_sample(k, names[i], mean[i] / k->ranks, repetition, at);
	}
	if (s[LU_UPDATE] > 0)
		kit_sample(k, "hpl.rank_rate", flops / s[LU_UPDATE], repetition, at);
	kit_sample(k, "hpl.rank_wait", wait / time, repetition, at);
}

/* Where a result of an HPL.dat belongs; NULL when there is only one problem. */
static const char *key(const struct hpl *x, const struct lu_want *w, char *at, size_t n)
{
	if (!x->runs.from_file)
		return NULL;
	(void)snprintf(at, n,
		       "{\"n\":%lld,\"nb\":%d,\"p\":%d,\"q\":%d,\"broadcast\":\"%s\","
		       "\"look_ahead\":%d}",
		       (long long)w->size.n, w->size.nb, w->size.p, w->size.q,
		       w->bcast == BCAST_RING ? "ring" : "long", w->lookahead);
	return at;
}

static void describe(struct kit *k, const struct lu_want *w, uint64_t bytes)
{
	struct hpl *x = k->state;
	const double share = (double)bytes / (double)x->runs.usable;
	char size[UNITS_TEXT], blas[160];

	(void)blas_text(&x->blas, blas, sizeof(blas));
	if (!k->local_rank && w->update->nr)
		kit_event(k, "library", "BLAS: assay (%s), panels by %s", w->update->name,
			  blas);
	else if (!k->local_rank)
		kit_event(k, "library", "BLAS: %s, one thread a call", blas);
	/* once for all problems of this size */
	if (!k->rank && share < 0.05 && x->small != w->size.n)
		kit_event(k, "size",
			  "N %lld takes %.1f %% of the usable memory: too small to rate",
			  (long long)w->size.n, share * 100);
	x->small = w->size.n;
	if (!k->rank)
		kit_event(k, "placement",
			  "N %lld, NB %d, %d x %d, %d thread%s a rank, update %s, %s a "
			  "rank",
			  (long long)w->size.n, w->size.nb, w->size.p, w->size.q,
			  w->size.threads, w->size.threads == 1 ? "" : "s",
			  w->update->name,
			  units_format(size, sizeof(size), (double)bytes, "B"));
}

/* A flaw in the factors, as a bad core or bad memory would leave it. */
static void inject(struct kit *k, struct lu *lu)
{
	if (kit_flag(k, "inject-error") && lu->p == 0 && lu->q == 0)
		*lu_at(lu, 0, 0) *= 1.0001;
}

/* Collective. One problem, solved, checked and reported. */
static void measure(struct kit *k, struct lu *lu, int repetition, const char *at)
{
	struct hpl *x = k->state;
	struct lu_check c;
	double s;
	bool right;

	lu_generate(lu);
	(void)MPI_Barrier(MPI_COMM_WORLD);
	x->start = clock_now();
	x->next = 10;
	lu_factor(lu);
	inject(k, lu);
	lu_solve(lu);
	s = kit_stat(MPI_COMM_WORLD, clock_now() - x->start).max;
	if (!k->rank) {
		kit_sample(k, "hpl.rate", x->flops / s, repetition, at);
		kit_sample(k, "hpl.time", s, repetition, at);
	}
	phases(k, lu, s, repetition, at);
	if (x->runs.threshold <= 0) {
		kit_flush(k);
		return;
	}
	c = lu_check(lu);
	right = c.residual < x->runs.threshold;
	if (!k->rank)
		kit_valid_at(
			k, at, "residual", c.residual, x->runs.threshold, right,
			right ? NULL
			      : "the solution is wrong: ||Ax-b|| %g, ||A|| %g, ||x|| %g, "
				"||b|| %g",
			c.r, c.a, c.x, c.b);
	kit_flush(k);
}

/* In a run by hand the head of the text says it. */
static void tell_mapping(struct kit *k, const struct runs *runs)
{
	char text[320];

	if (k->rank || !kit_is(k, "format", "records") ||
	    (!runs->deeper && (size_t)runs->combinations <= runs->n))
		return;
	text_mapping(runs, text, sizeof(text));
	kit_event(k, "remark", "%s", text);
}

static int run(struct kit *k, struct err *e)
{
	struct hpl *x = k->state;
	const int ntimes = (int)kit_int(k, "ntimes");

	/* what HPL.dat asks for is done, but it makes no result to be trusted */
	if (x->runs.threshold <= 0 && !k->rank)
		kit_event(k, "invalid",
			  "the threshold in HPL.dat, %g, is not above 0: residuals are "
			  "not checked then, and what nobody checked counts nowhere",
			  x->runs.threshold);
	tell_mapping(k, &x->runs);
	for (size_t i = 0; i < x->runs.n; i++) {
		struct lu_want *w = &x->runs.items[i];
		struct lu lu;
		char at[256];
		const char *where = key(x, w, at, sizeof(at));
		int rc;

		w->progress = progress;
		w->ctx = x;
		x->flops = lu_flops(w->size.n);
		rc = kit_agree(k, lu_open(&lu, MPI_COMM_WORLD, w, e), e);
		describe(k, w, lu.bytes);
		kit_flush(k); /* before it may take hours */
		for (int r = 1; r <= ntimes && !rc; r++)
			measure(k, &lu, r, where);
		lu_close(&lu);
		if (rc)
			return -1;
	}
	return 0;
}

/* The text, which comes after it, says what each result is of. */
static bool has_text(const struct kit *k)
{
	return !k->rank && !kit_is(k, "format", "records");
}

static void teardown(struct kit *k)
{
	struct hpl *x = k->state;

	if (!has_text(k))
		runs_release(&x->runs);
}

static void so_far(struct kit *k, const struct record *records, size_t n, FILE *out)
{
	struct hpl *x = k->state;

	text_so_far(&x->text, k, &x->runs, records, n, out);
}

static void text(struct kit *k, const struct record *records, size_t n, FILE *out)
{
	struct hpl *x = k->state;

	text_end(&x->text, k, &x->runs, records, n, out);
	runs_release(&x->runs);
}

const struct kernel kernel = {
	.name = "hpl",
	.help = "How fast all ranks together solve a random dense system of equations by "
		"LU "
		"with partial pivoting: the High-Performance Linpack benchmark's rules, "
		"formula and check.",
	.shape = KIT_SET,
	.metrics = metrics,
	.options = options,
	.fit = &fit,
	.state_size = sizeof(struct hpl),
	.outline = runs_outline,
	.setup = setup,
	.run = run,
	.teardown = teardown,
	.so_far = so_far,
	.text = text,
};
