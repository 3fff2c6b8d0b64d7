/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration files as trees, and into structs; field case A12. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "config/conf.h"
#include "config/yaml.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct yaml_node *parsed(struct arena *a, const char *text)
{
	const struct yaml_node *root = NULL;
	struct err e = {0};

	if (yaml_parse(a, text, strlen(text), "f", &root, &e))
		fail_msg("%s", e.msg);
	return root;
}

static void assert_refused(const char *text, size_t len, const char *message)
{
	const struct yaml_node *root = NULL;
	struct arena a = {0};
	struct err e = {0};

	if (!yaml_parse(&a, text, len, "f", &root, &e))
		fail_msg("taken, expected: %s", message);
	assert_string_equal(e.msg, message);
	assert_int_equal(e.kind, ERR_USAGE);
	arena_release(&a);
}

static void texts_are_kept_exactly_as_written(void **unused)
{
	static const char *const expected[][2] = {
		{"SerialComm", "Off"},   {"NumLock", "On"},
		{"SecureBoot", "No"},    {"Site", "NO"},
		{"Floor", "0755"},       {"Rack", "08"},
		{"Tray", "013"},         {"NodeName", "1e3"},
		{"BiosVersion", "1.10"}, {"Time", "22:22"},
		{"Hex", "0x1F"},         {"Big", "12345678901234567890"},
		{"Octal", "0o17"},       {"Bool", "true"},
		{"Float", ".5"},         {"Date", "2024-01-01"},
		{"Quoted", "null"},      {"Single", "~"},
		{"Blank", ""},
	};
	static const char *const without[] = {"Tilde", "Empty", "Null"};
	const struct yaml_node *root, *attributes;
	struct arena a = {0};
	struct err e = {0};

	(void)unused;
	assert_int_equal(yaml_load(&a, TEST_DATA "/config/scalars.yaml", &root, &e), 0);
	attributes = yaml_get(root, "attributes");
	assert_int_equal(attributes->n, N_OF(expected) + N_OF(without));
	for (size_t i = 0; i < N_OF(expected); i++) {
		const struct yaml_pair *p = &attributes->pairs[i];

		assert_string_equal(p->key->text, expected[i][0]);
		assert_string_equal(p->value->text, expected[i][1]);
		assert_false(yaml_no_value(p->value));
	}
	for (size_t i = 0; i < N_OF(without); i++)
		assert_true(yaml_no_value(yaml_get(attributes, without[i])));
	arena_release(&a);
}

static void nodes_know_kind_order_and_place(void **unused)
{
	struct arena a = {0};
	const struct yaml_node *root = parsed(&a, "\xef\xbb\xbfz: 1\n"
						  "a:\n"
						  "  - {k: v, \xc3\xa4: \"w\"}\n"
						  "  - |\n"
						  "    two\n"
						  "    lines\n"
						  "'q': &x [1, 2]\n"
						  "again: *x\n");
	const struct yaml_node *list = yaml_get(root, "a");

	(void)unused;
	assert_int_equal(root->kind, YAML_MAP);
	assert_int_equal(root->n, 4);
	assert_string_equal(root->pairs[0].key->text, "z");
	assert_string_equal(root->pairs[2].key->text, "q");
	assert_int_equal(list->kind, YAML_LIST);
	assert_int_equal(list->n, 2);
	assert_int_equal(list->items[0]->pairs[1].value->line, 3);
	assert_int_equal(list->items[0]->pairs[1].value->column, 15);
	assert_true(list->items[0]->pairs[0].value->plain);
	assert_false(list->items[0]->pairs[1].value->plain);
	assert_string_equal(list->items[1]->text, "two\nlines\n");
	assert_int_equal(yaml_get(root, "again")->n, 2);
	assert_null(yaml_get(root, "nothing"));
	assert_null(yaml_get(list, "k"));
	assert_string_equal(yaml_where(&a, list), "f:3:3");
	assert_string_equal(yaml_kind_name(root), "a map");
	arena_release(&a);
}

