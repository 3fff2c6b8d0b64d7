/* SPDX-License-Identifier: Apache-2.0 */
/* Rule `counter`: errors that were counted while something was measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "judge_fixture.h"

static void start(struct fixture *f)
{
	fixture_init(f);
	fixture_plan(f, "[\"n1\",\"n2\"]", "[]", 2);
	for (size_t i = 0; i < 2; i++)
		fixture_node(f, i ? "n2" : "n1", NULL, 0);
	fixture_step(f, 1, "s/a", "n1", "ok", NULL);
	fixture_step(f, 2, "s/a", "n2", "ok", NULL);
	fixture_sample(f, 1, "n1", "net.latency", NULL, 1e-6, 1);
	fixture_sample(f, 2, "n2", "net.latency", NULL, 1e-6, 1);
}

static void reading(struct fixture *f, int step, const char *node, const char *name,
		    const char *when, double value)
{
	fixture_line(f,
		     "{\"kind\":\"counter\",\"step\":%d,\"attempt\":1,\"node\":\"%s\","
		     "\"rank\":0,\"name\":\"%s\",\"when\":\"%s\",\"value\":%.17g,"
		     "\"unit\":\"ratio\"}",
		     step, node, name, when, value);
}

static void moved(struct fixture *f, int step, const char *name, double from, double to)
{
	const char *node = step == 1 ? "n1" : "n2";

	reading(f, step, node, name, "before", from);
	reading(f, step, node, name, "after", to);
}

static size_t findings(const struct fixture *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->summary.n_verdicts; i++)
		n += !strcmp(f->summary.verdicts[i].rule, "counter") &&
		     f->summary.verdicts[i].word != VERDICT_PASS;
	return n;
}

static void what_stands_still_or_is_unknown_is_no_finding(void **unused)
{
	const struct verdict *v;
	struct fixture f;

	(void)unused;
	start(&f);
	reading(&f, 1, "n1", "counters", "after", 32);
	moved(&f, 1, "mlx5_0:1/symbol_error", 70000, 70000); /* old ones do not count */
	moved(&f, 1, "hsn0/rx_packets", 1, 1000000);
	moved(&f, 1, "hsn0/quux", 1, 5);
	moved(&f, 1, "mlx5_0:1/link_downed", 5, 0);                /* loaded again */
	reading(&f, 1, "n1", "mlx5_1:1/symbol_error", "after", 7); /* read once only */
	fixture_judge(&f);
	assert_int_equal(findings(&f), 0);
	v = fixture_verdict(&f, "counter", "counters", "n1");
	assert_int_equal(v->word, VERDICT_PASS);
	assert_string_equal(
		v->why,
		"no errors during the step in 1 counter of ports, memory and CPUs");
	assert_int_equal(fixture_count(&f, "counter", "counters", "n2"), 0);
	fixture_release(&f);
}

static void errors_of_a_port_are_one_finding_with_the_worst(void **unused)
{
	const struct verdict *v;
	struct fixture f;

	(void)unused;
	start(&f);
	moved(&f, 1, "mlx5_0:1/symbol_error", 3, 15);
	moved(&f, 2, "mlx5_0:1/symbol_error", 3, 4);
	moved(&f, 2, "mlx5_0:1/link_downed", 1, 2);
	moved(&f, 2, "mlx5_0:2/port_rcv_errors", 0, 1);
	fixture_judge(&f);
	assert_int_equal(findings(&f), 3);
	v = fixture_verdict(&f, "counter", "mlx5_0:1/symbol_error", "n1");
	assert_int_equal(v->word, VERDICT_WARN);
	assert_string_equal(v->why,
			    "mlx5_0:1 during the step: symbol_error +12; check cable, "
			    "connector and the switch port at its other end");
	v = fixture_verdict(&f, "counter", "mlx5_0:1/link_downed", "n2");
	assert_int_equal(v->word, VERDICT_FAIL);
	assert_string_equal(v->why,
			    "mlx5_0:1 during the step: symbol_error +1, link_downed +1; "
			    "check cable, connector and the switch port at its other "
			    "end");
	assert_int_equal(
		fixture_verdict(&f, "counter", "mlx5_0:2/port_rcv_errors", "n2")->word,
		VERDICT_WARN);
	fixture_release(&f);
}

/* Linux counts as dropped what nobody listens to, too. */
static void a_few_drops_are_nothing(void **unused)
{
	static const struct {
		double dropped, packets;
		size_t findings;
	} cases[] = {{9, 100, 0}, {10, 10000, 1}, {10, 10001, 0}, {2000, 1e6, 1}};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;

		start(&f);
		moved(&f, 1, "hsn0/rx_dropped", 4, 4 + cases[i].dropped);
		moved(&f, 1, "hsn0/rx_packets", 100, 100 + cases[i].packets);
		/* those of another node are not of this one */
		moved(&f, 2, "hsn0/rx_packets", 100, 101);
		fixture_judge(&f);
		assert_int_equal(findings(&f), cases[i].findings);
		if (i == 3)
			assert_string_equal(
				fixture_verdict(&f, "counter", "hsn0/rx_dropped", "n1")
					->why,
				"hsn0 during the step: rx_dropped +2000 (0.2 % of "
				"rx_packets); check its receive rings and interrupts "
				"(ethtool -S, -g)");
		fixture_release(&f);
	}
}

