/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of network ports, of machines we don't have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "host/counters.h"
#include "kernels/kit/gauges.h"
#include "tree.h"

static double value(const struct counters *c, const char *name)
{
	const struct counter *found = counters_find(c, name);

	return found ? found->value : -1;
}

static void ports_of_every_kind_are_read(void **unused)
{
	struct counters c = {.n = 0};
	struct tree t;

	(void)unused;
	tree_make(&t);
	tree_put(&t, "/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error",
		 "12\n");
	tree_put(&t, "/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_wait",
		 "22730501\n");
	tree_put(&t, "/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_discards",
		 "3\n");
	tree_put(&t, "/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_packets",
		 "101733204203\n");
	/* as a driver answers that has no such counter */
	tree_put(&t, "/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed",
		 "N/A (no PMA)\n");
	tree_put(&t, "/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence",
		 "5\n");
	tree_put(&t, "/sys/class/net/hsn0/type", "1\n");
	tree_put(&t, "/sys/class/net/hsn0/statistics/rx_crc_errors", "7\n");
	tree_put(&t, "/sys/class/net/hsn0/statistics/rx_dropped", "1\n");
	tree_put(&t, "/sys/class/net/hsn0/statistics/rx_packets", "1000\n");
	tree_put(&t, "/sys/class/net/hsn0/carrier_changes", "2\n");
	tree_put(&t, "/sys/class/net/lo/type", "772\n");
	tree_put(&t, "/sys/class/net/lo/statistics/rx_dropped", "9\n");
	tree_put(&t, "/proc/net/snmp",
		 "Ip: Forwarding DefaultTTL\nIp: 1 64\n"
		 "Tcp: RtoAlgorithm MaxConn InSegs OutSegs RetransSegs InErrs\n"
		 "Tcp: 1 -1 262147 263862 61 0\nUdp: InDatagrams\nUdp: 5\n");
	counters_ports(&c, &t.io);
	assert_int_equal(c.n, 11);
	assert_true(value(&c, "mlx5_0:1/symbol_error") == 12);
	assert_true(value(&c, "mlx5_0:1/port_xmit_wait") == 22730501);
	assert_true(value(&c, "mlx5_0:1/port_xmit_packets") == 101733204203);
	assert_string_equal(counters_find(&c, "mlx5_0:1/port_xmit_discards")->of,
			    "mlx5_0:1/port_xmit_packets");
	assert_true(counters_find(&c, "mlx5_0:1/port_xmit_packets")->background);
	assert_true(value(&c, "mlx5_1:1/out_of_sequence") == 5);
	assert_true(value(&c, "hsn0/rx_crc_errors") == 7);
	assert_true(value(&c, "hsn0/carrier_changes") == 2);
	assert_string_equal(counters_find(&c, "hsn0/rx_dropped")->of, "hsn0/rx_packets");
	assert_true(value(&c, "tcp/RetransSegs") == 61);
	assert_true(value(&c, "tcp/OutSegs") == 263862);
	assert_null(counters_find(&c, "mlx5_0:1/link_downed"));
	assert_null(counters_find(&c, "lo/rx_dropped"));
	counters_release(&c);
	tree_remove(&t);
}

static void nonsense_gives_no_counter(void **unused)
{
	static const char *const snmp[] = {"",
					   "Tcp: ",
					   "Tcp: A B\n",
					   "Tcp: OutSegs\nTcp: \n",
					   "Tcp: OutSegs\nTcp: x\n",
					   "Tcp: A OutSegs\nTcp: 1",
					   "Tcp:\nTcp:\nTcp: "};

	(void)unused;
	for (size_t i = 0; i < sizeof(snmp) / sizeof(snmp[0]); i++) {
		struct counters c = {.n = 0};
		struct tree t;

		tree_make(&t);
		tree_put(&t, "/proc/net/snmp", snmp[i]);
		tree_put(&t, "/sys/class/net/hsn0/type", "1\n");
		tree_put(&t, "/sys/class/net/hsn0/statistics/rx_errors", "-1\n");
		tree_put(&t, "/sys/class/net/hsn0/statistics/tx_errors", "");
		counters_ports(&c, &t.io);
		assert_int_equal(c.n, 0);
		counters_release(&c);
		tree_remove(&t);
	}
}

