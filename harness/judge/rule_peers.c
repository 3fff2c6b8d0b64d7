/* SPDX-License-Identifier: Apache-2.0 */
/* Rule `peers`: values of a node against those of its like: see peers.h. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/peers.h"
#include "judge/peers_remarks.h"
#include "judge/rule.h"

/* Series of one step name, metric and place on nodes of one class. */
struct group {
	const struct series **series;
	size_t n;
	const char *class; /* NULL: not known */
	struct peers peers;
	size_t of_all;         /* launches wanted of every node */
	const char *origin[2]; /* of the reference, by population */
	const char *alike[2];  /* why of its PASS verdicts */
};

struct work {
	const struct rule_input *in;
	struct summary *out;
	json_t *site;      /* what it says of its nodes */
	struct names keys; /* numbers the groups */
	struct group *groups;
	size_t cap;
	size_t *group_of;             /* by series; NAMES_NONE: it has no like */
	const struct series **series; /* what the groups point into */
	struct strbuf why;
	struct peers_remarks remarks;
};

static void find_groups(struct work *w)
{
	const struct rule_input *in = w->in;
	struct strbuf key = {0};
	bool fresh;

	for (size_t i = 0; i < in->n_series; i++) {
		const struct series *s = &in->series[i];
		const struct judge_node *node = nodes_find(in->nodes, s->node);
		struct group *g;

		w->group_of[i] = NAMES_NONE;
		if (!node || s->peer || !s->declared || s->declared->unrated ||
		    rule_is_core(s))
			continue;
		strbuf_reset(&key);
		strbuf_addf(&key, "%s\n%s\n%s\n%s", s->name ? s->name : "", s->metric,
			    s->at ? s->at : "", node->class ? node->class : "");
		w->group_of[i] = names_add(&w->keys, strbuf_str(&key), &fresh);
		mem_grow(&w->groups, &w->cap, w->keys.n, sizeof(*w->groups));
		g = &w->groups[w->group_of[i]];
		g->class = node->class;
		g->n++;
	}
	strbuf_release(&key);
}

static void fill_groups(struct work *w)
{
	const struct series **next = w->series;

	for (size_t k = 0; k < w->keys.n; k++) {
		w->groups[k].series = next;
		next += w->groups[k].n;
		w->groups[k].n = 0;
	}
	for (size_t i = 0; i < w->in->n_series; i++) {
		struct group *g;

		if (w->group_of[i] == NAMES_NONE)
			continue;
		g = &w->groups[w->group_of[i]];
		g->series[g->n++] = &w->in->series[i];
	}
}

static bool may_compare(const struct group *g)
{
	return g->class && g->n >= PEERS_FEWEST;
}

static struct peers_value value_of(const struct series *s)
{
	return (struct peers_value){s->value, s->sorted[0], s->sorted[s->n - 1], s->n};
}

/* Launches of @s that may still be made. */
static size_t allowed(const struct work *w, const struct series *s)
{
	const struct launch_key *k = launches_find(w->in->launches, s->key);

	return k && k->n_repeats < w->in->repeats ? w->in->repeats - k->n_repeats : 0;
}

static struct peers_opinion opinion(const struct work *w, const struct group *g,
				    const struct series *s)
{
	struct peers_value v = value_of(s);
	struct peers_opinion o = peers_opinion(&g->peers, &v, SIZE_MAX);

	/* how many are left is looked up for the few that want one */
	return o.more ? peers_opinion(&g->peers, &v, allowed(w, s)) : o;
}

static void judge_group(struct work *w, struct group *g, size_t tests)
{
	const struct series *first = g->series[0];
	struct peers_question q = {first->declared->higher,
				   rule_min_deviation(w->site, first->metric), tests};
	struct peers_value *v = mem_calloc(g->n, sizeof(*v));

	for (size_t i = 0; i < g->n; i++)
		v[i] = value_of(g->series[i]);
	peers_judge(&g->peers, v, g->n, &q);
	free(v);
	for (size_t i = 0; i < g->n && g->n < PEERS_SMALL; i++) {
		struct peers_opinion o = opinion(w, g, g->series[i]);
		size_t wanted = peers_wanted_of_all(&o, g->n);

		if (wanted > g->of_all)
			g->of_all = wanted;
	}
	for (size_t i = 0; i < g->peers.n_populations; i++)
		g->origin[i] = arena_printf(&w->out->arena, "median of %zu nodes '%s'",
					    g->peers.populations[i].n, g->class);
}

