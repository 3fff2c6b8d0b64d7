/* SPDX-License-Identifier: Apache-2.0 */
/* Rule `facts`: nodes as the probe found them in, words and sentences out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/facts.h"
#include "judge_fixture.h"
#include "tree.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

#define MODELS                                                                   \
	"cpus:\n"                                                                \
	"  - {model: AMD EPYC 7713, generation: Milan, sockets: 2, cores: 64,\n" \
	"     l3: 256 MiB, base: 2 GHz, channels: 8, memory: 3200 MT/s,\n"       \
	"     flops_per_cycle: 16, status: certain, from: x}\n"                  \
	"  - {model: AMD EPYC 7352, generation: Rome, sockets: 2, cores: 24,\n"  \
	"     l3: 128 MiB, base: 2 GHz, channels: 8, memory: 3200 MT/s,\n"       \
	"     flops_per_cycle: 16, status: uncertain, from: x}\n"

/* A run of node n1 (or @nodes) at a site that expects @expect. */
static void start(struct fixture *f, const char *nodes, const char *requires,
		  const char *expect)
{
	fixture_init(f);
	fixture_file(f, "cpus.yaml", MODELS);
	fixture_line(f,
		     "{\"kind\":\"plan\",\"name\":\"test\",\"nodes\":%s,\"requires\":%s,"
		     "\"site\":{\"name\":\"s\",\"nodes\":3,\"expect\":%s}}",
		     nodes, requires, expect);
}

static void add_node(struct fixture *f, const char *node, const char *facts)
{
	fixture_line(f, "{\"kind\":\"node\",\"node\":\"%s\",\"facts\":%s}", node, facts);
}

static void judge_one(struct fixture *f, const char *requires, const char *expect,
		      const char *facts)
{
	start(f, "[\"n1\"]", requires, expect);
	add_node(f, "n1", facts);
	(void)fixture_judge(f);
}

/* The verdict @metric at @at (NULL: anywhere) has that word and reads like this. */
static const struct verdict *expect(const struct fixture *f, const char *metric,
				    const char *at, enum verdict_word word,
				    const char *why)
{
	for (size_t i = 0; i < f->summary.n_verdicts; i++) {
		const struct verdict *v = &f->summary.verdicts[i];

		if (strcmp(v->rule, "facts") != 0 || strcmp(v->metric, metric) != 0 ||
		    (at && (!v->at || !strstr(v->at, at))) || v->word != word)
			continue;
		if (strcmp(v->why, why) != 0)
			fail_msg("%s: '%s', expected '%s'", metric, v->why, why);
		return v;
	}
	fail_msg("no %s %s", verdict_name(word), metric);
	return NULL;
}

static void expect_none(const struct fixture *f, const char *metric)
{
	if (fixture_count(f, "facts", metric, NULL))
		fail_msg("there is a %s", metric);
}

/* What the probe makes of a recorded machine. free() it. */
static char *recorded(const char *name)
{
	struct topology *t;
	struct tree tree;
	struct err e = {0};
	json_t *facts;
	char *text;

	tree_load(&tree, name);
	assert_int_equal(topology_load(&t, &tree.io, &e), 0);
	facts = facts_gather(&tree.io, t, "");
	text = json_dumps(facts, JSON_COMPACT);
	json_decref(facts);
	topology_free(t);
	tree_remove(&tree);
	return text;
}

static void links_below_what_card_and_slot_can_do_fail(void **unused)
{
	char *facts = recorded("d03"); /* D03 */
	const struct verdict *v;
	struct fixture f;

	(void)unused;
	judge_one(&f, "[]", "{}", facts);
	v = expect(&f, "facts.pcie", "21:00.0", VERDICT_FAIL,
		   "21:00.0 (mlx5_0, PCIe Slot 1): 8 of 16 GT/s, x8 of x16 -> at most "
		   "about 7.9 of 31.5 GB/s");
	assert_float_equal(v->value.v, 7.88e9, 0.01e9);
	assert_float_equal(v->reference.v, 31.5e9, 0.02e9);
	assert_string_equal(v->unit, "B/s");
	assert_string_equal(v->node, "n1");
	/* more than its interface needs, so that it only wants a look */
	expect(&f, "facts.pcie", "a3:00.0", VERDICT_WARN,
	       "a3:00.0 (eno1, slot 7): link of the switch above it (a1:00.0): 16 GT/s, "
	       "x4 of x16 -> at most about 7.9 of 31.5 GB/s");
	expect(&f, "facts.pcie", NULL, VERDICT_PASS,
	       "41:00.0 (mlx5_1) 16 GT/s x16; 81:00.0 (mlx5_2) 16 GT/s x16, slot is "
	       "Gen4");
	assert_int_equal(fixture_count(&f, "facts", "facts.pcie", "n1"), 4);
	fixture_release(&f);
	free(facts);
}

#define LINK(now, width, max, max_width, port, port_width)                        \
	"\"links\":[{\"device\":\"0000:21:00.0\",\"now_speed\":" now              \
	",\"now_width\":" width ",\"max_speed\":" max ",\"max_width\":" max_width \
	",\"port_speed\":" port ",\"port_width\":" port_width "}]"
#define HCA_AT_21(rate)                                                                 \
	"\"hca\":{\"mlx5_0\":{\"pci\":\"0000:21:00.0\",\"ports\":[{\"port\":1,"         \
	"\"state\":\"ACTIVE\",\"layer\":\"InfiniBand\",\"width\":\"4X\",\"rate\":" rate \
	"}]}}"

