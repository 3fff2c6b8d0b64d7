/* SPDX-License-Identifier: Apache-2.0 */
/* Rule `bios`: records of settings in, words and sentences out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "judge/bios.h"
#include "judge_fixture.h"

static const char profile[] =
	"profile: p\n"
	"attributes:\n"
	"  SysProfile: {want: PerfOptimized, why: fast}\n"
	"  LogicalProc: {want: Disabled, why: no SMT}\n"
	"  NumaNodesPerSocket: {want: \"4\", why: bandwidth}\n"
	"  ProcCStates: {want: [Disabled, Off], severity: warn, why: latency}\n"
	"  Proc1NumCores: {want: \"64\", optional: true, why: bought}\n"
	"  NewName: {want: Enabled, also: [OldName], optional: true, why: renamed}\n";

static const char known[] =
	"ignore: [NumLock, \"Boot*\"]\nidentity: [SystemBiosVersion]\n"
	"unique: [SystemServiceTag]\n";

/* A run of @nodes (a JSON list) at a site whose profile is @name, NULL: none. */
static void start(struct fixture *f, const char *nodes, const char *name,
		  const char *requires)
{
	fixture_init(f);
	fixture_file(f, "bios.yaml", known);
	fixture_file(f, "bios/p.yaml", profile);
	fixture_line(f,
		     "{\"kind\":\"plan\",\"name\":\"t\",\"nodes\":%s,\"requires\":%s,"
		     "\"site\":{\"name\":\"s\",\"bmc\":{%s%s%s}}}",
		     nodes, requires, name ? "\"profile\":\"" : "", name ? name : "",
		     name ? "\"" : "");
}

static void add(struct fixture *f, const char *node, const char *source,
		const char *attributes, const char *more)
{
	fixture_line(f,
		     "{\"kind\":\"bios\",\"node\":\"%s\",\"source\":\"%s\","
		     "\"attributes\":{%s}%s}",
		     node, source, attributes, more);
}

static void judge_bios(struct fixture *f)
{
	struct err e = {0};

	fixture_config(f);
	if (judge_by(&f->summary, &f->state, f->config, "bios", &e))
		fail_msg("%s", e.msg);
}

/* The verdict about @metric of @node is this. */
static void expect(const struct fixture *f, const char *node, const char *metric,
		   enum verdict_word word, const char *why)
{
	const char *other = "none";

	for (size_t i = 0; i < f->summary.n_verdicts; i++) {
		const struct verdict *v = &f->summary.verdicts[i];

		if (strcmp(v->rule, "bios") != 0 || strcmp(v->node, node) != 0 ||
		    strcmp(v->metric, metric) != 0)
			continue;
		if (v->word == word && !strcmp(v->why, why))
			return;
		other = v->why;
	}
	fail_msg("%s %s: %s", node, metric, other);
}

static size_t count(const struct fixture *f, const char *node)
{
	size_t n = 0;

	for (size_t i = 0; i < f->summary.n_verdicts; i++)
		n += !strcmp(f->summary.verdicts[i].node, node);
	return n;
}

#define GOOD                                                \
	"\"SysProfile\":\"PerfOptimized\",\"LogicalProc\":" \
	"\"Disabled\",\"NumaNodesPerSocket\":\"4\",\"ProcCStates\":\"Disabled\""

static void settings_are_compared_with_the_profile(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f, "[\"n1\",\"n2\",\"n3\",\"n4\",\"n5\"]", "p", "[]");
	add(&f, "n1", "redfish", GOOD ",\"Proc1NumCores\":64", "");
	add(&f, "n2", "redfish",
	    "\"SysProfile\":\"Custom\",\"LogicalProc\":\"Disabled\","
	    "\"NumaNodesPerSocket\":4,\"ProcCStates\":{\"current\":\"Enabled\","
	    "\"state\":\"locked\"},\"OldName\":\"Disabled\"",
	    "");
	add(&f, "n3", "redfish", "\"SysProfile\":\"PerfOptimized\",\"LogicalProc\":null",
	    "");
	add(&f, "n4", "redfish", "", ",\"error\":\"BMC busy: no free session\"");
	add(&f, "n5", "racadm", "\"LogicalProc\":\"Disabled\"", "");
	judge_bios(&f);
	expect(&f, "n1", "bios.profile", VERDICT_PASS,
	       "5 of 5 settings are as profile p wants");
	assert_int_equal(count(&f, "n1"), 1);
	expect(&f, "n2", "bios.SysProfile", VERDICT_FAIL,
	       "MISMATCH: SysProfile is Custom, profile p wants PerfOptimized: fast");
	expect(&f, "n2", "bios.ProcCStates", VERDICT_WARN,
	       "MISMATCH: ProcCStates is Enabled, profile p wants Disabled or Off: "
	       "latency; "
	       "it is locked by another attribute");
	expect(&f, "n2", "bios.OldName", VERDICT_FAIL,
	       "MISMATCH: OldName is Disabled, profile p wants Enabled: renamed");
	expect(&f, "n2", "bios.profile", VERDICT_PASS,
	       "2 of 5 settings are as profile p wants");
	expect(&f, "n3", "bios.LogicalProc", VERDICT_FAIL,
	       "MISMATCH: LogicalProc is null, profile p wants Disabled: no SMT");
	expect(&f, "n3", "bios.NumaNodesPerSocket", VERDICT_WARN,
	       "ABSENT: NumaNodesPerSocket is not an attribute of this board, profile p "
	       "wants 4: bandwidth");
	expect(&f, "n5", "bios.SysProfile", VERDICT_WARN,
	       "ABSENT: SysProfile is not among the settings that racadm was asked for, "
	       "profile p wants PerfOptimized: fast");
	expect(&f, "n4", "bios.read", VERDICT_ERROR,
	       "UNREADABLE: redfish: BMC busy: no free session");
	assert_string_equal(fixture_verdict(&f, "bios", "bios.read", "n4")->cause, "bmc");
	assert_int_equal(count(&f, "n4"), 1);
	assert_int_equal(f.summary.exit, 1);
	fixture_release(&f);
}

