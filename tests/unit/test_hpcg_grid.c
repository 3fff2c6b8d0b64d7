/* SPDX-License-Identifier: Apache-2.0 */
/* Process grids and the matrix of assay-hpcg, without any process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/hpcg/problem.h"

static void grids_are_as_near_to_a_cube_as_the_number_allows(void **unused)
{
	static const int expected[][4] = {
		{1, 1, 1, 1}, {2, 2, 1, 1},  {3, 3, 1, 1},  {4, 2, 2, 1},
		{5, 5, 1, 1}, {6, 3, 2, 1},  {7, 7, 1, 1},  {8, 2, 2, 2},
		{9, 3, 3, 1}, {12, 3, 2, 2}, {64, 4, 4, 4}, {1000, 10, 10, 10},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct grid g =
			grid_make(expected[i][0], 0, (const int[3]){16, 16, 16});

		for (int d = 0; d < 3; d++)
			assert_int_equal(g.ranks[d], expected[i][d + 1]);
	}
}

static void a_flat_box_is_put_together_to_a_cube(void **unused)
{
	const struct grid g = grid_make(8, 0, (const int[3]){16, 16, 64});

	(void)unused;
	assert_int_equal(g.ranks[0] * g.ranks[1], 8);
	assert_int_equal(g.ranks[2], 1);
}

static void every_rank_has_a_place_and_knows_its_neighbours(void **unused)
{
	const int n[3] = {16, 16, 16};

	(void)unused;
	for (int ranks = 1; ranks <= 30; ranks++) {
		for (int rank = 0; rank < ranks; rank++) {
			const struct grid g = grid_make(ranks, rank, n);

			assert_int_equal(g.ranks[0] * g.ranks[1] * g.ranks[2], ranks);
			assert_int_equal(grid_rank(&g, g.at), rank);
		}
	}
}

static void flatness_is_the_smallest_side_to_the_largest(void **unused)
{
	(void)unused;
	assert_true(grid_flatness((const int[3]){8, 1, 8}) == 0.125);
	assert_true(grid_flatness((const int[3]){11, 1, 1}) < GRID_FLATTEST);
	assert_true(grid_flatness((const int[3]){8, 8, 8}) == 1);
}

/* Sizes beyond 2^31: counted, never wrapped. */
static void entries_of_large_grids_are_counted(void **unused)
{
	const struct grid g = grid_make(1000, 0, (const int[3]){1024, 1024, 1024});

	(void)unused;
	assert_true(grid_all_rows(&g) == 1073741824000);
	assert_true(grid_all_entries(&g) == (int64_t)30718 * 30718 * 30718);
	assert_true(problem_bytes(&g) > (uint64_t)1073741824 * 324);
}

/* What one rank sends is what the other counts as ghosts; entries of all add up. */
static void the_parts_of_all_ranks_are_the_whole_matrix(void **unused)
{
	(void)unused;
	for (int ranks = 1; ranks <= 12; ranks++) {
		int64_t entries = 0, all = 0;

		for (int rank = 0; rank < ranks; rank++) {
			const struct grid g =
				grid_make(ranks, rank, (const int[3]){2, 4, 6});
			struct matrix a;
			struct err e = {0};

			assert_int_equal(problem_make(&a, &g, &e), 0);
			for (int32_t i = 0; i < a.rows; i++) {
				double sum = 0;

				for (int64_t k = a.start[i]; k < a.start[i + 1]; k++) {
					assert_in_range(a.column[k], 0,
							a.rows + a.ghosts - 1);
					sum += a.value[k];
				}
				assert_true(sum == problem_rhs(&a, i));
			}
			for (int32_t i = 0; i < a.ghosts; i++)
				assert_in_range(a.sent[i], 0, a.rows - 1);
			entries += a.entries;
			all = grid_all_entries(&g);
			problem_release(&a);
		}
		assert_true(entries == all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grids_are_as_near_to_a_cube_as_the_number_allows),
		cmocka_unit_test(a_flat_box_is_put_together_to_a_cube),
		cmocka_unit_test(every_rank_has_a_place_and_knows_its_neighbours),
		cmocka_unit_test(flatness_is_the_smallest_side_to_the_largest),
		cmocka_unit_test(entries_of_large_grids_are_counted),
		cmocka_unit_test(the_parts_of_all_ranks_are_the_whole_matrix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
