/* SPDX-License-Identifier: Apache-2.0 */
/* assay-hpl: right over a table of sizes and grids, its records, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/kernel/run.h"

#define HPL      "assay-hpl --format records --threads 1 "
#define RANKS(n) MPIRUN "-np " #n " taskset -c 0,1 "
/* Many ranks on few CPUs: the program's own binding would refuse. */
#define TABLE(n) MPIRUN "-np " #n " " HPL_TABLE " "

static double value(const struct run *r, const char *metric, int64_t rank)
{
	const struct record *s;

	for (size_t i = 0; (s = run_record(r, RECORD_KIND_sample, i)); i++) {
		if (!strcmp(s->u.sample.metric, metric) && s->u.sample.rank == rank)
			return s->u.sample.value.v;
	}
	return NAN;
}

static void table(const char *words)
{
	struct run r;

	run(&r, 100, words);
	if (r.end.exit)
		print_message("%s%s", strbuf_str(&r.out), strbuf_str(&r.err));
	assert_int_equal(r.end.exit, 0);
	assert_non_null(strstr(strbuf_str(&r.out), "0 of "));
	assert_null(strstr(strbuf_str(&r.out), " 0 of 0 "));
	run_release(&r);
}

/* Small ones also against LAPACK's dgesv; all with each update the CPU has. */
static void one_rank_is_right_for_every_size(void **unused)
{
	(void)unused;
	table(HPL_TABLE " 1 1 1 500");
	table("env OMP_WAIT_POLICY=passive " HPL_TABLE " 1 1 3 211 5");
}

static void every_grid_is_right(void **unused)
{
	(void)unused;
	table(TABLE(2) "1 2 1 211 3");
	table(TABLE(2) "2 1 1 127 3");
	/* four threads on two CPUs: few, as they wait for each other */
	table("env OMP_WAIT_POLICY=passive " TABLE(2) "2 1 2 49 31");
	table("env OMP_WAIT_POLICY=passive " TABLE(2) "1 2 2 49 31");
	table(TABLE(4) "2 2 1 101 5");
	table(TABLE(3) "1 3 1 49 5");
	table(TABLE(6) "3 2 1 49 7");
	table(TABLE(8) "2 4 1 49 11");
	table(TABLE(5) "1 5 1 49 7");
}

#ifndef __SANITIZE_ADDRESS__
static void larger_ones_are_right_too(void **unused)
{
	(void)unused;
	table(HPL_TABLE " 1 1 2 4000 23");
	table(TABLE(4) "2 2 1 1009 17");
}

/* Peak of the processes that have ended so far, bytes. */
static double peak(void)
{
	struct rusage u;

	assert_int_equal(getrusage(RUSAGE_CHILDREN, &u), 0);
	return (double)u.ru_maxrss * 1024;
}

static void memory_in_use_is_the_matrix_and_less_than_a_tenth(void **unused)
{
	const double plain = 8000.0 * 8000 * 8;
	struct run r;
	double before;

	(void)unused;
	run(&r, 60, HPL "--n 8");
	run_release(&r);
	before = peak();
	run(&r, 100, HPL "--n 8000");
	assert_int_equal(r.end.exit, 0);
	assert_true(peak() > plain);
	assert_true(peak() - before < 1.1 * plain);
	run_release(&r);
}
#endif

static void records_say_how_fast_and_who_waited(void **unused)
{
	static const char *const phases[] = {"hpl.panel", "hpl.broadcast", "hpl.swap",
					     "hpl.update", "hpl.wait"};
	const double n = 500, flops = n * n * (2 * n / 3 + 1.5);
	struct run r;
	double sum = 0;

	(void)unused;
	run(&r, 60, RANKS(2) HPL "--n 500 --nb 32");
	assert_int_equal(r.end.exit, 0);
	assert_true(fabs(value(&r, "hpl.rate", 0) * value(&r, "hpl.time", 0) / flops -
			 1) < 1e-9);
	for (size_t i = 0; i < 5; i++) {
		assert_true(value(&r, phases[i], 0) >= 0);
		sum += value(&r, phases[i], 0);
	}
	/* the solution is in the time and in no phase */
	assert_true(sum > 0 && sum <= value(&r, "hpl.time", 0) * 1.01);
	for (int rank = 0; rank < 2; rank++) {
		assert_true(value(&r, "hpl.rank_rate", rank) > 1e6);
		assert_true(value(&r, "hpl.rank_wait", rank) >= 0);
		assert_true(value(&r, "hpl.rank_wait", rank) < 1);
	}
	assert_true(isnan(value(&r, "hpl.rate", 1)));
	assert_int_equal(run_count(&r, RECORD_KIND_valid), 1);
	assert_string_equal(run_record(&r, RECORD_KIND_valid, 0)->u.valid.check,
			    "residual");
	assert_non_null(strstr(run_event(&r, "placement"),
			       "N 500, NB 32, 1 x 2, 1 thread a rank, update "));
	run_release(&r);
}