static void bad_yaml_is_refused_with_line_and_column(void **unused)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "f:1:1: empty file"},
		{"# only a comment\n", "f:1:1: empty file"},
		{"a: 1\nb: 2\na: 3\n", "f:3:1: duplicate key 'a', first in line 1"},
		{"x: {a: 1, b: 2, 'a': 3}\n",
		 "f:1:17: duplicate key 'a', first in line 1"},
		{"a: 1\n---\nb: 2\n", "f:2:1: a second document, expected one"},
		{"a: b: c\n", "f:1:5: mapping values are not allowed in this context"},
		{"a: [1, 2\n", "f:2:1: did not find expected ',' or ']'"},
		{"a:\n\tb: 1\n", "f:2:1: a tab, expected blanks"},
		{"a: \"x\n", "f:2:1: found unexpected end of stream"},
		{"a: *b\n", "f:1:4: alias without an anchor before it"},
		{"a: &b [*b]\n", "f:1:8: alias without an anchor before it"},
		{"a: !!str 5\n", "f:1:4: tags ('!') are not supported"},
		{"a: !x [1]\n", "f:1:4: tags ('!') are not supported"},
		{"? [a]\n: 1\n", "f:1:3: a list as a key, expected text"},
		{"{a: 1}: 1\n", "f:1:1: a map as a key, expected text"},
		{"'': 1\n", "f:1:1: a key without text"},
		{": 1\n", "f:1:1: did not find expected key"},
		{"a: \"\\0\"\n", "f:1:4: control character in text"},
		{"a: \"\\e[31m\"\n", "f:1:4: control character in text"},
		{"a: \"\\x9b\"\n", "f:1:4: control character in text"},
		{"\"\\e\": 1\n", "f:1:1: control character in text"},
		{"a: \x1b[31m\n", "f:1:4: control characters are not allowed"},
		{"a: x\n\xc3\xa4: \x80\n", "f:2:4: this byte is not UTF-8"},
		{"a: @x\n", "f:1:4: found character that cannot start any token"},
		{"%YAML 9.9\n---\na: 1\n", "f:1:1: found incompatible YAML document"},
	};

	(void)unused;
	for (size_t i = 0; i < N_OF(cases); i++)
		assert_refused(cases[i].text, strlen(cases[i].text), cases[i].message);
	assert_refused("a: x\0y\n", 7, "f:1:5: a NUL byte, this is no text");
	assert_refused("\xff\xfe"
		       "a\0",
		       4, "f:1:1: this byte is not UTF-8"); /* UTF-16 */
}

/* Nine levels of nine aliases each: a billion values from 400 bytes. */
static void aliases_cannot_blow_up_a_file(void **unused)
{
	struct strbuf sb = {0};

	(void)unused;
	strbuf_addstr(&sb, "a0: &a0 x\n");
	for (int i = 1; i <= 9; i++) {
		strbuf_addf(&sb, "a%d: &a%d [", i, i);
		for (int k = 0; k < 9; k++)
			strbuf_addf(&sb, "%s*a%d", k ? ", " : "", i - 1);
		strbuf_addstr(&sb, "]\n");
	}
	assert_refused(strbuf_str(&sb), sb.len,
		       "f:7:10: more than 100000 values in the file");
	strbuf_release(&sb);
}

static void depth_counts_through_aliases(void **unused)
{
	struct strbuf sb = {0};
	struct arena a = {0};

	(void)unused;
	/* the map is a level, the text inside is one */
	strbuf_addstr(&sb, "a: ");
	for (int i = 0; i < 30; i++)
		strbuf_addch(&sb, '[');
	strbuf_addch(&sb, 'x');
	for (int i = 0; i < 30; i++)
		strbuf_addch(&sb, ']');
	(void)parsed(&a, strbuf_str(&sb));
	strbuf_reset(&sb);
	strbuf_addstr(&sb, "a: &a [[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]\nb: ");
	for (int i = 0; i < 15; i++)
		strbuf_addch(&sb, '[');
	strbuf_addstr(&sb, "*a");
	assert_refused(strbuf_str(&sb), sb.len, "f:2:19: nested deeper than 32 levels");
	strbuf_reset(&sb);
	for (int i = 0; i < 5000; i++)
		strbuf_addch(&sb, '[');
	assert_refused(strbuf_str(&sb), sb.len, "f:1:33: nested deeper than 32 levels");
	strbuf_release(&sb);
	arena_release(&a);
}