/* An EPYC: its own sensor is k10temp, another device is not of the CPUs. */
static void put_node(const struct tree *t)
{
	tree_put(t, "/sys/devices/system/edac/mc/mc0/ce_count", "17\n");
	tree_put(t, "/sys/devices/system/edac/mc/mc0/ue_count", "0\n");
	tree_put(t, "/sys/devices/system/edac/mc/mc1/ce_count", "0\n");
	tree_put(t, "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
		 "3\n");
	tree_put(t, "/sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count",
		 "4\n");
	tree_put(t, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2450000\n");
	tree_put(t, "/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2550000\n");
	tree_put(t, "/sys/class/hwmon/hwmon0/name", "nvme\n");
	tree_put(t, "/sys/class/hwmon/hwmon0/temp1_input", "91000\n");
	tree_put(t, "/sys/class/hwmon/hwmon2/name", "k10temp\n");
	tree_put(t, "/sys/class/hwmon/hwmon2/temp1_input", "61250\n");
	tree_put(t, "/sys/class/hwmon/hwmon2/temp3_input", "64500\n");
	tree_put(t, "/sys/class/hwmon/hwmon2/temp3_label", "Tccd1\n");
}

static void memory_and_cpus_are_read(void **unused)
{
	static const int cpus[] = {0, 1, 2};
	struct counters c = {.n = 0};
	struct counters_gauges g;
	struct strbuf text = {0};
	struct tree t;

	(void)unused;
	tree_make(&t);
	g = counters_gauges(&t.io, cpus, 3);
	assert_true(isnan(g.frequency) && isnan(g.temperature));
	counters_unreadable(&t.io, cpus, 3, &text);
	assert_string_equal(strbuf_str(&text), "clock (cpufreq), temperature (hwmon), "
					       "memory errors (EDAC)");
	put_node(&t);
	counters_node(&c, &t.io);
	assert_int_equal(c.n, 4);
	assert_true(value(&c, "mc0/ce_count") == 17);
	assert_true(value(&c, "mc0/ue_count") == 0);
	assert_true(value(&c, "cpus/core_throttle_count") == 7);
	g = counters_gauges(&t.io, cpus, 3);
	assert_true(g.frequency == 2.5e9);
	assert_true(g.temperature == 64.5);
	strbuf_reset(&text);
	counters_unreadable(&t.io, cpus, 3, &text);
	assert_string_equal(strbuf_str(&text), "");
	strbuf_release(&text);
	counters_release(&c);
	tree_remove(&t);
}

static void gauges_are_looked_at_while_something_runs(void **unused)
{
	static const int cpus[] = {0, 1};
	const struct counters_gauges *looks;
	struct cpumask all = {{3}};
	struct gauges *g;
	struct tree t;
	int n;

	(void)unused;
	tree_make(&t);
	assert_null(gauges_start(&t.io, cpus, 2, &all, 0.001)); /* nothing to be seen */
	put_node(&t);
	g = gauges_start(&t.io, cpus, 2, &all, 0.001);
	assert_non_null(g);
	(void)usleep(300000);
	looks = gauges_stop(g, &n);
	assert_true(n >= 1 && n <= GAUGES_KEPT);
	for (int i = 0; i < n; i++)
		assert_true(looks[i].temperature == 64.5 && looks[i].frequency == 2.5e9);
	gauges_free(g);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_and_cpus_are_read),
		cmocka_unit_test(gauges_are_looked_at_while_something_runs),
		cmocka_unit_test(ports_of_every_kind_are_read),
		cmocka_unit_test(nonsense_gives_no_counter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
