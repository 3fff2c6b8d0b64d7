/* SPDX-License-Identifier: Apache-2.0 */
/* The short way from a line to a record, beside the long one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "record/plain.h"
#include "tests/same_record.h"

/* Both ways read @line, if at all, and to the same values; true when it is plain. */
static bool read_both(const char *line, size_t len)
{
	struct names texts = {0};
	struct arena a = {0};
	struct record plain, whole;
	struct err e = {0};
	bool is_plain = record_read_plain(line, len, &texts, &plain);

	if (is_plain) {
		assert_int_equal(record_decode(line, len, &a, &whole, &e), 0);
		assert_true(same_record(&plain, &whole));
	}
	names_release(&texts);
	arena_release(&a);
	return is_plain;
}

/* A record of each kind, all its fields there. */
static struct record full(enum record_kind kind)
{
	struct record r = record_make(kind);

	r.t = 1800000000.25;
	switch (kind) {
#define VALUE_STR "what \"is\" plain: [~"
#define VALUE_JSON \
	"{\"a\":[1,-2.5,0.10000000000000001,{}],\"b\":null,\"bb\":[true,\"x\"]}"
#define VALUE_INT                           (-7)
#define VALUE_NUM                           record_num(1.0 / 3)
#define VALUE_BOOL                          true
#define RECORD(kind, help)                  case RECORD_KIND_##kind:
#define FIELD(kind, type, name, need, help) r.u.kind.name = VALUE_##type;
#define END_RECORD(kind)                    break;
#include "record/record.def"
#undef RECORD
#undef FIELD
#undef END_RECORD
	case RECORD_KINDS:
		break;
	}
	return r;
}

static void what_is_written_is_read_the_short_way(void **unused)
{
	(void)unused;
	for (int kind = 0; kind < RECORD_KINDS; kind++) {
		struct record r = full((enum record_kind)kind);
		struct strbuf line = {0};
		char *quote;

		record_encode(&r, &line);
		/* the one thing in it that is not plain */
		assert_false(strstr(line.buf, "\\\"") && read_both(line.buf, line.len));
		while ((quote = strstr(line.buf, "\\\"")))
			quote[0] = quote[1] = '\'';
		assert_true(read_both(line.buf, line.len));
		strbuf_release(&line);
	}
}

#define SAMPLE      "{\"kind\":\"sample\",\"metric\":\"m\",\"unit\":\"s\""
#define NODE(facts) "{\"kind\":\"node\",\"node\":\"n\",\"facts\":" facts "}"
#define END(fields) "{\"kind\":\"end\"" fields "}"

static void a_line_is_plain_only_when_nothing_can_be_said_against_it(void **unused)
{
	static const struct {
		const char *line;
		bool plain;
	} cases[] = {
		{SAMPLE ",\"value\":1}", true},
		{SAMPLE ",\"value\":-0}", true},
		{SAMPLE ",\"value\":-0.0}", true},
		{SAMPLE ",\"value\":1E+2}", true},
		{SAMPLE ",\"value\":123456789012345678}", true},
		{SAMPLE ",\"value\":4.9406564584124654e-324,\"t\":3}", true},
		{SAMPLE ",\"value\":1,\"at\":{}}", true},
		{END(""), true},
		{END(",\"count\":999999999999999999"), true},
		{END(",\"exit\":-0"), true},
		{NODE("[[],{},\"\",0,false,{\"\":1,\"A\":2,\"AB\":3,\"a\":4}]"), true},
		/* numbers that are none, or too large */
		{SAMPLE ",\"value\":01}", false},
		{SAMPLE ",\"value\":1.}", false},
		{SAMPLE ",\"value\":.5}", false},
		{SAMPLE ",\"value\":+1}", false},
		{SAMPLE ",\"value\":-}", false},
		{SAMPLE ",\"value\":1e}", false},
		{SAMPLE ",\"value\":0x10}", false},
		{SAMPLE ",\"value\":1e400}", false},
		{SAMPLE ",\"value\":nan}", false},
		{SAMPLE ",\"value\":1", false},
		{END(",\"count\":9999999999999999999"), false},
		{END(",\"count\":1.0"), false},
		{END(",\"count\":1e3"), false},
		/* what is written in another way than ours */
		{NODE("0.1"), false},
		{NODE("1e20"), false},
		{NODE("1e+20"), false},
		{NODE("-0"), false},
		{NODE("{\"b\":1,\"a\":2}"), false},
		{NODE("{\"a\":1,\"a\":2}"), false},
		{NODE("{\"ab\":1,\"a\":2}"), false},
		{NODE("\"\\u0041\""), false},
		{NODE("\"\xc3\xa9\""), false},
		{NODE("[1, 2]"), false},
		{" " END(""), false},
		{END("") " ", false},
		{"{\"t\":1,\"kind\":\"end\"}", false},
		{SAMPLE ",\"nonfinite\":{\"value\":\"nan\"}}", false},
		/* what is no record */
		{NODE("[1"), false},
		{NODE("[1}"), false},
		{NODE("[1,]"), false},
		{NODE("{\"a\"}"), false},
		{NODE("tru"), false},
		{SAMPLE "}", false},
		{SAMPLE ",\"value\":\"1\"}", false},
		{SAMPLE ",\"value\":1,\"value\":1}", false},
		{SAMPLE ",\"value\":1,\"t\":1,\"t\":1}", false},
		{SAMPLE ",\"value\":1,\"valu\":1}", false},
		{SAMPLE ",\"value\":1,\"\":1}", false},
		{SAMPLE ",\"value\":1,}", false},
		{SAMPLE ",\"value\":1}}", false},
		{"{\"kind\":\"sampl\"}", false},
		{"{\"kind\":\"samples\"}", false},
		{"", false},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (read_both(cases[i].line, strlen(cases[i].line)) != cases[i].plain)
			fail_msg("'%s' is %splain", cases[i].line,
				 cases[i].plain ? "not " : "");
	}
}

