/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: see arena.h. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { BLOCK_BYTES = 64 * 1024 };

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	alignas(max_align_t) char data[];
};

static void *take(struct arena *a, size_t bytes, size_t align)
{
	struct arena_block *b = a->blocks;
	size_t at = b ? (b->used + align - 1) / align * align : 0;

	if (!b || at > b->size || bytes > b->size - at) {
		size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;

		b = mem_calloc(1, sizeof(*b) + size);
		b->size = size;
		b->next = a->blocks;
		a->blocks = b;
		at = 0;
	}
	b->used = at + bytes;
	return b->data + at;
}

void *arena_alloc(struct arena *a, size_t n, size_t size)
{
	if (size && n > (SIZE_MAX / 2) / size)
		return mem_realloc(NULL, SIZE_MAX, 2); /* ends the process */
	return take(a, n * size, alignof(max_align_t));
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *copy = take(a, len + 1, 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap, again;
	char most[256], *s; /* most texts are one sentence */
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(most, sizeof(most), fmt, ap);
	s = take(a, n > 0 ? (size_t)n + 1 : 1, 1);
	if (n > 0 && (size_t)n < sizeof(most))
		memcpy(s, most, (size_t)n + 1);
	else if (n > 0)
		(void)vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(ap);
	return s;
}

void *arena_dup(struct arena *a, const void *array, size_t n, size_t size)
{
	return n ? memcpy(arena_alloc(a, n, size), array, n * size) : NULL;
}

void arena_adopt(struct arena *a, struct arena *from)
{
	struct arena_block **last = &a->blocks;

	while (*last)
		last = &(*last)->next;
	*last = from->blocks;
	from->blocks = NULL;
}

void arena_release(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *b = a->blocks;

		a->blocks = b->next;
		free(b);
	}
}
