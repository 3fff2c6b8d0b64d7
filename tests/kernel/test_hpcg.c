/* SPDX-License-Identifier: Apache-2.0 */
/* assay-hpcg: its solution, its checks, its sizes, its marks and its text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/kernel/run.h"

#define SMALL "assay-hpcg --format records --nx 16 --time 0 "

/* The program hpcg_ranks on @ranks ranks; its status and text are checked. */
static void solves(int ranks, const char *rest)
{
	char words[256];
	struct run r;

	(void)snprintf(words, sizeof(words), MPIRUN "-np %d " HPCG_RANKS " %s", ranks,
		       rest);
	run(&r, 100, words);
	if (r.end.exit || !strstr(strbuf_str(&r.out), " 0 wrong"))
		fail_msg("%s: %s%s", words, strbuf_str(&r.out), strbuf_str(&r.err));
	run_release(&r);
}

static void residuals_are_those_of_an_independent_solution(void **unused)
{
	(void)unused;
	for (int ranks = 1; ranks <= 8; ranks++)
		solves(ranks, "16 16 16 1");
	solves(3, "16 16 24 2");
	solves(1, "24 24 24 1");
	solves(2, "24 16 32 1");
	solves(1, "32 32 32 2");
}

static void any_number_of_threads_gives_the_same(void **unused)
{
	(void)unused;
	solves(1, "24 24 24 2");
	solves(1, "16 16 16 3");
	solves(1, "24 16 16 4");
	solves(2, "16 16 16 4");
}

static const struct record_valid *valid(struct run *r, const char *check)
{
	const struct record *v;

	for (size_t i = 0; (v = run_record(r, RECORD_KIND_valid, i)); i++) {
		if (!strcmp(v->u.valid.check, check))
			return &v->u.valid;
	}
	fail_msg("no check '%s'", check);
	return NULL;
}

static double sample(const struct run *r, const char *metric, int rank)
{
	const struct record *s;

	for (size_t i = 0; (s = run_record(r, RECORD_KIND_sample, i)); i++) {
		if (!strcmp(s->u.sample.metric, metric) && s->u.sample.rank == rank)
			return s->u.sample.value.v;
	}
	fail_msg("no sample of %s from rank %d", metric, rank);
	return NAN;
}

static void a_run_gives_all_metrics_and_passes_all_checks(void **unused)
{
	static const char *const metrics[] = {
		"hpcg.rate",      "hpcg.time",    "hpcg.spmv",       "hpcg.mg",
		"hpcg.spmv_time", "hpcg.mg_time", "hpcg.waxpby_time"};
	struct run r;
	const struct record *v;

	(void)unused;
	run(&r, 60, MPIRUN "-np 2 " SMALL "--threads 1");
	assert_int_equal(r.end.exit, 0);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		assert_true(sample(&r, metrics[i], 0) > 0);
	for (int rank = 0; rank < 2; rank++) {
		assert_true(sample(&r, "hpcg.rank_rate", rank) > 0);
		assert_true(sample(&r, "hpcg.rank_wait", rank) >= 0);
		assert_true(sample(&r, "hpcg.rank_wait", rank) < 1);
		assert_true(sample(&r, "hpcg.rank_halo", rank) > 0);
		assert_true(sample(&r, "hpcg.rank_spmv_halo", rank) > 0 &&
			    sample(&r, "hpcg.rank_spmv_halo", rank) <
				    sample(&r, "hpcg.rank_halo", rank));
	}
	assert_int_equal(run_count(&r, RECORD_KIND_valid), 10);
	for (size_t i = 0; (v = run_record(&r, RECORD_KIND_valid, i)); i++)
		assert_true(v->u.valid.ok);
	run_release(&r);
}

