/* SPDX-License-Identifier: Apache-2.0 */
/* Hostlists and hostfiles, field case A05. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/node_name.h"
#include "config/hostfile.h"
#include "config/hostlist.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* All names of @text with blanks between them; free() it. */
static char *expanded(const char *text)
{
	struct arena a = {0};
	struct strbuf sb = {0};
	struct err e = {0};
	const char **names;
	size_t n;

	if (hostlist_expand(&a, text, &names, &n, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&sb, "%s%s", i ? " " : "", names[i]);
	arena_release(&a);
	return strbuf_detach(&sb);
}

static void assert_expands(const char *text, const char *names)
{
	char *got = expanded(text);

	assert_string_equal(got, names);
	free(got);
}

static void hostlists_expand_in_order_with_the_padding_of_the_lower_bound(void **unused)
{
	(void)unused;
	assert_expands("b04-[09-10]", "b04-09 b04-10");
	assert_expands("node[001-004,007],gpu-[1-3]",
		       "node001 node002 node003 node004 node007 gpu-1 gpu-2 gpu-3");
	assert_expands("nodeA,nodeB[001,003],nodeC", "nodeA nodeB001 nodeB003 nodeC");
	assert_expands("rack[0-1]_blade[0-1]",
		       "rack0_blade0 rack0_blade1 rack1_blade0 rack1_blade1");
	assert_expands("n[098-102]", "n098 n099 n100 n101 n102");
	assert_expands("n[8-11]", "n8 n9 n10 n11");
	assert_expands("foo003,foo0[10-12],foo[103-104],foo-m11-16",
		       "foo003 foo010 foo011 foo012 foo103 foo104 foo-m11-16");
	assert_expands("c1", "c1");
	assert_expands("x[1-2]y[01-02]-ib", "x1y01-ib x1y02-ib x2y01-ib x2y02-ib");
	assert_expands("n[5]", "n5");
	assert_expands("[1-2]n.example.org", "1n.example.org 2n.example.org");
	assert_expands(" n1 , n2 ", "n1 n2");
	assert_expands("n1,n1", "n1 n1");
	assert_expands("a[1-2][1-2]", "a11 a12 a21 a22");
	assert_expands("n[0-0]", "n0");
	assert_expands("_gateway", "_gateway");
	assert_expands("n[999999999999999998-999999999999999999]",
		       "n999999999999999998 n999999999999999999");
}

static void a_bad_hostlist_is_refused_with_the_column(void **unused)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "hostlist '': column 1: expected a node name"},
		{"n1,", "hostlist 'n1,': column 4: expected a node name"},
		{"n1,,n2", "hostlist 'n1,,n2': column 4: expected a node name"},
		{"n[", "hostlist 'n[': column 3: expected a number"},
		{"n[]", "hostlist 'n[]': column 3: expected a number"},
		{"n[1-", "hostlist 'n[1-': column 5: expected a number"},
		{"n[1-2",
		 "hostlist 'n[1-2': column 6: expected ',', '-' or ']' in a bracket"},
		{"n[1-2-3]",
		 "hostlist 'n[1-2-3]': column 6: expected ',', '-' or ']' in a bracket"},
		{"n[1-9/2]",
		 "hostlist 'n[1-9/2]': column 6: expected ',', '-' or ']' in a bracket"},
		{"n[3-1]",
		 "hostlist 'n[3-1]': column 3: the range ends before it begins"},
		{"n1]", "hostlist 'n1]': column 3: not a character of a node name"},
		{"n1 n2", "hostlist 'n1 n2': column 4: expected ',' between names"},
		{"-oProxyCommand=x", "hostlist '-oProxyCommand=x': column 1: a name "
				     "begins with a letter, a digit or '_'"},
		{"n1,-n2", "hostlist 'n1,-n2': column 4: a name begins with a letter, a "
			   "digit or '_'"},
		{"..",
		 "hostlist '..': column 1: a name begins with a letter, a digit or '_'"},
		{"a/../x", "hostlist 'a/../x': column 2: not a character of a node name"},
		{"../x", "hostlist '../x': column 1: a name begins with a letter, a "
			 "digit or '_'"},
		{"n\x1b[1-2]",
		 "hostlist 'n\\x1b[1-2]': column 2: not a character of a node name"},
		{"n\xc3\xa4",
		 "hostlist 'n\xc3\xa4': column 2: not a character of a node name"},
		{"n[1-1000001]",
		 "hostlist 'n[1-1000001]': column 3: more than 1000000 names"},
		{"n[1-1001]m[1-1000]",
		 "hostlist 'n[1-1001]m[1-1000]': column 1: more than 1000000 names"},
		{"a,n[1-1000000]",
		 "hostlist 'a,n[1-1000000]': column 3: more than 1000000 names"},
		{"n[1234567890123456789]",
		 "hostlist 'n[1234567890123456789]': column 3: number "
		 "too long, at most 18 digits"},
		{"a[1]b[1]c[1]d[1]e[1]f[1]g[1]h[1]i[1]",
		 "hostlist 'a[1]b[1]c[1]d[1]e[1]f[1]g[1]h[1]i[1]': column 34: too many "
		 "brackets "
		 "in one name"},
	};

	(void)unused;
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct arena a = {0};
		struct err e = {0};
		const char **names;
		size_t n;

		if (!hostlist_expand(&a, cases[i].text, &names, &n, &e))
			fail_msg("'%s' was taken as %zu names", cases[i].text, n);
		assert_string_equal(e.msg, cases[i].message);
		assert_int_equal(e.kind, ERR_USAGE);
		arena_release(&a);
	}
}

