/* SPDX-License-Identifier: Apache-2.0 */
/* Rule `cores`: one slow core is named, by its node's or by all like nodes' cores; and a
 * slow BLAS. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "judge_fixture.h"

#define EPYC "AMD EPYC 7713 64-Core Processor"

static void start(struct fixture *f, const char *nodes)
{
	fixture_init(f);
	fixture_line(
		f,
		"{\"kind\":\"plan\",\"name\":\"test\",\"nodes\":%s,\"requires\":[],"
		"\"limits\":{\"repeats\":5},\"kernels\":{\"stream\":{\"shape\":\"node\","
		"\"metrics\":[{\"name\":\"dgemm.fma\",\"unit\":\"FLOP/s\",\"better\":"
		"\"higher\",\"reduce\":\"median\"}]}},\"stages\":[{\"name\":\"first\","
		"\"gate\":false,\"steps\":[{\"name\":\"s\",\"on\":\"node\"}]}],"
		"\"site\":{}}",
		nodes);
}

/* Launch @id on @node: @n cores of @value each, but core @slow of @bad. */
static void cores(struct fixture *f, int id, const char *node, int n, double value,
		  int slow, double bad, const char *request)
{
	if (!state_facts(&f->state, node))
		fixture_node(f, node, EPYC, 2);
	fixture_step(f, id, "first/s", node, "ok", request);
	for (int i = 0; i < n; i++) {
		char at[32];
		/* equals are never quite equal */
		const double v = (i == slow ? bad : value) * (1 + 0.002 * (i % 3));

		(void)snprintf(at, sizeof(at), "{\"core\":%d}", i);
		fixture_sample(f, id, node, "dgemm.fma", at, v, 1);
	}
}

static const struct verdict *verdict(const struct fixture *f, const char *node)
{
	/* never one a core */
	assert_int_equal(fixture_count(f, "peers", "dgemm.fma", node), 0);
	assert_int_equal(fixture_count(f, "baseline", "dgemm.fma", node), 0);
	return fixture_verdict(f, "cores", "dgemm.fma", node);
}

static void one_of_128_cores_is_named(void **unused)
{
	const struct verdict *v;
	struct fixture f;

	(void)unused;
	start(&f, "[\"a\",\"b\"]");
	cores(&f, 1, "a", 128, 60e9, 17, 30e9, NULL);
	cores(&f, 2, "b", 128, 40e9, -1, 0, NULL); /* slow as a whole: not its cores */
	fixture_judge(&f);
	v = verdict(&f, "a");
	assert_int_equal(v->word, VERDICT_FAIL);
	assert_string_equal(v->at, "{\"core\":17}");
	if (!strstr(v->why, "core 17: 30.1 GB/s is 49.9 % below"))
		fail_msg("%s", v->why);
	assert_non_null(strstr(v->why, "below the median 60.1 GB/s of 128 cores"));
	assert_string_equal(v->from, "128 cores of its node");
	v = verdict(&f, "b");
	assert_int_equal(v->word, VERDICT_PASS);
	assert_null(v->at);
	assert_int_equal(f.summary.n_requests,
			 2); /* FAIL is measured again all the same */
	fixture_release(&f);
}

static void several_slow_cores_are_one_verdict(void **unused)
{
	const struct verdict *v;
	struct fixture f;

	(void)unused;
	start(&f, "[\"a\"]");
	cores(&f, 1, "a", 16, 60e9, 3, 20e9, NULL);
	fixture_sample(&f, 1, "a", "dgemm.fma", "{\"core\":16}", 25e9, 1);
	fixture_judge(&f);
	v = verdict(&f, "a");
	assert_int_equal(v->word, VERDICT_FAIL);
	assert_string_equal(v->at, "{\"core\":3}");
	assert_non_null(strstr(v->why, "; the same of core 16"));
	fixture_release(&f);
}

