/* SPDX-License-Identifier: Apache-2.0 */
/* From samples to one value a launch: see series.h. */
#include "judge/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "record/key.h"

/* One sample with what it is sorted by. */
struct ref {
	const struct record_sample *sample;
	const struct state_step *step;
	size_t node; /* its place in the plan; the number of nodes for none */
	const char *name;
	size_t order; /* in the journal, for equal ones */
};

struct maker {
	struct series_list *out;
	const struct state *state;
	const struct metrics *metrics;
	struct arena *arena;
	struct names nodes; /* numbered as in the plan */
	struct ref *refs;   /* of the key at hand */
	size_t n_refs, cap_refs;
	double *values; /* scratch: repetitions of one rank */
	size_t cap_values;
};

/* What a check is of: a node, and where it says so one problem of several. */
static const char *checked(struct strbuf *key, const char *node, const char *at)
{
	strbuf_reset(key);
	strbuf_addf(key, "%s%s%s", node ? node : "", at ? " " : "", at ? at : "");
	return strbuf_str(key);
}

/* Of what a check of this launch failed; no node stands for all of them. */
static void failed_checks(const struct state_step *st, struct names *failed)
{
	struct strbuf key = {0};

	for (size_t i = 0; i < st->n_valids; i++) {
		const struct record_valid *v = st->valids[i];

		if (!state_check_ok(v))
			(void)names_add(failed, checked(&key, v->node, v->at), NULL);
	}
	strbuf_release(&key);
}

/* For samples of all nodes as one the failed check of any is enough. */
static bool is_wrong_set(const struct names *failed, const char *at)
{
	for (size_t i = 0; i < failed->n; i++) {
		const char *problem = strchr(failed->items[i], ' ');

		if (!problem || (at && !strcmp(problem + 1, at)))
			return true;
	}
	return false;
}

/* A sample on @node, NULL for all as one, is of something whose check failed. */
static bool is_wrong(const struct names *failed, const char *node, const char *at)
{
	struct strbuf key = {0};
	bool found;

	if (!node)
		return is_wrong_set(failed, at);
	found = names_find(failed, "") != NAMES_NONE ||
		names_find(failed, node) != NAMES_NONE;
	if (!found && at)
		found = names_find(failed, checked(&key, node, at)) != NAMES_NONE ||
			names_find(failed, checked(&key, NULL, at)) != NAMES_NONE;
	strbuf_release(&key);
	return found;
}

static const char *node_of(const struct maker *m, const struct state_step *st,
			   const struct record_sample *s)
{
	const struct metric *d = metrics_find(m->metrics, s->metric);

	if (st->n_nodes > 1 &&
	    ((d && d->of_set) || metrics_of_set(m->metrics, st->planned.kernel)))
		return NULL;
	if (!s->node && st->n_nodes == 1)
		return st->nodes[0];
	return s->node;
}

static void collect(struct maker *m, const struct state_step *st)
{
	struct names failed = {0};

	failed_checks(st, &failed);
	for (size_t i = 0; i < st->n_samples; i++) {
		const char *node = node_of(m, st, st->samples[i]);
		size_t place = node ? names_find(&m->nodes, node) : NAMES_NONE;

		if (failed.n && is_wrong(&failed, node, st->samples[i]->at))
			continue;
		mem_grow(&m->refs, &m->cap_refs, m->n_refs + 1, sizeof(*m->refs));
		m->refs[m->n_refs] = (struct ref){
			st->samples[i], st,
			place == NAMES_NONE ? m->state->n_nodes : place, node, m->n_refs};
		m->n_refs++;
	}
	names_release(&failed);
}

int series_compare_text(const char *a, const char *b)
{
	if (a == b)
		return 0;
	return !a ? -1 : !b ? 1 : strcmp(a, b);
}

/* 0 when both are of the same series. */
static int compare_series(const struct ref *a, const struct ref *b)
{
	int c = (a->node > b->node) - (a->node < b->node);

	if (!c)
		c = series_compare_text(a->name, b->name);
	if (!c)
		c = series_compare_text(a->sample->peer, b->sample->peer);
	if (!c)
		c = strcmp(a->sample->metric, b->sample->metric);
	return c ? c : series_compare_text(a->sample->at, b->sample->at);
}

static int compare_refs(const void *x, const void *y)
{
	const struct ref *a = x, *b = y;
	int c = compare_series(a, b);

	if (!c)
		c = (a->step->id > b->step->id) - (a->step->id < b->step->id);
	if (!c)
		c = (a->sample->rank > b->sample->rank) -
		    (a->sample->rank < b->sample->rank);
	return c ? c : (a->order > b->order) - (a->order < b->order);
}

