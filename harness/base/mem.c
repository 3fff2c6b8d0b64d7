/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation that cannot fail: see mem.h. */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void out_of_memory(void)
{
	static const char text[] = "assay: out of memory\n";
	ssize_t ignored = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)ignored;
	_exit(4);
}

void *mem_calloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *mem_realloc(void *p, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		out_of_memory();
	n *= size;
	p = realloc(p, n ? n : 1);
	if (!p)
		out_of_memory();
	return p;
}

char *mem_strdup(const char *s)
{
	size_t n;
	char *copy;

	if (!s)
		return NULL;
	n = strlen(s) + 1;
	copy = mem_realloc(NULL, n, 1);
	memcpy(copy, s, n);
	return copy;
}

void mem_grow(void *array, size_t *cap, size_t want, size_t size)
{
	void *p;
	size_t n = *cap;

	if (want <= n)
		return;
	n = n < 8 ? 8 : n + n / 2;
	if (n < want)
		n = want;
	memcpy(&p, array, sizeof(p));
	p = mem_realloc(p, n, size);
	memset((char *)p + *cap * size, 0, (n - *cap) * size);
	memcpy(array, &p, sizeof(p));
	*cap = n;
}