/* Eight cores of four nodes: two a node are too few, but nodes are alike. */
static void few_cores_are_compared_with_those_of_like_nodes(void **unused)
{
	static const char *const nodes[] = {"n1", "n2", "n3", "n4"};
	struct fixture f;

	(void)unused;
	start(&f, "[\"n1\",\"n2\",\"n3\",\"n4\"]");
	for (int i = 0; i < 4; i++)
		cores(&f, i + 1, nodes[i], 2, 60e9, i == 2 ? 1 : -1, 25e9, NULL);
	fixture_judge(&f);
	for (int i = 0; i < 4; i++) {
		const struct verdict *v = verdict(&f, nodes[i]);

		assert_int_equal(v->word, i == 2 ? VERDICT_FAIL : VERDICT_PASS);
		assert_string_equal(v->from, "8 cores of 4 like nodes");
		if (i == 2)
			assert_string_equal(v->at, "{\"core\":1}");
	}
	fixture_release(&f);
}

static void of_two_cores_nobody_knows_which_is_right(void **unused)
{
	static const struct {
		double bad;
		enum verdict_word word;
	} cases[] = {{59e9, VERDICT_PASS}, {50e9, VERDICT_WARN}, {1e9, VERDICT_WARN}};

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		const struct verdict *v;
		struct fixture f;

		start(&f, "[\"a\"]");
		cores(&f, 1, "a", 2, 60e9, 1, cases[i].bad, NULL);
		fixture_judge(&f);
		v = verdict(&f, "a");
		assert_int_equal(v->word, cases[i].word);
		assert_non_null(strstr(v->why, "cores differ by "));
		assert_int_equal(f.summary.n_requests, 0);
		fixture_release(&f);
	}
}

static void what_is_in_doubt_is_measured_again(void **unused)
{
	const struct verdict *v;
	struct fixture f;

	(void)unused;
	start(&f, "[\"a\"]");
	cores(&f, 1, "a", 64, 60e9, 5, 56e9, NULL);
	fixture_judge(&f);
	v = verdict(&f, "a");
	assert_int_equal(v->word, VERDICT_INCONCLUSIVE);
	assert_true(f.summary.n_requests > 0);
	assert_string_equal(f.summary.requests[0].target, "first/s@a");
	fixture_release(&f);
	/* three launches agree */
	start(&f, "[\"a\"]");
	for (int i = 0; i < 3; i++)
		cores(&f, i + 1, "a", 64, 60e9, 5, 56e9, i ? "repeat:x" : NULL);
	fixture_judge(&f);
	v = verdict(&f, "a");
	assert_int_equal(v->word, VERDICT_FAIL);
	assert_non_null(strstr(v->why, "; median of 3 launches"));
	fixture_release(&f);
}

static const char *remark(const struct fixture *f, const char *part)
{
	for (size_t i = 0; i < f->summary.n_remarks; i++) {
		if (strstr(f->summary.remarks[i], part))
			return f->summary.remarks[i];
	}
	return NULL;
}

/* DGEMM at @shares of fma on nodes a, b and c; @baseline in YAML, may be NULL. */
static void libraries(struct fixture *f, const double shares[3], const char *baseline)
{
	static const char *const nodes[] = {"a", "b", "c"};

	fixture_init(f);
	fixture_file(
		f, "theory.yaml",
		"limits:\n  - {metric: dgemm.dgemm, of: dgemm.fma, warn: 70 %, from: x, "
		"why: y}\n");
	if (baseline)
		fixture_file(f, "baselines/d.yaml", baseline);
	fixture_config(f);
	fixture_line(
		f, "{\"kind\":\"plan\",\"name\":\"test\",\"nodes\":[\"a\",\"b\",\"c\"],"
		   "\"requires\":[],\"limits\":{\"repeats\":5},\"kernels\":{\"stream\":"
		   "{\"shape\":\"node\",\"metrics\":[{\"name\":\"dgemm.fma\",\"unit\":"
		   "\"FLOP/s\",\"better\":\"higher\",\"reduce\":\"median\"},{\"name\":"
		   "\"dgemm.dgemm\",\"unit\":\"FLOP/s\",\"better\":\"higher\",\"reduce\":"
		   "\"median\"}]}},\"site\":{}}");
	for (int i = 0; i < 3; i++) {
		fixture_node(f, nodes[i], EPYC, 2);
		fixture_step(f, i + 1, "first/s", nodes[i], "ok", NULL);
		fixture_sample(f, i + 1, nodes[i], "dgemm.fma", NULL, 100e9, 1);
		fixture_sample(f, i + 1, nodes[i], "dgemm.dgemm", NULL, shares[i] * 100e9,
			       1);
		fixture_line(
			f,
			"{\"kind\":\"event\",\"step\":%d,\"attempt\":1,\"what\":"
			"\"library\",\"text\":\"BLAS: OpenBLAS 0.3.20 (Zen, OpenMP), "
			"128 threads, n = 17344, /lib/libblas.so.3\"}",
			i + 1);
	}
	fixture_judge(f);
}

