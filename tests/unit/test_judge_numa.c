/* SPDX-License-Identifier: Apache-2.0 */
/* Rule `numa`: matrices that agree with the topology, and some that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "judge_fixture.h"

enum { DOMAINS = 4 };

static void start(struct fixture *f)
{
	fixture_init(f);
	fixture_line(
		f,
		"{\"kind\":\"plan\",\"name\":\"test\",\"nodes\":[\"a\"],\"requires\":[],"
		"\"limits\":{\"repeats\":5},\"kernels\":{\"numa\":{\"shape\":\"node\","
		"\"metrics\":[{\"name\":\"numa.read\",\"unit\":\"B/s\",\"better\":"
		"\"higher\",\"reduce\":\"best\",\"unrated\":true},{\"name\":"
		"\"numa.latency\",\"unit\":\"B/s\",\"better\":\"lower\",\"reduce\":"
		"\"best\",\"unrated\":true}]}},\"site\":{}}");
	fixture_node(f, "a", "AMD EPYC 7713 64-Core Processor", 2);
	fixture_step(f, 1, "first/s", "a", "ok", NULL);
}

/* Domains 0, 1 and 10, 11 in two packages: own, near and far. */
static const int ids[DOMAINS] = {0, 1, 10, 11};

static void fill(struct fixture *f, const char *metric, const double value[3],
		 const char *more)
{
	for (int c = 0; c < DOMAINS; c++) {
		for (int m = 0; m < DOMAINS; m++) {
			const int path = c == m ? 0 : c / 2 == m / 2 ? 1 : 2;
			char at[96];

			(void)snprintf(at, sizeof(at),
				       "{\"domain\":%d,\"mem_domain\":%d%s}", ids[c],
				       ids[m], more);
			fixture_sample(f, 1, "a", metric, at, value[path], 1);
		}
	}
}

static void own_memory_is_the_nearest(void **unused)
{
	static const double latency[3] = {100, 115, 210}, read[3] = {40, 36, 22};
	static const double one_thread[3] = {10, 11, 12}; /* says nothing */
	const struct verdict *v;
	struct fixture f;

	(void)unused;
	start(&f);
	fill(&f, "numa.latency", latency, "");
	fill(&f, "numa.read", read, ",\"threads\":16");
	fill(&f, "numa.read", one_thread, ",\"threads\":1");
	fixture_judge(&f);
	v = fixture_verdict(&f, "numa", "numa.latency", "a");
	assert_int_equal(v->word, VERDICT_PASS);
	assert_true(v->value.v > 2.09 && v->value.v < 2.11);
	assert_non_null(strstr(v->why, "of all 4 domains; the farthest is 2.1 times"));
	v = fixture_verdict(&f, "numa", "numa.read", "a");
	assert_int_equal(v->word, VERDICT_PASS);
	assert_true(v->value.v > 1.81 && v->value.v < 1.82);
	assert_int_equal(fixture_count(&f, "baseline", NULL, "a"),
			 0); /* none is missed */
	fixture_release(&f);
}

static void other_memory_that_is_nearer_is_found(void **unused)
{
	static const double latency[3] = {100, 115, 210};
	const struct verdict *v;
	struct fixture f;

	(void)unused;
	start(&f);
	fill(&f, "numa.latency", latency, "");
	/* the own memory of 10 is far, as if 10 and 0 were exchanged */
	fixture_sample(&f, 1, "a", "numa.latency", "{\"domain\":12,\"mem_domain\":12}",
		       210, 1);
	fixture_sample(&f, 1, "a", "numa.latency", "{\"domain\":12,\"mem_domain\":0}",
		       100, 1);
	fixture_judge(&f);
	v = fixture_verdict(&f, "numa", "numa.latency", "a");
	assert_int_equal(v->word, VERDICT_WARN);
	assert_string_equal(v->at, "{\"domain\":12,\"mem_domain\":0}");
	assert_non_null(strstr(v->why, "from memory of domain 0"));
	fixture_release(&f);
}

static void domains_that_do_not_differ_are_found(void **unused)
{
	static const double latency[3] = {150, 151, 152};
	const struct verdict *v;
	struct fixture f;

	(void)unused;
	start(&f);
	fill(&f, "numa.latency", latency, "");
	fixture_judge(&f);
	v = fixture_verdict(&f, "numa", "numa.latency", "a");
	assert_int_equal(v->word, VERDICT_WARN);
	assert_non_null(strstr(v->why, "all 16 pairs of NUMA domains are alike"));
	fixture_release(&f);
}

static void one_domain_is_nothing_to_judge(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	fixture_sample(&f, 1, "a", "numa.latency", "{\"domain\":0,\"mem_domain\":0}", 100,
		       1);
	/* CPUs without memory: there is no own one to compare with */
	fixture_sample(&f, 1, "a", "numa.latency", "{\"domain\":2,\"mem_domain\":0}", 90,
		       1);
	fixture_judge(&f);
	assert_int_equal(fixture_count(&f, "numa", NULL, NULL), 0);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_memory_is_the_nearest),
		cmocka_unit_test(other_memory_that_is_nearer_is_found),
		cmocka_unit_test(domains_that_do_not_differ_are_found),
		cmocka_unit_test(one_domain_is_nothing_to_judge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
