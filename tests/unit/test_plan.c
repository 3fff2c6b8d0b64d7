/* SPDX-License-Identifier: Apache-2.0 */
/* Plans and sites from YAML, --set, and kernel options against --describe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/plan.h"
#include "plan/site.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))
#define PLACES                                                                          \
	"all-threads, N-per-l3|domain|socket|node, one-per-l3|domain|socket|node|core " \
	"(or "                                                                          \
	"one-per-l3-xN: N threads each) or anywhere"

static char folder[] = "/tmp/assay-plan-XXXXXX";
static char file_path[64];

static int make_folder(void **unused)
{
	(void)unused;
	if (!mkdtemp(folder))
		return -1;
	(void)snprintf(file_path, sizeof(file_path), "%s/f.yaml", folder);
	return chdir(folder);
}

static int remove_folder(void **unused)
{
	(void)unused;
	(void)unlink(file_path);
	return chdir("/") || rmdir(folder);
}

static void write_file(const char *text)
{
	FILE *f = fopen("f.yaml", "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static struct plan loaded(const char *text)
{
	struct plan p;
	struct err e = {0};

	write_file(text);
	if (plan_load(&p, "f.yaml", &e))
		fail_msg("%s", e.msg);
	return p;
}

static const char good[] =
	"plan: acceptance\n"
	"limits: {time: 4h, rounds: 3, repeats: 2, step: 90s}\n"
	"requires: [facts.pcie, bios, stream.triad]\n"
	"stages:\n"
	"  - name: nodes\n"
	"    gate: true\n"
	"    at_once: one-per-chassis\n"
	"    steps:\n"
	"      - {kernel: stream, on: node, place: all-cores, ntimes: 20,\n"
	"         store: both}\n"
	"      - {kernel: stream, place: 1-per-l3, limit: 2m, estimate: 10s}\n"
	"      - kernel: numa\n"
	"        threads: [1, 2, 4]\n"
	"  - name: scaling\n"
	"    at_once: 4\n"
	"    steps:\n"
	"      - {kernel: hpl, name: weak, on: sets, sizes: [1, 2, all],\n"
	"         scaling: weak, memory: 0.5}\n";

static void a_plan_is_read_with_all_its_keys(void **unused)
{
	struct plan p = loaded(good);
	const struct plan_step *st = p.stages[0].steps;

	(void)unused;
	assert_string_equal(p.name, "acceptance");
	assert_string_equal(p.path, "f.yaml");
	assert_true(fabs(p.limits.time - 14400) < 1e-9);
	assert_true(fabs(p.limits.step - 90) < 1e-9);
	assert_int_equal(p.limits.rounds, 3);
	assert_int_equal(p.limits.repeats, 2);
	assert_int_equal(p.n_requires, 3);
	assert_string_equal(p.requires[2], "stream.triad");
	assert_string_equal(p.requires_where[2], "f.yaml:3:30");
	assert_int_equal(p.n_stages, 2);
	assert_true(p.stages[0].gate);
	assert_true(p.stages[0].one_per_chassis);
	assert_int_equal(p.stages[0].at_once, 0);
	assert_int_equal(p.stages[1].at_once, 4);
	assert_false(p.stages[1].one_per_chassis);
	assert_int_equal(p.stages[0].n_steps, 3);
	assert_string_equal(st[0].name, "stream-all-cores");
	assert_string_equal(st[0].where, "f.yaml:9:9");
	assert_int_equal(st[0].n_options, 2);
	assert_string_equal(st[0].options[0].name, "ntimes");
	assert_string_equal(st[0].options[0].value, "20");
	assert_string_equal(st[0].options[0].where, "f.yaml:9:54");
	assert_string_equal(st[1].name, "stream-1-per-l3");
	assert_true(fabs(st[1].limit - 120) < 1e-9 && fabs(st[1].estimate - 10) < 1e-9);
	assert_string_equal(st[2].name, "numa");
	assert_string_equal(st[2].place, "all-cores");
	assert_string_equal(st[2].options[0].value, "1,2,4");
	st = p.stages[1].steps;
	assert_string_equal(st->name, "weak");
	assert_int_equal(st->on, PLAN_ON_SETS);
	assert_int_equal(st->n_sizes, 3);
	assert_string_equal(st->sizes[2], "all");
	assert_int_equal(st->scaling, PLAN_SCALING_WEAK);
	assert_string_equal(st->options[0].name, "memory");
	plan_release(&p);
	plan_release(&p);
}

static void a_short_plan_has_the_documented_defaults(void **unused)
{
	struct plan p = loaded("plan: p\nrequires: []\n"
			       "stages: [{name: s, steps: [{kernel: stream}]}]\n");

	(void)unused;
	assert_true(p.limits.time < 1e-9);
	assert_true(fabs(p.limits.step - 600) < 1e-9);
	assert_int_equal(p.limits.rounds, 6);
	assert_int_equal(p.limits.repeats, 5);
	assert_int_equal(p.n_requires, 0);
	assert_int_equal(p.stages[0].at_once, 0);
	assert_false(p.stages[0].gate);
	assert_int_equal(p.stages[0].steps[0].on, PLAN_ON_NODE);
	plan_release(&p);
}

static void assert_plan_refused(const char *text, const char *message)
{
	struct plan p;
	struct err e = {0};

	write_file(text);
	if (!plan_load(&p, "f.yaml", &e))
		fail_msg("taken, expected: %s", message);
	assert_string_equal(e.msg, message);
	assert_int_equal(e.kind, ERR_USAGE);
	plan_release(&p);
}

static void a_wrong_plan_is_refused_with_its_place(void **unused)
{
#define STEP(text) "plan: p\nstages:\n- name: s\n  steps:\n  - " text "\n"
	(void)unused;
	assert_plan_refused("plan: p\n", "f.yaml:1:1: nothing to do: no key 'stages'");
	assert_plan_refused("plan: p\nstages: []\n",
			    "f.yaml:2:9: nothing to do: 'stages' is empty");
	assert_plan_refused("plan: p\nstages: [{name: s}]\n",
			    "f.yaml:2:10: nothing to do: no key 'steps'");
	assert_plan_refused("plan: p\nstages: [{name: s, steps: []}]\n",
			    "f.yaml:2:27: nothing to do: 'steps' is empty");
	assert_plan_refused("plan: p\nstages: {}\n",
			    "f.yaml:2:9: 'stages': a map, expected a list");
	assert_plan_refused("stages: []\n", "f.yaml:1:1: no key 'plan'");
	assert_plan_refused("plan: p q\n", "f.yaml:1:7: 'plan': bad name 'p q', expected "
					   "letters, digits and '._-', at most 64");
	assert_plan_refused("plan: p\nlimit: {time: 1h}\n",
			    "f.yaml:2:1: unknown key 'limit', did you mean 'limits'?");
	assert_plan_refused("plan: p\nlimits: {tme: 1h}\n",
			    "f.yaml:2:10: unknown key 'tme', did you mean 'time'?");
	assert_plan_refused(
		"plan: p\nlimits: {time: 3600}\n",
		"f.yaml:2:16: 'time': no unit in '3600', expected for example 90s, "
		"5m, 1h30m or 2d");
	assert_plan_refused(
		"plan: p\nlimits: {rounds: many}\n",
		"f.yaml:2:18: 'rounds': expected a whole number, found 'many'");
	assert_plan_refused("plan: p\nlimits: {rounds: 2}\nlimits: {rounds: 3}\n",
			    "f.yaml:3:1: duplicate key 'limits', first in line 2");
	assert_plan_refused("plan: p\nrequires: [bios, bios]\n",
			    "f.yaml:2:18: 'requires': 'bios' is there twice");
	assert_plan_refused(
		"plan: p\nrequires: [a b]\n",
		"f.yaml:2:12: 'requires': 'a b', expected a rule or a metric such "
		"as bios or stream.triad");
	assert_plan_refused("plan: p\nrequires: {a: b}\n",
			    "f.yaml:2:11: 'requires': a map, expected one value");
	assert_plan_refused("plan: p\nrequires:\n",
			    "f.yaml:2:1: no value given for 'requires'");
	assert_plan_refused(
		"plan: p\nstages: [{name: limits, steps: [{kernel: k}]}]\n",
		"f.yaml:2:17: 'limits' is no name for a stage: --set takes it for "
		"the plan's limits");
	assert_plan_refused(
		"plan: p\nstages: [{name: s, at_once: many}]\n",
		"f.yaml:2:29: 'at_once': 'many', expected all, one-per-chassis or "
		"1 to 64");
	assert_plan_refused(
		"plan: p\nstages: [{name: s, at_once: 65}]\n",
		"f.yaml:2:29: 'at_once': '65', expected all, one-per-chassis or 1 "
		"to 64");
	assert_plan_refused("plan: p\nstages: [{name: s, gate: yes}]\n",
			    "f.yaml:2:26: 'gate': expected true or false, found 'yes'");
	assert_plan_refused("plan: p\nstages: [{name: s, steps: [{kernel: k}]},\n"
			    "         {name: s, steps: [{kernel: k}]}]\n",
			    "f.yaml:3:10: a second stage 's'");
	assert_plan_refused(
		STEP("{kernel: k}\n  - {kernel: k}"),
		"f.yaml:6:5: a second step 'k' in stage 's', give it a 'name'");
	assert_plan_refused(STEP("{on: node}"), "f.yaml:5:5: no key 'kernel'");
	assert_plan_refused(STEP("stream"),
			    "f.yaml:5:5: text, expected a map of keys and values");
	assert_plan_refused(
		STEP("{kernel: ../k}"),
		"f.yaml:5:14: 'kernel': bad name '../k', expected letters, digits "
		"and '._-', at most 64");
	assert_plan_refused(
		STEP("{kernel: k, on: nodes}"),
		"f.yaml:5:21: 'on': unknown word 'nodes', did you mean 'node'?");
	assert_plan_refused(
		STEP("{kernel: k, place: 0-per-l3}"),
		"f.yaml:5:24: unknown place '0-per-l3', expected all-cores, " PLACES);
	assert_plan_refused(
		STEP("{kernel: k, place: 2-per-core}"),
		"f.yaml:5:24: unknown place '2-per-core', expected all-cores, " PLACES);
	assert_plan_refused(
		STEP("{kernel: k, sizes: [1, 0]}"),
		"f.yaml:5:28: 'sizes': '0', expected a number of nodes or all");
	assert_plan_refused(STEP("{kernel: k, store: {a: b}}"),
			    "f.yaml:5:24: 'store': a map, expected one value");
	assert_plan_refused(STEP("{kernel: k, store: ~}"),
			    "f.yaml:5:17: no value given for 'store'");
	assert_plan_refused(STEP("{kernel: k, '--x': 1}"),
			    "f.yaml:5:17: unknown key '--x'");
#undef STEP
}

static void every_place_of_the_design_is_taken(void **unused)
{
	static const char *const places[] = {"all-cores",      "1-per-l3",
					     "16-per-node",    "2-per-domain",
					     "one-per-domain", "anywhere"};

	(void)unused;
	for (size_t i = 0; i < N_OF(places); i++) {
		char text[200];
		struct plan p;

		(void)snprintf(
			text, sizeof(text),
			"plan: p\nstages: [{name: s, steps: [{kernel: k, place: %s}]}]\n",
			places[i]);
		p = loaded(text);
		assert_string_equal(p.stages[0].steps[0].place, places[i]);
		plan_release(&p);
	}
}

static void set_changes_stages_limits_and_kernels(void **unused)
{
	static const char *const sets[] = {
		"nodes.at_once=1",  "nodes.gate=false",      "nodes.limit=30s",
		"limits.time=1h",   "limits.repeats=0",      "stream.size=64M",
		"stream.ntimes=3",  "scaling.sizes=[1, 2]",  "scaling.place=2-per-node",
		"stream.label=a=b", "scaling.scaling=strong"};
	struct plan p = loaded(good);
	const struct plan_step *st = p.stages[0].steps;
	struct err e = {0};

	(void)unused;
	for (size_t i = 0; i < N_OF(sets); i++) {
		if (plan_set(&p, sets[i], &e))
			fail_msg("%s", e.msg);
	}
	assert_int_equal(p.stages[0].at_once, 1);
	assert_false(p.stages[0].one_per_chassis);
	assert_false(p.stages[0].gate);
	assert_true(fabs(p.limits.time - 3600) < 1e-9);
	assert_int_equal(p.limits.repeats, 0);
	for (size_t i = 0; i < 3; i++)
		assert_true(fabs(st[i].limit - 30) < 1e-9);
	assert_int_equal(st[0].n_options, 4);
	assert_string_equal(st[0].options[0].value, "3");
	assert_string_equal(st[0].options[0].where, "--set stream.ntimes");
	assert_string_equal(st[0].options[2].value, "64M");
	assert_string_equal(st[0].options[3].value, "a=b");
	assert_int_equal(st[1].n_options, 3);
	assert_int_equal(st[2].n_options, 1); /* another kernel */
	assert_int_equal(p.stages[1].steps[0].n_sizes, 2);
	assert_string_equal(p.stages[1].steps[0].place, "2-per-node");
	assert_int_equal(p.stages[1].steps[0].scaling, PLAN_SCALING_STRONG);
	plan_release(&p);
}

