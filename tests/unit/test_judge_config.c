/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of baselines and theory as files, and of which of them holds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "judge_fixture.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void shipped_files_load(void **state)
{
	struct judge_config *c;
	struct err e = {0};

	(void)state;
	if (judge_config_load(&c, SOURCE_DIR "/configs", NULL, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(c->cpus.n, 49);
	assert_true(c->theory.n >= 10 && c->baselines.n >= 4);
	for (size_t i = 0; i < c->baselines.n_references; i++) {
		const struct reference *r = &c->baselines.references[i];

		assert_true(r->value > 0 && r->from && *r->from);
		assert_true((r->shares.warn_low.set && r->shares.fail_low.set) ||
			    (r->shares.warn_high.set && r->shares.fail_high.set));
	}
	for (size_t i = 0; i < c->theory.n; i++)
		assert_true(c->theory.limits[i].from && c->theory.limits[i].why);
	judge_config_free(c);
}

#define HEAD "baseline: b\nmatch: {cpu: A 1}\nmetrics:\n"

static const struct {
	const char *text, *message;
} wrong_baselines[] = {
	/* field case A14: a number without unit, or with one nobody knows */
	{HEAD "  stream.triad: {ref: 378, fail: -7 %, from: x}\n",
	 ":4:23: 'ref': no unit in '378'"},
	{HEAD "  stream.triad: {ref: 378 MBs, fail: -7 %, from: x}\n",
	 ":4:23: 'ref': unknown unit in '378 MBs'"},
	{HEAD "  stream.triad: {ref: 0 GB/s, fail: -7 %, from: x}\n", "not above zero"},
	{HEAD "  stream.triad: {ref: nan GB/s, fail: -7 %, from: x}\n", ":4:23: "},
	{HEAD "  stream.triad: {ref: [1], fail: -7 %, from: x}\n",
	 ":4:23: 'ref': a list, expected a number with its unit"},
	{HEAD "  stream.triad: {ref: 378 GB/s, fail: 7 %, from: x}\n",
	 ":4:39: no sign in '7 %', expected '-7 %' for a lower limit"},
	{HEAD "  stream.triad: {ref: 378 GB/s, fail: 300 s, from: x}\n",
	 ":4:39: unknown unit in '300 s'"},
	{HEAD "  stream.triad: {ref: 378 GB/s, fail: -100 %, from: x}\n",
	 "a limit below zero"},
	{HEAD "  stream.triad: {ref: 378 GB/s, from: x}\n",
	 ":4:17: neither 'warn' nor 'fail'"},
	{HEAD "  stream.triad: {ref: 378 GB/s, warn: -9 %, fail: -7 %, from: x}\n",
	 ":4:39: 'warn' is below 'fail'"},
	{HEAD "  stream.triad: {ref: 1 us, warn: +9 %, fail: +7 %, from: x}\n",
	 "'warn' is above 'fail'"},
	{HEAD "  stream.triad: {ref: 1 us, fail: {low: +7 %}, from: x}\n",
	 "'+7 %' is not on the low side"},
	{HEAD "  stream.triad: {ref: 1 us, fail: {lo: -7 %}, from: x}\n",
	 "unknown key 'lo', expected low or high"},
	{HEAD "  stream.triad: {ref: 378 GB/s, fail: -7 %}\n", "no key 'from'"},
	{HEAD "  stream.triad: {ref: 378 GB/s, fial: -7 %, from: x}\n",
	 ":4:33: unknown key 'fial', did you mean 'fail'?"},
	{HEAD "  stream.triad: {ref: 378 GB/s, fail: -7 %, from: x, at: {stor: nt}}\n",
	 "unknown place 'stor', did you mean 'store'?"},
	{HEAD "  stream.triad: {ref: 378 GB/s, fail: -7 %, from: x, at: nt}\n",
	 "expected a map such as {store: nt}"},
	{HEAD "  triad: {ref: 378 GB/s, fail: -7 %, from: x}\n",
	 ":4:3: 'triad' is no metric, expected KERNEL.METRIC"},
	{HEAD "  stream.triad: 378 GB/s\n", ":4:17: text, expected a map"},
	{"baseline: b\nmatch: {cpus: A 1}\nmetrics: {}\n",
	 ":2:9: unknown key 'cpus', did you mean 'cpu'?"},
	{"baseline: b\nmetrics: {}\n", ":2:10: "},
	{"metrics: {stream.triad: {ref: 1 s, fail: +1 %, from: x}}\n",
	 "no key 'baseline'"},
	{"baseline: b\nbaseline: c\nmetrics: {}\n", ":2:1: "},
};

static void a14_wrong_baselines_are_usage_errors_with_their_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(wrong_baselines); i++) {
		struct fixture f;
		struct err e = {0};
		char path[128];

		fixture_init(&f);
		fixture_file(&f, "baselines/b.yaml", wrong_baselines[i].text);
		(void)snprintf(path, sizeof(path), "%s/baselines/b.yaml:", f.dir);
		if (!fixture_load(&f, NULL, &e))
			fail_msg("case %zu is accepted", i);
		assert_int_equal(e.kind, ERR_USAGE);
		assert_null(f.config);
		if (strncmp(e.msg, path, strlen(path)) != 0 ||
		    !strstr(e.msg, wrong_baselines[i].message))
			fail_msg("case %zu: %s", i, e.msg);
		fixture_release(&f);
	}
}

