/* SPDX-License-Identifier: Apache-2.0 */
/* Files of recorded machines, and how much of their memory may be used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/memory.h"
#include "tree.h"

#define GIB (1024.0 * 1024 * 1024)

/* 256 GiB of which 251.8 are available. */
#define MEMINFO                                                    \
	"MemTotal:       268435456 kB\nMemFree:  1000 kB\n"        \
	"MemAvailable:   264000000 kB\nHugePages_Total:       0\n" \
	"HugePages_Free:        0\nHugepagesize:       2048 kB\n"

#define V2_MOUNT "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_MOUNT                                                      \
	"31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"  \
	"32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" \
	"35 31 0:32 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n"

static struct host_memory usable(const struct tree *t)
{
	struct host_memory m;
	struct err e = {0};

	assert_int_equal(host_usable_memory(&t->io, &m, &e), 0);
	return m;
}

static void reserved_huge_pages_are_not_usable(void **unused)
{
	struct host_memory m;
	struct tree t;

	(void)unused;
	tree_make(&t); /* C03 a */
	tree_put(&t, "/proc/meminfo", MEMINFO);
	m = usable(&t);
	assert_float_equal((double)m.usable / GIB, 251.8, 0.05);
	assert_string_equal(m.from, "MemAvailable");
	assert_string_equal(m.unreadable, "");
	assert_int_equal(m.hugepages, 0);

	/* C03 b */
	tree_put(
		&t, "/proc/meminfo",
		"MemTotal: 268435456 kB\nMemAvailable: 196000000 kB\n"
		"HugePages_Total: 32768\nHugePages_Free: 32768\nHugepagesize: 2048 kB\n");
	m = usable(&t);
	assert_float_equal((double)m.usable / GIB, 186.9, 0.05);
	assert_float_equal((double)m.hugepages / GIB, 64, 0);
	assert_float_equal((double)m.hugepages_free / GIB, 64, 0);

	/* a kernel that counts them as available is not believed */
	tree_put(
		&t, "/proc/meminfo",
		"MemTotal: 268435456 kB\nMemAvailable: 260000000 kB\n"
		"HugePages_Total: 65536\nHugePages_Free: 65530\nHugepagesize: 2048 kB\n");
	m = usable(&t);
	assert_float_equal((double)m.usable / GIB, 128, 0);
	assert_string_equal(m.from, "MemTotal without huge pages");
	tree_remove(&t);
}

static void a_limit_far_above_the_leaf_counts(void **unused)
{
	struct host_memory m;
	struct tree t;

	(void)unused;
	tree_make(&t); /* C03 c */
	tree_put(&t, "/proc/meminfo", MEMINFO);
	tree_put(&t, "/proc/self/cgroup", "0::/job/step/task\n");
	tree_put(&t, "/proc/self/mountinfo", V2_MOUNT);
	tree_put(&t, "/sys/fs/cgroup/job/memory.max", "107374182400\n");
	tree_put(&t, "/sys/fs/cgroup/job/step/memory.max", "max\n");
	tree_put(&t, "/sys/fs/cgroup/job/step/task/memory.max", "max\n");
	m = usable(&t);
	assert_float_equal((double)m.usable / GIB, 100, 0);
	assert_string_equal(m.from, "memory.max of '/job'");

	/* throttling begins at memory.high */
	tree_put(&t, "/sys/fs/cgroup/job/step/memory.high", "53687091200\n");
	m = usable(&t);
	assert_float_equal((double)m.usable / GIB, 50, 0);
	assert_string_equal(m.from, "memory.high of '/job/step'");
	tree_remove(&t);
}

static void the_old_control_groups_count_too(void **unused)
{
	struct host_memory m;
	struct tree t;

	(void)unused;
	tree_make(&t);
	tree_put(&t, "/proc/meminfo", MEMINFO);
	tree_put(&t, "/proc/self/cgroup",
		 "5:cpu:/elsewhere\n4:hugetlb,memory:/slurm/uid_7/job_1\n0::/\n");
	tree_put(&t, "/proc/self/mountinfo", V1_MOUNT);
	tree_put(&t, "/sys/fs/cgroup/memory/memory.limit_in_bytes",
		 "9223372036854771712");
	tree_put(&t, "/sys/fs/cgroup/memory/slurm/uid_7/job_1/memory.limit_in_bytes",
		 "9223372036854771712\n");
	m = usable(&t);
	assert_string_equal(m.from, "MemAvailable");
	tree_put(&t, "/sys/fs/cgroup/memory/slurm/uid_7/memory.limit_in_bytes",
		 "4294967296\n");
	m = usable(&t);
	assert_int_equal(m.usable, UINT64_C(4) << 30);
	assert_string_equal(m.from, "memory.limit_in_bytes of '/slurm/uid_7'");
	tree_remove(&t);
}

