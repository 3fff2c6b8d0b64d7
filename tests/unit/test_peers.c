/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the comparison of like values: statistics, policy, and simulated fleets. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "tests/bench/fleet.h"
#include "judge/peers.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

enum { MOST = 64 };

/* One launch a node. */
static void judge(struct peers *p, const double *values, size_t n, bool higher)
{
	const struct peers_question q = {higher, 0.05, 1};
	struct peers_value v[MOST];

	for (size_t i = 0; i < n; i++)
		v[i] = (struct peers_value){values[i], values[i], values[i], 1};
	peers_judge(p, v, n, &q);
	for (size_t i = 0; i < p->n_populations; i++) {
		assert_true(isfinite(p->populations[i].median));
		assert_true(isfinite(p->populations[i].sigma));
		assert_true(isfinite(p->populations[i].chance));
	}
}

static struct peers_opinion opinion(const struct peers *p, double value, size_t launches,
				    size_t allowed)
{
	struct peers_value v = {value, value, value, launches};

	return peers_opinion(p, &v, allowed);
}

/* Field cases F01 and others: the places of the values, a letter each. */
static const struct {
	const char *name;
	double values[12];
	size_t n;
	const char *places; /* . alike, n near, o off, F far, + better; - worse half */
} cases[] = {
	{"flat_tiny_dev",
	 {100, 100, 100, 100, 100, 100, 100, 100, 100, 100.1},
	 10,
	 ".........."},
	{"flat_one_bad", {100, 100, 100, 100, 100, 100, 100, 50}, 8, ".......F"},
	{"all_equal", {100, 100, 100, 100, 100, 100, 100, 100}, 8, "........"},
	{"all_zero", {0, 0, 0, 0, 0, 0}, 6, "......"},
	{"one_not_zero", {0, 0, 0, 0, 0, 7}, 6, ".....+"},
	{"first_bad", {50, 100, 100, 100, 100}, 5, "F...."},
	{"better", {100, 100, 130, 100, 100}, 5, "..+.."},
	{"uniform_slow", {150, 151, 150, 149, 150, 151, 150, 150}, 8, "........"},
	{"triad of E01",
	 {187.1, 186.8, 187.4, 186.9, 151.2, 187.0, 140.2, 187.2},
	 8,
	 "....F.F."},
	{"hpl of E01", {3011, 3008, 3013, 3002, 2410, 1498, 2995, 3009}, 8, "....FF.."},
	{"two of four", {187, 150, 186, 151}, 4, ".-.-"},
	{"half", {187, 150, 186, 151, 188, 149, 187, 150}, 8, ".-.-.-.-"},
	{"two of five", {187, 186, 188, 150, 151}, 5, "...--"},
	{"a better quarter", {150, 151, 187, 149, 188, 150, 151, 150}, 8, "..+.+..."},
	{"a better half", {150, 151, 187, 149, 188, 150, 187, 150}, 8, "--.-.-.-"},
	{"a worse one in the worse half",
	 {187, 186, 188, 187, 187, 150, 151, 150, 149, 90},
	 10,
	 ".....----F"},
	{"no groups, only noise", {150, 110, 130, 160}, 4, ".n.."},
};

static char letter(const struct peers *p, double value)
{
	struct peers_opinion o = opinion(p, value, 1, 5);

	if (o.place == PEERS_ALIKE && o.slower)
		return '-';
	return "+.noF"[o.place];
}

static void places_are_those_a_person_would_give(void **state)
{
	(void)state;
	for (size_t c = 0; c < N(cases); c++) {
		struct peers p;

		judge(&p, cases[c].values, cases[c].n, true);
		for (size_t i = 0; i < cases[c].n; i++) {
			char found = letter(&p, cases[c].values[i]);

			if (found != cases[c].places[i])
				fail_msg("%s: value %zu is %c, not %c", cases[c].name, i,
					 found, cases[c].places[i]);
		}
	}
}

/* What is lower the better is the same upside down. */
static void lower_is_better_is_the_mirror_image(void **state)
{
	static const double times[] = {10, 10.1, 9.9, 10, 15, 10, 8};
	struct peers p;

	(void)state;
	judge(&p, times, N(times), false);
	assert_int_equal(p.n_populations, 1);
	assert_int_equal(peers_place(&p, 15), PEERS_FAR);
	assert_int_equal(peers_place(&p, 8), PEERS_BETTER);
	assert_int_equal(peers_place(&p, 10.1), PEERS_ALIKE);
	assert_true(fabs(peers_off(&p, 15) - 5) < 1e-12);
}