static void a_wrong_set_is_refused_with_a_suggestion(void **unused)
{
	static const struct {
		const char *set, *message;
	} cases[] = {
		{"x", "'x', expected STAGE.key=value, KERNEL.option=value or "
		      "limits.key=value"},
		{"x=1", "'x=1', expected STAGE.key=value, KERNEL.option=value or "
			"limits.key=value"},
		{".x=1", "'.x=1', expected STAGE.key=value, KERNEL.option=value or "
			 "limits.key=value"},
		{"x.=1", "'x.=1', expected STAGE.key=value, KERNEL.option=value or "
			 "limits.key=value"},
		{"",
		 "'', expected STAGE.key=value, KERNEL.option=value or limits.key=value"},
		{"stream.size=", "'stream.size=': no value given for 'size'"},
		{"strem.size=1", "'strem.size=1': no stage or kernel 'strem' in plan "
				 "'acceptance', did you mean 'stream'?"},
		{"zzzzzz.size=1",
		 "'zzzzzz.size=1': no stage or kernel 'zzzzzz' in plan 'acceptance'"},
		{"limits.tme=1",
		 "'limits.tme=1': unknown key 'tme', did you mean 'time'?"},
		{"limits.time=1", "'limits.time=1': 'time': no unit in '1', expected for "
				  "example 90s, 5m, 1h30m or 2d"},
		{"nodes.at_one=1",
		 "'nodes.at_one=1': unknown key 'at_one', did you mean 'at_once'?"},
		{"nodes.kernel=x",
		 "'nodes.kernel=x': unknown key 'kernel', expected gate, "
		 "at_once, on, place, limit, estimate, sizes, scaling"},
		{"nodes.at_once=0", "'nodes.at_once=0': 'at_once': '0', expected all, "
				    "one-per-chassis or 1 to 64"},
		{"nodes.place=x",
		 "'nodes.place=x': unknown place 'x', expected all-cores, " PLACES},
		{"scaling.sizes=[1",
		 "'scaling.sizes=[1':2:1: did not find expected ',' or ']'"},
		{"scaling.sizes=[0]",
		 "'scaling.sizes=[0]':1:2: 'sizes': '0', expected a number "
		 "of nodes or all"},
	};
	struct plan p = loaded(good);

	(void)unused;
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct err e = {0};

		if (!plan_set(&p, cases[i].set, &e))
			fail_msg("'%s' was taken", cases[i].set);
		assert_string_equal(e.msg, cases[i].message);
		assert_int_equal(e.kind, ERR_USAGE);
	}
	plan_release(&p);
}

