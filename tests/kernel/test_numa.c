/* SPDX-License-Identifier: Apache-2.0 */
/* assay-numa: which domains it measures, and what it does where memory cannot be bound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/kernel/run.h"

#define SMALL "assay-numa --format records --size 8M --ntimes 2 --seconds 0.001 "

/* Samples of @metric; the last one's number of @key into *@value. */
static size_t samples(const struct run *r, const char *metric, const char *key,
		      double *value)
{
	const struct record *s;
	size_t n = 0;

	*value = -1;
	for (size_t i = 0; (s = run_record(r, RECORD_KIND_sample, i)); i++) {
		if (strcmp(s->u.sample.metric, metric) != 0)
			continue;
		*value = record_json_num(s->u.sample.at, key);
		assert_true(s->u.sample.value.v > 0);
		n++;
	}
	return n;
}

static void each_pair_of_domains_has_its_numbers(void **unused)
{
	double value;
	struct run r;

	(void)unused;
	run(&r, 60, "taskset -c 0,1 " SMALL);
	assert_int_equal(r.end.exit, 0);
	/* one domain here: a thread, and both */
	assert_int_equal(samples(&r, "numa.read", "threads", &value), 2);
	assert_true(value == 2);
	assert_int_equal(samples(&r, "numa.triad", "mem_domain", &value), 2);
	assert_true(value == 0);
	assert_int_equal(samples(&r, "numa.latency", "domain", &value), 1);
	assert_int_equal(samples(&r, "numa.remote_read", "path", &value), 0);
	assert_int_equal(run_count(&r, RECORD_KIND_valid), 2);
	assert_non_null(strstr(run_event(&r, "size"), "not for baselines"));
	run_release(&r);
	run(&r, 60, "taskset -c 0,1 " SMALL "--sweep 2 --latency no");
	assert_int_equal(r.end.exit, 0);
	assert_int_equal(run_count(&r, RECORD_KIND_sample), 2);
	run_release(&r);
}

/* A topology that promises domains which the system does not have. */
static void memory_that_is_elsewhere_is_not_measured(void **unused)
{
	double value = -1;
	struct run r;

	(void)unused;
	run(&r, 60,
	    "taskset -c 0,1 env 'HWLOC_SYNTHETIC=NUMANode:2(memory=1GB) Core:1 "
	    "PU:1' " SMALL);
	assert_int_equal(r.end.exit, 0);
	assert_non_null(strstr(run_event(&r, "remark"),
			       "memory of NUMA domain 1 not measured: "));
	/* but the CPUs of both are, on the memory there is */
	assert_int_equal(samples(&r, "numa.latency", "mem_domain", &value), 2);
	assert_true(value == 0);
	run_release(&r);
}

/* Field case A15: without permission there are no NUMA numbers. */
static void what_may_not_be_bound_is_skipped(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, NO_MBIND " " SMALL);
	assert_int_equal(r.end.exit, 3);
	assert_int_equal(run_count(&r, RECORD_KIND_sample), 0);
	assert_non_null(strstr(run_event(&r, "skip"), "not permitted"));
	run_release(&r);
}

static void it_refuses_what_it_cannot_do(void **unused)
{
	static const char *const bad[] = {"0", "1,", "x", "1;2", "-1", "alle", "1,,2"};
	struct run r;

	(void)unused;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct strbuf words = {0};

		strbuf_addf(&words, SMALL "--sweep '%s'", bad[i]);
		run(&r, 60, strbuf_str(&words));
		assert_int_equal(r.end.exit, 2);
		run_release(&r);
		strbuf_release(&words);
	}
	run(&r, 60, MPIRUN "-np 2 taskset -c 0,1 " SMALL);
	assert_int_equal(r.end.exit, 3);
	assert_non_null(strstr(run_event(&r, "skip"), "one rank a node"));
	run_release(&r);
}

static void by_hand_it_prints_matrices(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, "taskset -c 0,1 assay-numa --size 8M --ntimes 1");
	assert_int_equal(r.end.exit, 0);
	assert_non_null(
		strstr(strbuf_str(&r.out), "GB/s\nCPUs of \\ memory of       0\n"));
	assert_non_null(strstr(strbuf_str(&r.out), "Latency, ns\n"));
	assert_non_null(strstr(strbuf_str(&r.out), "read sum: 0, "));
	run_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pair_of_domains_has_its_numbers),
		cmocka_unit_test(memory_that_is_elsewhere_is_not_measured),
		cmocka_unit_test(what_may_not_be_bound_is_skipped),
		cmocka_unit_test(it_refuses_what_it_cannot_do),
		cmocka_unit_test(by_hand_it_prints_matrices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