/* One device at 21:00.0, and what its link gets. */
static const struct {
	const char *device, *others;
	enum verdict_word word;
	const char *why;
} links[] = {
	/* D03, the reports behind it: a slot of x16 with eight lanes */
	{LINK("8e9", "8", "8e9", "16", "8e9", "8"), HCA_AT_21("12.5e9"), VERDICT_WARN,
	 "21:00.0: 8 GT/s, x8 -> at most about 7.9 GB/s, its ports do 100 Gb/s "
	 "(12.5 GB/s)"},
	{LINK("8e9", "16", "16e9", "16", "16e9", "16"), HCA_AT_21("25e9"), VERDICT_FAIL,
	 "21:00.0: 8 of 16 GT/s, x16 -> at most about 15.8 of 31.5 GB/s"},
	{LINK("16e9", "8", "16e9", "16", "16e9", "16"), HCA_AT_21("25e9"), VERDICT_FAIL,
	 "21:00.0: 16 GT/s, x8 of x16 -> at most about 15.8 of 31.5 GB/s"},
	{LINK("2.5e9", "1", "32e9", "16", "64e9", "16"), HCA_AT_21("25e9"), VERDICT_FAIL,
	 "21:00.0: 2.5 of 32 GT/s, x1 of x16 -> at most about 0.2 of 63.0 GB/s"},
	/* an interface that has all it needs, and one that has not */
	{LINK("5e9", "1", "5e9", "2", "5e9", "2"),
	 "\"net\":{\"eno1\":{\"pci\":\"0000:21:00.0\",\"speed\":125e6}}", VERDICT_WARN,
	 "21:00.0: 5 GT/s, x1 of x2 -> at most about 0.5 of 1.0 GB/s"},
	{LINK("8e9", "8", "8e9", "16", "8e9", "16"),
	 "\"net\":{\"p1\":{\"pci\":\"0000:21:00.0\",\"carrier\":true,\"speed\":12.5e9}}",
	 VERDICT_FAIL, "21:00.0: 8 GT/s, x8 of x16 -> at most about 7.9 of 15.8 GB/s"},
	{LINK("8e9", "8", "8e9", "8", "16e9", "16"),
	 "\"net\":{\"p1\":{\"pci\":\"0000:21:00.0\",\"carrier\":false,\"speed\":12.5e9}}",
	 VERDICT_PASS, "21:00.0 8 GT/s x8"},
	/* a port that nobody could ask */
	{"\"links\":[{\"now_speed\":8e9,\"now_width\":16,\"max_speed\":16e9,"
	 "\"max_width\":16}]",
	 HCA_AT_21("25e9"), VERDICT_WARN,
	 "21:00.0: 8 of 16 GT/s, x16 -> at most about 15.8 of 31.5 GB/s; what the slot "
	 "can "
	 "do is not known"},
	{LINK("32e9", "16", "32e9", "16", "32e9", "16"), HCA_AT_21("50e9"), VERDICT_PASS,
	 "21:00.0 32 GT/s x16"},
	{LINK("16e9", "8", "32e9", "16", "16e9", "8"), HCA_AT_21("12.5e9"), VERDICT_PASS,
	 "21:00.0 16 GT/s x8, slot is Gen4, slot is x8"},
};

static void a_link_is_judged_by_both_of_its_ends(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < N(links); i++) {
		struct strbuf facts = {0};
		struct fixture f;

		strbuf_addf(&facts, "{\"pci\":{\"0000:21:00.0\":{%s}},%s}",
			    links[i].device, links[i].others);
		judge_one(&f, "[]", "{}", strbuf_str(&facts));
		expect(&f, "facts.pcie", NULL, links[i].word, links[i].why);
		strbuf_release(&facts);
		fixture_release(&f);
	}
}

static void a_link_that_cannot_be_read_is_skipped(void **unused)
{
	struct fixture f;

	(void)unused;
	judge_one(
		&f, "[]", "{}",
		"{\"pci\":{\"0000:61:00.0\":{\"class\":\"infiniband\"}},\"unreadable\":{"
		"\"pci.0000:61:00.0\":\"read '/sys/x': Permission denied\"}}");
	expect(&f, "facts.pcie", "61:00.0", VERDICT_SKIP, "61:00.0: no permission");
	fixture_release(&f);
	/* and is an error where the plan asks for it */
	judge_one(
		&f, "[\"facts.pcie\"]", "{}",
		"{\"pci\":{\"0000:61:00.0\":{\"class\":\"infiniband\"}},\"unreadable\":{"
		"\"pci.0000:61:00.0\":\"read '/sys/x': I/O error\"}}");
	expect(&f, "facts.pcie", "61:00.0", VERDICT_ERROR,
	       "required, but skipped: 61:00.0: not readable: read '/sys/x': I/O error");
	fixture_release(&f);
}

static void ports_that_have_a_link_must_be_active(void **unused)
{
	char *facts = recorded("d03");
	struct fixture f;

	(void)unused;
	judge_one(&f, "[]", "{\"hca_rate\":\"200 Gb/s\"}", facts);
	expect(&f, "facts.port", NULL, VERDICT_FAIL,
	       "mlx5_1 port 1 is INIT, not ACTIVE, with its link up: no subnet manager "
	       "has "
	       "set it up; mlx5_0 port 1 runs at 100 Gb/s (2X HDR), expected 200 Gb/s");
	fixture_release(&f);
	free(facts);
}

#define PORT(n, state, physical, layer, rate)                              \
	"{\"port\":" n ",\"state\":\"" state "\",\"physical\":\"" physical \
	"\",\"layer\":\"" layer "\",\"rate\":" rate ",\"width\":\"4X HDR\"}"
#define IB  "InfiniBand"
#define ETH "Ethernet"

