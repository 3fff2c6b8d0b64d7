/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of rule `straggler`: launches over several nodes in, who is named out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "judge_fixture.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define EPYC     "AMD EPYC 7713 64-Core Processor"

/* What one node's ranks did in a launch: own rate in GFLOP/s, share of time waiting. */
struct part {
	double rate, wait;
};

static void start(struct fixture *f, size_t n, int repeats)
{
	char nodes[256] = "[";

	fixture_init(f);
	for (size_t i = 0; i < n; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "%s\"n%zu\"", i ? "," : "", i + 1);
		(void)strncat(nodes, name, sizeof(nodes) - strlen(nodes) - 2);
	}
	(void)strncat(nodes, "]", 2);
	fixture_line(
		f,
		"{\"kind\":\"plan\",\"name\":\"test\",\"nodes\":%s,\"requires\":[],"
		"\"limits\":{\"repeats\":%d},\"kernels\":{\"hpl\":{\"shape\":\"set\","
		"\"metrics\":["
		"{\"name\":\"hpl.rank_rate\",\"unit\":\"FLOP/s\",\"better\":"
		"\"higher\",\"reduce\":\"median\",\"unrated\":true},"
		"{\"name\":\"hpl.rank_wait\",\"unit\":\"ratio\",\"better\":"
		"\"lower\",\"reduce\":\"median\",\"unrated\":true}]}}}",
		nodes, repeats);
	for (size_t i = 0; i < f->state.n_nodes; i++)
		fixture_node(f, f->state.nodes[i], EPYC, 2);
}

static void sample(struct fixture *f, int id, size_t rank, size_t node,
		   const char *metric, double value, const char *unit)
{
	fixture_line(f,
		     "{\"kind\":\"sample\",\"step\":%d,\"attempt\":1,\"node\":\"n%zu\","
		     "\"rank\":%zu,\"metric\":\"%s\",\"value\":%.17g,\"unit\":\"%s\"}",
		     id, node + 1, rank, metric, value, unit);
}

/* Launch @id over the first @n nodes with @per_node ranks on each. */
static void launch(struct fixture *f, int id, const struct part *parts, size_t n,
		   size_t per_node)
{
	const char *nodes = record_list(&f->state.arena, f->state.nodes, n);

	fixture_line(f,
		     "{\"kind\":\"step\",\"step\":%d,\"attempt\":1,\"event\":\"planned\","
		     "\"key\":\"s/hpl@*\",\"name\":\"s/hpl\",\"kernel\":\"hpl\","
		     "\"nodes\":%s,\"ranks\":%zu%s}",
		     id, nodes, n * per_node,
		     id > 1 ? ",\"request\":\"repeat:s/hpl@*:1\"" : "");
	fixture_line(f,
		     "{\"kind\":\"step\",\"step\":%d,\"attempt\":1,\"event\":\"ended\","
		     "\"key\":\"s/hpl@*\",\"cause\":\"ok\"}",
		     id);
	for (size_t i = 0; i < n * per_node; i++) {
		/* the last rank of a node is its slowest */
		double less = i % per_node == per_node - 1 ? 1 : 1.001;

		sample(f, id, i, i / per_node, "hpl.rank_rate",
		       less * parts[i / per_node].rate * 1e9, "FLOP/s");
		sample(f, id, i, i / per_node, "hpl.rank_wait", parts[i / per_node].wait,
		       "ratio");
	}
}

static size_t named(const struct fixture *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->summary.n_verdicts; i++)
		n += !strcmp(f->summary.verdicts[i].rule, "straggler") &&
		     f->summary.verdicts[i].node;
	return n;
}

static size_t wanted(const struct fixture *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->summary.n_requests; i++)
		n += !strcmp(f->summary.requests[i].target, "s/hpl@*");
	return n;
}

static void a_slow_node_others_wait_for_is_named(void **state)
{
	static const struct part parts[] = {{48, 0.7}, {47, 0.71}, {12, 0.02}, {49, 0.7}};

	(void)state;
	for (size_t n = 3; n <= 4; n++) {
		for (size_t per_node = 1; per_node <= 3; per_node += 2) {
			const struct verdict *v;
			struct fixture f;

			start(&f, 4, 5);
			launch(&f, 1, parts, n, per_node);
			fixture_judge(&f);
			v = fixture_verdict(&f, "straggler", NULL, NULL);
			assert_int_equal(v->word, VERDICT_FAIL);
			assert_string_equal(v->node, "n3");
			assert_string_equal(v->metric, "hpl.rank_rate");
			assert_int_equal(f.summary.exit, 1);
			fixture_release(&f);
		}
	}
}

static void its_reason_says_what_was_seen(void **state)
{
	static const struct part parts[] = {{48, 0.7}, {48, 0.71}, {12, 0.02}, {48, 0.7}};
	struct fixture f;

	(void)state;
	start(&f, 4, 5);
	launch(&f, 1, parts, 4, 2);
	fixture_judge(&f);
	assert_string_equal(fixture_verdict(&f, "straggler", NULL, "n3")->why,
			    "rank 5 computes at 12.0 GFLOP/s, 75 % below the median 48.0 "
			    "GFLOP/s of 4 nodes in the same launch (limit 5.74 %); the "
			    "good ones wait 70 % of the time, it 2 %; one launch, 2 more "
			    "to confirm it");
	fixture_release(&f);
}

static void of_two_nodes_the_one_that_does_not_wait_is_named(void **state)
{
	static const struct part parts[] = {{12, 0.01}, {48, 0.7}};
	struct fixture f;

	(void)state;
	start(&f, 2, 5);
	launch(&f, 1, parts, 2, 1);
	fixture_judge(&f);
	assert_int_equal(fixture_verdict(&f, "straggler", NULL, "n1")->word,
			 VERDICT_FAIL);
	assert_int_equal(named(&f), 1);
	fixture_release(&f);
}

