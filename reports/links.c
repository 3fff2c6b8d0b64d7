/* SPDX-License-Identifier: Apache-2.0 */
/* Links of a summary: see links.h. */
#include "reports/links.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"

void links_collect(struct links *links, const struct summary *s)
{
	struct strbuf key = {0};

	memset(links, 0, sizeof(*links));
	for (size_t i = 0; i < s->n_verdicts; i++) {
		const struct verdict *v = &s->verdicts[i];
		bool swap, fresh;
		size_t k;

		if (!v->node || !v->peer)
			continue;
		swap = strcmp(v->node, v->peer) > 0;
		strbuf_reset(&key);
		strbuf_addf(&key, "%s\n%s", swap ? v->peer : v->node,
			    swap ? v->node : v->peer);
		k = names_add(&links->pairs, key.buf, &fresh);
		if (fresh) {
			mem_grow(&links->items, &links->cap, k + 1,
				 sizeof(*links->items));
			links->n = k + 1;
		}
		if (fresh || v->word < links->items[k].worst->word)
			links->items[k].worst = v;
		links->items[k].n++;
	}
	strbuf_release(&key);
}

void links_release(struct links *links)
{
	names_release(&links->pairs);
	free(links->items);
	memset(links, 0, sizeof(*links));
}
