/* SPDX-License-Identifier: Apache-2.0 */
/* Text to index by open addressing: see strmap.h. */
#include "base/strmap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct strmap_slot {
	const char *key; /* NULL: free */
	size_t value;
};

/* FNV-1a, 64 bit. */
static uint64_t hash(const char *s)
{
	uint64_t h = 14695981039346656037U;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211U;
	return h ^ h >> 32;
}

static struct strmap_slot *find(const struct strmap *m, const char *key)
{
	size_t i = hash(key) & (m->cap - 1);

	while (m->slots[i].key && strcmp(m->slots[i].key, key) != 0)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

size_t strmap_get(const struct strmap *m, const char *key)
{
	const struct strmap_slot *s;

	if (!m->cap)
		return STRMAP_NONE;
	s = find(m, key);
	return s->key ? s->value : STRMAP_NONE;
}

static void grow(struct strmap *m)
{
	struct strmap old = *m;

	m->cap = old.cap ? old.cap * 2 : 16;
	m->slots = mem_calloc(m->cap, sizeof(*m->slots));
	for (size_t i = 0; i < old.cap; i++) {
		if (old.slots[i].key)
			*find(m, old.slots[i].key) = old.slots[i];
	}
	free(old.slots);
}

static struct strmap_slot *slot(struct strmap *m, const char *key, size_t value)
{
	struct strmap_slot *s;

	if (m->n * 2 >= m->cap)
		grow(m);
	s = find(m, key);
	if (!s->key) {
		*s = (struct strmap_slot){key, value};
		m->n++;
	}
	return s;
}

size_t strmap_put(struct strmap *m, const char *key, size_t value)
{
	return slot(m, key, value)->value;
}

void strmap_set(struct strmap *m, const char *key, size_t value)
{
	slot(m, key, value)->value = value;
}

void strmap_release(struct strmap *m)
{
	free(m->slots);
	memset(m, 0, sizeof(*m));
}
