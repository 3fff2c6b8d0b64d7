/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of others that a plan starts: are they where it says? See campaign.h. */
#include <stdio.h>
#include <string.h>

#include "base/program.h"
#include "base/utf8.h"
#include "cmd/campaign.h"

enum { MOST_WORDS = 6 };

/* Calls @fn for each step with a command; what is not 0 ends it. */
static int each_command(const struct plan *p,
			int (*fn)(void *ctx, const struct plan_step *st, struct err *e),
			void *ctx, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < p->n_stages && !rc; i++) {
		for (size_t k = 0; k < p->stages[i].n_steps && !rc; k++) {
			if (p->stages[i].steps[k].n_command)
				rc = fn(ctx, &p->stages[i].steps[k], e);
		}
	}
	return rc;
}

static int check_here(void *ctx, const struct plan_step *st, struct err *e)
{
	struct strbuf why = {0};
	int rc = 0;

	(void)ctx;
	if (!program_check(st->command[0], st->dir, &why))
		rc = err_set(e, ERR_USAGE, "%s: step '%s': %s", st->where, st->name,
			     strbuf_str(&why));
	strbuf_release(&why);
	return rc;
}

int campaign_commands(struct campaign *c, struct err *e)
{
	for (size_t i = 0; i < c->n_nodes; i++) {
		if (launcher_is_here(&c->runner.context, c->nodes[i]))
			return each_command(&c->plan, check_here, NULL, e);
	}
	return 0; /* what is not on this machine may be there */
}

/* The question at hand, and who has not got the program. */
struct asked {
	struct campaign *c;
	const char **nodes;
	size_t n_nodes;
	const struct plan_step *step;
	FILE *out;
	size_t missing;
};

static int hear(void *ctx, const struct reach_result *res, struct err *e)
{
	struct asked *q = ctx;
	struct strbuf text = {0};

	(void)e;
	utf8_printable(&text, res->out, strcspn(res->out, "\n"));
	if (!res->why && text.len) {
		q->missing++;
		(void)fprintf(q->out, "%s: step '%s' on %s: %s\n", q->step->where,
			      q->step->name, res->node, strbuf_str(&text));
	}
	strbuf_release(&text);
	return 0;
}

static int ask(void *ctx, const struct plan_step *st, struct err *e)
{
	struct asked *q = ctx;
	const char *words[MOST_WORDS];
	size_t n = 0;

	q->step = st;
	words[n++] = arena_printf(&q->c->arena, "%s/assay-probe", q->c->env->bindir);
	words[n++] = "--find";
	words[n++] = st->command[0];
	if (st->dir) {
		words[n++] = "--dir";
		words[n++] = st->dir;
	}
	return runner_reach(&q->c->runner, q->nodes, q->n_nodes, words, n,
			    q->c->plan.limits.probe, hear, q, e);
}

int campaign_ask_commands(struct campaign *c, const struct state *s, FILE *out,
			  size_t *missing, struct err *e)
{
	struct asked q = {.c = c, .out = out};
	int rc;

	q.nodes = arena_alloc(&c->arena, c->n_nodes, sizeof(*q.nodes));
	for (size_t i = 0; i < c->n_nodes; i++) {
		if (state_facts(s, c->nodes[i]) &&
		    !launcher_is_here(&c->runner.context, c->nodes[i]))
			q.nodes[q.n_nodes++] = c->nodes[i];
	}
	rc = q.n_nodes ? each_command(&c->plan, ask, &q, e) : 0;
	*missing = q.missing;
	return rc;
}
