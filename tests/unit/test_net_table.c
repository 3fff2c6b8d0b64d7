/* SPDX-License-Identifier: Apache-2.0 */
/* The table of assay-net: the columns and units that users of OSU and their scripts read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/net/net.h"

/* measure.c has it, with all of MPI behind it. */
double measure_percentile(const double *rising_values, int n, int percent)
{
	(void)percent;
	return rising_values[n - 1];
}

static const struct net_test latency = {
	.name = "latency", .metric = "net.latency", .counts = {10000, 100, 1000, 10}};
static const struct net_test mbw = {.name = "mbw_mr",
				    .metric = "net.mbw",
				    .rate = "net.rate",
				    .bandwidth = true,
				    .window = true};
static const struct net_test barrier = {
	.name = "barrier", .metric = "net.barrier", .collective = true};

struct made {
	struct record records[32];
	size_t n;
};

static void add(struct made *m, const char *metric, const char *at, double value)
{
	struct record *r = &m->records[m->n++];

	*r = record_make(RECORD_KIND_sample);
	r->u.sample.metric = metric;
	r->u.sample.at = at;
	r->u.sample.value = record_num(value);
}

/* What it prints; free() it. */
static char *table(struct net *x, const struct made *m)
{
	const struct kit k = {.ranks = 2};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	x->n_places = x->n_places ? x->n_places : 1;
	x->counts = x->test->counts;
	net_table(&k, x, m->records, m->n, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* The numbers of the line that begins with @start: how many, and into @v. */
static int numbers(const char *text, const char *start, double *v)
{
	const char *line = strstr(text, start);
	int n = 0;

	assert_non_null(line);
	for (line += strlen(start); *line && *line != '\n' && n < 12;) {
		char *end;
		const double number = strtod(line, &end);

		if (end == line) {
			line++;
			continue;
		}
		v[n++] = number;
		line = end;
	}
	return n;
}

/* OSU's MB/s is 10^6 B/s and its us 10^-6 s; records are in B/s and s. */
static void units_are_those_of_osu(void **unused)
{
	struct net x = {.test = &mbw, .sizes = {64, 64}, .repeat = 1, .window = 64};
	struct made m = {.n = 0};
	double v[12] = {0};
	char *text;

	(void)unused;
	add(&m, "net.mbw", "{\"size\":64}", 489180000.0);
	add(&m, "net.rate", "{\"size\":64}", 7643437.5);
	text = table(&x, &m);
	assert_non_null(
		strstr(text, "# Size                    MB/s          Messages/s"));
	assert_true(numbers(text, "\n64  ", v) >= 2);
	assert_true(v[0] == 489.18 && v[1] == 7643437.5);
	free(text);

	m.n = 0;
	x.test = &latency;
	x.sizes = (struct sizes){8, 8};
	add(&m, "net.latency", "{\"size\":8}", 1.854e-5);
	text = table(&x, &m);
	assert_non_null(strstr(text, "# Size         Avg Latency(us)"));
	(void)numbers(text, "\n8  ", v);
	assert_true(v[0] == 18.54);
	free(text);
}

static void a_row_is_the_median_of_the_repetitions_and_their_spread(void **unused)
{
	struct net x = {.test = &latency, .sizes = {4, 8}, .repeat = 3};
	struct made m = {.n = 0};
	double v[12] = {0};
	char *text;

	(void)unused;
	add(&m, "net.latency", "{\"size\":4}", 3e-6);
	add(&m, "net.latency", "{\"size\":8}", 7e-6);
	add(&m, "net.latency", "{\"size\":4}", 2e-6);
	add(&m, "net.latency", "{\"size\":4}", 2.5e-6);
	add(&m, "net.latency_tail", "{\"percentile\":50,\"size\":4}", 1e-6);
	add(&m, "net.latency_tail", "{\"percentile\":90,\"size\":4}", 5e-6);
	add(&m, "net.latency_tail", "{\"percentile\":99,\"size\":4}", 9e-6);
	x.wrong_sizes = 2; /* the second size */
	text = table(&x, &m);
	assert_int_equal(numbers(text, "\n4  ", v), 5);
	assert_true(v[0] == 2.5 && v[1] == 1 && v[2] == 5 && v[3] == 9 && v[4] == 40);
	assert_true(strstr(text, "Pass") < strstr(text, "\n8  "));
	assert_non_null(strstr(strstr(text, "\n8  "), "Fail"));
	free(text);
}

static void a_barrier_has_no_sizes(void **unused)
{
	struct net x = {.test = &barrier, .repeat = 1};
	struct made m = {.n = 0};
	double v[12] = {0};
	char *text;

	(void)unused;
	add(&m, "net.barrier", "{}", 4e-6);
	add(&m, "net.barrier_tail", "{\"rank\":\"fastest\"}", 3e-6);
	add(&m, "net.barrier_tail", "{\"rank\":\"slowest\"}", 6e-6);
	text = table(&x, &m);
	assert_true(numbers(text, "Spread(%)\n", v) >= 3);
	assert_true(v[0] == 4 && v[1] == 3 && v[2] == 6);
	free(text);
}

static void each_place_has_a_table_and_the_loss_is_said(void **unused)
{
	struct net x = {.test = &latency,
			.sizes = {8, 8},
			.repeat = 1,
			.n_places = 2,
			.device = "mlx5_0:1"};
	struct made m = {.n = 0};
	double v[12] = {0};
	char *text;

	(void)unused;
	x.places[0] = (struct net_place){"\"locality\":\"near\"", "near", 0, 1};
	x.places[1] = (struct net_place){"\"locality\":\"far\"", "far", 1, 6};
	add(&m, "net.latency", "{\"locality\":\"near\",\"size\":8}", 1e-6);
	add(&m, "net.latency", "{\"locality\":\"far\",\"size\":8}", 1.25e-6);
	add(&m, "net.remote", NULL, 0.8);
	text = table(&x, &m);
	assert_non_null(
		strstr(text, "# near: NUMA domain 1 of the first node, mlx5_0:1"));
	(void)numbers(strstr(text, "# far: NUMA domain 6"), "\n8  ", v);
	assert_true(v[0] == 1.25);
	assert_non_null(strstr(text, "# far from mlx5_0:1: -20.0 %"));
	free(text);
}

static void what_did_not_run_has_no_table(void **unused)
{
	struct net x = {.test = &latency, .sizes = {8, 8}, .repeat = 1};
	const struct made m = {.n = 0};
	char *text = table(&x, &m);

	(void)unused;
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_are_those_of_osu),
		cmocka_unit_test(a_row_is_the_median_of_the_repetitions_and_their_spread),
		cmocka_unit_test(a_barrier_has_no_sizes),
		cmocka_unit_test(each_place_has_a_table_and_the_loss_is_said),
		cmocka_unit_test(what_did_not_run_has_no_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
