/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule `straggler`: who holds the others up inside a launch over several nodes. It holds
 * for every kernel that gives KERNEL.rank_rate and KERNEL.rank_wait of each of its ranks:
 * how fast a rank does its own part, and the share of its time it waits for others. A
 * node is named when both say so: its slowest rank is off among those of its like (the
 * policy is that of peers.h, over the launches of one step), and the ranks of the good
 * nodes wait while it does not. A slow rank that nobody waits for costs nothing, and
 * ranks that wait without a slow one wait for the network.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/peers.h"
#include "judge/rule.h"
#include "record/key.h"

/*
 * What others wait longer than the slow one counts from this share of the time on, and
 * from this part of what it lacks: a rank that computes 20 % slower makes others wait up
 * to 20 % of the time, less where communication takes a part of it.
 */
#define LEAST_WAIT   0.02
#define PART_OF_LACK 0.25

/* One rank in one launch: the medians of its repetitions. */
struct rank {
	int64_t rank;
	size_t node; /* number of its node in the launch */
	double rate; /* in the unit of the metric */
	double wait; /* share of the time; NAN: not told */
};

/* One node in one launch. */
struct part {
	double rate, wait; /* of its slowest rank; NAN: not told */
	int64_t rank;      /* which that is */
};

/* One launch that counts. */
struct run {
	const struct state_step *step;
	struct part *parts; /* by node of the step */
};

/* One node over the launches. */
struct node {
	const char *name, *class;
	struct peers_value rate;
	int64_t rank; /* the slowest in the last launch */
	bool good;    /* neither off nor of a worse population */
	struct peers_opinion opinion;
	struct peers *peers; /* it was compared with; NULL: it has no like */
};

struct work {
	const struct rule_input *in;
	struct summary *out;
	json_t *site;
	size_t tests; /* steps this is asked of */
	/* of the step at hand */
	const struct launch_key *key;
	const char *metric, *unit; /* NULL: its kernel does not give it */
	struct run *runs;
	size_t n_runs;
	struct node *nodes;
	size_t n_nodes;
	struct strbuf why;
};

/* A sample with what it is sorted by. */
struct item {
	const struct record_sample *sample;
};

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && !strcmp(text + n - m, end);
}

