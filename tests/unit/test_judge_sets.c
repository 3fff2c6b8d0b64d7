/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of what is judged of sets of nodes as one: rule `scaling`, and what baselines and
 * roofs mean for several nodes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "judge_fixture.h"

#define EPYC "AMD EPYC 7713 64-Core Processor"

static void start(struct fixture *f, const char *scaling)
{
	fixture_init(f);
	fixture_line(
		f,
		"{\"kind\":\"plan\",\"name\":\"test\",\"nodes\":[\"n1\",\"n2\",\"n3\","
		"\"n4\"],\"requires\":[],\"limits\":{\"repeats\":5},\"kernels\":{"
		"\"hpl\":{\"shape\":\"set\",\"metrics\":[{\"name\":\"hpl.rate\","
		"\"unit\":\"FLOP/s\",\"better\":\"higher\",\"reduce\":\"best\"},"
		"{\"name\":\"hpl.time\",\"unit\":\"s\",\"better\":\"lower\","
		"\"reduce\":\"best\",\"unrated\":true}]},"
		"\"dgemm\":{\"shape\":\"node\",\"metrics\":[{\"name\":\"dgemm.fma\","
		"\"unit\":\"FLOP/s\",\"better\":\"higher\",\"reduce\":\"best\"}]}},"
		"\"stages\":[{\"name\":\"s\",\"gate\":false,\"steps\":[{\"name\":\"h\","
		"\"on\":\"sets\"%s}]}]}",
		scaling);
	for (size_t i = 0; i < f->state.n_nodes; i++)
		fixture_node(f, f->state.nodes[i], EPYC, 2);
}

/* Launch @id of the @k-th set of @size nodes with @rate in TFLOP/s. */
static void launch(struct fixture *f, int id, size_t size, size_t k, double rate,
		   const char *at)
{
	const char *nodes = record_list(&f->state.arena, f->state.nodes + k * size, size);

	fixture_line(f,
		     "{\"kind\":\"step\",\"step\":%d,\"attempt\":1,\"event\":\"planned\","
		     "\"key\":\"s/h@*%zu:%zu\",\"name\":\"s/h-x%zu\",\"kernel\":\"hpl\","
		     "\"nodes\":%s}",
		     id, size, k, size, nodes);
	fixture_line(f,
		     "{\"kind\":\"step\",\"step\":%d,\"attempt\":1,\"event\":\"ended\","
		     "\"key\":\"s/h@*%zu:%zu\",\"cause\":\"ok\"}",
		     id, size, k);
	fixture_line(f,
		     "{\"kind\":\"sample\",\"step\":%d,\"attempt\":1,\"node\":\"%s\","
		     "\"rank\":0,\"metric\":\"hpl.rate\"%s,\"value\":%.17g,"
		     "\"unit\":\"FLOP/s\"}",
		     id, f->state.nodes[k * size], at, rate * 1e12);
}

static void ladder(struct fixture *f, const double *one, double two, double four)
{
	for (int i = 0; i < 4; i++)
		launch(f, i + 1, 1, (size_t)i, one[i], "");
	launch(f, 5, 2, 0, two, "");
	launch(f, 6, 2, 1, two, "");
	launch(f, 7, 4, 0, four, "");
}

static const char expect[] =
	"baseline: scaling\nmetrics:\n  hpl.efficiency:\n"
	"    {ref: 97 %, warn: -7 %, fail: -17 %, at: {nodes: any, scaling: weak},\n"
	"     from: \"a study\"}\n";

static const struct verdict *of_nodes(const struct fixture *f, size_t nodes)
{
	char at[32];
	const struct verdict *found = NULL;

	(void)snprintf(at, sizeof(at), "{\"nodes\":%zu,", nodes);
	for (size_t i = 0; i < f->summary.n_verdicts; i++) {
		const struct verdict *v = &f->summary.verdicts[i];

		if (!strcmp(v->rule, "scaling") && !strncmp(v->at, at, strlen(at)))
			found = v;
	}
	assert_non_null(found);
	return found;
}

static void efficiency_is_judged_against_what_the_baseline_expects(void **state)
{
	static const double one[] = {1.0, 1.02, 0.98, 1.0};
	const struct verdict *v;
	struct fixture f;

	(void)state;
	start(&f, ",\"scaling\":\"weak\"");
	fixture_file(&f, "baselines/scaling.yaml", expect);
	ladder(&f, one, 1.92, 3.0);
	fixture_judge(&f);
	assert_int_equal(fixture_count(&f, "scaling", NULL, NULL), 3);
	v = of_nodes(&f, 2);
	assert_int_equal(v->word, VERDICT_PASS);
	assert_true(fabs(v->value.v - 0.96) < 1e-12);
	assert_string_equal(v->metric, "hpl.efficiency");
	assert_string_equal(v->at, "{\"nodes\":2,\"scaling\":\"weak\"}");
	assert_string_equal(v->unit, "ratio");
	assert_string_equal(v->from, "a study");
	v = of_nodes(&f, 4);
	assert_int_equal(v->word, VERDICT_FAIL);
	assert_non_null(strstr(v->why, "3.00 TFLOP/s of 4 nodes (n1 to n4) is 75 % of "
				       "4 times the 1.00 TFLOP/s of one (median of 4), "
				       "expected 97 %"));
	/* that no other reference holds for the rates is not said once more */
	for (size_t i = 0; i < f.summary.n_verdicts; i++) {
		if (!strcmp(f.summary.verdicts[i].rule, "baseline"))
			assert_int_equal(
				f.state.steps[f.summary.verdicts[i].step - 1].n_nodes, 1);
	}
	fixture_release(&f);
}

