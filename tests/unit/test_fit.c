/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of problems: from memory, in series, refused before anything is started. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/fit.h"

#define GIB 1073741824.0

static const char hpl[] =
	"{\"options\":[{\"name\":\"n\",\"default\":\"auto\"},{\"name\":\"memory\"},{"
	"\"name\":\"nb\","
	"\"default\":\"192\"}],\"fit\":{\"options\":[\"n\"],\"power\":2,\"bytes\":8,"
	"\"of\":\"all\",\"multiple\":\"nb\",\"strict\":false,\"least\":1,"
	"\"grid\":[\"p\",\"q\"],\"file\":\"hpl-dat\"}}";
static const char hpcg[] =
	"{\"options\":[],\"fit\":{\"options\":[\"nx\",\"ny\",\"nz\"],\"power\":3,"
	"\"bytes\":1000,\"of\":\"rank\",\"multiple\":8,\"strict\":true,\"least\":16}}";

struct fixture {
	struct arena a;
	struct step s;
	struct plan_step ps;
	struct fit_question q;
	json_t *says;
};

static void begin(struct fixture *f, const char *says, size_t nodes, int per_node,
		  double memory)
{
	memset(f, 0, sizeof(*f));
	f->says = json_loads(says, 0, NULL);
	assert_non_null(f->says);
	f->s.n_nodes = nodes;
	f->s.per_node = per_node;
	f->s.ranks = per_node * (int)nodes;
	f->q = (struct fit_question){
		.says = f->says, .ps = &f->ps, .memory = memory, .node = "c"};
}

/* The options as words, "--n 5 --nb 2"; "" for none. */
static void options(struct fixture *f, const char *words)
{
	char *text = arena_strdup(&f->a, words), *save = NULL, *w;

	f->s.options = arena_alloc(&f->a, 32, sizeof(*f->s.options));
	f->s.n_options = 0;
	for (w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
		f->s.options[f->s.n_options++] = w;
}

static const char *apply(struct fixture *f)
{
	static char text[512];

	fit_apply(&f->q, &f->s, &f->a);
	if (f->s.refused)
		return f->s.refused;
	text[0] = '\0';
	for (size_t i = 0; i < f->s.n_options; i++) {
		size_t n = strlen(text);

		(void)snprintf(text + n, sizeof(text) - n, "%s%s", i ? " " : "",
			       f->s.options[i]);
	}
	return text;
}

static void end(struct fixture *f)
{
	json_decref(f->says);
	arena_release(&f->a);
}

struct row {
	const char *says;
	size_t nodes;
	int per_node;
	double memory;
	const char *options, *want;
};

static void check(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct fixture f;

		begin(&f, rows[i].says, rows[i].nodes, rows[i].per_node, rows[i].memory);
		options(&f, rows[i].options);
		assert_string_equal(apply(&f), rows[i].want);
		end(&f);
	}
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof((rows)[0]))

/* Field case C03: nodes with 251.8, 186.9 and 100 GiB, 80 %, NB 192. */
static void c03_the_smallest_node_decides_and_n_is_a_multiple_of_nb(void **unused)
{
	static const struct row rows[] = {
		{hpl, 3, 1, 100 * GIB, "--memory 0.8", "--n 179328"},
		{hpl, 3, 8, 100 * GIB, "--memory 80%", "--n 179328"},
		{hpl, 3, 1, 100 * GIB, "--nb 256 --memory 0.8", "--nb 256 --n 179456"},
		{hpl, 1, 1, 100 * GIB, "--memory 0.8", "--n 103488"},
		/* not known: the kernel looks itself */
		{hpl, 3, 1, NAN, "--memory 0.8", "--memory 0.8"},
		{hpcg, 3, 1, NAN, "--memory 0.8", ""},
		{hpl, 3, 1, 100 * GIB, "", ""},
		/* 40 GB a rank of 1000 B: 342 cubed */
		{hpcg, 2, 2, 80e9, "--memory 1e-3", "--nx 32 --ny 32 --nz 32"},
		{hpcg, 2, 2, 80e9, "--memory 50%", "--nx 264 --ny 264 --nz 264"},
	};

	(void)unused;
	CHECK(rows);
}

