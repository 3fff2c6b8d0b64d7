/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HPCG: conjugate gradients with a multigrid preconditioner on a 27-point problem, by the
 * rules of HPCG 3.1. The parts: grid.h, problem.h (the matrix), plain.h (the method as
 * it is defined), store.h and solver.h (the fast one), check.h, rating.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "kernels/hpcg/bench.h"
#include "kernels/hpcg/check.h"

#define PHASE .unit = "s", .better = "lower", .reduce = "median", .unrated = true
#define RATE  .unit = "B/s", .better = "higher", .reduce = "median"

static const struct kit_metric metrics[] = {
	{.name = "hpcg.rate",
	 .unit = "FLOP/s",
	 .better = "higher",
	 .reduce = "median",
	 .help = "the rating: operations of the reference iterations, all ranks, set-up "
		 "charged"},
	{.name = "hpcg.spmv",
	 RATE,
	 .help = "bytes of matrix and vectors in sparse products, all ranks"},
	{.name = "hpcg.mg", RATE, .help = "the same in multigrid cycles"},
	{.name = "hpcg.time", PHASE, .help = "timed sets, slowest rank"},
	{.name = "hpcg.setup_time", PHASE, .help = "generating and storing the matrix"},
	{.name = "hpcg.spmv_time", PHASE, .help = "sparse products, rank 0"},
	{.name = "hpcg.mg_time", PHASE, .help = "multigrid cycles, rank 0"},
	{.name = "hpcg.waxpby_time", PHASE, .help = "vector updates, rank 0"},
	{.name = "hpcg.ddot_time",
	 PHASE,
	 .help = "end of dot products, rank 0; they are summed where vectors pass by"},
	{.name = "hpcg.halo_time", PHASE, .help = "waiting for neighbours, rank 0"},
	{.name = "hpcg.allreduce_wait", PHASE, .help = "in reductions, rank 0"},
	{.name = "hpcg.rank_rate",
	 RATE,
	 .unrated = true,
	 .help = "a rank's sparse products, waiting left out"},
	{.name = "hpcg.rank_wait",
	 .unit = "ratio",
	 .better = "lower",
	 .reduce = "median",
	 .unrated = true,
	 .help = "share of its time that a rank waited for others"},
	{.name = "hpcg.rank_halo", PHASE, .help = "a rank's waiting for its neighbours"},
	{.name = "hpcg.rank_spmv_halo",
	 PHASE,
	 .help = "the same in sparse products, which all ranks begin together: this is "
		 "the "
		 "links, not a neighbour that is late"},
	{.name = NULL},
};

static const char *const autos[] = {"auto", NULL};
static const char *const simds[] = {"auto", "avx512", "avx2", "c", NULL};
static const char *const injects[] = {"none", "entry", "matrix", "cycle", NULL};

#define SIDE                                                                      \
	.type = KIT_INT, .def = "auto", .choices = autos, .min = 16, .max = 8192, \
	.multiple = 8

static const struct kit_option options[] = {
	{.name = "nx",
	 SIDE,
	 .help = "points of a rank's box in x; auto: a cube of at least a quarter of the "
		 "memory, or as another side given"},
	{.name = "ny", SIDE, .help = "in y"},
	{.name = "nz", SIDE, .help = "in z"},
	{.name = "time",
	 .type = KIT_TIME,
	 .def = "60",
	 .help = "how long to run the timed sets at least"},
	{.name = "minimum",
	 .type = KIT_TIME,
	 .def = "60",
	 .help = "sets that took less are marked as short; official results: 1800"},
	{.name = "simd",
	 .type = KIT_CHOICE,
	 .def = "auto",
	 .choices = simds,
	 .help = "instructions; auto: the widest the CPU has"},
	/* for tests: what is broken before it is checked; residuals as events */
	{.name = "inject-error",
	 .hidden = true,
	 .type = KIT_CHOICE,
	 .def = "none",
	 .choices = injects},
	{.name = "history", .hidden = true, .type = KIT_FLAG, .def = "no"},
	{.name = NULL},
};

/* Bytes an element: box_bytes() of a large box. */
static const struct kit_fit fit = {
	.options = {"nx", "ny", "nz"},
	.power = 3,
	.bytes = 852,
	.per_rank = true,
	.multiple = "8",
	.strict = true,
	.least = 16,
};

/* Bytes a box takes: the matrix, the plain method's vectors, the solver. */
static uint64_t box_bytes(const struct grid *g)
{
	return problem_bytes(g) / 7 * 8 + plain_bytes(g) + solver_bytes(g);
}

