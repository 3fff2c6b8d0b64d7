/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small allocations that cannot fail: the arena, the string buffer and growing arrays.
 *
 * Out of memory is the one error that is not reported through `struct err`: the process
 * says so on stderr and ends with status 4. Nothing measured is lost by that, since every
 * record is in the journal before the next one is made. Kernels' arrays do not come from
 * here: they are sized, may fail, and say so.
 */
#ifndef ASSAY_BASE_MEM_H
#define ASSAY_BASE_MEM_H

#include <stddef.h>

/* Zeroed memory of @n * @size bytes; free() it. Ends the process when there is none. */
void *mem_calloc(size_t n, size_t size);

/* realloc() that ends the process when there is no memory or @n * @size overflows. */
void *mem_realloc(void *p, size_t n, size_t size);

/* Copy of @s; free() it. NULL gives NULL. */
char *mem_strdup(const char *s);

/*
 * Grows *@array (elements of @size bytes, capacity *@cap) to hold at least @want
 * elements; new elements are zeroed. @array is the address of a typed pointer.
 */
void mem_grow(void *array, size_t *cap, size_t want, size_t size);

#endif
