/* SPDX-License-Identifier: Apache-2.0 */
/* HPL's outputs that are not whole, or cannot be so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "record/reading.h"
#include "record/state.h"

/* hpl_four.txt: the lines of results of its four configurations. */
static const int rows[] = {39, 49, 59, 69};

static void load(struct strbuf *text)
{
	struct err e = {0};

	if (file_read(text, TEST_DATA "/readings/hpl_four.txt", 1 << 20, &e))
		fail_msg("%s", e.msg);
}

static void make(struct reading *r, const char *text)
{
	reading_make(r, reader_find("hpl"), text);
}

/* The first @lines lines of @text. */
static void cut(struct strbuf *text, int lines)
{
	const char *at = strbuf_str(text);

	for (int i = 0; i < lines; i++)
		at = strchr(at, '\n') + 1;
	strbuf_truncate(text, (size_t)(at - strbuf_str(text)));
}

/* Puts @to where @from is first. */
static void change(struct strbuf *text, const char *from, const char *to)
{
	struct strbuf b = {0};
	const char *at = strstr(strbuf_str(text), from);

	assert_non_null(at);
	strbuf_add(&b, strbuf_str(text), (size_t)(at - strbuf_str(text)));
	strbuf_addstr(&b, to);
	strbuf_addstr(&b, at + strlen(from));
	strbuf_reset(text);
	strbuf_add(text, b.buf, b.len);
	strbuf_release(&b);
}

static size_t count(const struct reading *r, const char *cause)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += !strcmp(r->items[i].cause, cause);
	return n;
}

static const struct reading_result *last(const struct reading *r)
{
	return &r->items[r->n - 1];
}

static void a_whole_output_lacks_nothing(void **unused)
{
	struct strbuf text = {0};
	struct reading r;

	(void)unused;
	load(&text);
	make(&r, strbuf_str(&text));
	assert_int_equal(r.n, 4);
	assert_int_equal(count(&r, "ok"), 4);
	assert_int_equal(r.items[2].line, rows[2]);
	assert_string_equal(r.items[3].title, "n2000-nb128-1x2");
	reading_release(&r);
	/* "End of Tests." need not be there where the counts are */
	cut(&text, 78);
	make(&r, strbuf_str(&text));
	assert_int_equal(count(&r, "ok"), 4);
	assert_int_equal(r.n, 4);
	reading_release(&r);
	strbuf_release(&text);
}

/* Wherever it is cut: what is missing is said, and what is whole stays. */
static void an_output_that_was_cut_says_what_is_missing(void **unused)
{
	(void)unused;
	for (int n = 3; n < 78; n++) {
		struct strbuf text = {0};
		struct reading r;
		size_t whole = 0;
		char what[64];

		load(&text);
		cut(&text, n);
		for (size_t i = 0; i < 4; i++)
			whole += n >= rows[i] + 6;
		make(&r, strbuf_str(&text));
		assert_int_equal(count(&r, "ok"), whole);
		assert_string_equal(last(&r)->title, "missing");
		assert_string_equal(last(&r)->cause, "no-data");
		assert_int_equal(last(&r)->line, n);
		assert_non_null(strstr(last(&r)->reason, "cut off, there is no 'End of"));
		(void)snprintf(what, sizeof(what),
			       "%zu of 4 configurations have no result", 4 - whole);
		if (whole == 4)
			assert_non_null(
				strstr(last(&r)->reason,
				       "all 4 configurations are there, but not"));
		else if (n >= 21) /* the lists */
			assert_non_null(strstr(last(&r)->reason, what));
		else
			assert_non_null(strstr(last(&r)->reason, "may be missing, 0"));
		reading_release(&r);
		strbuf_release(&text);
	}
}

