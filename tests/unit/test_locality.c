/* SPDX-License-Identifier: Apache-2.0 */
/* Near to a network adapter and far from it, on machines we don't have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "kernels/kit/locality.h"
#include "tree.h"

static void domain(const struct tree *t, int id, const char *cpus, const char *distance)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", id);
	tree_put(t, path, cpus);
	(void)snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/distance",
		       id);
	tree_put(t, path, distance);
}

/* Two sockets with four domains each; the adapter is at domain 1, as in the Milan study.
 */
static void milan(struct tree *t)
{
	static const char *const cpus[] = {"0-15\n",  "16-31\n", "32-47\n",  "48-63\n",
					   "64-79\n", "80-95\n", "96-111\n", "112-127\n"};

	tree_make(t);
	for (int i = 0; i < 8; i++)
		domain(t, i, cpus[i],
		       i < 4 ? "12 10 12 12 32 32 32 32\n" : "32 32 32 32 10 12 12 12\n");
	tree_put(t, "/sys/class/infiniband/mlx5_0/device/numa_node", "1\n");
	tree_put(t, "/sys/class/infiniband/mlx5_1/device/numa_node", "-1\n");
	tree_put(t, "/sys/class/net/eth0/device/numa_node", "6\n");
	tree_put(t, "/sys/class/net/eth0/type", "1\n");
	tree_put(t, "/sys/class/net/bond0/type", "1\n");
}

static void near_is_the_adapters_domain_and_far_is_the_farthest(void **unused)
{
	static const struct {
		const char *device, *near, *far;
	} cases[] = {{"mlx5_0", "16-31", "112-127"},
		     {"mlx5_0:1", "16-31", "112-127"},
		     {"eth0", "96-111", "48-63"}};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct locality l;
		struct err e = {0};
		struct tree t;

		milan(&t);
		assert_int_equal(locality_read(&l, t.dir, cases[i].device, &e), 0);
		assert_int_equal(l.n, 8);
		assert_string_equal(l.domains[l.near].cpus, cases[i].near);
		assert_string_equal(l.domains[l.far].cpus, cases[i].far);
		locality_release(&l);
		tree_remove(&t);
	}
}

/* Ids with gaps, a domain without CPUs (its distance has a place all the same). */
static void domains_without_cpus_are_neither_near_nor_far(void **unused)
{
	struct locality l;
	struct err e = {0};
	struct tree t;

	(void)unused;
	tree_make(&t);
	domain(&t, 0, "0-3\n", "10 99 20 30\n");
	domain(&t, 2, "\n", "99 10 99 99\n");
	domain(&t, 3, "4-7\n", "20 99 10 30\n");
	domain(&t, 8, "8-11\n", "30 99 15 10\n");
	tree_put(&t, "/sys/devices/system/node/has_cpu", "0,3,8\n");
	tree_put(&t, "/sys/class/net/hsn0/device/numa_node", "0\n");
	tree_put(&t, "/sys/class/net/hsn1/device/numa_node", "2\n");
	assert_int_equal(locality_read(&l, t.dir, "hsn0", &e), 0);
	assert_int_equal(l.n, 3);
	assert_int_equal(l.domains[l.near].id, 0);
	assert_int_equal(l.domains[l.far].id, 8);
	locality_release(&l);
	assert_int_equal(locality_read(&l, t.dir, "hsn1", &e), -1);
	assert_string_equal(e.msg, "'hsn1' is at NUMA domain 2, which has no CPUs");
	locality_release(&l);
	tree_remove(&t);
}

static void why_it_cannot_be_said_is_told(void **unused)
{
	static const struct {
		const char *device, *why;
	} cases[] = {
		{"mlx5_1", "firmware does not say at which NUMA domain 'mlx5_1' is"},
		{"bond0", "'bond0' is no device of its own: name the one below it"},
		{"mlx5_9", "there is no network device 'mlx5_9'"},
		{"../../etc", "'../../etc' is no name of a device"},
		{"..", "'..' is no name of a device"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct locality l;
		struct err e = {0};
		struct tree t;

		milan(&t);
		assert_int_equal(locality_read(&l, t.dir, cases[i].device, &e), -1);
		assert_string_equal(e.msg, cases[i].why);
		locality_release(&l);
		tree_remove(&t);
	}
}

static void one_domain_is_as_near_as_any(void **unused)
{
	struct locality l;
	struct err e = {0};
	struct tree t;

	(void)unused;
	tree_make(&t);
	domain(&t, 0, "0-1\n", "10\n");
	tree_put(&t, "/sys/class/net/eth0/device/numa_node", "0\n");
	assert_int_equal(locality_read(&l, t.dir, "eth0", &e), -1);
	assert_string_equal(e.msg, "the node has one NUMA domain with CPUs: all are as "
				   "near to 'eth0'");
	locality_release(&l);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_is_the_adapters_domain_and_far_is_the_farthest),
		cmocka_unit_test(domains_without_cpus_are_neither_near_nor_far),
		cmocka_unit_test(why_it_cannot_be_said_is_told),
		cmocka_unit_test(one_domain_is_as_near_as_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