static const char describe[] =
	"{\"kernel\":\"stream\",\"help\":\"h\",\"shape\":\"node\",\"build\":\"b\","
	"\"metrics\":[{\"name\":\"stream.triad\",\"unit\":\"B/s\"},"
	"{\"name\":\"stream.copy\",\"unit\":\"B/s\"}],"
	"\"options\":["
	"{\"name\":\"ntimes\",\"type\":\"int\",\"default\":\"10\"},"
	"{\"name\":\"size\",\"type\":\"size\",\"default\":\"auto\",\"choices\":[\"auto\"]"
	"},"
	"{\"name\":\"store\",\"type\":\"choice\",\"choices\":[\"nt\",\"plain\",\"both\"]}"
	","
	"{\"name\":\"seconds\",\"type\":\"time\"},"
	"{\"name\":\"latency\",\"type\":\"flag\"},"
	"{\"name\":\"label\",\"type\":\"text\"}]}";

static int checked(const char *options, const char *requires, struct err *e)
{
	char text[400];
	struct plan p;
	int rc;

	(void)snprintf(text, sizeof(text),
		       "plan: p\nrequires: [%s]\nstages:\n- name: s\n  steps:\n"
		       "  - {kernel: other, anything: goes}\n"
		       "  - {kernel: stream, %s}\n",
		       requires, options);
	p = loaded(text);
	rc = plan_check_options(&p, "stream", describe, e);
	plan_release(&p);
	return rc;
}

