/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HPCG's result file: lines of "name=value" (3.1), or of "name: value" (3.0), of which
 * the rating says whether the benchmark's own checks passed. That it is "VALID" does not
 * say that it ran long enough: the time does.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record/reading.h"

#define HEALTH_CHECK 60.0   /* s, below no figure of it is to be compared */
#define OFFICIAL     1800.0 /* s, of an official result */

static const char rating[] = "GFLOP/s rating of";

static bool knows(const char *text)
{
	return strstr(text, "HPCG-Benchmark") || strstr(text, "HPCG result is");
}

/* The value behind @name in @line: the text after its '=' or ':', or NULL. */
static const char *value_of(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	if (!at)
		return NULL;
	at += strlen(name);
	if (*at != '=' && *at != ':')
		return NULL;
	return at + 1 + strspn(at + 1, " ");
}

static bool number_of(const char *line, const char *name, double *v)
{
	const char *text = value_of(line, name);

	return text && reading_number(text, v);
}

struct found {
	double rate, time, ddot, waxpby, spmv, mg;
	double nx, ny, nz;
	bool rated, valid;
};

static void read_line(const char *line, const char *section, struct found *f)
{
	double *const sides[] = {&f->nx, &f->ny, &f->nz};
	static const char *const names[] = {"::nx", "::ny", "::nz"};

	if (strstr(line, "HPCG result is") && number_of(line, rating, &f->rate)) {
		f->rated = true;
		f->valid = strstr(line, "HPCG result is VALID") != NULL;
	}
	for (size_t i = 0; i < 3; i++) {
		if (strstr(line, "Local Domain Dimensions"))
			(void)number_of(line, names[i], sides[i]);
	}
	if (!strstr(section, "Benchmark Time Summary"))
		return;
	(void)number_of(line, "Total", &f->time);
	(void)number_of(line, "DDOT", &f->ddot);
	(void)number_of(line, "WAXPBY", &f->waxpby);
	(void)number_of(line, "SpMV", &f->spmv);
	(void)number_of(line, "MG", &f->mg);
}

static void add_time(struct reading *r, const char *metric, double v)
{
	if (isfinite(v))
		reading_sample(r, metric, v, "s", NULL);
}

static void put(struct reading *r, const struct found *f)
{
	char text[200];

	(void)snprintf(text, sizeof(text), "%.0fx%.0fx%.0f", f->nx, f->ny, f->nz);
	reading_begin(r, isfinite(f->nx + f->ny + f->nz) ? text : "");
	if (!f->rated) {
		reading_lacks(r, "no final line with the rating: the output was cut off");
		return;
	}
	reading_valid(r, "result", f->valid ? NAN : 1, f->valid ? NAN : 0, f->valid,
		      f->valid ? NULL
			       : "the benchmark's own checks failed: result INVALID");
	reading_sample(r, "hpcg.rate", f->rate * 1e9, "FLOP/s", NULL);
	add_time(r, "hpcg.time", f->time);
	add_time(r, "hpcg.ddot_time", f->ddot);
	add_time(r, "hpcg.waxpby_time", f->waxpby);
	add_time(r, "hpcg.spmv_time", f->spmv);
	add_time(r, "hpcg.mg_time", f->mg);
	if (f->time >= HEALTH_CHECK)
		return;
	if (isfinite(f->time))
		(void)snprintf(
			text, sizeof(text),
			"%.2f s < minimum (%.0f s for health check, %.0f s official)",
			f->time, HEALTH_CHECK, OFFICIAL);
	else
		(void)snprintf(text, sizeof(text), "how long it ran is not said");
	reading_event(r, "short", text);
}

static void read_text(const char *text, struct reading *r)
{
	struct found f = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, false, false};
	char line[READING_LINE], section[READING_LINE] = "";
	bool any = false;

	while (reading_line(&text, line)) {
		any = true;
		/* 3.1 repeats the section in each line, 3.0 indents what is below it */
		if (line[0] != ' ')
			(void)snprintf(section, sizeof(section), "%s", line);
		read_line(line, section, &f);
	}
	if (any)
		put(r, &f);
}

const struct reader reader_hpcg = {
	.name = "hpcg",
	.kernel = "hpcg",
	.help = "HPCG (xhpcg)",
	.knows = knows,
	.read = read_text,
};
