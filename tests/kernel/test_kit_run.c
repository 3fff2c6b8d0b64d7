/* SPDX-License-Identifier: Apache-2.0 */
/* The kit at work, in assay-example: records, binding, ranks, watchdog, exit status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "tests/kernel/run.h"

#define EXAMPLE "assay-example --format records --ntimes 2 "
/* A word of the environment that lets no MPI start. */
#define NO_MPI "env OMPI_MCA_pml=there_is_no_such_pml "

/* Runs @words, asserts the exit status and the text of the first event of sort @what. */
static void refuses(const char *words, int status, const char *what, const char *text)
{
	struct run r;

	run(&r, 60, words);
	if (r.end.exit != status)
		fail_msg("%s: status %d, %s%s", words, r.end.exit, strbuf_str(&r.out),
			 strbuf_str(&r.err));
	assert_int_equal(run_count(&r, RECORD_KIND_sample), 0);
	assert_non_null(run_event(&r, what));
	assert_string_equal(run_event(&r, what), text);
	run_release(&r);
}

static void describe_help_and_version_never_start_mpi(void **unused)
{
	static const char *const asks[] = {"--describe", "--help", "--version"};
	struct run r;

	(void)unused;
	run(&r, 60, NO_MPI EXAMPLE);
	assert_int_not_equal(r.end.exit, 0);
	run_release(&r);
	for (size_t i = 0; i < 3; i++) {
		char words[128];

		(void)snprintf(words, sizeof(words), NO_MPI "assay-example %s", asks[i]);
		run(&r, 60, words);
		assert_int_equal(r.end.exit, 0);
		assert_int_equal(r.err.len, 0);
		assert_true(r.out.len > 10);
		run_release(&r);
	}
}

static void describe_is_one_json_object(void **unused)
{
	const char *kernel, *shape, *build, *name, *unit, *better, *reduce, *help;
	json_t *j, *metrics, *options;
	struct run r;

	(void)unused;
	run(&r, 60, "assay-example --describe");
	j = json_loads(strbuf_str(&r.out), JSON_REJECT_DUPLICATES, NULL);
	assert_int_equal(json_unpack(j, "{s:s, s:s, s:s, s:o, s:o}", "kernel", &kernel,
				     "shape", &shape, "build", &build, "metrics",
				     &metrics, "options", &options),
			 0);
	assert_string_equal(kernel, "example");
	assert_string_equal(shape, "node");
	assert_true(build[0] != '\0');
	assert_int_equal(json_array_size(metrics), 1);
	assert_int_equal(json_unpack(json_array_get(metrics, 0),
				     "{s:s, s:s, s:s, s:s, s:s!}", "name", &name, "unit",
				     &unit, "better", &better, "reduce", &reduce, "help",
				     &help),
			 0);
	assert_string_equal(name, "example.copy");
	assert_string_equal(unit, "B/s");
	assert_int_equal(json_array_size(options), 2); /* what is for tests is not told */
	json_decref(j);
	run_release(&r);
}

static void records_come_in_order_and_are_declared(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, EXAMPLE "--threads 1");
	assert_int_equal(r.end.exit, 0);
	assert_int_equal(r.records[0].kind, RECORD_KIND_rank);
	assert_int_equal(r.records[0].u.rank.threads, 1);
	assert_int_equal(run_count(&r, RECORD_KIND_sample), 2);
	for (size_t i = 0; i < 2; i++) {
		const struct record_sample *s =
			&run_record(&r, RECORD_KIND_sample, i)->u.sample;

		assert_string_equal(s->metric, "example.copy");
		assert_string_equal(s->unit, "B/s");
		assert_true(s->value.v > 1e6);
		assert_int_equal(s->repetition, i + 1);
	}
	assert_true(run_record(&r, RECORD_KIND_valid, 0)->u.valid.ok);
	assert_int_equal(r.records[r.n - 1].u.end.ranks, 1);
	run_release(&r);
}