static void an_empty_set_is_never_good(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f, "[\"n1\"]", "p", "[]");
	add(&f, "n1", "redfish", "", "");
	judge_bios(&f);
	expect(&f, "n1", "bios.read", VERDICT_ERROR,
	       "UNREADABLE: redfish: no BIOS attributes returned");
	assert_int_equal(f.summary.exit, 3);
	fixture_release(&f);
}

static void a_system_that_shows_nothing_is_never_good(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f, "[\"n1\"]", NULL, "[]");
	add(&f, "n1", "os", "", ",\"error\":\"a virtual machine\"");
	judge_bios(&f);
	expect(&f, "n1", "bios.read", VERDICT_ERROR, "UNREADABLE: os: a virtual machine");
	assert_int_equal(f.summary.exit, 3);
	fixture_release(&f);
}

static void a_pending_change_says_what_applies_it(void **unused)
{
	static const char *const jobs[][2] = {
		{",\"job\":{\"id\":\"JID_1\",\"state\":\"Scheduled\"}",
		 "BIOS job JID_1 is Scheduled: reboot, then check again"},
		{",\"job\":{}", "no job is queued: a reboot will not apply it"},
		{"", "reboot needed"},
	};

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		struct fixture f;
		char why[200];

		start(&f, "[\"n1\"]", "p", i ? "[]" : "[\"bios\"]");
		add(&f, "n1", "redfish",
		    "\"SysProfile\":\"PerfOptimized\",\"NumaNodesPerSocket\":\"4\","
		    "\"ProcCStates\":\"Disabled\",\"LogicalProc\":{\"current\":"
		    "\"Disabled\",\"pending\":\"Enabled\",\"state\":\"rw\"}",
		    jobs[i][0]);
		judge_bios(&f);
		(void)snprintf(why, sizeof(why),
			       "PENDING: LogicalProc is Disabled, pending is Enabled; %s",
			       jobs[i][1]);
		/* where the plan requires it, what waits is not there */
		expect(&f, "n1", "bios.LogicalProc", i ? VERDICT_WARN : VERDICT_FAIL,
		       why);
		assert_int_equal(f.summary.exit, i ? 0 : 1);
		fixture_release(&f);
	}
}

static void values_that_match_may_still_wait_for_a_job(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f, "[\"n1\"]", "p", "[]");
	add(&f, "n1", "redfish",
	    "\"SysProfile\":\"PerfOptimized\",\"NumaNodesPerSocket\":\"4\","
	    "\"ProcCStates\":\"Off\",\"LogicalProc\":{\"current\":\"Disabled\","
	    "\"pending\":\"Disabled\",\"state\":\"rw\"}",
	    ",\"job\":{\"id\":\"JID_TEST1\",\"state\":\"Scheduled\"}");
	judge_bios(&f);
	expect(&f, "n1", "bios.LogicalProc", VERDICT_WARN,
	       "PENDING: LogicalProc is Disabled as wanted, but pending as well; BIOS "
	       "job "
	       "JID_TEST1 is Scheduled: reboot, then check again");
	assert_int_equal(f.summary.word, VERDICT_WARN);
	fixture_release(&f);
}

