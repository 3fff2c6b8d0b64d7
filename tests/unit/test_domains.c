/* SPDX-License-Identifier: Apache-2.0 */
/* NUMA domains as kernels see them, and the chase of pointers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "kernels/chase.h"
#include "kernels/kit/domains.h"
#include "tree.h"

struct want {
	int id, package, threads;
	bool memory;
};

/* The domains of @t for threads on CPUs 0 .. @n - 1. */
static void check(const struct topology *t, int n, const struct want *want, int n_want)
{
	struct kit_cpu *cpus = calloc((size_t)n, sizeof(*cpus));
	struct kit_domain *d;
	int *of;

	assert_non_null(cpus);
	for (int i = 0; i < n; i++)
		cpus[i].cpu = i;
	assert_int_equal(domains_make(t, cpus, n, &d, &of), n_want);
	for (int i = 0; i < n_want; i++) {
		assert_int_equal(d[i].id, want[i].id);
		assert_int_equal(d[i].package, want[i].package);
		assert_int_equal(d[i].threads, want[i].threads);
		assert_int_equal(d[i].memory > 0, want[i].memory);
	}
	for (int i = 0; i < n; i++)
		assert_true(of[i] >= -1 && of[i] < n_want);
	free(d);
	free(of);
	free(cpus);
}

/* Field case A15: rows 0, 2, 3 and columns 0, 3, 8. */
static void domains_without_memory_or_cpus_are_known_by_their_numbers(void **unused)
{
	static const struct want want[] = {
		{0, 0, 4, true}, {2, 1, 4, false}, {3, 2, 4, true}, {8, -1, 0, true}};
	struct topology *t;
	struct err e = {0};
	struct tree tree;

	(void)unused;
	tree_load(&tree, "numa");
	assert_int_equal(topology_load(&t, &tree.io, &e), 0);
	check(t, 12, want, 4);
	topology_free(t);
	tree_remove(&tree);
}

static void two_sockets_of_four_domains_are_eight(void **unused)
{
	struct want want[8];
	struct topology *t;
	struct err e = {0};

	(void)unused;
	for (int i = 0; i < 8; i++)
		want[i] = (struct want){i, i / 4, i < 4 ? 16 : 0, true};
	assert_int_equal(
		topology_from_synthetic(&t,
					"Package:2 Group:4 [NUMANode(memory=64GB)] "
					"L3Cache:2(size=32MB) Core:8 PU:1",
					&e),
		0);
	check(t, 64, want, 8);
	topology_free(t);
}

static void a_chase_visits_every_line_once(void **unused)
{
	static const size_t sizes[] = {1, 2, 3, 1000};

	(void)unused;
	for (size_t i = 0; i < 4; i++) {
		const size_t n = sizes[i];
		char *memory = aligned_alloc(CHASE_STEP, n * CHASE_STEP);
		bool *seen = calloc(n, sizeof(*seen));
		size_t straight = 0;
		void *at = memory;

		assert_non_null(memory);
		assert_non_null(seen);
		assert_int_equal(chase_make(memory, n * CHASE_STEP, i), n);
		for (size_t step = 0; step < n; step++) {
			const size_t line = (size_t)((char *)at - memory) / CHASE_STEP;
			void *next = chase(at, 1);

			assert_true(line < n && !seen[line]);
			seen[line] = true;
			straight += (char *)next == (char *)at + CHASE_STEP;
			at = next;
		}
		assert_ptr_equal(at, memory);
		assert_ptr_equal(chase(memory, n), memory);
		if (n == 1000)
			assert_true(straight < 20); /* 1 by chance */
		free(memory);
		free(seen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			domains_without_memory_or_cpus_are_known_by_their_numbers),
		cmocka_unit_test(two_sockets_of_four_domains_are_eight),
		cmocka_unit_test(a_chase_visits_every_line_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
