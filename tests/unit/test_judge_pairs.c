/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of rule `pairs`: journals of pairs by hand, and what is asked for next. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "judge/verdict.h"
#include "judge_fixture.h"

enum { N = 8 };

static const char site_groups[] =
	"{\"name\":\"s\",\"fabric\":{\"transport\":\"ib\",\"groups\":{\"leaf1\":[\"n0\","
	"\"n1\",\"n2\",\"n3\"],\"leaf2\":[\"n4\",\"n5\"],\"leaf3\":[\"n6\",\"n7\"]}}}";
static const char site_tcp[] =
	"{\"name\":\"s\",\"fabric\":{\"transport\":\"tcp\",\"interface\":[\"hsn0\"]}}";

static void begin(struct fixture *f, int repeats, const char *site)
{
	char nodes[256] = "[", name[16];

	fixture_init(f);
	fixture_config(f);
	for (int i = 0; i < N; i++) {
		(void)snprintf(name, sizeof(name), "%s\"n%d\"", i ? "," : "", i);
		strncat(nodes, name, sizeof(nodes) - strlen(nodes) - 1);
	}
	strncat(nodes, "]", sizeof(nodes) - strlen(nodes) - 1);
	fixture_line(f,
		     "{\"kind\":\"plan\",\"name\":\"test\",\"nodes\":%s,"
		     "\"limits\":{\"repeats\":%d},\"site\":%s,\"kernels\":{\"net\":{"
		     "\"metrics\":[{\"name\":\"net.pair_bw\",\"unit\":\"B/s\","
		     "\"better\":\"higher\",\"reduce\":\"median\",\"unrated\":true}]}}}",
		     nodes, repeats, site);
	for (int i = 0; i < N; i++) {
		(void)snprintf(name, sizeof(name), "n%d", i);
		fixture_node(f, name, NULL, 0);
	}
}

/* A launch of key net/pairs@*SUFFIX on the nodes of @mask. */
static void launch(struct fixture *f, int id, const char *suffix, unsigned mask,
		   const char *cause, const char *request)
{
	char nodes[256] = "", name[16];

	for (int i = 0; i < N; i++) {
		if (!(mask >> i & 1))
			continue;
		(void)snprintf(name, sizeof(name), "%s\"n%d\"", *nodes ? "," : "", i);
		strncat(nodes, name, sizeof(nodes) - strlen(nodes) - 1);
	}
	fixture_line(
		f,
		"{\"kind\":\"step\",\"step\":%d,\"attempt\":1,\"event\":\"planned\","
		"\"key\":\"net/pairs@*%s\",\"name\":\"net/pairs\",\"kernel\":\"net\","
		"\"nodes\":[%s],\"request\":\"%s\"}",
		id, suffix, nodes, request);
	fixture_line(f,
		     "{\"kind\":\"step\",\"step\":%d,\"attempt\":1,\"event\":\"started\","
		     "\"key\":\"net/pairs@*%s\"}",
		     id, suffix);
	fixture_line(
		f,
		"{\"kind\":\"step\",\"step\":%d,\"attempt\":1,\"event\":\"ended\","
		"\"key\":\"net/pairs@*%s\",\"cause\":\"%s\",\"reason\":\"it was so\"}",
		id, suffix, cause);
}

static void value(struct fixture *f, int step, int from, int to, const char *metric,
		  double v)
{
	fixture_line(f,
		     "{\"kind\":\"sample\",\"step\":%d,\"attempt\":1,\"node\":\"n%d\","
		     "\"peer\":\"n%d\",\"rank\":%d,\"metric\":\"net.pair_%s\","
		     "\"value\":%.17g,\"unit\":\"%s\"}",
		     step, from, to, from, metric, v,
		     !strcmp(metric, "latency") ? "s"
		     : !strcmp(metric, "hang")  ? "B"
						: "B/s");
}

static void round_done(struct fixture *f, int step, int done, int of)
{
	fixture_line(f,
		     "{\"kind\":\"event\",\"step\":%d,\"attempt\":1,\"node\":\"n0\","
		     "\"what\":\"round\",\"text\":\"%d of %d: 4 pairs\"}",
		     step, done, of);
}

