/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs' text in, records out. */
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

/* Reads a file of tests/data/readings by the reader that knows it, which is @reader. */
static void load(struct reading *r, const char *file, const char *reader)
{
	struct strbuf text = {0};
	char path[256];
	struct err e = {0};

	(void)snprintf(path, sizeof(path), TEST_DATA "/readings/%s", file);
	if (file_read(&text, path, 1 << 20, &e))
		fail_msg("%s", e.msg);
	assert_non_null(reader_for(strbuf_str(&text)));
	assert_string_equal(reader_for(strbuf_str(&text))->name, reader);
	reading_make(r, reader_find(reader), strbuf_str(&text));
	strbuf_release(&text);
}

static void make(struct reading *r, const char *reader, const char *text)
{
	reading_make(r, reader_find(reader), text);
}

static const struct record_sample *sample(const struct reading *r, size_t result,
					  const char *metric, const char *at)
{
	const struct reading_result *x = &r->items[result];

	for (size_t i = 0; i < x->n; i++) {
		const struct record_sample *s = &x->records[i].u.sample;

		if (x->records[i].kind == RECORD_KIND_sample &&
		    !strcmp(s->metric, metric) && (!at || (s->at && !strcmp(s->at, at))))
			return s;
	}
	return NULL;
}

static double value(const struct reading *r, size_t result, const char *metric)
{
	const struct record_sample *s = sample(r, result, metric, NULL);

	assert_non_null(s);
	return s->value.v;
}

/* The only check of a result. */
static const struct record_valid *check(const struct reading *r, size_t result)
{
	const struct record_valid *found = NULL;

	for (size_t i = 0; i < r->items[result].n; i++) {
		if (r->items[result].records[i].kind != RECORD_KIND_valid)
			continue;
		assert_null(found);
		found = &r->items[result].records[i].u.valid;
	}
	assert_non_null(found);
	return found;
}

static const struct record_event *event(const struct reading *r, size_t result)
{
	for (size_t i = 0; i < r->items[result].n; i++) {
		if (r->items[result].records[i].kind == RECORD_KIND_event)
			return &r->items[result].records[i].u.event;
	}
	return NULL;
}

static void an_hpl_result_is_its_rate_time_and_residual(void **state)
{
	struct reading r;

	(void)state;
	load(&r, "hpl_one.txt", "hpl");
	assert_int_equal(r.n, 1);
	assert_string_equal(r.items[0].title, "n384000-nb384-1x2");
	assert_string_equal(r.items[0].cause, "ok");
	assert_true(fabs(value(&r, 0, "hpl.rate") - 8126.1e9) < 1);
	assert_true(value(&r, 0, "hpl.time") == 4645.37);
	assert_string_equal(sample(&r, 0, "hpl.rate", NULL)->unit, "FLOP/s");
	assert_true(state_check_ok(check(&r, 0)));
	assert_true(check(&r, 0)->value.v == 4.12139792e-03);
	reading_release(&r);
}

/* Field case C01: a residual that is too large, one that is no number, none at all. */
static void c01_only_a_good_residual_is_a_pass(void **state)
{
	struct reading r;

	(void)state;
	load(&r, "hpl_failed.txt", "hpl");
	assert_int_equal(r.n, 2);
	assert_false(state_check_ok(check(&r, 0)));
	assert_false(state_check_ok(check(&r, 1)));
	assert_true(isnan(check(&r, 1)->value.v));
	assert_string_equal(check(&r, 1)->text,
			    "residual nan of 16 allowed at 6.667e+04 Gflop/s");
	reading_release(&r);
	load(&r, "hpl_cut.txt", "hpl");
	assert_int_equal(r.n, 2);
	assert_string_equal(r.items[1].title, "missing");
	assert_string_equal(r.items[0].cause, "no-data");
	assert_non_null(strstr(r.items[0].reason, "no residual line"));
	assert_null(sample(&r, 0, "hpl.rate", NULL));
	reading_release(&r);
	load(&r, "hpl_noresult.txt", "hpl");
	assert_int_equal(r.n, 1);
	assert_string_equal(r.items[0].cause, "no-data");
	assert_string_equal(r.items[0].reason, "1 of 1 configurations have no result");
	reading_release(&r);
}