static void a_flaw_in_the_factors_fails(void **unused)
{
	static const char *const updates[] = {"auto", "blas"};

	(void)unused;
	for (size_t i = 0; i < 2; i++) {
		const struct record_valid *v;
		char words[160];
		struct run r;

		(void)snprintf(words, sizeof(words),
			       HPL "--n 300 --inject-error --update %s", updates[i]);
		run(&r, 60, words);
		assert_int_equal(r.end.exit, 1);
		v = &run_record(&r, RECORD_KIND_valid, 0)->u.valid;
		assert_false(v->ok);
		assert_true(v->value.v > 16);
		assert_non_null(strstr(v->text, "the solution is wrong"));
		run_release(&r);
	}
}

static void every_instruction_set_can_be_asked_for(void **unused)
{
	static const char *const simds[] = {"avx512", "avx2"};

	(void)unused;
	for (size_t i = 0; i < 2; i++) {
		char words[160], name[32];
		struct run r;

		(void)snprintf(words, sizeof(words), HPL "--n 300 --simd %s", simds[i]);
		(void)snprintf(name, sizeof(name), "update own %s", simds[i]);
		run(&r, 60, words);
		if (r.end.exit == 3) {
			assert_non_null(strstr(run_event(&r, "skip"), "this CPU has no"));
		} else {
			assert_int_equal(r.end.exit, 0);
			assert_non_null(strstr(run_event(&r, "placement"), name));
		}
		run_release(&r);
	}
}

static void what_cannot_be_is_refused(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, HPL "--n 100 --p 2 --q 2");
	assert_int_equal(r.end.exit, 2);
	assert_int_equal(run_count(&r, RECORD_KIND_sample), 0);
	run_release(&r);
	run(&r, 60, "assay-hpl --n 100 --p 2 --q 2 --threads 1");
	assert_non_null(
		strstr(strbuf_str(&r.err), "a grid of 2 x 2 needs 4 ranks, not 1"));
	run_release(&r);
	run(&r, 60, "assay-hpl --memory 3 --threads 1");
	assert_int_equal(r.end.exit, 2);
	assert_non_null(strstr(strbuf_str(&r.err), "--memory"));
	run_release(&r);
	run(&r, 60, "assay-hpl --memory 0.001% --threads 1");
	assert_int_equal(r.end.exit, 2);
	assert_non_null(strstr(strbuf_str(&r.err), "at least 0.1 %"));
	run_release(&r);
	run(&r, 60, RANKS(2) "assay-hpl --n 100 --p 3 --threads 1");
	assert_int_equal(r.end.exit, 2);
	assert_non_null(strstr(strbuf_str(&r.err),
			       "--p 3: 2 ranks cannot be divided by it, expected a "
			       "divisor of them, or a multiple of 3 ranks"));
	run_release(&r);
	run(&r, 60, RANKS(2) "assay-hpl --hpl-dat /nonexistent/HPL.dat --threads 1");
	assert_int_equal(r.end.exit, 2);
	assert_non_null(strstr(strbuf_str(&r.err), "/nonexistent/HPL.dat"));
	run_release(&r);
	run(&r, 60, "assay-hpl --hpl-dat= --threads 1"); /* a variable that is not set */
	assert_int_equal(r.end.exit, 2);
	run_release(&r);
	run(&r, 60, "assay-hpl --n 300 --update blas --simd avx2 --threads 1");
	assert_int_equal(r.end.exit, 2);
	run_release(&r);
	run(&r, 60, "assay-hpl --n 2147483648 --threads 1");
	assert_int_equal(r.end.exit, 2);
	run_release(&r);
}

static void what_does_not_fit_is_skipped_with_the_largest_that_would(void **unused)
{
	struct run r;
	const char *text;
	long long n;

	(void)unused;
	run(&r, 60, HPL "--n 2000000");
	assert_int_equal(r.end.exit, 3);
	text = run_event(&r, "skip");
	assert_non_null(text);
	assert_non_null(strstr(text, "n 2000000 needs 32"));
	text = strstr(text, "that fits is ");
	assert_non_null(text);
	assert_int_equal(sscanf(text, "that fits is %lld", &n), 1);
	assert_true(n > 1000 && n < 2000000);
	run_release(&r);
}