/* One rank's repetitions as one number; *sigma is how much that number varies. */
static double reduce(double *values, size_t n, const struct metric *d, double *sigma)
{
	double median, best;

	n = stats_sort(values, n);
	median = stats_median(values, n);
	if (!d || !d->best) {
		*sigma = stats_sigma(values, n);
		return median;
	}
	best = d->higher ? values[n - 1] : values[0];
	*sigma = fabs(best - median) / 2;
	return best;
}

/* False when a value of the launch refs[from..to) is no number. */
static bool reduce_launch(struct maker *m, size_t from, size_t to, const struct metric *d,
			  double *value, double *sigma)
{
	bool first = true;

	for (size_t i = from; i < to;) {
		size_t n = 0;
		double v, s;
		int64_t rank = m->refs[i].sample->rank;

		for (; i < to && m->refs[i].sample->rank == rank; i++) {
			if (!stats_usable(m->refs[i].sample->value.v))
				return false;
			mem_grow(&m->values, &m->cap_values, n + 1, sizeof(*m->values));
			m->values[n++] = m->refs[i].sample->value.v;
		}
		v = reduce(m->values, n, d, &s);
		if (first || (d && !d->higher ? v > *value : v < *value)) {
			*value = v;
			*sigma = s;
		}
		first = false;
	}
	return true;
}

/* "size" and "short" are the marks of launches no reference was measured with. */
static void find_mark(struct series *s, const struct state_step *st)
{
	for (size_t i = 0; i < st->n_events && !s->mark; i++) {
		const struct record_event *ev = st->events[i];

		if (ev->node && s->node && strcmp(ev->node, s->node) != 0)
			continue;
		if (!strcmp(ev->what, "size") || !strcmp(ev->what, "short")) {
			s->mark = ev->what;
			s->mark_text = ev->text;
		}
	}
}

static void finish(struct maker *m, struct series *s, struct series_launch *launches,
		   double sigma)
{
	double *sorted = arena_alloc(m->arena, s->n, sizeof(*sorted));

	for (size_t i = 0; i < s->n; i++)
		sorted[i] = launches[i].value;
	(void)stats_sort(sorted, s->n);
	s->launches = launches;
	s->sorted = sorted;
	s->value = stats_median(sorted, s->n);
	s->within = s->n == 1;
	s->sigma = s->within ? sigma : stats_sigma(sorted, s->n);
	mem_grow(&m->out->items, &m->out->cap, m->out->n + 1, sizeof(*m->out->items));
	m->out->items[m->out->n++] = *s;
}

/* refs[from..to) are all samples of one series, launch by launch. */
static void make_one(struct maker *m, size_t from, size_t to)
{
	const struct ref *r = &m->refs[from];
	struct series s = {.key = r->step->planned.key,
			   .name = r->step->planned.name,
			   .kernel = r->step->planned.kernel,
			   .place = r->step->planned.place,
			   .node = r->name,
			   .peer = r->sample->peer,
			   .nodes = 1,
			   .metric = r->sample->metric,
			   .at = r->sample->at,
			   .unit = r->sample->unit,
			   .declared = metrics_find(m->metrics, r->sample->metric)};
	struct series_launch *launches = NULL;
	size_t cap = 0;
	double sigma = 0;

	for (size_t i = from, end; i < to; i = end) {
		struct series_launch l = {.step = m->refs[i].step->id};

		for (end = i; end < to && m->refs[end].step == m->refs[i].step; end++)
			;
		if (!reduce_launch(m, i, end, s.declared, &l.value, &sigma))
			continue;
		find_mark(&s, m->refs[i].step);
		if (!s.node && !s.peer)
			s.nodes = m->refs[i].step->n_nodes;
		mem_grow(&launches, &cap, s.n + 1, sizeof(*launches));
		launches[s.n++] = l;
	}
	if (s.n) {
		struct series_launch *kept =
			arena_alloc(m->arena, s.n, sizeof(*launches));

		memcpy(kept, launches, s.n * sizeof(*launches));
		finish(m, &s, kept, sigma);
	}
	free(launches);
}

/* Counts the neighbours of items[from..n). */
static void count_neighbours(struct series *items, size_t from, size_t n)
{
	for (size_t i = from, end; i < n; i = end) {
		for (end = i;
		     end < n && !series_compare_text(items[i].node, items[end].node) &&
		     !series_compare_text(items[i].peer, items[end].peer);
		     end++)
			;
		for (size_t k = i; k < end; k++) {
			items[k].before = k - i;
			items[k].behind = end - k - 1;
		}
	}
}