static void a_big_map_is_checked_for_duplicates_in_no_time(void **unused)
{
	struct strbuf sb = {0};
	struct arena a = {0};

	(void)unused;
	for (int i = 0; i < 49000; i++)
		strbuf_addf(&sb, "key%d: x\n", i);
	assert_int_equal(parsed(&a, strbuf_str(&sb))->n, 49000);
	strbuf_addstr(&sb, "key7: y\n");
	assert_refused(strbuf_str(&sb), sb.len,
		       "f:49001:1: duplicate key 'key7', first in line 8");
	strbuf_release(&sb);
	arena_release(&a);
}

static void a_file_that_cannot_be_read_is_a_usage_error(void **unused)
{
	const struct yaml_node *root = NULL;
	struct arena a = {0};
	struct err e = {0};

	(void)unused;
	assert_int_equal(yaml_load(&a, "/nowhere/\x1b[31m.yaml", &root, &e), -1);
	assert_string_equal(
		e.msg,
		"cannot read '/nowhere/\\x1b[31m.yaml': No such file or directory");
	assert_int_equal(e.kind, ERR_USAGE);
	assert_int_equal(yaml_load(&a, "/tmp", &root, &e), -1);
	assert_string_equal(e.msg, "cannot read '/tmp': it is a folder");
	assert_int_equal(e.kind, ERR_USAGE);
	arena_release(&a);
}

struct inner {
	double rate;
};

struct outer {
	const char *text, *name, *file;
	int mode, count;
	bool on;
	double share, time;
	const char **texts, **hosts;
	size_t n_texts, n_hosts;
	struct conf_pair *pairs;
	size_t n_pairs;
	struct inner inner;
	const struct yaml_node *node;
};

static const char *const modes[] = {"weak", "strong", NULL};

static const struct conf_key inner_keys[] = {
	{"rate", CONF_QUANTITY, .offset = offsetof(struct inner, rate), .unit = "B/s"},
};

static const struct conf_key keys[] = {
	{"text", CONF_TEXT, .offset = offsetof(struct outer, text), .flags = CONF_MUST},
	{"name", CONF_NAME, .offset = offsetof(struct outer, name)},
	{"file", CONF_FILE, .offset = offsetof(struct outer, file)},
	{"mode", CONF_CHOICE, .offset = offsetof(struct outer, mode), .choices = modes},
	{"count", CONF_INT, .offset = offsetof(struct outer, count), .min = 1, .max = 64},
	{"on", CONF_BOOL, .offset = offsetof(struct outer, on)},
	{"share", CONF_QUANTITY, .offset = offsetof(struct outer, share), .unit = "ratio",
	 .max = 1},
	{"time", CONF_DURATION, .offset = offsetof(struct outer, time), .min = 1,
	 .max = 3600},
	{"texts", CONF_TEXTS, .offset = offsetof(struct outer, texts),
	 .n_offset = offsetof(struct outer, n_texts)},
	{"hosts", CONF_HOSTS, .offset = offsetof(struct outer, hosts),
	 .n_offset = offsetof(struct outer, n_hosts)},
	{"pairs", CONF_PAIRS, .offset = offsetof(struct outer, pairs),
	 .n_offset = offsetof(struct outer, n_pairs)},
	{"inner", CONF_MAP, .offset = offsetof(struct outer, inner), .keys = inner_keys,
	 .n_keys = 1},
	{"node", CONF_NODE, .offset = offsetof(struct outer, node)},
};