/* All pairs at 24 GB/s both ways, times what @share says. */
static void all_pairs(struct fixture *f, int step, double (*share)(int from, int to))
{
	for (int i = 0; i < N; i++) {
		for (int j = 0; j < N; j++) {
			if (i != j)
				value(f, step, i, j, "bw",
				      (24e9 + 1e7 * ((i * 5 + j * 3) % 7)) * share(i, j));
		}
	}
}

static double clean(int from, int to)
{
	(void)from;
	(void)to;
	return 1;
}

/* n5 is slow with all, n2 and n7 together: field case D01. */
static double d01(int from, int to)
{
	if (from == 5 || to == 5)
		return 0.25;
	return (from == 2 && to == 7) || (from == 7 && to == 2) ? 0.49 : 1;
}

static size_t count(const struct fixture *f, enum verdict_word word)
{
	size_t n = 0;

	for (size_t i = 0; i < f->summary.n_verdicts; i++)
		n += !strcmp(f->summary.verdicts[i].rule, "pairs") &&
		     f->summary.verdicts[i].word == word;
	return n;
}

/* The @k-th verdict of the rule that is not PASS. */
static const struct verdict *finding(const struct fixture *f, size_t k)
{
	for (size_t i = 0; i < f->summary.n_verdicts; i++) {
		const struct verdict *v = &f->summary.verdicts[i];

		if (!strcmp(v->rule, "pairs") && v->word != VERDICT_PASS && !k--)
			return v;
	}
	fail_msg("no such finding");
	return NULL;
}

static const struct summary_node *node(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->summary.n_nodes; i++) {
		if (!strcmp(f->summary.nodes[i].name, name))
			return &f->summary.nodes[i];
	}
	fail_msg("no such node");
	return NULL;
}

static void a_clean_fabric_passes_and_gives_a_reference(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 5, site_tcp);
	launch(&f, 1, "", 0xff, "ok", "");
	all_pairs(&f, 1, clean);
	(void)fixture_judge(&f);
	assert_int_equal(count(&f, VERDICT_PASS), N);
	assert_int_equal(f.summary.n_requests, 0);
	for (size_t i = 0; i < N; i++)
		assert_true(f.summary.nodes[i].referenced);
	assert_int_equal(f.summary.exit, 0);
	fixture_release(&f);
}

static void suspects_are_tried_with_proven_partners(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 5, site_tcp);
	launch(&f, 1, "", 0xff, "ok", "");
	all_pairs(&f, 1, d01);
	(void)fixture_judge(&f);
	assert_int_equal(count(&f, VERDICT_INCONCLUSIVE), 2);
	assert_int_equal(f.summary.exit, 3);
	assert_int_equal(f.summary.n_requests, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct request *q = &f.summary.requests[i];

		assert_string_equal(q->want, "pair");
		assert_string_equal(q->target,
				    i < 2 ? "net/pairs@*~n5" : "net/pairs@*~n2");
		assert_string_equal(q->partner, i == 0 ? "n6" : i == 1 ? "n0" : "n7");
	}
	fixture_release(&f);
}

static void confirm_d01(struct fixture *f, double link)
{
	launch(f, 2, "~n5", 1 << 5 | 1 << 6, "ok", "check:net/pairs@*~n5:n6:0");
	value(f, 2, 5, 6, "bw", 6.1e9);
	value(f, 2, 6, 5, "bw", 6.0e9);
	launch(f, 3, "~n5", 1 << 5 | 1 << 0, "ok", "check:net/pairs@*~n5:n0:0");
	value(f, 3, 5, 0, "bw", 6.1e9);
	value(f, 3, 0, 5, "bw", 6.0e9);
	for (int i = 4; i < 6; i++) {
		launch(f, i, "~n2", 1 << 2 | 1 << 7, "ok",
		       i == 4 ? "check:net/pairs@*~n2:n7:0"
			      : "check:net/pairs@*~n2:n7:1");
		value(f, i, 2, 7, "bw", link);
		value(f, i, 7, 2, "bw", link);
	}
}

