/* SPDX-License-Identifier: Apache-2.0 */
/* Which interface carried the messages, by counters of machines we don't have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernels/wires.h"
#include "tree.h"

static void net(const struct tree *t, const char *name, const char *type,
		unsigned long long sent)
{
	char path[256], text[32];

	(void)snprintf(path, sizeof(path), "/sys/class/net/%s/type", name);
	tree_put(t, path, type);
	(void)snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/tx_bytes", name);
	(void)snprintf(text, sizeof(text), "%llu\n", sent);
	tree_put(t, path, text);
}

static void port(const struct tree *t, const char *device, const char *layer,
		 unsigned long long words)
{
	char path[256], text[32];

	(void)snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/link_layer",
		       device);
	tree_put(t, path, layer);
	(void)snprintf(path, sizeof(path),
		       "/sys/class/infiniband/%s/ports/1/counters/port_xmit_data",
		       device);
	(void)snprintf(text, sizeof(text), "%llu\n", words);
	tree_put(t, path, text);
}

static uint64_t sent(const struct wires *w, const char *name, const char *transport)
{
	for (int i = 0; i < w->n; i++) {
		if (!strcmp(w->items[i].name, name)) {
			assert_string_equal(w->items[i].transport, transport);
			return w->items[i].sent;
		}
	}
	fail_msg("no '%s'", name);
	return 0;
}

static void every_kind_of_port_has_its_name_and_its_unit(void **unused)
{
	struct tree t;
	struct wires w;
	char path[PATH_MAX];

	(void)unused;
	tree_make(&t);
	net(&t, "lo", "772\n", 999);
	net(&t, "eth0", "1\n", 1000);
	port(&t, "mlx5_0", "InfiniBand\n", 1000);
	port(&t, "mlx5_1", "Ethernet\n", 500);
	port(&t, "opap1s0", "InfiniBand\n", 250);
	tree_put(&t, "/sys/class/infiniband/opap1s0/device/vendor", "0x8086\n");
	(void)snprintf(path, sizeof(path),
		       "%s/sys/class/infiniband/opap1s0/device/driver", t.dir);
	assert_int_equal(symlink("../../../../bus/pci/drivers/hfi1", path), 0);
	wires_read(t.dir, &w);
	assert_int_equal(w.n, 4);
	assert_int_equal(sent(&w, "eth0", "tcp"), 1000);
	assert_int_equal(sent(&w, "mlx5_0:1", "ib"), 4000);
	assert_int_equal(sent(&w, "mlx5_1:1", "roce"), 2000);
	assert_int_equal(sent(&w, "opap1s0:1", "opa"), 1000);
	assert_int_equal(wires_total(&w), 8000);
	tree_remove(&t);
}

static void what_passes_two_devices_counts_once(void **unused)
{
	struct tree t;
	struct wires w;

	(void)unused;
	tree_make(&t);
	net(&t, "bond0", "1\n", 3000); /* two members, which have a master */
	net(&t, "eth0", "1\n", 1500);
	net(&t, "eth1", "1\n", 1500);
	tree_put(&t, "/sys/class/net/eth0/master", "");
	tree_put(&t, "/sys/class/net/eth1/master", "");
	net(&t, "eth2", "1\n", 1000); /* of this, 900 for its VLAN */
	net(&t, "eth2.7", "1\n", 900);
	tree_put(&t, "/sys/class/net/eth2.7/lower_eth2", "");
	net(&t, "ib0", "32\n", 5000); /* TCP through mlx5_0's first port */
	tree_put(&t, "/sys/class/net/ib0/device/infiniband/mlx5_0/x", "");
	tree_put(&t, "/sys/class/net/ib0/dev_port", "0\n");
	port(&t, "mlx5_0", "InfiniBand\n", 1500);
	net(&t, "eth3", "1\n", 700); /* a RoCE port counts RDMA alone */
	tree_put(&t, "/sys/class/net/eth3/device/infiniband/mlx5_1/x", "");
	port(&t, "mlx5_1", "Ethernet\n", 100);
	wires_read(t.dir, &w);
	assert_int_equal(w.n, 7);
	assert_int_equal(sent(&w, "bond0", "tcp"), 3000);
	assert_int_equal(sent(&w, "eth2", "tcp"), 100);
	assert_int_equal(sent(&w, "eth2.7", "tcp"), 900);
	assert_int_equal(sent(&w, "ib0", "tcp"), 5000);
	assert_int_equal(sent(&w, "mlx5_0:1", "ib"), 1000);
	assert_int_equal(sent(&w, "eth3", "tcp"), 700);
	assert_int_equal(sent(&w, "mlx5_1:1", "roce"), 400);
	tree_remove(&t);
}