static void one_bad_node_alone_does_not_make_the_others_look_good(void **state)
{
	static const double one[] = {1.0, 1.0, 0.5, 1.0};
	struct fixture f;

	(void)state;
	start(&f, ",\"scaling\":\"weak\"");
	fixture_file(&f, "baselines/scaling.yaml", expect);
	ladder(&f, one, 1.9, 2.0);
	fixture_judge(&f);
	assert_int_equal(of_nodes(&f, 2)->word, VERDICT_PASS);
	assert_int_equal(of_nodes(&f, 4)->word, VERDICT_FAIL);
	fixture_release(&f);
}

static void without_an_expectation_it_is_shown_and_not_judged(void **state)
{
	static const double one[] = {1, 1, 1, 1};
	const struct verdict *v;
	struct fixture f;

	(void)state;
	start(&f, ",\"scaling\":\"strong\"");
	fixture_file(&f, "baselines/scaling.yaml", expect);
	ladder(&f, one, 1.5, 2.0);
	fixture_judge(&f);
	v = of_nodes(&f, 4);
	assert_int_equal(v->word, VERDICT_UNJUDGED);
	assert_string_equal(v->cause, "no-reference");
	assert_true(v->value.v == 0.5);
	fixture_release(&f);
}

static void a_step_that_is_no_series_is_not_asked(void **state)
{
	static const double one[] = {1, 1, 1, 1};
	struct fixture f;

	(void)state;
	start(&f, "");
	ladder(&f, one, 1.5, 2.0);
	fixture_judge(&f);
	assert_int_equal(fixture_count(&f, "scaling", NULL, NULL), 0);
	fixture_release(&f);
}

/* Neither the smallest alone, nor a set that failed, nor a rate of zero. */
static void what_cannot_be_compared_is_not(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, ",\"scaling\":\"weak\"");
	launch(&f, 1, 1, 0, 1, "");
	launch(&f, 2, 1, 1, 1, "");
	fixture_judge(&f);
	assert_int_equal(fixture_count(&f, "scaling", NULL, NULL), 0);
	launch(&f, 3, 2, 0, 1.9, "");
	fixture_line(&f, "{\"kind\":\"valid\",\"step\":3,\"attempt\":1,\"rank\":0,"
			 "\"check\":\"residual\",\"ok\":false}");
	fixture_judge(&f);
	assert_int_equal(fixture_count(&f, "scaling", NULL, NULL), 0);
	fixture_release(&f);
	start(&f, ",\"scaling\":\"weak\"");
	launch(&f, 1, 1, 0, 0, "");
	launch(&f, 2, 2, 0, 1, "");
	fixture_judge(&f);
	assert_int_equal(fixture_count(&f, "scaling", NULL, NULL), 0);
	fixture_release(&f);
}

static void of_several_problems_of_one_launch_the_best_counts(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, ",\"scaling\":\"weak\"");
	fixture_file(&f, "baselines/scaling.yaml", expect);
	launch(&f, 1, 1, 0, 1, ",\"at\":{\"n\":1000}");
	launch(&f, 2, 2, 0, 1, ",\"at\":{\"n\":1000}");
	fixture_line(&f, "{\"kind\":\"sample\",\"step\":2,\"attempt\":1,\"node\":\"n1\","
			 "\"rank\":0,\"metric\":\"hpl.rate\",\"at\":{\"n\":2000},"
			 "\"value\":2e12,\"unit\":\"FLOP/s\"}");
	fixture_judge(&f);
	assert_int_equal(fixture_count(&f, "scaling", NULL, NULL), 1);
	assert_true(of_nodes(&f, 2)->value.v == 1);
	fixture_release(&f);
}

static const char figures[] =
	"baseline: b\nmetrics:\n  hpl.rate:\n"
	"  - {ref: 1 TFLOP/s, warn: -5 %, fail: -10 %, from: x}\n"
	"  - {ref: 1.9 TFLOP/s, warn: -5 %, fail: -10 %, nodes: 2,\n"
	"     from: y}\n";

static const struct verdict *of_step(const struct fixture *f, const char *rule, int step)
{
	const struct verdict *found = NULL;

	for (size_t i = 0; i < f->summary.n_verdicts; i++) {
		const struct verdict *v = &f->summary.verdicts[i];

		if (!strcmp(v->rule, rule) && v->step == step && v->metric &&
		    !strcmp(v->metric, "hpl.rate"))
			found = v;
	}
	assert_non_null(found);
	return found;
}