static void options_are_checked_against_what_the_kernel_says(void **unused)
{
	static const char *const fine[] = {
		"ntimes: 20, size: 64M, store: both, seconds: 5, latency: yes, label: "
		"any",
		"size: auto",
		"size: 4294967296",
		"seconds: 1m30s",
	};
	static const struct {
		const char *options, *message;
	} wrong[] = {
		{"plce: all-cores",
		 "f.yaml:7:22: unknown key 'plce', did you mean 'place'?"},
		{"ntime: 3", "f.yaml:7:22: unknown key 'ntime', did you mean 'ntimes'?"},
		{"cpuset: 0-3",
		 "f.yaml:7:22: unknown key 'cpuset', kernel 'stream' has no such "
		 "option (assay-stream --help)"},
		{"ntimes: ten",
		 "f.yaml:7:22: 'ntimes': expected a whole number, found 'ten'"},
		{"ntimes: 99999999999999999999",
		 "f.yaml:7:22: 'ntimes': expected a whole "
		 "number, found '99999999999999999999'"},
		{"size: 12 MBs",
		 "f.yaml:7:22: 'size': unknown unit in '12 MBs', expected bytes "
		 "such as 4294967296, 64M, 4G, 4GiB or 4GB, or auto"},
		{"store: non",
		 "f.yaml:7:22: 'store': unknown word 'non', expected nt, plain or both"},
		{"store: bth",
		 "f.yaml:7:22: 'store': unknown word 'bth', did you mean 'both'?"},
		{"seconds: 5 parsecs",
		 "f.yaml:7:22: 'seconds': bad time '5 parsecs', expected "
		 "for example 90s, 5m, 1h30m or 2d"},
		{"latency: on", "f.yaml:7:22: 'latency': expected yes or no, found 'on'"},
	};
	struct err e = {0};

	(void)unused;
	for (size_t i = 0; i < N_OF(fine); i++) {
		if (checked(fine[i], "stream.triad, bios", &e))
			fail_msg("%s", e.msg);
	}
	for (size_t i = 0; i < N_OF(wrong); i++) {
		assert_int_equal(checked(wrong[i].options, "", &e), -1);
		assert_string_equal(e.msg, wrong[i].message);
		assert_int_equal(e.kind, ERR_USAGE);
	}
	assert_int_equal(checked("ntimes: 1", "bios, stream.triadd", &e), -1);
	assert_string_equal(e.msg,
			    "f.yaml:2:18: 'requires': kernel 'stream' has no metric "
			    "'stream.triadd', did you mean 'stream.triad'?");
}

static void a_kernel_that_describes_itself_as_nothing_is_refused(void **unused)
{
	static const char *const bad[] = {
		"", "[]", "{}", "{\"kernel\":\"stream\"}",
		"{\"kernel\":\"hpl\",\"options\":[],\"metrics\":[]}"};
	struct plan p = loaded(good);
	struct err e = {0};

	(void)unused;
	for (size_t i = 0; i < N_OF(bad); i++) {
		assert_int_equal(plan_check_options(&p, "stream", bad[i], &e), -1);
		assert_string_equal(e.msg,
				    "kernel 'stream' does not describe itself as one");
		assert_int_equal(e.kind, ERR_SYSTEM);
	}
	plan_release(&p);
}

