/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records: one JSON object a line, typed by record.def. The only form in which anything
 * measured or observed exists.
 */
#ifndef ASSAY_RECORD_RECORD_H
#define ASSAY_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/names.h"
#include "base/strbuf.h"

/* What an absent INT holds; an absent NUM is NaN with record_has() false. */
#define RECORD_NO_INT INT64_MIN

/* A number that may be absent, and may have been measured as not finite. */
struct record_num {
	double v;
	bool set;
};

enum record_kind {
#define RECORD(kind, help) RECORD_KIND_##kind,
#define FIELD(kind, type, name, need, help)
#define END_RECORD(kind)
#include "record/record.def"
#undef RECORD
#undef FIELD
#undef END_RECORD
	RECORD_KINDS
};

/* clang-format off */
#define RECORD_C_STR  const char *
#define RECORD_C_JSON const char *
#define RECORD_C_INT  int64_t
#define RECORD_C_NUM  struct record_num
#define RECORD_C_BOOL bool
#define RECORD(kind, help) struct record_##kind {
#define FIELD(kind, type, name, need, help) RECORD_C_##type name;
#define END_RECORD(kind) };
#include "record/record.def"
#undef RECORD
#undef FIELD
#undef END_RECORD
/* clang-format on */

/* Strings and JSON texts are borrowed: from the caller, or from the arena of decode. */
struct record {
	enum record_kind kind;
	double t; /* seconds since the epoch; 0 until journalled */
	union {
#define RECORD(kind, help) struct record_##kind kind;
#define FIELD(kind, type, name, need, help)
#define END_RECORD(kind)
#include "record/record.def"
#undef RECORD
#undef FIELD
#undef END_RECORD
	} u;
};

/*
 * Where records go. The two places that touch the world (BIOS sources, runner) produce
 * records into one of these and nothing else.
 */
struct record_sink {
	int (*put)(struct record_sink *sink, const struct record *r, struct err *e);
};

/* A record with every field absent. */
struct record record_make(enum record_kind kind);

/* A number that is there. */
struct record_num record_num(double v);

/* Name of a kind as in JSON ("sample"). */
const char *record_kind_name(enum record_kind kind);

/*
 * Appends the record as one line of JSON without newline: doubles with %.17g, absent
 * fields left out, a number that is not finite as "nonfinite":{"value":"nan"}, text that
 * is not UTF-8 with its bad bytes replaced by U+FFFD.
 */
void record_encode(const struct record *r, struct strbuf *out);

/*
 * Parses one line (@len bytes, no newline). Unknown keys are an error, as are a missing
 * MUST field, a wrong type, a duplicate key and nesting beyond 32 levels. Texts go into
 * @a. The error names the field, not the line: callers add where.
 */
int record_decode(const char *line, size_t len, struct arena *a, struct record *r,
		  struct err *e);

/*
 * The same for the lines of a journal, which are many and alike: those that are as
 * record_encode() writes them take a shorter way. Texts go into @texts and its arena,
 * most of them once.
 */
int record_read(const char *line, size_t len, struct names *texts, struct record *r,
		struct err *e);

/* A JSON text made of strings: ["a","b"]; for argv and node lists. In @a. */
const char *record_list(struct arena *a, const char *const *items, size_t n);

/* The strings of such a JSON text; *n = 0 and NULL when it is not one. In @a. */
const char **record_unlist(struct arena *a, const char *json, size_t *n);

/*
 * Text of a scalar member of a JSON object, "" when absent: strings as they are, numbers
 * with %.17g, true/false; @path may be dotted ("cpu.model"). In @a.
 */
const char *record_json_text(struct arena *a, const char *json, const char *path);

/* Number of a member, NaN when absent or not a number. */
double record_json_num(const char *json, const char *path);

#endif
