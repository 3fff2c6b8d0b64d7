/* SPDX-License-Identifier: Apache-2.0 */
/* Numbered texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "base/names.h"

static void texts_get_numbers_in_order_of_first_sight(void **unused)
{
	struct names names = {0};
	bool fresh;

	(void)unused;
	assert_int_equal(names_find(&names, "a"), NAMES_NONE);
	assert_int_equal(names_add(&names, "a", &fresh), 0);
	assert_true(fresh);
	assert_int_equal(names_add(&names, "", &fresh), 1);
	assert_true(fresh);
	assert_int_equal(names_add(&names, "a", &fresh), 0);
	assert_false(fresh);
	assert_int_equal(names_find(&names, ""), 1);
	assert_int_equal(names_find(&names, "b"), NAMES_NONE);
	names_release(&names);
	assert_int_equal(names_find(&names, "a"), NAMES_NONE);
	names_release(&names);
}

static void a_text_is_known_by_its_bytes_wherever_it_ends(void **unused)
{
	struct names names = {0};
	bool fresh;

	(void)unused;
	assert_int_equal(names_add_n(&names, "n01,n02", 3, &fresh), 0);
	assert_true(fresh);
	assert_string_equal(names.items[0], "n01");
	assert_int_equal(names_add(&names, "n01", &fresh), 0);
	assert_false(fresh);
	assert_int_equal(names_add_n(&names, "n01,n02", 2, &fresh), 1);
	assert_int_equal(names_add_n(&names, "n01,n02", 4, &fresh), 2);
	assert_int_equal(names_add_n(&names, "", 0, &fresh), 3);
	assert_int_equal(names_find(&names, "n0"), 1);
	names_release(&names);
}

static void many_texts_keep_their_numbers_while_it_grows(void **unused)
{
	enum { N = 20000 };
	struct names names = {0};
	char text[32];

	(void)unused;
	for (int i = 0; i < N; i++) {
		(void)snprintf(text, sizeof(text), "node%05d", i);
		assert_int_equal(names_add(&names, text, NULL), i);
	}
	for (int i = N - 1; i >= 0; i--) {
		(void)snprintf(text, sizeof(text), "node%05d", i);
		assert_int_equal(names_find(&names, text), i);
		assert_string_equal(names.items[i], text);
	}
	assert_int_equal(names.n, N);
	names_release(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_get_numbers_in_order_of_first_sight),
		cmocka_unit_test(a_text_is_known_by_its_bytes_wherever_it_ends),
		cmocka_unit_test(many_texts_keep_their_numbers_while_it_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
