/* SPDX-License-Identifier: Apache-2.0 */
/* assay-dgemm: what it measures, its check, and which BLAS works with how many threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/kernel/run.h"

#define SMALL "assay-dgemm --format records --n 200 --ntimes 2 --seconds 0.05 "

/* Samples of @metric, the smallest and largest value of @key in their place. */
static size_t samples(struct run *r, const char *metric, const char *key, double *low,
		      double *high)
{
	size_t n = 0;
	const struct record *s;

	*low = 1e9;
	*high = -1;
	for (size_t i = 0; (s = run_record(r, RECORD_KIND_sample, i)); i++) {
		double at = record_json_num(s->u.sample.at ? s->u.sample.at : "{}", key);

		if (strcmp(s->u.sample.metric, metric) != 0)
			continue;
		assert_true(s->u.sample.value.v > 1e6);
		*low = at < *low ? at : *low;
		*high = at > *high ? at : *high;
		n++;
	}
	return n;
}

static void each_core_has_its_own_numbers(void **unused)
{
	double low, high;
	struct run r;

	(void)unused;
	run(&r, 60, "taskset -c 0,1 " SMALL "--per core");
	assert_int_equal(r.end.exit, 0);
	assert_int_equal(samples(&r, "dgemm.dgemm", "core", &low, &high), 4);
	assert_true(low == 0 && high == 1);
	assert_int_equal(samples(&r, "dgemm.fma", "core", &low, &high), 4);
	assert_int_equal(run_count(&r, RECORD_KIND_valid), 2);
	run_release(&r);
	/* the same product on every core, added up over the domain */
	run(&r, 60, "taskset -c 0,1 " SMALL "--per domain");
	assert_int_equal(samples(&r, "dgemm.dgemm", "domain", &low, &high), 2);
	assert_true(low >= 0);
	run_release(&r);
	run(&r, 60, "taskset -c 0,1 " SMALL "--per node");
	assert_int_equal(r.end.exit, 0);
	assert_int_equal(samples(&r, "dgemm.dgemm", "core", &low, &high), 2);
	assert_int_equal(run_count(&r, RECORD_KIND_sample), 4);
	assert_null(run_record(&r, RECORD_KIND_sample, 0)->u.sample.at);
	run_release(&r);
}

static void two_ranks_of_a_node_are_one_node(void **unused)
{
	double low, high;
	struct run r;

	(void)unused;
	run(&r, 60, MPIRUN "-np 2 taskset -c 0,1 " SMALL "--per node");
	assert_int_equal(r.end.exit, 0);
	assert_int_equal(samples(&r, "dgemm.fma", "core", &low, &high), 2);
	run_release(&r);
	run(&r, 60, MPIRUN "-np 2 taskset -c 0,1 " SMALL "--per core");
	assert_int_equal(samples(&r, "dgemm.fma", "core", &low, &high), 4);
	assert_true(low == 0 && high == 1);
	run_release(&r);
}

static void every_instruction_set_the_cpu_has_ends_at_two(void **unused)
{
	static const char *const simds[] = {"avx512", "avx2", "sse2", "c"};
	size_t ran = 0;

	(void)unused;
	for (size_t i = 0; i < 4; i++) {
		char words[160];
		struct run r;

		(void)snprintf(words, sizeof(words), SMALL "--threads 1 --simd %s",
			       simds[i]);
		run(&r, 60, words);
		if (r.end.exit == 3) {
			assert_non_null(strstr(run_event(&r, "skip"), "this CPU has no"));
		} else {
			assert_int_equal(r.end.exit, 0);
			ran++;
		}
		run_release(&r);
	}
	assert_true(ran >= 1);
}

static void one_wrong_element_fails(void **unused)
{
	static const char *const pers[] = {"core", "node"};

	(void)unused;
	for (size_t i = 0; i < 2; i++) {
		const struct record_valid *v;
		char words[160];
		struct run r;

		(void)snprintf(words, sizeof(words), SMALL "--inject-error --per %s",
			       pers[i]);
		run(&r, 60, words);
		assert_int_equal(r.end.exit, 1);
		v = &run_record(&r, RECORD_KIND_valid, 0)->u.valid;
		assert_string_equal(v->check, "product");
		assert_false(v->ok);
		assert_true(v->value.v > 1e3);
		assert_non_null(strstr(v->text, "is not A B"));
		run_release(&r);
	}
}

static void the_library_is_in_the_record(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, "taskset -c 0,1 " SMALL);
	assert_int_equal(strncmp(run_event(&r, "library"), "BLAS: ", 6), 0);
	assert_non_null(strstr(run_event(&r, "library"), ", 2 threads, n = 200, /"));
	run_release(&r);
}

/* The test's own, put in place without a new build. */
/* AddressSanitizer would like to be the first, and takes what MPI keeps for leaks then */
#define PRELOAD                                                                    \
	"taskset -c 0,1 env ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 " \
	"LD_PRELOAD=" FAKE_BLAS " "

static void another_library_can_be_put_in(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, PRELOAD SMALL);
	assert_int_equal(r.end.exit, 0);
	/* it has no OpenMP: the product is shared out, a thread works on each tile */
	assert_non_null(strstr(run_event(&r, "library"),
			       "BLAS: libfake_blas.so, 2 threads, n = 200, /"));
	run_release(&r);
}

/* Field case B03, of the BLAS. */
static void threads_of_the_library_are_counted(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60,
	    PRELOAD "FAKE_BLAS_THREADS=7 " SMALL "--per core --threads 1 --cpuset 0 ");
	assert_int_equal(r.end.exit, 3);
	assert_int_equal(run_count(&r, RECORD_KIND_sample), 0);
	assert_non_null(strstr(run_event(&r, "invalid"), "libfake_blas.so works with "));
	assert_non_null(strstr(run_event(&r, "invalid"), " threads on 1 CPU"));
	run_release(&r);
	/* what the variables say does not matter, the API does */
	run(&r, 60,
	    "taskset -c 0,1 env OPENBLAS_NUM_THREADS=64 OMP_NUM_THREADS=1 " SMALL
	    "--threads 2");
	assert_int_equal(r.end.exit, 0);
	assert_non_null(strstr(run_event(&r, "library"), " 2 threads, "));
	run_release(&r);
	run(&r, 60, "taskset -c 0 env OPENBLAS_NUM_THREADS=64 OMP_NUM_THREADS=2 " SMALL);
	assert_int_equal(r.end.exit, 3);
	assert_string_equal(run_event(&r, "invalid"), "2 threads on 1 CPU");
	run_release(&r);
}

static void what_does_not_fit_is_skipped(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, "assay-dgemm --format records --n 100000 --per core");
	assert_int_equal(r.end.exit, 3);
	assert_non_null(strstr(run_event(&r, "skip"), "needs "));
	run_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_core_has_its_own_numbers),
		cmocka_unit_test(two_ranks_of_a_node_are_one_node),
		cmocka_unit_test(every_instruction_set_the_cpu_has_ends_at_two),
		cmocka_unit_test(one_wrong_element_fails),
		cmocka_unit_test(the_library_is_in_the_record),
		cmocka_unit_test(another_library_can_be_put_in),
		cmocka_unit_test(threads_of_the_library_are_counted),
		cmocka_unit_test(what_does_not_fit_is_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
