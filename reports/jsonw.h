/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON written member by member, so that a report needs no tree of it in memory: commas
 * and quotes are right by construction, texts are cleaned, a number that is not finite is
 * left out of its object and named in the member "nonfinite" instead.
 */
#ifndef ASSAY_REPORTS_JSONW_H
#define ASSAY_REPORTS_JSONW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "record/record.h"
#include "reports/memo.h"

enum { JSONW_NUMBERS = 1024 };

/* A number and how it is written; len 0: none yet. */
struct jsonw_number {
	double v;
	unsigned char len;
	char digits[31];
};

/* Zeroed but for @out and @e; jsonw_end() after. */
struct jsonw {
	FILE *out;
	struct err *e;
	struct strbuf text;      /* not yet in the file */
	struct strbuf nonfinite; /* members of "nonfinite" of the object that is open */
	bool failed;             /* @e is set, nothing more is written */
	bool item;               /* a comma is due before the next one */
	bool closed;             /* what came last was an object or a list */
	struct memo compact;     /* texts of records as they are written */
	struct jsonw_number numbers[JSONW_NUMBERS]; /* limits come again and again */
};

/* @name is a constant text; NULL for the outermost and for items of an array. */
void jsonw_open(struct jsonw *w, const char *name, char bracket);
void jsonw_close(struct jsonw *w, char bracket);

/* NULL is no member at all. */
void jsonw_text(struct jsonw *w, const char *name, const char *s);
/* A member with a name from outside. */
void jsonw_pair(struct jsonw *w, const char *name, const char *s);
void jsonw_int(struct jsonw *w, const char *name, int64_t v);
void jsonw_bool(struct jsonw *w, const char *name, bool v);
void jsonw_num(struct jsonw *w, const char *name, struct record_num v);
/* JSON text of a record; no member when it is NULL or not JSON. */
void jsonw_json(struct jsonw *w, const char *name, const char *text);

/* Writes the rest; -1 when anything could not be written. */
int jsonw_end(struct jsonw *w);

#endif