static void a_word_alone_does_not_pass(void **state)
{
	static const char *const residuals[] = {"inf", "-1", "16", "1e400", "-nan", "x"};

	(void)state;
	for (size_t i = 0; i < sizeof(residuals) / sizeof(residuals[0]); i++) {
		char text[512];
		struct reading r;

		(void)snprintf(text, sizeof(text),
			       "WR11C2R4 1000 10 1 2 0.10 6.6817e+00\n"
			       "||Ax-b||_oo/(eps*N)= %s ...... PASSED\n",
			       residuals[i]);
		make(&r, "hpl", text);
		assert_int_equal(r.n, 1);
		if (strcmp(residuals[i], "x") != 0)
			assert_false(state_check_ok(check(&r, 0)));
		else
			assert_string_equal(r.items[0].cause, "no-data");
		reading_release(&r);
	}
}

static void what_assay_hpl_prints_by_hand_is_read_too(void **state)
{
	static const char text[] =
		"T/V N NB P Q Time Gflops residual\n"
		"WR10R2L8 1000 16 1 2 0.50 1.3363e+00 0.0127640 PASSED\n"
		"WR10R2L8 2000 16 1 2 2.00 2.6697e+00 99.1 FAILED\n"
		"WR10R2L8 3000 16 1 2 3.00 6.0045e+00 nan FAILED\n"
		"WR10R2L8 3000 16 1 2 3.00 6.0045e+00 unchecked\n"
		"WR10R2L8 3000 16 1 2 3.00 6.0045e+00 0.01 PASS\n";
	struct reading r;

	(void)state;
	assert_string_equal(reader_for(text)->name, "hpl");
	make(&r, "hpl", text);
	assert_int_equal(r.n, 5);
	assert_string_equal(r.items[0].title, "n1000-nb16-1x2");
	assert_true(value(&r, 0, "hpl.rate") == 1.3363e9);
	assert_true(value(&r, 0, "hpl.time") == 0.5);
	assert_true(state_check_ok(check(&r, 0)));
	assert_true(check(&r, 0)->value.v == 0.0127640);
	assert_false(state_check_ok(check(&r, 1)));
	assert_false(state_check_ok(check(&r, 2)));
	assert_string_equal(r.items[3].cause, "no-data");
	assert_string_equal(r.items[4].cause, "invalid"); /* torn */
	reading_release(&r);
}

/* HPL 1.x checks in three ways, each of which must be good. */
static void each_of_several_residuals_counts(void **state)
{
	static const char text[] =
		"WR11C2R4 1000 10 1 2 0.10 6.6817e+00\n"
		"||Ax-b||_oo / ( eps * ||A||_1  * N        ) = 0.0071 ...... PASSED\n"
		"||Ax-b||_oo / ( eps * ||A||_1  * ||x||_1  ) = 99.5 ...... FAILED\n";
	struct reading r;

	(void)state;
	make(&r, "hpl", text);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.items[0].n, 4);
	assert_false(state_check_ok(&r.items[0].records[3].u.valid));
	reading_release(&r);
}

/* Field case C04. */
static void c04_hpcg_says_valid_after_0_07_s(void **state)
{
	struct reading r;

	(void)state;
	load(&r, "hpcg_short.txt", "hpcg");
	assert_int_equal(r.n, 1);
	assert_string_equal(r.items[0].title, "16x16x16");
	assert_true(fabs(value(&r, 0, "hpcg.rate") - 1.95e9) < 1);
	assert_true(value(&r, 0, "hpcg.time") == 0.0686);
	assert_true(state_check_ok(check(&r, 0)));
	assert_string_equal(event(&r, 0)->what, "short");
	assert_string_equal(event(&r, 0)->text,
			    "0.07 s < minimum (60 s for health check, 1800 s official)");
	reading_release(&r);
	load(&r, "hpcg_invalid.txt", "hpcg");
	assert_false(state_check_ok(check(&r, 0)));
	assert_null(event(&r, 0));
	reading_release(&r);
}

