/* SPDX-License-Identifier: Apache-2.0 */
/* assay-hpcg by hand: "name = value" under the names HPCG's own result file uses. */
#include <string.h>

#include "assay_build.h"
#include "kernels/hpcg/bench.h"

static void whole(FILE *out, const char *name, int64_t value)
{
	(void)fprintf(out, "%s=%lld\n", name, (long long)value);
}

static void number(FILE *out, const char *name, double value)
{
	(void)fprintf(out, "%s=%.6g\n", name, value);
}

static void problem(const struct kit *k, const struct bench *b, FILE *out)
{
	static const char *const axis = "xyz";
	const struct grid *g = &b->solver.level[0].grid;

	(void)fprintf(out,
		      "HPCG-Benchmark\nversion=assay-hpcg %s, by the rules of HPCG 3.1\n",
		      ASSAY_VERSION);
	whole(out, "Machine Summary::Distributed Processes", k->ranks);
	whole(out, "Machine Summary::Threads per processes", k->threads);
	for (int d = 0; d < 3; d++)
		(void)fprintf(out, "Global Problem Dimensions::Global n%c=%lld\n",
			      axis[d], (long long)g->n[d] * g->ranks[d]);
	for (int d = 0; d < 3; d++)
		(void)fprintf(out, "Processor Dimensions::np%c=%d\n", axis[d],
			      g->ranks[d]);
	for (int d = 0; d < 3; d++)
		(void)fprintf(out, "Local Domain Dimensions::n%c=%d\n", axis[d], g->n[d]);
	number(out, "Setup Information::Setup Time", b->setup);
	whole(out, "Linear System Information::Number of Equations", grid_all_rows(g));
	whole(out, "Linear System Information::Number of Nonzero Terms",
	      grid_all_entries(g));
	whole(out, "Multigrid Information::Number of coarse grid levels", LEVELS - 1);
}

/* How rank 0 holds the matrix of the finest level. */
static void storage(const struct bench *b, FILE *out)
{
	const struct stored *s = &b->stored;

	(void)fprintf(out,
		      "Storage::Form=rows by level of the sweep, split at the diagonal, "
		      "slices of %d rows, columns compressed to offsets found in the "
		      "matrix (all values stored and read)\n",
		      SLICE);
	(void)fprintf(out, "Storage::Instructions=%s\n", b->solver.sweeps->name);
	whole(out, "Storage::Levels of the sweep", s->levels);
	number(out, "Storage::Share of slices with one offset a slot", s->one);
	number(out, "Storage::Share of slices in pieces", s->pieces);
	number(out, "Storage::Share of slices that gather", s->gather);
	number(out, "Storage::Bytes of matrix a row in SpMV", s->matrix);
	number(out, "Storage::Bytes of matrix and vectors a row and iteration", s->all);
}

static void phase(FILE *out, const char *name, double flops, double seconds)
{
	(void)fprintf(out, "GFLOP/s Summary::Raw %s=%.6g\n", name, flops / seconds / 1e9);
}

static void times(struct kit *k, const struct bench *b, FILE *out)
{
	const struct times *t = &b->times;
	const struct work *w = &b->work;
	const double flops = w->ddot + w->waxpby + w->spmv + w->mg;

	whole(out, "Iteration Count Information::Reference CG iterations per set",
	      REFERENCE);
	whole(out, "Iteration Count Information::Optimized CG iterations per set",
	      b->iterations);
	whole(out, "Iteration Count Information::Total number of optimized iterations",
	      (int64_t)b->sets * b->iterations);
	number(out, "Reproducibility Information::Scaled residual mean", b->mean);
	number(out, "Benchmark Time Summary::Optimization phase", b->storing);
	(void)fprintf(out,
		      "Benchmark Time Summary::DDOT=%.6g (ends only: summed in the "
		      "other phases)\n",
		      t->ddot);
	number(out, "Benchmark Time Summary::WAXPBY", t->waxpby);
	number(out, "Benchmark Time Summary::SpMV", t->spmv);
	number(out, "Benchmark Time Summary::MG", t->mg);
	number(out, "Benchmark Time Summary::Waiting for neighbours", t->halo);
	number(out, "Benchmark Time Summary::Waiting in reductions", t->allreduce);
	number(out, "Benchmark Time Summary::Total", b->time);
	number(out, "Floating Point Operations Summary::Total", flops);
	number(out, "GB/s Summary::SpMV of a rank", w->spmv_bytes / t->spmv / 1e9);
	number(out, "GB/s Summary::MG of a rank", w->mg_bytes / t->mg / 1e9);
	phase(out, "WAXPBY", w->waxpby, t->waxpby);
	phase(out, "SpMV", w->spmv, t->spmv);
	phase(out, "MG", w->mg, t->mg);
	phase(out, "Total", flops, b->time);
	(void)k;
}

/* Every check; whether all are right. */
static bool checks(const struct record *r, size_t n, FILE *out)
{
	bool right = true;

	for (size_t i = 0; i < n; i++) {
		const struct record_valid *v = &r[i].u.valid;

		if (r[i].kind != RECORD_KIND_valid)
			continue;
		right = right && v->ok;
		(void)fprintf(out, "Checks::%s=%s (%.6g, at most %.6g)%s%s\n", v->check,
			      v->ok ? "PASSED" : "FAILED", v->value.v, v->limit.v,
			      v->text ? ": " : "", v->text ? v->text : "");
	}
	return right;
}

static void ranks(const struct record *r, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct record_sample *s = &r[i].u.sample;

		if (r[i].kind != RECORD_KIND_sample)
			continue;
		if (!strcmp(s->metric, "hpcg.rank_rate"))
			(void)fprintf(out, "Ranks::SpMV GB/s of rank %lld=%.6g\n",
				      (long long)s->rank, s->value.v / 1e9);
		if (!strcmp(s->metric, "hpcg.rank_wait"))
			(void)fprintf(out, "Ranks::Share waited by rank %lld=%.6g\n",
				      (long long)s->rank, s->value.v);
	}
}

void bench_text(struct kit *k, const struct record *records, size_t n, FILE *out)
{
	const struct bench *b = k->state;
	bool right;

	if (!b->sets || b->rate <= 0)
		return; /* it did not run; why is on stderr */
	problem(k, b, out);
	storage(b, out);
	right = checks(records, n, out);
	times(k, b, out);
	ranks(records, n, out);
	if (right)
		(void)fprintf(out,
			      "Final Summary::HPCG result is VALID with a GFLOP/s rating "
			      "of=%.6g\n",
			      b->rate / 1e9);
	else
		(void)fprintf(out, "Final Summary::HPCG result is=INVALID.\n");
	if (right && !b->rated)
		(void)fprintf(out, "Final Summary::Not rated=the process grid is flatter "
				   "than 1 to 8\n");
	if (right && b->time < b->minimum)
		(void)fprintf(out,
			      "Final Summary::Results are valid but execution time (sec) "
			      "is=%.6g (minimum %g)\n",
			      b->time, b->minimum);
	if (right && b->time < OFFICIAL)
		(void)fprintf(
			out,
			"Final Summary::Official results execution time (sec) must be "
			"at least=%g\n",
			OFFICIAL);
}
