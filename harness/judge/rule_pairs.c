/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule `pairs`: which node, link, direction or switch is slow, from launches over pairs:
 * see pairs.h. What is suspected is measured again with proven partners before it is a
 * FAIL; what is good then was chance.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/pairs_repeats.h"
#include "judge/pairs_text.h"
#include "judge/rule.h"
#include "record/key.h"

/* Where the site does not say by how much like pairs may differ. */
#define MIN_DEVIATION 0.1
/* Ethernet where nothing is known of it, B/s, and how much more a port must be able to.
 */
#define ETHERNET  1.25e9
#define FELL_BACK 3.0
/* Launches of one pair that are made again, those that fail included. */
enum { MOST_AGAIN = 4 };

static const struct metric_of {
	const char *name;
	bool higher, directed;
} metrics[] = {
	{PAIRS_METRIC "latency", false, false},
	{PAIRS_METRIC "bw", true, true},
	{PAIRS_METRIC "bibw", true, false},
};

enum { N_METRICS = sizeof(metrics) / sizeof(metrics[0]) };

/* One metric of it. */
struct part {
	const struct metric_of *metric;
	struct pairs_talk talk;
	struct pairs_question q;
	struct pairs pairs;
};

/* One step over pairs being judged. */
struct work {
	struct summary *out;
	struct pairs_data data;
	struct part parts[N_METRICS];
	/* the part at hand */
	struct pairs_talk talk;
	struct pairs_question q;
	struct pairs pairs;
	const struct metric_of *metric;
	bool asks;      /* what is suspected may be measured again now */
	bool *found;    /* by node: a finding of this metric is about it */
	bool *bad;      /* by node: one of some metric, and it is no chance */
	size_t cleared; /* findings that were chance */
	struct strbuf why;
};

static double min_deviation(const struct work *w, const char *metric)
{
	const json_t *site = json_object_get(w->data.site, "min_deviation");
	const json_t *v = json_object_get(site, metric);

	if (!v)
		v = json_object_get(site, "default");
	return json_is_number(v) && json_number_value(v) >= 0 ? json_number_value(v)
							      : MIN_DEVIATION;
}

static struct verdict *new_verdict(struct work *w, enum verdict_word word)
{
	struct verdict *v = rule_step_verdict(w->out, "pairs", w->data.last);

	v->step = 0;
	v->node = NULL;
	v->metric = w->talk.metric;
	v->unit = w->talk.unit;
	v->word = word;
	return v;
}

static const char *said(struct work *w)
{
	return arena_strndup(&w->out->arena, w->why.buf, w->why.len);
}

/* Measuring again */

static bool is_pair(const struct pairs_again *x, struct pairs_pair c)
{
	return (x->a == c.a && x->b == c.b) || (x->a == c.b && x->b == c.a);
}

static void ask_pair(struct work *w, uint32_t suspect, uint32_t partner, size_t number,
		     const char *because)
{
	struct arena *a = &w->out->arena;
	const char *x = pairs_data_name(&w->data, suspect);
	const char *y = pairs_data_name(&w->data, partner);
	char *key = arena_printf(a, "%s~%s", w->data.base->key, x);

	rule_request(w->out, arena_printf(a, "check:%s:%s:%zu", key, y, number), "pair",
		     key, because);
	w->out->requests[w->out->n_requests - 1].partner = y;
}

/* What launches of its pairs alone say of @f, and those that are still to be made. */
static enum pairs_state settle(struct work *w, const struct pairs_finding *f,
			       struct pairs_repeats *r)
{
	const struct pairs_judged judged = {&w->data, w->talk.metric, &w->q, &w->pairs};
	size_t made[PAIRS_CHECKS] = {0};
	enum pairs_state state;

