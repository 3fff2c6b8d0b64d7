/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory with one owner and one end: a stage's result owns an arena, later stages borrow.
 * A zeroed struct is an empty arena.
 */
#ifndef ASSAY_BASE_ARENA_H
#define ASSAY_BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *blocks;
};

/* Zeroed memory aligned for any type; lives until arena_release(). */
void *arena_alloc(struct arena *a, size_t n, size_t size);
/* Copy of @s (NULL gives NULL), of @len bytes of it, or a formatted text. */
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t len);
char *arena_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Copy of an array of @n elements of @size bytes; NULL when @n is 0. */
void *arena_dup(struct arena *a, const void *array, size_t n, size_t size);
/* Takes over all that is in @from, which is empty then. */
void arena_adopt(struct arena *a, struct arena *from);
void arena_release(struct arena *a);

#endif