static const char sized[] =
	"{\"kernel\":\"hpl\",\"metrics\":[],\"options\":[{\"name\":\"n\",\"type\":"
	"\"int\","
	"\"choices\":[\"auto\"]},{\"name\":\"hpl-dat\",\"type\":\"file\",\"choices\":"
	"[\"none\"]}],\"fit\":{\"options\":[\"n\"],\"file\":\"hpl-dat\"}}";

/* The options of the only step after the check, "n=5 memory=0.1"; or why it is refused.
 */
static const char *sized_by(const char *options, const char *set)
{
	static char text[1200];
	struct err e = {0};
	struct plan p;

	(void)snprintf(text, sizeof(text),
		       "plan: p\nstages:\n- name: s\n  steps:\n  - {kernel: hpl%s}\n",
		       options);
	p = loaded(text);
	text[0] = '\0';
	if ((set && plan_set(&p, set, &e)) || plan_check_options(&p, "hpl", sized, &e)) {
		(void)snprintf(text, sizeof(text), "%s", e.msg);
	} else {
		const struct plan_step *st = &p.stages[0].steps[0];

		for (size_t i = 0; i < st->n_options; i++) {
			const size_t len = strlen(text);

			(void)snprintf(text + len, sizeof(text) - len, "%s%s=%s",
				       len ? " " : "", st->options[i].name,
				       st->options[i].value);
		}
	}
	plan_release(&p);
	return text;
}

static void a_size_is_said_once_and_the_command_line_wins(void **unused)
{
	static const struct {
		const char *options, *set, *want;
	} t[] = {
		{", n: 100, memory: 10 %", NULL,
		 "f.yaml:5:27: 'n' and 'memory' are both given: each says the size, "
		 "leave "
		 "one out"},
		{", memory: 10 %, n: auto", NULL, "memory=10 % n=auto"},
		{", memory: 10 %", "hpl.n=100", "n=100"},
		{", n: 100", "hpl.memory=10%", "memory=10%"},
		{", n: 100", "hpl.hpl-dat=/dev/null",
		 "--set hpl.hpl-dat: 'hpl-dat': '/dev/null' is no file that can be read"},
		{", memory: 0.001 %", NULL,
		 "f.yaml:5:19: 'memory': '0.001 %', expected a share such as 0.8 or 80 "
		 "%, "
		 "of at least 0.1 %"},
	};

	(void)unused;
	for (size_t i = 0; i < N_OF(t); i++)
		assert_string_equal(sized_by(t[i].options, t[i].set), t[i].want);
}

/* The test runs in a folder of its own, where the plan is as well. */
static void a_file_is_the_plan_s_neighbour_and_must_be_there(void **unused)
{
	char here[512], want[700];

	(void)unused;
	assert_non_null(getcwd(here, sizeof(here)));
	(void)unlink("HPL.dat");
	(void)snprintf(want, sizeof(want),
		       "f.yaml:5:19: 'hpl-dat': '%s/HPL.dat' is no file that can be read",
		       here);
	assert_string_equal(sized_by(", hpl-dat: HPL.dat", NULL), want);
	(void)fclose(fopen("HPL.dat", "w"));
	(void)snprintf(want, sizeof(want), "hpl-dat=%s/HPL.dat", here);
	assert_string_equal(sized_by(", hpl-dat: HPL.dat", NULL), want);
	assert_string_equal(sized_by(", memory: 10 %", "hpl.hpl-dat=HPL.dat"), want);
	assert_string_equal(sized_by(", hpl-dat: HPL.dat, memory: 10 %", NULL),
			    "f.yaml:5:37: 'hpl-dat' and 'memory' are both given: each "
			    "says the size, leave one out");
	(void)unlink("HPL.dat");
}

static void note_size(void *ctx, const char *text, bool all)
{
	(void)snprintf(ctx, 300, "%s%s", text, all ? " (all)" : "");
}

static void sets_larger_than_the_nodes_are_said(void **unused)
{
	static const struct {
		const char *sizes;
		int rc;
		const char *said;
	} t[] = {
		{"[1, 4]", 0, ""},
		{"[1, 8, 16, all]", 0,
		 "stage s, step hpl: 'sizes': 8, 16 are above the 4 nodes there are "
		 "(all)"},
		{"[2, 8]", 0,
		 "stage s, step hpl: 'sizes': 8 is above the 4 nodes there are"},
		{"[8]", -1,
		 "f.yaml:4:11: stage s, step hpl: 'sizes': 8 is above the 4 nodes there "
		 "are, and no other is given"},
	};

	(void)unused;
	for (size_t i = 0; i < N_OF(t); i++) {
		char text[300], said[300] = "";
		struct err e = {0};
		struct plan p;

		(void)snprintf(text, sizeof(text),
			       "plan: p\nstages:\n- name: s\n  steps: [{kernel: hpl, on: "
			       "sets, sizes: %s}]\n",
			       t[i].sizes);
		p = loaded(text);
		assert_int_equal(plan_check_nodes(&p, 4, note_size, said, &e), t[i].rc);
		assert_string_equal(t[i].rc ? e.msg : said, t[i].said);
		plan_release(&p);
	}
}

