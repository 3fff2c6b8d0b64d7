/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BIOS settings of one node: what its record holds under "attributes", and back. A value
 * is the text of what the firmware wrote; numbers, true and false are marked as such, and
 * null, which BMCs write for passwords, is NULL.
 */
#ifndef ASSAY_RECORD_SETTINGS_H
#define ASSAY_RECORD_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

enum setting_state {
	SETTING_RW,
	SETTING_READ_ONLY,
	SETTING_LOCKED, /* by another attribute: its parent has to be set first */
};

struct setting_value {
	const char *text; /* NULL: null */
	bool literal;     /* a number, true or false */
};

struct setting {
	const char *name;
	struct setting_value current, pending;
	bool has_pending;
	enum setting_state state;
	const char *shown; /* what the registry calls the current value; NULL: the same */
	const char *remark; /* of the reader: "off in the operating system"; NULL: none */
	const char *where;  /* file and line it was read from, NULL: not kept; borrowed */
};

struct settings {
	struct setting *items; /* in the order they came in */
	size_t n, cap;
};

/* Nobody's firmware has more, and no name or value is longer. */
enum { SETTINGS_MOST = 10000, SETTINGS_NAME = 128, SETTINGS_VALUE = 4096 };

/*
 * Appends one; its texts are copied into @a, cleaned of what is not UTF-8. A value of an
 * attribute that holds a secret (its name says so) becomes "****". ERR_USAGE beyond the
 * limits above and for a name that is none.
 */
int settings_add(struct settings *s, struct arena *a, const struct setting *item,
		 struct err *e);
/*
 * For texts that may name one twice: the second of the same content goes, *twice (may be
 * NULL) says how many did; of another content nobody knows which holds, which is
 * ERR_USAGE with both places.
 */
int settings_unique(struct settings *s, size_t *twice, struct err *e);
/* The attribute holds a password or the like. */
bool settings_is_secret(const char *name);
/* The first of that name, NULL when there is none. Linear. */
struct setting *settings_find(const struct settings *s, const char *name);
void settings_release(struct settings *s);

/* "rw", "read-only", "locked". */
const char *setting_state_name(enum setting_state state);
/* A value as JSON: text, number, true, false or null; a new reference. */
json_t *setting_value_json(const struct setting_value *v);
/* The same from JSON; texts are borrowed from @v or in @a. -1 for a list or an object. */
int setting_value_read(struct setting_value *out, const json_t *v, struct arena *a);

/*
 * JSON text of the record's field, in @a. An attribute that can be written, with nothing
 * pending, is just its value, every other one an object {current, pending, state, ...}.
 */
const char *settings_json(const struct settings *s, struct arena *a);
/* Back from it; texts in @a. ERR_SYSTEM for what settings_json() does not write. */
int settings_read(struct settings *s, const char *json, struct arena *a, struct err *e);

enum { SETTINGS_FINGERPRINT = 17 };
/*
 * 16 hexadecimal digits over names and current values, whatever their order, of those
 * that @counts (NULL: all). Like settings have the same one.
 */
void settings_fingerprint(const struct settings *s,
			  bool (*counts)(const void *ctx, const char *name),
			  const void *ctx, char out[SETTINGS_FINGERPRINT]);

#endif
