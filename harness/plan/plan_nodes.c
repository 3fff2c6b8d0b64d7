/* SPDX-License-Identifier: Apache-2.0 */
/* A plan's series of sets and the number of nodes there are: see plan.h. */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "plan/plan.h"

static int check_step(const struct plan_stage *stage, const struct plan_step *st,
		      size_t nodes, void (*say)(void *ctx, const char *text, bool all),
		      void *ctx, struct err *e)
{
	struct strbuf above = {0}, text = {0};
	bool all = false, fits = false, several = false;
	int rc = 0;

	for (size_t i = 0; i < st->n_sizes; i++) {
		const char *size = st->sizes[i];

		all |= !strcmp(size, "all");
		if (!strcmp(size, "all") || strtoul(size, NULL, 10) <= nodes) {
			fits = true;
			continue;
		}
		several |= above.len > 0;
		strbuf_addf(&above, "%s%s", above.len ? ", " : "", size);
	}
	strbuf_addf(&text,
		    "stage %s, step %s: 'sizes': %s %s above the %zu node%s there %s",
		    stage->name, st->name, strbuf_str(&above), several ? "are" : "is",
		    nodes, nodes == 1 ? "" : "s", nodes == 1 ? "is" : "are");
	if (above.len && !fits)
		rc = err_set(e, ERR_USAGE, "%s: %s, and no other is given", st->where,
			     strbuf_str(&text));
	else if (above.len)
		say(ctx, strbuf_str(&text), all);
	strbuf_release(&above);
	strbuf_release(&text);
	return rc;
}

int plan_check_nodes(const struct plan *p, size_t nodes,
		     void (*say)(void *ctx, const char *text, bool all), void *ctx,
		     struct err *e)
{
	for (size_t i = 0; i < p->n_stages; i++) {
		const struct plan_stage *stage = &p->stages[i];

		for (size_t k = 0; k < stage->n_steps; k++) {
			if (check_step(stage, &stage->steps[k], nodes, say, ctx, e))
				return -1;
		}
	}
	return 0;
}