/* Field case B03. */
static void more_threads_than_cpus_are_invalid_and_give_no_number(void **unused)
{
	struct run r;

	(void)unused;
	refuses("taskset -c 0 env OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=64 " EXAMPLE, 3,
		"invalid", "2 threads on 1 CPU");
	refuses("taskset -c 0 " EXAMPLE "--threads 3", 3, "invalid",
		"3 threads on 1 CPU");
	refuses(EXAMPLE "--cpuset 0 --threads 2", 3, "invalid", "2 threads on 1 CPU");
	/* mask, threads and environment are told all the same */
	run(&r, 60,
	    "taskset -c 0 env OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=64 " EXAMPLE);
	assert_string_equal(r.records[0].u.rank.mask, "0");
	assert_int_equal(r.records[0].u.rank.threads, 2);
	assert_string_equal(record_json_text(&r.arena, r.records[0].u.rank.env,
					     "OPENBLAS_NUM_THREADS"),
			    "64");
	run_release(&r);
}

static void a_mask_of_one_cpu_gives_one_thread(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, "taskset -c 1 " EXAMPLE);
	assert_int_equal(r.end.exit, 0);
	assert_string_equal(r.records[0].u.rank.mask, "1");
	assert_string_equal(r.records[0].u.rank.cpuset, "1");
	assert_int_equal(r.records[0].u.rank.threads, 1);
	run_release(&r);
}

static void cpus_outside_the_mask_are_refused(void **unused)
{
	(void)unused;
	refuses("taskset -c 1 " EXAMPLE "--cpuset 0", 3, "invalid",
		"CPU 0 of --cpuset is not among the CPUs this process may use, 1");
	refuses("taskset -c 0 " EXAMPLE "--cpuset 0,8191", 3, "invalid",
		"CPU 8191 of --cpuset is not among the CPUs this process may use, 0");
}

static void a_cpuset_is_kept_in_thread_order(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, EXAMPLE "--cpuset 1,0");
	assert_int_equal(r.end.exit, 0);
	assert_string_equal(r.records[0].u.rank.cpuset, "1,0");
	assert_int_equal(r.records[0].u.rank.threads, 2);
	run_release(&r);
	run(&r, 60, EXAMPLE "--cpuset 1,0 --threads 1");
	assert_string_equal(r.records[0].u.rank.cpuset, "1");
	run_release(&r);
}

/* The OpenMP runtime binds the first thread before main(): the mask is still whole. */
static void openmp_binding_does_not_narrow_the_mask(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, "taskset -c 0,1 env OMP_PROC_BIND=close OMP_PLACES=cores " EXAMPLE);
	assert_int_equal(r.end.exit, 0);
	assert_string_equal(r.records[0].u.rank.mask, "0-1");
	assert_string_equal(r.records[0].u.rank.cpuset, "0-1");
	assert_int_equal(r.records[0].u.rank.threads, 2);
	run_release(&r);
}

static void fewer_openmp_threads_than_asked_for_are_invalid(void **unused)
{
	(void)unused;
	refuses("taskset -c 0,1 env OMP_THREAD_LIMIT=1 " EXAMPLE "--threads 2", 3,
		"invalid", "OpenMP gives 1 of 2 threads");
}

static void a_long_environment_never_makes_a_long_line(void **unused)
{
	struct run r;
	struct strbuf words = {0};

	(void)unused;
	strbuf_addstr(&words, "env UCX_LONG=");
	for (int i = 0; i < 5000; i++)
		strbuf_addch(&words, 'x');
	strbuf_addstr(&words, " " EXAMPLE);
	run(&r, 60, strbuf_str(&words)); /* asserts the length of every line */
	assert_int_equal(r.end.exit, 0);
	assert_int_equal(r.records[0].kind, RECORD_KIND_rank);
	assert_null(r.records[0].u.rank.env);
	assert_non_null(
		strstr(run_event(&r, "remark"), "environment of rank 0 left out"));
	run_release(&r);
	strbuf_release(&words);
}

