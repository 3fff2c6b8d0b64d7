/* SPDX-License-Identifier: Apache-2.0 */
/* Texts made of texts: see memo.h. */
#include "reports/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* What comes again comes soon: beyond so many it is forgotten, so memory is bounded. */
enum { MOST = 1024 };

const char *memo_get(struct memo *m, const char *text,
		     void (*make)(struct strbuf *out, const char *text))
{
	struct strbuf made = {0};
	bool fresh;
	size_t i;

	if (m->texts.n == MOST)
		memo_release(m);
	i = names_add(&m->texts, text, &fresh);
	if (fresh) {
		make(&made, text);
		mem_grow(&m->made, &m->cap, i + 1, sizeof(*m->made));
		m->made[i] = arena_strndup(&m->texts.arena, strbuf_str(&made), made.len);
		strbuf_release(&made);
	}
	return m->made[i];
}

void memo_release(struct memo *m)
{
	names_release(&m->texts);
	free(m->made);
	memset(m, 0, sizeof(*m));
}