static void pairs_are_refused_by_name(void **unused)
{
	static const char *const texts[][2] = {
		{"plan: p\nstages:\n- name: s\n  steps: [{kernel: stream, on: pairs}]\n",
		 "f.yaml:4:11: step 'stream': 'on: pairs' is for kernels that measure "
		 "pairs in rounds, expected kernel 'net' with 'test: pairs'"},
	};
	struct err e = {0};

	(void)unused;
	for (size_t i = 0; i < N_OF(texts); i++) {
		struct plan p = loaded(texts[i][0]);

		assert_int_equal(plan_check_options(&p, "stream", describe, &e), -1);
		assert_int_equal(e.kind, ERR_USAGE);
		assert_string_equal(e.msg, texts[i][1]);
		plan_release(&p);
	}
}

static void memory_is_a_share_for_kernels_that_say_how_they_grow(void **unused)
{
	static const char says[] =
		"{\"kernel\":\"hpcg\",\"metrics\":[],\"options\":[],\"fit\":{}}";
	static const char nothing[] =
		"{\"kernel\":\"hpcg\",\"metrics\":[],\"options\":[]}";
	static const char *const values[] = {"0.5", "30 %", "0", "1.5", "80", "half"};

	(void)unused;
	for (size_t i = 0; i < N_OF(values); i++) {
		struct err e = {0};
		struct plan p =
			loaded("plan: p\nstages: [{name: s, steps: [{kernel: hpcg, "
			       "memory: 0.3}]}]\n");

		p.stages[0].steps[0].options[0].value = values[i];
		assert_int_equal(plan_check_options(&p, "hpcg", says, &e),
				 i < 2 ? 0 : -1);
		if (i >= 2)
			assert_non_null(strstr(e.msg, "expected a share such as 0.8"));
		assert_int_equal(plan_check_options(&p, "hpcg", nothing, &e), -1);
		plan_release(&p);
	}
}

static void a_set_option_is_checked_like_one_in_the_file(void **unused)
{
	struct plan p =
		loaded("plan: p\nstages: [{name: s, steps: [{kernel: stream}]}]\n");
	struct err e = {0};

	(void)unused;
	assert_int_equal(plan_set(&p, "stream.ntmes=3", &e), 0);
	assert_int_equal(plan_check_options(&p, "stream", describe, &e), -1);
	assert_string_equal(e.msg,
			    "--set stream.ntmes: unknown key 'ntmes', did you mean "
			    "'ntimes'?");
	plan_release(&p);
}

static struct site loaded_site(const char *text)
{
	struct site s;
	struct err e = {0};

	write_file(text);
	if (site_load(&s, "./f.yaml", &e))
		fail_msg("%s", e.msg);
	return s;
}

static void a_site_is_read_with_all_its_keys(void **unused)
{
	struct site s = loaded_site(
		"site: rack17\n"
		"nodes: c[001-064]\n"
		"remote_agent: rsh -n\n"
		"mpi: {args: [--mca, pml, ucx], env: {UCX_NET_DEVICES: \"mlx5_0:1\"}}\n"
		"fabric: {transport: ib, rate: 200 Gb/s,\n"
		"         groups: {leaf1: \"c[001-032]\", leaf2: [\"c[033-063]\", "
		"c064]}}\n"
		"chassis: {every: 4}\n"
		"bmc: {address: \"{node}-idrac\", source: redfish, credentials: "
		"idrac.cred,\n"
		"      ca: /etc/ca.pem, profile: milan-hpc}\n"
		"expect: {cpu: AMD EPYC 7713, sockets: 2, memory: 512 GiB, hca_rate: 200 "
		"Gb/s}\n"
		"min_deviation: {default: 5 %, stream.triad: 0.03}\n"
		"facts: {c001: saved/c001.json, '*': /all.json}\n"
		"binding: true\n");

	(void)unused;
	assert_string_equal(s.name, "rack17");
	assert_int_equal(s.n_nodes, 64);
	assert_string_equal(s.nodes[63], "c064");
	assert_string_equal(s.remote_agent, "rsh -n");
	assert_int_equal(s.n_mpi_args, 3);
	assert_string_equal(s.mpi_env[0].value, "mlx5_0:1");
	assert_string_equal(s.fabric.transport, "ib");
	assert_true(fabs(s.fabric.rate - 25e9) < 1);
	assert_int_equal(s.fabric.n_groups, 2);
	assert_string_equal(s.fabric.groups[1].name, "leaf2");
	assert_int_equal(s.fabric.groups[1].n_nodes, 32);
	assert_int_equal(s.chassis_every, 4);
	assert_string_equal(s.bmc.address, "{node}-idrac");
	assert_string_equal(s.bmc.credentials, "./idrac.cred");
	assert_string_equal(s.bmc.ca, "/etc/ca.pem");
	assert_string_equal(s.bmc.profile, "milan-hpc");
	assert_int_equal(s.n_expect, 4);
	assert_string_equal(s.expect[2].key, "memory");
	assert_string_equal(s.expect[2].value, "512 GiB");
	assert_string_equal(s.expect[2].where, "./f.yaml:10:50");
	assert_int_equal(s.n_min_deviation, 2);
	assert_true(fabs(strtod(s.min_deviation[0].value, NULL) - 0.05) < 1e-15);
	assert_string_equal(s.min_deviation[1].key, "stream.triad");
	assert_int_equal(s.n_facts, 2);
	assert_string_equal(s.facts[0].key, "c001");
	assert_string_equal(s.facts[0].value, "./saved/c001.json");
	assert_string_equal(s.facts[1].key, "*");
	assert_string_equal(s.facts[1].value, "/all.json");
	assert_true(s.binding);
	site_release(&s);
	site_release(&s);
}

