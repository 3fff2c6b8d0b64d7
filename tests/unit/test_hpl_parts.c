/* SPDX-License-Identifier: Apache-2.0 */
/* assay-hpl's parts that need no MPI: grids, sizes, distribution, the system, HPL.dat. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "kernels/hpl/dist.h"
#include "kernels/hpl/gen.h"
#include "kernels/hpl/hpldat.h"
#include "kernels/hpl/size.h"

#define GIB ((uint64_t)1 << 30)

/* Field case C02. */
static void c02_grids_are_nearly_square_and_flat_ones_are_known(void **unused)
{
	static const struct {
		int ranks, p, q;
		bool flat;
	} t[] = {{1, 1, 1, false},     {2, 1, 2, false},   {3, 1, 3, false},
		 {12, 3, 4, false},    {96, 8, 12, false}, {128, 8, 16, false},
		 {7, 1, 7, true},      {26, 2, 13, true},  {1009, 1, 1009, true},
		 {1024, 32, 32, false}};

	(void)unused;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		int p, q;

		size_grid(t[i].ranks, &p, &q);
		assert_int_equal(p, t[i].p);
		assert_int_equal(q, t[i].q);
		assert_int_equal(size_flat(p, q), t[i].flat);
	}
}

static void memory_is_the_matrix_and_less_than_a_tenth(void **unused)
{
	static const struct {
		int p, q, threads;
		int64_t n;
	} t[] = {{1, 1, 1, 8000},  {1, 1, 2, 8000},     {1, 2, 1, 8000},
		 {2, 1, 1, 8000},  {2, 2, 1, 8000},     {1, 1, 8, 16000},
		 {4, 4, 8, 65536}, {1, 1, 128, 150000}, {8, 16, 16, 2000000},
		 {1, 7, 4, 100000}};

	(void)unused;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		const struct size s = {.n = t[i].n,
				       .nb = size_block(t[i].n, t[i].p, t[i].q),
				       .p = t[i].p,
				       .q = t[i].q,
				       .threads = t[i].threads};
		const double plain = (double)s.n * (double)s.n * 8 / s.p / s.q;

		assert_true((double)size_bytes(&s) > plain);
		assert_true((double)size_bytes(&s) < 1.1 * plain);
	}
}

/* Field case C03: three nodes, the smallest with 100 GiB. */
static void the_order_from_memory_is_a_multiple_of_the_block(void **unused)
{
	struct size s = {.nb = 192, .p = 1, .q = 3, .threads = 1};

	(void)unused;
	assert_int_equal(size_order(&s, 100 * GIB, 0.8), 179328);
	/* what does not leave room for the rest becomes smaller */
	s.n = size_order(&s, 100 * GIB, 1);
	assert_true(s.n < 200448 && s.n % 192 == 0);
	assert_true(size_bytes(&s) <= 100 * GIB);
	s.n += 192;
	assert_true(size_bytes(&s) > 100 * GIB);
	assert_int_equal(size_order(&s, 1000, 1), 0);
}

/* Field case C08: nothing is counted in 32 bits. */
static void sizes_beyond_32_bits_are_right(void **unused)
{
	const struct size s = {.n = 1000000, .nb = 192, .p = 1, .q = 1, .threads = 1};

	(void)unused;
	assert_true(size_bytes(&s) > UINT64_C(8000000000000));
	assert_true(size_bytes(&s) < UINT64_C(8100000000000));
	assert_int_equal(dist_global(dist_local(INT64_C(5000000000), 192, 7), 192,
				     dist_owner(INT64_C(5000000000), 192, 7), 7),
			 INT64_C(5000000000));
}

static void every_row_is_with_one_process_and_comes_back(void **unused)
{
	(void)unused;
	for (int nb = 1; nb < 9; nb++) {
		for (int p = 1; p < 6; p++) {
			int64_t count[6] = {0};

			for (int64_t g = 0; g < 100; g++) {
				const int i = dist_owner(g, nb, p);

				for (int j = 0; j < p; j++)
					assert_int_equal(dist_count(g, nb, j, p),
							 count[j]);
				assert_int_equal(dist_local(g, nb, p), count[i]);
				assert_int_equal(dist_global(count[i], nb, i, p), g);
				count[i]++;
			}
		}
	}
}

/* Mean and variance within six standard errors of the uniform distribution's. */
static void the_system_is_uniform_and_the_same_from_any_column_on(void **unused)
{
	enum { N = 400 };
	static double a[N + 1], b[N + 1];
	double sum = 0, squares = 0, least = 1, most = -1;
	bool differ = false;

	(void)unused;
	for (int64_t i = 0; i < N; i++) {
		gen_row(7, N, i, 0, N + 1, a);
		for (int64_t j = 0; j <= N; j += 57) {
			gen_row(7, N, i, j, N + 1 - j, b);
			assert_memory_equal(b, a + j, (size_t)(N + 1 - j) * sizeof(*a));
		}
		for (int64_t j = 0; j <= N; j++) {
			sum += a[j];
			squares += a[j] * a[j];
			least = fmin(least, a[j]);
			most = fmax(most, a[j]);
		}
	}
	assert_true(least >= -0.5 && least < -0.4999);
	assert_true(most < 0.5 && most > 0.4999);
	assert_true(fabs(sum / (N * (N + 1))) < 6 * sqrt(1 / 12.0 / (N * (N + 1))));
	assert_true(fabs(squares / (N * (N + 1)) - 1 / 12.0) <
		    6 * sqrt(1 / 180.0 / (N * (N + 1))));
	gen_row(8, N, 0, 0, N + 1, b);
	gen_row(7, N, 0, 0, N + 1, a);
	for (int i = 0; i < N && !differ; i++)
		differ = a[i] != b[i];
	assert_true(differ);
}

