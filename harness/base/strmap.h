/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text to index: what keeps a run of 10,000 nodes linear. Keys are borrowed and must
 * outlive the map. A zeroed struct is an empty map.
 */
#ifndef ASSAY_BASE_STRMAP_H
#define ASSAY_BASE_STRMAP_H

#include <stddef.h>

#define STRMAP_NONE ((size_t)-1)

struct strmap {
	struct strmap_slot *slots;
	size_t n, cap; /* cap is a power of two */
};

/* The value of @key, STRMAP_NONE when there is none. */
size_t strmap_get(const struct strmap *m, const char *key);
/* The value of @key; when there is none it becomes @value. */
size_t strmap_put(struct strmap *m, const char *key, size_t value);
/* The value of @key becomes @value, whatever it was. */
void strmap_set(struct strmap *m, const char *key, size_t value);
void strmap_release(struct strmap *m);

#endif
