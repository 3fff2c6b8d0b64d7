/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the inference from pairs: small graphs by hand, and simulated fabrics. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "judge/pairs.h"
#include "tests/bench/fabric.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

enum { MOST = 256 };

/* Pairs of a table of rates: row sends to column; 0: not measured, -1: nothing came. */
static struct pairs judge(const double *rate, size_t n, const uint32_t *group,
			  size_t groups, bool higher, bool directed)
{
	struct pairs_question q = {.nodes = n,
				   .group = group,
				   .groups = groups,
				   .higher = higher,
				   .directed = directed,
				   .min_deviation = 0.1,
				   .tests = 1};
	struct pairs_value v[MOST];
	struct pairs p;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			if (i == j || rate[i * n + j] == 0)
				continue;
			assert_true(k < MOST);
			v[k++] = (struct pairs_value){(uint32_t)i, (uint32_t)j,
						      rate[i * n + j]};
		}
	}
	pairs_judge(&p, v, k, &q);
	assert_true(isfinite(p.limit) && isfinite(p.sigma));
	for (size_t i = 0; i < n; i++)
		assert_true(isfinite(p.share[i]));
	return p;
}

static void expect(const struct pairs *p, size_t i, enum pairs_kind kind,
		   enum pairs_way way, uint32_t a)
{
	assert_true(i < p->n);
	assert_int_equal(p->findings[i].kind, kind);
	assert_int_equal(p->findings[i].way, way);
	assert_int_equal(p->findings[i].a, a);
}

/* All pairs of @n nodes at 100, a little apart. */
static void fill(double *rate, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++)
			rate[i * n + j] =
				i == j ? 0 : 100 + (double)((i * 7 + j * 3) % 5);
	}
}

static void a_clean_fabric_has_no_finding(void **state)
{
	double rate[8 * 8];
	struct pairs p;

	(void)state;
	fill(rate, 8);
	p = judge(rate, 8, NULL, 0, true, true);
	assert_int_equal(p.n, 0);
	assert_false(p.scattered);
	assert_true(p.reference[0] >= 100 && p.reference[0] <= 104);
	pairs_release(&p);
}

/* A node is slow with all, one pair only together: field case D01. */
static void a_node_and_a_pair_are_told_apart(void **state)
{
	double rate[8 * 8];
	struct pairs p;

	(void)state;
	fill(rate, 8);
	for (size_t i = 0; i < 8; i++) {
		if (i != 5)
			rate[(size_t)5 * 8 + i] = rate[i * 8 + 5] = 25;
	}
	rate[2 * 8 + 7] = rate[7 * 8 + 2] = 49;
	p = judge(rate, 8, NULL, 0, true, true);
	assert_int_equal(p.n, 2);
	expect(&p, 0, PAIRS_NODE, PAIRS_BOTH, 5);
	assert_int_equal(p.findings[0].slow, 14);
	assert_int_equal(p.findings[0].n_check, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(p.findings[0].check[i].a, 5);
		assert_int_not_equal(p.findings[0].check[i].b, 2);
		assert_int_not_equal(p.findings[0].check[i].b, 7);
	}
	expect(&p, 1, PAIRS_LINK, PAIRS_BOTH, 2);
	assert_int_equal(p.findings[1].b, 7);
	pairs_release(&p);
}

static void a_direction_is_named(void **state)
{
	double rate[8 * 8];
	struct pairs p;

	(void)state;
	fill(rate, 8);
	for (size_t i = 0; i < 8; i++) {
		if (i != 3)
			rate[(size_t)3 * 8 + i] = 30;
	}
	rate[6 * 8 + 1] = 50;
	p = judge(rate, 8, NULL, 0, true, true);
	assert_int_equal(p.n, 2);
	expect(&p, 0, PAIRS_NODE, PAIRS_SENDS, 3);
	expect(&p, 1, PAIRS_LINK, PAIRS_SENDS, 6);
	assert_int_equal(p.findings[1].b, 1);
	pairs_release(&p);
}

