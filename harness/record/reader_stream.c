/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STREAM's output (5.x): a line for each of copy, scale, add and triad with the best rate
 * in 10^6 B/s, and what its check of the arrays came to.
 */
#include <math.h>
#include <string.h>

#include "record/reading.h"

static bool knows(const char *text)
{
	return strstr(text, "STREAM version") ||
	       (strstr(text, "Best Rate MB/s") && strstr(text, "Triad:"));
}

static const struct {
	const char *word, *metric;
} functions[] = {{"Copy:", "stream.copy"},
		 {"Scale:", "stream.scale"},
		 {"Add:", "stream.add"},
		 {"Triad:", "stream.triad"}};

enum { N_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static void read_rate(char *line, struct reading *r)
{
	char *w[6];
	double v;

	if (reading_words(line, w, 6) != 5 || !reading_number(w[1], &v))
		return;
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		if (strcmp(w[0], functions[i].word) != 0)
			continue;
		if (i == 0) {
			reading_begin(r, "");
			reading_lacks(r, "no line of the check: the output was cut off");
		}
		if (r->n)
			reading_sample(r, functions[i].metric, v * 1e6, "B/s", NULL);
	}
}

static void check(struct reading *r, bool ok, const char *line)
{
	struct reading_result *last = &r->items[r->n - 1];

	reading_valid(r, "arrays", ok ? NAN : 1, ok ? NAN : 0, ok, ok ? NULL : line);
	last->cause = "ok";
	last->reason = NULL;
}

static void read_text(const char *text, struct reading *r)
{
	char line[READING_LINE];

	while (reading_line(&text, line)) {
		if (r->n && !strncmp(line, "Solution Validates", 18))
			check(r, true, line);
		else if (r->n && !strncmp(line, "Failed Validation", 17))
			check(r, false, line);
		else
			read_rate(line, r);
	}
}

const struct reader reader_stream = {
	.name = "stream",
	.kernel = "stream",
	.help = "STREAM",
	.knows = knows,
	.read = read_text,
};