static void what_is_slow_again_is_named_and_nothing_else(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 5, site_tcp);
	launch(&f, 1, "", 0xff, "ok", "");
	all_pairs(&f, 1, d01);
	confirm_d01(&f, 12e9);
	(void)fixture_judge(&f);
	assert_int_equal(f.summary.n_requests, 0);
	assert_int_equal(count(&f, VERDICT_FAIL), 2);
	assert_int_equal(count(&f, VERDICT_PASS), N - 1);
	assert_string_equal(finding(&f, 0)->node, "n5");
	assert_null(finding(&f, 0)->peer);
	assert_string_equal(
		finding(&f, 0)->why,
		"all 14 values of pairs with n5 reach 6.01 GB/s, 25 % of the 24.0 GB/s "
		"of "
		"good pairs: node, port or cable of n5, and again alone; look with: ssh "
		"n5 'ip -s link show hsn0; ethtool -S hsn0'");
	assert_string_equal(finding(&f, 1)->node, "n2");
	assert_string_equal(finding(&f, 1)->peer, "n7");
	assert_non_null(
		strstr(finding(&f, 1)->why, "the pair n2-n7 reaches 11.8 GB/s, 49"));
	assert_non_null(strstr(finding(&f, 1)->why,
			       "while both are good with others: path or switch link"));
	assert_int_equal(node(&f, "n5")->word, VERDICT_FAIL);
	assert_int_equal(node(&f, "n2")->word, VERDICT_PASS);
	assert_int_equal(node(&f, "n7")->word, VERDICT_PASS);
	assert_int_equal(f.summary.exit, 1);
	fixture_release(&f);
}

static void three_nodes_prove_no_link_bad(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 5, site_tcp);
	launch(&f, 1, "", 7, "ok", "");
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 3; j++) {
			if (i != j)
				value(&f, 1, i, j, "bw",
				      (24e9 + 1e7 * (i + j)) * (i && j ? 0.5 : 1));
		}
	}
	for (int i = 2; i < 4; i++) {
		launch(&f, i, "~n1", 6, "ok",
		       i == 2 ? "check:net/pairs@*~n1:n2:0"
			      : "check:net/pairs@*~n1:n2:1");
		value(&f, i, 1, 2, "bw", 12e9);
		value(&f, i, 2, 1, "bw", 12e9);
	}
	(void)fixture_judge(&f);
	assert_int_equal(count(&f, VERDICT_FAIL), 0);
	assert_int_equal(finding(&f, 0)->word, VERDICT_WARN);
	assert_string_equal(finding(&f, 0)->peer, "n2");
	assert_non_null(
		strstr(finding(&f, 0)->why, "of fewer than four nodes none is proven"));
	fixture_release(&f);
}

static void what_is_good_when_measured_again_was_chance(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 5, site_tcp);
	launch(&f, 1, "", 0xff, "ok", "");
	all_pairs(&f, 1, d01);
	confirm_d01(&f, 24e9);
	(void)fixture_judge(&f);
	assert_int_equal(count(&f, VERDICT_FAIL), 1);
	assert_int_equal(f.summary.n_remarks, 1);
	assert_non_null(strstr(f.summary.remarks[0], "1 suspicions were not confirmed"));
	fixture_release(&f);
}

/* Saved results of pairs cannot be measured again. */
static void without_repeats_it_is_what_it_is(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0, site_tcp);
	launch(&f, 1, "", 0xff, "ok", "");
	all_pairs(&f, 1, d01);
	(void)fixture_judge(&f);
	assert_int_equal(count(&f, VERDICT_FAIL), 2);
	assert_int_equal(f.summary.n_requests, 0);
	fixture_release(&f);
}

static double sends(int from, int to)
{
	(void)to;
	return from == 4 ? 0.3 : 1;
}

