/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the rounds in which pairs meet. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/matching.h"
#include "base/mem.h"

/* Partners are each other's, and adds 1 to met[a * n + b] for each pair. */
static size_t play(const struct matching *m, size_t round, unsigned char *met)
{
	size_t idle = 0;

	for (size_t i = 0; i < m->n; i++) {
		size_t k = matching_partner(m, round, i);

		assert_true(k < m->n);
		assert_int_equal(matching_partner(m, round, k), i);
		idle += k == i;
		if (k != i)
			met[i * m->n + k]++;
	}
	assert_int_equal(idle, m->n % 2);
	return idle;
}

static void all_meet_once(void **state)
{
	(void)state;
	for (size_t n = 2; n < 70; n++) {
		struct matching m = matching_all(n, 0);
		unsigned char *met = mem_calloc(n * n, 1);

		assert_int_equal(m.rounds, n % 2 ? n : n - 1);
		for (size_t r = 0; r < m.rounds; r++)
			(void)play(&m, r, met);
		for (size_t i = 0; i < n * n; i++)
			assert_int_equal(met[i], i / n != i % n);
		assert_true(matching_share(&m) == 1);
		free(met);
	}
}

static void a_sample_has_no_pair_twice(void **state)
{
	static const size_t sizes[] = {2, 3, 7, 16, 17, 100, 255, 1000};

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		size_t n = sizes[s], pairs = 0;
		struct matching m = matching_sample(n, 0, s);
		unsigned char *met = mem_calloc(n * n, 1);

		assert_int_equal(m.rounds, matching_sample_rounds(n));
		for (size_t r = 0; r < m.rounds; r++)
			(void)play(&m, r, met);
		for (size_t i = 0; i < n * n; i++) {
			assert_true(met[i] <= 1);
			pairs += met[i];
		}
		assert_true(fabs(matching_share(&m) -
				 (double)pairs / (double)(n * (n - 1))) < 1e-9);
		free(met);
		matching_release(&m);
	}
	assert_int_equal(matching_sample_rounds(1000), 30);
	assert_int_equal(matching_sample_rounds(8), 7);
	assert_int_equal(matching_sample_rounds(16), 12);
}

static void a_seed_gives_its_own_rounds(void **state)
{
	struct matching a = matching_sample(64, 5, 1), b = matching_sample(64, 5, 1),
			c = matching_sample(64, 5, 2);
	size_t same = 0;

	(void)state;
	for (size_t r = 0; r < 5; r++) {
		for (size_t i = 0; i < 64; i++) {
			assert_int_equal(matching_partner(&a, r, i),
					 matching_partner(&b, r, i));
			same += matching_partner(&a, r, i) == matching_partner(&c, r, i);
		}
	}
	/* 5 of 320 are expected */
	assert_true(same < 64);
	matching_release(&a);
	matching_release(&b);
	matching_release(&c);
}

/* How often each pair comes over many seeds: a bad generator would prefer some. */
static void each_pair_is_as_likely(void **state)
{
	enum { N = 10, SEEDS = 9000 };
	size_t count[N * N] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct matching m = matching_sample(N, 1, seed);

		for (size_t i = 0; i < N; i++)
			count[i * N + matching_partner(&m, 0, i)]++;
		matching_release(&m);
	}
	for (size_t i = 0; i < sizeof(count) / sizeof(*count); i++) {
		/* 1000 expected, a standard deviation is 30 */
		if (i / N == i % N)
			assert_int_equal(count[i], 0);
		else
			assert_in_range(count[i], 850, 1150);
	}
}

static void turns_keep_pairs_apart(void **state)
{
	(void)state;
	for (size_t n = 2; n < 30; n++) {
		struct matching m = matching_sample(n, 0, n);

		for (size_t at_once = 1; at_once < 5; at_once++) {
			size_t turns = matching_turns(&m, at_once);

			assert_int_equal(turns, ((n + 1) / 2 + at_once - 1) / at_once);
			for (size_t r = 0; r < m.rounds; r++) {
				size_t busy[16] = {0};

				for (size_t i = 0; i < n; i++) {
					size_t k = matching_partner(&m, r, i);
					size_t t = matching_turn(&m, r, i, at_once);

					assert_true(t < turns);
					assert_int_equal(
						t, matching_turn(&m, r, k, at_once));
					busy[t] += i < k;
				}
				for (size_t t = 0; t < turns; t++)
					assert_true(busy[t] <= at_once);
			}
		}
		assert_int_equal(matching_turns(&m, 0), 1);
		assert_int_equal(matching_turn(&m, 0, n - 1, 0), 0);
		matching_release(&m);
	}
}

static void nobody_meets_alone(void **state)
{
	struct matching m = matching_sample(1, 0, 1);

	(void)state;
	assert_int_equal(m.rounds, 0);
	assert_int_equal(matching_all(0, 0).rounds, 0);
	assert_int_equal(matching_all(9, 4).rounds, 4);
	matching_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_meet_once),
		cmocka_unit_test(a_sample_has_no_pair_twice),
		cmocka_unit_test(a_seed_gives_its_own_rounds),
		cmocka_unit_test(each_pair_is_as_likely),
		cmocka_unit_test(turns_keep_pairs_apart),
		cmocka_unit_test(nobody_meets_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