static void the_running_system_contradicts(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f, "[\"n1\"]", "p", "[]");
	add(&f, "n1", "redfish", GOOD ",\"IommuSupport\":\"Disabled\"", "");
	add(&f, "n1", "os",
	    "\"NumaNodesPerSocket\":\"1\",\"LogicalProc\":\"Disabled\","
	    "\"CcxAsNumaDomain\":null,\"IommuSupport\":\"Enabled\",\"os.governor\":\"x\"",
	    "");
	judge_bios(&f);
	expect(&f, "n1", "bios.NumaNodesPerSocket", VERDICT_FAIL,
	       "CONTRADICTED: NumaNodesPerSocket: BIOS says 4, the running system shows "
	       "1, "
	       "profile p wants 4");
	expect(&f, "n1", "bios.IommuSupport", VERDICT_FAIL,
	       "CONTRADICTED: IommuSupport: BIOS says Disabled, the running system shows "
	       "Enabled");
	assert_int_equal(f.summary.exit, 1);
	fixture_release(&f);
}

static void without_a_bmc_the_system_is_what_there_is(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f, "[\"n1\",\"n2\"]", "p", "[]");
	add(&f, "n1", "os", "\"LogicalProc\":\"Enabled\",\"NumaNodesPerSocket\":\"4\"",
	    "");
	add(&f, "n2", "os", "\"os.governor\":\"performance\"", "");
	judge_bios(&f);
	expect(&f, "n1", "bios.LogicalProc", VERDICT_FAIL,
	       "MISMATCH: LogicalProc is Enabled, profile p wants Disabled: no SMT; seen "
	       "in "
	       "the running system");
	expect(&f, "n1", "bios.profile", VERDICT_PASS,
	       "1 of 2 settings are as profile p wants, as the running system shows "
	       "them");
	assert_int_equal(count(&f, "n2"), 0);
	fixture_release(&f);
}

static void values_count_as_the_same_with_a_remark(void **unused)
{
	static const struct {
		const char *value, *wanted, *shown;
		bool literal;
		int same;
		const char *remark;
	} cases[] = {
		{"Enabled", "Enabled", NULL, false, 0, NULL},
		{"AMD EPYC 7763 64-Core Processor                ",
		 "AMD EPYC 7763 64-Core Processor", NULL, false, 0, NULL},
		{"Xeon(R) CPU           X7550  @ 2.00GHz", "Xeon(R) CPU X7550 @ 2.00GHz",
		 NULL, false, 0, NULL},
		{"enabled", "Enabled", NULL, false, 0, "in other letters than wanted"},
		{"64", "064", NULL, true, 0, "the wanted number in other digits"},
		{"1.1", "1.10", NULL, false, -1, NULL},
		{"1.1", "1.10", NULL, true, 0, "the wanted number in other digits"},
		{"Enabled", "On", NULL, false, -1, NULL},
		{"Enabled", "On", "On", false, 0, "which its registry shows as wanted"},
		{"Off", "false", NULL, false, -1, NULL},
		{"AMD EPYC 9654P", "AMD EPYC 9654", NULL, false, -1, NULL},
		{"", "Enabled", NULL, false, -1, NULL},
		{NULL, "null", NULL, false, -1, NULL},
		{NULL, "", NULL, false, -1, NULL},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct setting_value v = {cases[i].value, cases[i].literal};
		const char *remark;

		if (bios_same(&v, cases[i].shown, cases[i].wanted, &remark) !=
		    cases[i].same)
			fail_msg("case %zu", i);
		if (cases[i].remark)
			assert_string_equal(remark, cases[i].remark);
		else
			assert_null(remark);
	}
}

static void without_a_profile_the_odd_one_is_named(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f, "[\"n1\",\"n2\",\"n3\",\"n4\"]", NULL, "[]");
	for (int i = 1; i <= 4; i++) {
		char node[8], attributes[300];

		(void)snprintf(node, sizeof(node), "n%d", i);
		(void)snprintf(attributes, sizeof(attributes),
			       "\"NumLock\":\"%d\",\"SystemServiceTag\":\"T%d\","
			       "\"SystemBiosVersion\":\"%s\",\"Split\":\"%d\"%s",
			       i, i, i == 3 ? "2.6.5" : "2.6.7", i / 3,
			       i == 2 ? "" : ",\"ApbDis\":\"Disabled\"");
		add(&f, node, "scp-xml", attributes, "");
	}
	judge_bios(&f);
	expect(&f, "n1", "bios.fleet", VERDICT_PASS,
	       "none of 3 settings is unlike those of 4 like nodes");
	expect(&f, "n2", "bios.ApbDis", VERDICT_WARN,
	       "ODD: ApbDis is absent, Disabled on 3 of 4 like nodes");
	expect(&f, "n2", "bios.fleet", VERDICT_PASS,
	       "2 of 3 settings are not unlike those of 4 like nodes");
	assert_int_equal(f.summary.exit, 0);
	expect(&f, "n3", "bios.SystemBiosVersion", VERDICT_WARN,
	       "ODD: SystemBiosVersion is 2.6.5, 2.6.7 on 3 of 4 like nodes");
	assert_int_equal(count(&f, "n4"), 1);
	assert_int_equal(f.summary.n_remarks > 0, 1);
	for (size_t i = 0; i < f.summary.n_remarks; i++) {
		if (!strncmp(f.summary.remarks[i], "BIOS:", 5))
			assert_string_equal(f.summary.remarks[i],
					    "BIOS: Split has no usual value: 0 on "
					    "n[1-2], 1 on n[3-4]");
	}
	fixture_release(&f);
}

