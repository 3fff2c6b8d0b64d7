/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the judge: states made by hand in, words, exit status and requests out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "judge_fixture.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define NT       "{\"store\":\"nt\"}"
#define PLAIN    "{\"store\":\"plain\"}"
#define CPU      "AMD EPYC 7713 64-Core Processor"
#define GB       1e9

/* Triad 187 GB/s on a 7713, as in field case F03. */
#define BASELINE                                                                \
	"baseline: b\nmatch: {cpu: AMD EPYC 7713}\nmetrics:\n"                  \
	"  stream.triad: {ref: 187 GB/s, warn: -4 %, fail: -7 %, spread: 1 %, " \
	"from: a study}\n"

#define MODELS                                                                   \
	"cpus:\n"                                                                \
	"  - {model: AMD EPYC 7713, generation: Milan, sockets: 2, cores: 64,\n" \
	"     l3: 256 MiB, base: 2 GHz, channels: 8, memory: 3200 MT/s,\n"       \
	"     flops_per_cycle: 16, status: certain, from: x}\n"                  \
	"  - {model: AMD EPYC 7352, generation: Rome, sockets: 2, cores: 64,\n"  \
	"     l3: 256 MiB, base: 2 GHz, channels: 8, memory: 3200 MT/s,\n"       \
	"     flops_per_cycle: 16, status: uncertain, from: x}\n"

#define THEORY                                                                       \
	"limits:\n"                                                                  \
	"  - {metric: stream.read, of: memory-bandwidth, warn: 70 %, fail: 60 %,\n"  \
	"     invalid_above: 105 %, from: books, why: w}\n"                          \
	"  - {metric: stream.triad, at: {store: nt}, of: stream.read, warn: 75 %,\n" \
	"     fail: 60 %, called: this machine's own read bandwidth,\n"              \
	"     from: measured, why: w}\n"                                             \
	"  - {metric: stream.triad, at: {store: plain}, of: stream.read,\n"          \
	"     warn: 56 %, fail: 45 %, from: measured, why: w}\n"

static void start(struct fixture *f, const char *nodes, const char *requires)
{
	fixture_init(f);
	fixture_file(f, "baselines/b.yaml", BASELINE);
	fixture_file(f, "cpus.yaml", MODELS);
	fixture_plan(f, nodes, requires, 5);
}

static void measured(struct fixture *f, int step, const char *node, const char *cpu,
		     double triad)
{
	fixture_node(f, node, cpu, 2);
	fixture_step(f, step, "s/a", node, "ok", NULL);
	fixture_sample(f, step, node, "stream.triad", NT, triad, 1);
}

static const struct summary_node *node_of(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->summary.n_nodes; i++) {
		if (!strcmp(f->summary.nodes[i].name, name))
			return &f->summary.nodes[i];
	}
	fail_msg("no node '%s'", name);
	return NULL;
}

static bool has_remark(const struct fixture *f, const char *text)
{
	for (size_t i = 0; i < f->summary.n_remarks; i++) {
		if (strstr(f->summary.remarks[i], text))
			return true;
	}
	return false;
}

static void expect_word(const struct verdict *v, enum verdict_word word,
			const char *cause)
{
	if (v->word != word)
		fail_msg("%s: %s", verdict_name(v->word), v->why);
	if (cause)
		assert_string_equal(v->cause, cause);
	else
		assert_null(v->cause);
}

static void word_order_is_that_of_the_design(void **state)
{
	static const char *const order[] = {"FAIL", "ERROR", "INCONCLUSIVE", "UNJUDGED",
					    "WARN", "SKIP",  "PASS"};

	(void)state;
	assert_int_equal(N(order), VERDICT_WORDS);
	for (int a = 0; a < VERDICT_WORDS; a++) {
		assert_string_equal(verdict_name((enum verdict_word)a), order[a]);
		for (int b = 0; b < VERDICT_WORDS; b++)
			assert_int_equal(
				verdict_worse((enum verdict_word)a, (enum verdict_word)b),
				a < b ? a : b);
	}
}

/* Field case A08. */
static void nodes_with_one_host_name_are_kept_and_warned_of(void **state)
{
	static const char *const asked[] = {"mpi-worker.1.example",
					    "mpi-worker.2.example",
					    "node2527.mgmt.example", "node2528"};
	static const char *const answer[] = {"mpi-worker", "MPI-Worker",
					     "node2527.data.example", "NODE2528"};
	struct fixture f;

	(void)state;
	start(&f,
	      "[\"mpi-worker.1.example\",\"mpi-worker.2.example\","
	      "\"node2527.mgmt.example\",\"node2528\"]",
	      "[]");
	for (int i = 0; i < 4; i++) {
		fixture_line(&f,
			     "{\"kind\":\"node\",\"node\":\"%s\",\"host\":\"%s\","
			     "\"facts\":{}}",
			     asked[i], answer[i]);
		fixture_step(&f, i + 1, "s/a", asked[i], "ok", NULL);
		fixture_sample(&f, i + 1, asked[i], "stream.triad", NT, 1e11, 1);
	}
	fixture_line(&f, "{\"kind\":\"event\",\"what\":\"remark\","
			 "\"text\":\"two names, one address\"}");
	fixture_judge(&f);
	assert_int_equal(f.summary.n_reported, 4);
	assert_int_equal(f.summary.counts[VERDICT_WARN], 2);
	for (size_t i = 0, found = 0; i < f.summary.n_verdicts; i++) {
		const struct verdict *v = &f.summary.verdicts[i];

		if (v->word != VERDICT_WARN)
			continue;
		assert_string_equal(v->node, asked[found]);
		assert_non_null(strstr(v->why, asked[!found++]));
	}
	assert_true(has_remark(&f, "two names, one address"));
	fixture_release(&f);
}

static void what_a_kernel_warns_of_is_a_warning(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "[\"n1\"]", "[]");
	fixture_node(&f, "n1", CPU, 2);
	fixture_step(&f, 1, "s/a", "n1", "ok", NULL);
	fixture_sample(&f, 1, "n1", "stream.triad", NT, 1e11, 1);
	fixture_line(&f, "{\"kind\":\"event\",\"step\":1,\"attempt\":1,\"what\":\"warn\","
			 "\"text\":\"7 ranks make a flat grid, 1 x 7\"}");
	fixture_line(&f, "{\"kind\":\"event\",\"step\":1,\"attempt\":1,"
			 "\"what\":\"remark\",\"text\":\"just so\"}");
	fixture_judge(&f);
	assert_int_equal(f.summary.counts[VERDICT_WARN], 1);
	for (size_t i = 0; i < f.summary.n_verdicts; i++) {
		if (f.summary.verdicts[i].word == VERDICT_WARN)
			assert_string_equal(f.summary.verdicts[i].why,
					    "7 ranks make a flat grid, 1 x 7");
	}
	fixture_release(&f);
}

static void rules_are_found_by_name(void **state)
{
	size_t n = 0;

	(void)state;
	for (; rule_at(n); n++) {
		assert_ptr_equal(rule_find(rule_at(n)->name), rule_at(n));
		assert_true(strlen(rule_at(n)->help) > 10);
	}
	assert_true(n > 6);
	assert_non_null(rule_find("straggler"));
	assert_null(rule_find("nonsense"));
}

/* Field case F03: all slow alike, and few nodes. */
static const struct {
	const char *name;
	double values[8];
	size_t n, fails;
	const char *remark;
	int exit;
} fleets[] = {
	{"uniform_slow",
	 {150, 151, 150, 149, 150, 151, 150, 150},
	 8,
	 8,
	 "stream.triad: all 8 nodes 20 % below the baseline, spread below 1 %: check "
	 "common "
	 "cause (BIOS profile, build, baseline)",
	 1},
	{"one_node", {150}, 1, 1, NULL, 1},
	{"two_nodes", {187, 150}, 2, 1, NULL, 1},
	{"three_nodes", {187, 186, 150}, 3, 1, NULL, 1},
	{"all_good", {187, 186, 188}, 3, 0, NULL, 0},
	{"slow_but_not_alike", {150, 110, 130, 160}, 4, 4, NULL, 1},
};