	*r = (struct pairs_repeats){0};
	for (size_t i = 0; i < w->data.n_again; i++) {
		for (size_t k = 0; k < f->n_check; k++) {
			if (!is_pair(&w->data.again[i], f->check[k]))
				continue;
			made[k]++;
			pairs_repeats_add(r, &judged, f, &w->data.again[i]);
		}
	}
	if (!f->n_check || !w->data.in->repeats)
		return PAIRS_CONFIRMED; /* nobody to try it with: it is what it is */
	state = pairs_repeats_settle(r, f);
	for (size_t k = 0; k < f->n_check && state == PAIRS_MORE && w->asks; k++) {
		size_t wanted = f->kind == PAIRS_LINK ? 2 : 1;

		for (size_t n = made[k]; n < wanted || (n == made[k] && n < MOST_AGAIN);
		     n++)
			ask_pair(w, f->check[k].a, f->check[k].b, n, said(w));
	}
	return state;
}

/* Findings */

/* The fastest active port of InfiniBand of a node, B/s; 0: none. *ethernet as well. */
static double port_rate(const struct work *w, size_t node, double *ethernet)
{
	const struct record_node *facts =
		state_facts(w->data.in->state, pairs_data_name(&w->data, node));
	json_t *o = facts ? json_loads(facts->facts, 0, NULL) : NULL, *x, *p;
	const char *name;
	double most = 0;
	size_t i;

	json_object_foreach(json_object_get(o, "hca"), name,
			    x){json_array_foreach(json_object_get(x, "ports"), i, p){
		const char *state = json_string_value(json_object_get(p, "state"));
	const char *layer = json_string_value(json_object_get(p, "layer"));

	if (state && layer && !strcmp(state, "ACTIVE") && !strcmp(layer, "InfiniBand"))
		most = fmax(most, json_number_value(json_object_get(p, "rate")));
}
}
*ethernet = 0;
json_object_foreach(json_object_get(o, "net"), name, x)
{
	/* IPoIB shows the port's own rate */
	if (strncmp(name, "ib", 2) != 0)
		*ethernet =
			fmax(*ethernet, json_number_value(json_object_get(x, "speed")));
}
json_decref(o);
if (!(*ethernet > 0))
	*ethernet = ETHERNET;
return most;
}

/* A rate that Ethernet gives, where the port could do much more. */
static bool fell_back(struct work *w, size_t node, double rate, struct strbuf *why)
{
	double ethernet, port;

	if (!w->q.directed)
		return false;
	port = port_rate(w, node, &ethernet);
	if (!(port > 0) || rate > 1.1 * ethernet || rate * FELL_BACK > port)
		return false;
	strbuf_addstr(why, "WRONG TRANSPORT: fall-back suspected: ");
	rule_add_value(why, rate, w->talk.unit);
	strbuf_addstr(why, " is no more than Ethernet gives (");
	rule_add_value(why, ethernet, w->talk.unit);
	strbuf_addf(why, "), while %s has a port of InfiniBand active at ",
		    pairs_data_name(&w->data, node));
	rule_add_value(why, port, w->talk.unit);
	return true;
}

static const char *place_of(struct work *w, const struct pairs_finding *f)
{
	struct arena *a = &w->out->arena;
	json_t *o;
	char *text;
	const char *at;

	if (f->kind >= PAIRS_NODE && f->way == PAIRS_BOTH)
		return NULL;
	o = json_object();
	if (f->kind < PAIRS_NODE)
		json_object_set_new(o, "group", json_string(w->data.groups.items[f->a]));
	if (f->kind == PAIRS_BETWEEN)
		json_object_set_new(o, "with", json_string(w->data.groups.items[f->b]));
	if (f->way != PAIRS_BOTH)
		json_object_set_new(o, "direction",
				    json_string(f->way == PAIRS_SENDS ? "out" : "in"));
	text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
	at = arena_strdup(a, text);
	free(text);
	json_decref(o);
	return at;
}