static void fewer_than_four_are_not_compared(void **state)
{
	static const double v[] = {187, 186, 150, 187};
	struct peers p;

	(void)state;
	for (size_t n = 0; n < 4; n++) {
		judge(&p, v, n, true);
		assert_int_equal(p.n_populations, 0);
	}
	judge(&p, v, 4, true);
	assert_int_equal(p.n_populations, 1);
	assert_int_equal(p.populations[0].n, 4);
}

/* The order of the nodes and the unit of the values change nothing. */
static void order_and_unit_change_nothing(void **state)
{
	double v[] = {187.1, 186.8, 187.4, 186.9, 151.2, 187.0, 140.2, 187.2};
	struct peers first, p;

	(void)state;
	judge(&first, v, N(v), true);
	for (int i = 0; i < 1000; i++) {
		size_t a = (size_t)(i * 7) % N(v), b = (size_t)(i * 5 + 3) % N(v);
		double t = v[a];

		v[a] = v[b];
		v[b] = t;
		judge(&p, v, N(v), true);
		assert_memory_equal(&p.populations, &first.populations,
				    sizeof(p.populations));
	}
	for (size_t i = 0; i < N(v); i++)
		v[i] *= 0x1p30;
	judge(&p, v, N(v), true);
	assert_true(fabs(p.populations[0].chance / first.populations[0].chance / 0x1p30 -
			 1) < 1e-12);
}

/* However bad a bad one is, the limit for the others stays where it is. */
static void a_bad_one_does_not_raise_the_limit(void **state)
{
	double v[] = {100, 101, 99, 100.5, 99.5, 100.2, 80, 99.8, 100.3};
	struct peers bad, worse;

	(void)state;
	judge(&bad, v, N(v), true);
	v[6] = 1e-300;
	judge(&worse, v, N(v), true);
	assert_memory_equal(&bad.populations, &worse.populations,
			    sizeof(bad.populations));
	v[5] = 0;
	judge(&worse, v, N(v), true);
	assert_true(worse.populations[0].chance < 2 * bad.populations[0].chance);
	assert_int_equal(peers_place(&worse, v[5]), PEERS_FAR);
}

static void a_wide_spread_and_many_tests_widen_the_limit(void **state)
{
	struct peers_question q = {true, 0.05, 1};
	struct peers_value v[MOST];
	struct peers narrow, wide, many, tolerant;

	(void)state;
	for (size_t i = 0; i < MOST; i++) {
		double x = 100 + (double)(i % 9) - 4;

		v[i] = (struct peers_value){x, x, x, 1};
	}
	peers_judge(&narrow, v, MOST, &q);
	q.tests = 20;
	peers_judge(&many, v, MOST, &q);
	q.tests = 1;
	q.min_deviation = 0.2;
	peers_judge(&tolerant, v, MOST, &q);
	for (size_t i = 0; i < MOST; i++)
		v[i].value = 100 + 3 * (v[i].value - 100);
	q.min_deviation = 0.05;
	peers_judge(&wide, v, MOST, &q);
	assert_true(many.populations[0].chance > narrow.populations[0].chance);
	assert_true(wide.populations[0].chance > 2 * narrow.populations[0].chance);
	/* 15 % are beyond what chance does here, but not beyond what counts there */
	assert_int_equal(peers_place(&narrow, 82), PEERS_OFF);
	assert_true(peers_place(&tolerant, 82) < PEERS_OFF);
	assert_true(peers_place(&wide, 82) < PEERS_OFF);
}

/* Without a share that counts the spread alone decides, and MAD 0 is still no trap. */
static void no_deviation_that_counts_leaves_the_spread(void **state)
{
	static const struct peers_question q = {true, 0, 1};
	struct peers_value v[12];
	struct peers p;

	(void)state;
	for (size_t i = 0; i < N(v); i++) {
		double x = 100 + (i == 0 ? 0.1 : i == 1 ? -0.1 : 0);

		v[i] = (struct peers_value){x, x, x, 1};
	}
	peers_judge(&p, v, N(v), &q);
	assert_true(p.populations[0].sigma > 0);
	assert_true(peers_place(&p, 99.9) < PEERS_OFF);
	assert_int_equal(peers_place(&p, 50), PEERS_FAR);
}

