/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts numbered 0, 1, ... in the order in which they were first seen: node names to
 * suites, keys to groups. Constant time each, so nothing that uses it is quadratic in the
 * number of nodes. A zeroed struct is empty.
 */
#ifndef ASSAY_BASE_NAMES_H
#define ASSAY_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define NAMES_NONE SIZE_MAX

struct names {
	struct arena arena; /* owns the texts */
	const char **items; /* by number */
	size_t n, cap;
	uint32_t *slots; /* open addressing: number + 1, 0 = free */
	size_t n_slots;  /* a power of two, at least twice n */
};

/* Number of @text, which is copied when it is new; *fresh (may be NULL) says so. */
size_t names_add(struct names *names, const char *text, bool *fresh);
/* The same for @len bytes, none of them NUL. */
size_t names_add_n(struct names *names, const char *text, size_t len, bool *fresh);
/* Number of @text, NAMES_NONE when it was never added. */
size_t names_find(const struct names *names, const char *text);
/* Empties it. */
void names_release(struct names *names);

#endif
