/* SPDX-License-Identifier: Apache-2.0 */
/* What assay-net's tests share and what needs no ranks: sizes, contents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "kernels/net/content.h"
#include "kernels/net/sizes.h"

static const struct sizes usual = {1, 4194304};

static void sizes_are_told_as_osu_takes_them(void **unused)
{
	static const struct {
		const char *text;
		uint64_t min, max;
	} cases[] = {
		{"", 1, 4194304},
		{"128", 1, 128},
		{":128", 1, 128},
		{"2:128", 2, 128},
		{"2:", 2, 4194304},
		{"0:8", 0, 8},
		{"8:8", 8, 8},
		{"0", 0, 0}, /* the smallest that nobody named gives way */
		{"1M:4GiB", 1048576, 4294967296},
		{"4294967296", 1, 4294967296},
		{"2147483648:2147483649", 2147483648, 2147483649},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sizes s = usual;
		struct err e = {0};

		assert_int_equal(sizes_parse(&s, cases[i].text, &e), 0);
		assert_int_equal(s.min, cases[i].min);
		assert_int_equal(s.max, cases[i].max);
	}
}

static void what_is_no_size_is_refused(void **unused)
{
	static const char *const texts[] = {
		"x",
		"1:2:3",
		"-1",
		"8:4",
		"8MB/s",
		"1e30",
		"9223372036854775808",
		"2P",
		"1:99999999999999999999999999999999999999999999999999999999999999999999"};

	(void)unused;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sizes s = usual;
		struct err e = {0};

		assert_int_equal(sizes_parse(&s, texts[i], &e), -1);
		assert_int_equal(e.kind, ERR_USAGE);
		assert_true(*e.msg);
	}
}

static void sizes_double_up_to_the_largest(void **unused)
{
	static const struct sizes all = {0, 5}, odd = {3, 12}, one = {7, 7},
				  none = {0, 0};
	static const struct sizes most = {SIZES_MOST, SIZES_MOST};

	(void)unused;
	assert_int_equal(sizes_next(&all, 0), 1);
	assert_int_equal(sizes_next(&all, 1), 2);
	assert_int_equal(sizes_next(&all, 4), 0);
	assert_int_equal(sizes_next(&odd, 6), 12);
	assert_int_equal(sizes_next(&one, 7), 0);
	assert_int_equal(sizes_next(&none, 0), 0);
	assert_int_equal(sizes_next(&most, SIZES_MOST), 0);
}

static void every_byte_of_a_content_counts(void **unused)
{
	unsigned char p[40];

	(void)unused;
	for (uint64_t size = 0; size < sizeof(p) - 1; size++) {
		memset(p, 0xee, sizeof(p));
		content_fill(p, size, 5);
		assert_int_equal(p[size], 0xee);
		assert_int_equal(content_wrong(p, size, 5), 0);
		for (uint64_t i = 0; i < size; i++) {
			p[i] ^= 0x40;
			assert_int_equal(content_wrong(p, size, 5), 1);
			p[i] ^= 0x40;
		}
	}
}

/* A message of another turn or rank, one that is shifted, and none are all seen. */
static void contents_differ_by_seed_and_place(void **unused)
{
	unsigned char p[4096 + 8];

	(void)unused;
	content_fill(p, sizeof(p), 1);
	assert_true(content_wrong(p, 4096, 2) > 3800);
	assert_true(content_wrong(p + 1, 4096, 1) > 3800);
	assert_true(content_wrong(p + 8, 4096, 1) > 3800);
	memset(p, 0, sizeof(p));
	assert_true(content_wrong(p, 4096, 1) > 3800);
	/* single bytes, too, are seldom as before */
	for (uint64_t seed = 1, same = 0; seed < 200; seed++) {
		content_fill(p, 1, seed);
		same += content_wrong(p, 1, seed + 1) == 0;
		assert_true(same < 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_told_as_osu_takes_them),
		cmocka_unit_test(what_is_no_size_is_refused),
		cmocka_unit_test(sizes_double_up_to_the_largest),
		cmocka_unit_test(every_byte_of_a_content_counts),
		cmocka_unit_test(contents_differ_by_seed_and_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