static const char dat[] = "title\nanother\nHPL.out  output file name (if any)\n"
			  "6 device out\n2 # of problems sizes (N)\n1000 2000 Ns\n"
			  "3 # of NBs\n32 64 192 NBs\n1 PMAP\n2 # of grids\n1 2 Ps\n"
			  "4 2 Qs\n16.0 threshold\n1 # of panel fact\n2 PFACTs\n"
			  "2 # of recursive stopping criterium\n2 4 NBMINs\n"
			  "1 # of panels in recursion\n2 NDIVs\n1 # of recursive\n"
			  "1 RFACTs\n2 # of broadcast\n0 4 BCASTs\n"
			  "2 # of lookahead depth\n0 1 DEPTHs\n2 SWAP\n64 threshold\n"
			  "0 L1\n0 U\n1 Equilibration\n8 memory alignment\n";

static void hpl_dat_is_read_value_by_value(void **unused)
{
	struct hpldat d;
	struct err e = {0};

	(void)unused;
	assert_int_equal(hpldat_parse(dat, "HPL.dat", &d, &e), 0);
	assert_int_equal(d.n.n, 2);
	assert_int_equal(d.n.v[1], 2000);
	assert_int_equal(d.nb.n, 3);
	assert_int_equal(d.nb.v[2], 192);
	assert_true(d.by_column);
	assert_int_equal(d.p.n, 2);
	assert_int_equal(d.p.v[1], 2);
	assert_int_equal(d.q.v[0], 4);
	assert_true(d.threshold == 16);
	assert_int_equal(d.broadcast.v[1], 4);
	assert_int_equal(d.depth.n, 2);
	assert_int_equal(d.depth.v[0], 0);
}

/* The text with the first @from replaced by @to; free() it. */
static char *changed(const char *from, const char *to)
{
	struct strbuf b = {0};
	const char *at = strstr(dat, from);

	assert_non_null(at);
	strbuf_add(&b, dat, (size_t)(at - dat));
	strbuf_addstr(&b, to);
	strbuf_addstr(&b, at + strlen(from));
	return strbuf_detach(&b);
}

/* It says that nothing is to be checked. */
static void a_threshold_below_zero_is_one(void **unused)
{
	char *text = changed("16.0 thr", "-16.0 thr");
	struct hpldat d;
	struct err e = {0};

	(void)unused;
	assert_int_equal(hpldat_parse(text, "HPL.dat", &d, &e), 0);
	assert_true(d.threshold == -16);
	free(text);
}

static void a_wrong_hpl_dat_is_told_with_its_line(void **unused)
{
	static const struct {
		const char *from, *to, *error;
	} t[] = {
		{"1000 2000", "1000 Ns", "HPL.dat:6: Ns: expected 2 whole numbers"},
		{"1000 2000", "1000 2000x", "HPL.dat:6: Ns: expected 2 whole numbers"},
		{"1000 2000", "0 2000", "HPL.dat:6: Ns: 0, expected 1 to 1073741824"},
		{"1000 2000", "1000 99999999999999999999",
		 "HPL.dat:6: Ns: expected 2 whole numbers"},
		{"32 64 192", "32 64 0", "HPL.dat:8: NBs: 0, expected 1 to 1024"},
		{"3 # of NBs", "21 # of NBs", "HPL.dat:7: NBs: 21, expected 1 to 20"},
		{"1 PMAP", "2 PMAP", "HPL.dat:9: PMAP: 2, expected 0 to 1"},
		{"16.0 thr", "nan thr", "HPL.dat:13: threshold: expected a number"},
		{"0 4 BCASTs", "0 6 BCASTs", "HPL.dat:23: BCASTs: 6, expected 0 to 5"},
		{"8 memory alignment\n", "",
		 "HPL.dat:31: ends before the line 'memory alignment'"},
		{dat, "", "HPL.dat:1: ends before the line 'first'"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		char *text = changed(t[i].from, t[i].to);
		struct hpldat d;
		struct err e = {0};

		assert_int_equal(hpldat_parse(text, "HPL.dat", &d, &e), -1);
		assert_string_equal(e.msg, t[i].error);
		assert_int_equal(e.kind, ERR_USAGE);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c02_grids_are_nearly_square_and_flat_ones_are_known),
		cmocka_unit_test(memory_is_the_matrix_and_less_than_a_tenth),
		cmocka_unit_test(the_order_from_memory_is_a_multiple_of_the_block),
		cmocka_unit_test(sizes_beyond_32_bits_are_right),
		cmocka_unit_test(every_row_is_with_one_process_and_comes_back),
		cmocka_unit_test(the_system_is_uniform_and_the_same_from_any_column_on),
		cmocka_unit_test(hpl_dat_is_read_value_by_value),
		cmocka_unit_test(a_threshold_below_zero_is_one),
		cmocka_unit_test(a_wrong_hpl_dat_is_told_with_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