static void one_node_alone_is_compared_with_nothing(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f, "[\"n1\"]", NULL, "[]");
	add(&f, "n1", "redfish", GOOD, "");
	judge_bios(&f);
	expect(&f, "n1", "bios.fleet", VERDICT_UNJUDGED,
	       "4 settings are known, no profile is named, and there are not three like "
	       "nodes to compare");
	assert_int_equal(f.summary.exit, 3);
	fixture_release(&f);
}

static void a_setting_is_named_after_its_profile(void **unused)
{
	struct fixture f;
	struct bios_view v;

	(void)unused;
	start(&f, "[\"n1\",\"n2\",\"n3\"]", NULL, "[]");
	fixture_file(&f, "bios/s1.yaml",
		     "profile: s1\nsetting: true\nattributes:\n"
		     "  CcxAsNumaDomain: {want: Disabled, why: w}\n");
	fixture_file(&f, "bios/s2.yaml",
		     "profile: s2\nsetting: true\ninclude: s1\nattributes:\n"
		     "  MemoryInterleaving: {want: Auto, why: w}\n");
	add(&f, "n1", "redfish", "\"CcxAsNumaDomain\":\"Disabled\"", "");
	add(&f, "n2", "redfish",
	    "\"CcxAsNumaDomain\":\"Disabled\",\"MemoryInterleaving\":\"Auto\"", "");
	add(&f, "n3", "redfish", "\"CcxAsNumaDomain\":\"Enabled\"", "");
	fixture_config(&f);
	bios_view_make(&v, &f.state, f.config);
	assert_string_equal(v.nodes[0].setting, "s1");
	assert_string_equal(v.nodes[1].setting, "s2");
	assert_null(v.nodes[2].setting);
	bios_view_release(&v);
	fixture_release(&f);
}

static void a_profile_takes_over_what_it_includes(void **unused)
{
	struct fixture f;
	struct err e = {0};

	(void)unused;
	start(&f, "[\"n1\"]", "q", "[]");
	fixture_file(&f, "bios/q.yaml",
		     "profile: q\ninclude: p\nattributes:\n"
		     "  LogicalProc: {want: Enabled, severity: warn, why: cloud}\n");
	add(&f, "n1", "redfish", GOOD, "");
	judge_bios(&f);
	expect(&f, "n1", "bios.LogicalProc", VERDICT_WARN,
	       "MISMATCH: LogicalProc is Disabled, profile q wants Enabled: cloud");
	expect(&f, "n1", "bios.profile", VERDICT_PASS,
	       "3 of 4 settings are as profile q wants");
	fixture_release(&f);
	start(&f, "[\"n1\"]", "q", "[]");
	fixture_file(&f, "bios/q.yaml",
		     "profile: q\ninclude: nope\nattributes:\n"
		     "  A: {want: B, why: w}\n");
	assert_int_equal(fixture_load(&f, NULL, &e), -1);
	assert_non_null(strstr(e.msg, "q.yaml:2:10: 'include': no profile 'nope'"));
	fixture_release(&f);
	start(&f, "[\"n1\"]", "q", "[]");
	fixture_file(&f, "bios/q.yaml",
		     "profile: q\ninclude: q\nattributes:\n"
		     "  A: {want: B, why: w}\n");
	assert_int_equal(fixture_load(&f, NULL, &e), -1);
	assert_non_null(strstr(e.msg, "'include': 'q' includes itself"));
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_are_compared_with_the_profile),
		cmocka_unit_test(an_empty_set_is_never_good),
		cmocka_unit_test(a_system_that_shows_nothing_is_never_good),
		cmocka_unit_test(a_pending_change_says_what_applies_it),
		cmocka_unit_test(values_that_match_may_still_wait_for_a_job),
		cmocka_unit_test(the_running_system_contradicts),
		cmocka_unit_test(without_a_bmc_the_system_is_what_there_is),
		cmocka_unit_test(values_count_as_the_same_with_a_remark),
		cmocka_unit_test(without_a_profile_the_odd_one_is_named),
		cmocka_unit_test(one_node_alone_is_compared_with_nothing),
		cmocka_unit_test(a_setting_is_named_after_its_profile),
		cmocka_unit_test(a_profile_takes_over_what_it_includes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
