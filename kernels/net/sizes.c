/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of messages: see sizes.h. */
#include "kernels/net/sizes.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

static int part(const char *text, size_t len, uint64_t *out, struct err *e)
{
	char word[64];
	int64_t n;

	if (!len)
		return 0;
	if (len >= sizeof(word))
		return err_set(e, ERR_USAGE, "'%.64s' is no size", text);
	memcpy(word, text, len);
	word[len] = '\0';
	if (units_size(word, &n, e))
		return -1;
	if (n < 0)
		return err_set(e, ERR_USAGE, "'%s' is below 0", word);
	*out = (uint64_t)n;
	return 0;
}

int sizes_parse(struct sizes *s, const char *text, struct err *e)
{
	const char *colon = strchr(text, ':'), *max = colon ? colon + 1 : text;

	if ((colon && part(text, (size_t)(colon - text), &s->min, e)) ||
	    part(max, strlen(max), &s->max, e))
		return -1;
	/* a smallest size that nobody named yields */
	if (s->min > s->max && !(colon && colon > text))
		s->min = s->max;
	if (s->min > s->max)
		return err_set(e, ERR_USAGE,
			       "the smallest size %llu is above the largest, %llu",
			       (unsigned long long)s->min, (unsigned long long)s->max);
	if (s->max > SIZES_MOST)
		return err_set(e, ERR_USAGE, "'%.64s' is more than there can be", text);
	return 0;
}

uint64_t sizes_next(const struct sizes *s, uint64_t size)
{
	const uint64_t next = size ? 2 * size : 1;

	return next > s->max ? 0 : next;
}