static void f03_one_line_tells_that_all_are_slow_alike(void **state)
{
	(void)state;
	for (size_t c = 0; c < N(fleets); c++) {
		struct fixture f;
		size_t fails = 0;

		start(&f, "[\"n1\",\"n2\",\"n3\",\"n4\",\"n5\",\"n6\",\"n7\",\"n8\"]",
		      "[]");
		f.state.n_nodes = fleets[c].n;
		for (size_t i = 0; i < fleets[c].n; i++)
			measured(&f, (int)i + 1, f.state.nodes[i], CPU,
				 fleets[c].values[i] * GB);
		fixture_judge(&f);
		for (size_t i = 0; i < fleets[c].n; i++)
			fails += fixture_verdict(&f, "baseline", "stream.triad",
						 f.state.nodes[i])
					 ->word == VERDICT_FAIL;
		assert_int_equal(fails, fleets[c].fails);
		assert_int_equal(f.summary.exit, fleets[c].exit);
		assert_int_equal(f.summary.n_remarks, fleets[c].remark ? 1 : 0);
		if (fleets[c].remark)
			assert_string_equal(f.summary.remarks[0], fleets[c].remark);
		fixture_release(&f);
	}
}

static void f03_without_a_reference_nothing_is_passed(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "[\"n1\",\"n2\"]", "[]");
	measured(&f, 1, "n1", "AMD Eng Sample: 100-000000xxx-01", 150 * GB);
	measured(&f, 2, "n2", NULL, 150 * GB);
	fixture_judge(&f);
	assert_int_equal(f.summary.exit, 3);
	assert_int_equal(f.summary.word, VERDICT_UNJUDGED);
	expect_word(fixture_verdict(&f, "baseline", "stream.triad", "n1"),
		    VERDICT_UNJUDGED, "no-reference");
	/* field case F06: a baseline may hold for a CPU nobody knows */
	assert_non_null(
		strstr(fixture_verdict(&f, "baseline", "stream.triad", "n2")->why,
		       "baseline 'b' may hold, but cpu of this node is not known"));
	fixture_release(&f);
}

static void classes_of_nodes_are_kept_apart(void **state)
{
	struct fixture f;
	char name[8];

	(void)state;
	start(&f, "[\"a1\",\"a2\",\"a3\",\"b1\",\"b2\",\"b3\"]", "[]");
	fixture_file(
		&f, "baselines/c.yaml",
		"baseline: c\nmatch: {cpu: B 2}\nmetrics:\n"
		"  stream.triad: {ref: 100 GB/s, warn: -4 %, fail: -7 %, from: x}\n");
	for (int i = 1; i <= 3; i++) {
		(void)snprintf(name, sizeof(name), "a%d", i);
		measured(&f, i, f.state.nodes[i - 1], CPU, 150 * GB);
		(void)snprintf(name, sizeof(name), "b%d", i);
		measured(&f, i + 3, f.state.nodes[i + 2], "B 2", 100 * GB);
	}
	fixture_judge(&f);
	assert_int_equal(f.summary.n_remarks, 2);
	assert_true(has_remark(&f, "2 classes of like nodes"));
	assert_true(has_remark(&f, "all 3 nodes with 'AMD EPYC 7713' 20 % below"));
	assert_int_equal(node_of(&f, "a1")->word, VERDICT_FAIL);
	assert_int_equal(node_of(&f, "b1")->word, VERDICT_PASS);
	fixture_release(&f);
}

/* Field case F05: a result that is missing is never a pass. How n3 is missing: */
static const struct {
	const char *name, *cause, *why;
	const char *step_cause; /* of its step; "" none at all, "open" it never ended */
} gaps[] = {
	{"no data", "no-data", "reason of no-data", "no-data"},
	{"no step", "no-data", "NODATA: no step was planned on this node", ""},
	{"open", "no-data", "planned, but never started", "open"},
	{"launch", "launch", "reason of launch", "launch"},
	{"timeout", "timeout", "reason of timeout", "timeout"},
	{"aborted", "aborted", "reason of aborted", "aborted"},
	{"io", "io", "reason of io", "io"},
	{"silent", "no-data", "it ended well, but without any result", "ok"},
};

static void f05_missing_results_are_errors(void **state)
{
	(void)state;
	for (size_t c = 0; c < N(gaps); c++) {
		struct fixture f;
		const struct verdict *v;
		bool open = !strcmp(gaps[c].step_cause, "open");

		start(&f, "[\"n1\",\"n2\",\"n3\",\"n4\"]", "[]");
		measured(&f, 1, "n1", CPU, 187.1 * GB);
		measured(&f, 2, "n2", CPU, 186.9 * GB);
		measured(&f, 3, "n4", CPU, 187.0 * GB);
		if (*gaps[c].step_cause)
			fixture_step(&f, 4, "s/a", "n3", open ? NULL : gaps[c].step_cause,
				     NULL);
		fixture_judge(&f);
		v = fixture_verdict(&f, "coverage", NULL, "n3");
		expect_word(v, VERDICT_ERROR, gaps[c].cause);
		assert_string_equal(v->why, gaps[c].why);
		assert_int_equal(f.summary.exit, 3);
		assert_int_equal(f.summary.word, VERDICT_ERROR);
		assert_int_equal(f.summary.n_reported, 3);
		assert_true(has_remark(&f, "3 of 4 nodes reported"));
		assert_int_equal(f.summary.n_missing, 1);
		assert_string_equal(f.summary.missing[0].node, "n3");
		assert_int_equal(node_of(&f, "n3")->word, VERDICT_ERROR);
		assert_false(node_of(&f, "n3")->reported);
		assert_int_equal(node_of(&f, "n1")->word, VERDICT_PASS);
		fixture_release(&f);
	}
}

static void an_empty_journal_is_no_pass(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_judge(&f);
	assert_int_equal(f.summary.exit, 3);
	assert_int_equal(f.summary.word, VERDICT_ERROR);
	assert_true(has_remark(&f, "nothing was measured"));
	assert_false(f.summary.accepted);
	fixture_release(&f);

	start(&f, "[]", "[\"stream.triad\"]");
	fixture_judge(&f);
	assert_int_equal(f.summary.exit, 3);
	assert_int_equal(f.summary.n_requests, 0);
	fixture_release(&f);

	start(&f, "[\"n1\"]", "[]");
	fixture_judge(&f);
	assert_int_equal(f.summary.exit, 3);
	assert_int_equal(node_of(&f, "n1")->word, VERDICT_ERROR);
	fixture_release(&f);
}

/*
 * Field case G01: what the process exits with. One node, its triad, its step's cause.
 * That nothing passed, but only warned, is no 0 either.
 */
static const struct {
	double triad;
	const char *cause;
	int exit;
	enum verdict_word word;
} exits[] = {
	{187, "ok", 0, VERDICT_PASS},       {178, "ok", 3, VERDICT_WARN},
	{100, "ok", 1, VERDICT_FAIL},       {187, "launch", 3, VERDICT_ERROR},
	{187, "timeout", 3, VERDICT_ERROR}, {187, "no-data", 3, VERDICT_ERROR},
	{187, "invalid", 3, VERDICT_ERROR}, {187, "io", 3, VERDICT_ERROR},
	{187, "skip", 3, VERDICT_SKIP},
};

static void g01_exit_status_follows_from_the_verdicts(void **state)
{
	(void)state;
	for (size_t c = 0; c < N(exits); c++) {
		struct fixture f;

		start(&f, "[\"n1\"]", "[]");
		fixture_node(&f, "n1", CPU, 2);
		fixture_step(&f, 1, "s/a", "n1", exits[c].cause, NULL);
		fixture_sample(&f, 1, "n1", "stream.triad", NT, exits[c].triad * GB, 1);
		fixture_judge(&f);
		/* 178 with 1 % spread is warned of, and a repeat may be asked for */
		if (f.summary.exit != exits[c].exit &&
		    f.summary.word != VERDICT_INCONCLUSIVE)
			fail_msg("case %zu: exit %d", c, f.summary.exit);
		if (c != 1)
			assert_int_equal(f.summary.word, exits[c].word);
		assert_false(f.summary.accepted);
		fixture_release(&f);
	}
}