static void a_name_has_253_characters_at_most(void **unused)
{
	struct arena a = {0};
	struct err e = {0};
	const char **names;
	char text[300];
	size_t n;

	(void)unused;
	memset(text, 'n', 253);
	text[253] = '\0';
	assert_true(node_name_valid(text));
	assert_int_equal(hostlist_expand(&a, text, &names, &n, &e), 0);
	(void)snprintf(text + 253, sizeof(text) - 253, "[1]");
	assert_int_equal(hostlist_expand(&a, text, &names, &n, &e), -1);
	assert_non_null(strstr(e.msg, "column 1: name longer than 253 characters"));
	assert_false(node_name_valid(""));
	assert_false(node_name_valid("-n"));
	assert_false(node_name_valid("a/b"));
	assert_true(node_name_valid("node2527.mgmt.example"));
	arena_release(&a);
}

static void a_million_names_expand_and_fold_back(void **unused)
{
	struct arena a = {0};
	struct strbuf sb = {0};
	struct err e = {0};
	const char **names;
	size_t n;

	(void)unused;
	assert_int_equal(hostlist_expand(&a, "n[0000001-1000000]", &names, &n, &e), 0);
	assert_int_equal(n, HOSTLIST_MAX_NAMES);
	assert_string_equal(names[n - 1], "n1000000");
	hostlist_fold(&sb, names, n);
	assert_string_equal(strbuf_str(&sb), "n[0000001-1000000]");
	strbuf_release(&sb);
	arena_release(&a);
}

/* What is folded expands to the same names in the same order. */
static void assert_folds(const char *text, const char *folded)
{
	struct arena a = {0};
	struct strbuf sb = {0};
	struct err e = {0};
	char *before, *after;
	const char **names;
	size_t n;

	assert_int_equal(hostlist_expand(&a, text, &names, &n, &e), 0);
	hostlist_fold(&sb, names, n);
	assert_string_equal(strbuf_str(&sb), folded);
	before = expanded(text);
	after = expanded(strbuf_str(&sb));
	assert_string_equal(before, after);
	free(before);
	free(after);
	strbuf_release(&sb);
	arena_release(&a);
}

