/* SPDX-License-Identifier: Apache-2.0 */
/* assay-stream: what it measures, how large, where its memory is, and its own check. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/kernel/run.h"

#define SMALL "assay-stream --format records --size 4M --ntimes 3 "

/* Samples of @metric whose key has "store": @store, "" for none. */
static size_t samples(struct run *r, const char *metric, const char *store)
{
	size_t n = 0;
	const struct record *s;

	for (size_t i = 0; (s = run_record(r, RECORD_KIND_sample, i)); i++)
		n += !strcmp(s->u.sample.metric, metric) &&
		     !strcmp(record_json_text(&r->arena, s->u.sample.at, "store"), store);
	return n;
}

static void every_loop_gives_one_sample_a_counted_repetition(void **unused)
{
	static const char *const loops[] = {"stream.copy", "stream.scale", "stream.add",
					    "stream.triad"};
	struct run r;

	(void)unused;
	run(&r, 60, SMALL "--store both");
	assert_int_equal(r.end.exit, 0);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(samples(&r, loops[i], "nt"), 2);
		assert_int_equal(samples(&r, loops[i], "plain"), 2);
	}
	assert_int_equal(samples(&r, "stream.read", ""), 2);
	assert_int_equal(run_count(&r, RECORD_KIND_sample), 19);
	assert_int_equal(run_count(&r, RECORD_KIND_valid), 3);
	run_release(&r);
	run(&r, 60, SMALL "--store plain --threads 1");
	assert_int_equal(samples(&r, "stream.triad", "nt"), 0);
	assert_int_equal(samples(&r, "stream.triad", "plain"), 2);
	run_release(&r);
}

/* Bytes of an element that @metric counts, 0 for none of the loops. */
static double bytes_of(const char *metric)
{
	static const struct {
		const char *metric;
		double bytes;
	} loops[] = {{"stream.copy", 16},
		     {"stream.scale", 16},
		     {"stream.add", 24},
		     {"stream.triad", 24},
		     {"stream.read", 24}};

	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		if (!strcmp(metric, loops[i].metric))
			return loops[i].bytes;
	}
	return 0;
}

static void the_sustained_rate_is_all_bytes_over_all_time(void **unused)
{
	double moved = 0, seconds = 0, sustained = 0;
	const struct record *s;
	struct run r;

	(void)unused;
	run(&r, 60, SMALL "--store both");
	for (size_t i = 0; (s = run_record(&r, RECORD_KIND_sample, i)); i++) {
		double bytes = bytes_of(s->u.sample.metric);

		moved += bytes;
		seconds += bytes / s->u.sample.value.v;
		if (!strcmp(s->u.sample.metric, "stream.sustained"))
			sustained = s->u.sample.value.v;
	}
	assert_true(fabs(sustained / (moved / seconds) - 1) < 1e-9);
	run_release(&r);
}

static void every_instruction_set_the_cpu_has_gives_right_results(void **unused)
{
	static const char *const simds[] = {"avx512", "avx2", "sse2", "c"};
	size_t ran = 0;

	(void)unused;
	for (size_t i = 0; i < 4; i++) {
		char words[128];
		struct run r;

		(void)snprintf(words, sizeof(words), SMALL "--store plain --simd %s",
			       simds[i]);
		run(&r, 60, words);
		if (r.end.exit == 3) {
			assert_non_null(strstr(run_event(&r, "skip"), "this CPU has no"));
		} else {
			assert_int_equal(r.end.exit, 0);
			assert_int_equal(samples(&r, "stream.triad", "plain"), 2);
			ran++;
		}
		run_release(&r);
	}
	assert_true(ran >= 1);
}

static void an_injected_error_is_found_and_fails(void **unused)
{
	struct run r;
	const struct record_valid *mean, *worst;

	(void)unused;
	run(&r, 60, SMALL "--inject-error");
	assert_int_equal(r.end.exit, 1);
	assert_int_equal(run_count(&r, RECORD_KIND_valid), 3);
	mean = &run_record(&r, RECORD_KIND_valid, 0)->u.valid;
	worst = &run_record(&r, RECORD_KIND_valid, 1)->u.valid;
	assert_string_equal(mean->check, "mean error");
	assert_false(mean->ok);
	assert_true(mean->value.v > mean->limit.v);
	assert_false(worst->ok);
	assert_true(fabs(worst->value.v - 1) < 1e-6); /* one element doubled */
	run_release(&r);
}

static void a_domain_alone_is_named_by_its_number(void **unused)
{
	struct run r;
	const struct record *s;

	(void)unused;
	run(&r, 60, SMALL "--per domain --store plain");
	assert_int_equal(r.end.exit, 0);
	for (size_t i = 0; (s = run_record(&r, RECORD_KIND_sample, i)); i++)
		assert_true(record_json_num(s->u.sample.at, "domain") >= 0);
	assert_true(run_count(&r, RECORD_KIND_sample) >= 10);
	run_release(&r);
}

static void a_small_array_is_marked_and_auto_is_not(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, SMALL "--threads 1");
	assert_non_null(run_event(&r, "size"));
	assert_non_null(strstr(run_event(&r, "size"),
			       "array of 4.19 MB is below 4 x last-level cache"));
	run_release(&r);
	run(&r, 100, "assay-stream --format records --ntimes 2 --store plain");
	assert_int_equal(r.end.exit, 0);
	assert_null(run_event(&r, "size"));
	run_release(&r);
}