/* Who sends again is seldom who loses; congestion is no error. */
static void what_is_nobodys_fault_is_a_remark_of_the_run(void **unused)
{
	struct fixture f;
	size_t found = 0;

	(void)unused;
	start(&f);
	moved(&f, 1, "tcp/RetransSegs", 0, 15);
	moved(&f, 1, "tcp/OutSegs", 0, 1000);
	moved(&f, 2, "tcp/RetransSegs", 0, 30);
	moved(&f, 2, "tcp/OutSegs", 0, 1000);
	moved(&f, 1, "mlx5_0:1/port_xmit_wait", 0, 77);
	fixture_judge(&f);
	assert_int_equal(findings(&f), 0);
	for (size_t i = 0; i < f.summary.n_remarks; i++) {
		const char *text = f.summary.remarks[i];

		found += strstr(text, "n2: tcp in step s/a: RetransSegs +30 (3.0 % of "
				      "OutSegs), less elsewhere; something on the way "
				      "loses packets") == text;
		found +=
			strstr(text, "n1: mlx5_0:1 in step s/a: port_xmit_wait +77; data "
				     "waited for credits") == text;
	}
	assert_int_equal(found, 2);
	fixture_release(&f);
}

static void few_segments_sent_again_are_nothing(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	moved(&f, 1, "tcp/RetransSegs", 0, 61);
	moved(&f, 1, "tcp/OutSegs", 58892, 263862);
	fixture_judge(&f);
	for (size_t i = 0; i < f.summary.n_remarks; i++)
		assert_null(strstr(f.summary.remarks[i], "RetransSegs"));
	fixture_release(&f);
}

static void errors_of_memory_and_heat_are_findings(void **unused)
{
	const struct verdict *v;
	struct fixture f;

	(void)unused;
	start(&f);
	moved(&f, 1, "mc0/ce_count", 5, 5); /* of last year */
	moved(&f, 1, "mc1/ce_count", 5, 9);
	moved(&f, 1, "mc1/ue_count", 0, 1);
	moved(&f, 2, "cpus/core_throttle_count", 100, 1100);
	fixture_judge(&f);
	assert_int_equal(findings(&f), 2);
	v = fixture_verdict(&f, "counter", "mc1/ue_count", "n1");
	assert_int_equal(v->word, VERDICT_FAIL);
	assert_non_null(strstr(v->why, "mc1 during the step: ce_count +4, ue_count +1"));
	v = fixture_verdict(&f, "counter", "cpus/core_throttle_count", "n2");
	assert_int_equal(v->word, VERDICT_WARN);
	fixture_release(&f);
}

/* "Fast the first minute, then -12 %". */
static void a_clock_that_falls_is_a_finding(void **unused)
{
	const struct verdict *v;
	struct fixture f;

	(void)unused;
	start(&f);
	for (int i = 0; i < 60; i++) {
		reading(&f, 1, "n1", "cpus/clock", "during", i < 25 ? 3.2e9 : 2.8e9);
		reading(&f, 1, "n1", "cpus/temperature", "during", 60 + i / 2.0);
		reading(&f, 2, "n2", "cpus/clock", "during", 3.2e9 - 1e6 * (i % 7));
		reading(&f, 2, "n2", "cpus/temperature", "during", 60 + i / 2.0);
	}
	fixture_judge(&f);
	assert_int_equal(findings(&f), 1);
	v = fixture_verdict(&f, "counter", "cpus/clock", "n1");
	assert_int_equal(v->word, VERDICT_WARN);
	assert_non_null(strstr(v->why,
			       "from 3.20 GHz to 2.80 GHz (12.5 %) during the step, "
			       "at up to 90 C"));
	fixture_release(&f);
	start(&f); /* a look or two say nothing */
	reading(&f, 1, "n1", "cpus/clock", "during", 3.2e9);
	reading(&f, 1, "n1", "cpus/clock", "during", 1.2e9);
	fixture_judge(&f);
	assert_int_equal(findings(&f), 0);
	fixture_release(&f);
}

static void what_cannot_be_read_is_said_once(void **unused)
{
	struct fixture f;
	size_t n = 0;

	(void)unused;
	start(&f);
	for (int i = 1; i <= 2; i++) {
		for (int k = 0; k < 3; k++)
			fixture_line(&f,
				     "{\"kind\":\"event\",\"step\":%d,\"attempt\":1,"
				     "\"node\":\"n%d\",\"what\":\"counters\",\"text\":"
				     "\"not readable: clock (cpufreq)\"}",
				     i, i);
	}
	fixture_judge(&f);
	for (size_t i = 0; i < f.summary.n_remarks; i++)
		n += !strcmp(f.summary.remarks[i],
			     "counters of 2 nodes not readable: clock (cpufreq)");
	assert_int_equal(n, 1);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_of_memory_and_heat_are_findings),
		cmocka_unit_test(a_clock_that_falls_is_a_finding),
		cmocka_unit_test(what_cannot_be_read_is_said_once),
		cmocka_unit_test(what_stands_still_or_is_unknown_is_no_finding),
		cmocka_unit_test(errors_of_a_port_are_one_finding_with_the_worst),
		cmocka_unit_test(a_few_drops_are_nothing),
		cmocka_unit_test(what_is_nobodys_fault_is_a_remark_of_the_run),
		cmocka_unit_test(few_segments_sent_again_are_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
