/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of what is plugged in: recorded machines with adapters, links and modules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/facts.h"
#include "tree.h"

/* Facts without a topology: it plays no part here. json_decref() them. */
static json_t *gather(const struct tree *t)
{
	return facts_gather(&t->io, NULL, "not wanted");
}

/* The fact at @group and @key (NULL: the whole group) is @want; "" is absent. */
static void expect(const json_t *facts, const char *group, const char *key,
		   const char *want)
{
	json_t *w = json_loads(want, JSON_DECODE_ANY, NULL);
	json_t *got = json_object_get(facts, group);
	char *text;

	got = key ? json_object_get(got, key) : got;
	text = got ? json_dumps(got, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)) : NULL;
	if (got ? !json_equal(got, w) : *want != '\0')
		fail_msg("%s %s: %s, expected %s", group, key ? key : "",
			 text ? text : "absent", want);
	free(text);
	json_decref(w);
}

static void links_of_adapters_are_told_with_their_ports(void **unused)
{
	struct tree t;
	json_t *f;

	(void)unused;
	tree_load(&t, "d03"); /* D03 */
	f = gather(&t);
	expect(f, "pci", "0000:21:00.0",
	       "{\"class\":\"infiniband\",\"vendor\":\"15b3\",\"device\":\"101b\","
	       "\"driver\":\"mlx5_core\",\"names\":[\"mlx5_0\",\"ib0\"],\"numa\":1,"
	       "\"links\":[{\"device\":\"0000:21:00.0\",\"port\":\"0000:20:01.1\","
	       "\"now_speed\":8e9,\"now_width\":8,\"max_speed\":1.6e10,\"max_width\":16,"
	       "\"port_speed\":1.6e10,\"port_width\":16}]}");
	/* numa_node -1 is not known; a faster card than its slot */
	expect(f, "pci", "0000:41:00.0",
	       "{\"class\":\"infiniband\",\"vendor\":\"15b3\",\"device\":\"101b\","
	       "\"driver\":\"mlx5_core\",\"names\":[\"mlx5_1\"],"
	       "\"links\":[{\"device\":\"0000:41:00.0\",\"port\":\"0000:40:01.1\","
	       "\"now_speed\":1.6e10,\"now_width\":16,\"max_speed\":1.6e10,"
	       "\"max_width\":16,\"port_speed\":1.6e10,\"port_width\":16}]}");
	expect(f, "pci", "0000:61:00.0",
	       "{\"class\":\"infiniband\",\"vendor\":\"15b3\",\"device\":\"101b\","
	       "\"driver\":\"mlx5_core\",\"numa\":0}");
	assert_non_null(
		strstr(json_string_value(json_object_get(json_object_get(f, "unreadable"),
							 "pci.0000:61:00.0")),
		       "current_link_speed': Is a directory"));
	/* behind a switch: the switch's own link, too; the number of the slot */
	expect(f, "pci", "0000:a3:00.0",
	       "{\"class\":\"ethernet\",\"vendor\":\"15b3\",\"device\":\"1015\","
	       "\"driver\":\"mlx5_core\",\"names\":[\"eno1\"],\"numa\":0,\"slot\":\"7\","
	       "\"links\":[{\"device\":\"0000:a3:00.0\",\"port\":\"0000:a2:00.0\","
	       "\"now_speed\":1.6e10,\"now_width\":8,\"max_speed\":1.6e10,"
	       "\"max_width\":8,\"port_speed\":1.6e10,\"port_width\":8},"
	       "{\"device\":\"0000:a1:00.0\",\"port\":\"0000:a0:01.1\","
	       "\"now_speed\":1.6e10,\"now_width\":4,\"max_speed\":1.6e10,"
	       "\"max_width\":16,\"port_speed\":1.6e10,\"port_width\":16}]}");
	/* bridges and disks are no network devices */
	assert_int_equal(json_object_size(json_object_get(f, "pci")), 5);
	json_decref(f);
	tree_remove(&t);
}

static void adapters_and_interfaces_are_told(void **unused)
{
	struct tree t;
	json_t *f;

	(void)unused;
	tree_load(&t, "d03");
	f = gather(&t);
	expect(f, "hca", "mlx5_0",
	       "{\"type\":\"MT4123\",\"firmware\":\"20.31.1014\","
	       "\"board\":\"MT_0000000223\",\"guid\":\"0c42:a103:0011:2233\","
	       "\"pci\":\"0000:21:00.0\",\"numa\":1,\"ports\":[{\"port\":1,"
	       "\"state\":\"ACTIVE\",\"physical\":\"LinkUp\",\"layer\":\"InfiniBand\","
	       "\"lid\":\"0x1a\",\"rate\":1.25e10,\"width\":\"2X HDR\"}]}");
	/* loopback has no device, a speed of -1 is not known */
	expect(f, "net", NULL,
	       "{\"eno1\":{\"mtu\":9000,\"carrier\":true,\"speed\":3.125e9,"
	       "\"pci\":\"0000:a3:00.0\",\"numa\":0},"
	       "\"ib0\":{\"mtu\":2044,\"carrier\":true,\"pci\":\"0000:21:00.0\","
	       "\"numa\":1}}");
	json_decref(f);
	tree_remove(&t);
}