static void fill(struct work *w, struct verdict *v, const struct pairs_finding *f,
		 size_t checked)
{
	double r = w->talk.reference;
	bool higher = w->metric->higher;

	if (f->kind == PAIRS_NODE || f->kind == PAIRS_LINK)
		v->node = pairs_data_name(&w->data, f->a);
	if (f->kind == PAIRS_LINK)
		v->peer = pairs_data_name(&w->data, f->b);
	v->at = place_of(w, f);
	v->reference = record_num(r);
	if (f->share > 0)
		v->value = record_num(higher ? r * f->share : r / f->share);
	if (higher)
		v->low = record_num(r * f->limit);
	else
		v->high = record_num(r / f->limit);
	v->n = (int64_t)(1 + checked);
	v->spread = record_num(w->pairs.sigma);
	v->from = arena_printf(&w->out->arena, "median of the pairs of %zu nodes",
			       w->data.first->n_nodes);
}

/* With fewer nodes than peers need, a pair has too few others to be unlike them. */
enum { FEWEST_NODES = 4 };

/* Nodes that the part at hand has values of. */
static size_t measured(const struct work *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->q.nodes; i++)
		n += w->pairs.count[i] > 0;
	return n;
}

/* What launches alone say of it, behind what the table says. */
static void say_repeats(struct work *w, enum pairs_state state,
			const struct pairs_repeats *r)
{
	static const char *const ends[] = {
		[PAIRS_MORE] = "; not measured again yet",
		[PAIRS_CONFIRMED] = ", and again alone",
		[PAIRS_UNSTEADY] = "; alone it was good at times",
	};

	if (state == PAIRS_UNSTEADY && r->both)
		pairs_text_both(&w->talk, r, &w->why);
	else if (state != PAIRS_CONFIRMED || r->checked)
		strbuf_addstr(&w->why, ends[state]);
}

/* The sentence on what the table says. */
static void say_finding(struct work *w, const struct pairs_finding *f)
{
	strbuf_reset(&w->why);
	if (f->kind == PAIRS_NODE &&
	    fell_back(w, f->a, f->share * w->talk.reference, &w->why))
		strbuf_addstr(&w->why, "; ");
	pairs_text_finding(&w->talk, f, &w->why);
}

static void judge_finding(struct work *w, struct pairs_finding *f)
{
	enum pairs_state state;
	struct pairs_repeats again;
	struct verdict *v;

	say_finding(w, f);
	state = settle(w, f, &again);
	if (state == PAIRS_CLEARED) {
		w->cleared++;
		return;
	}
	if (state == PAIRS_CONFIRMED && again.both && pairs_repeats_any_way(f)) {
		/* slow at times, and not in one direction alone, as the table looked */
		f->way = PAIRS_BOTH;
		f->of = w->pairs.count[f->a];
		say_finding(w, f);
	}
	say_repeats(w, state, &again);
	if (measured(w) < FEWEST_NODES && state == PAIRS_CONFIRMED) {
		strbuf_addstr(&w->why,
			      "; no FAIL, since of fewer than four nodes none is "
			      "proven");
		state = PAIRS_UNSTEADY;
	}
	pairs_text_look(&w->talk, f, &w->why);
	if (f->kind == PAIRS_NODE)
		w->found[f->a] = true;
	v = new_verdict(w, state == PAIRS_CONFIRMED  ? VERDICT_FAIL
			   : state == PAIRS_UNSTEADY ? VERDICT_WARN
						     : VERDICT_INCONCLUSIVE);
	fill(w, v, f, again.checked);
	v->why = said(w);
}

static void judge_scattered(struct work *w)
{
	struct verdict *v = new_verdict(w, VERDICT_WARN);

	v->n = (int64_t)w->pairs.left;
	v->why = arena_printf(
		&w->out->arena,
		"%zu values are slow and no node, direction or group explains them%s",
		w->pairs.left,
		w->data.group ? ""
			      : ": tell the site's fabric.groups, or load the network "
				"less (pairs-at-once)");
}

/*
 * PASS for each node that no finding is about. A single pair has no other to be like: its
 * own median says nothing of it.
 */