static void nesting_is_as_deep_as_the_long_way_takes_it(void **unused)
{
	(void)unused;
	for (int depth = 28; depth < 40; depth++) {
		struct strbuf line = {0};
		struct arena a = {0};
		struct record r;
		struct err e = {0};
		bool whole;

		strbuf_addstr(&line, "{\"kind\":\"node\",\"node\":\"n\",\"facts\":");
		for (int i = 0; i < depth; i++)
			strbuf_addch(&line, '[');
		for (int i = 0; i < depth; i++)
			strbuf_addch(&line, ']');
		strbuf_addch(&line, '}');
		whole = !record_decode(line.buf, line.len, &a, &r, &e);
		assert_int_equal(read_both(line.buf, line.len), whole);
		strbuf_release(&line);
		arena_release(&a);
	}
}

static void a_line_cut_anywhere_is_refused_without_reading_on(void **unused)
{
	static const char line[] =
		"{\"kind\":\"sample\",\"t\":1.5,\"metric\":\"m\",\"at\":{\"a\":[1,true]},"
		"\"value\":12,\"unit\":\"s\"}";

	(void)unused;
	for (size_t len = 0; len < strlen(line); len++)
		assert_false(read_both(line, len));
	assert_true(read_both(line, strlen(line)));
}

static void texts_that_come_again_are_kept_once(void **unused)
{
	static const char line[] = SAMPLE ",\"value\":1,\"at\":{\"store\":\"nt\"}}";
	struct names texts = {0};
	struct record first, second;
	struct err e = {0};

	(void)unused;
	assert_int_equal(record_read(line, strlen(line), &texts, &first, &e), 0);
	assert_int_equal(record_read(line, strlen(line), &texts, &second, &e), 0);
	assert_ptr_equal(first.u.sample.metric, second.u.sample.metric);
	assert_ptr_equal(first.u.sample.at, second.u.sample.at);
	assert_string_equal(second.u.sample.at, "{\"store\":\"nt\"}");
	/* and a line that is not plain is read all the same */
	assert_int_equal(record_read(" {}", 3, &texts, &first, &e), -1);
	assert_int_equal(
		record_read(" " END(""), 1 + strlen(END("")), &texts, &first, &e), 0);
	names_release(&texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_the_short_way),
		cmocka_unit_test(
			a_line_is_plain_only_when_nothing_can_be_said_against_it),
		cmocka_unit_test(nesting_is_as_deep_as_the_long_way_takes_it),
		cmocka_unit_test(a_line_cut_anywhere_is_refused_without_reading_on),
		cmocka_unit_test(texts_that_come_again_are_kept_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