static void a_container_sees_its_group_as_the_root_of_the_mount(void **unused)
{
	struct host_memory m;
	struct tree t;

	(void)unused;
	tree_make(&t);
	tree_put(&t, "/proc/meminfo", MEMINFO);
	tree_put(&t, "/proc/self/mountinfo",
		 "30 23 0:26 /docker/abc /sys/fs/cgroup\\040v2 ro - cgroup2 cgroup rw\n");
	tree_put(&t, "/sys/fs/cgroup v2/memory.max", "8589934592\n");
	tree_put(&t, "/sys/fs/cgroup v2/inner/memory.max", "max\n");
	tree_put(&t, "/proc/self/cgroup", "0::/docker/abc/inner\n");
	assert_int_equal(usable(&t).usable, UINT64_C(8) << 30);
	tree_put(&t, "/proc/self/cgroup", "0::/docker/abc\n");
	m = usable(&t);
	assert_int_equal(m.usable, UINT64_C(8) << 30);
	assert_string_equal(m.from, "memory.max of '/'");
	/* names of an outer namespace, and a neighbour that only begins alike */
	tree_put(&t, "/proc/self/cgroup", "0::/../other\n");
	assert_int_equal(usable(&t).usable, UINT64_C(8) << 30);
	tree_put(&t, "/proc/self/cgroup", "0::/docker/abcdef\n");
	assert_int_equal(usable(&t).usable, UINT64_C(8) << 30);
	tree_remove(&t);
}

static void ulimit_is_respected(void **unused)
{
	struct host_memory m;
	struct tree t;

	(void)unused;
	tree_make(&t);
	tree_put(&t, "/proc/meminfo", MEMINFO);
	tree_put(&t, "/proc/self/limits",
		 "Limit                     Soft Limit           Hard Limit    Units\n"
		 "Max data size             unlimited            unlimited     bytes\n"
		 "Max address space         4096000000           unlimited     bytes\n");
	m = usable(&t);
	assert_int_equal(m.usable, 4096000000);
	assert_string_equal(m.from, "address space limit (ulimit -v)");
	tree_put(&t, "/proc/self/limits", "Max data size  0  0  bytes\n");
	assert_int_equal(usable(&t).usable, 0);
	tree_remove(&t);
}