static void a_table_takes_a_map_into_a_struct(void **unused)
{
	struct arena a = {0};
	struct outer o = {.count = 7};
	struct err e = {0};
	const struct yaml_node *root;
	const char *text = "text: 08\n"
			   "name: a-1.b_c\n"
			   "file: x/y.pem\n"
			   "mode: strong\n"
			   "on: true\n"
			   "share: 50 %\n"
			   "time: 1m30s\n"
			   "texts: [--mca, pml, 'no']\n"
			   "hosts: ['c[1-2]', c9, c1]\n"
			   "pairs: {B: NO, A: 2}\n"
			   "inner: {rate: 200 Gb/s}\n"
			   "node: [[]]\n";

	(void)unused;
	assert_int_equal(yaml_parse(&a, text, strlen(text), "dir/f", &root, &e), 0);
	if (conf_decode(&a, root, keys, N_OF(keys), &o, NULL, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(o.text, "08");
	assert_string_equal(o.name, "a-1.b_c");
	assert_string_equal(o.file, "dir/x/y.pem");
	assert_int_equal(o.mode, 1);
	assert_int_equal(o.count, 7);
	assert_true(o.on);
	assert_true(fabs(o.share - 0.5) < 1e-12);
	assert_true(fabs(o.time - 90) < 1e-9);
	assert_int_equal(o.n_texts, 3);
	assert_string_equal(o.texts[2], "no");
	assert_int_equal(o.n_hosts, 3);
	assert_string_equal(o.hosts[2], "c9");
	assert_int_equal(o.n_pairs, 2);
	assert_string_equal(o.pairs[0].key, "B");
	assert_string_equal(o.pairs[0].value, "NO");
	assert_string_equal(o.pairs[1].where, "dir/f:10:19");
	assert_true(fabs(o.inner.rate - 25e9) < 1);
	assert_int_equal(o.node->kind, YAML_LIST);
	root = parsed(&a, "text: x\nfile: /abs\nhosts: c[1-3]\ntexts: one\n");
	assert_int_equal(conf_decode(&a, root, keys, N_OF(keys), &o, NULL, &e), 0);
	assert_string_equal(o.file, "/abs");
	assert_int_equal(o.n_hosts, 3);
	assert_int_equal(o.n_texts, 1);
	arena_release(&a);
}

static void a_wrong_map_gives_one_line_that_says_where_and_what(void **unused)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"texx: 1", "f:1:1: unknown key 'texx', did you mean 'text'?"},
		{"text: x\ninner: {rat: 1}",
		 "f:2:9: unknown key 'rat', did you mean 'rate'?"},
		{"text: x\ninner: {zzzzzz: 1}",
		 "f:2:9: unknown key 'zzzzzz', expected rate"},
		{"name: x", "f:1:1: no key 'text'"},
		{"text:", "f:1:1: no value given for 'text'"},
		{"text: ~", "f:1:1: no value given for 'text'"},
		{"text: null\n", "f:1:1: no value given for 'text'"},
		{"text: ''", "f:1:7: 'text': empty text"},
		{"text: [a]", "f:1:7: 'text': a list, expected one value"},
		{"text: {a: b}", "f:1:7: 'text': a map, expected one value"},
		{"name: a b",
		 "f:1:7: 'name': bad name 'a b', expected letters, digits and "
		 "'._-', at most 64"},
		{"name: -x", "f:1:7: 'name': bad name '-x', expected letters, digits and "
			     "'._-', at most 64"},
		{"name: a/b",
		 "f:1:7: 'name': bad name 'a/b', expected letters, digits and "
		 "'._-', at most 64"},
		{"mode: week",
		 "f:1:7: 'mode': unknown word 'week', did you mean 'weak'?"},
		{"mode: zzz",
		 "f:1:7: 'mode': unknown word 'zzz', expected weak or strong"},
		{"count: 6x", "f:1:8: 'count': expected a whole number, found '6x'"},
		{"count: 1.5", "f:1:8: 'count': expected a whole number, found '1.5'"},
		{"count: 0", "f:1:8: 'count': 0 is out of range, expected 1 to 64"},
		{"count: 99999999999999999999",
		 "f:1:8: 'count': 99999999999999999999 is out of "
		 "range, expected 1 to 64"},
		{"on: yes", "f:1:5: 'on': expected true or false, found 'yes'"},
		{"share: 2",
		 "f:1:8: 'share': '2' is out of range, expected 0.0 % to 100.0 %"},
		{"share: 5 GB",
		 "f:1:8: 'share': unknown unit in '5 GB', expected % or a bare "
		 "number"},
		{"time: 90",
		 "f:1:7: 'time': no unit in '90', expected for example 90s, 5m, "
		 "1h30m or 2d"},
		{"time: 2h",
		 "f:1:7: 'time': '2h' is out of range, expected 1.0s to 1h00m"},
		{"texts: []", "f:1:8: 'texts': empty list"},
		{"texts: [a, ~]", "f:1:1: no value given for 'texts'"},
		{"texts: [a, [b]]", "f:1:12: 'texts': a list, expected one value"},
		{"texts: {a: b}", "f:1:8: 'texts': a map, expected one value"},
		{"hosts: c[1-",
		 "f:1:8: 'hosts': hostlist 'c[1-': column 5: expected a number"},
		{"hosts: [a, '-b']",
		 "f:1:12: 'hosts': hostlist '-b': column 1: a name begins "
		 "with a letter, a digit or '_'"},
		{"pairs: {A: , B: 2}", "f:1:9: no value given for 'A'"},
		{"pairs: {A: [1]}", "f:1:12: 'A': a list, expected one value"},
		{"pairs: x", "f:1:8: 'pairs': text, expected a map"},
		{"pairs: {}", "f:1:8: 'pairs': empty map"},
		{"inner: {rate: 200 GBs}", "f:1:15: 'rate': unknown unit in '200 GBs', "
					   "expected kB/s, MB/s, GB/s, TB/s, "
					   "KiB/s .. TiB/s, kb/s, Mb/s or Gb/s"},
		{"node:", "f:1:1: no value given for 'node'"},
		{"[a]", "f:1:1: a list, expected a map of keys and values"},
		{"just text", "f:1:1: text, expected a map of keys and values"},
	};

	(void)unused;
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct arena a = {0};
		struct outer o = {0};
		struct err e = {0};
		const struct yaml_node *root = parsed(&a, cases[i].text);

		if (!conf_decode(&a, root, keys, N_OF(keys), &o, NULL, &e))
			fail_msg("'%s' was taken", cases[i].text);
		assert_string_equal(e.msg, cases[i].message);
		assert_int_equal(e.kind, ERR_USAGE);
		arena_release(&a);
	}
}