static void what_does_not_fit_is_refused_with_the_largest_that_would(void **unused)
{
	static const struct row rows[] = {
		{hpl, 3, 1, 100 * GIB, "--n 191000", "--n 191000"},
		{hpl, 3, 1, 100 * GIB, "--n 192000",
		 "n 192000 needs 100.7 GiB a node, c has 100 GiB usable: the largest "
		 "that "
		 "fits is 191232"},
		{hpl, 1, 1, 100 * GIB, "--memory 0.95",
		 "n 112896 needs 104.5 GiB a node, c has 100 GiB usable: the largest "
		 "that "
		 "fits is 110400"},
		{hpl, 1, 1, 100 * GIB, "--memory 1.5",
		 "memory '1.5', expected a share between 0 and 1"},
		{hpl, 1, 1, 100 * GIB, "--memory 0.5 --n 1000",
		 "n and memory are both given"},
		{hpcg, 1, 4, 16e9, "--nx 160 --ny 160 --nz 160",
		 "160 x 160 x 160 needs 16.78 GiB a node, c has 14.9 GiB usable: the "
		 "largest that fits is a cube of 152"},
		{hpl, 1, 1, 100.0, "--memory 0.5",
		 "memory 0.5 of c is 50 B a rank: too little for the smallest problem, n "
		 "192"},
	};

	(void)unused;
	CHECK(rows);
}

/* Field case C04. */
static void c04_local_sizes_are_multiples_of_8(void **unused)
{
	static const struct row rows[] = {
		{hpcg, 1, 1, 64e9, "--nx 104 --ny 104 --nz 104",
		 "--nx 104 --ny 104 --nz 104"},
		{hpcg, 1, 1, 640e9, "--nx 430 --ny 430 --nz 430",
		 "nx 430 is no multiple of 8: 424 or 432"},
		{hpcg, 1, 1, 64e9, "--nx 8 --ny 8 --nz 8",
		 "nx 8 is too small, at least 16"},
		{hpcg, 1, 1, 64e9, "--nx 104 --ny 104 --nz 52",
		 "nz 52 is no multiple of 8: 48 or 56"},
		{hpcg, 1, 1, 64e9, "--nx 0 --ny 104 --nz 104",
		 "nx 0 is too small, at least 16"},
		{hpcg, 1, 1, 64e9, "--nx 104 --ny 104", "--nx 104 --ny 104"},
	};

	(void)unused;
	CHECK(rows);
}

/* Field case C02: of other ranks than there are it would hang or idle. */
static void c02_a_grid_is_of_all_ranks(void **unused)
{
	static const struct row rows[] = {
		{hpl, 3, 4, 64e9, "--n 1000 --p 3 --q 4", "--n 1000 --p 3 --q 4"},
		{hpl, 3, 4, 64e9, "--n 1000 --p 3 --q 3",
		 "P x Q is 3 x 3, 9 ranks, and there are 12"},
		{hpl, 3, 4, 64e9, "--n 1000 --p 3", "--n 1000 --p 3"},
		{hpl, 3, 4, 64e9, "--n 1000 --p 5",
		 "p 5: 12 ranks cannot be divided by it"},
		{hpl, 3, 4, 64e9, "--n 1000 --q 8",
		 "q 8: 12 ranks cannot be divided by it"},
		/* an HPL.dat has its own */
		{hpl, 3, 4, 64e9, "--hpl-dat /x", "--hpl-dat /x"},
		{hpl, 3, 4, 64e9, "--hpl-dat none --n 1000 --p 5",
		 "p 5: 12 ranks cannot be divided by it"},
	};

	(void)unused;
	CHECK(rows);
}