static const struct {
	const char *ports, *expect;
	enum verdict_word word;
	const char *why;
} ports[] = {
	{PORT("1", "ACTIVE", "LinkUp", IB, "25e9"), "{}", VERDICT_PASS,
	 "a port 1 ACTIVE 200 Gb/s (4X HDR)"},
	{PORT("1", "ACTIVE", "LinkUp", IB, "25e9") "," PORT("2", "DOWN", "Polling", IB,
							    "0"),
	 "{\"hca_rate\":\"200 Gb/s\"}", VERDICT_PASS,
	 "a port 1 ACTIVE 200 Gb/s (4X HDR); a port 2 DOWN (Polling), taken as not "
	 "connected"},
	{PORT("1", "DOWN", "Polling", IB, "0"), "{}", VERDICT_FAIL,
	 "a port 1 is DOWN (Polling)"},
	{PORT("1", "ARMED", "LinkUp", IB, "25e9"), "{}", VERDICT_FAIL,
	 "a port 1 is ARMED, not ACTIVE, with its link up"},
	/* ports of Ethernet: only the site knows whether they are of use */
	{PORT("1", "DOWN", "Disabled", ETH, "0"), "{}", VERDICT_PASS,
	 "a port 1 DOWN (Disabled), taken as not connected"},
	{PORT("1", "DOWN", "Disabled", ETH, "0"), "{\"hca_rate\":\"100 Gb/s\"}",
	 VERDICT_FAIL, "no port is ACTIVE"},
	{PORT("1", "ACTIVE", "LinkUp", ETH, "3.125e9") "," PORT("2", "ACTIVE", "LinkUp",
								ETH, "12.5e9"),
	 "{\"hca_rate\":\"100 Gb/s\"}", VERDICT_PASS,
	 "a port 1 ACTIVE 25 Gb/s (4X HDR); a port 2 ACTIVE 100 Gb/s (4X HDR)"},
	{PORT("1", "ACTIVE", "LinkUp", ETH, "3.125e9"), "{\"hca_rate\":\"100 Gb/s\"}",
	 VERDICT_FAIL, "a port 1 runs at 25 Gb/s, expected 100 Gb/s"},
	/* beside a fabric of InfiniBand a port of Ethernet is the administrators' */
	{PORT("1", "ACTIVE", "LinkUp", IB, "25e9") "," PORT("2", "ACTIVE", "LinkUp", ETH,
							    "1.25e8"),
	 "{\"hca_rate\":\"200 Gb/s\"}", VERDICT_PASS,
	 "a port 1 ACTIVE 200 Gb/s (4X HDR)"},
};

static void ports_are_judged_by_their_kind_and_the_expected_rate(void **unused)
{
	struct fixture f;

	(void)unused;
	for (size_t i = 0; i < N(ports); i++) {
		struct strbuf facts = {0};

		strbuf_addf(&facts, "{\"hca\":{\"a\":{\"ports\":[%s]}}}", ports[i].ports);
		judge_one(&f, "[]", ports[i].expect, strbuf_str(&facts));
		expect(&f, "facts.port", NULL, ports[i].word, ports[i].why);
		strbuf_release(&facts);
		fixture_release(&f);
	}
	judge_one(&f, "[]", "{\"hca_rate\":\"200 Gb/s\"}", "{}");
	expect(&f, "facts.port", NULL, VERDICT_FAIL, "no adapter is there, expected one");
	fixture_release(&f);
	judge_one(&f, "[]", "{\"hca_rate\":\"200 Gb/s\"}",
		  "{\"unreadable\":{\"hca\":\"Permission denied\"}}");
	expect(&f, "facts.port", NULL, VERDICT_SKIP, "no permission");
	fixture_release(&f);
}

/* A node of two 7713 with these modules and so much memory. */
static void judge_modules(struct fixture *f, const char *cpu, const char *modules,
			  double total, const char *expected)
{
	start(f, "[\"n1\"]", "[]", expected);
	fixture_line(f,
		     "{\"kind\":\"node\",\"node\":\"n1\",\"facts\":{\"cpu\":{\"model\":"
		     "\"%s\",\"sockets\":2,\"cores\":128},\"virtual\":\"none\","
		     "\"memory\":{\"total\":%.0f},\"smbios\":{\"dimms\":[%s]}}}",
		     cpu, total * 0x1p30, modules);
	(void)fixture_judge(f);
}

#define MILAN  "AMD EPYC 7713 64-Core Processor"
#define GIB16  "17179869184"
#define A_TO_8 "\"A1\",\"A2\",\"A3\",\"A4\",\"A5\",\"A6\",\"A7\",\"A8\""
#define B_TO_8 "\"B1\",\"B2\",\"B3\",\"B4\",\"B5\",\"B6\",\"B7\",\"B8\""
#define OF(size, configured, slots)                                     \
	"{\"size\":" size                                               \
	",\"type\":\"DDR4\",\"speed\":3.2e9,\"configured\":" configured \
	",\"slots\":[" slots "]}"
#define EMPTY(slots) "{\"size\":0,\"slots\":[" slots "]}"

