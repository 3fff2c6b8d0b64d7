/* SPDX-License-Identifier: Apache-2.0 */
/* Reports that cannot be written: a clear error, the old one kept, nothing left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "reports/report.h"
#include "tests/golden/summaries.h"

struct fixture {
	char dir[64];
	struct made small, large;
};

static int set_up(void **state)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));

	*state = f;
	(void)snprintf(f->dir, sizeof(f->dir), "/tmp/assay-report-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	make_fleet(&f->small, 2, 2, VERDICT_FAIL, 10);
	make_fleet(&f->large, 1000, 3, VERDICT_FAIL, 10);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	char path[128];

	for (size_t i = 0; report_at(i); i++) {
		(void)snprintf(path, sizeof(path), "%s/report%s", f->dir,
			       report_at(i)->suffix);
		(void)unlink(path);
	}
	made_release(&f->small);
	made_release(&f->large);
	(void)rmdir(f->dir);
	free(f);
	return 0;
}

static size_t entries(const char *dir)
{
	DIR *d = opendir(dir);
	size_t n = 0;

	assert_non_null(d);
	for (const struct dirent *e = readdir(d); e; e = readdir(d))
		n += e->d_name[0] != '.';
	(void)closedir(d);
	return n;
}

static char *content(const char *dir, const char *name)
{
	struct strbuf text = {0};
	struct err e = {0};
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (file_read(&text, path, 1 << 20, &e))
		fail_msg("%s", e.msg);
	return strbuf_detach(&text);
}

/* The large report fails with @why; the small one, and nothing else, is still there. */
static void fails_and_keeps_the_old_one(const struct fixture *f, const char *why)
{
	char *before = content(f->dir, "report.json"), *after;
	struct err e = {0};

	assert_int_equal(report_save(report_find("json"), &f->large.summary, f->dir, &e),
			 -1);
	assert_int_equal(err_exit_status(&e), 4);
	assert_non_null(strstr(e.msg, why));
	assert_non_null(strstr(e.msg, "report.json"));
	after = content(f->dir, "report.json");
	assert_string_equal(before, after);
	assert_int_equal(entries(f->dir), 1);
	free(before);
	free(after);
}

static void save_small(const struct fixture *f)
{
	struct err e = {0};

	if (report_save(report_find("json"), &f->small.summary, f->dir, &e))
		fail_msg("%s", e.msg);
}

static void every_report_is_saved_under_its_name(void **state)
{
	const struct fixture *f = *state;
	struct err e = {0};
	char path[128];
	struct stat st;
	size_t n = 0;

	for (; report_at(n); n++) {
		assert_ptr_equal(report_find(report_at(n)->name), report_at(n));
		for (int again = 0; again < 2; again++)
			assert_int_equal(
				report_save(report_at(n), &f->small.summary, f->dir, &e),
				0);
		(void)snprintf(path, sizeof(path), "%s/report%s", f->dir,
			       report_at(n)->suffix);
		assert_int_equal(stat(path, &st), 0);
		assert_true(st.st_size > 0);
	}
	assert_null(report_find("pdf"));
	assert_int_equal(entries(f->dir), n);
}

static void a_full_disk_keeps_the_old_report(void **state)
{
	const struct fixture *f = *state;

	/* a mount of our own, gone with this process */
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", f->dir, "tmpfs", 0, "size=64k"))
		skip();
	save_small(f);
	fails_and_keeps_the_old_one(f, "No space left on device");
	assert_int_equal(mount("none", f->dir, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
	fails_and_keeps_the_old_one(f, "Read-only file system");
	assert_int_equal(umount(f->dir), 0);
}

static void a_file_size_limit_keeps_the_old_report(void **state)
{
	const struct fixture *f = *state;
	struct rlimit old, low;

	save_small(f);
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	low = old;
	low.rlim_cur = 65536;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	fails_and_keeps_the_old_one(f, "File too large");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	(void)signal(SIGXFSZ, SIG_DFL);
}

static void devices_are_written_to_and_their_errors_seen(void **state)
{
	const struct report_style style = {.width = 80};
	const struct fixture *f = *state;

	for (size_t i = 0; report_at(i); i++) {
		struct err e = {0};

		assert_int_equal(report_save_as(report_at(i), &f->small.summary, &style,
						"/dev/null", &e),
				 0);
		assert_int_equal(report_save_as(report_at(i), &f->small.summary, &style,
						"/dev/full", &e),
				 -1);
		assert_int_equal(err_exit_status(&e), 4);
		assert_string_equal(e.msg,
				    "'/dev/full': cannot write: No space left on device");
		assert_int_equal(report_save_as(report_at(i), &f->large.summary, &style,
						"/dev/full", &e),
				 -1);
		assert_int_equal(report_save_as(report_at(i), &f->small.summary, &style,
						f->dir, &e),
				 -1);
		assert_non_null(strstr(e.msg, "Is a directory"));
	}
}

static void a_missing_folder_is_an_error(void **state)
{
	const struct fixture *f = *state;
	struct err e = {0};
	char dir[128];

	(void)snprintf(dir, sizeof(dir), "%s/none", f->dir);
	assert_int_equal(report_save(report_find("term"), &f->small.summary, dir, &e),
			 -1);
	assert_int_equal(err_exit_status(&e), 4);
	assert_non_null(strstr(e.msg, "No such file or directory"));
	assert_int_equal(entries(f->dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_report_is_saved_under_its_name,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_full_disk_keeps_the_old_report, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_file_size_limit_keeps_the_old_report,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			devices_are_written_to_and_their_errors_seen, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_missing_folder_is_an_error, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
