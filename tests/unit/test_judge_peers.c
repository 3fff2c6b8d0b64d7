/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of rule `peers` and of gates: states made by hand in, verdicts and requests out.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "judge/peers.h"
#include "judge_fixture.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define EPYC     "AMD EPYC 7713 64-Core Processor"
#define GB       1e9

static const char nodes8[] =
	"[\"n01\",\"n02\",\"n03\",\"n04\",\"n05\",\"n06\",\"n07\",\"n08\"]";

/* Two stages, the first a gate when @gate. */
static void start(struct fixture *f, const char *nodes, bool gate, const char *site)
{
	fixture_init(f);
	fixture_line(
		f,
		"{\"kind\":\"plan\",\"name\":\"test\",\"nodes\":%s,\"requires\":[],"
		"\"limits\":{\"repeats\":5},\"kernels\":{\"stream\":{\"shape\":\"node\","
		"\"metrics\":[{\"name\":\"stream.triad\",\"unit\":\"B/s\",\"better\":"
		"\"higher\",\"reduce\":\"best\"},{\"name\":\"hpl.gflops\",\"unit\":"
		"\"B/s\",\"better\":\"higher\",\"reduce\":\"best\"}]}},"
		"\"stages\":[{\"name\":\"first\",\"gate\":%s,\"steps\":[{\"name\":\"s\","
		"\"on\":\"node\"}]},{\"name\":\"later\",\"gate\":false,\"steps\":["
		"{\"name\":\"t\",\"on\":\"node\"},{\"name\":\"u\",\"on\":\"all\"}]}],"
		"\"site\":%s}",
		nodes, gate ? "true" : "false", site);
}

static void triads(struct fixture *f, const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *node = f->state.nodes[i];

		if (!state_facts(&f->state, node))
			fixture_node(f, node, EPYC, 2);
		fixture_step(f, (int)i + 1, "first/s", node, "ok", NULL);
		fixture_sample(f, (int)i + 1, node, "stream.triad", NULL, values[i] * GB,
			       1);
	}
}

static enum verdict_word word(const struct fixture *f, const char *metric,
			      const char *node)
{
	return fixture_verdict(f, "peers", metric, node)->word;
}

static size_t count_requests(const struct fixture *f, const char *want,
			     const char *target)
{
	size_t n = 0;

	for (size_t i = 0; i < f->summary.n_requests; i++) {
		const struct request *r = &f->summary.requests[i];

		n += !strcmp(r->want, want) && (!target || !strcmp(r->target, target));
	}
	return n;
}

static const char *remark(const struct fixture *f, const char *part)
{
	for (size_t i = 0; i < f->summary.n_remarks; i++) {
		if (strstr(f->summary.remarks[i], part))
			return f->summary.remarks[i];
	}
	return NULL;
}

/* Field case E01: what is slow on one metric only is found there and nowhere else. */
static void e01_slow_nodes_and_no_others_fail(void **state)
{
	static const struct {
		double triad, hpl;
		bool bad_triad, bad_hpl;
	} rows[] = {
		{187.1, 3011, false, false}, {186.8, 3008, false, false},
		{187.4, 3013, false, false}, {186.9, 3002, false, false},
		{151.2, 2410, true, true},   {187.0, 1498, false, true},
		{140.2, 2995, true, false},  {187.2, 3009, false, false},
	};
	struct fixture f;

	(void)state;
	start(&f, nodes8, false, "{}");
	for (size_t i = 0; i < N(rows); i++) {
		const char *node = f.state.nodes[i];

		fixture_node(&f, node, EPYC, 2);
		fixture_step(&f, (int)i + 1, "first/s", node, "ok", NULL);
		fixture_sample(&f, (int)i + 1, node, "stream.triad", NULL,
			       rows[i].triad * GB, 1);
		fixture_sample(&f, (int)i + 1, node, "hpl.gflops", NULL, rows[i].hpl, 1);
	}
	fixture_judge(&f);
	for (size_t i = 0; i < N(rows); i++) {
		const char *node = f.state.nodes[i];
		bool bad = rows[i].bad_triad || rows[i].bad_hpl;

		assert_int_equal(word(&f, "stream.triad", node),
				 rows[i].bad_triad ? VERDICT_FAIL : VERDICT_PASS);
		assert_int_equal(word(&f, "hpl.gflops", node),
				 rows[i].bad_hpl ? VERDICT_FAIL : VERDICT_PASS);
		assert_int_equal(f.summary.nodes[i].word,
				 bad ? VERDICT_FAIL : VERDICT_PASS);
		assert_int_equal(count_requests(&f, "repeat", NULL), 6);
	}
	assert_string_equal(
		fixture_verdict(&f, "peers", "stream.triad", "n05")->why,
		"151 GB/s is 19.1 % below the median 187 GB/s of 8 like nodes, limit "
		"6.32 %; one launch, 2 more to confirm it");
	assert_string_equal(f.summary.nodes[0].class, EPYC);
	assert_int_equal(f.summary.exit, 1);
	fixture_release(&f);
}

