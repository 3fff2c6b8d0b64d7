/* SPDX-License-Identifier: Apache-2.0 */
/* Units in and out, field cases A14 and C08; whole files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/units.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static double parsed(const char *text, const char *unit)
{
	struct err e = {0};
	double v = NAN;

	if (units_parse(text, unit, &v, &e))
		fail_msg("'%s' as %s: %s", text, unit, e.msg);
	return v;
}

static void assert_near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-12 * fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

/* 1 MB/s is 10^6 B/s, a bit is an eighth, GiB are 2^30: the relations of A14 */
static void a_unit_is_worth_the_same_however_it_is_written(void **unused)
{
	static const struct {
		const char *left, *right, *unit;
	} equal[] = {
		{"204.8 GB/s", "204800 MB/s", "B/s"},
		{"200 Gb/s", "25 GB/s", "B/s"},
		{"200Gbit/s", "25 GB/s", "B/s"},
		{"1 GiB/s", "1073741824 B/s", "B/s"},
		{"1.38e+03 GFLOPS", "1.38 TFLOPS", "FLOP/s"},
		{"1.38 TFLOP/s", "1380 GFLOPS", "FLOP/s"},
		{"66.7 Gflops", "66.7 GFLOP/s", "FLOP/s"}, /* as HPL prints it */
		{"66.7 Gflop/s", "66700 MFlops", "FLOP/s"},
		{"2.45 GHz", "2450 MHz", "Hz"},
		{"3200 MT/s", "3.2 GT/s", "T/s"},
		{"5 %", "0.05", "ratio"},
		{"-4%", "-0.04", "ratio"},
		{"174 ns", "0.174 us", "s"},
		{"1.5 h", "90 min", "s"},
		{"6.8 M/s", "6800000 1/s", "1/s"},
		{" 512 GiB ", "524288 MiB", "B"},
		{"1.2 kW", "+1200 W", "W"},
		{"-5 C", "-5 Celsius", "Celsius"},
	};

	(void)unused;
	for (size_t i = 0; i < N_OF(equal); i++)
		assert_near(parsed(equal[i].left, equal[i].unit),
			    parsed(equal[i].right, equal[i].unit));
	assert_true(fabs(parsed("25 GB/s", "B/s") / parsed("23.283 GiB/s", "B/s") - 1) <
		    1e-3);
	assert_true(parsed("256 GB", "B") < parsed("256 GiB", "B") * 0.94);
	assert_near(parsed("378 GB/s", "B/s"), 378e9);
}

static void the_text_says_its_own_dimension(void **unused)
{
	static const struct {
		const char *text, *unit;
		double value;
	} cases[] = {
		{"378 GB/s", "B/s", 378e9},  {"200 Gb/s", "B/s", 25e9},
		{"1.2 us", "s", 1.2e-6},     {"512 GiB", "B", 549755813888.0},
		{"92 %", "ratio", 0.92},     {"0.5", "ratio", 0.5},
		{"3200 MT/s", "T/s", 3.2e9},
	};
	struct err e = {0};
	const char *unit;
	double v;

	(void)unused;
	for (size_t i = 0; i < N_OF(cases); i++) {
		assert_int_equal(units_parse_any(cases[i].text, &v, &unit, &e), 0);
		assert_string_equal(unit, cases[i].unit);
		assert_near(v, cases[i].value);
	}
	assert_int_equal(units_parse_any("12 MBs", &v, &unit, &e), -1);
	assert_non_null(
		strstr(e.msg, "unknown unit in '12 MBs', expected a unit such as"));
}

static void memory_speeds_are_one_class_and_clocks_are_not_sizes(void **unused)
{
	struct err e = {0};
	double a, b, c;

	(void)unused;
	assert_int_equal(units_memory_speed("2933 MT/s", &a, &e), 0);
	assert_int_equal(units_memory_speed("2933 MHz", &b, &e), 0);
	assert_int_equal(units_memory_speed("2933 Mhz", &c, &e), 0);
	assert_near(a, b);
	assert_near(a, c);
	assert_near(a, 2.933e9);
	assert_int_equal(units_memory_speed("2933", &a, &e), -1);
	assert_int_equal(units_parse("2933 MHz", "T/s", &a, &e), -1);
}

static void assert_refused(const char *text, const char *unit, const char *message)
{
	struct err e = {0};
	double v;

	assert_int_equal(units_parse(text, unit, &v, &e), -1);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_string_equal(e.msg, message);
}