static void every_key_of_a_site_is_optional(void **unused)
{
	struct site s = loaded_site("binding: false\nfacts: all.json\n");
	struct err e = {0};

	(void)unused;
	assert_string_equal(s.name, "f");
	assert_int_equal(s.n_nodes, 0);
	assert_string_equal(s.remote_agent,
			    "ssh -n -o BatchMode=yes -o ConnectTimeout=5");
	assert_null(s.fabric.transport);
	assert_string_equal(s.facts[0].key, "*");
	assert_string_equal(s.facts[0].value, "./all.json");
	site_release(&s);
	assert_int_equal(site_load(&s, NULL, &e), 0);
	assert_string_equal(s.name, "this machine");
	assert_null(s.path);
	assert_int_equal(s.n_nodes, 0);
	site_release(&s);
}

static void a_wrong_site_is_refused_with_its_place(void **unused)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"site: x\nnods: a\n",
		 "f.yaml:2:1: unknown key 'nods', did you mean 'nodes'?"},
		{"nodes: a[1-\n",
		 "f.yaml:1:8: 'nodes': hostlist 'a[1-': column 5: expected a number"},
		{"nodes: []\n", "f.yaml:1:8: 'nodes': empty list"},
		{"remote_agent: '  '\n",
		 "f.yaml:1:15: 'remote_agent': blank, expected a command"},
		{"mpi: {env: {A-B: 1}}\n",
		 "f.yaml:1:13: bad name of a variable 'A-B', expected "
		 "letters, digits and '_'"},
		{"mpi: {env: {1A: 1}}\n",
		 "f.yaml:1:13: bad name of a variable '1A', expected "
		 "letters, digits and '_'"},
		{"fabric: {transport: wifi}\n",
		 "f.yaml:1:21: 'transport': unknown word 'wifi', "
		 "expected ib, roce, opa, tcp or ethernet"},
		{"fabric: {rate: 200}\n", "f.yaml:1:16: 'rate': no unit in '200', "
					  "expected kB/s, MB/s, GB/s, TB/s, KiB/s "
					  ".. TiB/s, kb/s, Mb/s or Gb/s"},
		{"fabric: {groups: {l1: a, l2: 'b,a'}}\n",
		 "f.yaml:1:30: node 'a' is in two groups"},
		{"fabric: {groups: {'l 1': a}}\n",
		 "f.yaml:1:19: bad name of a group 'l 1'"},
		{"chassis: {every: 0}\n",
		 "f.yaml:1:18: 'every': 0 is out of range, expected 1 to 1024"},
		{"nodes: 'a,b'\nbmc: {address: idrac}\n",
		 "f.yaml:2:16: 'address': one address for 2 nodes, expected {node} in "
		 "it"},
		{"bmc: {address: '{nod}-idrac'}\n",
		 "f.yaml:1:16: 'address': only {node} can be filled in, found "
		 "'{nod}-idrac'"},
		{"bmc: {password: secret}\n",
		 "f.yaml:1:7: unknown key 'password', expected "
		 "address, source, credentials, ca, profile, files, agent, "
		 "pins, insecure, limit"},
		{"expect: {memroy: 512 GiB}\n",
		 "f.yaml:1:10: unknown key 'memroy', did you mean 'memory'?"},
		{"expect: {memory: 512}\n",
		 "f.yaml:1:18: 'memory': no unit in '512', expected "
		 "B, kB, MB, GB, TB, KiB, MiB, GiB or TiB"},
		{"expect: {sockets: two}\n",
		 "f.yaml:1:19: 'sockets': expected a whole number, found 'two'"},
		{"min_deviation: {default: 5}\n",
		 "f.yaml:1:26: 'default': '5' is out of range, "
		 "expected 0.0 % to 100.0 %"},
		{"min_deviation: {a b: 5 %}\n", "f.yaml:1:17: bad metric 'a b', expected "
						"default or a name such as stream.triad"},
		{"facts: {'a b': x}\n", "f.yaml:1:9: bad node name 'a b'"},
		{"facts: [x]\n", "f.yaml:1:8: 'facts': a list, expected a map"},
		{"binding: on\n",
		 "f.yaml:1:10: 'binding': expected true or false, found 'on'"},
		{"[]\n", "f.yaml:1:1: a list, expected a map of keys and values"},
	};

	(void)unused;
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct site s;
		struct err e = {0};

		write_file(cases[i].text);
		if (!site_load(&s, "f.yaml", &e))
			fail_msg("taken, expected: %s", cases[i].message);
		assert_string_equal(e.msg, cases[i].message);
		assert_int_equal(e.kind, ERR_USAGE);
		site_release(&s);
	}
}

