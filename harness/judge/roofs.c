/* SPDX-License-Identifier: Apache-2.0 */
/* Measured roofs by node: see roofs.h. */
#include "judge/roofs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"

static const char *key_of(struct strbuf *sb, const char *metric, const char *node)
{
	strbuf_reset(sb);
	strbuf_addf(sb, "%s\n%s", metric, node);
	return strbuf_str(sb);
}

void roofs_make(struct roofs *r, const struct theory *t, const struct series *series,
		size_t n)
{
	struct strbuf sb = {0};
	struct names wanted = {0};

	memset(r, 0, sizeof(*r));
	for (size_t i = 0; i < t->n; i++) {
		if (t->limits[i].roof == THEORY_OWN)
			(void)names_add(&wanted, t->limits[i].of, NULL);
	}
	for (size_t i = 0; i < n; i++) {
		const struct series *s = &series[i];
		bool fresh;
		size_t k;

		if (!s->node || s->at || names_find(&wanted, s->metric) == NAMES_NONE)
			continue;
		k = names_add(&r->keys, key_of(&sb, s->metric, s->node), &fresh);
		mem_grow(&r->values, &r->cap, k + 1, sizeof(*r->values));
		r->values[k] = fresh ? s->value : fmax(r->values[k], s->value);
	}
	names_release(&wanted);
	strbuf_release(&sb);
}

double roofs_find(const struct roofs *r, const char *metric, const char *node)
{
	struct strbuf sb = {0};
	size_t k = names_find(&r->keys, key_of(&sb, metric, node));

	strbuf_release(&sb);
	return k == NAMES_NONE ? 0 : r->values[k];
}

void roofs_release(struct roofs *r)
{
	names_release(&r->keys);
	free(r->values);
	memset(r, 0, sizeof(*r));
}