static void a_fail_goes_before_an_error(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "[\"n1\",\"n2\"]", "[]");
	measured(&f, 1, "n1", CPU, 100 * GB);
	fixture_step(&f, 2, "s/a", "n2", "launch", NULL);
	fixture_judge(&f);
	assert_int_equal(f.summary.exit, 1);
	assert_int_equal(f.summary.word, VERDICT_FAIL);
	assert_int_equal(f.summary.counts[VERDICT_ERROR], 1);
	assert_non_null(strstr(node_of(&f, "n1")->why, "below the fail limit -7 %"));
	fixture_release(&f);
}

static void baseline_limits_are_asymmetric(void **state)
{
	static const struct {
		double latency;
		enum verdict_word word;
		const char *why;
	} rows[] = {
		{2.0e-6, VERDICT_PASS,
		 "2.00 us is the 2.00 us of baseline 'l', limit +10 %"},
		{0.5e-6, VERDICT_PASS,
		 "75 % below the 2.00 us of baseline 'l', limit -80 %"},
		{0.3e-6, VERDICT_WARN, "below the warn limit -80 %"},
		{0.1e-6, VERDICT_FAIL, "below the fail limit -90 %"},
		{2.3e-6, VERDICT_WARN,
		 "15 % above the 2.00 us of baseline 'l', above the "
		 "warn limit +10 %"},
		{3.1e-6, VERDICT_FAIL, "above the fail limit +50 %"},
	};

	(void)state;
	for (size_t c = 0; c < N(rows); c++) {
		const struct verdict *v;
		struct fixture f;

		start(&f, "[\"n1\"]", "[]");
		fixture_file(
			&f, "baselines/l.yaml",
			"baseline: l\nmetrics:\n"
			"  net.latency:\n    ref: 2 us\n    warn: {low: -80 %, high: "
			"+10 %}\n"
			"    fail: {low: -90 %, high: 3 us}\n    from: x\n");
		fixture_node(&f, "n1", CPU, 2);
		fixture_step(&f, 1, "s/a", "n1", "ok", NULL);
		fixture_line(&f,
			     "{\"kind\":\"sample\",\"step\":1,\"attempt\":1,\"metric\":"
			     "\"net.latency\",\"value\":%.17g,\"unit\":\"s\"}",
			     rows[c].latency);
		fixture_judge(&f);
		v = fixture_verdict(&f, "baseline", "net.latency", "n1");
		expect_word(v, rows[c].word, NULL);
		if (!strstr(v->why, rows[c].why) && c != 0)
			fail_msg("case %zu: %s", c, v->why);
		assert_true(fabs(v->high.v - 3e-6) < 1e-12);
		assert_true(fabs(v->warn_low.v - 0.4e-6) < 1e-12);
		fixture_release(&f);
	}
}

static void own_roof_judges_what_no_book_knows(void **state)
{
	static const struct {
		double triad;
		const char *at;
		enum verdict_word word;
		const char *why;
	} rows[] = {
		{29.1, NT, VERDICT_PASS,
		 "29.1 GB/s is 93.9 % of this machine's own read bandwidth 31.0 GB/s, "
		 "limit "
		 "75 %; one launch, spread not known"},
		{40.0, NT, VERDICT_PASS, "40.0 GB/s is 129 % of this machine's own"},
		{22.0, NT, VERDICT_WARN,
		 "71 % of this machine's own read bandwidth 31.0 GB/s, "
		 "below the warn limit 75 %"},
		{18.0, NT, VERDICT_FAIL, "below the fail limit 60 %"},
		{18.0, PLAIN, VERDICT_PASS,
		 "58.1 % of stream.read 31.0 GB/s, limit 56 %"},
		{12.0, PLAIN, VERDICT_FAIL, "below the fail limit 45 %"},
	};

	(void)state;
	for (size_t c = 0; c < N(rows); c++) {
		const struct verdict *v;
		struct fixture f;

		start(&f, "[\"n1\"]", "[]");
		fixture_file(&f, "theory.yaml", THEORY);
		fixture_node(&f, "n1", "AMD EPYC", 1);
		fixture_step(&f, 1, "s/a", "n1", "ok", NULL);
		fixture_sample(&f, 1, "n1", "stream.read", NULL, 31 * GB, 1);
		fixture_sample(&f, 1, "n1", "stream.triad", rows[c].at,
			       rows[c].triad * GB, 1);
		fixture_judge(&f);
		v = fixture_verdict(&f, "theory", "stream.triad", "n1");
		expect_word(v, rows[c].word, NULL);
		if (!strstr(v->why, rows[c].why))
			fail_msg("case %zu: %s", c, v->why);
		assert_string_equal(v->from, "measured");
		assert_true(fabs(v->reference.v - 31 * GB) < 1);
		assert_int_equal(fixture_count(&f, NULL, "stream.read", "n1"), 1);
		fixture_release(&f);
	}
}

static void own_roof_is_that_of_the_same_launch_and_place(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "[\"n1\"]", "[]");
	fixture_file(&f, "theory.yaml", THEORY);
	fixture_node(&f, "n1", NULL, 1);
	/* the machine halves its speed between launches, the ratio stays */
	for (int i = 0; i < 2; i++) {
		double speed = i ? 15 : 30;

		fixture_step(&f, i + 1, "s/a", "n1", "ok", i ? "repeat:s/a@n1:1" : NULL);
		fixture_sample(&f, i + 1, "n1", "stream.read", NULL, speed * GB, 1);
		fixture_sample(&f, i + 1, "n1", "stream.triad", NT, 0.9 * speed * GB, 1);
		fixture_sample(&f, i + 1, "n1", "stream.read", "{\"domain\":1}",
			       0.5 * speed * GB, 1);
		fixture_sample(&f, i + 1, "n1", "stream.triad",
			       "{\"domain\":1,\"store\":\"nt\"}", 0.25 * speed * GB, 1);
	}
	fixture_judge(&f);
	assert_int_equal(fixture_count(&f, "theory", "stream.triad", "n1"), 2);
	for (size_t i = 0; i < f.summary.n_verdicts; i++) {
		const struct verdict *v = &f.summary.verdicts[i];

		if (strcmp(v->rule, "theory") != 0)
			continue;
		/* 90 % of the node's read; 50 % of the domain's, not 25 % of the node's
		 */
		expect_word(v, strstr(v->at, "domain") ? VERDICT_FAIL : VERDICT_PASS,
			    NULL);
		assert_int_equal(v->n, 2);
	}
	assert_int_equal(f.summary.n_requests, 0);
	fixture_release(&f);
}

