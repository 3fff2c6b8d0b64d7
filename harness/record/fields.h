/* SPDX-License-Identifier: Apache-2.0 */
/* record.def as a table, for the two that turn lines into records. */
#ifndef ASSAY_RECORD_FIELDS_H
#define ASSAY_RECORD_FIELDS_H

#include "record/record.h"

enum field_type { T_STR, T_JSON, T_INT, T_NUM, T_BOOL };
enum field_need { MAY, MUST };

struct field {
	const char *name;
	enum field_type type;
	enum field_need need;
	size_t offset; /* in struct record */
};

struct record_fields {
	const char *name; /* of the kind */
	const struct field *items;
	size_t n;
};

extern const struct record_fields record_fields[RECORD_KINDS];

/* Nesting beyond this is nobody's record; jansson itself allows 2048 levels. */
enum { RECORD_DEPTH = 32 };

#endif