static void modules_and_slots_are_told_to_those_who_may_read_them(void **unused)
{
	struct tree t;
	json_t *f, *saved;
	char path[128];

	(void)unused;
	tree_load(&t, "d03");
	saved = gather(&t);
	expect(saved, "smbios", "sockets_populated", "2");
	expect(saved, "smbios", "dimm_slots", "16");
	expect(saved, "smbios", "slots",
	       "[{\"name\":\"PCIe Slot 1\",\"address\":\"0000:21:00.0\"}]");
	expect(saved, "smbios", "dimms",
	       "[{\"size\":17179869184,\"type\":\"DDR4\",\"speed\":3.2e9,"
	       "\"configured\":2.933e9,\"rank\":2,\"maker\":\"00CE00B300CE\","
	       "\"part\":\"M393A2K43DB3-CWE\",\"slots\":[\"A1\",\"A2\",\"A3\",\"A4\","
	       "\"A6\",\"A7\",\"A8\",\"B1\",\"B2\",\"B3\",\"B4\",\"B5\",\"B6\",\"B7\","
	       "\"B8\"]},{\"size\":0,\"slots\":[\"A5\"]}]");
	tree_remove(&t);

	/* others have them from what root saved; what they read themselves stays */
	tree_load(&t, "d03");
	(void)snprintf(path, sizeof(path), "%s/sys/firmware/dmi/tables/DMI", t.dir);
	assert_int_equal(remove(path), 0);
	tree_put(&t, "/sys/firmware/dmi/tables/DMI/x", ""); /* a folder: unreadable */
	tree_put(&t, "/proc/sys/kernel/numa_balancing", "0\n");
	f = gather(&t);
	expect(f, "smbios", NULL, "");
	assert_int_equal(facts_complete(f, saved), 1);
	expect(f, "smbios", "dimm_slots", "16");
	expect(f, "os", "numa_balancing", "0");
	assert_null(json_object_get(json_object_get(f, "unreadable"), "smbios"));
	json_decref(f);
	json_decref(saved);
	tree_remove(&t);
}

/* What a device says may be anything: then it is not known, and nothing breaks. */
static void hostile_devices_are_not_believed(void **unused)
{
	static const char dev[] = "/sys/bus/pci/devices/0000:01:00.0/";
	static const struct {
		const char *file, *text;
	} files[] = {
		{"class", "0x020000\n"},
		{"vendor", "\x1b[2J\n"},
		{"current_link_speed", "Unknown\n"},
		{"current_link_width", "0\n"},
		{"max_link_speed", "-16.0 GT/s\n"},
		{"max_link_width", "255\n"},
		{"numa_node", "99999999999999999999999\n"},
	};
	char path[128];
	struct tree t;
	json_t *f;

	(void)unused;
	tree_make(&t);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", dev, files[i].file);
		tree_put(&t, path, files[i].text);
	}
	tree_put(&t, "/sys/bus/pci/devices/..0:01:00.0/class", "0x020000\n");
	tree_put(&t, "/sys/bus/pci/devices/0000:02:00.0/class", "nonsense\n");
	tree_put(&t, "/sys/bus/pci/devices/10000:e1:00.0/class", "0x020800\n");
	tree_put(&t, "/sys/class/infiniband/mlx5_0/ports/1/rate", "1e400 Gb/sec (4X\n");
	tree_put(&t, "/sys/class/infiniband/mlx5_0/ports/1/state", ": \n");
	tree_put(&t, "/sys/class/infiniband/a b/fw_ver", "1\n");
	tree_put(&t, "/sys/class/net/eth0/device/x", "");
	tree_put(&t, "/sys/class/net/eth0/speed", "4294967295\n");
	tree_put(&t, "/sys/class/net/eth0/carrier", "7\n");
	tree_put(&t, "/sys/firmware/dmi/tables/DMI", "\x11\xff\x01\x02");
	f = gather(&t);
	expect(f, "pci", NULL,
	       "{\"0000:01:00.0\":{\"class\":\"ethernet\",\"vendor\":\"\\\\x1b[2J\"},"
	       "\"10000:e1:00.0\":{\"class\":\"fabric\"}}");
	expect(f, "hca", NULL, "{\"mlx5_0\":{\"ports\":[{\"port\":1,\"state\":\":\"}]}}");
	expect(f, "net", NULL, "{\"eth0\":{\"carrier\":true}}");
	expect(f, "smbios", NULL, "");
	json_decref(f);
	tree_remove(&t);
}

static void a_machine_without_devices_has_no_facts_of_them(void **unused)
{
	static const char *const groups[] = {"pci", "hca", "net", "smbios", "tmp"};
	struct tree t;
	json_t *f;

	(void)unused;
	tree_make(&t);
	f = gather(&t);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		expect(f, groups[i], NULL, "");
	json_decref(f);
	tree_put(&t, "/tmp/x", "");
	tree_put(&t, "/proc/meminfo",
		 "MemTotal: 1024 kB\nMemAvailable: 512 kB\nSwapTotal: 8 kB\n"
		 "SwapFree: 5 kB\nHugePages_Total: 3\nHugePages_Free: 1\n"
		 "Hugepagesize: 2 kB\n");
	f = gather(&t);
	assert_true(json_integer_value(
			    json_object_get(json_object_get(f, "tmp"), "free")) > 0);
	expect(f, "memory", "swap_used", "3072");
	expect(f, "memory", "hugepages_reserved", "6144");
	expect(f, "memory", "hugepage_size", "2048");
	json_decref(f);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_of_adapters_are_told_with_their_ports),
		cmocka_unit_test(adapters_and_interfaces_are_told),
		cmocka_unit_test(modules_and_slots_are_told_to_those_who_may_read_them),
		cmocka_unit_test(hostile_devices_are_not_believed),
		cmocka_unit_test(a_machine_without_devices_has_no_facts_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