/* Field case F03: the rule says nothing where all are alike, or too few. */
static void f03_few_nodes_are_not_compared(void **state)
{
	static const double values[] = {187, 186, 150, 187};
	struct fixture f;
	const struct verdict *v;

	(void)state;
	for (size_t n = 1; n <= 4; n++) {
		start(&f, "[\"n1\",\"n2\",\"n3\",\"n4\"]", false, "{}");
		f.state.n_nodes = n;
		triads(&f, values, n);
		fixture_judge(&f);
		if (n == 4) {
			assert_int_equal(word(&f, NULL, "n3"), VERDICT_FAIL);
			assert_int_equal(f.summary.exit, 1);
		} else {
			v = fixture_verdict(&f, "peers", NULL, NULL);
			assert_int_equal(v->word, VERDICT_SKIP);
			assert_null(v->node);
			assert_non_null(strstr(v->why, "needs at least 4 nodes"));
			/* nothing else knows these values: that must not look good */
			assert_int_equal(f.summary.word, VERDICT_UNJUDGED);
			assert_int_equal(f.summary.nodes[0].word, VERDICT_UNJUDGED);
			assert_int_equal(f.summary.exit, 3);
		}
		fixture_release(&f);
	}
}

static void f03_alike_is_good_and_a_reference(void **state)
{
	static const double values[] = {150, 151, 150, 149, 150, 151, 150, 150};
	struct fixture f;

	(void)state;
	start(&f, nodes8, false, "{}");
	triads(&f, values, N(values));
	fixture_judge(&f);
	for (size_t i = 0; i < N(values); i++) {
		assert_int_equal(word(&f, NULL, f.state.nodes[i]), VERDICT_PASS);
		assert_true(f.summary.nodes[i].referenced);
	}
	assert_string_equal(fixture_verdict(&f, "peers", NULL, "n01")->why,
			    "like the median 150 GB/s of 8 like nodes, limit 5.7 %");
	assert_int_equal(f.summary.exit, 0);
	assert_int_equal(f.summary.word, VERDICT_PASS);
	assert_int_equal(f.summary.n_requests, 0);
	assert_int_equal(f.summary.n_remarks, 0);
	fixture_release(&f);
}

