/* SPDX-License-Identifier: Apache-2.0 */
/* A chase of pointers: see chase.h. */
#include "kernels/chase.h"

/* Marsaglia's xorshift (J. Stat. Softw. 8(14), 2003), for a number below @n. */
static size_t below(uint64_t *s, size_t n)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return (size_t)(*s % n);
}

static void **line(void *memory, size_t i)
{
	return (void **)(void *)((char *)memory + i * CHASE_STEP);
}

size_t chase_make(void *memory, uint64_t bytes, uint64_t seed)
{
	const size_t n = (size_t)(bytes / CHASE_STEP);
	uint64_t s = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);

	for (size_t i = 0; i < n; i++)
		*line(memory, i) = line(memory, i);
	/* a swap with an earlier line, never with itself, leaves a single cycle */
	for (size_t i = n; i-- > 1;) {
		void **a = line(memory, i), **b = line(memory, below(&s, i));
		void *to = *a;

		*a = *b;
		*b = to;
	}
	return n;
}

void *chase(void *p, uint64_t steps)
{
	for (uint64_t i = 0; i < steps; i++)
		p = *(void **)p;
	return p;
}
