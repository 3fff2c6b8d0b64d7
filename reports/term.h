/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for people on a screen of limited width: wrapping, columns, colours, and external
 * text made harmless. Used by the term report and by commands that explain.
 */
#ifndef ASSAY_REPORTS_TERM_H
#define ASSAY_REPORTS_TERM_H

#include "base/strbuf.h"
#include "judge/verdict.h"
#include "reports/report.h"

struct term {
	struct report_style style; /* width 40 or more */
	struct strbuf out;
	size_t column; /* of the cursor, from 0 */
};

enum term_sign { SIGN_LEAST, SIGN_MOST, SIGN_RANGE, SIGN_CUT, SIGN_BULLET, SIGN_ABOUT };

void term_init(struct term *t, const struct report_style *style);
void term_release(struct term *t);

/* The sign in UTF-8 or ASCII, as the style allows. */
const char *term_sign(const struct term *t, enum term_sign sign);

/*
 * Appends text from outside to @to, at most @max columns of it: no control, invisible or
 * direction-changing character is left, and nothing beyond ASCII unless the style allows
 * it. NULL is nothing.
 */
void term_clean(const struct term *t, struct strbuf *to, const char *s, size_t max);

/* Columns of @len bytes of UTF-8 on a screen: wide characters take two, accents none. */
size_t term_columns(const char *s, size_t len);

/*
 * Adds text (harmless already) at the cursor and breaks lines between words, or after a
 * comma in words longer than a line; lines that follow begin at column @indent.
 */
void term_wrap(struct term *t, size_t indent, const char *text);
void term_wrapf(struct term *t, size_t indent, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Spaces up to @column, none when the cursor is there or beyond. */
void term_pad(struct term *t, size_t column);
/* Ends the line. */
void term_end(struct term *t);
/* A heading, with an empty line before it. */
void term_title(struct term *t, const char *text);
/* A verdict's word in its colour. */
void term_word(struct term *t, enum verdict_word word);

/*
 * "94.5 GB/s", or "-" when it is not there; harmless whatever the unit. Always returns
 * @buf.
 */
char *term_number(char *buf, size_t size, struct record_num v, const char *unit);
/* "9,950". Always returns @buf. */
char *term_count(char *buf, size_t size, size_t n);
/* Appends "1 FAIL, 9,950 PASS". */
void term_counts(struct strbuf *to, const size_t counts[VERDICT_WORDS]);

/* Appends a word as a shell reads it: quoted where it must be. */
void term_shell_word(struct strbuf *to, const char *s);

#endif