/* Field case F06: classes are never mixed, and what has none has no like. */
static void f06_only_nodes_of_a_class_are_compared(void **state)
{
	static const double values[] = {187, 186, 187, 188, 100, 101, 100, 50};
	struct fixture f;

	(void)state;
	start(&f, nodes8, false, "{}");
	for (size_t i = 4; i < N(values); i++)
		fixture_node(&f, f.state.nodes[i], "Intel(R) Xeon(R) CPU X7550 @ 2.00GHz",
			     4);
	triads(&f, values, N(values));
	fixture_judge(&f);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(word(&f, NULL, f.state.nodes[i]), VERDICT_PASS);
	assert_int_equal(word(&f, NULL, "n08"), VERDICT_FAIL);
	assert_string_equal(fixture_verdict(&f, "peers", NULL, "n01")->from,
			    "median of 4 nodes '" EPYC "'");
	assert_non_null(remark(&f, "2 classes of like nodes, each compared with its "
				   "own: n[01-04] 'AMD EPYC"));
	fixture_release(&f);

	start(&f, nodes8, false, "{}");
	for (size_t i = 0; i < N(values); i++)
		fixture_node(&f, f.state.nodes[i], NULL, 0);
	triads(&f, values, N(values));
	fixture_judge(&f);
	assert_string_equal(fixture_verdict(&f, "peers", NULL, NULL)->why,
			    "of 8 nodes the class is not known: they have no like");
	fixture_release(&f);
}

static void two_populations_are_one_remark_and_a_warning(void **state)
{
	static const double values[] = {187, 186, 187, 188, 150, 151, 150, 149};
	struct fixture f;
	const struct verdict *v;

	(void)state;
	start(&f, nodes8, false, "{}");
	triads(&f, values, N(values));
	for (size_t i = 0; i < N(values); i++)
		fixture_sample(&f, (int)i + 1, f.state.nodes[i], "hpl.gflops", NULL,
			       values[i] * 10, 1);
	fixture_judge(&f);
	for (size_t i = 0; i < N(values); i++)
		assert_int_equal(word(&f, "stream.triad", f.state.nodes[i]),
				 i < 4 ? VERDICT_PASS : VERDICT_WARN);
	assert_non_null(
		remark(&f, "exit status 3: nothing that was measured on 4 of 8 nodes"));
	assert_int_equal(f.summary.n_remarks, 2);
	assert_string_equal(f.summary.remarks[0],
			    "first/s, hpl.gflops: two populations: n[01-04] 1.87 kB/s, "
			    "n[05-08] 1.50 kB/s; 1 more series say the same of these "
			    "nodes");
	v = fixture_verdict(&f, "peers", "stream.triad", "n08");
	assert_string_equal(v->why,
			    "149 GB/s is 20.3 % below the median 187 GB/s of 4 like "
			    "nodes, and so are the 4 of its group: two populations; one "
			    "launch, 2 more to tell it from noise");
	assert_true(v->reference.v == 187 * GB);
	/* a few nodes are measured again, all of them */
	assert_int_equal(count_requests(&f, "repeat", NULL), 16);
	fixture_release(&f);
}

static void better_nodes_are_remarked(void **state)
{
	static const double values[] = {187, 186, 187, 188, 250, 187, 260, 186};
	struct fixture f;

	(void)state;
	start(&f, nodes8, false, "{}");
	triads(&f, values, N(values));
	fixture_judge(&f);
	assert_int_equal(word(&f, NULL, "n05"), VERDICT_PASS);
	assert_int_equal(f.summary.n_remarks, 1);
	assert_string_equal(f.summary.remarks[0],
			    "first/s, stream.triad: n[05,07] better than like nodes: up "
			    "to 260 GB/s, their median is 187 GB/s");
	assert_int_equal(f.summary.exit, 0);
	fixture_release(&f);
}