static void what_is_off_is_measured_again(void **state)
{
	static const double v[] = {100, 101, 99, 100, 101, 99, 100, 100};
	struct peers_value mixed = {90, 89, 100, 3};
	struct peers p;
	struct peers_opinion o;
	double limit;

	(void)state;
	judge(&p, v, N(v), true);
	limit = fmax(5, p.populations[0].chance);
	o = opinion(&p, 100 - 1.2 * limit, 1, 5);
	assert_int_equal(o.word, VERDICT_INCONCLUSIVE);
	assert_int_equal(o.more, 2);
	o = opinion(&p, 100 - 1.2 * limit, 2, 4);
	assert_int_equal(o.word, VERDICT_INCONCLUSIVE);
	assert_int_equal(o.more, 1);
	/* three launches that agree */
	o = opinion(&p, 100 - 1.2 * limit, 3, 3);
	assert_int_equal(o.word, VERDICT_FAIL);
	assert_int_equal(o.more, 0);
	/* no more are allowed */
	o = opinion(&p, 100 - 1.2 * limit, 1, 0);
	assert_int_equal(o.word, VERDICT_WARN);
	assert_int_equal(o.more, 0);
	/* three that do not agree, then the median of five */
	o = peers_opinion(&p, &mixed, 3);
	assert_int_equal(o.word, VERDICT_INCONCLUSIVE);
	assert_int_equal(o.more, 2);
	mixed.launches = 5;
	assert_int_equal(peers_opinion(&p, &mixed, 1).word, VERDICT_FAIL);
	/* far off is FAIL at once, but may be cleared */
	o = opinion(&p, 60, 1, 5);
	assert_int_equal(o.word, VERDICT_FAIL);
	assert_int_equal(o.more, 2);
	assert_int_equal(opinion(&p, 60, 1, 0).word, VERDICT_FAIL);
	/* what is alike is left alone */
	o = opinion(&p, 99, 1, 5);
	assert_int_equal(o.word, VERDICT_PASS);
	assert_int_equal(o.more, 0);
}

static void launches_that_disagree_are_a_warning(void **state)
{
	static const double v[] = {100, 101, 99, 100, 101, 99, 100, 100};
	struct peers_value one = {100, 50, 101, 3};
	struct peers p;

	(void)state;
	judge(&p, v, N(v), true);
	assert_true(peers_opinion(&p, &one, 5).unsteady);
	assert_int_equal(peers_opinion(&p, &one, 5).word, VERDICT_WARN);
	one.low = 97;
	assert_int_equal(peers_opinion(&p, &one, 5).word, VERDICT_PASS);
	/* on the good side it is nobody's fault */
	one.high = 300;
	assert_int_equal(peers_opinion(&p, &one, 5).word, VERDICT_PASS);
}

/* A few nodes whose launches differ widely are not called off for it. */
static void known_noise_of_launches_widens_the_limit(void **state)
{
	static const struct peers_question q = {true, 0.05, 1};
	struct peers_value v[4];
	struct peers quiet, noisy;

	(void)state;
	for (size_t i = 0; i < N(v); i++) {
		double x = 100 + (double)i / 10;

		v[i] = (struct peers_value){x, x - 0.1, x + 0.1, 3};
	}
	v[0].value = 91;
	peers_judge(&quiet, v, N(v), &q);
	assert_true(quiet.noise_known);
	for (size_t i = 0; i < N(v); i++) {
		v[i].low = v[i].value - 12;
		v[i].high = v[i].value + 12;
	}
	peers_judge(&noisy, v, N(v), &q);
	assert_int_equal(peers_place(&quiet, 91), PEERS_OFF);
	assert_true(peers_place(&noisy, 91) < PEERS_OFF);
	/* the launches of one node in doubt say nothing of the others */
	for (size_t i = 1; i < N(v); i++)
		v[i].launches = 1;
	peers_judge(&noisy, v, N(v), &q);
	assert_false(noisy.noise_known);
	assert_int_equal(peers_place(&noisy, 91), PEERS_OFF);
}

static void small_fleets_are_measured_again_as_a_whole(void **state)
{
	static const double v[] = {100, 101, 99, 92};
	struct peers_opinion o;
	struct peers p;

	(void)state;
	judge(&p, v, N(v), true);
	o = opinion(&p, 90, 1, 5);
	assert_int_equal(o.word, VERDICT_INCONCLUSIVE);
	assert_int_equal(peers_wanted_of_all(&o, 4), 3);
	assert_int_equal(peers_wanted_of_all(&o, PEERS_SMALL), 0);
	/* for one that is far off, its own launches do */
	o = opinion(&p, 40, 1, 5);
	assert_int_equal(peers_wanted_of_all(&o, 4), 0);
	o = opinion(&p, 100, 1, 5);
	assert_int_equal(peers_wanted_of_all(&o, 4), 0);
}

/*
 * Bounds of what RESULTS.md shows, on fewer fleets. FAIL of a good node, share of fleets;
 * FAIL or WARN of a bad one, share of bad nodes.
 */
