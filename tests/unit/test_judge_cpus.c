/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of CPU names and of configs/cpus.yaml. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "judge/cpus.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *text, *name;
} names[] = {
	{"AMD EPYC 7713 64-Core Processor                ", "AMD EPYC 7713"},
	{"AMD EPYC 7R13 Processor", "AMD EPYC 7R13"},
	{"  AMD \t EPYC   7763\n", "AMD EPYC 7763"},
	{"Intel(R) Xeon(R) CPU           X7550  @ 2.00GHz", "Intel Xeon X7550"},
	{"Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz", "Intel Xeon E5-2680 v3"},
	{"Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz", "Intel Xeon Gold 6148"},
	{"Intel(R) Core(TM)2 Quad CPU Q9550", "Intel Core 2 Quad Q9550"},
	{"Intel\xc2\xae Xeon\xc2\xae Platinum 8380", "Intel Xeon Platinum 8380"},
	{"AMD Eng Sample: 100-000000xxx-01", "AMD Eng Sample: 100-000000xxx-01"},
	{"Quad-Core AMD Opteron(tm) Processor 2354", "AMD Opteron 2354"},
	{"AMD EPYC", "AMD EPYC"},
	{"", ""},
	{" \n", ""},
	{"CPU @", ""},
};

static void names_lose_what_is_not_the_model(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(names); i++) {
		struct strbuf sb = {0};

		cpus_normalise(names[i].text, &sb);
		assert_string_equal(strbuf_str(&sb), names[i].name);
		strbuf_release(&sb);
	}
}

/* Field case F06: the same model or not. */
static const struct {
	const char *a, *b;
	bool same;
} pairs[] = {
	{"AMD EPYC 9654 96-Core Processor               ",
	 "AMD EPYC 9654 96-Core Processor", true},
	{"Intel(R) Xeon(R) CPU           X7550  @ 2.00GHz",
	 "Intel(R) Xeon(R) CPU X7550 @ 2.00GHz", true},
	{"AMD EPYC 9654P 96-Core Processor", "AMD EPYC 9654 96-Core Processor", false},
	{"AMD EPYC 9654", "amd epyc 9654", true},
	{"AMD EPYC 9654", "AMD EPYC 965", false},
	{"AMD EPYC 9654", "EPYC 9654", false},
	{"AMD Eng Sample: 100-000000xxx-01", "AMD EPYC 9654", false},
	{"", "", false},
	{"", "AMD EPYC 9654", false},
};

static void f06_only_the_whole_number_is_the_same_model(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(pairs); i++) {
		if (cpus_same(pairs[i].a, pairs[i].b) != pairs[i].same ||
		    cpus_same(pairs[i].b, pairs[i].a) != pairs[i].same)
			fail_msg("'%s' and '%s'", pairs[i].a, pairs[i].b);
	}
}

static void shipped(struct cpus *c)
{
	struct err e = {0};

	if (cpus_load(c, SOURCE_DIR "/configs/cpus.yaml", &e))
		fail_msg("%s", e.msg);
}

/* Peak FLOP/s and bandwidth of one socket, as their makers and users publish them. */
static const struct {
	const char *model;
	double gflops, gbs;
	int cores, l3_count;
	bool uncertain;
} known[] = {
	{"AMD EPYC 7763 64-Core Processor", 2508.8, 204.8, 64, 8, false},
	{"AMD EPYC 7713 64-Core Processor", 2048, 204.8, 64, 8, false},
	{"AMD EPYC 7742 64-Core Processor", 2304, 204.8, 64, 16, false},
	{"AMD EPYC 7H12 64-Core Processor", 2662.4, 204.8, 64, 16, false},
	{"AMD EPYC 72F3 8-Core Processor", 473.6, 204.8, 8, 8, false},
	{"AMD EPYC 7282 16-Core Processor", 716.8, 85.3, 16, 4, false},
	{"AMD EPYC 7352 24-Core Processor", 883.2, 204.8, 24, 8, true},
};

static void shipped_models_have_their_known_peaks(void **state)
{
	struct cpus c;

	(void)state;
	shipped(&c);
	assert_int_equal(c.n, 49);
	for (size_t i = 0; i < N(known); i++) {
		const struct cpu_model *m = cpus_find(&c, known[i].model);

		assert_non_null(m);
		assert_true(fabs(cpu_peak(m) / 1e9 - known[i].gflops) < 0.01);
		assert_true(fabs(cpu_bandwidth(m) / 1e9 - known[i].gbs) < 0.01);
		assert_int_equal(m->cores, known[i].cores);
		assert_int_equal(m->l3_count, known[i].l3_count);
		assert_int_equal(m->uncertain, known[i].uncertain);
	}
	cpus_release(&c);
}