static void a_reference_is_for_as_many_nodes_as_it_says(void **state)
{
	static const double one[] = {1, 1, 1, 1};
	struct fixture f;

	(void)state;
	start(&f, "");
	fixture_file(&f, "baselines/b.yaml", figures);
	ladder(&f, one, 1.7, 2.0);
	fixture_judge(&f);
	assert_int_equal(of_step(&f, "baseline", 1)->word, VERDICT_PASS);
	assert_int_equal(of_step(&f, "baseline", 5)->word, VERDICT_FAIL);
	assert_string_equal(of_step(&f, "baseline", 5)->from, "y");
	assert_int_equal(of_step(&f, "baseline", 7)->word, VERDICT_UNJUDGED);
	assert_string_equal(of_step(&f, "baseline", 7)->cause, "no-reference");
	fixture_release(&f);
}

static void add_fma(struct fixture *f, int id, const char *node, double rate)
{
	fixture_line(f,
		     "{\"kind\":\"step\",\"step\":%d,\"attempt\":1,\"event\":\"planned\","
		     "\"key\":\"s/d@%s\",\"name\":\"s/d\",\"kernel\":\"dgemm\","
		     "\"nodes\":[\"%s\"]}",
		     id, node, node);
	fixture_line(f,
		     "{\"kind\":\"step\",\"step\":%d,\"attempt\":1,\"event\":\"ended\","
		     "\"key\":\"s/d@%s\",\"cause\":\"ok\"}",
		     id, node);
	fixture_line(f,
		     "{\"kind\":\"sample\",\"step\":%d,\"attempt\":1,\"node\":\"%s\","
		     "\"rank\":0,\"metric\":\"dgemm.fma\",\"value\":%.17g,"
		     "\"unit\":\"FLOP/s\"}",
		     id, node, rate * 1e12);
}

static void roofs_of_all_nodes_count_together(void **state)
{
	static const double one[] = {1, 1, 1, 1};
	const struct verdict *v;
	struct fixture f;

	(void)state;
	start(&f, "");
	fixture_file(&f, "theory.yaml",
		     "limits:\n  - {metric: hpl.rate, of: dgemm.fma, warn: 60 %, "
		     "fail: 45 %, from: x, why: y}\n");
	ladder(&f, one, 1.0, 2.0);
	add_fma(&f, 8, "n1", 1.25);
	add_fma(&f, 9, "n2", 1.25);
	add_fma(&f, 10, "n3", 1.25);
	fixture_judge(&f);
	v = of_step(&f, "theory", 1);
	assert_int_equal(v->word, VERDICT_PASS);
	assert_true(v->reference.v == 1.25e12);
	v = of_step(&f, "theory", 5);
	assert_int_equal(v->word, VERDICT_FAIL);
	assert_true(v->reference.v == 2.5e12);
	/* a node without a roof: nothing to compare with, which is said */
	v = of_step(&f, "baseline", 7);
	assert_int_equal(v->word, VERDICT_UNJUDGED);
	assert_non_null(strstr(v->why, "its roof was not measured on its nodes"));
	fixture_release(&f);
}

static void nominal_peaks_of_all_nodes_count_together(void **state)
{
	static const double one[] = {3, 3, 3, 3};
	struct fixture f;

	(void)state;
	start(&f, "");
	fixture_file(&f, "cpus.yaml",
		     "cpus:\n  - {model: AMD EPYC 7713, generation: Milan, sockets: 2, "
		     "cores: 64, ccds: 8,\n     l3: 256 MiB, l3_count: 8, base: 2.0 GHz, "
		     "boost: 3.675 GHz,\n     channels: 8, memory: 3200 MT/s, "
		     "flops_per_cycle: 16, nps: [1],\n     status: certain, from: x}\n");
	fixture_file(&f, "theory.yaml",
		     "limits:\n  - {metric: hpl.rate, of: peak-flops, warn: 65 %, "
		     "fail: 45 %, invalid_above: 200 %, from: x, why: y}\n");
	ladder(&f, one, 3.0, 66673);
	fixture_judge(&f);
	assert_int_equal(of_step(&f, "theory", 1)->word, VERDICT_PASS);
	assert_int_equal(of_step(&f, "theory", 5)->word, VERDICT_FAIL);
	assert_true(of_step(&f, "theory", 5)->reference.v == 2 * 4.096e12);
	/* field case C01: no machine is that fast */
	assert_int_equal(of_step(&f, "theory", 7)->word, VERDICT_ERROR);
	assert_string_equal(of_step(&f, "theory", 7)->cause, "invalid");
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(efficiency_is_judged_against_what_the_baseline_expects),
		cmocka_unit_test(one_bad_node_alone_does_not_make_the_others_look_good),
		cmocka_unit_test(without_an_expectation_it_is_shown_and_not_judged),
		cmocka_unit_test(a_step_that_is_no_series_is_not_asked),
		cmocka_unit_test(what_cannot_be_compared_is_not),
		cmocka_unit_test(of_several_problems_of_one_launch_the_best_counts),
		cmocka_unit_test(a_reference_is_for_as_many_nodes_as_it_says),
		cmocka_unit_test(roofs_of_all_nodes_count_together),
		cmocka_unit_test(nominal_peaks_of_all_nodes_count_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
