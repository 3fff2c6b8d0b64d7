/* SPDX-License-Identifier: Apache-2.0 */
/* Suggestions for mistyped names: see suggest.h. */
#include "base/suggest.h"

#include <stdint.h>
#include <string.h>

/* Longer words are no names of ours; rows of the distance live on the stack. */
enum { MAX_WORD = 64 };

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment distance, row by row. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][MAX_WORD + 1];

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *now = rows[i % 3];
		const size_t *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			now[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
			now[j] = min(now[j], min(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				now[j] = min(now[j], before[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

struct suggest suggest_start(const char *word)
{
	return (struct suggest){.word = word, .distance = SIZE_MAX};
}

void suggest_offer(struct suggest *s, const char *name)
{
	size_t nw = strnlen(s->word, MAX_WORD + 1), nn = strnlen(name, MAX_WORD + 1);
	size_t d;

	if (nw > MAX_WORD || nn > MAX_WORD)
		return;
	d = distance(s->word, nw, name, nn);
	if (d < s->distance && 3 * d <= (nw > nn ? nw : nn)) {
		s->best = name;
		s->distance = d;
	}
}

const char *suggest(const char *word, const char *const *names, size_t n)
{
	struct suggest s = suggest_start(word);

	for (size_t i = 0; i < n; i++)
		suggest_offer(&s, names[i]);
	return s.best;
}