/* Loss of packets: some pairs of n6 are slow, each in its way. */
static void a_node_that_is_slow_at_times_is_one_finding(void **state)
{
	double rate[8 * 8];
	struct pairs p;

	(void)state;
	fill(rate, 8);
	rate[6 * 8 + 0] = 40;
	rate[0 * 8 + 6] = 30;
	rate[2 * 8 + 6] = 2;
	rate[6 * 8 + 3] = 15;
	rate[5 * 8 + 6] = 60;
	p = judge(rate, 8, NULL, 0, true, true);
	assert_int_equal(p.n, 1);
	expect(&p, 0, PAIRS_NODE, PAIRS_BOTH, 6);
	assert_int_equal(p.findings[0].slow, 5);
	assert_int_equal(p.findings[0].of, 14);
	pairs_release(&p);
}

/* Two of eight nodes spoil nearly half of all pairs. */
static void bad_nodes_do_not_blame_good_ones(void **state)
{
	double rate[8 * 8];
	struct pairs p;

	(void)state;
	fill(rate, 8);
	for (size_t i = 0; i < 8; i++) {
		if (i != 1)
			rate[(size_t)1 * 8 + i] = rate[i * 8 + 1] = 20;
		if (i != 6 && i != 1)
			rate[(size_t)6 * 8 + i] = rate[i * 8 + 6] = 40;
	}
	p = judge(rate, 8, NULL, 0, true, true);
	assert_int_equal(p.n, 2);
	expect(&p, 0, PAIRS_NODE, PAIRS_BOTH, 1);
	expect(&p, 1, PAIRS_NODE, PAIRS_BOTH, 6);
	pairs_release(&p);
}

/* Latencies: b hangs with a and with c, which work together: field case D04. */
static void what_never_arrives_is_slow(void **state)
{
	const double time[] = {0, -1, 7e-6, -1, 0, -1, 7e-6, -1, 0};
	struct pairs p = judge(time, 3, NULL, 0, false, false);

	(void)state;
	assert_int_equal(p.n, 1);
	expect(&p, 0, PAIRS_NODE, PAIRS_BOTH, 1);
	assert_true(p.findings[0].share < 1e-9);
	pairs_release(&p);
}

static void where_nothing_arrives_nobody_is_blamed(void **state)
{
	double rate[4 * 4];
	struct pairs p;

	(void)state;
	for (size_t i = 0; i < 16; i++)
		rate[i] = i % 5 ? -1 : 0;
	p = judge(rate, 4, NULL, 0, true, true);
	assert_int_equal(p.n, 0);
	assert_true(p.reference[0] == 0);
	pairs_release(&p);
	/* one pair has nothing to be compared with */
	fill(rate, 2);
	p = judge(rate, 2, NULL, 0, true, true);
	assert_int_equal(p.n, 0);
	pairs_release(&p);
}

static void groups_take_the_blame_of_their_nodes(void **state)
{
	static const uint32_t group[12] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
	double rate[12 * 12];
	struct pairs p;

	(void)state;
	fill(rate, 12);
	for (size_t i = 4; i < 8; i++) {
		for (size_t j = 0; j < 12; j++) {
			if (group[j] != 1)
				rate[i * 12 + j] = rate[j * 12 + i] = 50;
		}
	}
	p = judge(rate, 12, group, 3, true, true);
	assert_int_equal(p.n, 1);
	expect(&p, 0, PAIRS_UPLINK, PAIRS_BOTH, 1);
	assert_int_equal(p.findings[0].n_check, PAIRS_CHECKS);
	pairs_release(&p);
	for (size_t i = 4; i < 8; i++) {
		for (size_t j = 4; j < 8; j++) {
			if (i != j)
				rate[i * 12 + j] = 50;
		}
	}
	p = judge(rate, 12, group, 3, true, true);
	assert_int_equal(p.n, 1);
	expect(&p, 0, PAIRS_LEAF, PAIRS_BOTH, 1);
	pairs_release(&p);
	/* and a path between two of them */
	fill(rate, 12);
	for (size_t i = 0; i < 4; i++) {
		for (size_t j = 8; j < 12; j++)
			rate[i * 12 + j] = rate[j * 12 + i] = 50;
	}
	p = judge(rate, 12, group, 3, true, true);
	assert_int_equal(p.n, 1);
	expect(&p, 0, PAIRS_BETWEEN, PAIRS_BOTH, 0);
	assert_int_equal(p.findings[0].b, 2);
	pairs_release(&p);
}