static void make_key(struct maker *m)
{
	size_t from = m->out->n;

	if (m->n_refs)
		qsort(m->refs, m->n_refs, sizeof(*m->refs), compare_refs);
	for (size_t i = 0, end; i < m->n_refs; i = end) {
		for (end = i; end < m->n_refs; end++) {
			if (compare_series(&m->refs[i], &m->refs[end]) != 0)
				break;
		}
		make_one(m, i, end);
	}
	count_neighbours(m->out->items, from, m->out->n);
	m->n_refs = 0;
}

void series_make(struct series_list *out, const struct state *state,
		 const struct launches *launches, const struct metrics *metrics,
		 struct arena *a)
{
	struct maker m = {.out = out, .state = state, .metrics = metrics, .arena = a};

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < state->n_nodes; i++)
		(void)names_add(&m.nodes, state->nodes[i], NULL);
	for (size_t k = 0; k < launches->n; k++) {
		size_t i = launches->items[k].first;

		if (key_is_search(launches->items[k].key))
			continue; /* it looked for a culprit, on other nodes */
		for (; i != LAUNCHES_END; i = launches->next[i]) {
			if (launch_ok(&state->steps[i]))
				collect(&m, &state->steps[i]);
		}
		make_key(&m);
	}
	out->items = mem_realloc(out->items, out->n, sizeof(*out->items));
	out->cap = out->n;
	free(m.refs);
	free(m.values);
	names_release(&m.nodes);
}

/* A member of a compact flat JSON object: its text, and where in it the value begins. */
struct member {
	const char *text;
	size_t len, value;
};

/* The first member of what is left at *at, which moves behind it; len 0 at the end. */
static struct member next_member(const char **at)
{
	bool quoted = false;
	struct member m = {0};
	size_t n = 0;

	*at += **at == '{' || **at == ',';
	m.text = *at;
	for (; m.text[n]; n++) {
		char c = m.text[n];

		if (c == '\\' && quoted && m.text[n + 1])
			n++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == ',' || c == '}'))
			break;
		else if (!quoted && c == ':' && !m.value)
			m.value = n + 1;
	}
	m.len = n;
	*at += n;
	return m;
}

static bool same_member(const struct member *a, const struct member *b)
{
	return a->len == b->len && !memcmp(a->text, b->text, a->len);
}

/* @pattern has the value "any" for the same key. */
static bool any_member(const struct member *pattern, const struct member *m)
{
	static const char any[] = "\"any\"";

	return pattern->value && pattern->value == m->value &&
	       pattern->len - pattern->value == strlen(any) &&
	       !memcmp(pattern->text + pattern->value, any, strlen(any)) &&
	       !memcmp(pattern->text, m->text, m->value);
}

bool series_at_part(const char *part, const char *whole)
{
	struct member p, w;

	for (part = part ? part : ""; (p = next_member(&part)).len;) {
		const char *rest = whole ? whole : "";

		do
			w = next_member(&rest);
		while (w.len && !same_member(&p, &w));
		if (!w.len)
			return false;
	}
	return true;
}

bool series_at_match(const char *pattern, const char *at)
{
	struct member p, m;

	at = at ? at : "";
	if (!pattern)
		return !strcmp(at, "") || !strcmp(at, "{}") ||
		       !strcmp(at, "{\"store\":\"nt\"}");
	do {
		p = next_member(&pattern);
		m = next_member(&at);
		if (!same_member(&p, &m) && !any_member(&p, &m))
			return false;
	} while (p.len);
	return true;
}

/* First of the @n series from @list that does not come before @metric at @at. */
static size_t lower_bound(const struct series *list, size_t n, const char *metric,
			  const char *at)
{
	size_t low = 0;

	while (n) {
		const struct series *mid = &list[low + n / 2];
		int c = strcmp(mid->metric, metric);

		if (!c)
			c = series_compare_text(mid->at, at);
		if (c < 0) {
			low += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n /= 2;
		}
	}
	return low;
}

const struct series *series_beside(const struct series *s, const char *metric)
{
	const struct series *list = s - s->before, *best = NULL;
	size_t n = s->before + s->behind + 1, i = lower_bound(list, n, metric, s->at);

	if (i < n && !strcmp(list[i].metric, metric) &&
	    !series_compare_text(list[i].at, s->at))
		return &list[i];
	/* NULL comes before every other place, so this is where the metric begins */
	for (i = lower_bound(list, n, metric, NULL); i < n; i++) {
		if (strcmp(list[i].metric, metric) != 0)
			break;
		if (series_at_part(list[i].at, s->at) &&
		    (!best || series_at_part(best->at, list[i].at)))
			best = &list[i];
	}
	return best;
}