/* A machine whose last-level cache nobody tells. */
static void an_unknown_cache_is_guessed_and_said(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, "env 'HWLOC_SYNTHETIC=core:2 pu:1' " SMALL);
	assert_string_equal(run_event(&r, "remark"),
			    "size of the last-level cache unknown, taken as 101 MB");
	assert_non_null(strstr(run_event(&r, "size"), "= 403 MB")); /* 4 x 96 MiB */
	run_release(&r);
}

static void pages_are_local_to_the_thread_that_works_on_them(void **unused)
{
	struct run r;
	char expected[128];
	int looked;

	(void)unused;
	run(&r, 60, SMALL);
	looked = 15 * (int)r.records[0].u.rank.threads;
	(void)snprintf(expected, sizeof(expected),
		       "%d of %d pages looked at are local to their thread", looked,
		       looked);
	assert_string_equal(run_event(&r, "placement"), expected);
	run_release(&r);
}

static void two_ranks_of_a_node_share_one_number(void **unused)
{
	struct run r;
	const struct record *s;

	(void)unused;
	run(&r, 60, MPIRUN "-np 2 taskset -c 0,1 " SMALL "--store plain");
	assert_int_equal(r.end.exit, 0);
	assert_int_equal(run_count(&r, RECORD_KIND_sample), 11);
	for (size_t i = 0; (s = run_record(&r, RECORD_KIND_sample, i)); i++)
		assert_int_equal(s->u.sample.rank, 0);
	assert_int_equal(run_count(&r, RECORD_KIND_valid),
			 6); /* each rank checks its own */
	assert_non_null(strstr(run_event(&r, "size"), "array of 4.19 MB"));
	run_release(&r);
}

#ifndef __SANITIZE_ADDRESS__ /* which itself needs more address space than any limit */
static void what_does_not_fit_is_skipped_with_both_numbers(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60,
	    "sh -c 'ulimit -v 2500000; exec \"$@\"' sh assay-stream --format records "
	    "--size 2G");
	assert_int_equal(r.end.exit, 3);
	assert_int_equal(run_count(&r, RECORD_KIND_sample), 0);
	assert_non_null(strstr(run_event(&r, "skip"), "needs 6.4"));
	assert_non_null(strstr(run_event(&r, "skip"), " GB usable"));
	run_release(&r);
	run(&r, 60, "assay-stream --format records --size 1024T");
	assert_int_equal(r.end.exit, 3);
	assert_non_null(strstr(run_event(&r, "skip"), "needs 3"));
	run_release(&r);
}

static void one_rank_without_memory_ends_all(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60,
	    MPIRUN
	    "-np 2 sh -c 'test $OMPI_COMM_WORLD_RANK = 0 || ulimit -v 1500000; "
	    "exec \"$@\"' sh taskset -c 0,1 assay-stream --format records --size 1G");
	assert_int_equal(r.end.exit, 3);
	assert_int_equal(run_count(&r, RECORD_KIND_sample), 0);
	for (size_t i = 0; i < run_count(&r, RECORD_KIND_event); i++) {
		const struct record *event = run_record(&r, RECORD_KIND_event, i);

		if (!strcmp(event->u.event.what, "skip"))
			assert_int_equal(event->u.event.rank, 1);
	}
	assert_non_null(run_event(&r, "skip"));
	run_release(&r);
}
#endif

static void by_hand_it_prints_the_table_people_know(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, "assay-stream --size 4M --ntimes 3 --threads 1");
	assert_int_equal(r.end.exit, 0);
	assert_non_null(strstr(strbuf_str(&r.out), "Function   Best Rate MB/s"));
	assert_non_null(strstr(strbuf_str(&r.out), "\nTriad "));
	assert_non_null(strstr(strbuf_str(&r.out), "Results are right"));
	assert_non_null(strstr(strbuf_str(&r.err), "not for baselines"));
	run_release(&r);
	run(&r, 60, "assay-stream --size 4M --ntimes 3 --inject-error");
	assert_int_equal(r.end.exit, 1);
	assert_non_null(strstr(strbuf_str(&r.out), "Results are WRONG"));
	run_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_loop_gives_one_sample_a_counted_repetition),
		cmocka_unit_test(the_sustained_rate_is_all_bytes_over_all_time),
		cmocka_unit_test(every_instruction_set_the_cpu_has_gives_right_results),
		cmocka_unit_test(an_injected_error_is_found_and_fails),
		cmocka_unit_test(a_domain_alone_is_named_by_its_number),
		cmocka_unit_test(a_small_array_is_marked_and_auto_is_not),
		cmocka_unit_test(an_unknown_cache_is_guessed_and_said),
		cmocka_unit_test(pages_are_local_to_the_thread_that_works_on_them),
		cmocka_unit_test(two_ranks_of_a_node_share_one_number),
#ifndef __SANITIZE_ADDRESS__
		cmocka_unit_test(what_does_not_fit_is_skipped_with_both_numbers),
		cmocka_unit_test(one_rank_without_memory_ends_all),
#endif
		cmocka_unit_test(by_hand_it_prints_the_table_people_know),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