/* Every byte: never more results than lines that are whole, never silence. */
static void a_cut_within_a_line_is_seen_too(void **unused)
{
	struct strbuf text = {0};
	size_t finished;

	(void)unused;
	load(&text);
	finished = (size_t)(strstr(strbuf_str(&text), "Finished") - strbuf_str(&text));
	for (size_t n = finished; n > 161; n--) { /* the name of it */
		struct reading r;
		size_t whole = 0;

		strbuf_truncate(&text, n);
		for (const char *c = strbuf_str(&text); (c = strstr(c, "PASSED")); c++)
			whole++;
		make(&r, strbuf_str(&text));
		assert_int_equal(count(&r, "ok"), whole);
		if (strcmp(last(&r)->cause, "no-data") != 0)
			fail_msg("cut at byte %zu: nothing is said", n);
		reading_release(&r);
	}
	strbuf_release(&text);
}

static void lists_that_go_on_in_the_next_lines_count(void **unused)
{
	struct strbuf text = {0};
	struct reading r;

	(void)unused;
	load(&text);
	change(&text, "NB     :      64      128 \n",
	       "NB     :       1        2        3        4        5        6        7  "
	       "      8 \n               9       10 \n");
	change(&text, "PFACT  :   Right \n", "PFACT    :    Left    Crout    Right \n");
	make(&r, strbuf_str(&text));
	assert_int_equal(count(&r, "ok"), 4);
	assert_string_equal(last(&r)->reason, "56 of 60 configurations have no result");
	reading_release(&r);
	strbuf_release(&text);
}

/* A start of which the head was cut off says at its end how many there were. */
static void the_closing_lines_count_where_there_is_no_head(void **unused)
{
	struct strbuf text = {0};
	struct reading r;

	(void)unused;
	load(&text);
	make(&r, strstr(strbuf_str(&text), "PASSED"));
	assert_int_equal(count(&r, "ok"), 3);
	assert_string_equal(last(&r)->reason, "1 of 4 configurations have no result");
	reading_release(&r);
	strbuf_release(&text);
}

/* Neither its beginning nor its end is there; what assay-hpl prints has neither. */
static void a_piece_of_an_output_is_no_whole_one(void **unused)
{
	struct strbuf text = {0};
	struct reading r;
	const char *piece;

	(void)unused;
	load(&text);
	cut(&text, rows[2] - 1);
	piece = strstr(strbuf_str(&text), "T/V                N    NB     P     Q");
	make(&r, piece);
	assert_int_equal(count(&r, "ok"), 2);
	assert_string_equal(last(&r)->reason,
			    "configurations may be missing, 2 have a result: the output "
			    "was cut off, there is no 'End of Tests.'");
	reading_release(&r);
	make(&r, strstr(piece, "WR11"));
	assert_non_null(strstr(last(&r)->reason, "no 'End of Tests.'"));
	reading_release(&r);
	cut(&text, rows[1] - 4);
	make(&r, strstr(strbuf_str(&text), "WR11")); /* rows alone */
	assert_int_equal(r.n, 1);
	assert_string_equal(r.items[0].cause, "ok");
	reading_release(&r);
	make(&r, "assay-hpl: N 1000, NB 64, 1 x 2\n---\n"
		 "T/V                    N    NB     P     Q     Time     Gflops\n---\n"
		 "WR11R2L8            1000    64     1     2     0.10   6.6817e+00\n"
		 "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= 0.004 ...... PASSED\n"
		 "seconds a thread:  panel 0.10\n---\n");
	assert_int_equal(r.n, 1);
	assert_string_equal(r.items[0].cause, "ok");
	reading_release(&r);
	strbuf_release(&text);
}