/* How far off a value may be in @p, in its unit. */
static double limit_of(const struct group *g, const struct peers_population *p)
{
	return fmax(g->peers.asked.min_deviation * fabs(p->median), p->chance);
}

static void add_percent(struct strbuf *why, double part, const struct peers_population *p)
{
	if (p->median != 0)
		strbuf_addf(why, "%.3g %%", 100 * part / fabs(p->median));
}

/* "150 GB/s is 19.8 % below the median 187 GB/s of 8 like nodes". */
static void add_off(struct strbuf *why, double value, const struct group *g,
		    const struct peers_population *p)
{
	const char *unit = g->series[0]->unit;

	rule_add_value(why, value, unit);
	strbuf_addstr(why, " is ");
	if (value != p->median) {
		add_percent(why, fabs(value - p->median), p);
		strbuf_addf(why, " %s ", value < p->median ? "below" : "above");
	}
	strbuf_addstr(why, "the median ");
	rule_add_value(why, p->median, unit);
	strbuf_addf(why, " of %zu like nodes", p->n);
}

static void add_limit(struct strbuf *why, const struct group *g,
		      const struct peers_population *p)
{
	if (p->median == 0)
		return;
	strbuf_addstr(why, ", limit ");
	add_percent(why, limit_of(g, p), p);
}

static void add_launches(struct strbuf *why, const struct series *s,
			 const struct peers_opinion *o)
{
	if (s->n > 1)
		strbuf_addf(why, "; median of %zu launches", s->n);
	else
		strbuf_addstr(why, "; one launch");
	if (o->more)
		strbuf_addf(why, ", %zu more to %s", o->more,
			    o->word == VERDICT_FAIL ? "confirm it"
						    : "tell it from noise");
	else if (s->n < PEERS_AGREE)
		strbuf_addstr(why, ", no more are allowed");
}

/* Why a value is near: it is much, or certain, but not both. */
static void add_near(struct strbuf *why, const struct group *g,
		     const struct peers_population *p)
{
	if (p->chance < g->peers.asked.min_deviation * fabs(p->median)) {
		strbuf_addf(why, ": not by chance, but less than the %.3g %% that count",
			    100 * g->peers.asked.min_deviation);
		return;
	}
	strbuf_addstr(why, ", but up to ");
	add_percent(why, p->chance, p);
	strbuf_addstr(why, " may be chance here");
}

/* Where nothing can be off, a value like the others proves nothing. */
static void add_blind(struct strbuf *why, const struct peers_population *p)
{
	strbuf_addstr(why, ", which tells nothing: up to ");
	add_percent(why, p->chance, p);
	strbuf_addstr(why, " may be chance here");
}

static void explain(struct work *w, const struct group *g, const struct series *s,
		    const struct peers_opinion *o, const struct peers_population *p)
{
	struct strbuf *why = &w->why;

	strbuf_reset(why);
	if (o->unsteady) {
		strbuf_addf(why, "one of %zu launches: ", s->n);
		add_off(why, g->peers.asked.higher ? s->sorted[0] : s->sorted[s->n - 1],
			g, p);
		strbuf_addstr(why, "; their median is good");
		return;
	}
	add_off(why, s->value, g, p);
	if (o->blind)
		add_blind(why, p);
	else if (o->place == PEERS_NEAR)
		add_near(why, g, p);
	else if (o->slower && o->word == VERDICT_WARN && o->place < PEERS_NEAR)
		strbuf_addf(why, ", and so are the %zu of its group: two populations",
			    g->peers.populations[1].n);
	else
		add_limit(why, g, p);
	add_launches(why, s, o);
}

/* PASS says the same for all of a population, once. */
static const char *alike(struct work *w, struct group *g,
			 const struct peers_population *p)
{
	const char **text = &g->alike[p - g->peers.populations];

	if (!*text) {
		strbuf_reset(&w->why);
		strbuf_addstr(&w->why, "like the median ");
		rule_add_value(&w->why, p->median, g->series[0]->unit);
		strbuf_addf(&w->why, " of %zu like nodes", p->n);
		add_limit(&w->why, g, p);
		*text = arena_strdup(&w->out->arena, strbuf_str(&w->why));
	}
	return *text;
}