static void an_unknown_or_missing_unit_is_an_error_with_the_allowed_ones(void **unused)
{
	static const char rates[] =
		"expected kB/s, MB/s, GB/s, TB/s, KiB/s .. TiB/s, kb/s, "
		"Mb/s or Gb/s";
	char text[200];

	(void)unused;
	(void)snprintf(text, sizeof(text), "unknown unit in '12 MBs', %s", rates);
	assert_refused("12 MBs", "B/s", text);
	(void)snprintf(text, sizeof(text), "no unit in '378', %s", rates);
	assert_refused("378", "B/s", text);
	(void)snprintf(text, sizeof(text), "unknown unit in '5 %%', %s", rates);
	assert_refused("5 %", "B/s", text);
	(void)snprintf(text, sizeof(text), "unknown unit in '1 gb/s', %s", rates);
	assert_refused("1 gb/s", "B/s", text);
	assert_refused("fast", "B/s",
		       "no number in 'fast', expected for example 378 GB/s");
	assert_refused("", "B/s", "no number in '', expected for example 378 GB/s");
	assert_refused("0x10 GB/s", "Hz",
		       "no number in '0x10 GB/s', expected for example 378 GB/s");
	assert_refused("inf W", "W",
		       "no number in 'inf W', expected for example 378 GB/s");
	assert_refused("nan", "ratio",
		       "no number in 'nan', expected for example 378 GB/s");
	assert_refused(". W", "W", "no number in '. W', expected for example 378 GB/s");
	assert_refused("1e999 W", "W", "number out of range in '1e999 W'");
	assert_refused("1e308 MW", "W", "number out of range in '1e308 MW'");
	assert_refused("1 \x1b[31mW", "W",
		       "unknown unit in '1 \\x1b[31mW', expected W, kW or MW");
	assert_refused("1 W", "furlong", "unknown base unit 'furlong'");
}

static void durations_are_parts_from_big_to_small(void **unused)
{
	static const struct {
		const char *text;
		double s;
	} good[] = {{"4h", 14400},      {"90s", 90},       {"1h30m", 5400},
		    {"1h 30min", 5400}, {"1.5 h", 5400},   {"500ms", 0.5},
		    {"2d", 172800},     {"1m0.5s", 60.5},  {"0s", 0},
		    {"10 min", 600},    {"1d12h", 129600}, {"1s 5ms", 1.005}};
	static const char *const bad[] = {"",     "90",   "1h30", "30m1h",
					  "1h1h", "-5s",  "1 w",  "1:30:00",
					  "h",    "5s x", "infs", "1e999s"};
	struct err e = {0};
	double s;

	(void)unused;
	for (size_t i = 0; i < N_OF(good); i++) {
		if (units_duration(good[i].text, &s, &e))
			fail_msg("'%s': %s", good[i].text, e.msg);
		assert_near(s, good[i].s);
	}
	for (size_t i = 0; i < N_OF(bad); i++) {
		if (!units_duration(bad[i], &s, &e))
			fail_msg("'%s' was taken as %g s", bad[i], s);
		assert_int_equal(e.kind, ERR_USAGE);
	}
	units_duration("90", &s, &e);
	assert_string_equal(e.msg,
			    "no unit in '90', expected for example 90s, 5m, 1h30m or 2d");
	units_duration("30m1h", &s, &e);
	assert_string_equal(
		e.msg, "bad time '30m1h', expected for example 90s, 5m, 1h30m or 2d");
}