/* It says how many tests it will do, and when they are done. */
static void an_output_of_assay_hpl_must_be_whole_too(void **unused)
{
	static const char head[] = "assay-hpl: 2 tests on 1 rank; OpenBLAS\n",
			  row[] = "WR11R2L8   1000    64     1     2               0.10"
				  "      6.6817e+00      0.0041213 PASSED\n",
			  end[] = "---\nFinished 2 tests: 2 passed, 0 failed\n\n"
				  "WR11R2L8   1000    64     1     2     0.01    0.02    "
				  "0.01    0.06    0.00\n";
	struct strbuf text = {0};
	struct reading r;

	(void)unused;
	strbuf_addf(&text, "%s%s%s", head, row, row);
	make(&r, strbuf_str(&text));
	assert_int_equal(count(&r, "ok"), 2);
	assert_string_equal(last(&r)->reason,
			    "all 2 configurations are there, but not the end: the output "
			    "was cut off, there is no 'Finished'");
	reading_release(&r);
	strbuf_addstr(&text, end);
	make(&r, strbuf_str(&text));
	assert_int_equal(r.n, 2);
	assert_int_equal(count(&r, "ok"), 2);
	reading_release(&r);
	strbuf_reset(&text);
	strbuf_addf(&text, "%s%s%s", head, row,
		    "---\nFinished 1 test: 1 passed, 0 "
		    "failed, 1 not run\n");
	make(&r, strbuf_str(&text));
	assert_string_equal(last(&r)->reason, "1 of 2 configurations have no result");
	reading_release(&r);
	strbuf_release(&text);
}

static void each_start_in_one_text_must_be_whole(void **unused)
{
	struct strbuf text = {0}, whole = {0};
	struct reading r;

	(void)unused;
	load(&text);
	load(&whole);
	cut(&text, rows[1] - 1);
	strbuf_addstr(&text, strbuf_str(&whole));
	make(&r, strbuf_str(&text));
	assert_int_equal(r.n, 6);
	assert_int_equal(count(&r, "ok"), 5);
	assert_string_equal(r.items[1].title, "missing");
	assert_non_null(strstr(r.items[1].reason, "3 of 4 configurations"));
	reading_release(&r);
	strbuf_release(&text);
	strbuf_release(&whole);
}

/* The file of one row: HPL's line with other words in it. */
static void row(struct reading *r, const char *n, const char *time, const char *gflops)
{
	char text[512];

	(void)snprintf(text, sizeof(text),
		       "WR11C2R4 %s 192 1 2 %s %s\n"
		       "||Ax-b||_oo/(eps*N)= 0.005 ...... PASSED\n",
		       n, time, gflops);
	make(r, text);
}