/* A cube of at least a quarter of @usable. */
static int side_for(uint64_t usable)
{
	int n = 16;

	for (; n < 8192; n += 8) {
		const struct grid g = {.n = {n, n, n}};

		if (box_bytes(&g) >= usable / 4)
			break;
	}
	return n;
}

/* Collective. The sides of the box. */
static int choose_size(struct kit *k, int n[3], struct err *e)
{
	static const char *const names[3] = {"nx", "ny", "nz"};
	uint64_t usable = 0, least = 0;
	int most = 0, rc = kit_usable_memory(k, &usable, e);
	struct grid g;
	char need[UNITS_TEXT], have[UNITS_TEXT];

	if (kit_agree(k, rc, e))
		return -1;
	(void)MPI_Allreduce(&usable, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
	for (int d = 0; d < 3; d++) {
		n[d] = (int)kit_int(k, names[d]);
		most = n[d] > most ? n[d] : most;
	}
	for (int d = 0; d < 3; d++) {
		if (!n[d])
			n[d] = most ? most : side_for(least);
	}
	g = (struct grid){.n = {n[0], n[1], n[2]}};
	if (grid_flatness(n) < GRID_FLATTEST)
		return err_set(e, ERR_USAGE,
			       "a box of %d x %d x %d is too flat, expected sides of at "
			       "least an eighth of the largest",
			       n[0], n[1], n[2]);
	if (grid_rows(&g) > (int64_t)1 << 30)
		return err_set(
			e, ERR_USAGE,
			"a box of %d x %d x %d is too large, expected at most 2^30 "
			"points a rank",
			n[0], n[1], n[2]);
	if (box_bytes(&g) > usable)
		return kit_skip(
			k, e, "a box of %d x %d x %d needs %s, %s usable", n[0], n[1],
			n[2],
			units_format(need, sizeof(need), (double)box_bytes(&g), "B"),
			units_format(have, sizeof(have), (double)usable, "B"));
	return 0;
}

static const struct sweeps *choose_sweeps(struct kit *k, struct err *e)
{
	const char *simd = kit_option(k, "simd");

	for (size_t i = 0; sweeps_at(i); i++) {
		const bool named = !strcmp(simd, sweeps_at(i)->name);

		if ((named || !strcmp(simd, "auto")) && sweeps_at(i)->usable())
			return sweeps_at(i);
	}
	(void)kit_skip(k, e, "this CPU has no %s", simd);
	return NULL;
}

/* Generates the matrices of all levels. */
static int generate(struct bench *b, struct err *e)
{
	for (int i = 0; i < LEVELS; i++) {
		struct level *l = &b->solver.level[i];

		if (i)
			l->grid = grid_coarse(&b->solver.level[i - 1].grid);
		if (problem_make(&l->a, &l->grid, e))
			return -1;
	}
	return 0;
}

/* Halos and what the plain method needs besides the matrices. */
static int prepare_plain(struct bench *b, struct err *e)
{
	for (int i = 0; i < LEVELS; i++) {
		struct level *l = &b->solver.level[i];

		halo_init(&l->halo, &l->a);
		b->plain.level[i] = (struct plain_level){
			.grid = &l->grid, .a = &l->a, .halo = &l->halo};
	}
	return plain_init(&b->plain, e);
}

/* For the tests of the checks: one entry is not what it must be. */
static void inject(struct kit *k, struct bench *b, bool stored)
{
	struct store *f = &b->solver.level[0].s, *c = &b->solver.level[1].s;
	const bool last = k->rank == k->ranks - 1;

	if (last && !stored && kit_is(k, "inject-error", "matrix"))
		b->solver.level[0].a.value[b->solver.level[0].a.entries / 2] *= 2;
	if (last && stored && kit_is(k, "inject-error", "entry"))
		*store_value(f->part, f->part->rows / 2) = -3;
	if (last && stored && kit_is(k, "inject-error", "cycle"))
		*store_diagonal(c, c->part, c->part->rows / 2) = 13;
}

static int setup(struct kit *k, struct err *e)
{
	struct bench *b = k->state;
	const struct sweeps *sweeps = choose_sweeps(k, e);
	double start;
	int n[3], rc = 0;

	if (!sweeps)
		rc = -1;
	if (kit_agree(k, rc, e) || choose_size(k, n, e))
		return -1;
	b->solver.level[0].grid = grid_make(k->ranks, k->rank, n);
	b->rated = grid_flatness(b->solver.level[0].grid.ranks) >= GRID_FLATTEST;
	start = clock_now();
	rc = generate(b, e);
	if (!rc)
		rc = prepare_plain(b, e);
	if (kit_agree(k, rc, e))
		return -1;
	b->setup = kit_stat(MPI_COMM_WORLD, clock_now() - start).max;
	inject(k, b, false);
	start = clock_now();
	rc = solver_init(&b->solver, sweeps, k->threads, e);
	if (kit_agree(k, rc, e))
		return -1;
	b->storing = kit_stat(MPI_COMM_WORLD, clock_now() - start).max;
	inject(k, b, true);
	return 0;
}

/* The plain method's iterations, and those the solver needs for the same residual. */
static void reference(struct kit *k, struct bench *b, double *set_time)
{
	struct level *l = &b->solver.level[0];
	double *rhs = b->plain.r;
	struct solution s = {.history = b->fast};

	for (int32_t i = 0; i < l->a.rows; i++)
		rhs[i] = problem_rhs(&l->a, i);
	plain_cg(&b->plain, rhs, REFERENCE, b->history);
	b->solver.times = (struct times){0};
	solver_cg(&b->solver, MOST_ITERATIONS, b->history[REFERENCE] * REACHED, true, &s);
	*set_time = kit_stat(MPI_COMM_WORLD, b->solver.times.all).max;
	b->reached = b->fast[s.iterations];
	b->iterations = s.iterations > REFERENCE ? s.iterations : REFERENCE;
	if (!k->rank && kit_flag(k, "history")) {
		for (int i = 0; i <= REFERENCE && i <= s.iterations; i++)
			kit_event(k, "history", "%d plain %.9e solver %.9e", i,
				  b->history[i], b->fast[i]);
	}
}

/* This rank's samples, and rank 0's of all. */
static void samples(struct kit *k, struct bench *b)
{
	const struct times *t = &b->times;
	const double computing = t->spmv - t->spmv_wait;
	double mine[2] = {b->work.spmv_bytes, b->work.mg_bytes}, all[2];
	const struct {
		const char *metric;
		double value;
	} of_all[] = {
		{"hpcg.time", b->time},
		{"hpcg.setup_time", b->setup + b->storing},
		{"hpcg.spmv_time", t->spmv},
		{"hpcg.mg_time", t->mg},
		{"hpcg.waxpby_time", t->waxpby},
		{"hpcg.ddot_time", t->ddot},
		{"hpcg.halo_time", t->halo},
		{"hpcg.allreduce_wait", t->allreduce},
	};

	kit_sample(k, "hpcg.rank_rate", b->work.spmv_bytes / computing, 1, NULL);
	kit_sample(k, "hpcg.rank_wait", (t->halo + t->allreduce) / t->all, 1, NULL);
	kit_sample(k, "hpcg.rank_halo", t->halo, 1, NULL);
	kit_sample(k, "hpcg.rank_spmv_halo", t->spmv_wait, 1, NULL);
	(void)MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (k->rank)
		return;
	kit_sample(k, "hpcg.rate", b->rate, 1, NULL);
	kit_sample(k, "hpcg.spmv", all[0] / t->spmv, 1, NULL);
	kit_sample(k, "hpcg.mg", all[1] / t->mg, 1, NULL);
	for (size_t i = 0; i < sizeof(of_all) / sizeof(of_all[0]); i++)
		kit_sample(k, of_all[i].metric, of_all[i].value, 1, NULL);
}

static struct stored stored(const struct solver *v)
{
	const struct store *s = &v->level[0].s;
	double slices[PIECES + 1] = {0}, all = (double)s->rows / SLICE;

	for (int t = 0; t < s->parts; t++) {
		for (int i = 0; i <= PIECES; i++)
			slices[i] += s->part[t].slices[i];
	}
	return (struct stored){
		.levels = s->levels,
		.one = slices[1] / all,
		.pieces = (all - slices[0] - slices[1]) / all,
		.gather = slices[0] / all,
		.matrix = s->read / (double)grid_rows(&v->level[0].grid),
		.all = rating_bytes_per_row(v),
	};
}

/* Marks of a result that no reference holds for. */
static void marks(struct kit *k, const struct bench *b)
{
	const struct grid *g = &b->solver.level[0].grid;

	if (k->rank)
		return;
	if (b->time < b->minimum)
		kit_event(
			k, "short",
			"timed for %.3g s, minimum %g s (an official result: %g s): not "
			"for baselines",
			b->time, b->minimum, OFFICIAL);
	if (!b->rated)
		kit_event(
			k, "size",
			"process grid of %d x %d x %d is flatter than 1 to 8: not rated",
			g->ranks[0], g->ranks[1], g->ranks[2]);
}

static int run(struct kit *k, struct err *e)
{
	struct bench *b = k->state;
	double history[MOST_ITERATIONS + 1], set_time;
	struct solution s = {.history = history};

	(void)e;
	b->minimum = kit_time(k, "minimum");
	reference(k, b, &set_time);
	b->sets = (int)fmin(kit_time(k, "time") / set_time, 1e6) + 1;
	b->residuals = mem_calloc((size_t)b->sets, sizeof(*b->residuals));
	b->solver.times = (struct times){0};
	for (int i = 0; i < b->sets; i++) {
		solver_cg(&b->solver, b->iterations, 0, true, &s);
		b->residuals[i] = history[s.iterations];
		b->mean += b->residuals[i] / b->sets;
		kit_flush(k);
	}
	b->times = b->solver.times;
	b->time = kit_stat(MPI_COMM_WORLD, b->times.all).max;
	b->work = rating_work(&b->solver, b->sets, b->iterations);
	b->rate = rating(&b->work, b->sets, b->iterations, REFERENCE, b->time, b->setup,
			 b->storing);
	b->stored = stored(&b->solver);
	samples(k, b);
	marks(k, b);
	return 0;
}

/* Largest relative difference of the residuals while they are far from rounding. */
static double history_difference(const struct bench *b)
{
	double worst = 0;

	for (int i = 0; i <= REFERENCE && b->history[i] > 1e-8; i++) {
		const double off = fabs(b->fast[i] / b->history[i] - 1);

		if (!(off <= worst))
			worst = off;
	}
	return worst;
}

static void check(struct kit *k, const char *name, double value, double limit,
		  const char *otherwise)
{
	const bool ok = value <= limit; /* not for a NaN */

	if (!k->rank)
		kit_valid(k, name, value, limit, ok, ok ? NULL : "%s", otherwise);
}

static int verify(struct kit *k, struct err *e)
{
	struct bench *b = k->state;
	struct solver *v = &b->solver;

	(void)e;
	check(k, "iterations of CG", check_iterations(v, false), 12,
	      "CG alone does not converge as fast as it must with a dominant diagonal");
	check(k, "iterations of CG with cycle", check_iterations(v, true), 2,
	      "CG with the multigrid cycle does not converge as fast as it must with a "
	      "dominant diagonal");
	check(k, "symmetry of SpMV", check_symmetry(v, false), 1,
	      "x' A y and y' A x differ by more than rounding: the matrix is not "
	      "symmetric");
	check(k, "symmetry of MG", check_symmetry(v, true), 1,
	      "x' M y and y' M x differ by more than rounding: the cycle is not "
	      "symmetric");
	check(k, "solution", check_solution(v), 1e-12,
	      "the matrix times the known solution is not the right-hand side");
	check(k, "SpMV as plain", check_plain(v, &b->plain, false), 1e-14,
	      "a product differs from that of the plain matrix");
	check(k, "MG as plain", check_plain(v, &b->plain, true), 1e-12,
	      "a multigrid cycle differs from that on the plain matrices");
	check(k, "residuals as plain", history_difference(b), 1e-6,
	      "residuals of the iterations differ from those of the plain method");
	check(k, "reference residual", b->reached / b->history[REFERENCE], REACHED,
	      "the residual of the reference iterations was not reached");
	check(k, "variance of residuals", check_variance(b->residuals, b->sets), 1e-6,
	      "residuals differ from set to set");
	return 0;
}

static void teardown(struct kit *k)
{
	struct bench *b = k->state;

	plain_release(&b->plain);
	solver_release(&b->solver);
	for (int i = 0; i < LEVELS; i++) {
		halo_release(&b->solver.level[i].halo);
		problem_release(&b->solver.level[i].a);
	}
	free(b->residuals);
}

const struct kernel kernel = {
	.name = "hpcg",
	.help = "HPCG: conjugate gradients with a multigrid cycle on a 27-point problem, "
		"bound by memory and communication, by the rules of HPCG 3.1.",
	.shape = KIT_SET,
	.metrics = metrics,
	.options = options,
	.fit = &fit,
	.state_size = sizeof(struct bench),
	.setup = setup,
	.run = run,
	.verify = verify,
	.teardown = teardown,
	.text = bench_text,
};