static const struct {
	const char *name;
	struct fleet_model model;
	size_t fleets;
	double most_alarms, least_failed, least_told;
} fleets[] = {
	{"clean 1 %", {4, 0, 20, 0, 0.01, false, false}, 200, 0, 0, 0},
	{"clean 4 %", {4, 0, 1, 0, 0.04, false, false}, 3000, 0.01, 0, 0},
	{"clean 4 %", {8, 0, 20, 0, 0.04, false, false}, 100, 0.01, 0, 0},
	{"clean 4 %", {64, 0, 1, 0, 0.04, false, false}, 300, 0.01, 0, 0},
	{"clean 4 %", {10000, 0, 1, 0, 0.04, false, false}, 5, 0, 0, 0},
	{"heavy tails", {5, 0, 1, 0, 0.04, true, false}, 2000, 0.01, 0, 0},
	{"heavy tails", {1000, 0, 1, 0, 0.04, true, false}, 20, 0, 0, 0},
	{"nodes differ", {16, 0, 1, 0, 0.02, false, true}, 1000, 0.015, 0, 0},
	{"one -20 %", {4, 1, 1, 0.2, 0.01, false, false}, 2000, 0, 1, 1},
	{"one -20 %", {4, 1, 1, 0.2, 0.02, false, false}, 2000, 0.001, 0.999, 1},
	{"one -20 %", {4, 1, 20, 0.2, 0.02, false, false}, 200, 0, 0.97, 1},
	{"one -20 %", {100, 1, 20, 0.2, 0.02, false, false}, 20, 0, 1, 1},
	{"one -10 %", {8, 1, 1, 0.1, 0.01, false, false}, 500, 0, 0.99, 0.99},
	{"one -50 %", {4, 1, 1, 0.5, 0.04, false, false}, 1000, 0.002, 0.995, 1},
	{"tenth -20 %", {100, 10, 1, 0.2, 0.01, false, false}, 50, 0, 1, 1},
	{"40 % -20 %", {100, 40, 1, 0.2, 0.01, false, false}, 50, 0, 0, 1},
	{"40 % -20 %", {1000, 400, 1, 0.2, 0.04, false, false}, 5, 0, 0, 0.99},
	{"half -10 %", {8, 4, 1, 0.1, 0.01, false, false}, 500, 0, 0, 0.99},
};

static void simulated_fleets_stay_within_bounds(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(fleets); i++) {
		struct fleet_result r =
			fleet_simulate(&fleets[i].model, fleets[i].fleets, 42);
		double alarms = (double)r.alarmed / (double)r.fleets;
		double bad = fmax((double)r.bad, 1);
		double failed = (double)r.bad_failed / bad;
		double told = (double)(r.bad_failed + r.bad_warned) / bad;

		if (alarms > fleets[i].most_alarms)
			fail_msg("%zu: %s: false alarms in %g of fleets", i,
				 fleets[i].name, alarms);
		if (failed < fleets[i].least_failed || told < fleets[i].least_told)
			fail_msg("%zu: %s: %g found, %g told", i, fleets[i].name, failed,
				 told);
	}
}

/* 10,000 nodes with 20 series each take a second at most, on a slow machine as well. */
static void ten_thousand_nodes_take_no_time(void **state)
{
	const struct fleet_model m = {10000, 100, 20, 0.2, 0.01, false, false};
	double start = clock_now();
	struct fleet_result r = fleet_simulate(&m, 1, 1);

	(void)state;
	assert_int_equal(r.bad_failed, 100);
	assert_int_equal(r.alarmed, 0);
	assert_true(clock_now() - start < 20); /* with the making of the values, thrice */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_those_a_person_would_give),
		cmocka_unit_test(lower_is_better_is_the_mirror_image),
		cmocka_unit_test(fewer_than_four_are_not_compared),
		cmocka_unit_test(order_and_unit_change_nothing),
		cmocka_unit_test(a_bad_one_does_not_raise_the_limit),
		cmocka_unit_test(a_wide_spread_and_many_tests_widen_the_limit),
		cmocka_unit_test(no_deviation_that_counts_leaves_the_spread),
		cmocka_unit_test(what_is_off_is_measured_again),
		cmocka_unit_test(launches_that_disagree_are_a_warning),
		cmocka_unit_test(known_noise_of_launches_widens_the_limit),
		cmocka_unit_test(small_fleets_are_measured_again_as_a_whole),
		cmocka_unit_test(simulated_fleets_stay_within_bounds),
		cmocka_unit_test(ten_thousand_nodes_take_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