static void what_cannot_be_read_is_said(void **unused)
{
	struct host_memory m;
	struct err e = {0};
	struct tree t;
	char path[128];

	(void)unused;
	tree_make(&t);
	assert_int_equal(host_usable_memory(&t.io, &m, &e), -1);
	assert_int_equal(e.kind, ERR_NOTFOUND);
	assert_non_null(strstr(e.msg, "/proc/meminfo'"));
	tree_put(&t, "/proc/meminfo",
		 "MemTotal: many kB\nMemAvailable: 999999999999999999999\n");
	assert_int_equal(host_usable_memory(&t.io, &m, &e), -1);
	assert_int_equal(m.usable, 0);
	tree_put(&t, "/proc/meminfo", "MemTotal: 2048 kB\nMemFree: 1024 kB\n");
	m = usable(&t);
	assert_string_equal(m.from, "MemFree");

	tree_put(&t, "/proc/self/cgroup", "garbage\n:::\n0::/a\n");
	tree_put(&t, "/proc/self/mountinfo", "- - -\n\n" V2_MOUNT);
	tree_put(&t, "/sys/fs/cgroup/a/memory.max", "a lot\n");
	m = usable(&t);
	assert_int_equal(m.usable, 1024 * 1024);
	assert_non_null(
		strstr(m.unreadable, "/sys/fs/cgroup/a/memory.max' holds 'a lot'"));
	/* a folder in its place cannot be read */
	tree_put(&t, "/sys/fs/cgroup/a/memory.max", "max\n");
	tree_put(&t, "/sys/fs/cgroup/memory.max/x", "");
	m = usable(&t);
	assert_non_null(strstr(m.unreadable, "memory.max': Is a directory"));
	/* and a FIFO is not waited for */
	(void)snprintf(path, sizeof(path), "%s/sys/fs/cgroup/a/memory.high", t.dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	(void)usable(&t);
	tree_remove(&t);
}

static void kills_for_want_of_memory_are_counted_where_the_kernel_does(void **unused)
{
	struct tree t;

	(void)unused;
	tree_make(&t);
	assert_int_equal(host_oom_kills(&t.io), -1);
	tree_put(&t, "/proc/vmstat", "nr_free_pages 12\nthp_oom_kill 4\n");
	assert_int_equal(host_oom_kills(&t.io), -1);
	tree_put(&t, "/proc/vmstat", "nr_free_pages 12\noom_kill 17\nswap_ra 3\n");
	assert_int_equal(host_oom_kills(&t.io), 17);
	tree_put(&t, "/proc/vmstat", "oom_kill many\n");
	assert_int_equal(host_oom_kills(&t.io), -1);
	tree_remove(&t);
}

static void a_recorded_tree_never_answers_from_outside(void **unused)
{
	struct strbuf out = {0};
	struct arena a = {0};
	struct err e = {0};
	const char **names;
	struct tree t;
	char path[128];
	size_t n;

	(void)unused;
	tree_make(&t);
	tree_put(&t, "/etc/name", " in\tthe   tree \nsecond\n");
	tree_put(&t, "/d/10", "");
	tree_put(&t, "/d/9", "");
	(void)snprintf(path, sizeof(path), "%s/d/link", t.dir);
	assert_int_equal(symlink("/etc/name", path), 0);
	assert_int_equal(host_io_line(&t.io, "/d/link", &out, &e), 0);
	assert_string_equal(strbuf_str(&out), "in the tree");
	assert_int_equal(host_io_line(&t.io, "/../../../../../etc/name", &out, &e), 0);
	(void)snprintf(path, sizeof(path), "%s/d/up", t.dir);
	assert_int_equal(symlink("../../../../etc/../d/../../etc", path), 0);
	assert_int_equal(host_io_line(&t.io, "/d/up/./name", &out, &e), 0);
	assert_string_equal(strbuf_str(&out), "in the tree");
	assert_int_equal(host_io_line(&t.io, "//d//up//passwd", &out, &e), -1);
	assert_int_equal(e.kind, ERR_NOTFOUND);
	assert_int_equal(host_io_line(&t.io, "/etc/name/more", &out, &e), -1);
	assert_int_equal(e.kind, ERR_NOTFOUND);
	(void)snprintf(path, sizeof(path), "%s/loop", t.dir);
	assert_int_equal(symlink("loop/loop", path), 0);
	assert_int_equal(host_io_line(&t.io, "/loop", &out, &e), -1);
	assert_non_null(strstr(e.msg, "Too many levels"));
	assert_int_equal(host_io_line(&t.io, "/etc/passwd", &out, &e), -1);
	assert_int_equal(e.kind, ERR_NOTFOUND);
	assert_false(host_io_exists(&t.io, "/etc/passwd"));
	assert_true(host_io_exists(&t.io, "/d"));
	assert_int_equal(host_io_link(&t.io, "/d/link", &out, &e), 0);
	assert_string_equal(strbuf_str(&out), "/etc/name");
	assert_int_equal(host_io_link(&t.io, "/d/9", &out, &e), -1);
	assert_int_equal(host_io_list(&t.io, "/d", &a, &names, &n, &e), 0);
	assert_int_equal(n, 4);
	assert_string_equal(names[0], "9");
	assert_string_equal(names[1], "10");
	assert_int_equal(host_io_list(&t.io, "/none", &a, &names, &n, &e), -1);
	arena_release(&a);
	strbuf_release(&out);
	tree_remove(&t);
}

static void text_of_files_is_cleaned_and_limited(void **unused)
{
	struct strbuf out = {0};
	struct err e = {0};
	struct tree t;
	char big[2000];
	uint64_t v;

	(void)unused;
	tree_make(&t);
	tree_put(&t, "/a", "\033[31mred\x80 \n");
	assert_int_equal(host_io_line(&t.io, "/a", &out, &e), 0);
	assert_string_equal(strbuf_str(&out), "\\x1b[31mred\xef\xbf\xbd");
	memset(big, 'x', sizeof(big));
	memcpy(big + HOST_IO_LINE - 1, "\xc3\xa4", 2);
	big[sizeof(big) - 1] = '\0';
	tree_put(&t, "/a", big);
	assert_int_equal(host_io_line(&t.io, "/a", &out, &e), 0);
	assert_int_equal(out.len, HOST_IO_LINE - 1);
	assert_int_equal(host_io_read(&t.io, "/a", 1998, &out, &e), -1);
	assert_int_equal(out.len, 0);
	assert_int_equal(host_io_read(&t.io, "/a", 1999, &out, &e), 0);
	assert_int_equal(out.len, 1999);
	assert_int_equal(host_io_number(&t.io, "/a", &v, &e), -1);
	tree_put(&t, "/a", "-1\n");
	assert_int_equal(host_io_number(&t.io, "/a", &v, &e), -1);
	tree_put(&t, "/a", "18446744073709551616\n");
	assert_int_equal(host_io_number(&t.io, "/a", &v, &e), -1);
	tree_put(&t, "/a", "42 \n");
	assert_int_equal(host_io_number(&t.io, "/a", &v, &e), 0);
	assert_int_equal(v, 42);
	tree_put(&t, "/a", "");
	assert_int_equal(host_io_number(&t.io, "/a", &v, &e), -1);
	strbuf_release(&out);
	tree_remove(&t);
}

static void this_machine_has_memory(void **unused)
{
	struct host_io io = {"/"};
	struct host_memory m;
	struct err e = {0};

	(void)unused;
	assert_int_equal(host_usable_memory(&io, &m, &e), 0);
	assert_true(m.usable > 0 && m.usable <= m.total);
	assert_true(m.from[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reserved_huge_pages_are_not_usable),
		cmocka_unit_test(a_limit_far_above_the_leaf_counts),
		cmocka_unit_test(the_old_control_groups_count_too),
		cmocka_unit_test(a_container_sees_its_group_as_the_root_of_the_mount),
		cmocka_unit_test(ulimit_is_respected),
		cmocka_unit_test(what_cannot_be_read_is_said),
		cmocka_unit_test(
			kills_for_want_of_memory_are_counted_where_the_kernel_does),
		cmocka_unit_test(a_recorded_tree_never_answers_from_outside),
		cmocka_unit_test(text_of_files_is_cleaned_and_limited),
		cmocka_unit_test(this_machine_has_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