#define LIMIT "limits:\n  - metric: stream.triad\n    from: x\n    why: y\n"

static const struct {
	const char *text, *message;
} wrong_theory[] = {
	{LIMIT "    of: memory-bandwith\n    warn: 70 %\n    fail: 60 %\n",
	 ":5:9: unknown roof 'memory-bandwith', expected memory-bandwidth, peak-flops"},
	{LIMIT "    of: stream.read\n    warn: 60 %\n    fail: 70 %\n",
	 ":2:5: limits are not in the order"},
	{LIMIT "    of: stream.read\n    warn: 70 %\n    fail: 60 %\n"
	       "    invalid_above: 65 %\n",
	 "not in the order"},
	{LIMIT "    of: stream.read\n    warn: 70 GB/s\n    fail: 60 %\n",
	 ":6:11: 'warn'"},
	{LIMIT "    of: stream.read\n    warn: 70\n    fail: 60 %\n", "out of range"},
	{LIMIT "    of: stream.read\n    fail: 60 %\n", "no key 'warn'"},
	{"limits: {}\n", "'limits': a map, expected a list of maps"},
};

static void wrong_theory_is_a_usage_error_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(wrong_theory); i++) {
		struct fixture f;
		struct err e = {0};

		fixture_init(&f);
		fixture_file(&f, "theory.yaml", wrong_theory[i].text);
		assert_int_equal(fixture_load(&f, NULL, &e), -1);
		assert_int_equal(e.kind, ERR_USAGE);
		if (!strstr(e.msg, "/theory.yaml:") ||
		    !strstr(e.msg, wrong_theory[i].message))
			fail_msg("case %zu: %s", i, e.msg);
		fixture_release(&f);
	}
}

static void limits_are_shares_whatever_way_they_are_written(void **state)
{
	struct fixture f;
	const struct reference *r;

	(void)state;
	fixture_init(&f);
	fixture_file(&f, "baselines/b.yaml",
		     "baseline: b\nmetrics:\n"
		     "  net.latency: {ref: 2 us, warn: +10 %, fail: 3 us, from: x}\n"
		     "  stream.triad:\n"
		     "    ref: 400 GB/s\n    warn: {low: -4 %, high: 440 GB/s}\n"
		     "    fail: 300 GB/s\n    spread: 1 %\n    from: x\n"
		     "    at: {store: nt, domain: 3}\n");
	fixture_config(&f);
	r = &f.config->baselines.references[0];
	assert_string_equal(r->unit, "s");
	assert_true(fabs(r->shares.warn_high.v - 1.1) < 1e-12);
	assert_true(fabs(r->shares.fail_high.v - 1.5) < 1e-12);
	assert_false(r->shares.warn_low.set || r->shares.fail_low.set);
	r = &f.config->baselines.references[1];
	assert_string_equal(r->unit, "B/s");
	assert_true(fabs(r->shares.warn_low.v - 0.96) < 1e-12);
	assert_true(fabs(r->shares.warn_high.v - 1.1) < 1e-12);
	assert_true(fabs(r->shares.fail_low.v - 0.75) < 1e-12);
	assert_true(fabs(r->spread - 0.01) < 1e-12);
	assert_string_equal(r->at, "{\"domain\":3,\"store\":\"nt\"}");
	fixture_release(&f);
}

