/* SPDX-License-Identifier: Apache-2.0 */
/* Suggestions for mistyped names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/suggest.h"

static const char *const names[] = {"size", "store", "ntimes", "threads", "per"};

static const char *near_of(const char *word)
{
	return suggest(word, names, sizeof(names) / sizeof(names[0]));
}

static void near_words_find_their_name(void **unused)
{
	(void)unused;
	assert_string_equal(near_of("sise"), "size");
	assert_string_equal(near_of("ntime"), "ntimes");
	assert_string_equal(near_of("thraeds"), "threads");
	assert_string_equal(near_of("stores"), "store");
	assert_string_equal(near_of("pre"), "per"); /* one swap */
	assert_string_equal(near_of("size"), "size");
}

static void far_empty_and_endless_words_find_nothing(void **unused)
{
	char endless[5000];

	(void)unused;
	memset(endless, 's', sizeof(endless) - 1);
	endless[sizeof(endless) - 1] = '\0';
	assert_null(near_of("bandwidth"));
	assert_null(near_of(""));
	assert_null(near_of("p"));
	assert_null(near_of(endless));
}

static void the_first_of_equals_is_kept(void **unused)
{
	struct suggest s = suggest_start("bat");

	(void)unused;
	suggest_offer(&s, "cat");
	suggest_offer(&s, "bar");
	assert_string_equal(s.best, "cat");
	suggest_offer(&s, "bat");
	assert_string_equal(s.best, "bat");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_words_find_their_name),
		cmocka_unit_test(far_empty_and_endless_words_find_nothing),
		cmocka_unit_test(the_first_of_equals_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