static const struct {
	const char *cpu, *modules, *expect;
	double total; /* GiB */
	enum verdict_word word;
	const char *why;
} modules[] = {
	{MILAN, OF(GIB16, "3.2e9", A_TO_8 "," B_TO_8), "{}", 251, VERDICT_PASS,
	 "16 modules of 256 GiB together in 16 channels at 3200 MT/s"},
	/* the second slot of a channel does not stand in for the first of
	   another */
	{MILAN,
	 OF(GIB16, "3.2e9",
	    "\"A1\",\"A2\",\"A3\",\"A4\",\"A5\",\"A6\",\"A7\","
	    "\"A9\"," B_TO_8) "," EMPTY("\"A8\",\"A10\",\"A11\",\"A12\","
					"\"A13\",\"A14\",\"A15\","
					"\"A16\""),
	 "{}", 251, VERDICT_FAIL,
	 "15 of 16 memory channels have modules, empty: A8 -> at most "
	 "about 94 % of the "
	 "bandwidth; channels differ: A1 holds 32 GiB, others 16 GiB"},
	/* half of the channels, on both sockets: bought so, but not what
	   it could be */
	{MILAN,
	 OF(GIB16, "3.2e9",
	    "\"A1\",\"A2\",\"A3\",\"A4\",\"B1\",\"B2\",\"B3\","
	    "\"B4\"") "," EMPTY("\"A5\",\"A6\",\"A7\",\"A8\","
				"\"B5\",\"B6\",\"B7\",\"B8\""),
	 "{}", 125, VERDICT_WARN,
	 "8 of 16 memory channels have modules, empty: A5, A6, "
	 "A7, A8 and 4 more -> at "
	 "most about 50 % of the bandwidth"},
	{MILAN,
	 OF(GIB16, "3.2e9",
	    "\"A1\",\"A2\",\"A3\",\"A4\",\"B1\",\"B2\",\"B3\","
	    "\"B4\"") "," EMPTY("\"A5\",\"A6\",\"A7\",\"A8\",\"B5\","
				"\"B6\",\"B7\",\"B8\""),
	 "{\"dimms\":\"8\"}", 125, VERDICT_PASS,
	 "8 modules of 128 GiB together in 16 channels at 3200 MT/s"},
	/* names that tell no channels: they are counted */
	{MILAN,
	 OF(GIB16, "3.2e9",
	    "\"x 1\",\"x 2\",\"x 3\",\"x 4\",\"x 5\",\"x 6\",\"x 7\",\"y "
	    "1\",\"y 2\","
	    "\"y 3\",\"y 4\",\"y 5\",\"y 6\",\"y 7\",\"y 8\"") "," EMPTY("\"x 8\""),
	 "{}", 235, VERDICT_FAIL,
	 "15 of 16 memory channels have modules, empty: x 8 -> at most "
	 "about 94 % of the "
	 "bandwidth"},
	/* slow ones, of different sizes, and one the system does not see
	 */
	{MILAN,
	 OF(GIB16, "2.933e9",
	    A_TO_8 ",\"B1\",\"B2\",\"B3\",\"B4\",\"B5\",\"B6\","
		   "\"B7\"") "," OF("8589934592", "2.933e9", "\"B8\""),
	 "{}", 243, VERDICT_WARN,
	 "channels differ: B8 holds 8 GiB, others 16 GiB; modules "
	 "run at 2933 of 3200 MT/s "
	 "the CPU can do"},
	{MILAN, OF(GIB16, "2.933e9", A_TO_8) "," OF(GIB16, "3.2e9", B_TO_8), "{}", 235,
	 VERDICT_WARN,
	 "modules run at 2933 to 3200 MT/s; modules run at 2933 of 3200 "
	 "MT/s the CPU can "
	 "do; modules hold 256 GiB, the system has 235 GiB"},
	{MILAN, OF(GIB16, "2.933e9", A_TO_8 "," B_TO_8),
	 "{\"memory_speed\":\"2933 MT/s\"}", 251, VERDICT_PASS,
	 "16 modules of 256 GiB together in 16 channels at 2933 MT/s"},
	/* modules that are slower than the CPU by themselves */
	{MILAN,
	 "{\"size\":" GIB16 ",\"speed\":2.666e9,\"configured\":2.666e9,\"slots\":[" A_TO_8
	 "," B_TO_8 "]}",
	 "{}", 251, VERDICT_WARN,
	 "modules run at 2666 of 3200 MT/s the CPU can do, as fast as "
	 "they are"},
	/* a CPU that is not known, or not for certain */
	{"Other CPU", OF(GIB16, "2.933e9", A_TO_8) "," EMPTY(B_TO_8), "{}", 125,
	 VERDICT_WARN, "modules run at 2933 of 3200 MT/s"},
	{"AMD EPYC 7352 24-Core Processor",
	 OF(GIB16, "3.2e9",
	    "\"A1\",\"A2\",\"A3\",\"A4\",\"A5\",\"A6\","
	    "\"A7\"," B_TO_8) "," EMPTY("\"A8\""),
	 "{}", 235, VERDICT_WARN,
	 "15 of 16 memory channels have modules, empty: A8 -> at most "
	 "about 94 % of the "
	 "bandwidth"},
	/* nobody knows how large they are */
	{MILAN, "{\"slots\":[" A_TO_8 "," B_TO_8 "]}", "{}", 251, VERDICT_PASS,
	 "16 modules in 16 channels"},
};

static void modules_are_judged_by_channels_sizes_and_speed(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < N(modules); i++) {
		struct fixture f;

		judge_modules(&f, modules[i].cpu, modules[i].modules, modules[i].total,
			      modules[i].expect);
		expect(&f, "facts.dimms", NULL, modules[i].word, modules[i].why);
		fixture_release(&f);
	}
}

/* 16 channels of 2 sockets as different makers call them; channel C of the second is
 * empty. */
