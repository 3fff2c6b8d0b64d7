/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other programs print, as records: a reader knows one program's text and makes of
 * it the records that assay's own kernel of that kind would have printed. One file
 * reader_NAME.c and one line in readers.def each. Pure: text in, records out.
 */
#ifndef ASSAY_RECORD_READING_H
#define ASSAY_RECORD_READING_H

#include "record/record.h"

/* One measurement; a text may hold several, of different problems. */
struct reading_result {
	const char *title; /* tells it from the others: "n10000-nb192-1x2", or "" */
	struct record
		*records; /* samples, valids, counters, events; not whose they are */
	size_t n, cap;
	/* of a text that says whose it is: of which kernel, node, pair; else NULL */
	const char *kernel, *node, *peer;
	/* "ok"; "no-data": the text ends before its result; "invalid": it cannot be so */
	const char *cause;
	const char *reason; /* of another one than "ok": one sentence, else NULL */
	long line;          /* where it is in the text, 0 not known */
	long *lines;        /* the same of each record */
	size_t cap_lines;
};

/* Zeroed before, reading_release() after. Texts are in its arena. */
struct reading {
	struct arena arena;
	struct reading_result *items;
	size_t n, cap, current; /* the one that is added to */
	long line;              /* that is being read, 0 where nobody counts */
	const char *wrong;      /* in what its text is not as it must be, else NULL */
	long wrong_line;
	const char *left_aside; /* what of it was not read, else NULL */
	long left_line;
};

struct reader {
	const char *name;
	const char *kernel; /* whose metrics it gives; NULL: its text says so */
	const char *help;
	bool joins; /* several texts of one node are read as one, in their order */
	/* The text is, or may be, of this program. */
	bool (*knows)(const char *text);
	void (*read)(const char *text, struct reading *r);
};

#define READER(name) extern const struct reader reader_##name;
#include "record/readers.def"
#undef READER

const struct reader *reader_find(const char *name);
const struct reader *reader_at(size_t i); /* NULL at the end */
/* The first reader that knows @text, or NULL. */
const struct reader *reader_for(const char *text);

/* Reads; a text without any result gives one that is "no-data". */
void reading_make(struct reading *r, const struct reader *reader, const char *text);
void reading_release(struct reading *r);

/*
 * Says whose a record of a result is; @node may be NULL, for several as one. False for a
 * kind that is nobody's.
 */
bool reading_own(struct record *r, int64_t step, int64_t attempt, const char *node);

/*
 * For readers. The next five add to the result that was begun last, or is `current`
 * since.
 */

void reading_begin(struct reading *r, const char *title);
/* @at: JSON or NULL. */
void reading_sample(struct reading *r, const char *metric, double value, const char *unit,
		    const char *at);
/* @value may be NaN. */
void reading_valid(struct reading *r, const char *check, double value, double limit,
		   bool ok, const char *text);
void reading_event(struct reading *r, const char *what, const char *text);
/* A number of events; @when: "before" or "after". */
void reading_counter(struct reading *r, const char *name, const char *when, double value);
/* Of the last sample, from 1. */
void reading_repetition(struct reading *r, int64_t repetition);
/* The text breaks its own rules on @line: what was read before stands. Gives false. */
bool reading_wrong(struct reading *r, long line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Something of it, which is said, was not read. */
void reading_leave(struct reading *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The last result is on @line. */
void reading_at(struct reading *r, long line);
/* It is not whole: what is missing. */
void reading_lacks(struct reading *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* It contradicts itself: in what. */
void reading_doubt(struct reading *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

enum { READING_LINE = 1024 };

/*
 * The next line of *@text without its end, cut at READING_LINE - 1 bytes; *@text moves
 * behind it. False at the end.
 */
bool reading_line(const char **text, char line[READING_LINE]);
/* Cuts @line into at most @max words at blanks, in place; their number. */
size_t reading_words(char *line, char **words, size_t max);
/* A whole number above zero; 0 for anything else. */
int64_t reading_count(const char *word);
/* A number that is all of @word, "nan" and "inf" too. */
bool reading_number(const char *word, double *value);

#endif