static void names_fold_and_expand_to_the_same_again(void **unused)
{
	(void)unused;
	assert_folds("n001,n002,n003,n004,n007", "n[001-004,007]");
	assert_folds("c1", "c1");
	assert_folds("login,c1,c2", "login,c[1-2]");
	assert_folds("n8,n9,n10,n11", "n[8-11]");
	assert_folds("n098,n099,n100", "n[098-100]");
	assert_folds("n9,n010", "n[9,010]");
	assert_folds("n1,n01,n2", "n[1,01,2]");
	assert_folds("n3,n2,n1", "n[3,2,1]");
	assert_folds("n1,n1", "n[1,1]");
	assert_folds("x1y01-ib,x1y02-ib,x2y01-ib", "x1y[01-02]-ib,x2y01-ib");
	assert_folds("n1.c2.example,n2.c2.example", "n[1-2].c2.example");
	assert_folds("w.1.example,w.2.example", "w.[1-2].example");
	assert_folds("10.0.0.1,10.0.0.2", "10.0.0.1,10.0.0.2");
	assert_folds("a1b,a2c", "a1b,a2c");
	assert_folds("1,2,3", "[1-3]");
	assert_folds("n123456789012345678901,n123456789012345678902",
		     "n123456789012345678901,n123456789012345678902");
	assert_folds("n999999999999999998,n999999999999999999",
		     "n[999999999999999998-999999999999999999]");
}

static void nothing_folds_to_nothing(void **unused)
{
	struct strbuf sb = {0};

	(void)unused;
	hostlist_fold(&sb, NULL, 0);
	assert_string_equal(strbuf_str(&sb), "");
}

static void names_sort_by_their_numbers_and_repeats_are_dropped(void **unused)
{
	const char *names[] = {"n10", "n2", "n1.b", "n1", "n02", "n2", "a", "n1.b"};
	static const char *const sorted[] = {"a", "n1", "n1.b", "n02", "n2", "n10"};
	size_t n = N_OF(names);

	(void)unused;
	assert_int_equal(hostlist_unique(names, &n), 2);
	assert_int_equal(n, 6);
	assert_string_equal(names[0], "n10");
	assert_string_equal(names[4], "n02");
	qsort(names, n, sizeof(names[0]), hostlist_compare);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(names[i], sorted[i]);
}

static struct hostfile parsed(const char *text)
{
	struct hostfile h = {0};
	struct err e = {0};

	if (hostfile_parse(&h, text, strlen(text), "hf", &e))
		fail_msg("%s", e.msg);
	return h;
}

static void assert_node(const struct hostfile *h, size_t i, const char *name, int slots,
			int max_slots, int listed)
{
	assert_true(i < h->n);
	assert_string_equal(h->nodes[i].name, name);
	assert_int_equal(h->nodes[i].slots, slots);
	assert_int_equal(h->nodes[i].max_slots, max_slots);
	assert_int_equal(h->nodes[i].listed, listed);
}

static void hostfiles_of_all_common_launchers_are_read(void **unused)
{
	struct hostfile h = parsed("# the rack\r\n"
				   "n1 slots=4 max_slots=8 # left\r\n"
				   "\r\n"
				   "\tn2 slots = 2\r\n"
				   "n3:16\n"
				   "n[04-05] max-slots=3\n"
				   "n6.example.org#x\n"
				   "n7");

	(void)unused;
	assert_int_equal(h.n, 7);
	assert_node(&h, 0, "n1", 4, 8, 1);
	assert_node(&h, 1, "n2", 2, 0, 1);
	assert_node(&h, 2, "n3", 16, 0, 1);
	assert_node(&h, 3, "n04", 0, 3, 1);
	assert_node(&h, 4, "n05", 0, 3, 1);
	assert_node(&h, 5, "n6.example.org", 0, 0, 1);
	assert_node(&h, 6, "n7", 0, 0, 1);
	assert_int_equal(h.nodes[1].line, 4);
	assert_null(h.remark);
	hostfile_release(&h);
	hostfile_release(&h);
}

static void a_name_listed_again_counts_once_with_a_remark(void **unused)
{
	struct hostfile h = parsed("\xef\xbb\xbfn1\nn1\nn2 slots=2\nn1\nn2 slots=3\n");

	(void)unused;
	assert_int_equal(h.n, 2);
	assert_node(&h, 0, "n1", 0, 0, 3);
	assert_node(&h, 1, "n2", 5, 0, 2);
	assert_string_equal(h.remark,
			    "2 names are listed more than once and counted once "
			    "('n1' 3 times)");
	hostfile_release(&h);
}

