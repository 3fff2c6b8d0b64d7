/* SPDX-License-Identifier: Apache-2.0 */
/* The size of STREAM's arrays: field case C06, and what holds for every size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/stream_size.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/* Last-level caches, memory, and the elements an array must have at least; 0 = too big.
 */
static void arrays_are_four_times_the_caches_in_use(void **unused)
{
	static const struct {
		uint64_t llc, instances, memory, elements;
		bool guessed;
	} rows[] = {
		{32 * MIB, 24, 700 * GIB, 402653184, false},
		{32 * MIB, 1, 700 * GIB, 16777216, false},
		{32 * MIB, 24, 8 * GIB, 0, false},
		{0, 0, 8 * GIB, STREAM_LLC_AT_LEAST / 2, true},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct stream_want want = {
			.llc = rows[i].llc * rows[i].instances,
			.threads = rows[i].instances ? (int)rows[i].instances : 2};
		const struct stream_size s = stream_size(&want);
		const uint64_t need = 3 * s.stride * (uint64_t)want.threads;

		assert_int_equal(s.guessed, rows[i].guessed);
		assert_false(s.small);
		if (rows[i].elements) {
			assert_true(s.array / 8 >= rows[i].elements);
			assert_true(s.array / 8 <
				    rows[i].elements + rows[i].elements / 50);
			assert_true(need <= rows[i].memory);
		} else {
			assert_true(need > rows[i].memory);
		}
	}
}

static void a_size_asked_for_is_kept_and_marked_when_small(void **unused)
{
	struct stream_want want = {.llc = 32 * MIB, .asked = 128 * MIB, .threads = 2};

	(void)unused;
	assert_false(stream_size(&want).small);
	assert_true(stream_size(&want).array == 128 * MIB);
	want.asked -= 1;
	assert_true(stream_size(&want).small);
	assert_true(stream_size(&want).least == 128 * MIB);
	want.asked = 1;
	assert_true(stream_size(&want).part == 4096);
	want.llc = 0; /* unknown: small all the same when below the assumption */
	assert_true(stream_size(&want).small);
	assert_true(stream_size(&want).guessed);
}

static void an_unknown_cache_grows_with_the_threads(void **unused)
{
	struct stream_want want = {.threads = 192};

	(void)unused;
	/* more than any machine has: 12 MiB a core */
	assert_true(stream_size(&want).least == (uint64_t)4 * 192 * 12 * MIB);
	want.threads = 1;
	assert_true(stream_size(&want).least == 4 * STREAM_LLC_AT_LEAST);
}

static void every_thread_has_the_same_whole_pages(void **unused)
{
	(void)unused;
	for (int threads = 1; threads < 300; threads += 7) {
		for (uint64_t asked = 1; asked < 100 * GIB; asked = asked * 5 + 1) {
			const struct stream_want want = {
				.llc = MIB, .asked = asked, .threads = threads};
			const struct stream_size s = stream_size(&want);

			assert_int_equal(s.part % 4096, 0);
			assert_int_equal(s.stride % 4096, 0);
			assert_true(s.stride >= s.part + 2 * (uint64_t)STREAM_PAD);
			assert_true(s.part < 2 * MIB || s.stride % (2 * MIB) == 0);
			assert_true(s.array == s.part * (uint64_t)threads);
			assert_true(s.array >= asked);
			assert_true(s.array - asked <= 4096 * (uint64_t)threads);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_are_four_times_the_caches_in_use),
		cmocka_unit_test(a_size_asked_for_is_kept_and_marked_when_small),
		cmocka_unit_test(an_unknown_cache_grows_with_the_threads),
		cmocka_unit_test(every_thread_has_the_same_whole_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