static void a_direction_is_named(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0, site_tcp);
	launch(&f, 1, "", 0xff, "ok", "");
	all_pairs(&f, 1, sends);
	(void)fixture_judge(&f);
	assert_int_equal(count(&f, VERDICT_FAIL), 1);
	assert_string_equal(finding(&f, 0)->node, "n4");
	assert_string_equal(finding(&f, 0)->at, "{\"direction\":\"out\"}");
	assert_non_null(strstr(finding(&f, 0)->why,
			       "all 7 values of what is sent by n4 reach 7.21 GB/s"));
	fixture_release(&f);
}

static double one_way(int from, int to)
{
	return from == 1 && to == 4 ? 0.5 : 1;
}

/* Pair n1-n4 twice alone, each with what it reached there and back, GB/s. */
static void repeat_link(struct fixture *f, double there, double back, double there2,
			double back2)
{
	for (int i = 2; i < 4; i++) {
		launch(f, i, "~n1", 1 << 1 | 1 << 4, "ok",
		       i == 2 ? "check:net/pairs@*~n1:n4:0"
			      : "check:net/pairs@*~n1:n4:1");
		value(f, i, 1, 4, "bw", 1e9 * (i == 2 ? there : there2));
		value(f, i, 4, 1, "bw", 1e9 * (i == 2 ? back : back2));
	}
}

static void begin_table(struct fixture *f, double (*share)(int from, int to))
{
	begin(f, 5, site_tcp);
	launch(f, 1, "", 0xff, "ok", "");
	all_pairs(f, 1, share);
}

static void one_direction_is_proven_by_the_other_being_good(void **state)
{
	/* back: good, and a small loss beside a large one */
	static const double ways[][2] = {{12, 24}, {2.4, 19}};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		begin_table(&f, one_way);
		repeat_link(&f, ways[i][0], ways[i][1], ways[i][0], 24);
		(void)fixture_judge(&f);
		assert_int_equal(count(&f, VERDICT_FAIL), 1);
		assert_string_equal(finding(&f, 0)->node, "n1");
		assert_string_equal(finding(&f, 0)->peer, "n4");
		assert_string_equal(finding(&f, 0)->at, "{\"direction\":\"out\"}");
		assert_non_null(strstr(finding(&f, 0)->why, ", and again alone"));
		assert_int_equal(f.summary.exit, 1);
		fixture_release(&f);
	}
}

static void slow_both_ways_when_measured_again_is_no_one_way_fault(void **state)
{
	/* of the two launches both, or the second alone, is slow there and back; the
	 * last: the other direction has less than half, which is not good either */
	static const double ways[][4] = {
		{12, 12, 12, 12}, {12, 24, 12, 12}, {2.4, 10, 2.4, 10}};
	static const char *const told[] = {"12.0 GB/s and n4 to n1 12.0 GB/s",
					   "12.0 GB/s and n4 to n1 12.0 GB/s",
					   "2.40 GB/s and n4 to n1 10.0 GB/s"};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		begin_table(&f, one_way);
		repeat_link(&f, ways[i][0], ways[i][1], ways[i][2], ways[i][3]);
		(void)fixture_judge(&f);
		assert_int_equal(count(&f, VERDICT_FAIL), 0);
		assert_int_equal(count(&f, VERDICT_WARN), 1);
		assert_int_equal(f.summary.n_requests, 0);
		assert_string_equal(finding(&f, 0)->peer, "n4");
		assert_non_null(strstr(finding(&f, 0)->why, "; alone n1 to n4 reached "));
		assert_non_null(strstr(finding(&f, 0)->why, told[i]));
		assert_non_null(strstr(finding(&f, 0)->why, "unsteady"));
		assert_null(strstr(finding(&f, 0)->why, ", and again alone"));
		fixture_release(&f);
	}
}

static double both_ways(int from, int to)
{
	return (from == 1 && to == 4) || (from == 4 && to == 1) ? 0.5 : 1;
}

static void a_pair_that_the_table_has_slow_both_ways_is_named_as_such(void **state)
{
	struct fixture f;

	(void)state;
	begin_table(&f, both_ways);
	repeat_link(&f, 12, 12, 12, 12);
	(void)fixture_judge(&f);
	assert_int_equal(count(&f, VERDICT_FAIL), 1);
	assert_null(finding(&f, 0)->at);
	assert_non_null(strstr(finding(&f, 0)->why, "the pair n1-n4 reaches 12"));
	fixture_release(&f);
}