/* Each fault is seen by the check that is there for it. */
static void a_broken_entry_fails_the_right_check(void **unused)
{
	static const struct {
		const char *inject, *fails, *passes;
	} cases[] = {
		{"entry", "symmetry of SpMV", "reference residual"},
		{"entry", "SpMV as plain", NULL},
		{"matrix", "solution", "SpMV as plain"},
		{"cycle", "MG as plain", "symmetry of SpMV"},
		{"cycle", "residuals as plain", "solution"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run r;
		char words[128];

		(void)snprintf(words, sizeof(words),
			       SMALL "--threads 1 --inject-error %s", cases[i].inject);
		run(&r, 60, words);
		assert_int_equal(r.end.exit, 1);
		assert_false(valid(&r, cases[i].fails)->ok);
		assert_non_null(valid(&r, cases[i].fails)->text);
		if (cases[i].passes && strcmp(cases[i].inject, "entry") != 0)
			assert_true(valid(&r, cases[i].passes)->ok);
		run_release(&r);
	}
}

static void refuses(const char *rest, const char *text)
{
	char words[256];
	struct run r;

	(void)snprintf(words, sizeof(words), "assay-hpcg --threads 1 --time 0 %s", rest);
	run(&r, 60, words);
	assert_int_equal(r.end.exit, 2);
	if (!strstr(strbuf_str(&r.err), text))
		fail_msg("%s: '%s'", words, strbuf_str(&r.err));
	run_release(&r);
}

static void wrong_sides_are_refused_with_what_would_do(void **unused)
{
	(void)unused;
	refuses("--nx 430", "'430' is not a multiple of 8, expected 424 or 432");
	refuses("--nx 104 --nz 52", "'52' is not a multiple of 8, expected 48 or 56");
	refuses("--nx 8", "'8' is too small, expected at least 16");
	refuses("--nx 0", "'0' is too small");
	refuses("--nx -8", "'-8' is too small");
	refuses("--nx 256 --ny 16 --nz 16", "a box of 256 x 16 x 16 is too flat");
	refuses("--nx 4096", "a box of 4096 x 4096 x 4096 is too large");
}

static void a_run_below_the_minimum_is_marked_and_another_is_not(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, SMALL "--threads 1 --minimum 60");
	assert_non_null(strstr(run_event(&r, "short"), "minimum 60 s"));
	run_release(&r);
	run(&r, 60,
	    "assay-hpcg --format records --nx 16 --threads 1 --time 0.2 --minimum 0.1");
	assert_null(run_event(&r, "short"));
	assert_null(run_event(&r, "size"));
	assert_true(sample(&r, "hpcg.time", 0) >= 0.1);
	run_release(&r);
}

static void by_hand_it_prints_what_its_users_know(void **unused)
{
	struct run r;
	const char *text;

	(void)unused;
	run(&r, 60, "assay-hpcg --nx 16 --ny 24 --nz 32 --threads 2 --time 0");
	text = strbuf_str(&r.out);
	assert_int_equal(r.end.exit, 0);
	assert_non_null(strstr(text, "HPCG-Benchmark\n"));
	assert_non_null(strstr(text, "Local Domain Dimensions::ny=24\n"));
	assert_non_null(strstr(text, "HPCG result is VALID with a GFLOP/s rating of="));
	assert_non_null(strstr(text, "Storage::Bytes of matrix a row in SpMV="));
	assert_non_null(strstr(text, "(minimum 60)"));
	run_release(&r);
	run(&r, 60, "assay-hpcg --nx 16 --threads 1 --time 0 --inject-error entry");
	assert_int_equal(r.end.exit, 1);
	assert_null(strstr(strbuf_str(&r.out), "VALID with"));
	assert_non_null(strstr(strbuf_str(&r.out), "HPCG result is=INVALID."));
	run_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(residuals_are_those_of_an_independent_solution),
		cmocka_unit_test(any_number_of_threads_gives_the_same),
		cmocka_unit_test(a_run_gives_all_metrics_and_passes_all_checks),
		cmocka_unit_test(a_broken_entry_fails_the_right_check),
		cmocka_unit_test(wrong_sides_are_refused_with_what_would_do),
		cmocka_unit_test(a_run_below_the_minimum_is_marked_and_another_is_not),
		cmocka_unit_test(by_hand_it_prints_what_its_users_know),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
