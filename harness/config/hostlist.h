/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostlists: "node[001-004,007],gpu-[1-3]" to names and back. Padding is that of the
 * lower bound, any number of bracket groups up to eight, the first varies slowest, order
 * kept.
 *
 * Only what base/node_name.h takes for a name gets past here.
 */
#ifndef ASSAY_CONFIG_HOSTLIST_H
#define ASSAY_CONFIG_HOSTLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"

enum { HOSTLIST_MAX_NAMES = 1000000 }; /* of one expression */

/*
 * Expands @text; the names, at least one, live in @a. Repeated names stay: see
 * hostlist_unique(). Errors are ERR_USAGE and say in which column.
 */
int hostlist_expand(struct arena *a, const char *text, const char ***names, size_t *n,
		    struct err *e);

/*
 * Appends @names folded on the last number before the first dot ("n[001-004,007]"), or
 * the last number at all when there is none there. Order is kept, so expanding the text
 * gives the same names again; sort them first for the shortest text.
 */
void hostlist_fold(struct strbuf *out, const char *const *names, size_t n);

/* Drops every name that was there before, keeps order; returns how many went. */
size_t hostlist_unique(const char **names, size_t *n);

/* Order of names for people, numbers by value: n2 before n10. For qsort() of names. */
int hostlist_compare(const void *a, const void *b);

#endif