/* The same of a node: n4 sends slowly, by the table. */
static void a_node_that_is_slow_both_ways_alone_is_unsteady(void **state)
{
	struct fixture f;

	(void)state;
	for (int both = 0; both < 2; both++) {
		begin_table(&f, sends);
		for (int i = 2; i < 4; i++) {
			int partner = i == 2 ? 5 : 6;

			launch(&f, i, "~n4", 1u << 4 | 1u << partner, "ok",
			       i == 2 ? "check:net/pairs@*~n4:n5:0"
				      : "check:net/pairs@*~n4:n6:0");
			value(&f, i, 4, partner, "bw", 7.2e9);
			value(&f, i, partner, 4, "bw", both ? 8e9 : 24e9);
		}
		(void)fixture_judge(&f);
		assert_int_equal(f.summary.n_requests, 0);
		assert_int_equal(finding(&f, 0)->word,
				 both ? VERDICT_WARN : VERDICT_FAIL);
		assert_string_equal(finding(&f, 0)->node, "n4");
		assert_int_equal(
			strstr(finding(&f, 0)->why, "in 2 of 2 launches") != NULL, both);
		fixture_release(&f);
	}
}

/* n4 loses packets: half of what it sends is slow, as it happens. */
static double at_times(int from, int to)
{
	return from == 4 && to % 2 ? 0.3 : 1;
}

static void a_node_that_is_slow_at_times_is_so_whichever_way_shows_it(void **state)
{
	struct fixture f;

	(void)state;
	begin_table(&f, at_times);
	launch(&f, 2, "~n4", 1 << 4 | 1 << 5, "ok", "check:net/pairs@*~n4:n5:0");
	value(&f, 2, 4, 5, "bw", 7e9);
	value(&f, 2, 5, 4, "bw", 7e9);
	launch(&f, 3, "~n4", 1 << 4 | 1 << 6, "ok", "check:net/pairs@*~n4:n6:0");
	value(&f, 3, 4, 6, "bw", 24e9);
	value(&f, 3, 6, 4, "bw", 24e9);
	(void)fixture_judge(&f);
	assert_int_equal(count(&f, VERDICT_FAIL), 1);
	assert_string_equal(finding(&f, 0)->node, "n4");
	assert_null(finding(&f, 0)->at);
	assert_non_null(strstr(finding(&f, 0)->why, "4 of 14 values of pairs with n4"));
	fixture_release(&f);
}

static void a_single_pair_is_judged_by_nothing(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0, site_tcp);
	launch(&f, 1, "", 3, "ok", "");
	value(&f, 1, 0, 1, "bw", 24e9);
	value(&f, 1, 1, 0, "bw", 24e9);
	(void)fixture_judge(&f);
	assert_int_equal(count(&f, VERDICT_PASS), 0);
	assert_int_equal(count(&f, VERDICT_UNJUDGED), 2);
	assert_false(f.summary.nodes[0].referenced);
	assert_int_equal(f.summary.exit, 3);
	fixture_release(&f);
}

static double leaf(int from, int to)
{
	return (from == 4 || from == 5) != (to == 4 || to == 5) ? 0.5 : 1;
}

static void a_group_is_named(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0, site_groups);
	launch(&f, 1, "", 0xff, "ok", "");
	all_pairs(&f, 1, leaf);
	(void)fixture_judge(&f);
	assert_int_equal(count(&f, VERDICT_FAIL), 1);
	assert_null(finding(&f, 0)->node);
	assert_string_equal(finding(&f, 0)->at, "{\"group\":\"leaf2\"}");
	assert_non_null(strstr(finding(&f, 0)->why, ": uplinks of leaf2; look with: "
						    "ibqueryerrors"));
	assert_int_equal(count(&f, VERDICT_PASS), N);
	fixture_release(&f);
}