static void shipped_models_make_sense(void **state)
{
	struct cpus c;

	(void)state;
	shipped(&c);
	for (size_t i = 0; i < c.n; i++) {
		const struct cpu_model *m = &c.models[i];
		bool one_socket = m->model[strlen(m->model) - 1] == 'P';

		assert_true(m->boost >= m->base && m->cores % m->ccds == 0);
		assert_true(m->l3_count % m->ccds == 0 && m->cores >= m->l3_count);
		assert_true(m->from && m->generation && m->n_nps >= 3);
		assert_int_equal(m->sockets, one_socket ? 1 : 2);
		/* Zen 3 has one L3 a CCD, Zen 2 has two */
		assert_int_equal(m->l3_count / m->ccds,
				 strcmp(m->generation, "Rome") != 0 ? 1 : 2);
	}
	cpus_release(&c);
}

static void unknown_models_are_not_found(void **state)
{
	static const char *const texts[] = {
		"AMD EPYC 7713X",
		"AMD EPYC",
		"",
		"   ",
		"AMD Eng Sample: 100-000000xxx-01",
		"AMD EPYC 7713 + AMD EPYC 7763",
	};
	struct cpus c;

	(void)state;
	shipped(&c);
	for (size_t i = 0; i < N(texts); i++)
		assert_null(cpus_find(&c, texts[i]));
	assert_ptr_not_equal(cpus_find(&c, "AMD EPYC 7713P"),
			     cpus_find(&c, "AMD EPYC 7713"));
	cpus_release(&c);
}

#define MODEL                                                                          \
	"cores: 8, l3: 32 MiB, base: 2 GHz, channels: 8, memory: 3200 MT/s, sockets: " \
	"2, "                                                                          \
	"generation: x, flops_per_cycle: 16, from: here"

static const struct {
	const char *text, *message;
} wrong[] = {
	{"cpus:\n  - {model: A 1, " MODEL "}\n", ":2:5: no key 'status'"},
	{"cpus:\n  - {model: A 1, " MODEL ", status: sure}\n", "unknown word 'sure'"},
	{"cpus:\n  - {model: A 1, statis: certain}\n", "did you mean 'status'?"},
	{"cpus:\n  - {model: A 1, base: 2}\n", ":2:24: 'base': no unit in '2'"},
	{"cpus:\n  - {model: A 1, base: 2 GB/s}\n", ":2:24: 'base': unknown unit"},
	{"cpus:\n  - {model: A 1, nps: [3], " MODEL ", status: certain}\n",
	 ":2:23: 'nps': '3', expected 0, 1, 2 or 4"},
	{"cpus:\n  - {model: A 1, " MODEL ", status: certain}\n"
	 "  - {model: a  1 CPU, " MODEL ", status: certain}\n",
	 ":3:5: another entry is for 'a  1 CPU', too"},
	{"cpus: 3\n", ":1:7: 'cpus': text, expected a list of maps"},
	{"cpu: []\n", ":1:1: unknown key 'cpu', did you mean 'cpus'?"},
};

static void errors_say_where_and_what_was_expected(void **state)
{
	char path[] = "/tmp/assay-cpus-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < N(wrong); i++) {
		struct err e = {0};
		struct cpus c;

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, wrong[i].text, strlen(wrong[i].text), 0),
				 (ssize_t)strlen(wrong[i].text));
		assert_int_equal(cpus_load(&c, path, &e), -1);
		assert_int_equal(e.kind, ERR_USAGE);
		if (strncmp(e.msg, path, strlen(path)) != 0 ||
		    !strstr(e.msg, wrong[i].message))
			fail_msg("case %zu: %s", i, e.msg);
		cpus_release(&c);
	}
	assert_int_equal(close(fd), 0);
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_lose_what_is_not_the_model),
		cmocka_unit_test(f06_only_the_whole_number_is_the_same_model),
		cmocka_unit_test(shipped_models_have_their_known_peaks),
		cmocka_unit_test(shipped_models_make_sense),
		cmocka_unit_test(unknown_models_are_not_found),
		cmocka_unit_test(errors_say_where_and_what_was_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