static void a_bad_hostfile_is_refused_with_line_and_column(void **unused)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "hf: no node names in it"},
		{"# none\n\n", "hf: no node names in it"},
		{"n1\nn2 slot=4\n", "hf:2:4: unknown word 'slot', did you mean 'slots'?"},
		{"n1 user=me\n",
		 "hf:1:4: unknown word 'user', expected slots=N or max_slots=N"},
		{"n1 slots=0\n",
		 "hf:1:10: bad number of slots '0', expected 1 to 1000000"},
		{"n1 slots=4x",
		 "hf:1:10: bad number of slots '4x', expected 1 to 1000000"},
		{"n1 slots=", "hf:1:10: bad number of slots '', expected 1 to 1000000"},
		{"n1 slots", "hf:1:9: expected '=' after 'slots'"},
		{"n1 slots 4", "hf:1:10: expected '=' after 'slots'"},
		{"n1 slots=4 slots=4", "hf:1:12: 'slots' is there twice"},
		{"n1:4 slots=4", "hf:1:6: 'slots' is there twice"},
		{"n1 slots=4 max_slots=2", "hf:1:1: 4 slots, but at most 2"},
		{"n1:x", "hf:1:4: bad number of slots 'x', expected 1 to 1000000"},
		{"n1=4", "hf:1:1: expected a node name before '='"},
		{"\n -n1",
		 "hf:2:2: hostlist '-n1': column 1: a name begins with a letter, a "
		 "digit or '_'"},
		{"n1 \x1b[31m", "hf:1:4: unknown word '\\x1b[31m', expected slots=N or "
				"max_slots=N"},
	};

	(void)unused;
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct hostfile h = {0};
		struct err e = {0};

		assert_int_equal(hostfile_parse(&h, cases[i].text, strlen(cases[i].text),
						"hf", &e),
				 -1);
		assert_string_equal(e.msg, cases[i].message);
		assert_int_equal(e.kind, ERR_USAGE);
		hostfile_release(&h);
	}
}

static void a_hostfile_with_a_nul_or_that_is_not_there_is_refused(void **unused)
{
	struct hostfile h = {0};
	struct err e = {0};

	(void)unused;
	assert_int_equal(hostfile_parse(&h, "n1\nn\0002\n", 7, "hf", &e), -1);
	assert_string_equal(e.msg, "hf:2:2: not a text file");
	hostfile_release(&h);
	assert_int_equal(hostfile_read(&h, "/nowhere/hf", &e), -1);
	assert_string_equal(e.msg,
			    "cannot read '/nowhere/hf': No such file or directory");
	assert_int_equal(e.kind, ERR_USAGE);
	hostfile_release(&h);
}

static void a_dash_is_standard_input(void **unused)
{
	struct hostfile h = {0};
	struct err e = {0};
	int keep = dup(STDIN_FILENO), ends[2];

	(void)unused;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "h1\nh2\nh3\nh4\n", 12), 12);
	assert_int_equal(close(ends[1]), 0);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(hostfile_read(&h, "-", &e), 0);
	assert_int_equal(h.n, 4);
	hostfile_release(&h);
	assert_int_equal(hostfile_read(&h, "-", &e), -1);
	assert_string_equal(e.msg, "standard input: no node names in it");
	hostfile_release(&h);
	assert_int_equal(dup2(keep, STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(close(keep), 0);
	assert_int_equal(close(ends[0]), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			hostlists_expand_in_order_with_the_padding_of_the_lower_bound),
		cmocka_unit_test(a_bad_hostlist_is_refused_with_the_column),
		cmocka_unit_test(a_name_has_253_characters_at_most),
		cmocka_unit_test(a_million_names_expand_and_fold_back),
		cmocka_unit_test(names_fold_and_expand_to_the_same_again),
		cmocka_unit_test(nothing_folds_to_nothing),
		cmocka_unit_test(names_sort_by_their_numbers_and_repeats_are_dropped),
		cmocka_unit_test(hostfiles_of_all_common_launchers_are_read),
		cmocka_unit_test(a_name_listed_again_counts_once_with_a_remark),
		cmocka_unit_test(a_bad_hostfile_is_refused_with_line_and_column),
		cmocka_unit_test(a_hostfile_with_a_nul_or_that_is_not_there_is_refused),
		cmocka_unit_test(a_dash_is_standard_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