/* The form of 3.0: sections with what is in them indented below. */
static void hpcg_3_0_is_read_too(void **state)
{
	static const char text[] =
		"HPCG-Benchmark version: 3.0\n"
		"Local Domain Dimensions: \n  nx: 104\n"
		"Benchmark Time Summary: \n"
		"  Optimization phase: 0\n  DDOT: 1.5\n  MG: 55.5\n"
		"  Total: 61.5\n"
		"Floating Point Operations Summary: \n  Total: 1e9\n"
		"__________ Final Summary __________: \n"
		"  HPCG result is VALID with a GFLOP/s rating of: 12.5\n";
	struct reading r;

	(void)state;
	assert_ptr_equal(reader_for(text), reader_find("hpcg"));
	make(&r, "hpcg", text);
	assert_true(value(&r, 0, "hpcg.rate") == 12.5e9);
	assert_true(value(&r, 0, "hpcg.time") == 61.5);
	assert_true(value(&r, 0, "hpcg.mg_time") == 55.5);
	assert_null(event(&r, 0));
	assert_true(check(&r, 0)->ok);
	reading_release(&r);
	make(&r, "hpcg", "HPCG-Benchmark version: 3.0\n");
	assert_string_equal(r.items[0].cause, "no-data");
	reading_release(&r);
}

/* Field case A14: MB/s are 10^6 B/s. */
static void stream_rates_are_decimal_and_need_the_check(void **state)
{
	struct reading r;

	(void)state;
	load(&r, "stream_zen.txt", "stream");
	assert_int_equal(r.n, 1);
	assert_string_equal(r.items[0].cause, "ok");
	assert_true(fabs(value(&r, 0, "stream.triad") - 363208.7e6) < 1);
	assert_true(fabs(value(&r, 0, "stream.copy") - 342008.3e6) < 1);
	assert_true(check(&r, 0)->ok);
	reading_release(&r);
	make(&r, "stream", "Copy: 1.0 1 1 1\nTriad: 2.0 1 1 1\n");
	assert_string_equal(r.items[0].cause, "no-data");
	reading_release(&r);
	make(&r, "stream",
	     "Copy: 1.0 1 1 1\nFailed Validation on array a[], AvgRelAbsErr > epsilon\n");
	assert_string_equal(r.items[0].cause, "ok");
	assert_false(state_check_ok(check(&r, 0)));
	reading_release(&r);
}

static void osu_tables_have_a_value_for_each_size(void **state)
{
	struct reading r;

	(void)state;
	load(&r, "osu_latency.txt", "osu");
	assert_int_equal(r.n, 1);
	assert_string_equal(r.items[0].title, "latency");
	assert_int_equal(r.items[0].n, 23);
	assert_true(fabs(sample(&r, 0, "net.latency", "{\"size\":8}")->value.v -
			 18.54e-6) < 1e-12);
	assert_string_equal(sample(&r, 0, "net.latency", NULL)->unit, "s");
	reading_release(&r);
	load(&r, "osu_mbw_mr.txt", "osu");
	assert_string_equal(r.items[0].title, "mbw");
	assert_true(fabs(sample(&r, 0, "net.mbw", "{\"size\":64}")->value.v - 489.18e6) <
		    1);
	assert_true(fabs(sample(&r, 0, "net.rate", "{\"size\":64}")->value.v -
			 7643378.59) < 1e-3);
	reading_release(&r);
	make(&r, "osu",
	     "# OSU MPI Barrier Latency Test v7.4\n# Avg Latency(us)\n 1.5\n"
	     "# OSU MPI Allreduce Latency Test v7.4\n# Size Avg Latency(us)\n"
	     "# OSU MPI Scan Latency Test v7.4\n4 2.0\n");
	assert_int_equal(r.n, 2);
	assert_true(value(&r, 0, "net.barrier") == 1.5e-6);
	assert_string_equal(r.items[1].cause, "no-data");
	reading_release(&r);
}

