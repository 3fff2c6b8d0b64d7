/* SPDX-License-Identifier: Apache-2.0 */
/* Numbered texts: see names.h. */
#include "base/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4), 8 bytes each.
 */
static uint64_t mix(uint64_t h)
{
	h *= 0x9e3779b97f4a7c15; /* 2^64 / golden ratio */
	return h ^ h >> 32;
}

static uint64_t hash(const char *s, size_t len)
{
	uint64_t h = len, word;

	for (; len >= sizeof(word); s += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, s, sizeof(word));
		h = mix(h ^ word);
	}
	word = 0;
	memcpy(&word, s, len);
	return mix(h ^ word);
}

static bool is(const char *item, const char *text, size_t len)
{
	return !strncmp(item, text, len) && !item[len];
}

/* The slot of @text: the one that holds it, or the free one where it belongs. */
static uint32_t *slot_of(const struct names *names, const char *text, size_t len)
{
	size_t mask = names->n_slots - 1;
	size_t i = hash(text, len) & mask;

	while (names->slots[i] && !is(names->items[names->slots[i] - 1], text, len))
		i = (i + 1) & mask;
	return &names->slots[i];
}

static void grow(struct names *names)
{
	free(names->slots);
	names->n_slots = names->n_slots ? 2 * names->n_slots : 64;
	names->slots = mem_calloc(names->n_slots, sizeof(*names->slots));
	for (size_t i = 0; i < names->n; i++)
		*slot_of(names, names->items[i], strlen(names->items[i])) =
			(uint32_t)i + 1;
}

size_t names_add_n(struct names *names, const char *text, size_t len, bool *fresh)
{
	uint32_t *slot;

	if (2 * (names->n + 1) > names->n_slots)
		grow(names);
	slot = slot_of(names, text, len);
	if (fresh)
		*fresh = !*slot;
	if (!*slot) {
		mem_grow(&names->items, &names->cap, names->n + 1, sizeof(*names->items));
		names->items[names->n++] = arena_strndup(&names->arena, text, len);
		*slot = (uint32_t)names->n;
	}
	return *slot - 1;
}

size_t names_add(struct names *names, const char *text, bool *fresh)
{
	return names_add_n(names, text, strlen(text), fresh);
}

size_t names_find(const struct names *names, const char *text)
{
	uint32_t slot = names->n ? *slot_of(names, text, strlen(text)) : 0;

	return slot ? slot - 1 : NAMES_NONE;
}

void names_release(struct names *names)
{
	arena_release(&names->arena);
	free(names->items);
	free(names->slots);
	memset(names, 0, sizeof(*names));
}