static void channels_are_told_by_the_names_of_their_slots(void **unused)
{
	static const struct {
		const char *form[2]; /* by socket; the letter of the channel goes in */
		const char *empty;
	} makers[] = {
		{{"P0 CHANNEL %c DIMM 0", "P1 CHANNEL %c DIMM 0"}, "P1 CHANNEL C DIMM 0"},
		{{"P1-DIMM%c1", "P2-DIMM%c1"}, "P2-DIMMC1"},
		{{"DIMM_P0_%c0", "DIMM_P1_%c0"}, "DIMM_P1_C0"},
		{{"CPU1_DIMM_%c1", "CPU2_DIMM_%c1"}, "CPU2_DIMM_C1"},
		{{"CPU0_%c0", "CPU1_%c0"}, "CPU1_C0"},
	};

	(void)unused;
	for (size_t m = 0; m < N(makers); m++) {
		struct strbuf full = {0}, all = {0};
		struct fixture f;
		char slot[64], why[160];

		for (int s = 0; s < 2; s++) {
			for (int c = 'A'; c <= 'H'; c++) {
				const char *at = strstr(makers[m].form[s], "%c");

				(void)snprintf(slot, sizeof(slot), "%.*s%c%s",
					       (int)(at - makers[m].form[s]),
					       makers[m].form[s], c, at + 2);
				if (s != 1 || c != 'C')
					strbuf_addf(&full, "%s\"%s\"",
						    full.len ? "," : "", slot);
			}
		}
		strbuf_addf(&all, OF(GIB16, "3.2e9", "%s") "," EMPTY("\"%s\""),
			    strbuf_str(&full), makers[m].empty);
		judge_modules(&f, MILAN, strbuf_str(&all), 235, "{}");
		(void)snprintf(
			why, sizeof(why),
			"15 of 16 memory channels have modules, empty: %s -> at most "
			"about 94 %% of the bandwidth",
			makers[m].empty);
		expect(&f, "facts.dimms", NULL, VERDICT_FAIL, why);
		strbuf_release(&full);
		strbuf_release(&all);
		fixture_release(&f);
	}
}

static void modules_of_the_recorded_machine_are_judged(void **unused)
{
	char *facts = recorded("d03");
	struct fixture f;

	(void)unused;
	judge_one(&f, "[]", "{}", facts);
	expect(&f, "facts.dimms", NULL, VERDICT_FAIL,
	       "15 of 16 memory channels have modules, empty: A5 -> at most about 94 % "
	       "of "
	       "the bandwidth; modules run at 2933 of 3200 MT/s the CPU can do");
	/* 125 and 109 GiB: a module less */
	expect(&f, "facts.numa", NULL, VERDICT_WARN,
	       "NUMA node 1 has 109.4 GiB of memory, others 125 GiB - check DIMMs; NUMA "
	       "node 2 has CPUs but no memory - check DIMMs");
	fixture_release(&f);
	free(facts);
}

static void what_a_virtual_machine_says_of_modules_is_not_judged(void **unused)
{
	struct fixture f;

	(void)unused;
	judge_one(&f, "[]", "{}",
		  "{\"virtual\":\"kvm\",\"smbios\":{\"dimms\":[{\"size\":1024,"
		  "\"slots\":[\"DIMM 0\"]}]}}");
	expect_none(&f, "facts.dimms");
	fixture_release(&f);
	/* only root can read them: no word, unless somebody wants one */
	judge_one(&f, "[]", "{}", "{\"unreadable\":{\"smbios\":\"Permission denied\"}}");
	expect_none(&f, "facts.dimms");
	fixture_release(&f);
	judge_one(&f, "[\"facts.dimms\"]", "{}",
		  "{\"unreadable\":{\"smbios\":\"Permission denied\"}}");
	expect(&f, "facts.dimms", NULL, VERDICT_ERROR,
	       "required, but skipped: no permission");
	fixture_release(&f);
}

static void domains_without_memory_are_warned_of(void **unused)
{
	char *facts = recorded("numa"); /* A15 */
	struct fixture f;

	(void)unused;
	judge_one(&f, "[]", "{}", facts);
	expect(&f, "facts.numa", NULL, VERDICT_WARN,
	       "NUMA node 2 has CPUs but no memory - check DIMMs");
	fixture_release(&f);
	free(facts);
	facts = recorded("server");
	judge_one(&f, "[]", "{}", facts);
	expect(&f, "facts.numa", NULL, VERDICT_PASS,
	       "2 NUMA nodes have CPUs and like memory");
	fixture_release(&f);
	free(facts);
	/* one domain, or unknown memory: nothing to say */
	judge_one(&f, "[]", "{}",
		  "{\"numa\":[{\"id\":0,\"cpus\":\"0-3\",\"memory\":9}]}");
	expect_none(&f, "facts.numa");
	fixture_release(&f);
	judge_one(&f, "[\"facts.numa\"]", "{}",
		  "{\"numa\":[{\"id\":0,\"cpus\":\"0-3\",\"memory\":9}]}");
	expect(&f, "facts.numa", NULL, VERDICT_PASS, "there is one NUMA node");
	fixture_release(&f);
}

static void mixed_cpus_and_lost_sockets_are_warned_of(void **unused)
{
	char *facts = recorded("mixed"); /* A09 */
	struct fixture f;

	(void)unused;
	judge_one(&f, "[]", "{}", facts);
	expect(&f, "facts.cpu", NULL, VERDICT_WARN,
	       "mixed CPUs: Big-1 on CPUs 0-9, Small-1 on CPUs 10-19");
	fixture_release(&f);
	free(facts);
	judge_one(&f, "[]", "{}",
		  "{\"cpu\":{\"model\":\"x\",\"sockets\":1},\"smbios\":{\"sockets\":2,"
		  "\"sockets_populated\":2}}");
	expect(&f, "facts.cpu", NULL, VERDICT_WARN,
	       "2 sockets hold a CPU by firmware, 1 is online");
	fixture_release(&f);
	judge_one(&f, "[]", "{}", "{\"cpu\":{\"model\":\"x\",\"sockets\":2}}");
	expect_none(&f, "facts.cpu");
	fixture_release(&f);
	judge_one(&f, "[\"facts.cpu\"]", "{}", "{\"cpu\":{\"model\":\"x\"}}");
	expect(&f, "facts.cpu", NULL, VERDICT_PASS, "all CPUs are of one kind");
	fixture_release(&f);
}