static void one_side_of_the_grid_gives_the_other(void **unused)
{
	static const struct {
		const char *words, *grid;
	} t[] = {{"--p 2", "2 x 1"}, {"--p 1", "1 x 2"}, {"--q 1", "2 x 1"}};

	(void)unused;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		char words[320];
		struct run r;

		(void)snprintf(words, sizeof(words), RANKS(2) HPL "--n 100 --nb 32 %s",
			       t[i].words);
		run(&r, 60, words);
		assert_int_equal(r.end.exit, 0);
		assert_non_null(strstr(run_event(&r, "placement"), t[i].grid));
		run_release(&r);
	}
}

/* An HPL.dat for 1 x @q ranks with these Ns, NBs, BCASTs and DEPTHs; unlink() it. */
static void write_dat(char *path, int q, const char *ns, const char *nbs,
		      const char *bcasts, const char *depths)
{
	const int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_true(dprintf(fd,
			    "a\nb\nHPL.out\n6\n%s Ns\n%s NBs\n0\n1\n1 Ps\n%d Qs\n16.0\n"
			    "1\n2\n1\n4\n1\n2\n1\n1\n%s\n%s\n2\n64\n0\n0\n1\n8\n",
			    ns, nbs, q, bcasts, depths) > 0);
	(void)close(fd);
}

static void an_hpl_dat_runs_every_combination(void **unused)
{
	char path[] = "/tmp/assay-hpl-XXXXXX", words[512];
	struct run r;

	(void)unused;
	write_dat(path, 2, "2\n60 97", "2\n8 16", "2\n0 4", "2\n0 1");
	(void)snprintf(words, sizeof(words), RANKS(2) HPL "--hpl-dat %s", path);
	run(&r, 60, words);
	assert_int_equal(r.end.exit, 0);
	assert_int_equal(run_count(&r, RECORD_KIND_valid), 16);
	assert_non_null(strstr(strbuf_str(&r.out), "\"n\":97,\"nb\":8,"));
	assert_non_null(strstr(strbuf_str(&r.out), "\"look_ahead\":0"));
	assert_null(run_event(&r, "remark"));
	run_release(&r);
	(void)snprintf(words, sizeof(words), "assay-hpl --threads 1 --hpl-dat %s", path);
	run(&r, 60, words);
	assert_int_equal(r.end.exit, 2);
	assert_non_null(
		strstr(strbuf_str(&r.err), "grid 1, 1 x 2, needs 2 ranks, not 1"));
	run_release(&r);
	(void)unlink(path);
}

/* Its numbers are there, but no launch of it may count. */
static void a_threshold_not_above_zero_leaves_the_result_unchecked(void **unused)
{
	static const char dat[] =
		"a\nb\nHPL.out\n6\n1\n97 Ns\n1\n16 NBs\n0\n1\n1 Ps\n1 Qs\n-16.0\n1\n"
		"2\n1\n4\n1\n2\n1\n1\n1\n0\n1\n0\n2\n64\n0\n0\n1\n8\n";
	char path[] = "/tmp/assay-hpl-XXXXXX", words[512];
	const int fd = mkstemp(path);
	struct run r;

	(void)unused;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, dat, sizeof(dat) - 1), sizeof(dat) - 1);
	(void)close(fd);
	(void)snprintf(words, sizeof(words), HPL "--hpl-dat %s", path);
	run(&r, 60, words);
	assert_int_equal(r.end.exit, 0);
	assert_int_equal(run_count(&r, RECORD_KIND_valid), 0);
	assert_true(run_count(&r, RECORD_KIND_sample) > 0);
	assert_non_null(run_event(&r, "invalid"));
	assert_non_null(strstr(run_event(&r, "invalid"),
			       "the threshold in HPL.dat, -16, is not above 0"));
	run_release(&r);
	(void)snprintf(words, sizeof(words), "assay-hpl --threads 1 --hpl-dat %s", path);
	run(&r, 60, words);
	assert_int_equal(r.end.exit, 0);
	assert_non_null(strstr(strbuf_str(&r.out), "\nWR0"));
	assert_non_null(strstr(strbuf_str(&r.out), "residual: not checked"));
	assert_non_null(strstr(strbuf_str(&r.out), "unchecked\n"));
	assert_non_null(strstr(strbuf_str(&r.out),
			       "\nFinished 1 test: 0 passed, 0 failed, 1 unchecked\n"));
	assert_null(strstr(strbuf_str(&r.out), "PASSED"));
	run_release(&r);
	(void)unlink(path);
}