/* 2/3 N^3 + 3/2 N^2 operations, 666.81666... Gflop of N 10000 */
static void a_rate_that_n_and_time_do_not_make_counts_nowhere(void **unused)
{
	static const struct {
		const char *n, *time, *gflops, *why; /* NULL: it is right */
	} cases[] = {
		{"10000", "10.00", "6.6682e+01", NULL},
		{"10000", "10.00", "6.6649e+01", NULL}, /* 10.005 s */
		{"10000", "10.00", "6.6714e+01", NULL}, /* 9.995 s */
		{"10000", "10.00", "6.668e+01", NULL},  /* HPL 2.0 and 1.0 */
		{"10000", "10.00", "66.68", NULL},
		{"10000", "10.000000", "6.66817e+01", NULL},
		{"82081", "551.89", "6.68032e+02", NULL}, /* a vendor's */
		{"30", "0.00", "1.9350e-02", NULL},
		{"10000", "10.00", "6.6640e+01",
		 "6.6640e+01 Gflops, but N 10000 in "
		 "10.00 s makes 66.682"},
		{"10000", "10.00", "6.6720e+01", "no line that HPL prints"},
		{"10000", "10.00", "6.6682e+02", "makes 66.682"},
		{"1000", "10.00", "6.6682e+01", "N 1000 in 10.00 s makes 0.066817"},
		{"10000", "10.000000", "6.66820e+01", "makes 66.682"},
		{"3000", "0.00", "1.0000e+00", "makes at least 3602.7"},
		{"10000", "0e99", "1.0000e+00", "makes at least 1333.6"},
		{"10000", "-10.00", "6.6682e+01", "expected finite numbers above 0"},
		{"10000", "nan", "6.6682e+01", "expected finite numbers above 0"},
		{"10000", "inf", "6.6682e+01", "expected finite numbers above 0"},
		{"10000", "10.00", "0.0000e+00", "expected finite numbers above 0"},
		{"10000", "10.00", "-6.6682e+01", "expected finite numbers above 0"},
		{"10000", "10.00", "nan", "expected finite numbers above 0"},
		{"10000", "10.00", "inf", "expected finite numbers above 0"},
		{"10000", "10.00", "6.66e+0x", "'6.66e+0x': expected numbers above 0"},
		{"10000", "10.00", "\x1b[2J", "'\\x1b[2J'"},
		{"0", "10.00", "6.6682e+01", "N '0', NB '192'"},
		{"-10000", "10.00", "6.6682e+01", "N '-10000', NB '192'"},
		{"10000", "10.00", "6.6682e+01 7", "a line of results with 8 of 7"},
		{"10000", "10.00", "", "a line of results with 6 of 7 columns"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *why = cases[i].why;
		struct reading r;

		row(&r, cases[i].n, cases[i].time, cases[i].gflops);
		assert_int_equal(r.n, 1);
		assert_int_equal(r.items[0].line, 1);
		if (strcmp(r.items[0].cause, why ? "invalid" : "ok") != 0 ||
		    (why && !strstr(r.items[0].reason, why)))
			fail_msg("case %zu: %s: %s", i, r.items[0].cause,
				 r.items[0].reason ? r.items[0].reason : "-");
		/* nothing of it but that the residual was good */
		assert_int_equal(r.items[0].n,
				 !why ? 2 + (strtod(cases[i].time, NULL) > 0) : 1);
		reading_release(&r);
	}
}

static void a_wrong_residual_fails_whatever_the_rate_is(void **unused)
{
	struct reading r;

	(void)unused;
	make(&r, "WR11C2R4 10000 192 1 2 10.00 9.0e+09\n"
		 "||Ax-b||_oo/(eps*N)= 99.0 ...... FAILED\n");
	assert_string_equal(r.items[0].cause, "invalid");
	assert_int_equal(r.items[0].n, 1);
	assert_false(state_check_ok(&r.items[0].records[0].u.valid));
	reading_release(&r);
}

static const char needs[] =
	"HPL ERROR from process # 0, on line 419 of function HPL_pdinfo:\n"
	">>> Need at least 4 processes for these tests <<<\n\n"
	"HPL ERROR from process # 0, on line 621 of function HPL_pdinfo:\n"
	">>> Illegal input in file HPL.dat. Exiting ... <<<\n\n";

static void what_hpl_says_of_its_end_is_quoted(void **unused)
{
	struct strbuf text = {0};
	struct reading r;

	(void)unused;
	assert_ptr_equal(reader_for(needs), reader_find("hpl"));
	make(&r, needs);
	assert_int_equal(r.wrong_line, 2);
	assert_string_equal(r.wrong,
			    "HPL gave up: 'Need at least 4 processes for these tests'; "
			    "start as many ranks as P x Q of HPL.dat, or make that less");
	reading_release(&r);
	make(&r, "HPL ERROR from process # 0, on line 1 of function f:\n");
	assert_non_null(strstr(r.wrong, "'HPL ERROR from process # 0, on line 1"));
	reading_release(&r);

	/* one of four does not fit into memory */
	load(&text);
	change(&text,
	       "WR11C2R4        2000   128     1     2               0.48      "
	       "       1.1124e+01\n",
	       "HPL ERROR from process # 0, on line 180 of function HPL_pdtest:\n"
	       ">>> [0,1] Memory allocation failed for A, x and b. Skip. <<<\n\n");
	change(&text, "0 tests skipped", "1 tests skipped");
	change(&text, "=  4.4", " no");
	make(&r, strbuf_str(&text));
	assert_int_equal(count(&r, "ok"), 3);
	assert_string_equal(last(&r)->reason,
			    "1 of 4 configurations have no result: HPL skipped 1; HPL "
			    "says on line 70 '[0,1] Memory allocation failed for A, x "
			    "and b. Skip.': make N less, or take more nodes");
	reading_release(&r);

	/* it says so although all is there */
	strbuf_reset(&text);
	load(&text);
	change(&text, "\nFinished",
	       "\nHPL ERROR on line 1 of function f:\n>>> what <<<\n"
	       "\nFinished");
	make(&r, strbuf_str(&text));
	assert_int_equal(count(&r, "ok"), 4);
	assert_string_equal(last(&r)->reason,
			    "all 4 configurations are there; HPL says on "
			    "line 79 'what'");
	reading_release(&r);

	/* one start gave up, the next was good */
	strbuf_reset(&text);
	load(&text);
	change(&text, "=====", needs);
	make(&r, strbuf_str(&text));
	assert_int_equal(count(&r, "ok"), 4);
	assert_int_equal(r.n, 5);
	assert_non_null(strstr(r.items[0].reason, "HPL gave up: 'Need at least 4"));
	reading_release(&r);
	strbuf_release(&text);
}

/* As HPL prints with a threshold of 0 or less in HPL.dat: one head, no residuals. */
static void what_hpl_was_told_not_to_check_is_no_result(void **unused)
{
	static const char text[] =
		"HPLinpack 2.3  --  High-Performance Linpack benchmark  --\n"
		"The following parameter values will be used:\n\n"
		"N      :   10000 \nNB     :     192      256 \nPMAP   : Row-major\n"
		"P      :       1 \nQ      :       2 \nPFACT  :   Right \n"
		"NBMIN  :       4 \nNDIV   :       2 \nRFACT  :   Crout \n"
		"BCAST  :  1ringM \nDEPTH  :       1 \nSWAP   : Mix\n\n"
		"WR11C2R4       10000   192     1     2              10.00    "
		"6.6682e+01\n"
		"WR11C2R4       10000   256     1     2              10.00    "
		"6.6682e+01\n"
		"====\n\nFinished      2 tests with the following results:\n"
		"              2 tests completed without checking,\n"
		"              0 tests skipped because of illegal input values.\n"
		"End of Tests.\n";
	struct reading r;

	(void)unused;
	make(&r, text);
	assert_int_equal(r.n, 2);
	for (size_t i = 0; i < r.n; i++) {
		assert_string_equal(r.items[i].cause, "no-data");
		assert_int_equal(r.items[i].n, 0);
		assert_non_null(strstr(r.items[i].reason,
				       "not checked: the threshold in HPL.dat"));
	}
	reading_release(&r);
	make(&r, "assay-hpl: N 1000\n"
		 "WR11R2L8 1000 64 1 2 0.10 6.6817e+00\n"
		 "residual: not checked, the threshold in HPL.dat is not above 0\n");
	assert_int_equal(r.n, 1);
	assert_non_null(strstr(r.items[0].reason, "not checked"));
	reading_release(&r);
	/* the head is not there */
	make(&r, strstr(text, "WR11C2R4"));
	assert_int_equal(r.n, 2);
	assert_non_null(strstr(r.items[1].reason, "not checked"));
	reading_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_output_lacks_nothing),
		cmocka_unit_test(an_output_that_was_cut_says_what_is_missing),
		cmocka_unit_test(a_cut_within_a_line_is_seen_too),
		cmocka_unit_test(lists_that_go_on_in_the_next_lines_count),
		cmocka_unit_test(the_closing_lines_count_where_there_is_no_head),
		cmocka_unit_test(a_piece_of_an_output_is_no_whole_one),
		cmocka_unit_test(an_output_of_assay_hpl_must_be_whole_too),
		cmocka_unit_test(each_start_in_one_text_must_be_whole),
		cmocka_unit_test(a_rate_that_n_and_time_do_not_make_counts_nowhere),
		cmocka_unit_test(a_wrong_residual_fails_whatever_the_rate_is),
		cmocka_unit_test(what_hpl_says_of_its_end_is_quoted),
		cmocka_unit_test(what_hpl_was_told_not_to_check_is_no_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