#define E03_FACTS                                                                   \
	"{\"load\":4.02,\"memory\":{\"total\":274877906944,\"hugepages_reserved\":" \
	"137438953472,\"hugepages_free\":137426370560,\"hugepage_size\":2097152},"  \
	"\"os\":{\"numa_balancing\":1,\"thp\":\"always\"},\"cpu\":{\"governor\":"   \
	"\"performance\"},\"clean\":{\"busy\":1.01,\"sample\":0.1,\"zombies\":0,"   \
	"\"waiting\":0,\"processes\":[{\"pid\":21234,\"user\":\"otheruser\","       \
	"\"command\":\"leftover\",\"cpus\":1.005,\"seconds\":352283}]}}"

static void a_node_that_is_not_clean_is_warned_of_and_makes_no_baseline(void **unused)
{
	struct fixture f;

	(void)unused;
	judge_one(&f, "[]", "{}", E03_FACTS); /* E03 */
	expect(&f, "facts.clean", NULL, VERDICT_WARN,
	       "load 4.0, pid 21234 (otheruser) 'leftover' at 100 % CPU; 128 GiB "
	       "reserved "
	       "as hugepages, 6 in use; numa_balancing=1; THP always");
	assert_string_equal(
		f.summary.remarks[0],
		"node not clean before the measurements, which make no baseline: "
		"n1");
	fixture_release(&f);
	/* settings the site wants are no dirt */
	judge_one(
		&f, "[]",
		"{\"thp\":\"always\",\"numa_balancing\":\"1\",\"hugepages\":\"128 GiB\"}",
		E03_FACTS);
	expect(&f, "facts.clean", NULL, VERDICT_WARN,
	       "load 4.0, pid 21234 (otheruser) 'leftover' at 100 % CPU");
	expect(&f, "facts.expect", NULL, VERDICT_PASS,
	       "as expected: thp, numa_balancing, hugepages");
	fixture_release(&f);
}

static const struct {
	const char *facts;
	enum verdict_word word;
	const char *why;
} clean[] = {
	/* the past minute's load alone, and after an own run, is none */
	{"\"load\":64,\"clean\":{\"busy\":0.1,\"zombies\":0,\"waiting\":0,"
	 "\"processes\":[]}",
	 VERDICT_PASS, "nobody else uses it, settings are good"},
	{"\"load\":1.5", VERDICT_WARN, "load 1.5"},
	{"\"load\":0.2", VERDICT_PASS, "nobody else uses it, settings are good"},
	{"\"load\":0.2,\"clean\":{\"busy\":2.5,\"processes\":[]}", VERDICT_WARN,
	 "2.5 CPUs busy with processes that are short or hidden"},
	{"\"load\":9,\"clean\":{\"busy\":6.5,\"processes\":[{\"pid\":1,\"cpus\":2},"
	 "{\"pid\":2,\"command\":\"x\",\"cpus\":1},{\"pid\":3,\"user\":\"u\",\"cpus\":1},"
	 "{\"pid\":4,\"cpus\":0.5}]}",
	 VERDICT_WARN,
	 "load 9.0, pid 1 at 200 % CPU, pid 2 'x' at 100 % CPU, pid 3 (u) at 100 % CPU "
	 "and "
	 "1 more, 2.0 CPUs busy with processes that are short or hidden"},
	{"\"load\":0,\"clean\":{\"processes\":[],\"runs\":[\"20261201T01-ab\",\"?\"]}",
	 VERDICT_WARN,
	 "another run of assay is on it: 20261201T01-ab; another run of assay is on it"},
	{"\"load\":0,\"clean\":{\"processes\":[],\"zombies\":40,\"waiting\":2}",
	 VERDICT_WARN,
	 "2 processes blocked in the kernel (disk or file server); 40 zombie processes"},
	{"\"load\":0,\"memory\":{\"total\":1073741824,\"swap_used\":536870912},"
	 "\"tmp\":{\"free\":1048576},\"cpu\":{\"governor\":\"performance + powersave\"}",
	 VERDICT_WARN,
	 "governor performance + powersave; 512 MiB in swap; 1 MiB free in /tmp"},
	{"\"load\":0,\"memory\":{\"total\":1073741824,\"swap_used\":1048576,"
	 "\"hugepages_reserved\":2097152}",
	 VERDICT_PASS, "nobody else uses it, settings are good"},
	{"\"load\":0,\"memory\":{\"total\":1073741824,\"hugepages_reserved\":536870912}",
	 VERDICT_WARN, "512 MiB reserved as hugepages"},
};

static void cleanness_is_told_in_the_words_of_administrators(void **unused)
{
	struct fixture f;

	(void)unused;
	for (size_t i = 0; i < N(clean); i++) {
		struct strbuf facts = {0};

		strbuf_addf(&facts, "{%s}", clean[i].facts);
		judge_one(&f, "[]", "{}", strbuf_str(&facts));
		expect(&f, "facts.clean", NULL, clean[i].word, clean[i].why);
		assert_int_equal(f.summary.n_remarks > 1 &&
					 strstr(f.summary.remarks[0], "not clean"),
				 clean[i].word == VERDICT_WARN);
		strbuf_release(&facts);
		fixture_release(&f);
	}
	judge_one(&f, "[\"facts.clean\"]", "{}", "{}");
	expect(&f, "facts.clean", NULL, VERDICT_ERROR,
	       "required, but skipped: nobody watched its processes");
	fixture_release(&f);
}

