/* SPDX-License-Identifier: Apache-2.0 */
/* What the report writers keep for the next time: numbers and texts made of texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/jsonw.h"

static unsigned int made; /* calls of make_twice() */

static void make_twice(struct strbuf *out, const char *text)
{
	made++;
	strbuf_addstr(out, text);
	strbuf_addstr(out, text);
}

static void a_text_is_made_once_and_remembered(void **unused)
{
	struct memo m = {0};

	(void)unused;
	made = 0;
	for (int i = 0; i < 3; i++) {
		assert_string_equal(memo_get(&m, "ab", make_twice), "abab");
		assert_string_equal(memo_get(&m, "", make_twice), "");
	}
	assert_int_equal(made, 2);
	memo_release(&m);
	memo_release(&m);
}

static void many_texts_are_right_and_do_not_pile_up(void **unused)
{
	struct memo m = {0};
	char text[16], twice[32];
	size_t most = 0;

	(void)unused;
	for (int i = 0; i < 20000; i++) {
		(void)snprintf(text, sizeof(text), "t%d", i / 2);
		(void)snprintf(twice, sizeof(twice), "%s%s", text, text);
		assert_string_equal(memo_get(&m, text, make_twice), twice);
		most = m.texts.n > most ? m.texts.n : most;
	}
	assert_in_range(most, 100, 2000);
	memo_release(&m);
}

/* Values in an order in which neighbours are the same, alike, and not: 0, 1, -0, ... */
static double number(int i)
{
	static const double some[] = {0.0, 1, -0.0, 0.1, 1.0 / 3, 5e-324, 1e300};

	return i % 2 ? some[i / 2 % 7] : (i / 6) * 1.1e9;
}

static void every_number_is_written_to_its_last_digit(void **unused)
{
	enum { N = 30000 };
	static struct jsonw w;
	struct err e = {0};
	char *text = NULL, *at, digits[40];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)unused;
	assert_non_null(out);
	w = (struct jsonw){.out = out, .e = &e};
	jsonw_open(&w, NULL, '[');
	for (int i = 0; i < N; i++)
		jsonw_num(&w, NULL, record_num(number(i)));
	jsonw_close(&w, ']');
	assert_int_equal(jsonw_end(&w), 0);
	assert_int_equal(fclose(out), 0);
	at = text;
	for (int i = 0; i < N; i++) {
		int n = snprintf(digits, sizeof(digits), "%c%.17g", i ? ',' : '[',
				 number(i));

		assert_memory_equal(at, digits, n);
		at += n;
	}
	assert_string_equal(at, "]\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_made_once_and_remembered),
		cmocka_unit_test(many_texts_are_right_and_do_not_pile_up),
		cmocka_unit_test(every_number_is_written_to_its_last_digit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
