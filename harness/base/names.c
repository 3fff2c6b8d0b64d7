/* SPDX-License-Identifier: Apache-2.0 */
/* Numbered texts: see names.h. */
#include "base/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* FNV-1a, 64 bit: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3;
	return h ^ h >> 32;
}

/* The slot of @text: the one that holds it, or the free one where it belongs. */
static uint32_t *slot_of(const struct names *names, const char *text)
{
	size_t mask = names->n_slots - 1;
	size_t i = hash(text) & mask;

	while (names->slots[i] && strcmp(names->items[names->slots[i] - 1], text) != 0)
		i = (i + 1) & mask;
	return &names->slots[i];
}

static void grow(struct names *names)
{
	free(names->slots);
	names->n_slots = names->n_slots ? 2 * names->n_slots : 64;
	names->slots = mem_calloc(names->n_slots, sizeof(*names->slots));
	for (size_t i = 0; i < names->n; i++)
		*slot_of(names, names->items[i]) = (uint32_t)i + 1;
}

size_t names_add(struct names *names, const char *text, bool *fresh)
{
	uint32_t *slot;

	if (2 * (names->n + 1) > names->n_slots)
		grow(names);
	slot = slot_of(names, text);
	if (fresh)
		*fresh = !*slot;
	if (!*slot) {
		mem_grow(&names->items, &names->cap, names->n + 1, sizeof(*names->items));
		names->items[names->n++] = arena_strdup(&names->arena, text);
		*slot = (uint32_t)names->n;
	}
	return *slot - 1;
}

size_t names_find(const struct names *names, const char *text)
{
	uint32_t slot = names->n ? *slot_of(names, text) : 0;

	return slot ? slot - 1 : NAMES_NONE;
}

void names_release(struct names *names)
{
	arena_release(&names->arena);
	free(names->items);
	free(names->slots);
	memset(names, 0, sizeof(*names));
}