/* Nominal memory bandwidth: 409.6 GB/s of two sockets. */
static const struct {
	const char *cpu,
		*facts; /* more facts of the node, instead of cores and virtual */
	double read;
	enum verdict_word word;
	const char *cause, *why;
} books[] = {
	{CPU, NULL, 350, VERDICT_PASS, NULL,
	 "350 GB/s is 85.4 % of the nominal memory bandwidth 410 GB/s, limit 70 %"},
	{CPU, NULL, 260, VERDICT_WARN, NULL, "below the warn limit 70 %"},
	{CPU, NULL, 200, VERDICT_FAIL, NULL, "below the fail limit 60 %"},
	{"AMD EPYC 7352", NULL, 200, VERDICT_WARN, NULL,
	 "no FAIL, since sources differ on this CPU model"},
	{CPU, NULL, 440, VERDICT_ERROR, "invalid", "more than 105 % is no measurement"},
	{"AMD EPYC 9999", NULL, 200, VERDICT_UNJUDGED, "no-reference",
	 "no baseline holds for it, and CPU 'AMD EPYC 9999' is not in cpus.yaml"},
	{CPU,
	 "\"cores\":128,\"online\":\"0-127\",\"mask\":\"0-127\"},\"virtual\":\"kvm\"",
	 200, VERDICT_UNJUDGED, "no-reference", "a virtual machine (kvm) sees"},
	{CPU, "\"cores\":100},\"virtual\":\"none\"", 200, VERDICT_UNJUDGED,
	 "no-reference", "only 100 of 128 cores are online"},
	{CPU,
	 "\"cores\":128,\"online\":\"0-127\",\"mask\":\"0-63\"},\"virtual\":\"none\"",
	 200, VERDICT_UNJUDGED, "no-reference", "not all CPUs may be used"},
	{CPU, "\"cores\":128}", 200, VERDICT_UNJUDGED, "no-reference",
	 "not known whether this is a virtual machine"},
	{CPU, "\"cores\":0},\"virtual\":\"none\"", 200, VERDICT_UNJUDGED, "no-reference",
	 "sockets and cores are not known"},
};

static void books_hold_for_whole_machines_only(void **state)
{
	(void)state;
	for (size_t c = 0; c < N(books); c++) {
		const struct verdict *v;
		struct fixture f;

		start(&f, "[\"n1\"]", "[]");
		fixture_file(&f, "theory.yaml", THEORY);
		if (books[c].facts)
			fixture_line(&f,
				     "{\"kind\":\"node\",\"node\":\"n1\",\"facts\":{"
				     "\"cpu\":{\"model\":\"%s\",\"sockets\":2,%s}}",
				     books[c].cpu, books[c].facts);
		else
			fixture_node(&f, "n1", books[c].cpu, 2);
		fixture_step(&f, 1, "s/a", "n1", "ok", NULL);
		fixture_sample(&f, 1, "n1", "stream.read", NULL, books[c].read * GB, 1);
		fixture_judge(&f);
		v = fixture_verdict(&f, NULL, "stream.read", "n1");
		expect_word(v, books[c].word, books[c].cause);
		if (!strstr(v->why, books[c].why))
			fail_msg("case %zu: %s", c, v->why);
		fixture_release(&f);
	}
}

static void c06_small_arrays_are_not_for_references(void **state)
{
	static const char *const marks[] = {"size", "short"};

	(void)state;
	for (size_t c = 0; c < N(marks); c++) {
		const struct verdict *v;
		struct fixture f;

		start(&f, "[\"n1\"]", "[]");
		measured(&f, 1, "n1", CPU, 900 * GB);
		fixture_line(
			&f,
			"{\"kind\":\"event\",\"step\":1,\"attempt\":1,\"what\":\"%s\","
			"\"text\":\"array below 4 x last-level cache\"}",
			marks[c]);
		fixture_judge(&f);
		v = fixture_verdict(&f, NULL, "stream.triad", "n1");
		expect_word(v, VERDICT_UNJUDGED, marks[c]);
		assert_string_equal(v->why, "array below 4 x last-level cache");
		assert_true(v->value.v > 899 * GB);
		assert_int_equal(f.summary.exit, 3);
		fixture_release(&f);
	}
}

static const struct {
	const char *valid; /* fields of the record */
	enum verdict_word word;
	const char *why;
} checks[] = {
	{"\"value\":1e-14,\"limit\":1e-13,\"ok\":true", VERDICT_PASS,
	 "check 'error' is good: worst 1e-14, limit 1e-13"},
	{"\"ok\":true", VERDICT_PASS, "check 'error' is good"},
	{"\"value\":0.5,\"limit\":1e-13,\"ok\":false,\"text\":\"a[3] is 7\"",
	 VERDICT_FAIL,
	 "1 of 1 checks 'error' failed: worst 0.5, limit 1e-13: a[3] is 7; the launch "
	 "counts "
	 "nowhere"},
	/* a residual that is no number is never good, whatever stands beside it */
	{"\"nonfinite\":{\"value\":\"nan\"},\"limit\":16,\"ok\":true", VERDICT_FAIL,
	 "worst nan, limit 16"},
	{"\"nonfinite\":{\"value\":\"inf\"},\"ok\":true", VERDICT_FAIL, "worst inf"},
};

static void checks_of_kernels_are_judged_and_their_values_dropped(void **state)
{
	(void)state;
	for (size_t c = 0; c < N(checks); c++) {
		const struct verdict *v;
		struct fixture f;

		start(&f, "[\"n1\"]", "[]");
		measured(&f, 1, "n1", CPU, 187 * GB);
		fixture_line(
			&f,
			"{\"kind\":\"valid\",\"step\":1,\"attempt\":1,\"node\":\"n1\","
			"\"check\":\"error\",%s}",
			checks[c].valid);
		fixture_judge(&f);
		v = fixture_verdict(&f, "valid", "error", "n1");
		expect_word(v, checks[c].word,
			    checks[c].word == VERDICT_FAIL ? "numerical" : NULL);
		if (!strstr(v->why, checks[c].why))
			fail_msg("case %zu: %s", c, v->why);
		assert_int_equal(f.summary.exit, checks[c].word == VERDICT_FAIL);
		assert_int_equal(fixture_count(&f, "baseline", NULL, NULL),
				 checks[c].word != VERDICT_FAIL);
		fixture_release(&f);
	}
}

static void the_worst_of_like_checks_is_shown(void **state)
{
	struct fixture f;
	const struct verdict *v;

	(void)state;
	start(&f, "[\"n1\"]", "[]");
	measured(&f, 1, "n1", CPU, 187 * GB);
	for (int i = 0; i < 4; i++)
		fixture_line(
			&f,
			"{\"kind\":\"valid\",\"step\":1,\"attempt\":1,\"node\":\"n1\","
			"\"rank\":%d,\"check\":\"error\",\"value\":%d,\"ok\":%s}",
			i, i == 1 ? 9 : 5 - i, i == 2 ? "false" : "true");
	fixture_judge(&f);
	v = fixture_verdict(&f, "valid", "error", "n1");
	expect_word(v, VERDICT_FAIL, "numerical");
	assert_non_null(strstr(v->why, "1 of 4 checks 'error' failed: worst 3;"));
	fixture_release(&f);
}

/* Of a launch with several problems the others count, and the wrong one is named. */
static void a_check_of_one_problem_costs_its_values_alone(void **state)
{
	static const struct {
		const char *at;
		size_t judged;
	} t[] = {{"{\"store\":\"plain\"}", 1}, {NT, 0}};

	(void)state;
	for (size_t c = 0; c < N(t); c++) {
		const struct verdict *v;
		struct fixture f;

		start(&f, "[\"n1\"]", "[]");
		measured(&f, 1, "n1", CPU, 187 * GB);
		fixture_line(
			&f,
			"{\"kind\":\"valid\",\"step\":1,\"attempt\":1,\"node\":\"n1\","
			"\"at\":%s,\"check\":\"error\",\"value\":9,\"ok\":false}",
			t[c].at);
		fixture_judge(&f);
		v = fixture_verdict(&f, "valid", "error", "n1");
		expect_word(v, VERDICT_FAIL, "numerical");
		assert_string_equal(v->at, t[c].at);
		assert_non_null(strstr(v->why, "; it counts nowhere"));
		assert_int_equal(fixture_count(&f, "baseline", NULL, NULL), t[c].judged);
		assert_int_equal(f.summary.exit, 1);
		fixture_release(&f);
	}
}