/* Published with BLIS: a healthy node with OpenBLAS must not fail by it. */
static void a_reference_of_another_blas_gives_no_more_than_a_warning(void **unused)
{
	static const double half[3] = {0.46, 0.47, 0.465};
	static const struct {
		const char *keys;
		enum verdict_word word;
		const char *why;
	} cases[] = {
		{"", VERDICT_FAIL, NULL},
		{"    blas: BLIS 0.9.0\n", VERDICT_WARN,
		 "no FAIL, since that was measured with BLIS 0.9.0, this with OpenBLAS "
		 "0.3.20 "
		 "(Zen, OpenMP)"},
		{"    blas: OpenBLAS 0.3.2\n", VERDICT_WARN, "with OpenBLAS 0.3.2, this"},
		{"    blas: openblas 0.3.20\n", VERDICT_FAIL, NULL},
		{"    blas: OpenBLAS\n", VERDICT_FAIL, NULL},
		{"    blas: BLIS\n    binding: true\n", VERDICT_FAIL, NULL},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct verdict *v;
		struct fixture f;
		char text[512];

		(void)snprintf(text, sizeof(text),
			       "baseline: d\nmetrics:\n  dgemm.dgemm:\n"
			       "    ref: 80 GFLOP/s\n    warn: -10 %%\n    fail: -20 %%\n"
			       "    from: \"a test\"\n%s",
			       cases[i].keys);
		libraries(&f, half, text);
		v = fixture_verdict(&f, "baseline", "dgemm.dgemm", "a");
		assert_int_equal(v->word, cases[i].word);
		if (cases[i].why)
			assert_non_null(strstr(v->why, cases[i].why));
		fixture_release(&f);
	}
}

static void a_slow_blas_is_no_slow_node(void **unused)
{
	static const double slow[3] = {0.46, 0.47, 0.465}, one[3] = {0.9, 0.46, 0.9};
	static const double good[3] = {0.9, 0.91, 0.9}, apart[3] = {0.6, 0.46, 0.3};
	struct fixture f;

	(void)unused;
	libraries(&f, slow, NULL);
	assert_non_null(remark(&f, "BLAS, not the node: OpenBLAS 0.3.20 (Zen, OpenMP) "
				   "reaches 46 % of what the cores do in registers, on "
				   "all 3 nodes with AMD EPYC 7713;"));
	assert_int_equal(fixture_verdict(&f, "theory", "dgemm.dgemm", "a")->word,
			 VERDICT_WARN);
	fixture_release(&f);
	libraries(&f, one, NULL);
	assert_null(remark(&f, "BLAS, not the node"));
	assert_int_equal(fixture_verdict(&f, "theory", "dgemm.dgemm", "b")->word,
			 VERDICT_WARN);
	fixture_release(&f);
	libraries(&f, good, NULL);
	assert_null(remark(&f, "BLAS, not the node"));
	fixture_release(&f);
	libraries(&f, apart, NULL);
	assert_null(remark(&f, "BLAS, not the node"));
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_128_cores_is_named),
		cmocka_unit_test(several_slow_cores_are_one_verdict),
		cmocka_unit_test(few_cores_are_compared_with_those_of_like_nodes),
		cmocka_unit_test(of_two_cores_nobody_knows_which_is_right),
		cmocka_unit_test(what_is_in_doubt_is_measured_again),
		cmocka_unit_test(
			a_reference_of_another_blas_gives_no_more_than_a_warning),
		cmocka_unit_test(a_slow_blas_is_no_slow_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