static void a_farther_group_is_no_fault(void **state)
{
	static const uint32_t group[8] = {0, 0, 0, 0, 1, 1, 1, 1};
	double time[8 * 8];
	struct pairs p;

	(void)state;
	fill(time, 8);
	for (size_t i = 0; i < 64; i++) {
		if (group[i / 8] != group[i % 8])
			time[i] *= 1.5;
	}
	p = judge(time, 8, group, 2, false, false);
	assert_int_equal(p.n, 0);
	assert_true(p.reference[1] > 1.4 * p.reference[0]);
	pairs_release(&p);
}

static void a_finding_is_settled_by_what_is_measured_again(void **state)
{
	struct pairs_finding link = {.kind = PAIRS_LINK, .n_check = 1};
	struct pairs_finding node = {
		.kind = PAIRS_NODE, .n_check = 2, .slow = 7, .of = 7};
	struct pairs_finding leaf = {.kind = PAIRS_LEAF, .n_check = 3};
	struct pairs_finding at_times = {
		.kind = PAIRS_NODE, .n_check = 2, .slow = 3, .of = 7};

	(void)state;
	assert_int_equal(pairs_settle(&link, 1, 1), PAIRS_MORE);
	assert_int_equal(pairs_settle(&link, 2, 2), PAIRS_CONFIRMED);
	assert_int_equal(pairs_settle(&link, 1, 2), PAIRS_MORE);
	assert_int_equal(pairs_settle(&link, 2, 4), PAIRS_CLEARED);
	assert_int_equal(pairs_settle(&link, 3, 4), PAIRS_UNSTEADY);
	assert_int_equal(pairs_settle(&link, 0, 2), PAIRS_CLEARED);
	assert_int_equal(pairs_settle(&node, 1, 2), PAIRS_UNSTEADY);
	assert_int_equal(pairs_settle(&node, 2, 2), PAIRS_CONFIRMED);
	assert_int_equal(pairs_settle(&at_times, 1, 2), PAIRS_CONFIRMED);
	assert_int_equal(pairs_settle(&at_times, 0, 2), PAIRS_CLEARED);
	assert_int_equal(pairs_settle(&leaf, 2, 3), PAIRS_CONFIRMED);
	assert_int_equal(pairs_settle(&leaf, 1, 3), PAIRS_UNSTEADY);
}

/* Every fault but single pairs by a sample, those by all pairs; nothing else is named. */
static void faults_of_simulated_fabrics_are_found(void **state)
{
	(void)state;
	for (enum fabric_fault f = 0; f < FABRIC_FAULTS; f++) {
		struct fabric_model m = {.nodes = 200,
					 .leaf = 20,
					 .fault = f,
					 .loss = 0.5,
					 .noise = 0.03,
					 .groups = true,
					 .all = f >= FABRIC_PAIR};

		for (uint64_t seed = 1; seed <= (m.all ? 2 : 10); seed++) {
			struct fabric_result r = fabric_simulate(&m, seed);

			if (f != FABRIC_CLEAN && !r.found)
				fail_msg("%s, seed %d: not found", fabric_fault_names[f],
					 (int)seed);
			if (r.wrong || r.unsteady)
				fail_msg("%s, seed %d: %zu others named",
					 fabric_fault_names[f], (int)seed, r.wrong);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_fabric_has_no_finding),
		cmocka_unit_test(a_node_and_a_pair_are_told_apart),
		cmocka_unit_test(a_direction_is_named),
		cmocka_unit_test(a_node_that_is_slow_at_times_is_one_finding),
		cmocka_unit_test(bad_nodes_do_not_blame_good_ones),
		cmocka_unit_test(what_never_arrives_is_slow),
		cmocka_unit_test(where_nothing_arrives_nobody_is_blamed),
		cmocka_unit_test(groups_take_the_blame_of_their_nodes),
		cmocka_unit_test(a_farther_group_is_no_fault),
		cmocka_unit_test(a_finding_is_settled_by_what_is_measured_again),
		cmocka_unit_test(faults_of_simulated_fabrics_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
