/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Report writers: a finished const summary to a FILE. One file report_NAME.c and one line
 * in writers.def each.
 */
#ifndef ASSAY_REPORTS_REPORT_H
#define ASSAY_REPORTS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "judge/verdict.h"

struct report_style {
	bool colour;     /* escape sequences allowed */
	bool utf8;       /* signs beyond ASCII allowed */
	int width;       /* columns; 0 = 100, less than 40 is taken as 40 */
	const char *dir; /* run folder as the reader would type it; NULL = not told */
};

struct report_writer {
	const char *name, *suffix, *help; /* "json", ".json", ... */
	int (*write)(const struct summary *s, const struct report_style *style, FILE *out,
		     struct err *e);
};

const struct report_writer *report_find(const char *name);
const struct report_writer *report_at(size_t i); /* NULL at the end */

/*
 * The run went on to its own end: neither cut off without a word nor ended early by a
 * signal (exit status 128 + n).
 */
bool report_finished(const struct state *st);

/*
 * Writes DIR/report.SUFFIX: written aside, fsynced, renamed, so a report is whole or not
 * there. On any error (ERR_SYSTEM) nothing is left and the old one stays. Plain style.
 */
int report_save(const struct report_writer *w, const struct summary *s, const char *dir,
		struct err *e);

/*
 * The same for a file of any name. A @path that is there and is not a regular file (a
 * pipe, /dev/null) is written to as it is.
 */
int report_save_as(const struct report_writer *w, const struct summary *s,
		   const struct report_style *style, const char *path, struct err *e);

#endif