static void what_a_launch_with_results_did_not_bring_is_an_error(void **state)
{
	struct fixture f;
	size_t errors = 0;

	(void)state;
	start(&f, "[\"n1\"]", "[]");
	measured(&f, 1, "n1", CPU, 187 * GB);
	fixture_line(&f, "{\"kind\":\"event\",\"step\":1,\"attempt\":1,\"node\":\"n1\","
			 "\"what\":\"no-data\",\"text\":\"n100: no residual line\"}");
	fixture_judge(&f);
	for (size_t i = 0; i < f.summary.n_verdicts; i++) {
		const struct verdict *v = &f.summary.verdicts[i];

		if (v->word != VERDICT_ERROR)
			continue;
		errors++;
		assert_string_equal(v->cause, "no-data");
		assert_string_equal(v->why, "n100: no residual line");
	}
	assert_int_equal(errors, 1);
	assert_int_equal(fixture_count(&f, "baseline", NULL, NULL), 1);
	assert_int_equal(f.summary.exit, 3);
	assert_int_equal(f.summary.n_missing, 1);
	fixture_release(&f);
}

static void values_that_are_no_numbers_fail(void **state)
{
	static const char *const names[] = {"nan", "inf", "-inf"};

	(void)state;
	for (size_t c = 0; c < N(names); c++) {
		const struct verdict *v;
		struct fixture f;

		start(&f, "[\"n1\"]", "[]");
		measured(&f, 1, "n1", CPU, 187 * GB);
		fixture_line(
			&f,
			"{\"kind\":\"sample\",\"step\":1,\"attempt\":1,\"node\":\"n1\","
			"\"rank\":0,\"metric\":\"stream.triad\",\"at\":" NT
			",\"nonfinite\":{\"value\":\"%s\"},\"unit\":\"B/s\","
			"\"repetition\":2}",
			names[c]);
		fixture_judge(&f);
		v = fixture_verdict(&f, "valid", "stream.triad", "n1");
		expect_word(v, VERDICT_FAIL, "invalid");
		assert_non_null(strstr(v->why, "1 of 2 values of 'stream.triad' are no "
					       "numbers"));
		assert_int_equal(fixture_count(&f, "baseline", NULL, NULL), 0);
		assert_int_equal(f.summary.exit, 1);
		fixture_release(&f);
	}
}

static void output_that_cannot_be_trusted_is_an_error_once(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "[\"n1\"]", "[]");
	fixture_node(&f, "n1", CPU, 2);
	fixture_step(&f, 1, "s/a", "n1", "invalid", NULL);
	fixture_sample(&f, 1, "n1", "stream.triad", NT, 187 * GB, 1);
	fixture_judge(&f);
	expect_word(fixture_verdict(&f, NULL, NULL, "n1"), VERDICT_ERROR, "invalid");
	assert_string_equal(f.summary.verdicts[0].rule, "valid");
	assert_int_equal(f.summary.n_missing, 1);
	fixture_release(&f);
}

/* What a plan requires, and what one good node with a triad then gets. */
static const struct {
	const char *requires;
	int exit;
	bool accepted;
	const char *why; /* of an ERROR */
} requirements[] = {
	{"[]", 0, false, NULL},
	{"[\"stream.triad\"]", 0, true, NULL},
	{"[\"baseline\"]", 3, false, "required, but not judged: no baseline holds"},
	{"[\"baseline.stream.triad\",\"coverage\"]", 0, true, NULL},
	{"[\"theory.stream.triad\"]", 3, false,
	 "the plan requires 'theory.stream.triad', which nothing judged here"},
	{"[\"stream.copy\"]", 3, false, "required, but not judged: no baseline holds"},
	{"[\"stream.add\"]", 3, false, "the plan requires 'stream.add'"},
	{"[\"stream.triad\",\"bios\"]", 3, false, "the plan requires 'bios'"},
	{"[\"facts.pcie\"]", 3, false,
	 "required, but skipped: no network device has a PCI Express link"},
};

static void what_is_required_must_be_judged_on_every_node(void **state)
{
	(void)state;
	for (size_t c = 0; c < N(requirements); c++) {
		struct fixture f;
		bool found = false;

		start(&f, "[\"n1\"]", requirements[c].requires);
		measured(&f, 1, "n1", CPU, 187 * GB);
		fixture_sample(&f, 1, "n1", "stream.copy", NT, 187 * GB, 1);
		fixture_judge(&f);
		if (f.summary.exit != requirements[c].exit)
			fail_msg("%s: exit %d", requirements[c].requires, f.summary.exit);
		assert_int_equal(f.summary.accepted, requirements[c].accepted);
		for (size_t i = 0; i < f.summary.n_verdicts; i++) {
			const struct verdict *v = &f.summary.verdicts[i];

			if (v->word != VERDICT_ERROR)
				continue;
			assert_true(v->required);
			assert_string_equal(v->cause, "no-data");
			found = strstr(v->why, requirements[c].why);
		}
		assert_int_equal(found, requirements[c].why != NULL);
		fixture_release(&f);
	}
}

static void what_is_required_and_skipped_is_an_error(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "[\"n1\",\"n2\"]", "[\"coverage\",\"stream.triad\"]");
	measured(&f, 1, "n1", CPU, 187 * GB);
	fixture_step(&f, 2, "s/a", "n2", "skip", NULL);
	fixture_judge(&f);
	assert_int_equal(f.summary.exit, 3);
	assert_int_equal(fixture_count(&f, "coverage", "stream.triad", "n2"), 1);
	assert_int_equal(node_of(&f, "n2")->word, VERDICT_ERROR);
	assert_string_equal(node_of(&f, "n2")->why,
			    "required, but skipped: reason of skip");
	assert_int_equal(node_of(&f, "n1")->word, VERDICT_PASS);
	fixture_release(&f);
}

/* A triad of 177 GB/s is 5.3 % low, between the limits of -4 % and -7 %. */
static void an_interval_across_both_limits_asks_for_repeats(void **state)
{
	static const double values[] = {177, 171, 184, 172, 183, 178};
	struct fixture f;
	const struct verdict *v;
	char id[64];

	(void)state;
	start(&f, "[\"n1\"]", "[]");
	fixture_node(&f, "n1", CPU, 2);
	for (int i = 0; i < 6; i++) {
		(void)snprintf(id, sizeof(id), "repeat:s/a@n1:%d", i);
		fixture_step(&f, i + 1, "s/a", "n1", "ok", i ? id : NULL);
		fixture_sample(&f, i + 1, "n1", "stream.triad", NT, values[i] * GB, 1);
		fixture_judge(&f);
		v = fixture_verdict(&f, "baseline", "stream.triad", "n1");
		assert_int_equal(v->n, i + 1);
		if (i == 5) { /* five repeats are the plan's limit */
			expect_word(v, VERDICT_WARN, NULL);
			assert_non_null(strstr(v->why, "at the limit"));
			assert_int_equal(f.summary.n_requests, 0);
			assert_int_equal(f.summary.exit, 3); /* nothing passed either */
			continue;
		}
		expect_word(v, VERDICT_INCONCLUSIVE, NULL);
		assert_int_equal(f.summary.exit, 3);
		assert_int_equal(f.summary.n_requests, 1);
		(void)snprintf(id, sizeof(id), "repeat:s/a@n1:%d", i + 1);
		assert_string_equal(f.summary.requests[0].id, id);
		assert_string_equal(f.summary.requests[0].want, "repeat");
		assert_string_equal(f.summary.requests[0].target, "s/a@n1");
		assert_non_null(strstr(v->why, "needed"));
		if (!i)
			assert_non_null(strstr(v->why, "one launch, spread 1 % by the "
						       "baseline"));
	}
	fixture_release(&f);
}

static void a_repeat_in_flight_is_asked_for_by_the_same_name(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "[\"n1\"]", "[]");
	measured(&f, 1, "n1", CPU, 177 * GB);
	fixture_step(&f, 2, "s/a", "n1", NULL, "repeat:s/a@n1:1");
	fixture_judge(&f);
	assert_int_equal(f.summary.n_requests, 1);
	assert_string_equal(f.summary.requests[0].id, "repeat:s/a@n1:1");
	fixture_step(&f, 3, "s/a", "n1", "aborted", "repeat:s/a@n1:1");
	fixture_judge(&f);
	assert_string_equal(f.summary.requests[0].id, "repeat:s/a@n1:1");
	fixture_release(&f);
}

