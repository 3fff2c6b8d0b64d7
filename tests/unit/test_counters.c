/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of network ports, of machines we don't have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "host/counters.h"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports_of_every_kind_are_read),
		cmocka_unit_test(nonsense_gives_no_counter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
