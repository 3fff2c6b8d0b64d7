/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of the probe as the controller reads them: what is asked, builds, clocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "assay_build.h"
#include "cmd/probe.h"

static void the_probe_is_told_whose_run_it_is_and_to_mask_users(void **unused)
{
	const char *words[PROBE_WORDS];
	struct arena a = {0};

	(void)unused;
	assert_int_equal(probe_words("/bin", false, NULL, &a, words), 3);
	assert_string_equal(words[0], "/bin/assay-probe");
	assert_string_equal(words[2], "records");
	assert_int_equal(probe_words("/bin", true, NULL, &a, words), 4);
	assert_string_equal(words[3], "--mask-users");
	assert_int_equal(probe_words("/bin", true, "id", &a, words), PROBE_WORDS);
	assert_string_equal(words[4], "--run");
	assert_string_equal(words[5], "id");
	arena_release(&a);
}

/* Reads an answer with these members of the node record; why there is none, or NULL. */
static const char *read_members(const char *members, double wall, double duration,
				struct arena *a, struct record_node *out)
{
	static const struct probe_saved none;
	char text[512];
	struct reach_result res = {
		.node = "c1", .duration = duration, .wall = wall, .out = text};

	res.out_len =
		(size_t)snprintf(text, sizeof(text),
				 "hello\n@assay {\"kind\":\"node\",\"node\":\"\",%s}\n"
				 "@assay {\"kind\":\"end\",\"count\":1,\"ranks\":1}\n",
				 members);
	return probe_read(&res, &none, a, out);
}

/* Reads an answer with these facts, which came at @wall after @duration. */
static void read_answer(const char *facts, double wall, double duration, struct arena *a,
			struct record_node *out)
{
	char members[320];

	(void)snprintf(members, sizeof(members), "\"build\":\"%s\",\"facts\":%s",
		       ASSAY_BUILD, facts);
	assert_null(read_members(members, wall, duration, a, out));
	assert_string_equal(out->node, "c1");
}

static void clocks_are_compared_without_the_probes_own_time(void **unused)
{
	static const struct {
		double start, end; /* by the node's clock */
		double skew, uncertainty;
	} cases[] = {
		/* asked at 1000.0, answered at 1000.5: 0.1 s there, 0.3 s of work, 0.1 s
		 */
		{1000.1, 1000.4, 0, 0.1},
		{1060.1, 1060.4, 60, 0.1},
		{989.875, 990.25, -10.1875, 0.0625},
		/* the node's clock was set meanwhile */
		{1000.0, 1100.5, 50, 50},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char facts[128];
		struct arena a = {0};
		struct record_node n;

		(void)snprintf(facts, sizeof(facts),
			       "{\"clock\":{\"end\":%.17g,\"start\":%.17g}}",
			       cases[i].end, cases[i].start);
		read_answer(facts, 1000.5, 0.5, &a, &n);
		assert_float_equal(record_json_num(n.facts, "clock.skew"), cases[i].skew,
				   1e-9);
		assert_float_equal(record_json_num(n.facts, "clock.uncertainty"),
				   cases[i].uncertainty, 1e-9);
		arena_release(&a);
	}
}

static void a_clock_that_is_not_told_is_not_compared(void **unused)
{
	static const char *const odd[] = {"{\"load\":1}", "{\"clock\":{\"start\":1}}",
					  "{\"clock\":{\"end\":1,\"start\":\"x\"}}",
					  "{\"clock\":[]}", "[]"};

	(void)unused;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct arena a = {0};
		struct record_node n;

		read_answer(odd[i], 1000.5, 0.5, &a, &n);
		assert_string_equal(n.facts, odd[i]);
		arena_release(&a);
	}
}

static void another_build_or_a_broken_program_is_no_node_to_measure(void **unused)
{
	struct arena a = {0};
	struct record_node n;

	(void)unused;
	assert_string_equal(read_members("\"build\":\"v0.9\",\"facts\":{}", 1, 1, &a, &n),
			    "build v0.9, here " ASSAY_BUILD);
	assert_string_equal(read_members("\"facts\":{}", 1, 1, &a, &n),
			    "build unknown, here " ASSAY_BUILD);
	assert_string_equal(read_members("\"build\":\"" ASSAY_BUILD "\",\"broken\":"
					 "\"assay-hpl: libx.so\",\"facts\":{}",
					 1, 1, &a, &n),
			    "cannot run there: assay-hpl: libx.so");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_probe_is_told_whose_run_it_is_and_to_mask_users),
		cmocka_unit_test(another_build_or_a_broken_program_is_no_node_to_measure),
		cmocka_unit_test(clocks_are_compared_without_the_probes_own_time),
		cmocka_unit_test(a_clock_that_is_not_told_is_not_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
