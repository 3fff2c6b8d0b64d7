/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines from YAML, and which of them holds for a series: see baseline.h. */
#include "judge/baseline.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/units.h"
#include "judge/load.h"

struct texts {
	const char **items;
	size_t n;
};

/* `match` by node_fact. */
struct match_file {
	struct texts facts[NODE_FACTS];
};

#define MATCH(name, fact)                                                                \
	{                                                                                \
		name, CONF_TEXTS, offsetof(struct match_file, facts[fact].items),        \
			offsetof(struct match_file, facts[fact].n), 0, 0, 0, NULL, NULL, \
			NULL, 0                                                          \
	}

/* Names as node_fact_names[] has them. */
static const struct conf_key match_keys[] = {
	MATCH("cpu", NODE_CPU),
	MATCH("sockets", NODE_SOCKETS),
	MATCH("virtual", NODE_VIRTUAL),
	MATCH("fabric", NODE_FABRIC),
	MATCH("bios.setting", NODE_BIOS_SETTING),
};

struct baseline_file {
	const char *name;
	struct match_file match;
	const struct yaml_node *metrics;
};

static const struct conf_key file_keys[] = {
	{.name = "baseline",
	 .type = CONF_NAME,
	 .offset = offsetof(struct baseline_file, name),
	 .flags = CONF_MUST},
	{.name = "match",
	 .type = CONF_MAP,
	 .offset = offsetof(struct baseline_file, match),
	 .keys = match_keys,
	 .n_keys = NODE_FACTS},
	{.name = "metrics",
	 .type = CONF_NODE,
	 .offset = offsetof(struct baseline_file, metrics),
	 .flags = CONF_MUST},
};

struct metric_file {
	const struct yaml_node *ref, *warn, *fail, *at;
	const char *place, *from, *why, *blas;
	double spread;
	int nodes;
	bool binding;
};