static void clocks_that_differ_for_certain_are_warned_of(void **unused)
{
	static const struct {
		const char *clock;
		enum verdict_word word;
		const char *why;
	} clocks[] = {
		{"{\"skew\":12.34,\"uncertainty\":0.05}", VERDICT_WARN,
		 "its clock is 12.3 s ahead of the controller's (+- 0.05 s)"},
		{"{\"skew\":-3600,\"uncertainty\":0.1}", VERDICT_WARN,
		 "its clock is 3.6e+03 s behind the controller's (+- 0.1 s)"},
		{"{\"skew\":2,\"uncertainty\":1.5}", VERDICT_PASS,
		 "its clock agrees with the controller's to 3.5 s"},
		{"{\"skew\":-0.01,\"uncertainty\":0.02}", VERDICT_PASS,
		 "its clock agrees with the controller's to 0.03 s"},
	};
	struct fixture f;

	(void)unused;
	for (size_t i = 0; i < N(clocks); i++) {
		struct strbuf facts = {0};

		strbuf_addf(&facts, "{\"clock\":%s}", clocks[i].clock);
		judge_one(&f, "[]", "{}", strbuf_str(&facts));
		expect(&f, "facts.clock", NULL, clocks[i].word, clocks[i].why);
		strbuf_release(&facts);
		fixture_release(&f);
	}
	judge_one(&f, "[]", "{}", "{\"clock\":{\"start\":1,\"end\":2}}");
	expect_none(&f, "facts.clock");
	fixture_release(&f);
}

#define ALL_EXPECTED                                                                    \
	"{\"cpu\":\"AMD EPYC "                                                          \
	"7713\",\"sockets\":\"2\",\"cores\":\"3\",\"threads\":\"3\","                   \
	"\"numa_domains\":\"3\",\"memory\":\"240 GiB\",\"memory_speed\":\"2933 MT/s\"," \
	"\"dimms\":\"15\",\"hca\":\"mt4123\",\"hcas\":\"3\",\"hca_firmware\":\"20.31.*" \
	"\","                                                                           \
	"\"bios\":\"2.6.7\",\"kernel\":\"5.14.0-*\",\"thp\":\"always\","                \
	"\"numa_balancing\":\"1\",\"hugepages\":\"128 GiB\"}"

static void what_is_there_as_bought_passes_in_one_word(void **unused)
{
	char *facts = recorded("d03");
	struct fixture f;

	(void)unused;
	judge_one(&f, "[]", ALL_EXPECTED, facts);
	expect(&f, "facts.expect", NULL, VERDICT_PASS,
	       "as expected: cpu, sockets, cores, threads, numa_domains, memory, "
	       "memory_speed, dimms, hca, hcas, hca_firmware, bios, kernel, thp, "
	       "numa_balancing, hugepages");
	assert_int_equal(fixture_count(&f, "facts", "facts.expect", NULL), 1);
	fixture_release(&f);
	free(facts);
}

static const struct {
	const char *expect;
	enum verdict_word word;
	const char *why;
} expectations[] = {
	{"\"cpu\":\"AMD EPYC 7713P\"", VERDICT_FAIL,
	 "cpu: 'AMD EPYC 7713 64-Core Processor', expected AMD EPYC 7713P"},
	{"\"sockets\":\"1\"", VERDICT_FAIL, "sockets: 2, expected 1"},
	{"\"memory\":\"256 GiB\"", VERDICT_FAIL, "memory: 234.4 GiB, expected 256 GiB"},
	{"\"memory\":\"244 GiB\"", VERDICT_PASS, "as expected: memory"},
	{"\"memory\":\"128 GiB\"", VERDICT_FAIL, "memory: 234.4 GiB, expected 128 GiB"},
	{"\"memory_speed\":\"3200 MT/s\"", VERDICT_FAIL,
	 "memory_speed: 2933 MT/s, expected 3200 MT/s"},
	{"\"dimms\":\"16\"", VERDICT_FAIL, "dimms: 15, expected 16"},
	{"\"hca\":\"MT4129\"", VERDICT_FAIL, "hca: 'MT4123', expected MT4129"},
	{"\"hca\":\"MT_0000000223\"", VERDICT_PASS, "as expected: hca"},
	{"\"hca\":\"15b3:101b\"", VERDICT_PASS, "as expected: hca"},
	{"\"hcas\":\"4\"", VERDICT_FAIL, "hcas: 3, expected 4"},
	{"\"hca\":\"15b3:1021\",\"hcas\":\"1\"", VERDICT_PASS, "as expected: hca, hcas"},
	{"\"hca_firmware\":\"20.32.*\"", VERDICT_FAIL,
	 "hca_firmware: '20.31.1014', expected 20.32.*"},
	{"\"bios\":\"2.14.1\"", VERDICT_FAIL, "bios: '2.6.7', expected 2.14.1"},
	{"\"kernel\":\"5.14.0-427.el9.x86_64\"", VERDICT_PASS, "as expected: kernel"},
	{"\"kernel\":\"5.14.0\"", VERDICT_FAIL,
	 "kernel: '5.14.0-427.el9.x86_64', expected 5.14.0"},
	{"\"thp\":\"madvise\"", VERDICT_FAIL, "thp: 'always', expected madvise"},
	{"\"governor\":\"performance\"", VERDICT_SKIP, "governor: not known"},
	{"\"hugepages\":\"0 B\"", VERDICT_FAIL, "hugepages: 128 GiB, expected 0 B"},
};

static void what_is_not_as_bought_fails_by_name(void **unused)
{
	char *facts = recorded("d03");

	(void)unused;
	for (size_t i = 0; i < N(expectations); i++) {
		struct strbuf site = {0};
		struct fixture f;

		strbuf_addf(&site, "{%s}", expectations[i].expect);
		judge_one(&f, "[]", strbuf_str(&site), facts);
		expect(&f, "facts.expect", NULL, expectations[i].word,
		       expectations[i].why);
		assert_int_equal(fixture_count(&f, "facts", "facts.expect", NULL), 1);
		strbuf_release(&site);
		fixture_release(&f);
	}
	free(facts);
}