static void bad_options_are_one_line_and_status_2(void **unused)
{
	static const struct {
		const char *words, *text;
	} cases[] = {
		{"--thread 2", "unknown option '--thread', did you mean '--threads'?"},
		{"--bandwidth", "unknown option '--bandwidth', see --help"},
		{"--threads 99999999", "option '--threads': '99999999' is too large"},
		{"--threads -1", "option '--threads': '-1' is too small"},
		{"--threads 1x", "option '--threads': '1x' is not a whole number"},
		{"--limit nan", "option '--limit': "},
		{"--size 5Q", "option '--size': "},
		{"--size 1", "option '--size': '1' is too small"},
		{"--format record",
		 "'record' is not one of text, records; did you mean 'records'?"},
		{"--size", "option '--size' needs a value"},
		{"--threads 1 --threads=1", "option '--threads' is given twice"},
		{"word", "unexpected word 'word', see --help"},
		{"--cpuset 3-1", "option '--cpuset': CPU list '3-1' is not like 0-3,8"},
		{"--cpuset 0,0", "option '--cpuset': CPU 0 is in the list '0,0' twice"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run r;
		char words[128];

		(void)snprintf(words, sizeof(words), "assay-example %s", cases[i].words);
		run(&r, 60, words);
		if (r.end.exit != 2 || !strstr(strbuf_str(&r.err), cases[i].text))
			fail_msg("%s: status %d, %s", words, r.end.exit,
				 strbuf_str(&r.err));
		assert_int_equal(r.out.len, 0);
		assert_ptr_equal(strchr(r.err.buf, '\n'), r.err.buf + r.err.len - 1);
		run_release(&r);
	}
}

static void a_full_disk_is_not_a_success(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, "sh -c 'exec \"$@\" >/dev/full' sh " EXAMPLE);
	assert_int_equal(r.end.exit, 3);
	assert_string_equal(strbuf_str(&r.err),
			    "assay-example: results cannot be written to stdout\n");
	run_release(&r);
	run(&r, 60, "sh -c 'exec \"$@\" >/dev/full' sh assay-example --describe");
	assert_int_equal(r.end.exit, 3);
	run_release(&r);
}

static void each_of_two_ranks_gets_its_own_cpu(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, MPIRUN "-np 2 taskset -c 0,1 " EXAMPLE);
	assert_int_equal(r.end.exit, 0);
	for (int i = 0; i < 2; i++) {
		const struct record_rank *rank = &r.records[i].u.rank;

		assert_int_equal(r.records[i].kind, RECORD_KIND_rank);
		assert_int_equal(rank->rank, i);
		assert_string_equal(rank->mask, "0-1");
		assert_string_equal(rank->cpuset, i ? "1" : "0");
	}
	assert_int_equal(run_count(&r, RECORD_KIND_sample), 4);
	assert_int_equal(r.records[r.n - 1].u.end.ranks, 2);
	run_release(&r);
}

static bool line_has(const char *line, const char *word)
{
	const char *at = strstr(line, word);

	return at && at < line + strcspn(line, "\n");
}

static void only_rank_0_prints(void **unused)
{
	struct run r;
	size_t lines = 0;

	(void)unused;
	/* mpirun marks each line with the rank it came from */
	run(&r, 60, MPIRUN "--tag-output -np 2 " EXAMPLE "--threads 1");
	assert_int_equal(r.end.exit, 0);
	for (const char *p = strbuf_str(&r.out); *p; p += strcspn(p, "\n") + 1) {
		assert_memory_equal(p, "[1,0]<stdout>:@assay ", 21);
		/* counters of the machine that move meanwhile are its own affair */
		lines += !line_has(p, "\"kind\":\"counter\"") &&
			 !line_has(p, "\"what\":\"counters\"");
	}
	assert_int_equal(lines, 2 + 2 * 2 + 2 + 1);
	run_release(&r);
}

static void ranks_that_want_more_threads_than_the_node_has_are_invalid(void **unused)
{
	(void)unused;
	refuses(MPIRUN "-np 3 taskset -c 0,1 " EXAMPLE, 3, "invalid",
		"3 threads on 2 CPUs: 3 ranks on one node");
	refuses(MPIRUN "-np 2 taskset -c 0,1 " EXAMPLE "--cpuset 0:0", 3, "invalid",
		"2 threads on 1 CPU: 2 ranks on one node");
}

