/* SPDX-License-Identifier: Apache-2.0 */
/* "did you mean": the name a mistyped word was probably meant to be. */
#ifndef ASSAY_BASE_SUGGEST_H
#define ASSAY_BASE_SUGGEST_H

#include <stddef.h>

struct suggest {
	const char *word;
	const char *best; /* borrowed from suggest_offer(), NULL while nothing is near */
	size_t distance;
};

/* Starts a search for what @word may have meant; it must outlive the search. */
struct suggest suggest_start(const char *word);

/*
 * Offers one known name. The nearest by edit distance (inserted, dropped, changed and
 * neighbouring swapped bytes count one each) is kept, the first of equals, and only when
 * not more than a third of it differs.
 */
void suggest_offer(struct suggest *s, const char *name);

/* The best of @n names, or NULL when none is near. */
const char *suggest(const char *word, const char *const *names, size_t n);

#endif