static int compare_items(const void *x, const void *y)
{
	const struct record_sample *a = ((const struct item *)x)->sample;
	const struct record_sample *b = ((const struct item *)y)->sample;

	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* The samples of @st whose metric ends with @end, by rank. free() it. */
static struct item *collect(const struct state_step *st, const char *end, size_t *n)
{
	struct item *items = mem_calloc(st->n_samples + 1, sizeof(*items));

	*n = 0;
	for (size_t i = 0; i < st->n_samples; i++) {
		const struct record_sample *s = st->samples[i];

		if (s->rank >= 0 && s->node && ends_with(s->metric, end) &&
		    stats_usable(s->value.v))
			items[(*n)++].sample = s;
	}
	qsort(items, *n, sizeof(*items), compare_items);
	return items;
}

/* The median of the items from *@i on that are of one rank; moves *@i behind them. */
static double next_rank(const struct item *items, size_t n, size_t *i, double *scratch)
{
	int64_t rank = items[*i].sample->rank;
	size_t m = 0;

	for (; *i < n && items[*i].sample->rank == rank; (*i)++)
		scratch[m++] = items[*i].sample->value.v;
	m = stats_sort(scratch, m);
	return stats_median(scratch, m);
}

static size_t node_number(const struct state_step *st, const char *node)
{
	size_t i = 0;

	while (i < st->n_nodes && strcmp(st->nodes[i], node) != 0)
		i++;
	return i;
}

/* What the ranks of a launch say; the number of them. */
static size_t read_ranks(struct work *w, const struct state_step *st, struct rank **ranks)
{
	size_t n_rates, n_waits, n = 0, k = 0;
	struct item *rates = collect(st, ".rank_rate", &n_rates);
	struct item *waits = collect(st, ".rank_wait", &n_waits);
	double *scratch = mem_calloc(st->n_samples + 1, sizeof(*scratch));
	size_t node = 0;

	*ranks = mem_calloc(n_rates + 1, sizeof(**ranks));
	for (size_t i = 0; i < n_rates;) {
		const struct record_sample *s = rates[i].sample;
		struct rank r = {.rank = s->rank, .wait = NAN};

		/* ranks follow the nodes: it is where the last one was, or the next */
		if (node >= st->n_nodes || strcmp(st->nodes[node], s->node) != 0)
			node = node_number(st, s->node);
		r.node = node;
		r.rate = next_rank(rates, n_rates, &i, scratch);
		while (k < n_waits && waits[k].sample->rank < r.rank)
			k++;
		if (k < n_waits && waits[k].sample->rank == r.rank)
			r.wait = next_rank(waits, n_waits, &k, scratch);
		if (r.node < st->n_nodes)
			(*ranks)[n++] = r;
		w->metric = s->metric;
		w->unit = s->unit;
	}
	free(rates);
	free(waits);
	free(scratch);
	return n;
}

/* A node is as fast as its slowest rank. */
static bool read_run(struct work *w, struct run *run, const struct state_step *st)
{
	struct rank *ranks;
	size_t n = read_ranks(w, st, &ranks);

	run->step = st;
	run->parts = mem_calloc(st->n_nodes, sizeof(*run->parts));
	for (size_t i = 0; i < st->n_nodes; i++)
		run->parts[i] = (struct part){NAN, NAN, -1};
	for (size_t i = 0; i < n; i++) {
		struct part *p = &run->parts[ranks[i].node];

		if (isnan(p->rate) || ranks[i].rate < p->rate)
			*p = (struct part){ranks[i].rate, ranks[i].wait, ranks[i].rank};
	}
	free(ranks);
	return n > 0;
}

static void read_runs(struct work *w)
{
	const struct launches *l = w->in->launches;
	size_t n = 0;

	for (size_t i = w->key->first; i != LAUNCHES_END; i = l->next[i])
		n++;
	w->runs = mem_calloc(n, sizeof(*w->runs));
	for (size_t i = w->key->first; i != LAUNCHES_END; i = l->next[i]) {
		const struct state_step *st = &w->in->state->steps[i];

		if (!launch_ok(st) || state_wrong(st) || st->n_nodes < 2)
			continue;
		if (read_run(w, &w->runs[w->n_runs], st))
			w->n_runs++;
		else
			free(w->runs[w->n_runs].parts);
	}
}

static const struct part *part_of(const struct run *run, const char *node)
{
	size_t i = node_number(run->step, node);

	return i < run->step->n_nodes && !isnan(run->parts[i].rate) ? &run->parts[i]
								    : NULL;
}

/* The nodes of the last launch, each with its rates in all of them. */
static void read_nodes(struct work *w)
{
	const struct run *last = &w->runs[w->n_runs - 1];
	double *rates = mem_calloc(w->n_runs, sizeof(*rates));

	w->nodes = mem_calloc(last->step->n_nodes, sizeof(*w->nodes));
	for (size_t i = 0; i < last->step->n_nodes; i++) {
		const char *name = last->step->nodes[i];
		const struct judge_node *facts = nodes_find(w->in->nodes, name);
		struct node *n = &w->nodes[w->n_nodes];
		size_t k = 0;

		if (isnan(last->parts[i].rate))
			continue;
		*n = (struct node){.name = name,
				   .class = facts ? facts->class : NULL,
				   .rank = last->parts[i].rank};
		for (size_t j = 0; j < w->n_runs; j++) {
			const struct part *p = part_of(&w->runs[j], name);

			if (p)
				rates[k++] = p->rate;
		}
		k = stats_sort(rates, k);
		n->rate = (struct peers_value){stats_median(rates, k), rates[0],
					       rates[k - 1], k};
		w->n_nodes++;
	}
	free(rates);
}

/*
 * Two or three are too few for statistics, but here their waiting is a witness, too: the
 * better of two, or the median of three, and min_deviation is all that counts.
 */
static void judge_few(struct peers *p, const struct peers_value *v, size_t n,
		      const struct peers_question *q)
{
	double all[PEERS_FEWEST] = {0}, median;

	for (size_t i = 0; i < n; i++)
		all[i] = v[i].value;
	n = stats_sort(all, n);
	median = n == 2 ? all[1] : stats_median(all, n);
	*p = (struct peers){.asked = *q, .n_populations = 1};
	p->populations[0] = (struct peers_population){
		.median = median, .chance = q->min_deviation * fabs(median), .n = n};
}

/* Compares the nodes of the class of @first with each other. */
static void judge_class(struct work *w, size_t first)
{
	struct peers_value *v = mem_calloc(w->n_nodes, sizeof(*v));
	struct peers_question q = {true, rule_min_deviation(w->site, w->metric),
				   w->tests};
	struct peers *p = arena_alloc(&w->out->arena, 1, sizeof(*p));
	size_t n = 0;

	for (size_t i = first; i < w->n_nodes; i++) {
		if (!series_compare_text(w->nodes[i].class, w->nodes[first].class))
			v[n++] = w->nodes[i].rate;
	}
	if (n >= PEERS_FEWEST)
		peers_judge(p, v, n, &q);
	else if (n > 1)
		judge_few(p, v, n, &q);
	for (size_t i = first; i < w->n_nodes && n > 1; i++) {
		struct node *node = &w->nodes[i];
		size_t left = w->key->n_repeats < w->in->repeats
				      ? w->in->repeats - w->key->n_repeats
				      : 0;

		if (series_compare_text(node->class, w->nodes[first].class) != 0)
			continue;
		node->peers = p;
		node->opinion = peers_opinion(p, &node->rate, left);
		node->good = node->opinion.place < PEERS_OFF && !node->opinion.slower;
	}
	free(v);
}

static bool is_named(const struct node *n)
{
	return n->peers && !n->good;
}

static const struct node *node_called(const struct work *w, const char *name)
{
	for (size_t i = 0; i < w->n_nodes; i++) {
		if (!strcmp(w->nodes[i].name, name))
			return &w->nodes[i];
	}
	return NULL;
}

/* The median wait of the good nodes in one launch; NAN: none is told. */
static double good_wait(const struct work *w, const struct run *run)
{
	double *waits = mem_calloc(run->step->n_nodes + 1, sizeof(*waits)), median;
	size_t n = 0;

	for (size_t i = 0; i < run->step->n_nodes; i++) {
		const struct node *node = node_called(w, run->step->nodes[i]);

		if (node && node->good && !isnan(run->parts[i].wait))
			waits[n++] = run->parts[i].wait;
	}
	n = stats_sort(waits, n);
	median = n ? stats_median(waits, n) : NAN;
	free(waits);
	return median;
}

/* What the good ones wait and what @n waits, the medians over the launches. */
static bool read_waits(const struct work *w, const struct node *n, double *others,
		       double *own)
{
	double *a = mem_calloc(w->n_runs, sizeof(*a));
	double *b = mem_calloc(w->n_runs, sizeof(*b));
	size_t k = 0;

	for (size_t i = 0; i < w->n_runs; i++) {
		const struct part *p = part_of(&w->runs[i], n->name);

		if (!p || isnan(p->wait))
			continue;
		a[k] = good_wait(w, &w->runs[i]);
		b[k] = p->wait;
		k += !isnan(a[k]);
	}
	*others = stats_median(a, stats_sort(a, k));
	*own = stats_median(b, stats_sort(b, k));
	free(a);
	free(b);
	return k > 0;
}

static double lack(const struct node *n, const struct peers_population *p)
{
	return p->median > 0 ? (p->median - n->rate.value) / p->median : 0;
}

static void ask(struct work *w, const struct node *n, const char *because)
{
	struct arena *a = &w->out->arena;

	for (size_t i = 0; i < n->opinion.more; i++)
		rule_request(
			w->out,
			arena_printf(a, "repeat:%s:%zu", w->key->key, w->key->n_done + i),
			"repeat", w->key->key, because);
}

static void add_launches(struct strbuf *why, const struct node *n)
{
	const struct peers_opinion *o = &n->opinion;

	if (n->rate.launches > 1)
		strbuf_addf(why, "; median of %zu launches", n->rate.launches);
	else
		strbuf_addstr(why, "; one launch");
	if (o->more)
		strbuf_addf(why, ", %zu more to %s", o->more,
			    o->word == VERDICT_FAIL ? "confirm it"
						    : "tell it from noise");
}

static void name_node(struct work *w, const struct node *n, double others, double own)
{
	const struct peers *p = n->peers;
	/* one of a worse population is judged by the better one */
	const struct peers_population *of =
		n->opinion.slower ? &p->populations[0] : peers_of(p, n->rate.value);
	double limit = fmax(p->asked.min_deviation * fabs(of->median), of->chance);
	struct verdict *v =
		rule_step_verdict(w->out, "straggler", w->runs[w->n_runs - 1].step);
	struct strbuf *why = &w->why;

	strbuf_reset(why);
	strbuf_addf(why, "rank %lld computes at ", (long long)n->rank);
	rule_add_value(why, n->rate.value, w->unit);
	strbuf_addf(why, ", %.3g %% below the median ", 100 * lack(n, of));
	rule_add_value(why, of->median, w->unit);
	strbuf_addf(
		why,
		" of %zu nodes in the same launch (limit %.3g %%); the good ones wait "
		"%.3g %% of the time, it %.3g %%",
		of->n, of->median > 0 ? 100 * limit / of->median : 0, 100 * others,
		100 * own);
	add_launches(why, n);
	v->node = n->name;
	v->metric = w->metric;
	v->unit = w->unit;
	v->value = record_num(n->rate.value);
	v->reference = record_num(of->median);
	v->low = record_num(of->median - limit);
	v->n = (int64_t)n->rate.launches;
	v->from = arena_printf(&w->out->arena, "median of %zu nodes in the same launch",
			       of->n);
	v->word = n->opinion.word;
	v->why = arena_strndup(&w->out->arena, why->buf, why->len);
	ask(w, n, v->why);
}

/* Nobody is to blame: said once a step, with the one that came nearest to it. */
static void name_nobody(struct work *w)
{
	struct verdict *v =
		rule_step_verdict(w->out, "straggler", w->runs[w->n_runs - 1].step);
	const struct node *worst = NULL;
	struct strbuf *why = &w->why;

	v->metric = w->metric;
	v->n = (int64_t)w->n_runs;
	for (size_t i = 0; i < w->n_nodes; i++) {
		const struct node *n = &w->nodes[i];

		if (n->peers &&
		    (!worst ||
		     lack(n, peers_of(n->peers, n->rate.value)) >
			     lack(worst, peers_of(worst->peers, worst->rate.value))))
			worst = n;
	}
	if (!worst) {
		v->word = VERDICT_SKIP;
		v->aside = true;
		v->why = "no two of its nodes are alike";
		return;
	}
	strbuf_reset(why);
	strbuf_addf(why, "nobody holds the others up; slowest is rank %lld on %s with ",
		    (long long)worst->rank, worst->name);
	rule_add_value(why, worst->rate.value, w->unit);
	strbuf_addf(why, ", the median of %zu nodes is ",
		    peers_of(worst->peers, worst->rate.value)->n);
	rule_add_value(why, peers_of(worst->peers, worst->rate.value)->median, w->unit);
	v->why = arena_strndup(&w->out->arena, why->buf, why->len);
}

static void judge_nodes(struct work *w)
{
	size_t named = 0;

	for (size_t i = 0; i < w->n_nodes; i++) {
		bool seen = false;

		for (size_t k = 0; k < i && !seen; k++)
			seen = !series_compare_text(w->nodes[k].class, w->nodes[i].class);
		if (!seen)
			judge_class(w, i);
	}
	for (size_t i = 0; i < w->n_nodes; i++) {
		const struct node *n = &w->nodes[i];
		double others, own, need;

		if (!is_named(n) || !read_waits(w, n, &others, &own))
			continue;
		need = PART_OF_LACK *
		       lack(n, n->opinion.slower ? &n->peers->populations[0]
						 : peers_of(n->peers, n->rate.value));
		if (others - own < fmax(LEAST_WAIT, need))
			continue;
		name_node(w, n, others, own);
		named++;
	}
	if (!named)
		name_nobody(w);
}

static void judge_key(struct work *w, const struct launch_key *k)
{
	w->key = k;
	w->runs = NULL;
	w->nodes = NULL;
	w->n_runs = w->n_nodes = 0;
	read_runs(w);
	if (w->n_runs) {
		read_nodes(w);
		judge_nodes(w);
	}
	for (size_t i = 0; i < w->n_runs; i++)
		free(w->runs[i].parts);
	free(w->runs);
	free(w->nodes);
}

/* A step over several nodes whose kernel tells what its ranks do. */
static bool is_asked(const struct rule_input *in, const struct launch_key *k)
{
	const struct state_step *st = &in->state->steps[k->last];

	if (key_is_search(k->key) || st->n_nodes < 2)
		return false;
	for (size_t i = 0; i < st->n_samples; i++) {
		if (ends_with(st->samples[i]->metric, ".rank_rate"))
			return true;
	}
	return false;
}

int rule_straggler_judge(const struct rule_input *in, struct summary *out, struct err *e)
{
	struct work w = {.in = in, .out = out};

	(void)e;
	for (size_t i = 0; i < in->launches->n; i++)
		w.tests += is_asked(in, &in->launches->items[i]);
	if (!w.tests)
		return 0;
	w.site = in->state->plan.site ? json_loads(in->state->plan.site, 0, NULL) : NULL;
	for (size_t i = 0; i < in->launches->n; i++) {
		if (is_asked(in, &in->launches->items[i]))
			judge_key(&w, &in->launches->items[i]);
	}
	json_decref(w.site);
	strbuf_release(&w.why);
	return 0;
}
