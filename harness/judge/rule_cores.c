/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule `cores`: values that were measured on each core, against those of its like. These
 * are the other cores of the node, or where it has only a few the cores of all like
 * nodes: the same policy as for nodes (peers.h), with cores in their place. One verdict a
 * node, which names the slow ones.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/peers.h"
#include "judge/rule.h"

enum { NAMED = 8 }; /* cores in one sentence */

/* The cores of one node in one step by one metric. */
struct unit {
	const struct series **series;
	size_t n, cap, pool;
};

/* Cores that are compared with each other. */
struct pool {
	struct peers peers;
	struct peers_value *values;
	size_t n, cap, nodes;
	const char *origin;
};

struct work {
	const struct rule_input *in;
	struct summary *out;
	json_t *site;
	struct names unit_keys, pool_keys;
	struct unit *units;
	struct pool *pools;
	size_t cap_units, cap_pools;
	struct strbuf text;
};

static double core_of(const struct series *s)
{
	return s->at ? record_json_num(s->at, "core") : NAN;
}

bool rule_is_core(const struct series *s)
{
	return s->node && !s->peer && !isnan(core_of(s));
}

static void add_to_unit(struct work *w, const struct series *s)
{
	struct unit *u;
	bool fresh;
	size_t i;

	strbuf_reset(&w->text);
	strbuf_addf(&w->text, "%s\n%s\n%s", s->name ? s->name : "", s->metric, s->node);
	i = names_add(&w->unit_keys, strbuf_str(&w->text), &fresh);
	mem_grow(&w->units, &w->cap_units, i + 1, sizeof(*w->units));
	u = &w->units[i];
	mem_grow(&u->series, &u->cap, u->n + 1, sizeof(*u->series));
	u->series[u->n++] = s;
}

static struct peers_value value_of(const struct series *s)
{
	return (struct peers_value){s->value, s->sorted[0], s->sorted[s->n - 1], s->n};
}

static void add_to_pool(struct work *w, struct unit *u)
{
	const struct series *first = u->series[0];
	const struct judge_node *node = nodes_find(w->in->nodes, first->node);
	const bool alone = u->n >= PEERS_FEWEST || !node || !node->class;
	struct pool *p;

	strbuf_reset(&w->text);
	strbuf_addf(&w->text, "%s\n%s\n%s\n%s", first->name ? first->name : "",
		    first->metric, alone ? "node" : "class",
		    alone ? first->node : node->class);
	u->pool = names_add(&w->pool_keys, strbuf_str(&w->text), NULL);
	mem_grow(&w->pools, &w->cap_pools, u->pool + 1, sizeof(*w->pools));
	p = &w->pools[u->pool];
	mem_grow(&p->values, &p->cap, p->n + u->n, sizeof(*p->values));
	for (size_t i = 0; i < u->n; i++)
		p->values[p->n++] = value_of(u->series[i]);
	p->nodes++;
}

static void judge_pools(struct work *w)
{
	size_t tests = 0;

	for (size_t i = 0; i < w->pool_keys.n; i++)
		tests += w->pools[i].n >= PEERS_FEWEST;
	for (size_t i = 0; i < w->unit_keys.n; i++) {
		const struct series *s = w->units[i].series[0];
		struct pool *p = &w->pools[w->units[i].pool];
		struct peers_question q = {s->declared->higher,
					   rule_min_deviation(w->site, s->metric), tests};

		if (p->origin)
			continue;
		if (p->n >= PEERS_FEWEST)
			peers_judge(&p->peers, p->values, p->n, &q);
		p->origin = p->nodes > 1 ? arena_printf(&w->out->arena,
							"%zu cores of %zu like nodes",
							p->n, p->nodes)
					 : arena_printf(&w->out->arena,
							"%zu cores of its node", p->n);
	}
}

/* Launches of @s that may still be made. */
static size_t allowed(const struct work *w, const struct series *s)
{
	const struct launch_key *k = launches_find(w->in->launches, s->key);

	return k && k->n_repeats < w->in->repeats ? w->in->repeats - k->n_repeats : 0;
}

static struct peers_opinion opinion(const struct work *w, const struct pool *p,
				    const struct series *s)
{
	struct peers_value v = value_of(s);

	return peers_opinion(&p->peers, &v, allowed(w, s));
}

static bool worse(const struct pool *p, const struct peers_opinion *a,
		  const struct series *sa, const struct peers_opinion *b,
		  const struct series *sb)
{
	if (a->word != b->word)
		return a->word < b->word;
	return peers_off(&p->peers, sa->value) > peers_off(&p->peers, sb->value);
}

static double limit_of(const struct pool *p, const struct peers_population *of)
{
	return fmax(p->peers.asked.min_deviation * fabs(of->median), of->chance);
}

/* "core 5: 30 GFLOP/s is 50 % below the median 60 GFLOP/s of 128 cores". */
static void start(struct strbuf *why, const struct series *s, double median, size_t n)
{
	strbuf_addf(why, "core %.0f: ", core_of(s));
	rule_add_value(why, s->value, s->unit);
	strbuf_addf(why, " is %.3g %% %s the median ",
		    100 * fabs(s->value - median) / fabs(median),
		    s->value < median ? "below" : "above");
	rule_add_value(why, median, s->unit);
	strbuf_addf(why, " of %zu cores", n);
}

/* Cores of @u with the same word as the worst, @worst, apart from it. */
static void add_others(struct work *w, const struct unit *u, const struct series *worst,
		       enum verdict_word word)
{
	const struct pool *p = &w->pools[u->pool];
	size_t n = 0;