/* Field case C08: nothing wraps. */
static void c08_large_sizes_are_whole(void **unused)
{
	static const struct row rows[] = {
		{hpl, 1, 1, 400e9, "--n 200000", "--n 200000"},
		{hpl, 1, 1, 300e9, "--n 200000",
		 "n 200000 needs 327.8 GiB a node, c has 279.4 GiB usable: the largest "
		 "that fits is 184512"},
		{hpl, 1, 1, 300e9, "--n 4294967296",
		 "n 4294967296 needs 140.8 EiB a node, c has 279.4 GiB usable: the "
		 "largest that fits is 184512"},
		{hpl, 10000, 1, 512 * GIB, "--memory 0.8", "--n 23446848"},
	};

	(void)unused;
	CHECK(rows);
}

static const char *series(const char *says, enum plan_scaling scaling, size_t nodes,
			  const char *words)
{
	static char text[256];
	struct fixture f;

	begin(&f, says, nodes, 2, 100 * GIB);
	f.ps.scaling = scaling;
	f.q.smallest = 1;
	options(&f, words);
	(void)snprintf(text, sizeof(text), "%s", apply(&f));
	end(&f);
	return text;
}

static void in_a_series_the_problem_grows_with_the_nodes_or_stays(void **unused)
{
	const enum plan_scaling weak = PLAN_SCALING_WEAK, strong = PLAN_SCALING_STRONG;

	(void)unused;
	/* weak: N with the root of the nodes, a multiple of NB */
	assert_string_equal(series(hpl, weak, 1, "--n 19200"), "--n 19200");
	assert_string_equal(series(hpl, weak, 2, "--n 19200"), "--n 27072");
	assert_string_equal(series(hpl, weak, 4, "--n 19200"), "--n 38400");
	assert_string_equal(series(hpl, weak, 1, "--memory 0.5"), "--n 81792");
	assert_string_equal(series(hpl, weak, 4, "--memory 0.5"), "--n 163776");
	assert_string_equal(series(hpcg, weak, 4, "--nx 104 --ny 104 --nz 104"),
			    "--nx 104 --ny 104 --nz 104");
	/* strong: what one node has, for all */
	assert_string_equal(series(hpl, strong, 4, "--n 19200"), "--n 19200");
	assert_string_equal(series(hpl, strong, 1, "--memory 0.5"), "--n 81792");
	assert_string_equal(series(hpl, strong, 4, "--memory 0.5"), "--n 81792");
	assert_string_equal(series(hpcg, strong, 8, "--nx 208 --ny 208 --nz 208"),
			    "--nx 104 --ny 104 --nz 104");
	assert_string_equal(series(hpl, strong, 4, ""),
			    "a series of one size needs that size: give n, or memory");
}

/* When a set failed its parts must run, too, though the problem is too large for them. */
static void a_part_of_a_set_gets_what_fits(void **unused)
{
	struct fixture f;

	(void)unused;
	begin(&f, hpl, 1, 1, 100 * GIB);
	f.q.part = true;
	options(&f, "--n 191000");
	assert_string_equal(apply(&f), "--n 110400");
	end(&f);
}

static void a_kernel_without_a_size_is_left_alone(void **unused)
{
	static const struct row rows[] = {
		{"{}", 1, 1, 64e9, "--memory 0.5", "--memory 0.5"},
		{"{\"fit\":{}}", 1, 1, 64e9, "--n 5", "--n 5"},
		{"{\"fit\":[1]}", 1, 1, 64e9, "--n 5", "--n 5"},
	};

	(void)unused;
	CHECK(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c03_the_smallest_node_decides_and_n_is_a_multiple_of_nb),
		cmocka_unit_test(
			what_does_not_fit_is_refused_with_the_largest_that_would),
		cmocka_unit_test(c04_local_sizes_are_multiples_of_8),
		cmocka_unit_test(c02_a_grid_is_of_all_ranks),
		cmocka_unit_test(c08_large_sizes_are_whole),
		cmocka_unit_test(in_a_series_the_problem_grows_with_the_nodes_or_stays),
		cmocka_unit_test(a_part_of_a_set_gets_what_fits),
		cmocka_unit_test(a_kernel_without_a_size_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
