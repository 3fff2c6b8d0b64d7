/* SPDX-License-Identifier: Apache-2.0 */
/* BIOS profiles from YAML, field case A12. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "judge/profile.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static void wanted_values_are_kept_exactly_as_written(void **unused)
{
	static const char *const expected[][2] = {
		{"SerialComm", "Off"},   {"NumLock", "On"},
		{"SecureBoot", "No"},    {"Site", "NO"},
		{"Floor", "0755"},       {"Rack", "08"},
		{"Tray", "013"},         {"NodeName", "1e3"},
		{"BiosVersion", "1.10"}, {"Time", "22:22"},
		{"Hex", "0x1F"},         {"Big", "12345678901234567890"},
		{"Either", "Auto"},      {"Quoted", "null"},
	};
	struct profile p;
	struct err e = {0};

	(void)unused;
	if (profile_load(&p, TEST_DATA "/config/profile.yaml", NULL, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(p.name, "words");
	assert_int_equal(p.n, N_OF(expected));
	for (size_t i = 0; i < p.n; i++) {
		assert_string_equal(p.attributes[i].name, expected[i][0]);
		assert_string_equal(p.attributes[i].want[0], expected[i][1]);
	}
	assert_int_equal(p.attributes[12].n_want, 2);
	assert_string_equal(p.attributes[12].want[1], "1.0");
	assert_int_equal(p.attributes[12].severity, PROFILE_WARN);
	assert_true(p.attributes[12].optional);
	assert_string_equal(p.attributes[12].why, "both are right");
	assert_int_equal(p.attributes[0].severity, PROFILE_FAIL);
	assert_false(p.attributes[0].optional);
	assert_non_null(strstr(p.attributes[0].where, "profile.yaml:5:3"));
	profile_release(&p);
	profile_release(&p);
}

static void an_attribute_without_value_or_reason_is_refused(void **unused)
{
	static const struct {
		const char *attribute, *message;
	} cases[] = {
		{"A: {want: ~, why: w}", "3:7: no value given for 'want'"},
		{"A: {want: , why: w}", "3:7: no value given for 'want'"},
		{"A: {want: null, why: w}", "3:7: no value given for 'want'"},
		{"A: ~", "3:3: no value given for 'A'"},
		{"A:", "3:3: no value given for 'A'"},
		{"A: Off", "3:6: 'A': text, expected a map"},
		{"A: {why: w}", "3:6: no key 'want'"},
		{"A: {want: Off}", "3:6: no key 'why'"},
		{"A: {want: Off, why: w, severty: fail}",
		 "3:26: unknown key 'severty', did you mean 'severity'?"},
		{"A: {want: Off, why: w, severity: bad}",
		 "3:36: 'severity': unknown word 'bad', expected fail or warn"},
		{"A: {want: Off, why: w}\n  A: {want: On, why: w}",
		 "4:3: duplicate key 'A', first in line 3"},
	};
	char path[] = "/tmp/assay-profile-XXXXXX", expected[200];
	int fd = mkstemp(path);

	(void)unused;
	assert_true(fd >= 0);
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct profile p;
		struct err e = {0};

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		assert_true(dprintf(fd, "profile: p\nattributes:\n  %s\n",
				    cases[i].attribute) > 0);
		assert_int_equal(profile_load(&p, path, NULL, &e), -1);
		(void)snprintf(expected, sizeof(expected), "%s:%s", path,
			       cases[i].message);
		assert_string_equal(e.msg, expected);
		assert_int_equal(e.kind, ERR_USAGE);
		profile_release(&p);
	}
	assert_int_equal(close(fd), 0);
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wanted_values_are_kept_exactly_as_written),
		cmocka_unit_test(an_attribute_without_value_or_reason_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