static void two_baselines_of_one_name_are_an_error(void **state)
{
	static const char text[] =
		"baseline: b\nmetrics: {a.b: {ref: 1 s, fail: +9 %, from: x}}\n";
	struct fixture f;
	struct err e = {0};

	(void)state;
	fixture_init(&f);
	fixture_file(&f, "baselines/a.yaml", text);
	fixture_file(&f, "baselines/b.yaml", text);
	assert_int_equal(fixture_load(&f, NULL, &e), -1);
	assert_non_null(strstr(e.msg, "b.yaml:1:1: there is another baseline 'b'"));
	fixture_release(&f);
}

static void missing_files_are_usage_errors(void **state)
{
	struct judge_config *c = NULL;
	struct err e = {0};
	struct fixture f;

	(void)state;
	assert_int_equal(judge_config_load(&c, "/nonexistent", NULL, &e), -1);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_null(c);
	fixture_init(&f);
	assert_int_equal(fixture_load(&f, "/nonexistent.yaml", &e), -1);
	assert_int_equal(e.kind, ERR_USAGE);
	fixture_release(&f);
	judge_config_free(NULL);
}

/* Facts a node may have, and what is found. Metric m.v, place p, at {"store":"nt"}. */
#define METRIC(ref, more) \
	"metrics: {m.v: {ref: " ref " B/s, fail: -9 %, from: x" more "}}\n"

