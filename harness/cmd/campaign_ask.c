/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes answer about launches that failed on them: see campaign.h. */
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/procs.h"
#include "cmd/campaign.h"
#include "judge/launches.h"

/* A node that does not answer in this time, in s, is no partner. */
#define ASK_LIMIT 15.0

/* One launch that failed, and what its nodes have said so far. */
struct question {
	struct campaign *c;
	const struct state *state;
	const struct state_step *step;
	bool killed;
	const char *by, *unknown; /* nodes where memory ran out; that do not tell */
};

static int put_event(const struct question *q, const char *node, const char *what,
		     const char *text, struct err *e)
{
	struct record r = record_make(RECORD_KIND_event);

	r.u.event.step = q->step->id;
	r.u.event.attempt = q->step->attempt;
	r.u.event.node = node;
	r.u.event.what = what;
	r.u.event.text = text;
	return journal_put(q->c->runner.journal, &r, e);
}

/* The kernel's count on @node at the last look, which becomes @now; -1: not known. */
static int64_t last_kills(const struct question *q, const char *node, int64_t now)
{
	struct campaign *c = q->c;
	const struct record_node *n = state_facts(q->state, node);
	json_t *facts = n ? json_loads(n->facts, 0, NULL) : NULL;
	const json_t *at_first =
		json_object_get(json_object_get(facts, "memory"), "oom_kills");
	int64_t last = json_is_integer(at_first) ? json_integer_value(at_first) : -1;
	bool fresh;
	size_t i = names_add(&c->kills_of, node, &fresh);

	mem_grow(&c->kills, &c->cap_kills, i + 1, sizeof(*c->kills));
	if (!fresh)
		last = c->kills[i];
	c->kills[i] = now;
	json_decref(facts);
	return last;
}

static void hear_kills(struct question *q, const struct reach_result *res)
{
	struct arena *a = &q->c->arena;
	char *end;
	int64_t now = strtoll(res->out, &end, 10), last;

	if (end == res->out || now < 0)
		now = -1;
	last = last_kills(q, res->node, now);
	if (now < 0 || last < 0)
		q->unknown = arena_printf(a, "%s%s%s", q->unknown ? q->unknown : "",
					  q->unknown ? ", " : "", res->node);
	else if (now > last)
		q->by = arena_printf(a, "%s%s%s", q->by ? q->by : "", q->by ? ", " : "",
				     res->node);
}

static int on_answer(void *ctx, const struct reach_result *res, struct err *e)
{
	struct question *q = ctx;
	struct arena *a = &q->c->arena;
	const char *why = arena_strdup(a, res->why ? res->why : "no answer");

	if (res->end == REACH_RAN && res->exit == 0) {
		if (q->killed)
			hear_kills(q, res);
		return 0;
	}
	if (q->step->n_nodes < 2)
		return 0;
	progress_say(&q->c->progress, "%s does not answer: %s", res->node, why);
	return put_event(q, arena_strdup(a, res->node), "silent", why, e);
}

/* Who sent the SIGKILL: the kernel, for want of memory, or somebody else. */
static int tell_killer(const struct question *q, struct err *e)
{
	struct arena *a = &q->c->arena;

	if (q->by)
		return put_event(q, NULL, "killer",
				 arena_printf(a, "the kernel's OOM killer, on %s", q->by),
				 e);
	if (q->unknown)
		return put_event(
			q, NULL, "killer",
			arena_printf(a, "out of memory? not known on %s", q->unknown), e);
	return put_event(q, NULL, "killer", "not the kernel's OOM killer", e);
}

static int ask(struct campaign *c, const struct state *s, const struct state_step *st,
	       struct err *e)
{
	const char *const words[] = {
		arena_printf(&c->arena, "%s/assay-probe", c->env->bindir), "--oom-kills"};
	struct question q = {.c = c, .state = s, .step = st};

	if (st->phase != STATE_ENDED || !strcmp(launch_cause(st), "ok") ||
	    !strcmp(launch_cause(st), "skip"))
		return 0;
	q.killed = st->ended.signal == SIGKILL && strcmp(launch_cause(st), "timeout") &&
		   strcmp(launch_cause(st), "aborted");
	if (st->n_nodes < 2 && !q.killed)
		return 0;
	if (runner_reach(&c->runner, st->nodes, st->n_nodes, words, 2, ASK_LIMIT,
			 on_answer, &q, e))
		return -1;
	return q.killed ? tell_killer(&q, e) : 0;
}

int campaign_ask(struct campaign *c, const struct steps *steps, struct err *e)
{
	bool any = c->runner.killed;
	struct state s = {0};
	int rc;

	for (size_t i = 0; i < steps->n && !any; i++)
		any = steps->items[i].n_nodes > 1;
	if (!any)
		return 0;
	rc = state_replay(&s, c->folder.path, e);
	for (size_t i = 0; i < steps->n && !rc && !*c->runner.stop; i++)
		rc = ask(c, &s, &s.steps[steps->items[i].id - 1], e);
	state_release(&s);
	return rc;
}

/* Old processes */

struct ended {
	struct campaign *c;
	size_t n;
};

static int on_ended(void *ctx, const struct reach_result *res, struct err *e)
{
	struct ended *x = ctx;
	long n = strtol(res->out, NULL, 10);

	(void)e;
	if (res->why)
		progress_say(&x->c->progress,
			     "%s: not known whether processes of this run are left: %s",
			     res->node, res->why);
	else if (n > 0)
		progress_say(&x->c->progress,
			     "%s: ended %ld process%s of the interrupted run", res->node,
			     n, n == 1 ? "" : "es");
	return 0;
}

/* All nodes that were ever measured, but this one. */
static int end_elsewhere(struct campaign *c, struct err *e)
{
	const char *const words[] = {
		arena_printf(&c->arena, "%s/assay-probe", c->env->bindir), "--end-run",
		c->run_id};
	struct state s = {0};
	struct ended x = {.c = c};
	const char **nodes;
	size_t n = 0;
	int rc = state_replay(&s, c->folder.path, e);

	nodes = arena_alloc(&c->arena, s.n_nodes + 1, sizeof(*nodes));
	for (size_t i = 0; i < s.n_nodes && !rc; i++) {
		if (state_facts(&s, s.nodes[i]) &&
		    !launcher_is_here(&c->runner.context, s.nodes[i]))
			nodes[n++] = s.nodes[i];
	}
	if (!rc && n)
		rc = runner_reach(&c->runner, nodes, n, words, 3, ASK_LIMIT, on_ended, &x,
				  e);
	state_release(&s);
	return rc;
}

int campaign_end_old(struct campaign *c, struct err *e)
{
	size_t n = 0;

	if (!c->resumed)
		return 0;
	if (procs_end_run(c->run_id, &n, e))
		return -1;
	if (n)
		progress_say(&c->progress, "ended %zu process%s of the interrupted run",
			     n, n == 1 ? "" : "es");
	return end_elsewhere(c, e);
}