static void the_site_says_by_how_much_like_nodes_differ(void **state)
{
	static const double values[] = {100, 100.2, 99.8, 100, 80, 100.1, 99.9, 100};
	static const struct {
		const char *site;
		enum verdict_word word;
	} sites[] = {
		{"{}", VERDICT_FAIL},
		{"{\"min_deviation\":{\"default\":0.05}}", VERDICT_FAIL},
		{"{\"min_deviation\":{\"default\":0.25}}", VERDICT_PASS},
		{"{\"min_deviation\":{\"default\":0.25,\"stream.triad\":0.05}}",
		 VERDICT_FAIL},
		{"{\"min_deviation\":{\"default\":0.05,\"stream.triad\":0.25}}",
		 VERDICT_PASS},
		{"{\"min_deviation\":{\"default\":\"much\"}}", VERDICT_FAIL},
		{"{\"min_deviation\":7}", VERDICT_FAIL},
	};

	(void)state;
	for (size_t i = 0; i < N(sites); i++) {
		struct fixture f;

		start(&f, nodes8, false, sites[i].site);
		triads(&f, values, N(values));
		fixture_judge(&f);
		if (word(&f, NULL, "n05") != sites[i].word)
			fail_msg("%s: %s", sites[i].site,
				 fixture_verdict(&f, "peers", NULL, "n05")->why);
		fixture_release(&f);
	}
}

/* What is near is measured again, and the answer depends on what comes out. */
static void a_doubtful_node_is_measured_again(void **state)
{
	static const double values[] = {100, 100.2, 99.8, 100, 91, 100.1, 99.9, 100};
	struct fixture f;

	(void)state;
	for (int bad = 0; bad < 2; bad++) {
		start(&f, nodes8, false, "{}");
		triads(&f, values, N(values));
		fixture_judge(&f);
		assert_int_equal(word(&f, NULL, "n05"), VERDICT_INCONCLUSIVE);
		assert_int_equal(f.summary.exit, 3);
		assert_int_equal(count_requests(&f, "repeat", "first/s@n05"), 2);
		assert_string_equal(f.summary.requests[0].id, "repeat:first/s@n01:1");
		for (int i = 0; i < 2; i++) {
			char id[64];

			(void)snprintf(id, sizeof(id), "repeat:first/s@n05:%d", i + 1);
			fixture_step(&f, 9 + i, "first/s", "n05", "ok", id);
			fixture_sample(&f, 9 + i, "n05", "stream.triad", NULL,
				       (bad ? 90 : 99) * GB, 1);
		}
		fixture_judge(&f);
		assert_int_equal(word(&f, NULL, "n05"),
				 bad ? VERDICT_FAIL : VERDICT_PASS);
		assert_int_equal(count_requests(&f, "repeat", "first/s@n05"), 0);
		fixture_release(&f);
	}
}

static void a_plan_without_repeats_is_told_so(void **state)
{
	static const double values[] = {100, 100.2, 99.8, 100, 91, 100.1, 99.9, 40};
	struct fixture f;
	const struct verdict *v;

	(void)state;
	start(&f, nodes8, false, "{}");
	f.state.plan.limits = "{\"repeats\":0}";
	triads(&f, values, N(values));
	fixture_judge(&f);
	assert_int_equal(f.summary.n_requests, 0);
	v = fixture_verdict(&f, "peers", NULL, "n05");
	assert_int_equal(v->word, VERDICT_WARN);
	assert_non_null(strstr(v->why, "one launch, no more are allowed"));
	assert_int_equal(word(&f, NULL, "n08"), VERDICT_FAIL);
	fixture_release(&f);
}

/* Where like nodes differ without measure no node can fail, so none is proved good. */
static void what_no_value_could_fail_is_no_pass(void **state)
{
	static const double values[] = {90, 20, 180, 110};
	struct fixture f;
	const struct verdict *v;

	(void)state;
	start(&f, "[\"n01\",\"n02\",\"n03\",\"n04\"]", false, "{}");
	f.state.plan.limits = "{\"repeats\":0}";
	triads(&f, values, N(values));
	fixture_judge(&f);
	for (size_t i = 0; i < N(values); i++) {
		v = fixture_verdict(&f, "peers", NULL, f.state.nodes[i]);
		assert_int_equal(v->word, VERDICT_WARN);
		assert_false(v->low.set);
		assert_non_null(strstr(v->why, "which tells nothing: up to "));
	}
	assert_int_equal(f.summary.exit, 3); /* nothing has judged them */
	fixture_release(&f);
}

