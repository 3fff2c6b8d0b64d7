/* SPDX-License-Identifier: Apache-2.0 */
/* The kit's pure parts: CPU lists, options, places in machines we don't have, memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "kernels/kit/cpulist.h"
#include "kernels/kit/options.h"
#include "kernels/kit/place.h"

static void lists_keep_the_order_they_are_written_in(void **unused)
{
	static const char *const same[] = {"0", "0-3", "3,0-1", "7,5,3", "0-1,3-4,8191"};
	struct err e = {0};

	(void)unused;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		struct strbuf text = {0};
		int *cpus, n;

		assert_int_equal(cpulist_parse(same[i], strlen(same[i]), &cpus, &n, &e),
				 0);
		cpulist_format(cpus, n, &text);
		assert_string_equal(strbuf_str(&text), same[i]);
		strbuf_release(&text);
		free(cpus);
	}
}

static void bad_lists_are_refused(void **unused)
{
	static const char *const bad[] = {
		"",    ",",    "0,",    "1-",    "-1",   "3-1",           "a",
		"0 1", "0-3:", "0,1,0", "0-4,2", "8192", "99999999999999"};

	(void)unused;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = {0};
		int *cpus, n;

		if (!cpulist_parse(bad[i], strlen(bad[i]), &cpus, &n, &e))
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(e.kind, ERR_USAGE);
		free(cpus);
	}
}

static void masks_hold_cpus_beyond_1024(void **unused)
{
	struct cpumask m = {0};
	struct strbuf text = {0};

	(void)unused;
	cpumask_add(&m, 0);
	cpumask_add(&m, 1023);
	cpumask_add(&m, 1024);
	cpumask_add(&m, 8191);
	assert_int_equal(cpumask_count(&m), 4);
	assert_true(cpumask_has(&m, 1024));
	assert_false(cpumask_has(&m, 1025));
	assert_false(cpumask_has(&m, -1));
	assert_false(cpumask_has(&m, 8192));
	cpumask_format(&m, &text);
	assert_string_equal(strbuf_str(&text), "0,1023-1024,8191");
	strbuf_release(&text);
}

static const char *const words[] = {"auto", NULL};
static const char *const modes[] = {"latency", "bw", NULL};
static const struct kit_option table[] = {
	{.name = "size", .type = KIT_SIZE, .def = "auto", .choices = words, .min = 64},
	{.name = "n", .letter = 'i', .type = KIT_INT, .def = "10", .min = 1, .max = 20},
	{.name = "time", .type = KIT_TIME, .def = "30"},
	{.name = "check", .letter = 'c', .type = KIT_FLAG, .def = "no"},
	{.name = "mode",
	 .operand = true,
	 .type = KIT_CHOICE,
	 .def = "bw",
	 .choices = modes},
	{.name = NULL},
};
static const struct kernel with_options = {.name = "test", .options = table};

static int parse(struct kit_values *v, const char *line, struct err *e)
{
	char *copy = strdup(line), *rest = NULL, *argv[16] = {copy};
	int argc = 1, rc;

	assert_non_null(copy);
	for (char *w = strtok_r(copy, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
		argv[argc++] = w;
	rc = options_parse(v, &with_options, argc, argv, e);
	free(copy);
	return rc;
}

static void options_are_read_by_type(void **unused)
{
	struct kit_values v;
	struct err e = {0};

	(void)unused;
	assert_int_equal(parse(&v, "", &e), 0);
	assert_int_equal(options_get(&v, "n")->number, 10);
	assert_true(options_get(&v, "time")->seconds == 30);
	assert_int_equal(options_get(&v, "check")->number, 0);
	assert_int_equal(options_get(&v, "threads")->number, 0);
	assert_null(options_get(&v, "nothing"));
	options_release(&v);

	assert_int_equal(parse(&v, "latency --size=64M -i 7 --time 1.5m -c", &e), 0);
	assert_int_equal(options_get(&v, "size")->number, 64 << 20);
	assert_int_equal(options_get(&v, "n")->number, 7);
	assert_true(options_get(&v, "time")->seconds == 90);
	assert_int_equal(options_get(&v, "check")->number, 1);
	assert_true(options_get(&v, "mode")->given);
	options_release(&v);

	/* a flag as the controller passes it, and one before another option */
	assert_int_equal(parse(&v, "--check no -i 3 --mode latency", &e), 0);
	assert_int_equal(options_get(&v, "check")->number, 0);
	assert_int_equal(options_get(&v, "n")->number, 3);
	options_release(&v);
	assert_int_equal(parse(&v, "-c -i 3", &e), 0);
	assert_int_equal(options_get(&v, "check")->number, 1);
	options_release(&v);
}