/* Paths are absolute: the tests run in a folder of their own. */
static void shipped_plans_and_the_site_load(void **unused)
{
	static const struct {
		const char *name;
		size_t n_requires, n_stages;
		bool gate;
	} plans[] = {{"local", 0, 2, false},      {"node", 2, 3, true},
		     {"node-check", 2, 1, false}, {"acceptance", 5, 4, true},
		     {"scaling", 0, 2, false},    {"burn-in", 1, 4, false},
		     {"study", 1, 2, false},      {"net", 1, 3, false}};
	struct site s;
	struct err e = {0};

	(void)unused;
	for (size_t i = 0; i < N_OF(plans); i++) {
		struct plan p;
		char path[512];

		(void)snprintf(path, sizeof(path), "%s/configs/plans/%s.yaml", SOURCE_DIR,
			       plans[i].name);
		if (plan_load(&p, path, &e))
			fail_msg("%s", e.msg);
		assert_string_equal(p.name, plans[i].name);
		assert_int_equal(p.n_requires, plans[i].n_requires);
		assert_int_equal(p.n_stages, plans[i].n_stages);
		assert_int_equal(p.stages[0].gate, plans[i].gate);
		plan_release(&p);
	}
	if (site_load(&s, SOURCE_DIR "/configs/sites/example.yaml", &e))
		fail_msg("%s", e.msg);
	assert_int_equal(s.n_nodes, 64);
	site_release(&s);
}

static void the_preflight_stands_in_front_and_can_be_left_out(void **unused)
{
	struct plan p =
		loaded("plan: a\nstages:\n  - name: s\n    steps: [{kernel: k}]\n");
	struct err e = {0};

	(void)unused;
	assert_true(p.limits.preflight);
	plan_preflight(&p, 100);
	assert_int_equal(p.n_stages, 3);
	assert_string_equal(p.stages[0].name, "preflight");
	assert_string_equal(p.stages[0].steps[0].kernel, "fence");
	assert_string_equal(p.stages[1].name, "fabric");
	assert_string_equal(p.stages[1].steps[0].kernel, "transport");
	for (size_t i = 0; i < 2; i++) {
		assert_true(p.stages[i].gate);
		assert_int_equal(p.stages[i].steps[0].on, PLAN_ON_ALL);
		assert_string_equal(p.stages[i].steps[0].place, "anywhere");
	}
	assert_string_equal(p.stages[2].name, "s");
	/* they are stages like others */
	assert_int_equal(plan_set(&p, "preflight.limit=99s", &e), 0);
	assert_int_equal(plan_set(&p, "transport.ntimes=7", &e), 0);
	assert_true(p.stages[0].steps[0].limit == 99);
	assert_string_equal(p.stages[1].steps[0].options[0].value, "7");
	assert_int_equal(plan_set(&p, "limits.preflight=no", &e), -1); /* true or false */
	assert_int_equal(plan_set(&p, "limits.preflight=false", &e), 0);
	assert_false(p.limits.preflight);
	plan_no_preflight(&p);
	assert_int_equal(p.n_stages, 1);
	assert_string_equal(p.stages[0].name, "s");
	plan_release(&p);
}

static void a_plan_may_have_a_preflight_of_its_own(void **unused)
{
	struct plan p = loaded("plan: a\nlimits: {preflight: true}\nstages:\n"
			       "  - {name: fabric, steps: [{kernel: mine}]}\n"
			       "  - {name: s, steps: [{kernel: k}]}\n");

	(void)unused;
	plan_preflight(&p, 2);
	assert_int_equal(p.n_stages, 3);
	assert_string_equal(p.stages[0].name, "preflight");
	assert_string_equal(p.stages[1].steps[0].kernel, "mine");
	plan_no_preflight(&p);
	assert_int_equal(p.n_stages, 2);
	assert_string_equal(p.stages[0].steps[0].kernel, "mine");
	plan_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_is_read_with_all_its_keys),
		cmocka_unit_test(a_short_plan_has_the_documented_defaults),
		cmocka_unit_test(a_wrong_plan_is_refused_with_its_place),
		cmocka_unit_test(every_place_of_the_design_is_taken),
		cmocka_unit_test(set_changes_stages_limits_and_kernels),
		cmocka_unit_test(a_wrong_set_is_refused_with_a_suggestion),
		cmocka_unit_test(the_preflight_stands_in_front_and_can_be_left_out),
		cmocka_unit_test(a_plan_may_have_a_preflight_of_its_own),
		cmocka_unit_test(options_are_checked_against_what_the_kernel_says),
		cmocka_unit_test(a_kernel_that_describes_itself_as_nothing_is_refused),
		cmocka_unit_test(a_size_is_said_once_and_the_command_line_wins),
		cmocka_unit_test(a_file_is_the_plan_s_neighbour_and_must_be_there),
		cmocka_unit_test(sets_larger_than_the_nodes_are_said),
		cmocka_unit_test(pairs_are_refused_by_name),
		cmocka_unit_test(memory_is_a_share_for_kernels_that_say_how_they_grow),
		cmocka_unit_test(a_set_option_is_checked_like_one_in_the_file),
		cmocka_unit_test(a_site_is_read_with_all_its_keys),
		cmocka_unit_test(every_key_of_a_site_is_optional),
		cmocka_unit_test(a_wrong_site_is_refused_with_its_place),
		cmocka_unit_test(shipped_plans_and_the_site_load),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