static void judge_nodes(struct work *w)
{
	const char *why = NULL, *from = NULL;
	bool alone = measured(w) < 3;

	for (size_t i = 0; i < w->q.nodes; i++) {
		double share = w->pairs.share[i], r = w->talk.reference;
		struct verdict *v;

		if (!w->pairs.count[i] || w->found[i] || !(share > 0))
			continue;
		v = new_verdict(w, alone ? VERDICT_UNJUDGED : VERDICT_PASS);
		v->node = pairs_data_name(&w->data, i);
		v->value = record_num(w->metric->higher ? r * share : r / share);
		v->n = (int64_t)w->pairs.count[i];
		if (alone) {
			v->cause = "no-reference";
			v->why = "a single pair, and no other to compare it with";
			continue;
		}
		v->reference = record_num(r);
		if (!from) {
			from = arena_printf(&w->out->arena,
					    "median of the pairs of %zu nodes",
					    w->data.first->n_nodes);
			why = arena_printf(&w->out->arena,
					   "median of its pairs, like those of others");
		}
		v->from = from;
		v->why = why;
	}
}

/* All pairs as slow as that: it is the transport, and no pair's. */
static bool judge_fall_back(struct work *w)
{
	struct verdict *v;

	strbuf_reset(&w->why);
	for (size_t i = 0; i < w->q.nodes; i++) {
		if (!w->pairs.count[i])
			continue;
		if (!fell_back(w, i, w->talk.reference, &w->why))
			return false;
		v = new_verdict(w, VERDICT_FAIL);
		v->value = record_num(w->talk.reference);
		v->why = said(w);
		return true;
	}
	return false;
}

static void take_part(struct work *w, const struct part *x)
{
	w->metric = x->metric;
	w->talk = x->talk;
	w->q = x->q;
	w->pairs = x->pairs;
}

/* False when nothing was measured of the metric. */
static bool look_at(struct work *w, struct part *x, const struct metric_of *m)
{
	size_t n;
	struct pairs_value *v;

	x->metric = m;
	x->talk = (struct pairs_talk){
		.data = &w->data, .metric = m->name, .higher = m->higher, .unit = ""};
	x->q = w->q;
	x->q.higher = m->higher;
	x->q.directed = m->directed;
	x->q.min_deviation = min_deviation(w, m->name);
	v = pairs_data_values(&w->data, m->name, &n, &x->talk.unit);
	if (n) {
		pairs_judge(&x->pairs, v, n, &x->q);
		x->talk.reference = x->pairs.reference[0];
	}
	free(v);
	return n > 0;
}

/* Nodes that are slow by this metric: links of theirs are no faults of their own. */
static void find_bad(struct work *w)
{
	for (size_t i = 0; i < w->pairs.n; i++) {
		const struct pairs_finding *f = &w->pairs.findings[i];
		struct pairs_repeats again;

		if (f->kind != PAIRS_NODE)
			continue;
		strbuf_reset(&w->why);
		pairs_text_finding(&w->talk, f, &w->why);
		w->bad[f->a] |= settle(w, f, &again) != PAIRS_CLEARED;
	}
}

static void judge_part(struct work *w)
{
	memset(w->found, 0, w->q.nodes * sizeof(*w->found));
	(void)judge_fall_back(w);
	for (size_t i = 0; i < w->pairs.n; i++) {
		struct pairs_finding *f = &w->pairs.findings[i];

		if (f->kind != PAIRS_LINK || (!w->bad[f->a] && !w->bad[f->b]))
			judge_finding(w, f);
	}
	if (w->pairs.scattered)
		judge_scattered(w);
	judge_nodes(w);
}

static void judge_parts(struct work *w)
{
	size_t n = 0;

	for (size_t i = 0; i < N_METRICS; i++)
		n += look_at(w, &w->parts[n], &metrics[i]);
	for (size_t i = 0; i < n; i++) {
		take_part(w, &w->parts[i]);
		find_bad(w);
	}
	for (size_t i = 0; i < n; i++) {
		take_part(w, &w->parts[i]);
		judge_part(w);
		pairs_release(&w->parts[i].pairs);
	}
}

