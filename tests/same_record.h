/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two records hold the same, for tests. */
#ifndef ASSAY_TESTS_SAME_RECORD_H
#define ASSAY_TESTS_SAME_RECORD_H

#include <string.h>

#include "record/fields.h"

static inline bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The same bits: not a number is the same as itself, -0 is not 0. */
static inline bool same_double(double a, double b)
{
	uint64_t x, y;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	return x == y;
}

static inline bool same_num(const struct record_num *a, const struct record_num *b)
{
	return a->set == b->set && (!a->set || same_double(a->v, b->v));
}

static inline bool same_field(const struct field *f, const void *a, const void *b)
{
	switch (f->type) {
	case T_STR:
	case T_JSON:
		return same_text(*(const char *const *)a, *(const char *const *)b);
	case T_INT:
		return *(const int64_t *)a == *(const int64_t *)b;
	case T_NUM:
		return same_num(a, b);
	case T_BOOL:
		return *(const bool *)a == *(const bool *)b;
	}
	return false;
}

static inline bool same_record(const struct record *a, const struct record *b)
{
	const struct record_fields *kind = &record_fields[a->kind];

	if (a->kind != b->kind || !same_double(a->t, b->t))
		return false;
	for (size_t i = 0; i < kind->n; i++) {
		const struct field *f = &kind->items[i];

		if (!same_field(f, (const char *)a + f->offset,
				(const char *)b + f->offset))
			return false;
	}
	return true;
}

#endif