/* Field case B09: as fast as Ethernet, with a port of InfiniBand active. */
static void a_fall_back_is_not_called_slow(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0, site_tcp);
	for (int i = 0; i < N; i++)
		fixture_line(&f,
			     "{\"kind\":\"node\",\"node\":\"n%d\",\"facts\":{\"hca\":{"
			     "\"mlx5_0\":{\"ports\":[{\"port\":1,\"state\":\"ACTIVE\","
			     "\"layer\":\"InfiniBand\",\"rate\":2.5e10}]}},\"net\":{"
			     "\"eth0\":{\"speed\":3.125e9}}}}",
			     i);
	launch(&f, 1, "", 0xff, "ok", "");
	for (int i = 0; i < N; i++) {
		for (int j = 0; j < N; j++) {
			if (i != j)
				value(&f, 1, i, j, "bw", 2.9e9);
		}
	}
	(void)fixture_judge(&f);
	assert_int_equal(count(&f, VERDICT_FAIL), 1);
	assert_non_null(
		strstr(finding(&f, 0)->why,
		       "WRONG TRANSPORT: fall-back suspected: 2.90 GB/s is no more "
		       "than Ethernet gives (3.12 GB/s)"));
	fixture_release(&f);
}

/* One of them alone fell back: it is its transport, not its cable. */
static double one_fell_back(int from, int to)
{
	return from == 3 || to == 3 ? 0.1 : 1;
}

static void one_node_on_the_wrong_transport_is_named_so(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0, site_tcp);
	for (int i = 0; i < N; i++)
		fixture_line(&f,
			     "{\"kind\":\"node\",\"node\":\"n%d\",\"facts\":{\"hca\":{"
			     "\"mlx5_0\":{\"ports\":[{\"port\":1,\"state\":\"ACTIVE\","
			     "\"layer\":\"InfiniBand\",\"rate\":2.5e10}]}},\"net\":{"
			     "\"eth0\":{\"speed\":3.125e9}}}}",
			     i);
	launch(&f, 1, "", 0xff, "ok", "");
	all_pairs(&f, 1, one_fell_back);
	(void)fixture_judge(&f);
	assert_int_equal(count(&f, VERDICT_FAIL), 1);
	assert_string_equal(finding(&f, 0)->node, "n3");
	assert_int_equal(strncmp(finding(&f, 0)->why, "WRONG TRANSPORT", 15), 0);
	fixture_release(&f);
}

/* The first round of eight nodes in which 4 and 7 hang: field case D04. */
static void first_round_hangs(struct fixture *f)
{
	launch(f, 1, "", 0xff, "no-data", "");
	value(f, 1, 0, 1, "latency", 5e-6);
	value(f, 1, 2, 6, "latency", 5e-6);
	value(f, 1, 3, 5, "latency", 5e-6);
	value(f, 1, 4, 7, "hang", 16384);
	value(f, 1, 7, 4, "hang", 16384);
	round_done(f, 1, 1, 7);
}

static void of_two_that_hang_each_is_tried_with_another(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 5, site_tcp);
	first_round_hangs(&f);
	(void)fixture_judge(&f);
	assert_int_equal(count(&f, VERDICT_INCONCLUSIVE), 1);
	assert_string_equal(finding(&f, 0)->node, "n4");
	assert_string_equal(finding(&f, 0)->peer, "n7");
	assert_int_equal(f.summary.n_requests, 2);
	assert_string_equal(f.summary.requests[0].target, "net/pairs@*~n4");
	assert_string_equal(f.summary.requests[1].target, "net/pairs@*~n7");
	fixture_release(&f);
}