/* Messages that never arrive */

/* A node that answers, and is not the one asked about. */
static size_t proven(const struct work *w, uint32_t not_a, uint32_t not_b)
{
	for (size_t k = 1; k < w->q.nodes; k++) {
		size_t i = (not_a + k) % w->q.nodes;

		if (i != not_b && w->pairs.count[i] && w->pairs.share[i] > 0.5)
			return i;
	}
	return NAMES_NONE;
}

static bool tried(const struct work *w, uint32_t node)
{
	for (size_t i = 0; i < w->data.n_again; i++) {
		if (w->data.again[i].a == node || w->data.again[i].b == node)
			return true;
	}
	return false;
}

/* Which of the two is it? Each is tried with a node that answers; true: not known yet. */
static bool ask_which(struct work *w, const struct pairs_finding *f)
{
	uint32_t both[] = {f->a, f->b};
	bool asked = false;

	for (size_t i = 0; i < 2; i++) {
		size_t with = proven(w, both[i], both[!i]);

		if (with == NAMES_NONE || tried(w, both[i]) || !w->data.in->repeats)
			continue;
		ask_pair(w, both[i], (uint32_t)with, 0, said(w));
		asked = true;
	}
	return asked;
}

static void exclude(struct work *w, const char *node, const char *because)
{
	rule_request(w->out,
		     arena_printf(&w->out->arena, "exclude-pairs:%s:%lld", node,
				  (long long)w->data.last->id),
		     "exclude", node, because);
}

/* True when it is not known yet which node it is. */
static bool judge_silence(struct work *w, const struct pairs_finding *f, double smallest)
{
	const char *a = pairs_data_name(&w->data, f->a);
	const char *b = f->kind == PAIRS_LINK ? pairs_data_name(&w->data, f->b) : NULL;
	struct verdict *v;
	bool asked;

	strbuf_reset(&w->why);
	strbuf_addstr(&w->why, smallest > 8 ? "small sizes pass, hang from "
					    : "no message arrives, not even of ");
	strbuf_addf(&w->why, "%.0f bytes, ", smallest);
	if (b)
		strbuf_addf(&w->why, "between %s and %s: check MTU / firewall of both", a,
			    b);
	else
		strbuf_addf(&w->why, "with %zu of %zu others: check MTU / firewall of %s",
			    f->slow, f->of, a);
	strbuf_addf(&w->why, "; look with: ssh %s ping -M do -s %.0f %s", a,
		    fmin(smallest, 8972), b ? b : "PEER");
	asked = b && ask_which(w, f);
	v = new_verdict(w, asked ? VERDICT_INCONCLUSIVE : VERDICT_FAIL);
	v->node = a;
	v->peer = b;
	v->value = record_num(smallest);
	v->n = (int64_t)f->slow;
	v->why = said(w);
	if (!b)
		exclude(w, a, v->why);
	return asked;
}

/* Returns whether something has to be found out before the rounds go on. */
static bool judge_answers(struct work *w)
{
	double smallest;
	size_t n;
	struct pairs_value *v = pairs_data_answers(&w->data, &n, &smallest);
	bool waits = false;

	if (smallest > 0) {
		w->talk = (struct pairs_talk){.data = &w->data,
					      .metric = PAIRS_HANG,
					      .higher = true,
					      .unit = "B"};
		w->q.higher = true;
		w->q.directed = false;
		w->q.min_deviation = 0.5;
		pairs_judge(&w->pairs, v, n, &w->q);
		for (size_t i = 0; i < w->pairs.n; i++) {
			const struct pairs_finding *f = &w->pairs.findings[i];

			/* groups: their nodes are named by the pairs they have */
			if (f->kind >= PAIRS_NODE)
				waits |= judge_silence(w, f, smallest);
		}
		pairs_release(&w->pairs);
	}
	free(v);
	return waits;
}