static const struct {
	const char *b1, *b2, *preferred;
	const char *cpu, *sockets, *setting;
	enum baseline_found found;
	double value;
} choices[] = {
	/* absent keys match all */
	{METRIC("1", ""), NULL, NULL, NULL, NULL, NULL, BASELINE_FOUND, 1},
	{"match: {cpu: A 1}\n" METRIC("1", ""), NULL, NULL, "A 1", NULL, NULL,
	 BASELINE_FOUND, 1},
	{"match: {cpu: A(R) CPU 1}\n" METRIC("1", ""), NULL, NULL, "A 1", NULL, NULL,
	 BASELINE_FOUND, 1},
	{"match: {cpu: A 1}\n" METRIC("1", ""), NULL, NULL, "A 1P", NULL, NULL,
	 BASELINE_NONE, 0},
	{"match: {cpu: [A 1, A 2]}\n" METRIC("1", ""), NULL, NULL, "A 2", NULL, NULL,
	 BASELINE_FOUND, 1},
	/* a key whose value is not known */
	{"match: {cpu: A 1}\n" METRIC("1", ""), NULL, NULL, NULL, NULL, NULL,
	 BASELINE_UNKNOWN, 1},
	{"match: {cpu: A 1, bios.setting: s4}\n" METRIC("1", ""), NULL, NULL, "A 1", NULL,
	 NULL, BASELINE_UNKNOWN, 1},
	/* that another key does not match settles it */
	{"match: {cpu: A 1, bios.setting: s4}\n" METRIC("1", ""), NULL, NULL, "A 2", NULL,
	 NULL, BASELINE_NONE, 0},
	/* what surely holds goes first, then the closer one, in either order */
	{"match: {cpu: A 1, bios.setting: s4}\n" METRIC("1", ""),
	 "match: {cpu: A 1}\n" METRIC("2", ""), NULL, "A 1", "2", NULL, BASELINE_FOUND,
	 2},
	{"match: {cpu: A 1, bios.setting: s4}\n" METRIC("1", ""),
	 "match: {cpu: A 1}\n" METRIC("2", ""), NULL, "A 1", "2", "s4", BASELINE_FOUND,
	 1},
	{"match: {cpu: A 1}\n" METRIC("1", ""),
	 "match: {cpu: A 1, sockets: 2}\n" METRIC("2", ""), NULL, "A 1", "2", NULL,
	 BASELINE_FOUND, 2},
	/* of equals the first, by name of the file */
	{METRIC("1", ""), METRIC("2", ""), NULL, "A 1", "2", NULL, BASELINE_FOUND, 1},
	/* the one given by hand wins */
	{"match: {cpu: A 1, sockets: 2}\n" METRIC("1", ""), NULL, METRIC("3", ""), "A 1",
	 "2", NULL, BASELINE_FOUND, 3},
	{METRIC("1", ""), NULL, "match: {cpu: A 9}\n" METRIC("3", ""), "A 1", "2", NULL,
	 BASELINE_FOUND, 1},
	/* place and at */
	{METRIC("1", ", place: p"), METRIC("2", ", place: q"), NULL, "A 1", "2", NULL,
	 BASELINE_FOUND, 1},
	{METRIC("1", ", place: q"), NULL, NULL, "A 1", "2", NULL, BASELINE_NONE, 0},
	{METRIC("1", ", at: {store: plain}"), NULL, NULL, "A 1", "2", NULL, BASELINE_NONE,
	 0},
	{METRIC("1", ", at: {store: any}"), METRIC("2", ", at: {store: nt, domain: any}"),
	 NULL, "A 1", "2", NULL, BASELINE_FOUND, 1},
	{"metrics: {m.w: {ref: 1 B/s, fail: -9 %, from: x}}\n", NULL, NULL, "A 1", "2",
	 NULL, BASELINE_NONE, 0},
};

static void write_baseline(struct fixture *f, const char *file, const char *name,
			   const char *text)
{
	struct strbuf sb = {0};

	if (!text)
		return;
	strbuf_addf(&sb, "baseline: %s\n%s", name, text);
	fixture_file(f, file, strbuf_str(&sb));
	strbuf_release(&sb);
}

static void the_closest_baseline_that_surely_holds_is_taken(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(choices); i++) {
		struct series s = {
			.metric = "m.v", .place = "p", .at = "{\"store\":\"nt\"}"};
		struct judge_node n = {
			.facts = {[NODE_CPU] = choices[i].cpu,
				  [NODE_SOCKETS] = choices[i].sockets,
				  [NODE_BIOS_SETTING] = choices[i].setting}};
		const struct reference *r;
		enum node_fact fact = NODE_FACTS;
		enum baseline_found found;
		struct fixture f;
		struct err e = {0};
		char hand[128];

		fixture_init(&f);
		write_baseline(&f, "baselines/a.yaml", "a", choices[i].b1);
		write_baseline(&f, "baselines/b.yaml", "b", choices[i].b2);
		write_baseline(&f, "hand", "a", choices[i].preferred);
		(void)snprintf(hand, sizeof(hand), "%s/hand", f.dir);
		if (fixture_load(&f, choices[i].preferred ? hand : NULL, &e))
			fail_msg("case %zu: %s", i, e.msg);
		found = baseline_find(&f.config->baselines, &s, &n, &r, &fact);
		if (found != choices[i].found ||
		    (found != BASELINE_NONE && fabs(r->value - choices[i].value) > 0))
			fail_msg("case %zu: found %d", i, (int)found);
		assert_int_equal(found == BASELINE_UNKNOWN, fact != NODE_FACTS);
		fixture_release(&f);
	}
}