/* What a counter stood at; NaN when there is none. */
static double counter(const struct reading *r, const char *name, const char *when)
{
	const struct reading_result *x = &r->items[0];

	for (size_t i = 0; i < x->n; i++) {
		const struct record_counter *c = &x->records[i].u.counter;

		if (x->records[i].kind == RECORD_KIND_counter && !strcmp(c->name, name) &&
		    !strcmp(c->when, when))
			return c->value.v;
	}
	return NAN;
}

static void counters_of_ports_are_read_twice(void **state)
{
	struct strbuf text = {0};
	struct reading r;
	struct err e = {0};

	(void)state;
	load(&r, "perfquery_before.txt", "perfquery");
	assert_int_equal(r.n, 1);
	assert_string_equal(r.items[0].cause, "no-data");
	assert_non_null(strstr(r.items[0].reason, "a later reading"));
	assert_int_equal(r.items[0].n, 0);
	reading_release(&r);

	assert_int_equal(
		file_read(&text, TEST_DATA "/readings/perfquery_before.txt", 1 << 16, &e),
		0);
	strbuf_addstr(&text, "# Port extended counters: Lid 1719 port 2\n"
			     "SymbolErrorCounter:....70010\n"); /* first and last count */
	assert_int_equal(
		file_read(&text, TEST_DATA "/readings/perfquery_after.txt", 1 << 16, &e),
		0);
	make(&r, "perfquery", strbuf_str(&text));
	assert_string_equal(r.items[0].cause, "ok");
	assert_true(counter(&r, "lid-1719:2/symbol_error", "before") == 70004);
	assert_true(counter(&r, "lid-1719:2/symbol_error", "after") == 70016);
	assert_true(counter(&r, "lid-1719:2/link_downed", "after") == 1);
	assert_true(counter(&r, "lid-1719:1/port_xmit_packets", "after") == 101733904203);
	assert_true(isnan(counter(&r, "lid-1719:1/CounterSelect", "after")));
	assert_int_equal(r.items[0].n, 2 * 2 * 13 + 1);
	reading_release(&r);
	strbuf_release(&text);
}

static void a_counter_at_its_limit_tells_nothing(void **state)
{
	struct reading r;

	(void)state;
	load(&r, "perfquery_classic.txt", "perfquery");
	assert_string_equal(r.items[0].cause, "ok");
	assert_true(isnan(counter(&r, "lid-42:7/symbol_error", "before")));
	assert_true(counter(&r, "lid-42:7/link_downed", "after") == 4);
	assert_string_equal(r.items[0].records[r.items[0].n - 1].u.event.text,
			    "1 of the counters, such as lid-42:7/symbol_error, stood at "
			    "their limit and count no more: clear them (perfquery -R) or "
			    "read them with -x");
	reading_release(&r);
	make(&r, "perfquery",
	     "# Port counters: DR path slid 0; dlid 0; 0,1,19 port 3\n"
	     "LinkDownedCounter:....5\nPortRcvErrors:....-1\n"
	     "SymbolErrorCounter:....99999999999999999999\n"
	     "# Port counters: DR path slid 0; dlid 0; 0,1,19 port 3\n"
	     "LinkDownedCounter:....9\nPortRcvErrors:....2x\n"
	     "# another title\nLinkDownedCounter:....99\n");
	assert_int_equal(r.items[0].n, 3);
	assert_true(counter(&r, "dr-path-slid-0-dlid-0-0,1,19:3/link_downed", "after") ==
		    9);
	reading_release(&r);
}