static void keys_beyond_the_table_can_be_collected(void **unused)
{
	struct arena a = {0};
	struct outer o = {0};
	struct conf_rest rest;
	struct err e = {0};
	const struct yaml_node *root = parsed(&a, "ntimes: 20\ntext: x\nstore: both\n");

	(void)unused;
	assert_int_equal(conf_decode(&a, root, keys, N_OF(keys), &o, &rest, &e), 0);
	assert_int_equal(rest.n, 2);
	assert_string_equal(rest.pairs[0]->key->text, "ntimes");
	assert_string_equal(rest.pairs[1]->value->text, "both");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_kept_exactly_as_written),
		cmocka_unit_test(nodes_know_kind_order_and_place),
		cmocka_unit_test(bad_yaml_is_refused_with_line_and_column),
		cmocka_unit_test(aliases_cannot_blow_up_a_file),
		cmocka_unit_test(depth_counts_through_aliases),
		cmocka_unit_test(a_big_map_is_checked_for_duplicates_in_no_time),
		cmocka_unit_test(a_file_that_cannot_be_read_is_a_usage_error),
		cmocka_unit_test(a_table_takes_a_map_into_a_struct),
		cmocka_unit_test(a_wrong_map_gives_one_line_that_says_where_and_what),
		cmocka_unit_test(keys_beyond_the_table_can_be_collected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