static void sizes_have_64_bits_and_never_wrap(void **unused)
{
	static const struct {
		const char *text;
		int64_t bytes;
	} good[] = {{"0", 0},
		    {"8", 8},
		    {"2147483647", 2147483647},
		    {"2147483648", INT64_C(2147483648)},
		    {"4294967296", INT64_C(4294967296)},
		    {"4G", INT64_C(4294967296)},
		    {"4GiB", INT64_C(4294967296)},
		    {"4 GiB", INT64_C(4294967296)},
		    {"4GB", INT64_C(4000000000)},
		    {"64k", 65536},
		    {"64K", 65536},
		    {"64 kB", 64000},
		    {"1.5G", INT64_C(1610612736)},
		    {"0.1K", 102},
		    {"320000000000", INT64_C(320000000000)},
		    {"9223372036854775807", INT64_MAX},
		    {"8191P", INT64_C(8191) << 50}};
	static const char *const bad[] = {"",
					  "-1",
					  "4X",
					  "4g",
					  "4GBs",
					  "G",
					  "1.2345G",
					  "1.G",
					  "8192P",
					  "9223372036854775808",
					  "9007199254740992K",
					  "99999999999999999999999",
					  "0x10",
					  "1e3",
					  "8191.999P 1"};
	struct err e = {0};
	int64_t bytes;

	(void)unused;
	for (size_t i = 0; i < N_OF(good); i++) {
		if (units_size(good[i].text, &bytes, &e))
			fail_msg("'%s': %s", good[i].text, e.msg);
		assert_int_equal(bytes, good[i].bytes);
	}
	for (size_t i = 0; i < N_OF(bad); i++) {
		if (!units_size(bad[i], &bytes, &e))
			fail_msg("'%s' was taken as %lld", bad[i], (long long)bytes);
		assert_int_equal(e.kind, ERR_USAGE);
	}
	units_size("8192P", &bytes, &e);
	assert_string_equal(e.msg, "size out of range '8192P'");
	units_size("12 MBs", &bytes, &e);
	assert_string_equal(e.msg, "unknown unit in '12 MBs', expected bytes such as "
				   "4294967296, 64M, 4G, 4GiB or 4GB");
}

static void the_kb_of_meminfo_are_kib(void **unused)
{
	struct err e = {0};
	int64_t bytes;

	(void)unused;
	assert_int_equal(units_meminfo("268435456 kB", &bytes, &e), 0);
	assert_near((double)bytes, parsed("256 GiB", "B"));
	assert_int_equal(units_meminfo("1 MB", &bytes, &e), -1);
	assert_int_equal(units_meminfo("9223372036854775807 kB", &bytes, &e), -1);
}

static void numbers_print_with_three_digits_and_a_prefix(void **unused)
{
	static const struct {
		double value;
		const char *unit, *text;
	} cases[] = {
		{29.1e9, "B/s", "29.1 GB/s"},
		{378e9, "B/s", "378 GB/s"},
		{999.6e6, "B/s", "1.00 GB/s"},
		{999.4e6, "B/s", "999 MB/s"},
		{9.996e9, "B/s", "10.0 GB/s"},
		{1.38e12, "FLOP/s", "1.38 TFLOP/s"},
		{0, "B/s", "0 B/s"},
		{8, "B", "8 B"},
		{512, "B", "512 B"},
		{2.45e9, "Hz", "2.45 GHz"},
		{3.2e9, "T/s", "3.20 GT/s"},
		{174e-9, "s", "174 ns"},
		{0.0012, "s", "1.20 ms"},
		{90, "s", "90 s"},
		{5400, "s", "5400 s"},
		{3e-12, "s", "0.003 ns"},
		{6.8e6, "1/s", "6.80 M/s"},
		{0.923, "ratio", "92.3 %"},
		{-0.07, "ratio", "-7.0 %"},
		{-29.1e9, "B/s", "-29.1 GB/s"},
		{65.25, "Celsius", "65.2 C"},
		{225, "W", "225 W"},
		{0.25, "B/s", "0.25 B/s"},
		{12.5, "furlong", "12.5 furlong"},
		{NAN, "B/s", "nan B/s"},
		{INFINITY, "s", "inf s"},
		{1.7e308, "B/s", "1.7e+290 EB/s"},
		{1e300, "ratio", "1e+302 %"},
	};
	char buf[UNITS_TEXT];

	(void)unused;
	for (size_t i = 0; i < N_OF(cases); i++)
		assert_string_equal(
			units_format(buf, sizeof(buf), cases[i].value, cases[i].unit),
			cases[i].text);
}

static void what_is_printed_reads_back(void **unused)
{
	static const char *const units[] = {"B/s", "FLOP/s", "s", "1/s",     "B",
					    "Hz",  "T/s",    "W", "Celsius", "ratio"};
	char buf[UNITS_TEXT];
	struct err e = {0};
	double v;

	(void)unused;
	for (size_t u = 0; u < N_OF(units); u++) {
		for (double x = 1e-8; x < 1e19; x *= 3.7) {
			/* prefixes end at nano, and percent at one decimal */
			if (x < 1 && strcmp(units[u], "s") != 0)
				continue;
			units_format(buf, sizeof(buf), x, units[u]);
			if (units_parse(buf, units[u], &v, &e))
				fail_msg("%s", e.msg);
			assert_true(fabs(v / x - 1) < 0.0051);
		}
	}
}