static void the_spread_of_repetitions_stands_in_for_that_of_launches(void **state)
{
	struct fixture f;
	const struct verdict *v;

	(void)state;
	start(&f, "[\"n1\"]", "[]");
	fixture_file(&f, "baselines/b.yaml",
		     "baseline: b\nmetrics:\n  stream.triad: {ref: 187 GB/s, warn: -4 %, "
		     "fail: -7 %, from: x}\n");
	measured(&f, 1, "n1", CPU, 177 * GB);
	fixture_judge(&f);
	v = fixture_verdict(&f, "baseline", "stream.triad", "n1");
	expect_word(v, VERDICT_WARN, NULL);
	assert_non_null(strstr(v->why, "one launch, spread not known"));
	fixture_sample(&f, 1, "n1", "stream.triad", NT, 172 * GB, 2);
	fixture_sample(&f, 1, "n1", "stream.triad", NT, 169 * GB, 3);
	fixture_judge(&f);
	v = fixture_verdict(&f, "baseline", "stream.triad", "n1");
	expect_word(v, VERDICT_INCONCLUSIVE, NULL);
	assert_non_null(strstr(v->why, "one launch, spread 1.34 % by its repetitions"));
	fixture_release(&f);
}

static void no_value_is_thought_possible_that_is_less_than_nothing(void **state)
{
	static const double values[] = {10, 180, 3000};
	struct fixture f;
	const struct verdict *v;

	(void)state;
	start(&f, "[\"n1\"]", "[]");
	fixture_node(&f, "n1", CPU, 2);
	for (int i = 0; i < 3; i++) {
		fixture_step(&f, i + 1, "s/a", "n1", "ok", NULL);
		fixture_sample(&f, i + 1, "n1", "stream.triad", NT, values[i] * GB, 1);
	}
	fixture_judge(&f);
	v = fixture_verdict(&f, "baseline", "stream.triad", "n1");
	expect_word(v, VERDICT_INCONCLUSIVE, NULL);
	assert_non_null(strstr(v->why, ", but -100 % to +"));
	assert_null(strstr(v->why, "e+"));
	fixture_release(&f);
}

static void a_failed_launch_is_repeated_once(void **state)
{
	struct fixture f;
	const struct verdict *v;

	(void)state;
	start(&f, "[\"n1\"]", "[]");
	fixture_node(&f, "n1", CPU, 2);
	fixture_step(&f, 1, "s/a", "n1", "launch", NULL);
	fixture_judge(&f);
	assert_int_equal(f.summary.n_requests, 1);
	assert_string_equal(f.summary.requests[0].id, "repeat-launch:s/a@n1:1");
	assert_string_equal(f.summary.requests[0].want, "repeat");
	assert_string_equal(f.summary.requests[0].target, "s/a@n1");
	fixture_step(&f, 2, "s/a", "n1", "launch", "repeat-launch:s/a@n1:1");
	fixture_judge(&f);
	assert_int_equal(f.summary.n_requests, 0);
	expect_word(fixture_verdict(&f, "coverage", NULL, "n1"), VERDICT_ERROR, "launch");
	fixture_release(&f);

	start(&f, "[\"n1\"]", "[]");
	fixture_node(&f, "n1", CPU, 2);
	fixture_step(&f, 1, "s/a", "n1", "launch", NULL);
	fixture_step(&f, 2, "s/a", "n1", "ok", "repeat-launch:s/a@n1:1");
	fixture_sample(&f, 2, "n1", "stream.triad", NT, 187 * GB, 1);
	fixture_judge(&f);
	assert_int_equal(f.summary.n_requests, 0);
	assert_int_equal(f.summary.exit, 0);
	assert_int_equal(fixture_count(&f, "coverage", NULL, "n1"), 2);
	v = &f.summary.verdicts[2];
	assert_string_equal(v->rule, "coverage");
	expect_word(v, VERDICT_WARN, "launch");
	assert_string_equal(v->why, "an earlier launch gave no result: reason of launch");
	fixture_release(&f);
}

static void several_metrics_of_one_step_are_one_request(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "[\"n1\"]", "[]");
	fixture_file(&f, "baselines/c.yaml",
		     "baseline: c\nmetrics:\n  stream.copy: {ref: 187 GB/s, warn: -4 %, "
		     "fail: -7 %, spread: 1 %, from: x}\n");
	measured(&f, 1, "n1", CPU, 177 * GB);
	fixture_sample(&f, 1, "n1", "stream.copy", NT, 177 * GB, 1);
	fixture_judge(&f);
	assert_int_equal(f.summary.counts[VERDICT_INCONCLUSIVE], 2);
	assert_int_equal(f.summary.n_requests, 1);
	fixture_release(&f);
}

static void damage_and_what_was_left_out_are_told(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "[\"n1\",\"n2\",\"n3\"]", "[]");
	measured(&f, 1, "n1", CPU, 187 * GB);
	/* twice in two rounds; that of n1 was run by a later start after all */
	for (int i = 0; i < 2; i++)
		fixture_line(&f,
			     "{\"kind\":\"event\",\"what\":\"left-out\",\"node\":"
			     "\"n2\",\"key\":\"s/a@n2\",\"text\":\"estimate 60 s, 9 s "
			     "left\"}");
	fixture_line(&f, "{\"kind\":\"event\",\"what\":\"left-out\",\"node\":\"n1\","
			 "\"key\":\"s/a@n1\",\"text\":\"estimate 60 s, 9 s left\"}");
	fixture_line(&f, "{\"kind\":\"event\",\"what\":\"lost\",\"node\":\"n3\",\"text\":"
			 "\"UNREACHABLE: no route to host\"}");
	f.state.damaged = 2;
	fixture_judge(&f);
	expect_word(fixture_verdict(&f, NULL, NULL, "n2"), VERDICT_SKIP, NULL);
	assert_string_equal(node_of(&f, "n2")->why,
			    "left out for want of time: estimate 60 s, 9 s left");
	expect_word(fixture_verdict(&f, NULL, NULL, "n3"), VERDICT_ERROR, "launch");
	assert_string_equal(node_of(&f, "n3")->why, "UNREACHABLE: no route to host");
	expect_word(&f.summary.verdicts[f.summary.n_verdicts - 1], VERDICT_ERROR, "io");
	assert_non_null(strstr(f.summary.verdicts[f.summary.n_verdicts - 1].why,
			       "2 damaged lines of the journal"));
	assert_int_equal(node_of(&f, "n1")->word, VERDICT_PASS);
	assert_int_equal(f.summary.n_missing, 2);
	fixture_release(&f);
}

static void a_failed_step_on_several_nodes_leaves_none_of_them_good(void **state)
{
	static const char planned[] = "{\"kind\":\"step\",\"step\":1,\"attempt\":1,"
				      "\"event\":\"planned\",\"key\":\"s/x@n[1-2]\","
				      "\"nodes\":[\"n1\",\"n2\"]}";
	struct fixture f;
	const struct verdict *v;

	(void)state;
	start(&f, "[\"n1\",\"n2\"]", "[]");
	fixture_line(&f, "%s", planned);
	fixture_line(&f, "{\"kind\":\"step\",\"step\":1,\"attempt\":1,\"event\":"
			 "\"ended\",\"key\":\"s/x@n[1-2]\",\"cause\":\"timeout\"}");
	measured(&f, 2, "n2", CPU, 187 * GB);
	fixture_judge(&f);
	v = fixture_verdict(&f, "coverage", NULL, "n1");
	expect_word(v, VERDICT_ERROR, "no-data");
	assert_string_equal(v->why,
			    "0 of 1 steps gave a result; the others ran on several "
			    "nodes at once");
	expect_word(fixture_verdict(&f, "coverage", NULL, "n2"), VERDICT_WARN, "no-data");
	assert_int_equal(fixture_count(&f, "coverage", NULL, NULL), 3);
	expect_word(&f.summary.verdicts[2], VERDICT_ERROR, "timeout");
	assert_null(f.summary.verdicts[2].node);
	assert_int_equal(node_of(&f, "n1")->word, VERDICT_ERROR);
	fixture_release(&f);
}