static void ask(struct work *w, const struct series *s, size_t more, const char *because)
{
	const struct launch_key *k = launches_find(w->in->launches, s->key);
	struct arena *a = &w->out->arena;

	for (size_t i = 0; i < more && k; i++)
		rule_request(w->out,
			     arena_printf(a, "repeat:%s:%zu", s->key, k->n_done + i),
			     "repeat", s->key, because);
}

/* In a small fleet the others are launched again, too, when one is in doubt. */
static void ask_all(struct work *w, const struct group *g, const struct series *s)
{
	size_t more = g->of_all > s->n ? g->of_all - s->n : 0, left;

	if (!more)
		return;
	left = allowed(w, s);
	ask(w, s, more < left ? more : left,
	    "a value among its few like is in doubt, and how much launches differ is "
	    "not known");
}

static void judge_series(struct work *w, struct group *g, const struct series *s)
{
	struct peers_opinion o = opinion(w, g, s);
	const struct peers_population *p = peers_of(&g->peers, s->value);
	struct verdict *v = rule_series_verdict(w->out, "peers", s);

	/* what a worse population is judged by is the better one, unless it is off there
	 */
	if (o.slower && o.place < PEERS_NEAR && !o.unsteady)
		p = &g->peers.populations[0];
	v->word = o.word;
	v->reference = record_num(p->median);
	v->from = g->origin[p - g->peers.populations];
	if (g->peers.asked.higher && !o.blind)
		v->low = record_num(p->median - limit_of(g, p));
	else if (!g->peers.asked.higher)
		v->high = record_num(p->median + limit_of(g, p));
	if (v->word == VERDICT_PASS) {
		v->why = alike(w, g, p);
	} else {
		explain(w, g, s, &o, p);
		v->why = arena_strndup(&w->out->arena, w->why.buf, w->why.len);
	}
	ask(w, s, o.more, v->why);
	ask_all(w, g, s);
}

/* Said once for each step and class, whatever the number of series. */
static void skip(struct work *w, const struct group *g, struct names *said)
{
	const struct series *s = g->series[0];
	struct arena *a = &w->out->arena;
	struct verdict *v;
	bool fresh;

	strbuf_reset(&w->why);
	strbuf_addf(&w->why, "%s\n%s", s->name ? s->name : "", g->class ? g->class : "");
	(void)names_add(said, strbuf_str(&w->why), &fresh);
	if (!fresh)
		return;
	v = summary_add(w->out);
	v->rule = "peers";
	v->name = s->name;
	v->kernel = s->kernel;
	v->word = VERDICT_SKIP;
	v->aside = true;
	v->n = (int64_t)g->n;
	if (g->class)
		v->why = arena_printf(a,
				      "needs at least %d nodes of a class with results, "
				      "'%s' has %zu",
				      PEERS_FEWEST, g->class, g->n);
	else
		v->why = arena_printf(
			a, "of %zu node%s the class is not known: they have no like",
			g->n, g->n == 1 ? "" : "s");
}

static void judge_all(struct work *w)
{
	struct names said = {0};
	size_t tests = 0;

	for (size_t k = 0; k < w->keys.n; k++)
		tests += may_compare(&w->groups[k]);
	for (size_t k = 0; k < w->keys.n; k++) {
		struct group *g = &w->groups[k];

		if (may_compare(g)) {
			judge_group(w, g, tests);
			peers_remarks_add(&w->remarks, &g->peers, g->series, g->n);
		} else {
			skip(w, g, &said);
		}
	}
	for (size_t i = 0; i < w->in->n_series; i++) {
		size_t k = w->group_of[i];

		if (k != NAMES_NONE && may_compare(&w->groups[k]))
			judge_series(w, &w->groups[k], &w->in->series[i]);
	}
	names_release(&said);
}

int rule_peers_judge(const struct rule_input *in, struct summary *out, struct err *e)
{
	struct work w = {.in = in,
			 .out = out,
			 .site = in->state->plan.site
					 ? json_loads(in->state->plan.site, 0, NULL)
					 : NULL,
			 .group_of = mem_calloc(in->n_series + 1, sizeof(*w.group_of)),
			 .series = mem_calloc(in->n_series + 1, sizeof(*w.series))};

	(void)e;
	find_groups(&w);
	fill_groups(&w);
	judge_all(&w);
	peers_remark_classes(out);
	peers_remarks_put(&w.remarks, out);
	json_decref(w.site);
	names_release(&w.keys);
	free(w.groups);
	free(w.group_of);
	free(w.series);
	strbuf_release(&w.why);
	return 0;
}
