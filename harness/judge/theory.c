/* SPDX-License-Identifier: Apache-2.0 */
/* Roofs and the shares of them that must be reached: see theory.h. */
#include "judge/theory.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/load.h"
#include "judge/rule.h"

static const struct {
	const char *name, *called, *unit;
} nominal_roofs[] = {
	[THEORY_MEMORY_BANDWIDTH] = {"memory-bandwidth", "the nominal memory bandwidth",
				     "B/s"},
	[THEORY_PEAK_FLOPS] = {"peak-flops", "the nominal peak at base clock", "FLOP/s"},
	[THEORY_LINE_RATE] = {"line-rate", "the line rate of its ports,", "B/s"},
};

struct limit_file {
	const char *metric, *of, *called, *from, *why;
	const struct yaml_node *at;
	const char **places;
	size_t n_places;
	double warn, fail, invalid;
};

#define SHARE(key, field, flag)                                                \
	{                                                                      \
		.name = (key), .type = CONF_QUANTITY,                          \
		.offset = offsetof(struct limit_file, field), .flags = (flag), \
		.min = 0.01, .max = 10, .unit = "ratio"                        \
	}
#define TEXT(key, field, flag)                                                \
	{                                                                     \
		.name = (key), .type = CONF_TEXT,                             \
		.offset = offsetof(struct limit_file, field), .flags = (flag) \
	}

static const struct conf_key limit_keys[] = {
	TEXT("metric", metric, CONF_MUST),
	TEXT("of", of, CONF_MUST),
	TEXT("called", called, 0),
	{.name = "at", .type = CONF_NODE, .offset = offsetof(struct limit_file, at)},
	{.name = "place",
	 .type = CONF_TEXTS,
	 .offset = offsetof(struct limit_file, places),
	 .n_offset = offsetof(struct limit_file, n_places)},
	SHARE("warn", warn, CONF_MUST),
	SHARE("fail", fail, 0),
	SHARE("invalid_above", invalid, 0),
	TEXT("from", from, CONF_MUST),
	TEXT("why", why, CONF_MUST),
};

struct theory_file {
	const struct yaml_node *limits;
};

static const struct conf_key file_keys[] = {
	{.name = "limits",
	 .type = CONF_NODE,
	 .offset = offsetof(struct theory_file, limits),
	 .flags = CONF_MUST},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* "memory-bandwidth", "peak-flops", "line-rate" or a metric. */
static int find_roof(const struct yaml_node *map, const struct limit_file *f,
		     struct theory_limit *l, struct err *e)
{
	for (size_t i = 0; i < COUNT(nominal_roofs); i++) {
		if (!strcmp(nominal_roofs[i].name, f->of)) {
			l->roof = (enum theory_roof)i;
			l->called = f->called ? f->called : nominal_roofs[i].called;
			l->unit = nominal_roofs[i].unit;
			return 0;
		}
	}
	if (!strchr(f->of, '.'))
		return yaml_error(yaml_get(map, "of"), e,
				  "unknown roof '%.64s', expected memory-bandwidth, "
				  "peak-flops, line-rate or a metric",
				  f->of);
	l->roof = THEORY_OWN;
	l->of = f->of;
	l->called = f->called ? f->called : f->of;
	return 0;
}

static int add_limit(struct theory *t, const struct yaml_node *map, struct err *e)
{
	struct limit_file f = {0};
	struct theory_limit l = {0}, *kept;
	bool fresh;
	size_t m;

	if (conf_decode(&t->arena, map, limit_keys, COUNT(limit_keys), &f, NULL, e) ||
	    find_roof(map, &f, &l, e) || load_at(&t->arena, f.at, &l.at, e))
		return -1;
	if (f.warn < f.fail || (f.invalid > 0 && f.invalid <= f.warn))
		return yaml_error(map, e,
				  "limits are not in the order 'fail', 'warn', "
				  "'invalid_above'");
	l.metric = f.metric;
	l.places = f.places;
	l.n_places = f.n_places;
	l.shares.warn_low = record_num(f.warn);
	if (f.fail > 0)
		l.shares.fail_low = record_num(f.fail);
	if (f.invalid > 0)
		l.invalid = record_num(f.invalid);
	l.from = f.from;
	l.why = f.why;
	l.where = yaml_where(&t->arena, map);
	m = names_add(&t->metrics, l.metric, &fresh);
	mem_grow(&t->first, &t->cap_first, m + 1, sizeof(*t->first));
	l.next = fresh ? THEORY_END : t->first[m];
	mem_grow(&t->limits, &t->cap, t->n + 1, sizeof(*t->limits));
	kept = &t->limits[t->n];
	*kept = l;
	t->first[m] = t->n++;
	return 0;
}

int theory_load(struct theory *t, const char *path, struct err *e)
{
	const struct yaml_node *root;
	struct theory_file f = {0};

	if (yaml_load(&t->arena, path, &root, e) ||
	    conf_decode(&t->arena, root, file_keys, COUNT(file_keys), &f, NULL, e))
		return -1;
	if (f.limits->kind != YAML_LIST)
		return yaml_error(f.limits, e, "'limits': %s, expected a list of maps",
				  yaml_kind_name(f.limits));
	/* from the end, so that the list of a metric is in the order of the file */
	for (size_t i = f.limits->n; i-- > 0;) {
		if (add_limit(t, f.limits->items[i], e))
			return -1;
	}
	return 0;
}

void theory_release(struct theory *t)
{
	free(t->limits);
	free(t->first);
	names_release(&t->metrics);
	arena_release(&t->arena);
	memset(t, 0, sizeof(*t));
}

const struct theory_limit *theory_first(const struct theory *t, const char *metric)
{
	size_t m = names_find(&t->metrics, metric);

	return m == NAMES_NONE ? NULL : &t->limits[t->first[m]];
}

const struct theory_limit *theory_next(const struct theory *t,
				       const struct theory_limit *l)
{
	return l->next == THEORY_END ? NULL : &t->limits[l->next];
}

/*
 * An own roof is looked for at the same place as the value, so such a limit holds
 * wherever its members are; a nominal one is that of the whole node.
 */
bool theory_covers(const struct theory_limit *l, const struct series *s)
{
	/* cores are 128 like ones a node, each other's reference: see rule `cores` */
	if (!l->at && rule_is_core(s))
		return false;
	if (l->roof == THEORY_OWN ? !series_at_part(l->at, s->at)
				  : !series_at_match(l->at, s->at))
		return false;
	for (size_t i = 0; i < l->n_places; i++) {
		if (s->place && !strcmp(l->places[i], s->place))
			return true;
	}
	return !l->n_places;
}

double theory_nominal(const struct theory_limit *l, const struct judge_node *node,
		      const char **why_not)
{
	double per_socket;

	*why_not = node ? node->not_nominal : "nothing is known of the node";
	if (*why_not)
		return 0;
	per_socket = l->roof == THEORY_PEAK_FLOPS ? cpu_peak(node->model)
						  : cpu_bandwidth(node->model);
	return per_socket * node->sockets;
}