static void who_hangs_with_others_too_is_named_and_excluded(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 5, site_tcp);
	first_round_hangs(&f);
	launch(&f, 2, "~n4", 1 << 4 | 1 << 5, "no-data", "check:net/pairs@*~n4:n5:0");
	value(&f, 2, 4, 5, "hang", 16384);
	launch(&f, 3, "~n7", 1 << 7 | 1 << 0, "ok", "check:net/pairs@*~n7:n0:0");
	value(&f, 3, 0, 7, "latency", 5e-6);
	(void)fixture_judge(&f);
	assert_int_equal(count(&f, VERDICT_FAIL), 1);
	assert_string_equal(finding(&f, 0)->node, "n4");
	assert_null(finding(&f, 0)->peer);
	assert_non_null(strstr(finding(&f, 0)->why,
			       "small sizes pass, hang from 16384 bytes, with 3 of 3 "
			       "others: check MTU / firewall of n4"));
	assert_int_equal(f.summary.n_requests, 1);
	assert_string_equal(f.summary.requests[0].want, "exclude");
	assert_string_equal(f.summary.requests[0].target, "n4");
	fixture_release(&f);
}

static void a_launch_that_was_cut_off_goes_on(void **state)
{
	struct fixture f;
	size_t missed = 0;

	(void)state;
	begin(&f, 5, site_tcp);
	launch(&f, 1, "", 0xff, "no-data", "");
	all_pairs(&f, 1, clean);
	round_done(&f, 1, 2, 7);
	(void)fixture_judge(&f);
	assert_int_equal(f.summary.n_requests, 1);
	assert_string_equal(f.summary.requests[0].id, "go-on:net/pairs@*:1");
	assert_string_equal(f.summary.requests[0].want, "repeat");
	assert_string_equal(f.summary.requests[0].target, "net/pairs@*");
	fixture_release(&f);
	/* a node that does not answer is out first, and what it missed is told */
	begin(&f, 5, site_tcp);
	launch(&f, 1, "", 0xff, "no-data", "");
	all_pairs(&f, 1, clean);
	round_done(&f, 1, 2, 7);
	fixture_line(&f, "{\"kind\":\"event\",\"step\":1,\"attempt\":1,\"node\":\"n3\","
			 "\"what\":\"silent\",\"text\":\"gone\"}");
	(void)fixture_judge(&f);
	assert_int_equal(f.summary.n_requests, 1);
	assert_string_equal(f.summary.requests[0].want, "exclude");
	assert_string_equal(f.summary.requests[0].target, "n3");
	launch(&f, 2, "", 0xf7, "ok", "exclude:n3:1");
	value(&f, 2, 0, 1, "bw", 24e9);
	round_done(&f, 2, 7, 7);
	summary_release(&f.summary);
	(void)fixture_judge(&f);
	for (size_t i = 0; i < f.summary.n_missing; i++)
		missed += !strcmp(f.summary.missing[i].node, "n3") &&
			  strstr(f.summary.missing[i].why, "pairs of it measured");
	assert_int_equal(missed, 1);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_fabric_passes_and_gives_a_reference),
		cmocka_unit_test(suspects_are_tried_with_proven_partners),
		cmocka_unit_test(what_is_slow_again_is_named_and_nothing_else),
		cmocka_unit_test(three_nodes_prove_no_link_bad),
		cmocka_unit_test(what_is_good_when_measured_again_was_chance),
		cmocka_unit_test(without_repeats_it_is_what_it_is),
		cmocka_unit_test(a_direction_is_named),
		cmocka_unit_test(one_direction_is_proven_by_the_other_being_good),
		cmocka_unit_test(slow_both_ways_when_measured_again_is_no_one_way_fault),
		cmocka_unit_test(
			a_pair_that_the_table_has_slow_both_ways_is_named_as_such),
		cmocka_unit_test(a_node_that_is_slow_both_ways_alone_is_unsteady),
		cmocka_unit_test(
			a_node_that_is_slow_at_times_is_so_whichever_way_shows_it),
		cmocka_unit_test(a_single_pair_is_judged_by_nothing),
		cmocka_unit_test(a_group_is_named),
		cmocka_unit_test(a_fall_back_is_not_called_slow),
		cmocka_unit_test(one_node_on_the_wrong_transport_is_named_so),
		cmocka_unit_test(of_two_that_hang_each_is_tried_with_another),
		cmocka_unit_test(who_hangs_with_others_too_is_named_and_excluded),
		cmocka_unit_test(a_launch_that_was_cut_off_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