static void what_of_an_hpl_dat_is_the_same_here_runs_once_and_is_said(void **unused)
{
	static const char *const said[] = {
		"assay-hpl: 3 tests on 1 rank; BLAS: ",
		"DEPTH 0 is no look-ahead, 1 and all above one panel; BCAST 0 to 3 is "
		"the "
		"ring, 4 and 5 long",
		"; its 12 combinations are 3 different ones\n",
		"\nFinished 3 tests: 3 passed, 0 failed\n",
	};
	char path[] = "/tmp/assay-hpl-XXXXXX", words[512];
	struct run r;

	(void)unused;
	write_dat(path, 1, "3\n60 61 62", "1\n16", "2\n1 3", "2\n1 7");
	(void)snprintf(words, sizeof(words), "assay-hpl --threads 1 --hpl-dat %s", path);
	run(&r, 60, words);
	assert_int_equal(r.end.exit, 0);
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		if (!strstr(strbuf_str(&r.out), said[i]))
			fail_msg("'%s' is not in\n%s", said[i], strbuf_str(&r.out));
	}
	run_release(&r);
	(void)snprintf(words, sizeof(words), HPL "--hpl-dat %s", path);
	run(&r, 60, words);
	assert_int_equal(run_count(&r, RECORD_KIND_valid), 3);
	assert_non_null(strstr(run_event(&r, "remark"), "1 and all above one panel"));
	run_release(&r);
	(void)unlink(path);
}

static void by_hand_it_prints_the_columns_people_know(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, "assay-hpl --n 200 --nb 16 --threads 1");
	assert_int_equal(r.end.exit, 0);
	assert_non_null(strstr(strbuf_str(&r.out), "\nT/V "));
	assert_non_null(strstr(strbuf_str(&r.out), "\nWR10R2L8 "));
	assert_non_null(strstr(strbuf_str(&r.out), " PASSED\n"));
	assert_non_null(
		strstr(strbuf_str(&r.out), "\nFinished 1 test: 1 passed, 0 failed\n"));
	run_release(&r);
	run(&r, 60, "assay-hpl --n 200 --threads 1 --ntimes 2 --inject-error");
	assert_int_equal(r.end.exit, 1);
	assert_non_null(strstr(strbuf_str(&r.out), " FAILED\n  the solution is wrong: "));
	assert_non_null(
		strstr(strbuf_str(&r.out), "\nFinished 2 tests: 0 passed, 2 failed\n"));
	run_release(&r);
}

/* So many that they are not done by then on any machine. */
static void what_is_done_is_printed_at_once(void **unused)
{
	static const char *const words[] = {
		"assay-hpl --n 1500 --threads 1 --ntimes 1000",
		RANKS(2) "assay-hpl --n 1500 --threads 1 --ntimes 1000"};
	struct run r;

	(void)unused;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *out;

		/* the head before the first result, then that before the second */
		run_until(&r, 60, words[i], "residual\n");
		run_release(&r);
		run_until(&r, 60, words[i], " PASSED\n");
		out = strbuf_str(&r.out);
		assert_non_null(strstr(out, "\nT/V "));
		assert_non_null(strstr(out, "\nWR1"));
		assert_null(strstr(out, "Finished"));
		run_release(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_rank_is_right_for_every_size),
		cmocka_unit_test(every_grid_is_right),
#ifndef __SANITIZE_ADDRESS__
		cmocka_unit_test(larger_ones_are_right_too),
		cmocka_unit_test(memory_in_use_is_the_matrix_and_less_than_a_tenth),
#endif
		cmocka_unit_test(records_say_how_fast_and_who_waited),
		cmocka_unit_test(a_flaw_in_the_factors_fails),
		cmocka_unit_test(every_instruction_set_can_be_asked_for),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(
			what_does_not_fit_is_skipped_with_the_largest_that_would),
		cmocka_unit_test(one_side_of_the_grid_gives_the_other),
		cmocka_unit_test(an_hpl_dat_runs_every_combination),
		cmocka_unit_test(
			what_of_an_hpl_dat_is_the_same_here_runs_once_and_is_said),
		cmocka_unit_test(a_threshold_not_above_zero_leaves_the_result_unchecked),
		cmocka_unit_test(what_is_done_is_printed_at_once),
		cmocka_unit_test(by_hand_it_prints_the_columns_people_know),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
