/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration files as trees. YAML, but no guessing: a scalar keeps exactly the text
 * that was written (Off, NO, 0755, 1e3, 1.10, 22:22 are these texts and nothing else),
 * maps keep their order, and every node knows its line and column for the messages that
 * follow.
 *
 * Refused with file:line:col: duplicate keys, tags, a second document, keys that are not
 * text, aliases before their anchor is complete (so no cycles), control characters in
 * text, bytes that are not UTF-8, nesting beyond 32 levels, more than 100,000 nodes with
 * every alias counted in full, files beyond 16 MiB.
 */
#ifndef ASSAY_CONFIG_YAML_H
#define ASSAY_CONFIG_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

enum { YAML_MAX_DEPTH = 32, YAML_MAX_NODES = 100000, YAML_MAX_FILE = 16 << 20 };

enum yaml_kind { YAML_TEXT, YAML_LIST, YAML_MAP };

struct yaml_pair;

struct yaml_node {
	enum yaml_kind kind;
	bool plain;       /* text without quotes, and not a block (| or >) */
	int line, column; /* from 1, in characters; line 0: not from a file */
	const char *path; /* of the file */
	const char *text; /* YAML_TEXT: as written, quotes and escapes undone */
	size_t n;         /* items of a list, pairs of a map */
	const struct yaml_node **items;
	const struct yaml_pair *pairs;
};

struct yaml_pair {
	const struct yaml_node *key; /* always YAML_TEXT, unique in its map */
	const struct yaml_node *value;
};

/*
 * Reads the file @path; the tree lives in @a. A file that is missing or not readable is
 * ERR_USAGE, too: its name came from a command line or from another file.
 */
int yaml_load(struct arena *a, const char *path, const struct yaml_node **root,
	      struct err *e);

/* The same from @len bytes at @text; @path only names them in errors. */
int yaml_parse(struct arena *a, const char *text, size_t len, const char *path,
	       const struct yaml_node **root, struct err *e);

/* The pair of @key; NULL when @map has no such key or is no map. */
const struct yaml_pair *yaml_find(const struct yaml_node *map, const char *key);

/* Value of @key; NULL when @map has no such key or is no map. */
const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);

/* Nothing, ~ or null without quotes: there is a key, but no value was given. */
bool yaml_no_value(const struct yaml_node *node);

/* "a map", "a list", "text": for messages. */
const char *yaml_kind_name(const struct yaml_node *node);

/* Sets ERR_USAGE "path:line:col: ...", fit for a terminal. Returns -1. */
int yaml_error(const struct yaml_node *node, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "path:line:col: " in front of the message that is there. Returns -1. */
int yaml_at(const struct yaml_node *node, struct err *e);

#define yaml_error(...) err_failed((yaml_error)(__VA_ARGS__)) /* as in base/err.h */
#define yaml_at(...)    err_failed((yaml_at)(__VA_ARGS__))

/* "path:line:col" in @a. */
const char *yaml_where(struct arena *a, const struct yaml_node *node);

#endif