/* Launches that were cut off */

static bool failed(const struct state_step *st)
{
	const char *cause = st->phase == STATE_ENDED ? launch_cause(st) : "ok";

	return strcmp(cause, "ok") != 0 && strcmp(cause, "skip") != 0 &&
	       strcmp(cause, "aborted") != 0 && strcmp(cause, "io") != 0;
}

static bool silent(const struct state_step *st)
{
	for (size_t i = 0; i < st->n_events; i++) {
		if (!strcmp(st->events[i]->what, "silent"))
			return true;
	}
	return false;
}

static bool excluded_since(const struct work *w)
{
	for (size_t i = 0; i < w->out->n_requests; i++) {
		const struct request *r = &w->out->requests[i];

		if (!strncmp(r->id, "exclude-pairs:", 14) &&
		    key_request_step(r->id) == w->data.last->id)
			return true;
	}
	return false;
}

/*
 * A launch that did whole rounds before it failed is not searched for a culprit: it goes
 * on, without the nodes that no longer answer.
 */
static void go_on(struct work *w, bool waits)
{
	const struct state_step *last = w->data.last;
	struct arena *a = &w->out->arena;

	if (!failed(last) || !state_rounds(last, NULL) || w->data.rounds >= w->data.of)
		return;
	w->asks = false;
	if (waits || silent(last) || excluded_since(w))
		return;
	rule_request(
		w->out,
		arena_printf(a, "go-on:%s:%lld", w->data.base->key, (long long)last->id),
		"repeat", w->data.base->key,
		arena_printf(a, "%lld of %lld rounds are done: %s",
			     (long long)w->data.rounds, (long long)w->data.of,
			     last->ended.reason ? last->ended.reason
						: launch_cause(last)));
}

/* Nodes that were out before all rounds were done. */
static void tell_missing(struct work *w)
{
	size_t most = 0;

	for (size_t i = 0; i < w->q.nodes; i++)
		most = w->data.met[i] > most ? w->data.met[i] : most;
	for (size_t i = 0; i < w->data.first->n_nodes; i++) {
		size_t node = pairs_data_node(&w->data, w->data.first->nodes[i]);

		if (node == NAMES_NONE || pairs_data_in_last(&w->data, node))
			continue;
		rule_miss(w->out, w->data.base->key, pairs_data_name(&w->data, node),
			  arena_printf(&w->out->arena,
				       "%zu pairs of it measured, of others up to %zu",
				       w->data.met[node], most));
	}
}

static void judge_key(const struct rule_input *in, struct summary *out,
		      const struct launch_key *base)
{
	struct work w = {.out = out, .asks = true};
	bool waits;

	pairs_data_make(&w.data, in, base);
	w.q = (struct pairs_question){.nodes = in->nodes->n,
				      .group = w.data.group,
				      .groups = w.data.groups.n,
				      .tests = N_METRICS};
	w.found = mem_calloc(in->nodes->n + 1, sizeof(*w.found));
	w.bad = mem_calloc(in->nodes->n + 1, sizeof(*w.bad));
	waits = judge_answers(&w);
	go_on(&w, waits);
	judge_parts(&w);
	tell_missing(&w);
	if (w.cleared)
		rule_remark(out,
			    arena_printf(&out->arena,
					 "%s: %zu suspicions were not confirmed when "
					 "the pairs were measured again alone",
					 base->key, w.cleared));
	pairs_data_release(&w.data);
	free(w.found);
	free(w.bad);
	strbuf_release(&w.why);
}

int rule_pairs_judge(const struct rule_input *in, struct summary *out, struct err *e)
{
	(void)e;
	for (size_t i = 0; i < in->launches->n; i++) {
		const struct launch_key *base = &in->launches->items[i];

		if (key_set(base->key) && !key_is_search(base->key) &&
		    pairs_data_is(in, base))
			judge_key(in, out, base);
	}
	return 0;
}