static void memory_prints_binary_and_times_print_for_people(void **unused)
{
	char buf[UNITS_TEXT];

	(void)unused;
	assert_string_equal(units_format_memory(buf, sizeof(buf), 549755813888.0),
			    "512 GiB");
	assert_string_equal(units_format_memory(buf, sizeof(buf), 540e9), "502.9 GiB");
	assert_string_equal(units_format_memory(buf, sizeof(buf), 4194304), "4 MiB");
	assert_string_equal(units_format_memory(buf, sizeof(buf), 8), "8 B");
	assert_string_equal(units_format_memory(buf, sizeof(buf), 0), "0 B");
	assert_string_equal(units_format_memory(buf, sizeof(buf), NAN), "nan B");
	assert_string_equal(units_format_duration(buf, sizeof(buf), 3.21), "3.2s");
	assert_string_equal(units_format_duration(buf, sizeof(buf), 42), "42s");
	assert_string_equal(units_format_duration(buf, sizeof(buf), 59.7), "1m00s");
	assert_string_equal(units_format_duration(buf, sizeof(buf), 245), "4m05s");
	assert_string_equal(units_format_duration(buf, sizeof(buf), 5400), "1h30m");
	assert_string_equal(units_format_duration(buf, sizeof(buf), INFINITY), "infs");
}

static void only_regular_files_within_the_limit_are_read(void **unused)
{
	char dir[] = "/tmp/assay-file-XXXXXX";
	struct strbuf sb = {0};
	struct err e = {0};
	char path[64];
	FILE *f;

	(void)unused;
	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/f", dir);
	assert_int_equal(file_read(&sb, path, 10, &e), -1);
	assert_int_equal(e.kind, ERR_NOTFOUND);
	assert_non_null(strstr(e.msg, "No such file"));
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs("0123456789", f) >= 0);
	assert_int_equal(fclose(f), 0);
	strbuf_addstr(&sb, ">");
	assert_int_equal(file_read(&sb, path, 10, &e), 0);
	assert_string_equal(strbuf_str(&sb), ">0123456789");
	assert_int_equal(file_read(&sb, path, 9, &e), -1);
	assert_int_equal(e.kind, ERR_SYSTEM);
	assert_non_null(strstr(e.msg, "is larger than 9 bytes"));
	assert_string_equal(strbuf_str(&sb), ">0123456789");
	assert_int_equal(file_read(&sb, dir, 10, &e), -1);
	assert_non_null(strstr(e.msg, "it is a folder"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(file_read(&sb, path, 10, &e), -1);
	assert_non_null(strstr(e.msg, "not a regular file"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	strbuf_release(&sb);
}

static void rates_of_ports_are_counted_in_bits(void **state)
{
	static const struct {
		double bytes;
		const char *text;
	} rates[] = {
		{25e9, "200 Gb/s"},  {12.5e9, "100 Gb/s"}, {0.3125e9, "2.5 Gb/s"},
		{125e6, "1 Gb/s"},   {12.5e6, "100 Mb/s"}, {0, "0 Mb/s"},
		{100e9, "800 Gb/s"}, {7e9, "56 Gb/s"},     {(double)INFINITY, "inf b/s"},
	};
	char text[UNITS_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		assert_string_equal(units_format_rate(text, sizeof(text), rates[i].bytes),
				    rates[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_of_ports_are_counted_in_bits),
		cmocka_unit_test(a_unit_is_worth_the_same_however_it_is_written),
		cmocka_unit_test(the_text_says_its_own_dimension),
		cmocka_unit_test(memory_speeds_are_one_class_and_clocks_are_not_sizes),
		cmocka_unit_test(
			an_unknown_or_missing_unit_is_an_error_with_the_allowed_ones),
		cmocka_unit_test(durations_are_parts_from_big_to_small),
		cmocka_unit_test(sizes_have_64_bits_and_never_wrap),
		cmocka_unit_test(the_kb_of_meminfo_are_kib),
		cmocka_unit_test(numbers_print_with_three_digits_and_a_prefix),
		cmocka_unit_test(what_is_printed_reads_back),
		cmocka_unit_test(memory_prints_binary_and_times_print_for_people),
		cmocka_unit_test(only_regular_files_within_the_limit_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