static const struct conf_key metric_keys[] = {
	{.name = "ref",
	 .type = CONF_NODE,
	 .offset = offsetof(struct metric_file, ref),
	 .flags = CONF_MUST},
	{.name = "warn", .type = CONF_NODE, .offset = offsetof(struct metric_file, warn)},
	{.name = "fail", .type = CONF_NODE, .offset = offsetof(struct metric_file, fail)},
	{.name = "place",
	 .type = CONF_NAME,
	 .offset = offsetof(struct metric_file, place)},
	{.name = "at", .type = CONF_NODE, .offset = offsetof(struct metric_file, at)},
	{.name = "blas", .type = CONF_TEXT, .offset = offsetof(struct metric_file, blas)},
	{.name = "binding",
	 .type = CONF_BOOL,
	 .offset = offsetof(struct metric_file, binding)},
	{.name = "spread",
	 .type = CONF_QUANTITY,
	 .offset = offsetof(struct metric_file, spread),
	 .min = 0,
	 .max = 1,
	 .unit = "ratio"},
	{.name = "nodes",
	 .type = CONF_INT,
	 .offset = offsetof(struct metric_file, nodes),
	 .min = 1,
	 .max = 1000000},
	{.name = "from",
	 .type = CONF_TEXT,
	 .offset = offsetof(struct metric_file, from),
	 .flags = CONF_MUST},
	{.name = "why", .type = CONF_TEXT, .offset = offsetof(struct metric_file, why)},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Fills the parts of @r that need more than the table. */
static int finish(struct arena *a, const struct yaml_node *map,
		  const struct metric_file *f, struct reference *r, struct err *e)
{
	if (f->ref->kind != YAML_TEXT)
		return yaml_error(f->ref, e, "'ref': %s, expected a number with its unit",
				  yaml_kind_name(f->ref));
	if (units_parse_any(f->ref->text, &r->value, &r->unit, e)) {
		err_at(e, "'ref'");
		return yaml_at(f->ref, e);
	}
	/* a bare number would be a ratio, and is a unit that was forgotten */
	if (!strcmp(r->unit, "ratio") && !strpbrk(f->ref->text, "%r"))
		return yaml_error(
			f->ref, e,
			"'ref': no unit in '%.64s', expected a unit such as GB/s, "
			"GFLOP/s or us, and %% for a ratio",
			f->ref->text);
	if (!(r->value > 0))
		return yaml_error(f->ref, e, "'ref': '%s' is not above zero",
				  f->ref->text);
	if (!f->warn && !f->fail)
		return yaml_error(map, e, "neither 'warn' nor 'fail', expected a limit");
	if (load_limits(f->warn, f->fail, r->value, r->unit, &r->shares, e))
		return -1;
	return load_at(a, f->at, &r->at, e);
}

static void link_metric(struct baselines *b, struct reference *r)
{
	bool fresh;
	size_t m = names_add(&b->metrics, r->metric, &fresh);

	mem_grow(&b->first, &b->cap_first, m + 1, sizeof(*b->first));
	r->next = fresh ? BASELINE_END : b->first[m];
	b->first[m] = (size_t)(r - b->references);
}

static int add_reference(struct baselines *b, const struct yaml_node *metric,
			 const struct yaml_node *map, struct err *e)
{
	struct metric_file f = {0};
	struct reference r = {.baseline = b->n - 1, .metric = metric->text};

	if (!strchr(metric->text, '.'))
		return yaml_error(metric, e,
				  "'%.64s' is no metric, expected KERNEL.METRIC such as "
				  "stream.triad",
				  metric->text);
	if (conf_decode(&b->arena, map, metric_keys, COUNT(metric_keys), &f, NULL, e) ||
	    finish(&b->arena, map, &f, &r, e))
		return -1;
	r.place = f.place;
	r.blas = f.binding ? NULL : f.blas;
	r.from = f.from;
	r.why = f.why;
	r.spread = f.spread;
	r.nodes = f.nodes ? (size_t)f.nodes : 1;
	r.where = yaml_where(&b->arena, map);
	mem_grow(&b->references, &b->cap_references, b->n_references + 1,
		 sizeof(*b->references));
	b->references[b->n_references] = r;
	link_metric(b, &b->references[b->n_references++]);
	return 0;
}

/* One map, or a list of them for several placements. */
static int add_metric(struct baselines *b, const struct yaml_pair *p, struct err *e)
{
	if (p->value->kind != YAML_LIST)
		return add_reference(b, p->key, p->value, e);
	for (size_t i = 0; i < p->value->n; i++) {
		if (add_reference(b, p->key, p->value->items[i], e))
			return -1;
	}
	return 0;
}

static const char *normalised(struct arena *a, const char *cpu)
{
	struct strbuf sb = {0};
	const char *s;

	cpus_normalise(cpu, &sb);
	s = arena_strdup(a, strbuf_str(&sb));
	strbuf_release(&sb);
	return s;
}

static void add_baseline(struct baselines *b, const struct baseline_file *f,
			 bool preferred)
{
	struct baseline *base;

	mem_grow(&b->items, &b->cap, b->n + 1, sizeof(*b->items));
	base = &b->items[b->n++];
	base->name = f->name;
	base->preferred = preferred;
	for (int i = 0; i < NODE_FACTS; i++) {
		const struct texts *t = &f->match.facts[i];

		if (!t->n)
			continue;
		for (size_t k = 0; k < t->n && i == NODE_CPU; k++)
			t->items[k] = normalised(&b->arena, t->items[k]);
		base->match[base->n_match++] =
			(struct baseline_match){(enum node_fact)i, t->items, t->n};
	}
}

int baseline_load(struct baselines *b, const char *path, bool preferred, struct err *e)
{
	const struct yaml_node *root;
	struct baseline_file f = {0};

	if (yaml_load(&b->arena, path, &root, e) ||
	    conf_decode(&b->arena, root, file_keys, COUNT(file_keys), &f, NULL, e))
		return -1;
	for (size_t i = 0; i < b->n; i++) {
		if (!strcmp(b->items[i].name, f.name) &&
		    b->items[i].preferred == preferred)
			return yaml_error(root, e, "there is another baseline '%s'",
					  f.name);
	}
	if (f.metrics->kind != YAML_MAP || !f.metrics->n)
		return yaml_error(f.metrics, e,
				  "'metrics': %s, expected a map of metrics",
				  yaml_kind_name(f.metrics));
	add_baseline(b, &f, preferred);
	for (size_t i = 0; i < f.metrics->n; i++) {
		if (add_metric(b, &f.metrics->pairs[i], e))
			return -1;
	}
	return 0;
}

void baselines_release(struct baselines *b)
{
	free(b->items);
	free(b->references);
	free(b->first);
	names_release(&b->metrics);
	arena_release(&b->arena);
	memset(b, 0, sizeof(*b));
}

static bool matches(const struct baseline_match *m, const char *fact)
{
	for (size_t i = 0; i < m->n; i++) {
		/* both are normalised */
		if (m->fact == NODE_CPU ? !strcasecmp(m->values[i], fact)
					: !strcmp(m->values[i], fact))
			return true;
	}
	return false;
}

static enum baseline_found
matches_all(const struct baseline *b, const struct judge_node *node, enum node_fact *fact)
{
	enum baseline_found found = BASELINE_FOUND;

	for (size_t i = 0; i < b->n_match; i++) {
		enum node_fact f = b->match[i].fact;

		if (!node || !node->facts[f]) {
			found = BASELINE_UNKNOWN;
			*fact = f;
		} else if (!matches(&b->match[i], node->facts[f])) {
			return BASELINE_NONE;
		}
	}
	return found;
}

/* The more a reference asks for, the closer it is; of equals the first loaded is taken.
 */
static size_t closeness(const struct baselines *b, const struct reference *r)
{
	const struct baseline *base = &b->items[r->baseline];

	return (base->preferred ? 1000 : 0) + 2 * base->n_match + (r->place != NULL) +
	       (r->at != NULL);
}

enum baseline_found baseline_find(const struct baselines *b, const struct series *s,
				  const struct judge_node *node,
				  const struct reference **best, enum node_fact *fact)
{
	size_t m = names_find(&b->metrics, s->metric), i, closest = 0;
	enum baseline_found found = BASELINE_NONE;

	*best = NULL;
	for (i = m == NAMES_NONE ? BASELINE_END : b->first[m]; i != BASELINE_END;
	     i = b->references[i].next) {
		const struct reference *r = &b->references[i];
		enum node_fact unknown = NODE_FACTS;
		enum baseline_found now;

		if ((r->place && (!s->place || strcmp(r->place, s->place) != 0)) ||
		    r->nodes != (s->nodes ? s->nodes : 1) ||
		    !series_at_match(r->at, s->at))
			continue;
		now = matches_all(&b->items[r->baseline], node, &unknown);
		/* what surely holds goes before what may hold */
		if (now == BASELINE_NONE ||
		    (found == BASELINE_FOUND && now == BASELINE_UNKNOWN))
			continue;
		if (now == found && closeness(b, r) < closest)
			continue;
		found = now;
		closest = closeness(b, r);
		*best = r;
		*fact = unknown;
	}
	return found;
}