/* Marked results are compared with each other, but are no reference for anything. */
static void small_arrays_are_compared_and_still_unjudged(void **state)
{
	static const double values[] = {100, 100.2, 99.8, 100, 40, 100.1, 99.9, 100};
	struct fixture f;

	(void)state;
	start(&f, nodes8, false, "{}");
	triads(&f, values, N(values));
	for (int i = 1; i <= 8; i++)
		fixture_line(&f,
			     "{\"kind\":\"event\",\"step\":%d,\"attempt\":1,\"what\":"
			     "\"size\",\"text\":\"arrays fit into caches\"}",
			     i);
	fixture_judge(&f);
	assert_int_equal(word(&f, NULL, "n01"), VERDICT_PASS);
	assert_int_equal(word(&f, NULL, "n05"), VERDICT_FAIL);
	assert_int_equal(fixture_verdict(&f, "baseline", NULL, "n01")->word,
			 VERDICT_UNJUDGED);
	assert_string_equal(fixture_verdict(&f, "baseline", NULL, "n01")->cause, "size");
	assert_int_equal(f.summary.nodes[0].word, VERDICT_UNJUDGED);
	fixture_release(&f);
}

static void places_are_compared_with_their_own(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, nodes8, false, "{}");
	for (int i = 0; i < 8; i++) {
		const char *node = f.state.nodes[i];

		fixture_node(&f, node, EPYC, 2);
		fixture_step(&f, i + 1, "first/s", node, "ok", NULL);
		fixture_sample(&f, i + 1, node, "stream.triad", "{\"domain\":0}",
			       (i == 3 ? 40 : 100) * GB, 1);
		fixture_sample(&f, i + 1, node, "stream.triad", "{\"domain\":1}", 40 * GB,
			       1);
		/* nobody says which way is better: not compared */
		fixture_sample(&f, i + 1, node, "other.metric", NULL, i, 1);
	}
	fixture_judge(&f);
	assert_int_equal(fixture_count(&f, "peers", "stream.triad", NULL), 16);
	assert_int_equal(fixture_count(&f, "peers", "other.metric", NULL), 0);
	for (size_t i = 0; i < f.summary.n_verdicts; i++) {
		const struct verdict *v = &f.summary.verdicts[i];
		bool bad = v->node && !strcmp(v->node, "n04") && v->at &&
			   !strcmp(v->at, "{\"domain\":0}");

		if (!strcmp(v->rule, "peers"))
			assert_int_equal(v->word, bad ? VERDICT_FAIL : VERDICT_PASS);
	}
	fixture_release(&f);
}

/* A node that fails at a gate is excluded, and what it misses is listed. */
static void a_failed_gate_excludes(void **state)
{
	static const double values[] = {100, 100.2, 99.8, 100, 40, 100.1, 99.9, 100};
	struct fixture f;
	const struct verdict *v;

	(void)state;
	start(&f, nodes8, true, "{}");
	triads(&f, values, N(values));
	fixture_judge(&f);
	assert_int_equal(count_requests(&f, "exclude", NULL), 1);
	assert_int_equal(count_requests(&f, "exclude", "n05"), 1);
	v = fixture_verdict(&f, "coverage", NULL, "n01");
	assert_int_equal(v->word, VERDICT_PASS);
	assert_int_equal(f.summary.n_missing, 1);
	assert_string_equal(f.summary.missing[0].key, "later/t@n05");
	assert_string_equal(f.summary.missing[0].node, "n05");
	assert_string_equal(f.summary.missing[0].why, "excluded: failed gate 'first'");
	assert_int_equal(f.summary.counts[VERDICT_SKIP], 1);
	assert_int_equal(f.summary.counts[VERDICT_ERROR], 0);
	assert_int_equal(f.summary.nodes[4].word, VERDICT_FAIL);
	/* once the journal has it, it is not asked for again */
	fixture_line(&f, "{\"kind\":\"request\",\"id\":\"gate:first:n05\",\"want\":"
			 "\"exclude\",\"target\":\"n05\",\"because\":\"slow\"}");
	fixture_judge(&f);
	assert_int_equal(count_requests(&f, "exclude", NULL), 0);
	assert_int_equal(f.summary.n_missing, 1);
	/* a node that is admitted again misses nothing */
	fixture_line(&f, "{\"kind\":\"request\",\"id\":\"readmit:n05\",\"want\":"
			 "\"readmit\",\"target\":\"n05\",\"because\":\"asked for\"}");
	fixture_judge(&f);
	assert_int_equal(count_requests(&f, "exclude", NULL), 0);
	assert_int_equal(f.summary.n_missing, 0);
	fixture_release(&f);
}

