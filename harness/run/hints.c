/* SPDX-License-Identifier: Apache-2.0 */
/* Messages looked up in a table: see hints.h. */
#include "run/hints.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static const struct hint {
	const char *part, *hint;
} hints[] = {
#define HINT(part, hint) {part, hint},
#include "run/hints.def"
#undef HINT
};

static bool has(const char *text, size_t len, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; i + n <= len; i++) {
		if (!strncasecmp(text + i, part, n))
			return true;
	}
	return false;
}

const char *hints_find(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		if (has(text, len, hints[i].part))
			return hints[i].hint;
	}
	return NULL;
}