	for (size_t i = 0; i < u->n; i++) {
		if (u->series[i] == worst || opinion(w, p, u->series[i]).word != word)
			continue;
		if (n < NAMED)
			strbuf_addf(&w->text, "%s %.0f", n ? "," : "; the same of core",
				    core_of(u->series[i]));
		n++;
	}
	if (n > NAMED)
		strbuf_addf(&w->text, " and %zu more", n - NAMED);
}

static void ask(struct work *w, const struct series *s, size_t more, const char *because)
{
	const struct launch_key *k = launches_find(w->in->launches, s->key);

	for (size_t i = 0; i < more && k; i++)
		rule_request(w->out,
			     arena_printf(&w->out->arena, "repeat:%s:%zu", s->key,
					  k->n_done + i),
			     "repeat", s->key, because);
}

/* How sure that is. */
static void add_sure(struct strbuf *why, const struct series *s,
		     const struct peers_opinion *o)
{
	if (o->unsteady)
		strbuf_addstr(why, "; one launch was far off");
	if (s->n > 1)
		strbuf_addf(why, "; median of %zu launches", s->n);
	else
		strbuf_addstr(why, "; one launch");
	if (o->more)
		strbuf_addf(why, ", %zu more to confirm it", o->more);
}

static void judge_unit(struct work *w, const struct unit *u)
{
	struct pool *p = &w->pools[u->pool];
	const struct series *worst = u->series[0];
	struct peers_opinion o = opinion(w, p, worst);
	const struct peers_population *of;
	struct verdict *v;

	for (size_t i = 1; i < u->n; i++) {
		const struct series *s = u->series[i];
		struct peers_opinion now = opinion(w, p, s);

		if (worse(p, &now, s, &o, worst)) {
			worst = s;
			o = now;
		}
	}
	of = o.slower && o.place < PEERS_NEAR ? &p->peers.populations[0]
					      : peers_of(&p->peers, worst->value);
	v = rule_series_verdict(w->out, "cores", worst);
	v->word = o.word;
	v->reference = record_num(of->median);
	v->from = p->origin;
	if (p->peers.asked.higher)
		v->low = record_num(of->median - limit_of(p, of));
	else
		v->high = record_num(of->median + limit_of(p, of));
	strbuf_reset(&w->text);
	if (o.word == VERDICT_PASS) {
		v->at = NULL;
		strbuf_addf(&w->text, "no core is off; ");
	}
	start(&w->text, worst, of->median, p->n);
	if (of->median != 0)
		strbuf_addf(&w->text, ", limit %.3g %%",
			    100 * limit_of(p, of) / fabs(of->median));
	if (o.word != VERDICT_PASS) {
		add_others(w, u, worst, o.word);
		add_sure(&w->text, worst, &o);
	}
	v->why = arena_strndup(&w->out->arena, w->text.buf, w->text.len);
	ask(w, worst, o.more, v->why);
}

/* Two or three cores: that they differ is seen, who is at fault is not. */
static void judge_few(struct work *w, const struct unit *u)
{
	const struct series *low = u->series[0], *high = low;
	struct verdict *v;
	double share;

	for (size_t i = 1; i < u->n; i++) {
		if (u->series[i]->value < low->value)
			low = u->series[i];
		if (u->series[i]->value > high->value)
			high = u->series[i];
	}
	share = high->value > 0 ? 1 - low->value / high->value : 0;
	v = rule_series_verdict(w->out, "cores", low);
	v->at = NULL;
	v->word = VERDICT_PASS;
	strbuf_reset(&w->text);
	if (u->n < 2) {
		v->word = VERDICT_SKIP;
		v->aside = true;
		strbuf_addstr(&w->text, "one core has no like");
	} else {
		if (share > rule_min_deviation(w->site, low->metric))
			v->word = VERDICT_WARN;
		strbuf_addf(&w->text, "cores differ by %.3g %%: core %.0f ", 100 * share,
			    core_of(low));
		rule_add_value(&w->text, low->value, low->unit);
		strbuf_addf(&w->text, ", core %.0f ", core_of(high));
		rule_add_value(&w->text, high->value, high->unit);
		strbuf_addf(&w->text, "; of %zu nobody knows which is right", u->n);
	}
	v->why = arena_strndup(&w->out->arena, w->text.buf, w->text.len);
}

int rule_cores_judge(const struct rule_input *in, struct summary *out, struct err *e)
{
	struct work w = {.in = in,
			 .out = out,
			 .site = in->state->plan.site
					 ? json_loads(in->state->plan.site, 0, NULL)
					 : NULL};

	(void)e;
	for (size_t i = 0; i < in->n_series; i++) {
		const struct series *s = &in->series[i];

		if (rule_is_core(s) && s->declared && !s->declared->unrated)
			add_to_unit(&w, s);
	}
	for (size_t i = 0; i < w.unit_keys.n; i++)
		add_to_pool(&w, &w.units[i]);
	judge_pools(&w);
	for (size_t i = 0; i < w.unit_keys.n; i++) {
		if (w.pools[w.units[i].pool].n >= PEERS_FEWEST)
			judge_unit(&w, &w.units[i]);
		else
			judge_few(&w, &w.units[i]);
		free(w.units[i].series);
	}
	for (size_t i = 0; i < w.pool_keys.n; i++)
		free(w.pools[i].values);
	free(w.pools);
	free(w.units);
	names_release(&w.pool_keys);
	names_release(&w.unit_keys);
	strbuf_release(&w.text);
	json_decref(w.site);
	return 0;
}