static void what_is_no_gate_excludes_nobody(void **state)
{
	static const double values[] = {100, 100.2, 99.8, 100, 40, 100.1, 99.9, 100};
	struct fixture f;

	(void)state;
	start(&f, nodes8, false, "{}");
	triads(&f, values, N(values));
	fixture_judge(&f);
	assert_int_equal(word(&f, NULL, "n05"), VERDICT_FAIL);
	assert_int_equal(count_requests(&f, "exclude", NULL), 0);
	assert_int_equal(f.summary.n_missing, 0);
	fixture_release(&f);
	/* a warning at a gate is none, nor is a failure in the stage behind it */
	start(&f, nodes8, true, "{}");
	fixture_node(&f, "n01", EPYC, 2);
	fixture_step(&f, 1, "later/t", "n01", "ok", NULL);
	fixture_line(&f, "{\"kind\":\"valid\",\"step\":1,\"attempt\":1,\"node\":\"n01\","
			 "\"check\":\"error\",\"ok\":false}");
	fixture_judge(&f);
	assert_int_equal(fixture_verdict(&f, "valid", "error", "n01")->word,
			 VERDICT_FAIL);
	assert_int_equal(count_requests(&f, "exclude", NULL), 0);
	fixture_release(&f);
}

static void chassis_of_the_journal_are_those_of_the_nodes(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_line(&f,
		     "{\"kind\":\"plan\",\"name\":\"p\",\"nodes\":[\"a\",\"b\",\"c\"],"
		     "\"chassis\":[\"1\",\"\",\"2\"]}");
	fixture_judge(&f);
	assert_string_equal(f.summary.nodes[0].chassis, "1");
	assert_null(f.summary.nodes[1].chassis);
	assert_string_equal(f.summary.nodes[2].chassis, "2");
	fixture_release(&f);
	/* a list of another length says nothing of anybody */
	fixture_init(&f);
	fixture_line(&f, "{\"kind\":\"plan\",\"name\":\"p\",\"nodes\":[\"a\",\"b\"],"
			 "\"chassis\":[\"1\"]}");
	fixture_judge(&f);
	assert_null(f.summary.nodes[0].chassis);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(e01_slow_nodes_and_no_others_fail),
		cmocka_unit_test(f03_few_nodes_are_not_compared),
		cmocka_unit_test(f03_alike_is_good_and_a_reference),
		cmocka_unit_test(f06_only_nodes_of_a_class_are_compared),
		cmocka_unit_test(two_populations_are_one_remark_and_a_warning),
		cmocka_unit_test(better_nodes_are_remarked),
		cmocka_unit_test(the_site_says_by_how_much_like_nodes_differ),
		cmocka_unit_test(a_doubtful_node_is_measured_again),
		cmocka_unit_test(a_plan_without_repeats_is_told_so),
		cmocka_unit_test(what_no_value_could_fail_is_no_pass),
		cmocka_unit_test(small_arrays_are_compared_and_still_unjudged),
		cmocka_unit_test(places_are_compared_with_their_own),
		cmocka_unit_test(a_failed_gate_excludes),
		cmocka_unit_test(what_is_no_gate_excludes_nobody),
		cmocka_unit_test(chassis_of_the_journal_are_those_of_the_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