static void a_rank_that_cannot_run_ends_all_with_its_reason(void **unused)
{
	const struct record *event;
	struct run r;

	(void)unused;
	run(&r, 60, MPIRUN "-np 2 " EXAMPLE "--cpuset 0:8000");
	assert_int_equal(r.end.exit, 3);
	assert_int_equal(run_count(&r, RECORD_KIND_event), 1);
	event = run_record(&r, RECORD_KIND_event, 0);
	assert_int_equal(event->u.event.rank, 1);
	assert_non_null(strstr(event->u.event.text, "CPU 8000 of --cpuset"));
	run_release(&r);
	run(&r, 60, MPIRUN "-np 2 " EXAMPLE "--cpuset 0");
	assert_int_equal(r.end.exit, 2);
	assert_non_null(
		strstr(run_event(&r, "invalid"), "no CPUs for local rank 1 of 2"));
	run_release(&r);
}

static void every_rank_finds_a_bad_option_and_one_says_so(void **unused)
{
	struct run r;
	const char *first;

	(void)unused;
	run(&r, 60, MPIRUN "-np 2 assay-example --thread 2");
	assert_int_equal(r.end.exit, 2);
	first = strstr(strbuf_str(&r.err), "unknown option");
	assert_non_null(first);
	assert_null(strstr(first + 1, "unknown option"));
	run_release(&r);
}

static void the_watchdog_ends_a_kernel_that_hangs(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, EXAMPLE "--limit 1 --hang all");
	assert_int_equal(r.end.exit, 124);
	assert_true(r.end.duration >= 5);
	assert_non_null(
		strstr(strbuf_str(&r.err),
		       "ended by its watchdog 5 s after its limit of 1 s, in run\n"));
	run_release(&r);
}

static void the_watchdog_ends_ranks_that_wait_in_mpi(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, MPIRUN "-np 2 " EXAMPLE "--threads 1 --limit 1 --hang last");
	assert_int_not_equal(r.end.exit, 0);
	assert_non_null(strstr(strbuf_str(&r.err), "ended by its watchdog"));
	run_release(&r);
}

static void a_kernel_within_its_limit_does_not_notice_it(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, EXAMPLE "--limit 30");
	assert_int_equal(r.end.exit, 0);
	run_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(describe_help_and_version_never_start_mpi),
		cmocka_unit_test(describe_is_one_json_object),
		cmocka_unit_test(records_come_in_order_and_are_declared),
		cmocka_unit_test(more_threads_than_cpus_are_invalid_and_give_no_number),
		cmocka_unit_test(a_mask_of_one_cpu_gives_one_thread),
		cmocka_unit_test(cpus_outside_the_mask_are_refused),
		cmocka_unit_test(a_cpuset_is_kept_in_thread_order),
		cmocka_unit_test(openmp_binding_does_not_narrow_the_mask),
		cmocka_unit_test(fewer_openmp_threads_than_asked_for_are_invalid),
		cmocka_unit_test(a_long_environment_never_makes_a_long_line),
		cmocka_unit_test(bad_options_are_one_line_and_status_2),
		cmocka_unit_test(a_full_disk_is_not_a_success),
		cmocka_unit_test(each_of_two_ranks_gets_its_own_cpu),
		cmocka_unit_test(only_rank_0_prints),
		cmocka_unit_test(
			ranks_that_want_more_threads_than_the_node_has_are_invalid),
		cmocka_unit_test(a_rank_that_cannot_run_ends_all_with_its_reason),
		cmocka_unit_test(every_rank_finds_a_bad_option_and_one_says_so),
		cmocka_unit_test(the_watchdog_ends_a_kernel_that_hangs),
		cmocka_unit_test(the_watchdog_ends_ranks_that_wait_in_mpi),
		cmocka_unit_test(a_kernel_within_its_limit_does_not_notice_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
