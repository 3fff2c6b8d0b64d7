/* SPDX-License-Identifier: Apache-2.0 */
/* Remarks about like nodes: see peers_remarks.h. */
#include "judge/peers_remarks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "config/hostlist.h"
#include "judge/judge.h"
#include "judge/rule.h"

enum { MOST_TEXT = 200, NAMED = 3, MOST_CLASSES = 5 };

/* Some of the series of one group. */
struct part {
	const char **names;
	size_t n;
	double best; /* their best value */
};

typedef bool belongs_fn(const struct peers *p, double value);

static bool is_better(const struct peers *p, double value)
{
	return peers_place(p, value) == PEERS_BETTER;
}

static bool in_first(const struct peers *p, double value)
{
	return peers_of(p, value) == &p->populations[0];
}

static bool in_second(const struct peers *p, double value)
{
	return !in_first(p, value);
}

/* free() its names. */
static struct part part_of(const struct peers *p, const struct series *const *series,
			   size_t n, belongs_fn *belongs)
{
	struct part part = {.names = mem_calloc(n + 1, sizeof(*part.names))};

	for (size_t i = 0; i < n; i++) {
		double v = series[i]->value;

		if (!belongs(p, v))
			continue;
		if (!part.n || (p->asked.higher ? v > part.best : v < part.best))
			part.best = v;
		part.names[part.n++] = series[i]->node;
	}
	if (part.n)
		qsort(part.names, part.n, sizeof(*part.names), hostlist_compare);
	return part;
}

/* Folded; where that is too long for a line, the number and the first few. */
static void add_names(struct strbuf *out, const struct part *part)
{
	size_t start = out->len;

	hostlist_fold(out, part->names, part->n);
	if (out->len - start <= MOST_TEXT || part->n <= NAMED)
		return;
	strbuf_truncate(out, start);
	strbuf_addf(out, "%zu nodes (", part->n);
	for (size_t i = 0; i < NAMED; i++)
		strbuf_addf(out, "%s, ", part->names[i]);
	strbuf_addstr(out, "...)");
}

/* The same of the same nodes by another metric is counted only. */
static void note(struct peers_remarks *r, const struct series *s, const char *what,
		 const struct part *part, const char *text)
{
	struct strbuf key = {0};
	bool fresh;
	size_t i;

	strbuf_addf(&key, "%s\n%s\n", what, s->name ? s->name : "");
	hostlist_fold(&key, part->names, part->n);
	i = names_add(&r->keys, strbuf_str(&key), &fresh);
	mem_grow(&r->items, &r->cap, r->keys.n, sizeof(*r->items));
	if (fresh)
		r->items[i].text = arena_strdup(&r->arena, text);
	else
		r->items[i].more++;
	strbuf_release(&key);
}

static void start(struct strbuf *text, const struct series *s)
{
	if (s->name)
		strbuf_addf(text, "%s, ", s->name);
	strbuf_addf(text, "%s: ", s->metric);
}

static void add_two(struct peers_remarks *r, const struct peers *p,
		    const struct series *const *series, size_t n)
{
	struct part first = part_of(p, series, n, in_first);
	struct part second = part_of(p, series, n, in_second);
	struct strbuf text = {0};

	start(&text, series[0]);
	strbuf_addstr(&text, "two populations: ");
	add_names(&text, &first);
	strbuf_addch(&text, ' ');
	rule_add_value(&text, p->populations[0].median, series[0]->unit);
	strbuf_addstr(&text, ", ");
	add_names(&text, &second);
	strbuf_addch(&text, ' ');
	rule_add_value(&text, p->populations[1].median, series[0]->unit);
	note(r, series[0], "two", &second, strbuf_str(&text));
	strbuf_release(&text);
	free(first.names);
	free(second.names);
}

static void add_better(struct peers_remarks *r, const struct peers *p,
		       const struct series *const *series, size_t n)
{
	struct part part = part_of(p, series, n, is_better);
	struct strbuf text = {0};

	if (part.n) {
		start(&text, series[0]);
		add_names(&text, &part);
		strbuf_addf(&text, " better than like nodes: %s",
			    part.n == 1 ? "" : "up to ");
		rule_add_value(&text, part.best, series[0]->unit);
		strbuf_addstr(&text, ", their median is ");
		rule_add_value(&text, peers_of(p, part.best)->median, series[0]->unit);
		note(r, series[0], "better", &part, strbuf_str(&text));
	}
	strbuf_release(&text);
	free(part.names);
}

void peers_remarks_add(struct peers_remarks *r, const struct peers *p,
		       const struct series *const *series, size_t n)
{
	if (p->n_populations == 2)
		add_two(r, p, series, n);
	add_better(r, p, series, n);
}

void peers_remark_classes(struct summary *out)
{
	struct names classes = {0};
	struct strbuf text = {0};

	for (size_t i = 0; i < out->n_nodes; i++) {
		if (out->nodes[i].class)
			(void)names_add(&classes, out->nodes[i].class, NULL);
	}
	strbuf_addf(&text,
		    "%zu classes of like nodes, each compared with its own:", classes.n);
	for (size_t k = 0; k < classes.n && k < MOST_CLASSES; k++) {
		struct part part = {
			.names = mem_calloc(out->n_nodes + 1, sizeof(*part.names))};

		for (size_t i = 0; i < out->n_nodes; i++) {
			const char *class = out->nodes[i].class;

			if (class && !strcmp(class, classes.items[k]))
				part.names[part.n++] = out->nodes[i].name;
		}
		strbuf_addstr(&text, k ? ", " : " ");
		add_names(&text, &part);
		strbuf_addf(&text, " '%s'", classes.items[k]);
		free(part.names);
	}
	if (classes.n > MOST_CLASSES)
		strbuf_addstr(&text, ", ...");
	if (classes.n > 1)
		rule_remark(out, arena_strdup(&out->arena, strbuf_str(&text)));
	names_release(&classes);
	strbuf_release(&text);
}

void peers_remarks_put(struct peers_remarks *r, struct summary *out)
{
	for (size_t i = 0; i < r->keys.n; i++) {
		const struct peers_remark *m = &r->items[i];

		rule_remark(out, m->more ? arena_printf(&out->arena,
							"%s; %zu more series say the "
							"same of these nodes",
							m->text, m->more)
					 : arena_strdup(&out->arena, m->text));
	}
	names_release(&r->keys);
	arena_release(&r->arena);
	free(r->items);
	memset(r, 0, sizeof(*r));
}