static void what_cannot_be_read_is_neither_good_nor_bad(void **unused)
{
	static const char facts[] = "{\"cpu\":{\"sockets\":2},\"unreadable\":{\"smbios\":"
				    "\"read '/sys/x': Permission denied\"}}";
	static const char wish[] = "{\"sockets\":\"2\",\"dimms\":\"16\","
				   "\"memory_speed\":\"3200 MT/s\",\"kernel\":\"x\"}";
	struct fixture f;

	(void)unused;
	judge_one(&f, "[]", wish, facts);
	expect(&f, "facts.expect", NULL, VERDICT_SKIP,
	       "memory_speed: no permission; dimms: no permission; kernel: not known");
	expect(&f, "facts.expect", NULL, VERDICT_PASS, "as expected: sockets");
	fixture_release(&f);
	judge_one(&f, "[\"facts.expect\"]", wish, facts);
	expect(&f, "facts.expect", NULL, VERDICT_ERROR,
	       "required, but skipped: memory_speed: no permission; dimms: no "
	       "permission; "
	       "kernel: not known");
	fixture_release(&f);
	judge_one(&f, "[\"facts.expect\"]", "{}", facts);
	expect(&f, "facts.expect", NULL, VERDICT_ERROR,
	       "required, but skipped: the site expects nothing");
	fixture_release(&f);
}

static void nodes_are_counted_where_all_of_the_site_are_asked(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f, "[\"n1\",\"n2\",\"n3\"]", "[]", "{\"nodes\":\"4\"}");
	add_node(&f, "n1", "{}");
	add_node(&f, "n3", "{}");
	(void)fixture_judge(&f);
	expect(&f, "facts.nodes", NULL, VERDICT_FAIL, "2 nodes answered, expected 4");
	fixture_release(&f);
	start(&f, "[\"n1\",\"n2\",\"n3\"]", "[]", "{\"nodes\":\"3\"}");
	for (int i = 1; i <= 3; i++)
		fixture_line(&f, "{\"kind\":\"node\",\"node\":\"n%d\",\"facts\":{}}", i);
	(void)fixture_judge(&f);
	expect(&f, "facts.nodes", NULL, VERDICT_PASS, "3 nodes answered, as expected: 3");
	fixture_release(&f);
	/* a part of the site */
	start(&f, "[\"n1\",\"n2\"]", "[]", "{\"nodes\":\"3\"}");
	add_node(&f, "n1", "{}");
	(void)fixture_judge(&f);
	expect_none(&f, "facts.nodes");
	fixture_release(&f);
}

/* Facts come from other machines, and other versions of the probe. */
static void facts_of_another_form_are_not_known(void **unused)
{
	static const char *const odd[] = {
		"{}",
		"[]",
		"{\"pci\":[],\"hca\":[1],\"net\":7,\"numa\":{},\"smbios\":[],\"cpu\":1}",
		"{\"pci\":{\"x\":{\"links\":{}}},\"hca\":{\"a\":{\"ports\":[null,[]]}}}",
		"{\"pci\":{\"\":{\"links\":[1,{\"now_speed\":\"x\",\"now_width\":-1}],"
		"\"names\":[3]}}}",
		"{\"smbios\":{\"dimms\":[1,{\"slots\":7},{\"slots\":[1,null],\"size\":-5}"
		"]},"
		"\"virtual\":\"none\",\"cpu\":{\"model\":\"AMD EPYC "
		"7713\",\"sockets\":2}}",
		"{\"numa\":[1,{\"id\":\"x\"},{\"cpus\":5},{\"cpus\":\"0\",\"memory\":"
		"null}]}",
		"{\"clean\":{\"processes\":[1,{}]},\"load\":\"x\",\"memory\":{\"total\":-"
		"1}}",
		"{\"clock\":{\"skew\":\"x\",\"uncertainty\":1},\"unreadable\":[]}",
	};

	(void)unused;
	for (size_t i = 0; i < N(odd); i++) {
		struct fixture f;

		judge_one(&f, "[\"facts\"]", ALL_EXPECTED, odd[i]);
		assert_int_equal(f.summary.exit, 1); /* hca: none is there */
		assert_int_equal(fixture_count(&f, "facts", "facts.dimms", NULL), i == 5);
		fixture_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_below_what_card_and_slot_can_do_fail),
		cmocka_unit_test(a_link_is_judged_by_both_of_its_ends),
		cmocka_unit_test(a_link_that_cannot_be_read_is_skipped),
		cmocka_unit_test(ports_that_have_a_link_must_be_active),
		cmocka_unit_test(ports_are_judged_by_their_kind_and_the_expected_rate),
		cmocka_unit_test(modules_are_judged_by_channels_sizes_and_speed),
		cmocka_unit_test(channels_are_told_by_the_names_of_their_slots),
		cmocka_unit_test(modules_of_the_recorded_machine_are_judged),
		cmocka_unit_test(what_a_virtual_machine_says_of_modules_is_not_judged),
		cmocka_unit_test(domains_without_memory_are_warned_of),
		cmocka_unit_test(mixed_cpus_and_lost_sockets_are_warned_of),
		cmocka_unit_test(
			a_node_that_is_not_clean_is_warned_of_and_makes_no_baseline),
		cmocka_unit_test(cleanness_is_told_in_the_words_of_administrators),
		cmocka_unit_test(clocks_that_differ_for_certain_are_warned_of),
		cmocka_unit_test(what_is_there_as_bought_passes_in_one_word),
		cmocka_unit_test(what_is_not_as_bought_fails_by_name),
		cmocka_unit_test(what_cannot_be_read_is_neither_good_nor_bad),
		cmocka_unit_test(nodes_are_counted_where_all_of_the_site_are_asked),
		cmocka_unit_test(facts_of_another_form_are_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
