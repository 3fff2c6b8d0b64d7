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
	bool colour; /* escape sequences allowed */
	bool utf8;   /* signs beyond ASCII allowed */
	int width;   /* columns, at least 40 */
};

struct report_writer {
	const char *name, *suffix, *help; /* "json", ".json", ... */
	int (*write)(const struct summary *s, const struct report_style *style, FILE *out,
		     struct err *e);
};

const struct report_writer *report_find(const char *name);
const struct report_writer *report_at(size_t i); /* NULL at the end */

/*
 * Writes DIR/report.SUFFIX: written aside, fsynced, renamed, so a report is whole or not
 * there. On any error nothing is left and the old one stays.
 */
int report_save(const struct report_writer *w, const struct summary *s, const char *dir,
		struct err *e);

#endif