static void a_counter_that_is_no_number_is_no_interface(void **unused)
{
	struct tree t;
	struct wires w;

	(void)unused;
	tree_make(&t);
	wires_read(t.dir, &w); /* no /sys at all */
	assert_int_equal(w.n, 0);
	net(&t, "eth0", "1\n", 5);
	tree_put(&t, "/sys/class/net/eth0/statistics/tx_bytes", "what?\n");
	tree_put(&t, "/sys/class/net/eth1/type", "1\n");
	port(&t, "mlx5_0", "InfiniBand\n", 1);
	tree_put(&t, "/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "");
	wires_read(t.dir, &w);
	assert_int_equal(w.n, 0);
	tree_remove(&t);
}

static const char *say(const struct wires *before, const struct wires *after,
		       uint64_t payload)
{
	static char text[256];
	struct strbuf sb = {0};
	struct wires w;

	wires_between(before, after, &w);
	wires_say(&w, payload, &sb);
	(void)snprintf(text, sizeof(text), "%s", strbuf_str(&sb));
	strbuf_release(&sb);
	return text;
}

static void who_carried_the_messages_is_said(void **unused)
{
	const struct wires before = {
		.items = {{"eth0", "tcp", 100}, {"hsn0", "tcp", 7}, {"hsn1", "tcp", 7}},
		.n = 3};
	struct wires after = before;

	(void)unused;
	after.items[0].sent += 50000; /* somebody's log in */
	after.items[1].sent += 10500000;
	assert_string_equal(say(&before, &after, 10000000), "hsn0 (tcp): 10.5 MB sent");
	after.items[2].sent += 9000000; /* two rails */
	assert_string_equal(say(&before, &after, 19000000),
			    "hsn0 (tcp): 10.5 MB sent, hsn1 (tcp): 9.00 MB sent");
	assert_string_equal(say(&before, &after, 100000000),
			    "unknown: 100 MB of messages, interfaces counted 19.6 MB");
	assert_string_equal(say(&before, &before, 1000),
			    "unknown: 1.00 kB of messages, interfaces counted 0 B");
	after.items[1].sent = 3; /* it was taken out and came back */
	after.items[2].sent = 7;
	assert_string_equal(say(&before, &after, 50000), "eth0 (tcp): 50.0 kB sent");
}

static void messages_within_a_node_go_through_memory_or_the_loopback(void **unused)
{
	struct strbuf sb = {0};
	struct tree t;

	(void)unused;
	tree_make(&t);
	assert_int_equal(wires_loopback(t.dir), 0);
	net(&t, "lo", "772\n", 2130000);
	assert_int_equal(wires_loopback(t.dir), 2130000);
	wires_say_near(2130000, 2000000, &sb);
	assert_string_equal(strbuf_str(&sb), "lo (tcp): 2.13 MB sent");
	strbuf_reset(&sb);
	wires_say_near(3000, 2000000, &sb); /* what else goes that way */
	assert_string_equal(strbuf_str(&sb), "memory (shm): 2.00 MB sent");
	strbuf_release(&sb);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_port_has_its_name_and_its_unit),
		cmocka_unit_test(what_passes_two_devices_counts_once),
		cmocka_unit_test(a_counter_that_is_no_number_is_no_interface),
		cmocka_unit_test(who_carried_the_messages_is_said),
		cmocka_unit_test(
			messages_within_a_node_go_through_memory_or_the_loopback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