static void a_node_without_a_pass_by_reference_is_not_good(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "[\"n1\",\"n2\"]", "[]");
	measured(&f, 1, "n1", CPU, 187 * GB);
	measured(&f, 2, "n2", "AMD EPYC 9999", 187 * GB);
	fixture_judge(&f);
	assert_int_equal(f.summary.exit, 3);
	assert_true(node_of(&f, "n1")->referenced);
	assert_false(node_of(&f, "n2")->referenced);
	fixture_release(&f);
}

/* Figures published for machines that were in order, and some that are not. GB/s. */
static const struct {
	const char *cpu, *virtual, *setting, *place;
	int sockets;
	double triad, plain, read;          /* 0: not measured */
	enum verdict_word baseline, theory; /* worst of each; PASS where none applies */
} machines[] = {
	{"AMD EPYC 7713 64-Core Processor", "none", "setting04", "1-per-l3", 2, 378, 272,
	 360, VERDICT_PASS, VERDICT_PASS},
	{"AMD EPYC 7713 64-Core Processor", "none", "setting04", "all-cores", 2, 365, 263,
	 350, VERDICT_PASS, VERDICT_PASS},
	{"AMD EPYC 7713 64-Core Processor", "none", "setting04", "all-cores", 2, 345, 263,
	 350, VERDICT_WARN, VERDICT_PASS},
	/* two of eight channels gone on one socket */
	{"AMD EPYC 7713 64-Core Processor", "none", "setting04", "all-cores", 2, 274, 205,
	 270, VERDICT_FAIL, VERDICT_WARN},
	/* the setting is not known, so its baseline is not applied */
	{"AMD EPYC 7713 64-Core Processor", "none", NULL, "all-cores", 2, 365, 263, 350,
	 VERDICT_UNJUDGED, VERDICT_PASS},
	{"AMD EPYC 7742 64-Core Processor", "none", NULL, "all-cores", 2, 296, 222, 300,
	 VERDICT_PASS, VERDICT_PASS},
	{"AMD EPYC 7V13 64-Core Processor", "kvm", NULL, "all-cores", 2, 345, 260, 330,
	 VERDICT_PASS, VERDICT_PASS},
	{"AMD EPYC 7V13 64-Core Processor", "kvm", NULL, "all-cores", 2, 250, 190, 240,
	 VERDICT_FAIL, VERDICT_PASS},
	/* a socket of Zen 3 with ordinary stores: 122 GB/s */
	{"AMD EPYC 7763 64-Core Processor", "none", NULL, "all-cores", 1, 0, 122, 160,
	 VERDICT_PASS, VERDICT_PASS},
	/* four channels' worth of bandwidth are all this model has */
	{"AMD EPYC 7282 16-Core Processor", "none", NULL, "all-cores", 2, 150, 115, 155,
	 VERDICT_PASS, VERDICT_PASS},
	/* nobody knows it: its own roof is what there is */
	{"AMD EPYC", "unknown", NULL, "all-cores", 1, 41, 29, 38, VERDICT_PASS,
	 VERDICT_PASS},
	{"AMD EPYC", "unknown", NULL, "all-cores", 1, 20, 29, 38, VERDICT_PASS,
	 VERDICT_FAIL},
};

static void machine(struct fixture *f, size_t c)
{
	struct strbuf setting = {0};
	struct err e = {0};

	fixture_init(f);
	fixture_plan(f, "[\"n1\"]", "[]", 5);
	if (judge_config_load(&f->config, SOURCE_DIR "/configs", NULL, &e))
		fail_msg("%s", e.msg);
	if (machines[c].setting)
		strbuf_addf(&setting, ",\"bios\":{\"setting\":\"%s\"}",
			    machines[c].setting);
	/* more cores than any model has, so that none is missing */
	fixture_line(f,
		     "{\"kind\":\"node\",\"node\":\"n1\",\"facts\":{\"cpu\":{\"model\":"
		     "\"%s\",\"sockets\":%d,\"cores\":%d},\"virtual\":\"%s\"%s}}",
		     machines[c].cpu, machines[c].sockets, 64 * machines[c].sockets,
		     machines[c].virtual, strbuf_str(&setting));
	strbuf_release(&setting);
	fixture_line(f,
		     "{\"kind\":\"step\",\"step\":1,\"attempt\":1,\"event\":\"planned\","
		     "\"key\":\"s/a@n1\",\"kernel\":\"stream\",\"place\":\"%s\","
		     "\"nodes\":[\"n1\"]}",
		     machines[c].place);
	fixture_line(f, "{\"kind\":\"step\",\"step\":1,\"attempt\":1,\"event\":"
			"\"ended\",\"key\":\"s/a@n1\",\"cause\":\"ok\"}");
	if (machines[c].triad > 0)
		fixture_sample(f, 1, "n1", "stream.triad", NT, machines[c].triad * GB, 1);
	fixture_sample(f, 1, "n1", "stream.triad", PLAIN, machines[c].plain * GB, 1);
	fixture_sample(f, 1, "n1", "stream.read", NULL, machines[c].read * GB, 1);
	fixture_judge(f);
}

static enum verdict_word worst_of(const struct fixture *f, const char *rule)
{
	enum verdict_word w = VERDICT_PASS;

	for (size_t i = 0; i < f->summary.n_verdicts; i++) {
		const struct verdict *v = &f->summary.verdicts[i];

		/* a value without any reference is another test's matter */
		if (!strcmp(v->rule, rule) &&
		    !(v->word == VERDICT_UNJUDGED && !strstr(v->why, "may hold")))
			w = verdict_worse(w, v->word);
	}
	return w;
}

static void shipped_references_pass_what_is_in_order_and_find_what_is_not(void **state)
{
	(void)state;
	for (size_t c = 0; c < N(machines); c++) {
		struct fixture f;

		machine(&f, c);
		if (worst_of(&f, "baseline") != machines[c].baseline ||
		    worst_of(&f, "theory") != machines[c].theory)
			fail_msg("case %zu: baseline %s, theory %s", c,
				 verdict_name(worst_of(&f, "baseline")),
				 verdict_name(worst_of(&f, "theory")));
		fixture_release(&f);
	}
}

/* xorshift64*, so that a failure can be repeated. */
static uint64_t seed;

static size_t below(size_t n)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (size_t)((seed * 0x2545f4914f6cdd1dU >> 33) % n);
}