static void bad_options_say_what_was_expected(void **unused)
{
	static const struct {
		const char *line, *text;
	} cases[] = {
		{"--n 21", "'21' is too large, expected at most 20"},
		{"--n 0", "'0' is too small, expected at least 1"},
		{"--n 1e1", "'1e1' is not a whole number"},
		{"--n 99999999999999999999", "not a whole number"},
		{"--size 1", "'1' is too small"},
		{"--size -1", "option '--size': "},
		{"--size none", "option '--size': "},
		{"--time x", "option '--time': "},
		{"--mode latncy", "did you mean 'latency'?"},
		{"latency bw", "unexpected word 'bw'"},
		{"--check=maybe", "'maybe' is neither yes nor no"},
		{"--chek", "did you mean '--check'?"},
		{"--hanf none", "unknown option '--hanf', see --help"}, /* tests' own */
		{"-z", "unknown option '-z'"},
		{"--", "unknown option '--'"},
		{"--n", "'--n' needs a value"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kit_values v;
		struct err e = {0};

		assert_int_equal(parse(&v, cases[i].line, &e), -1);
		assert_int_equal(e.kind, ERR_USAGE);
		if (!strstr(e.msg, cases[i].text))
			fail_msg("%s: %s", cases[i].line, e.msg);
		options_release(&v);
	}
}

/* Loads a machine we don't have. */
static struct place *machine(const char *synthetic)
{
	struct place *p;

	assert_int_equal(setenv("HWLOC_SYNTHETIC", synthetic, 1), 0);
	p = place_load();
	assert_int_equal(unsetenv("HWLOC_SYNTHETIC"), 0);
	assert_non_null(p);
	return p;
}

/* Two sockets of 64 cores, 8 cores a last-level cache, 4 NUMA domains a socket, SMT. */
#define MILAN                                                                        \
	"Package:2 Group:4 [NUMANode(memory=68719476736)] L3Cache:2(size=33554432) " \
	"L2Cache:8(size=512kB) "                                                     \
	"Core:1 PU:2"

static struct cpumask range(int first, int last)
{
	struct cpumask m = {0};

	for (int cpu = first; cpu <= last; cpu++)
		cpumask_add(&m, cpu);
	return m;
}

static void threads_are_spread_over_caches_first_and_cores_next(void **unused)
{
	struct place *p = machine(MILAN);
	const struct cpumask all = range(0, 255);
	int cpus[256];
	struct cpumask cores = {0};

	(void)unused;
	assert_int_equal(place_cores(p, &all), 128);
	place_spread(p, &all, 16, cpus);
	for (int i = 0; i < 16; i++)
		assert_int_equal(place_cpu(p, cpus[i]).l3, i); /* one a cache, in order */
	place_spread(p, &all, 128, cpus);
	for (int i = 0; i < 128; i++)
		cpumask_add(&cores, place_cpu(p, cpus[i]).core);
	assert_int_equal(cpumask_count(&cores), 128); /* no two on one core */
	place_spread(p, &all, 256, cpus);
	memset(&cores, 0, sizeof(cores));
	for (int i = 0; i < 256; i++)
		cpumask_add(&cores, cpus[i]);
	assert_int_equal(cpumask_count(&cores), 256);
	place_release(p);
}

static void spreading_stays_inside_the_mask(void **unused)
{
	struct place *p = machine(MILAN);
	struct cpumask some = range(16, 47), used = {0};
	int cpus[32];

	(void)unused;
	/* CPUs 16-47 are 16 cores of two caches */
	assert_int_equal(place_cores(p, &some), 16);
	place_spread(p, &some, 2, cpus);
	assert_int_not_equal(place_cpu(p, cpus[0]).l3, place_cpu(p, cpus[1]).l3);
	for (int n = 1; n <= 32; n++) {
		memset(&used, 0, sizeof(used));
		place_spread(p, &some, n, cpus);
		for (int i = 0; i < n; i++) {
			assert_true(cpumask_has(&some, cpus[i]));
			cpumask_add(&used, cpus[i]);
		}
		assert_int_equal(cpumask_count(&used), n);
	}
	place_release(p);
}

static void a_mask_the_topology_does_not_know_is_taken_evenly(void **unused)
{
	struct place *p = machine("Package:1 Core:2 PU:1");
	const struct cpumask other = range(100, 107);
	int cpus[8];

	(void)unused;
	assert_int_equal(place_cores(p, &other), 8);
	place_spread(p, &other, 4, cpus);
	for (int i = 0; i < 4; i++)
		assert_int_equal(cpus[i], 100 + 2 * i);
	assert_int_equal(place_cores(NULL, &other), 8); /* no topology at all */
	place_spread(NULL, &other, 8, cpus);
	assert_int_equal(cpus[7], 107);
	assert_int_equal(place_cpu(NULL, 3).llc, -1);
	place_release(p);
}

static void a_cpu_knows_its_core_cache_and_domain(void **unused)
{
	struct place *p = machine(MILAN);
	struct kit_cpu c = place_cpu(p, 255);

	(void)unused;
	assert_int_equal(c.cpu, 255);
	assert_int_equal(c.core, 127);
	assert_int_equal(c.l3, 15);
	assert_int_equal(c.llc, 15);
	assert_int_equal(c.llc_bytes, 32 << 20);
	assert_int_equal(c.domain, 7);
	assert_true(c.domain_mem == (uint64_t)64 << 30);
	c = place_cpu(p, 256);
	assert_int_equal(c.core, -1);
	assert_int_equal(c.domain, -1);
	assert_true(c.llc_bytes == 0);
	place_release(p);
	/* the last-level cache need not be an L3, and may be unknown */
	p = machine("Package:1 L2Cache:2(size=1048576) Core:1 PU:1");
	assert_int_equal(place_cpu(p, 1).l3, -1);
	assert_int_equal(place_cpu(p, 1).llc, 1);
	assert_int_equal(place_cpu(p, 1).llc_bytes, 1 << 20);
	place_release(p);
	p = machine("Package:1 Core:2 PU:1");
	assert_int_equal(place_cpu(p, 1).llc, -1);
	place_release(p);
}

static void memory_is_zeroed_aligned_and_untouched(void **unused)
{
	const uint64_t bytes = ((uint64_t)8 << 20) + 12345;
	struct err e = {0};
	unsigned char *p = kit_alloc(bytes, &e);

	(void)unused;
	assert_non_null(p);
	assert_int_equal((uintptr_t)p % (2 << 20), 0);
	assert_int_equal(kit_domain_of(p), -1);
	p[0] = 1;
	assert_true(kit_domain_of(p) >= 0);
	assert_int_equal(kit_domain_of(p + ((size_t)4 << 20)), -1);
	for (uint64_t i = 1; i < bytes; i += 4096)
		assert_int_equal(p[i], 0);
	p[bytes - 1] = 1;
	kit_free(p, bytes);
	kit_free(NULL, 1);
	assert_null(kit_alloc((uint64_t)1 << 62, &e));
	assert_non_null(strstr(e.msg, " of memory: "));
	assert_null(kit_alloc(UINT64_MAX, &e));
}

static void the_clock_has_a_step(void **unused)
{
	(void)unused;
	assert_true(kit_tick() > 0 && kit_tick() < 1e-3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_keep_the_order_they_are_written_in),
		cmocka_unit_test(bad_lists_are_refused),
		cmocka_unit_test(masks_hold_cpus_beyond_1024),
		cmocka_unit_test(options_are_read_by_type),
		cmocka_unit_test(bad_options_say_what_was_expected),
		cmocka_unit_test(threads_are_spread_over_caches_first_and_cores_next),
		cmocka_unit_test(spreading_stays_inside_the_mask),
		cmocka_unit_test(a_mask_the_topology_does_not_know_is_taken_evenly),
		cmocka_unit_test(a_cpu_knows_its_core_cache_and_domain),
		cmocka_unit_test(memory_is_zeroed_aligned_and_untouched),
		cmocka_unit_test(the_clock_has_a_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