/* Neither noise, nor waiting for the network, nor a slow one nobody waits for. */
static void nobody_is_named_without_both_signs(void **state)
{
	static const struct part clean[][4] = {
		{{48, 0.04}, {47, 0.06}, {48.5, 0.03}, {46.9, 0.05}},
		{{48, 0.5}, {48, 0.6}, {48, 0.3}, {48, 0.5}},
		{{48, 0.3}, {48, 0.3}, {20, 0.3}, {48, 0.3}},
		{{48, 0.1}, {48, 0.1}, {20, 0.5}, {48, 0.1}},
		{{48, 0}, {48, 0}, {48, 0}, {48, 0}},
		{{0, 0}, {0, 0}, {0, 0}, {0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < N(clean); i++) {
		for (size_t n = 2; n <= 4; n++) {
			const struct verdict *v;
			struct fixture f;

			start(&f, 4, 5);
			launch(&f, 1, clean[i], n, 1);
			fixture_judge(&f);
			v = fixture_verdict(&f, "straggler", NULL, NULL);
			assert_int_equal(v->word, VERDICT_PASS);
			assert_null(v->node);
			assert_int_equal(wanted(&f), 0);
			fixture_release(&f);
		}
	}
}

/* 8 % below is not certain after one launch; three that agree are. */
static void a_slightly_slow_node_is_measured_again_first(void **state)
{
	static const struct part parts[] = {{48, 0.1}, {48, 0.1}, {44, 0.01},
					    {48, 0.1}, {48, 0.1}, {48, 0.1}};
	struct fixture f;

	(void)state;
	start(&f, 6, 5);
	launch(&f, 1, parts, 6, 1);
	fixture_judge(&f);
	assert_int_equal(fixture_verdict(&f, "straggler", NULL, "n3")->word,
			 VERDICT_INCONCLUSIVE);
	assert_int_equal(wanted(&f), 2);
	launch(&f, 2, parts, 6, 1);
	launch(&f, 3, parts, 6, 1);
	fixture_judge(&f);
	assert_int_equal(fixture_verdict(&f, "straggler", NULL, "n3")->word,
			 VERDICT_FAIL);
	assert_int_equal(wanted(&f), 0);
	fixture_release(&f);
	/* and where no more are allowed it stays a suspicion */
	start(&f, 6, 0);
	launch(&f, 1, parts, 6, 1);
	fixture_judge(&f);
	assert_int_equal(fixture_verdict(&f, "straggler", NULL, "n3")->word,
			 VERDICT_WARN);
	fixture_release(&f);
}

static void half_of_the_nodes_is_a_warning(void **state)
{
	static const struct part parts[] = {{48, 0.5},  {24, 0.01}, {48, 0.5},
					    {24, 0.01}, {48, 0.5},  {24, 0.02}};
	struct fixture f;

	(void)state;
	start(&f, 6, 5);
	launch(&f, 1, parts, 6, 1);
	fixture_judge(&f);
	assert_int_equal(named(&f), 3);
	assert_int_equal(fixture_verdict(&f, "straggler", NULL, "n2")->word,
			 VERDICT_WARN);
	fixture_release(&f);
}

/* Other machines have other rates; who has no like is compared with nobody. */
static void only_like_nodes_are_compared(void **state)
{
	static const struct part parts[] = {{48, 0.5}, {48, 0.5}, {12, 0}, {12, 0}};
	struct fixture f;

	(void)state;
	start(&f, 4, 5);
	fixture_node(&f, "n3", "AMD EPYC 7543 32-Core Processor", 2);
	fixture_node(&f, "n4", "AMD EPYC 7543 32-Core Processor", 2);
	launch(&f, 1, parts, 4, 1);
	fixture_judge(&f);
	assert_int_equal(named(&f), 0);
	assert_int_equal(fixture_verdict(&f, "straggler", NULL, NULL)->word,
			 VERDICT_PASS);
	fixture_node(&f, "n4", "AMD EPYC 7763 64-Core Processor", 2);
	fixture_node(&f, "n2", "AMD EPYC 7443 24-Core Processor", 2);
	fixture_judge(&f);
	assert_int_equal(fixture_verdict(&f, "straggler", NULL, NULL)->word,
			 VERDICT_SKIP);
	fixture_release(&f);
}

static void a_launch_whose_check_failed_names_nobody(void **state)
{
	static const struct part parts[] = {{48, 0.7}, {47, 0.71}, {12, 0.02}, {49, 0.7}};
	struct fixture f;

	(void)state;
	start(&f, 4, 5);
	launch(&f, 1, parts, 4, 1);
	fixture_line(&f, "{\"kind\":\"valid\",\"step\":1,\"attempt\":1,\"rank\":0,"
			 "\"node\":\"n1\",\"check\":\"residual\",\"value\":1e7,"
			 "\"limit\":16,\"ok\":false}");
	fixture_judge(&f);
	assert_int_equal(fixture_count(&f, "straggler", NULL, NULL), 0);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_node_others_wait_for_is_named),
		cmocka_unit_test(its_reason_says_what_was_seen),
		cmocka_unit_test(of_two_nodes_the_one_that_does_not_wait_is_named),
		cmocka_unit_test(nobody_is_named_without_both_signs),
		cmocka_unit_test(a_slightly_slow_node_is_measured_again_first),
		cmocka_unit_test(half_of_the_nodes_is_a_warning),
		cmocka_unit_test(only_like_nodes_are_compared),
		cmocka_unit_test(a_launch_whose_check_failed_names_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