/* Whatever comes: no crash, and never a result without its check. */
static void nonsense_gives_no_result(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n\n",
		"WR11C2R4 10 1 1 1 1 8.2e-7",
		"||Ax-b||_oo = 1 ...... PASSED\n",
		"\xff\xfe\x01",
		"HPCG result is VALID with a GFLOP/s rating of=\n",
		"Triad: nan nan nan nan\nSolution Validates\n",
		"# OSU MPI Latency Test\n-1 -1\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		for (size_t k = 0; reader_at(k); k++) {
			struct reading r;

			reading_make(&r, reader_at(k), texts[i]);
			assert_true(r.n >= 1);
			for (size_t n = 0; n < r.n; n++)
				assert_string_equal(r.items[n].cause, "no-data");
			reading_release(&r);
		}
		if (!*texts[i] || *texts[i] == '\n')
			assert_null(reader_for(texts[i]));
	}
}

static void a_line_longer_than_any_is_cut(void **state)
{
	size_t size = 100000;
	char *text = malloc(size + 1);
	struct reading r;

	(void)state;
	assert_non_null(text);
	memset(text, 'W', size);
	memcpy(text, "WR11C2R4 ", 9);
	text[size] = '\0';
	for (size_t k = 0; reader_at(k); k++) {
		reading_make(&r, reader_at(k), text);
		assert_string_equal(r.items[0].cause, "no-data");
		reading_release(&r);
	}
	free(text);
}

static void a_table_says_whose_its_values_are(void **state)
{
	static const char text[] =
		"\xef\xbb\xbf# of an older harness\r\n"
		"metric, value,unit,node,at,repetition,remark\r\n"
		"stream.triad,378,GB/s,n1,store=nt,1,\"good, \"\"new\"\"\"\r\n"
		"stream.triad,376.5,GB/s,n1,\"{\"\"store\"\":\"\"nt\"\"}\",2,\r\n"
		"\r\n"
		"net.remote,0.9,ratio,n2,,,\n"
		"stream.triad,300,GB/s,n2,core=0;l3=12,,\n"
		"stream.triad,377,GB/s,n1,store=nt,3,"; /* no end of line */
	struct reading r;
	const struct record_sample *s;

	(void)state;
	assert_string_equal(reader_for(text)->name, "csv");
	make(&r, "csv", text);
	assert_null(r.wrong);
	assert_string_equal(r.left_aside,
			    "not read: column 'remark', expected "
			    "node[,peer],metric[,at],value,unit[,repetition]");
	assert_int_equal(r.left_line, 2);
	assert_int_equal(r.items[0].lines[1], 4);
	assert_int_equal(r.n, 3);
	assert_string_equal(r.items[0].kernel, "stream");
	assert_string_equal(r.items[0].node, "n1");
	assert_null(r.items[0].peer);
	assert_int_equal(r.items[0].n, 3);
	s = &r.items[0].records[1].u.sample;
	assert_true(s->value.v == 376.5e9 && s->repetition == 2);
	assert_string_equal(s->unit, "B/s");
	assert_string_equal(s->at, "{\"store\":\"nt\"}");
	assert_true(r.items[0].records[2].u.sample.value.v == 377e9);
	assert_true(value(&r, 1, "net.remote") == 0.9);
	assert_string_equal(r.items[1].kernel, "net");
	assert_string_equal(r.items[2].node, "n2");
	assert_non_null(sample(&r, 2, "stream.triad", "{\"core\":0,\"l3\":12}"));
	reading_release(&r);
	make(&r, "csv",
	     "node,peer,metric,value,unit\na,b,net.bw,24,GB/s\na,c,net.bw,1,GB/s\n");
	assert_int_equal(r.n, 2);
	assert_null(r.left_aside);
	assert_string_equal(r.items[1].peer, "c");
	assert_string_equal(sample(&r, 1, "net.bw", NULL)->peer, "c");
	reading_release(&r);
}

