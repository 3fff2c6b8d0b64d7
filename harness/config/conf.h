/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps of a configuration file into structs, by tables: one line a key says its type,
 * where it goes and what is allowed. A key the table does not name is an error with a
 * suggestion, so nothing a user wrote is ever dropped in silence; a key that is there
 * without a value is one, too. Messages are "file:line:col: 'key': what, what was
 * expected".
 */
#ifndef ASSAY_CONFIG_CONF_H
#define ASSAY_CONFIG_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "config/yaml.h"

/* What a key holds, and the C type of its field. */
enum conf_type {
	CONF_TEXT,   /* const char *: not empty, as written */
	CONF_NAME,   /* const char *: letters, digits and ". _ -", fit for a file name */
	CONF_FILE,   /* const char *: relative to the folder of the configuration file */
	CONF_CHOICE, /* int: index into choices[] */
	CONF_INT,    /* int within min .. max */
	CONF_BOOL,   /* bool: true or false and no other word */
	CONF_QUANTITY, /* double in the base unit `unit`, "ratio" for shares and % */
	CONF_DURATION, /* double: s */
	CONF_TEXTS,    /* const char ** and size_t: a list of texts, or one text */
	CONF_HOSTS,    /* const char ** and size_t: a hostlist, or a list of them */
	CONF_PAIRS,    /* struct conf_pair * and size_t: name -> text */
	CONF_MAP,      /* a struct: its own table in keys, n_keys */
	CONF_NODE,     /* const struct yaml_node *: the caller sees to it */
};

enum conf_flags {
	CONF_MUST = 1, /* an error when it is not there */
};

struct conf_key {
	const char *name;
	enum conf_type type;
	size_t offset;   /* of the field in the struct */
	size_t n_offset; /* of its count: CONF_TEXTS, CONF_HOSTS, CONF_PAIRS */
	unsigned int flags;
	double min, max; /* CONF_INT, CONF_QUANTITY, CONF_DURATION; both 0: no limits */
	const char *unit;
	const char *const *choices; /* ends with NULL */
	const struct conf_key *keys;
	size_t n_keys;
};

/* name -> text of a map, in the order of the file. */
struct conf_pair {
	const char *key, *value;
	const char *where; /* file:line:col of the value */
};

/* Keys that are not in the table, when the caller has a use for them. */
struct conf_rest {
	const struct yaml_pair **pairs;
	size_t n;
};

/*
 * Takes the keys of @map into the struct @out, which holds the defaults. Everything made
 * lives in @a; texts are borrowed from the tree. With @rest unknown keys go there instead
 * of being an error; their values may still be anything.
 */
int conf_decode(struct arena *a, const struct yaml_node *map, const struct conf_key *keys,
		size_t n, void *out, struct conf_rest *rest, struct err *e);

/* One key: @key names it in messages, @def says how. */
int conf_value(struct arena *a, const struct yaml_node *key,
	       const struct yaml_node *value, const struct conf_key *def, void *out,
	       struct err *e);

/* The line of a table for @name, NULL when there is none. */
const struct conf_key *conf_find(const struct conf_key *keys, size_t n, const char *name);

/* Sets "unknown key 'x', did you mean 'y'?" or names what is allowed. Returns -1. */
int conf_unknown(const struct yaml_node *key, const struct conf_key *keys, size_t n,
		 struct err *e);

/* @value must be of @kind, and must not be empty; @key names it. */
int conf_expect(const struct yaml_node *key, const struct yaml_node *value,
		enum yaml_kind kind, struct err *e);

/* @text is a name: letters, digits and ". _ -", not beginning with '.' or '-', at
 * most 64.
 */
bool conf_is_name(const char *text);

#endif