/* The lines of a random run; those from *n_fixed on may come in any order. */
static char **random_run(size_t *n, size_t *n_fixed)
{
	static const char *const causes[] = {"ok", "ok", "ok", "ok", "launch", "invalid"};
	static const char *const values[] = {"1.8e11", "1.75e11", "3e10",
					     "0",      "-1e9",    "1e308"};
	static const char *const ats[] = {"", ",\"at\":" NT, ",\"at\":" PLAIN,
					  ",\"at\":{\"domain\":1}"};
	static const char *const metrics[] = {"triad", "read", "copy", "unknown"};
	size_t n_steps = 1 + below(8), cap = 600;
	char **lines = calloc(cap, sizeof(*lines));

	assert_non_null(lines);
	*n = 0;
	for (size_t i = 0; i < n_steps; i++) {
		size_t node = 1 + below(3), name = below(2);

		assert_true(
			asprintf(&lines[(*n)++],
				 "{\"kind\":\"step\",\"step\":%zu,\"attempt\":1,"
				 "\"event\":\"planned\",\"key\":\"s/%zu@n%zu\",\"name\":"
				 "\"s/%zu\",\"kernel\":\"stream\",\"place\":"
				 "\"all-cores\",\"nodes\":[\"n%zu\"]}",
				 i + 1, name, node, name, node) > 0);
		assert_true(
			asprintf(&lines[(*n)++],
				 "{\"kind\":\"step\",\"step\":%zu,\"attempt\":1,"
				 "\"event\":\"ended\",\"key\":\"s/%zu@n%zu\",\"cause\":"
				 "\"%s\"}",
				 i + 1, name, node, causes[below(N(causes))]) > 0);
	}
	*n_fixed = *n;
	while (*n < *n_fixed + 60) {
		size_t step = 1 + below(n_steps);
		const char *value = values[below(N(values))];

		if (!below(20))
			assert_true(
				asprintf(&lines[(*n)++],
					 "{\"kind\":\"valid\",\"step\":%zu,"
					 "\"attempt\":1,\"check\":\"error\",\"value\":"
					 "%s,\"ok\":%s}",
					 step, value, below(2) ? "true" : "false") > 0);
		else
			assert_true(
				asprintf(&lines[(*n)++],
					 "{\"kind\":\"sample\",\"step\":%zu,"
					 "\"attempt\":1,\"rank\":%zu,\"metric\":"
					 "\"stream.%s\"%s,\"value\":%s,\"unit\":\"B/s\"}",
					 step, below(2), metrics[below(N(metrics))],
					 ats[below(N(ats))], value) > 0);
	}
	for (size_t i = 1; i <= 3; i++)
		assert_true(
			asprintf(&lines[(*n)++],
				 "{\"kind\":\"node\",\"node\":\"n%zu\",\"facts\":{"
				 "\"cpu\":{\"model\":\"%s\",\"sockets\":2,\"cores\":128}"
				 ",\"virtual\":\"none\"}}",
				 i, i == 3 ? "AMD EPYC 7352" : CPU) > 0);
	return lines;
}

static void text_of(const struct summary *s, struct strbuf *out)
{
	strbuf_addf(out, "%d %d %d\n", (int)s->word, s->exit, (int)s->accepted);
	for (size_t i = 0; i < s->n_verdicts; i++) {
		const struct verdict *v = &s->verdicts[i];

		strbuf_addf(out, "%s %s %s %s %s %s %s %s %.17g %.17g %s\n", v->id,
			    v->rule, v->key ? v->key : "", v->node ? v->node : "",
			    v->metric ? v->metric : "", v->at ? v->at : "",
			    verdict_name(v->word), v->cause ? v->cause : "", v->value.v,
			    v->reference.v, v->why);
	}
	for (size_t i = 0; i < s->n_requests; i++)
		strbuf_addf(out, "%s\n", s->requests[i].id);
	for (size_t i = 0; i < s->n_nodes; i++)
		strbuf_addf(out, "%s %s\n", s->nodes[i].name, s->nodes[i].why);
}

static void judge_lines(struct fixture *f, char **lines, size_t n)
{
	start(f, "[\"n1\",\"n2\",\"n3\"]", "[]");
	fixture_file(f, "theory.yaml", THEORY);
	for (size_t i = 0; i < n; i++)
		fixture_line(f, "%s", lines[i]);
	fixture_judge(f);
}

/* A number in a verdict is finite, or was measured as it is. */
static bool sound(struct record_num v)
{
	return !v.set || isfinite(v.v);
}

static void check_sound(const struct summary *s)
{
	size_t counts = 0;

	for (size_t i = 0; i < s->n_verdicts; i++) {
		const struct verdict *v = &s->verdicts[i];

		assert_non_null(v->why);
		assert_true(*v->why && !strstr(v->why, "nan") && !strstr(v->why, "inf"));
		assert_true(sound(v->value) && sound(v->reference) && sound(v->spread));
		assert_true(sound(v->low) && sound(v->high) && sound(v->warn_low));
		assert_true(v->word != VERDICT_UNJUDGED || v->cause);
	}
	for (int w = 0; w < VERDICT_WORDS; w++)
		counts += s->counts[w];
	assert_int_equal(counts, s->n_verdicts);
	for (size_t i = 0; i < s->n_nodes; i++)
		assert_non_null(s->nodes[i].why);
	assert_true(s->exit == 0 || s->exit == 1 || s->exit == 3);
	assert_int_equal(s->exit == 1, s->counts[VERDICT_FAIL] > 0);
}

static void order_of_records_changes_nothing_and_no_number_is_lost(void **state)
{
	(void)state;
	seed = 20240229;
	for (int round = 0; round < 60; round++) {
		struct strbuf a = {0}, b = {0};
		struct fixture f, g;
		size_t n, n_fixed;
		char **lines = random_run(&n, &n_fixed);

		judge_lines(&f, lines, n);
		check_sound(&f.summary);
		text_of(&f.summary, &a);
		for (size_t i = n - 1; i > n_fixed; i--) {
			size_t k = n_fixed + below(i - n_fixed + 1);
			char *line = lines[i];

			lines[i] = lines[k];
			lines[k] = line;
		}
		judge_lines(&g, lines, n);
		text_of(&g.summary, &b);
		assert_string_equal(strbuf_str(&a), strbuf_str(&b));
		fixture_release(&f);
		fixture_release(&g);
		strbuf_release(&a);
		strbuf_release(&b);
		for (size_t i = 0; i < n; i++)
			free(lines[i]);
		free(lines);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(word_order_is_that_of_the_design),
		cmocka_unit_test(what_a_kernel_warns_of_is_a_warning),
		cmocka_unit_test(rules_are_found_by_name),
		cmocka_unit_test(nodes_with_one_host_name_are_kept_and_warned_of),
		cmocka_unit_test(f03_one_line_tells_that_all_are_slow_alike),
		cmocka_unit_test(f03_without_a_reference_nothing_is_passed),
		cmocka_unit_test(classes_of_nodes_are_kept_apart),
		cmocka_unit_test(f05_missing_results_are_errors),
		cmocka_unit_test(an_empty_journal_is_no_pass),
		cmocka_unit_test(g01_exit_status_follows_from_the_verdicts),
		cmocka_unit_test(a_fail_goes_before_an_error),
		cmocka_unit_test(baseline_limits_are_asymmetric),
		cmocka_unit_test(own_roof_judges_what_no_book_knows),
		cmocka_unit_test(own_roof_is_that_of_the_same_launch_and_place),
		cmocka_unit_test(books_hold_for_whole_machines_only),
		cmocka_unit_test(c06_small_arrays_are_not_for_references),
		cmocka_unit_test(checks_of_kernels_are_judged_and_their_values_dropped),
		cmocka_unit_test(the_worst_of_like_checks_is_shown),
		cmocka_unit_test(a_check_of_one_problem_costs_its_values_alone),
		cmocka_unit_test(what_a_launch_with_results_did_not_bring_is_an_error),
		cmocka_unit_test(values_that_are_no_numbers_fail),
		cmocka_unit_test(output_that_cannot_be_trusted_is_an_error_once),
		cmocka_unit_test(what_is_required_must_be_judged_on_every_node),
		cmocka_unit_test(what_is_required_and_skipped_is_an_error),
		cmocka_unit_test(an_interval_across_both_limits_asks_for_repeats),
		cmocka_unit_test(a_repeat_in_flight_is_asked_for_by_the_same_name),
		cmocka_unit_test(
			the_spread_of_repetitions_stands_in_for_that_of_launches),
		cmocka_unit_test(no_value_is_thought_possible_that_is_less_than_nothing),
		cmocka_unit_test(a_failed_launch_is_repeated_once),
		cmocka_unit_test(several_metrics_of_one_step_are_one_request),
		cmocka_unit_test(damage_and_what_was_left_out_are_told),
		cmocka_unit_test(a_failed_step_on_several_nodes_leaves_none_of_them_good),
		cmocka_unit_test(a_node_without_a_pass_by_reference_is_not_good),
		cmocka_unit_test(
			shipped_references_pass_what_is_in_order_and_find_what_is_not),
		cmocka_unit_test(order_of_records_changes_nothing_and_no_number_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