static void a_table_that_is_wrong_says_where(void **state)
{
	static const struct {
		const char *text;
		long line;
		const char *wrong;
	} cases[] = {
		{"node,metric,value\nn,a.b,1\n", 1, "no column 'unit', expected node"},
		{"node,metric,node,value,unit\n", 1, "column 'node' is there twice"},
		{"node,metric,value,unit\n", 1, "no row of values"},
		{"node,metric,value,unit\n\nn1,a.b,1\n", 3, "3 fields, expected 4"},
		{"node,metric,value,unit\n../x,a.b,1,s\n", 2,
		 "'../x' is no name of a node"},
		{"node,metric,value,unit\n-x,a.b,1,s\n", 2, "'-x' is no name of a node"},
		{"node,metric,value,unit\nn,ab,1,s\n", 2, "'ab' is no metric"},
		{"node,metric,value,unit\nn,a.b,1,ell\n", 2, "unit 'ell': unknown unit"},
		{"node,metric,value,unit\nn,a.b,nan,s\n", 2, "value 'nan'"},
		{"node,metric,value,unit\nn,a.b,1e999,s\n", 2, "value '1e999'"},
		{"node,metric,value,unit\nn,a.b,1;2,s\n", 2, "value '1;2'"},
		{"node,metric,value,unit\nn,\"a.b,1,s\n", 2, "not CSV"},
		{"node,metric,value,unit\nn,\"a.b\"x,1,s\n", 2, "not CSV"},
		{"node,metric,value,unit,at\nn,a.b,1,s,x\n", 2, "at 'x'"},
		{"node,metric,value,unit,at\nn,a.b,1,s,\"{\"\"a\"\":[1]}\"\n", 2,
		 "at '{"},
		{"node,metric,value,unit,repetition\nn,a.b,1,s,0\n", 2, "repetition '0'"},
		{"node,metric,value,unit,repetition\nn,a.b,1,s,1\nn,a.b,2,s,1\n", 3,
		 "repetition 1 of it is there already"},
		{"node,metric,value,unit\nn\x1b[2J,a.b,1,s\n", 2, "'n"},
		{"node,metric,value,unit,repetitions\nn,a.b,1,s,1\n", 1,
		 "unknown column 'repetitions', did you mean 'repetition'?"},
		{"Node,metric,value,unit\nn,a.b,1,s\n", 1, "did you mean 'node'?"},
		{"\n# no comma\nnode;metric;value;unit\nn;a.b;1,5;s\n", 3,
		 "columns are separated by ';', expected ',' (and '.' in numbers)"},
		{"node\tmetric\tvalue\tunit\nn\ta.b\t1\ts\n", 1,
		 "columns are separated by tabs, expected ','"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct reading r;

		assert_ptr_equal(reader_for(cases[i].text), reader_find("csv"));
		make(&r, "csv", cases[i].text);
		if (!r.wrong || r.wrong_line != cases[i].line ||
		    !strstr(r.wrong, cases[i].wrong) || strchr(r.wrong, '\x1b'))
			fail_msg("case %zu: %s", i,
				 r.wrong ? r.wrong : "nothing is wrong");
		assert_string_equal(r.items[r.n - 1].cause, "no-data");
		reading_release(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_hpl_result_is_its_rate_time_and_residual),
		cmocka_unit_test(c01_only_a_good_residual_is_a_pass),
		cmocka_unit_test(a_word_alone_does_not_pass),
		cmocka_unit_test(what_assay_hpl_prints_by_hand_is_read_too),
		cmocka_unit_test(each_of_several_residuals_counts),
		cmocka_unit_test(c04_hpcg_says_valid_after_0_07_s),
		cmocka_unit_test(hpcg_3_0_is_read_too),
		cmocka_unit_test(stream_rates_are_decimal_and_need_the_check),
		cmocka_unit_test(a_table_says_whose_its_values_are),
		cmocka_unit_test(a_table_that_is_wrong_says_where),
		cmocka_unit_test(osu_tables_have_a_value_for_each_size),
		cmocka_unit_test(counters_of_ports_are_read_twice),
		cmocka_unit_test(a_counter_at_its_limit_tells_nothing),
		cmocka_unit_test(nonsense_gives_no_result),
		cmocka_unit_test(a_line_longer_than_any_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
