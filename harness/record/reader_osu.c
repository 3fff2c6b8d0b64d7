/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs of the OSU micro-benchmarks for MPI: a title, the names of the columns, a line
 * for each size. Times are in us, rates in 10^6 B/s.
 */
#include <stdio.h>
#include <string.h>

#include "record/reading.h"

/* What a title says the first column behind the size is. */
static const struct {
	const char *title, *metric, *unit;
	double scale;
	const char *second; /* metric of the next column, in 1/s, or NULL */
} tests[] = {
	{"Multiple Bandwidth / Message Rate", "net.mbw", "B/s", 1e6, "net.rate"},
	{"Bi-Directional Bandwidth", "net.bibw", "B/s", 1e6, NULL},
	{"Bandwidth Test", "net.bw", "B/s", 1e6, NULL},
	{"Allreduce Latency", "net.allreduce", "s", 1e-6, NULL},
	{"All-to-All Personalized", "net.alltoall", "s", 1e-6, NULL},
	{"Alltoall Latency", "net.alltoall", "s", 1e-6, NULL},
	{"Broadcast Latency", "net.bcast", "s", 1e-6, NULL},
	{"Bcast Latency", "net.bcast", "s", 1e-6, NULL},
	{"Barrier Latency", "net.barrier", "s", 1e-6, NULL},
	{"MPI Latency Test", "net.latency", "s", 1e-6, NULL},
};

enum { N_TESTS = sizeof(tests) / sizeof(tests[0]) };

static bool knows(const char *text)
{
	return strstr(text, "# OSU MPI") != NULL;
}

/* Number of the test a title names; N_TESTS for another one. */
static size_t test_of(const char *line)
{
	for (size_t i = 0; i < N_TESTS; i++) {
		if (strstr(line, tests[i].title))
			return i;
	}
	return N_TESTS;
}

static void read_line(char *line, size_t test, struct reading *r)
{
	bool sized = strcmp(tests[test].metric, "net.barrier") != 0;
	char *w[8], at[64];
	size_t n = reading_words(line, w, 8);
	double v, size;

	if (n < (sized ? 2u : 1u) || !reading_number(w[sized], &v) ||
	    (sized && (!reading_number(w[0], &size) || size < 0 || size > 1e18)))
		return;
	if (sized)
		(void)snprintf(at, sizeof(at), "{\"size\":%.0f}", size);
	reading_sample(r, tests[test].metric, v * tests[test].scale, tests[test].unit,
		       sized ? at : NULL);
	if (tests[test].second && n > 2 && reading_number(w[2], &v))
		reading_sample(r, tests[test].second, v, "1/s", at);
}

/* A table without a line is no result. */
static void close(struct reading *r)
{
	if (r->n && !r->items[r->n - 1].n)
		reading_lacks(r, "no line of sizes: the output was cut off");
}

static void read_text(const char *text, struct reading *r)
{
	char line[READING_LINE];
	size_t test = N_TESTS;

	while (reading_line(&text, line)) {
		if (strstr(line, "# OSU")) {
			close(r);
			test = test_of(line);
			if (test < N_TESTS)
				reading_begin(r, strchr(tests[test].metric, '.') + 1);
		} else if (line[0] != '#' && test < N_TESTS) {
			read_line(line, test, r);
		}
	}
	close(r);
}

const struct reader reader_osu = {
	.name = "osu",
	.kernel = "net",
	.help = "an OSU micro-benchmark",
	.knows = knows,
	.read = read_text,
};