/* Where a reference holds. */
static const struct {
	const char *pattern, *at;
	bool match, part;
} places[] = {
	{NULL, NULL, true, true},
	{NULL, "{}", true, true},
	{NULL, "{\"store\":\"nt\"}", true, true},
	{NULL, "{\"store\":\"plain\"}", false, true},
	{NULL, "{\"domain\":0,\"store\":\"nt\"}", false, true},
	{"{\"store\":\"nt\"}", "{\"store\":\"nt\"}", true, true},
	{"{\"store\":\"nt\"}", NULL, false, false},
	{"{\"store\":\"nt\"}", "{\"domain\":0,\"store\":\"nt\"}", false, true},
	{"{\"domain\":0}", "{\"domain\":0,\"store\":\"nt\"}", false, true},
	{"{\"domain\":0}", "{\"domain\":10}", false, false},
	{"{\"domain\":1}", "{\"domain\":10,\"l3\":1}", false, false},
	{"{\"domain\":\"any\"}", "{\"domain\":10}", true, false},
	{"{\"domain\":\"any\"}", "{\"domain\":\"x,y}\\\"\"}", true, false},
	{"{\"domain\":\"any\"}", "{\"mem_domain\":10}", false, false},
	{"{\"domain\":\"any\",\"store\":\"nt\"}", "{\"domain\":3,\"store\":\"nt\"}", true,
	 false},
	{"{\"domain\":\"any\",\"store\":\"nt\"}", "{\"domain\":3}", false, false},
	{"{}", NULL, true, true},
	{"{\"l3\":3}", "{\"core\":1,\"l3\":3}", false, true},
};

static void places_match_member_by_member(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(places); i++) {
		if (series_at_match(places[i].pattern, places[i].at) != places[i].match ||
		    series_at_part(places[i].pattern, places[i].at) != places[i].part)
			fail_msg("case %zu", i);
	}
}

static void units_are_checked_against_what_kernels_declare(void **state)
{
	struct fixture f;
	struct err e = {0};

	(void)state;
	fixture_init(&f);
	fixture_plan(&f, "[\"n1\"]", "[]", 5);
	fixture_file(&f, "baselines/b.yaml",
		     "baseline: b\nmetrics:\n"
		     "  stream.triad: {ref: 378 GFLOP/s, fail: -7 %, from: x}\n");
	fixture_config(&f);
	assert_int_equal(judge(&f.summary, &f.state, f.config, &e), -1);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.msg, "b.yaml:3:17: 'stream.triad' is measured in B/s"));
	fixture_file(&f, "baselines/b.yaml",
		     "baseline: b\nmetrics:\n"
		     "  other.metric: {ref: 378 GFLOP/s, fail: -7 %, from: x}\n");
	fixture_file(&f, "theory.yaml",
		     "limits:\n  - {metric: stream.triad, of: peak-flops, warn: 70 %, "
		     "fail: 60 %, from: x, why: y}\n");
	fixture_config(&f);
	summary_release(&f.summary);
	assert_int_equal(judge(&f.summary, &f.state, f.config, &e), -1);
	assert_non_null(strstr(e.msg, "theory.yaml:2:5: 'stream.triad' is measured in "));
	fixture_file(&f, "theory.yaml",
		     "limits:\n  - {metric: stream.triad, of: net.latency, warn: 70 %, "
		     "fail: 60 %, from: x, why: y}\n");
	fixture_config(&f);
	summary_release(&f.summary);
	assert_int_equal(judge(&f.summary, &f.state, f.config, &e), -1);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_files_load),
		cmocka_unit_test(a14_wrong_baselines_are_usage_errors_with_their_place),
		cmocka_unit_test(wrong_theory_is_a_usage_error_with_its_place),
		cmocka_unit_test(limits_are_shares_whatever_way_they_are_written),
		cmocka_unit_test(two_baselines_of_one_name_are_an_error),
		cmocka_unit_test(missing_files_are_usage_errors),
		cmocka_unit_test(the_closest_baseline_that_surely_holds_is_taken),
		cmocka_unit_test(places_match_member_by_member),
		cmocka_unit_test(units_are_checked_against_what_kernels_declare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
