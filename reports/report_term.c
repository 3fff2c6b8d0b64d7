/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report an operator reads in a minute: the verdict, the nodes worst first, a row for
 * each metric, what is missing, what to do next. As long for 10,000 nodes as for twenty:
 * like things are folded and lists are cut, saying by how much; report.json has it all.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/units.h"
#include "config/hostlist.h"
#include "reports/emit.h"
#include "reports/links.h"
#include "reports/matrix.h"
#include "reports/rows.h"
#include "reports/table.h"
#include "reports/term.h"

enum {
	MAX_GROUPS = 20, /* of nodes, of what is missing */
	MAX_LINKS = 10,
	MAX_REMARKS = 20,
	MAX_NEXT = 3, /* commands to try, requests */
	NAME_COLUMNS = 60,
	WHY_COLUMNS = 400,
};

/* Columns of the widest word of a verdict that is shown as a list. */
static size_t word_columns(const size_t counts[VERDICT_WORDS])
{
	size_t widest = 0;

	for (int w = 0; w < VERDICT_WORDS; w++) {
		if (counts[w] && strlen(verdict_name(w)) > widest)
			widest = strlen(verdict_name(w));
	}
	return widest;
}

/* "more" of a list that was cut. */
static void add_more(struct term *t, size_t indent, size_t n, const char *what)
{
	char count[32];

	if (!n)
		return;
	term_pad(t, indent);
	term_wrapf(t, indent, "and %s more%s", term_count(count, sizeof(count), n), what);
	term_end(t);
}

static void add_head(struct term *t, const struct summary *s)
{
	const struct state *st = s->state;
	struct strbuf text = {0};
	char a[32], b[32], took[UNITS_TEXT];
	size_t indent;

	term_word(t, s->word);
	indent = t->column + 2;
	term_pad(t, indent);
	if (s->accepted)
		strbuf_addstr(&text, "accepted, ");
	strbuf_addf(&text, "%s of %s nodes reported",
		    term_count(a, sizeof(a), s->n_reported),
		    term_count(b, sizeof(b), s->n_nodes));
	if (st->plan.name) {
		strbuf_addstr(&text, ", plan ");
		term_clean(t, &text, st->plan.name, NAME_COLUMNS);
	}
	strbuf_addf(&text, ", took %s",
		    units_format_duration(took, sizeof(took), state_duration(st)));
	if (t->style.dir) {
		strbuf_addstr(&text, ", run folder ");
		term_clean(t, &text, t->style.dir, WHY_COLUMNS);
	}
	term_wrap(t, indent, strbuf_str(&text));
	term_end(t);
	strbuf_release(&text);
}

static void add_time(struct strbuf *to, double seconds)
{
	time_t t = (time_t)seconds;
	char when[32];
	struct tm tm;

	if (t > 0 && gmtime_r(&t, &tm) &&
	    strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm))
		strbuf_addf(to, ", %s", when);
}

/* The second line: what stands behind the first. */
static void add_facts(struct term *t, const struct summary *s)
{
	const struct state *st = s->state;
	size_t indent = strlen(verdict_name(s->word)) + 2;
	struct strbuf text = {0};
	char n[32];

	strbuf_addf(&text, "%s %s: ", term_count(n, sizeof(n), s->n_verdicts),
		    s->n_verdicts == 1 ? "verdict" : "verdicts");
	term_counts(&text, s->counts);
	strbuf_addf(&text, "%sexit status %d", s->n_verdicts ? "; " : "none; ", s->exit);
	add_time(&text, st->t_first);
	if (st->run.host) {
		strbuf_addstr(&text, ", from ");
		term_clean(t, &text, st->run.host, NAME_COLUMNS);
	}
	if (st->run.version) {
		strbuf_addstr(&text, ", assay ");
		term_clean(t, &text, st->run.version, NAME_COLUMNS);
	}
	if (st->run.allow_root)
		strbuf_addstr(&text, ", as root (--allow-root)");
	if (!report_finished(st))
		strbuf_addstr(&text, ", not finished");
	if (st->has_end && !report_finished(st))
		strbuf_addf(&text, " (signal %lld)", (long long)st->end.exit - 128);
	term_pad(t, indent);
	term_wrap(t, indent, strbuf_str(&text));
	term_end(t);
	strbuf_release(&text);
}

/* ---- nodes ---- */

/* Nodes with the same word for the same reason. */
struct group {
	enum verdict_word word;
	const struct verdict *worst; /* NULL when no verdict gives the node's why */
	const char *why, *node;      /* of the worst */
	size_t n;
	const char **names;
};

struct groups {
	struct names keys;
	struct group *items;
	size_t n, cap;
	const char **names; /* what the groups point into */
};

/* For each node of @s (numbered by @index) the verdict that decided about it, or NULL. */
static const struct verdict **deciders(const struct summary *s, const struct names *index)
{
	const struct verdict **by_node = mem_calloc(s->n_nodes + 1, sizeof(*by_node));
	const struct summary_node **nodes = mem_calloc(index->n + 1, sizeof(*nodes));

	for (size_t i = 0; i < s->n_nodes; i++)
		nodes[names_find(index, s->nodes[i].name)] = &s->nodes[i];
	for (size_t i = 0; i < s->n_verdicts; i++) {
		const struct verdict *v = &s->verdicts[i];
		size_t k = v->node ? names_find(index, v->node) : NAMES_NONE;

		if (k == NAMES_NONE || by_node[k] || v->word != nodes[k]->word ||
		    !v->why || !nodes[k]->why)
			continue;
		if (v->why == nodes[k]->why || !strcmp(v->why, nodes[k]->why))
			by_node[k] = v;
	}
	free(nodes);
	return by_node;
}

static void group_key(struct strbuf *key, const struct summary_node *n,
		      const struct verdict *v)
{
	strbuf_reset(key);
	strbuf_addf(key, "%d\n", (int)n->word);
	if (n->word == VERDICT_PASS)
		return;
	if (!v) {
		strbuf_addstr(key, n->why ? n->why : "");
		return;
	}
	strbuf_addf(key, "%s\n%s\n%s\n%s\n%s", v->rule ? v->rule : "",
		    v->name ? v->name : "", v->metric ? v->metric : "",
		    v->at ? v->at : "", v->cause ? v->cause : "");
}

static int by_badness(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	double dx = x->worst ? row_deviation(x->worst) : 0;
	double dy = y->worst ? row_deviation(y->worst) : 0;

	if (x->word != y->word)
		return x->word < y->word ? -1 : 1;
	if (dx != dy)
		return dx > dy ? -1 : 1;
	return x->names < y->names ? -1 : x->names > y->names; /* order of the nodes */
}

/* Gives every group its part of one array and puts the names there. */
static void name_groups(struct groups *g, const struct summary *s, const uint32_t *of)
{
	size_t first = 0;

	g->names = mem_calloc(s->n_nodes + 1, sizeof(*g->names));
	for (size_t k = 0; k < g->n; k++) {
		g->items[k].names = g->names + first;
		first += g->items[k].n;
		g->items[k].n = 0;
	}
	for (size_t i = 0; i < s->n_nodes; i++) {
		struct group *group = &g->items[of[i]];

		group->names[group->n++] = s->nodes[i].name;
	}
	for (size_t k = 0; k < g->n; k++)
		qsort(g->items[k].names, g->items[k].n, sizeof(*g->names),
		      hostlist_compare);
}

static void groups_collect(struct groups *g, const struct summary *s)
{
	uint32_t *of = mem_calloc(s->n_nodes + 1, sizeof(*of));
	const struct verdict **by_node;
	struct names index = {0};
	struct strbuf key = {0};
	bool fresh;

	memset(g, 0, sizeof(*g));
	for (size_t i = 0; i < s->n_nodes; i++)
		(void)names_add(&index, s->nodes[i].name, NULL);
	by_node = deciders(s, &index);
	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct summary_node *n = &s->nodes[i];
		const struct verdict *v = by_node[names_find(&index, n->name)];
		struct group *group;

		group_key(&key, n, v);
		of[i] = (uint32_t)names_add(&g->keys, key.buf, &fresh);
		if (fresh)
			mem_grow(&g->items, &g->cap, ++g->n, sizeof(*g->items));
		group = &g->items[of[i]];
		if (fresh || (v && group->worst && row_worse(v, group->worst))) {
			group->worst = v;
			group->why = n->why;
			group->node = n->name;
		}
		group->word = n->word;
		group->n++;
	}
	name_groups(g, s, of);
	qsort(g->items, g->n, sizeof(*g->items), by_badness);
	free(of);
	free(by_node);
	names_release(&index);
	strbuf_release(&key);
}

static void groups_release(struct groups *g)
{
	names_release(&g->keys);
	free(g->items);
	free(g->names);
	memset(g, 0, sizeof(*g));
}

static size_t fold(struct strbuf *text, const char *const *names, size_t n)
{
	strbuf_reset(text);
	hostlist_fold(text, names, n);
	return text->len;
}

/* Appends the names folded, as many of them as fit into @columns, and how many do not. */
static void add_folded(struct term *t, struct strbuf *to, const char *const *names,
		       size_t n, size_t columns)
{
	struct strbuf text = {0};
	size_t shown = n;
	char more[32];

	if (fold(&text, names, n) > columns) {
		size_t low = 1, high = n;

		while (low < high) {
			size_t middle = low + (high - low + 1) / 2;

			if (fold(&text, names, middle) <= columns)
				low = middle;
			else
				high = middle - 1;
		}
		shown = low;
		(void)fold(&text, names, shown);
	}
	term_clean(t, to, strbuf_str(&text), columns);
	if (shown < n)
		strbuf_addf(to, " and %s more like this",
			    term_count(more, sizeof(more), n - shown));
	strbuf_release(&text);
}

/* "n05: why", or "12 nodes n[01-12]; worst n05: why" */
static void group_text(struct term *t, struct strbuf *to, const struct group *g)
{
	char n[32];

	if (g->n > 1)
		strbuf_addf(to, "%s nodes ", term_count(n, sizeof(n), g->n));
	add_folded(t, to, (const char *const *)g->names, g->n,
		   2 * (size_t)t->style.width);
	if (g->word == VERDICT_PASS || !g->why)
		return;
	if (g->n > 1) {
		strbuf_addstr(to, g->worst && row_deviation(g->worst) != 0
					  ? "; worst "
					  : "; such as ");
		term_clean(t, to, g->node, NAME_COLUMNS);
	}
	strbuf_addstr(to, ": ");
	/* "16.3 GB/s is ...": of what */
	if (g->worst && g->worst->why == g->why && g->worst->metric &&
	    g->worst->value.set && !strstr(g->why, g->worst->metric)) {
		term_clean(t, to, g->worst->metric, NAME_COLUMNS);
		strbuf_addstr(to, ": ");
	}
	term_clean(t, to, g->why, WHY_COLUMNS);
}

static void add_nodes(struct term *t, const struct summary *s)
{
	size_t counts[VERDICT_WORDS] = {0}, left = 0, indent;
	struct groups g;

	for (size_t i = 0; i < s->n_nodes; i++)
		counts[s->nodes[i].word]++;
	indent = 2 + word_columns(counts) + 2;
	groups_collect(&g, s);
	term_title(t, "Nodes, worst first");
	for (size_t k = 0; k < g.n; k++) {
		struct strbuf text = {0};

		if (k >= MAX_GROUPS && g.items[k].word != VERDICT_PASS) {
			left += g.items[k].n;
			continue;
		}
		if (g.items[k].word == VERDICT_PASS) {
			add_more(t, 2, left, " nodes in report.json");
			left = 0;
		}
		term_pad(t, 2);
		term_word(t, g.items[k].word);
		term_pad(t, indent);
		group_text(t, &text, &g.items[k]);
		term_wrap(t, indent, strbuf_str(&text));
		term_end(t);
		strbuf_release(&text);
	}
	add_more(t, 2, left, " nodes in report.json");
	groups_release(&g);
}

/* ---- links ---- */

static int by_link(const void *a, const void *b)
{
	const struct report_link *x = a, *y = b;

	if (row_worse(x->worst, y->worst))
		return -1;
	if (row_worse(y->worst, x->worst))
		return 1;
	return x->worst < y->worst ? -1 : x->worst > y->worst;
}

static void add_links(struct term *t, const struct summary *s)
{
	size_t counts[VERDICT_WORDS] = {0}, indent, shown = 0;
	struct strbuf text = {0};
	struct links links;

	links_collect(&links, s);
	for (size_t i = 0; i < links.n; i++)
		counts[links.items[i].worst->word]++;
	indent = 2 + word_columns(counts) + 2;
	if (links.n) {
		qsort(links.items, links.n, sizeof(*links.items), by_link);
		term_title(t, "Links, worst first");
	}
	for (; shown < links.n && shown < MAX_LINKS; shown++) {
		const struct verdict *v = links.items[shown].worst;

		if (v->word == VERDICT_PASS)
			break;
		strbuf_reset(&text);
		term_clean(t, &text, v->node, NAME_COLUMNS);
		strbuf_addstr(&text, " - ");
		term_clean(t, &text, v->peer, NAME_COLUMNS);
		strbuf_addstr(&text, ": ");
		term_clean(t, &text, v->why, WHY_COLUMNS);
		term_pad(t, 2);
		term_word(t, v->word);
		term_pad(t, indent);
		term_wrap(t, indent, strbuf_str(&text));
		term_end(t);
		counts[v->word]--;
	}
	if (shown < links.n) {
		strbuf_reset(&text);
		term_counts(&text, counts);
		term_pad(t, 2);
		term_wrapf(t, 2, shown ? "and %s" : "%s", strbuf_str(&text));
		term_end(t);
	}
	strbuf_release(&text);
	links_release(&links);
}

/* ---- coverage, remarks, next ---- */

/* Steps that are missing for the same reason, by the part of the key before '@'. */
static void add_missing(struct term *t, const struct summary *s)
{
	struct names keys = {0};
	struct strbuf key = {0}, text = {0};
	const char **names = mem_calloc(s->n_missing + 1, sizeof(*names));
	uint32_t *of = mem_calloc(s->n_missing + 1, sizeof(*of));

	for (size_t i = 0; i < s->n_missing; i++) {
		const struct summary_missing *m = &s->missing[i];

		strbuf_reset(&key);
		strbuf_addf(&key, "%.*s: %s", (int)(m->key ? strcspn(m->key, "@") : 3),
			    m->key ? m->key : "all", m->why ? m->why : "no result");
		of[i] = (uint32_t)names_add(&keys, key.buf, NULL);
	}
	for (size_t k = 0; k < keys.n && k < MAX_GROUPS; k++) {
		size_t n = 0;

		for (size_t i = 0; i < s->n_missing; i++) {
			if (of[i] == k && s->missing[i].node)
				names[n++] = s->missing[i].node;
		}
		strbuf_reset(&text);
		strbuf_addstr(&text, "missing ");
		term_clean(t, &text, keys.items[k], WHY_COLUMNS);
		if (n) {
			strbuf_addstr(&text, ", on ");
			qsort(names, n, sizeof(*names), hostlist_compare);
			add_folded(t, &text, names, n, 2 * (size_t)t->style.width);
		}
		term_pad(t, 2);
		term_wrap(t, 4, strbuf_str(&text));
		term_end(t);
	}
	add_more(t, 2, keys.n > MAX_GROUPS ? keys.n - MAX_GROUPS : 0,
		 " kinds of missing results in report.json");
	free(of);
	free(names);
	names_release(&keys);
	strbuf_release(&key);
	strbuf_release(&text);
}

static void add_coverage(struct term *t, const struct summary *s)
{
	char a[32], b[32], c[32], d[32];

	term_title(t, "Coverage");
	term_pad(t, 2);
	term_wrapf(t, 2, "%s of %s steps ended, %s of %s nodes reported",
		   term_count(a, sizeof(a), s->steps_ended),
		   term_count(b, sizeof(b), s->steps_planned),
		   term_count(c, sizeof(c), s->n_reported),
		   term_count(d, sizeof(d), s->n_nodes));
	term_end(t);
	add_missing(t, s);
}

static void add_remarks(struct term *t, const struct summary *s)
{
	struct strbuf text = {0};

	if (s->n_remarks)
		term_title(t, "Remarks");
	for (size_t i = 0; i < s->n_remarks && i < MAX_REMARKS; i++) {
		strbuf_reset(&text);
		strbuf_addf(&text, "%s ", term_sign(t, SIGN_BULLET));
		term_clean(t, &text, s->remarks[i], WHY_COLUMNS);
		term_pad(t, 2);
		term_wrap(t, 4, strbuf_str(&text));
		term_end(t);
	}
	add_more(t, 2, s->n_remarks > MAX_REMARKS ? s->n_remarks - MAX_REMARKS : 0,
		 " in report.json");
	strbuf_release(&text);
}

static int by_worst(const void *a, const void *b)
{
	const struct row *const *x = a, *const *y = b;

	if (row_worse((*x)->worst, (*y)->worst))
		return -1;
	if (row_worse((*y)->worst, (*x)->worst))
		return 1;
	return *x < *y ? -1 : *x > *y;
}

static void add_command(struct term *t, const char *command, const char *what)
{
	const char *dir = t->style.dir ? t->style.dir : "DIR";
	struct strbuf word = {0}, text = {0};

	term_shell_word(&word, dir);
	strbuf_addf(&text, "assay %s ", command);
	term_clean(t, &text, word.buf, WHY_COLUMNS);
	term_pad(t, 2);
	term_wrap(t, 6, strbuf_str(&text));
	term_wrap(t, 6, what);
	term_end(t);
	strbuf_release(&word);
	strbuf_release(&text);
}

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* Explaining one of the two is enough: the same reason, or one step on one node. */
static bool alike(const struct verdict *a, const struct verdict *b)
{
	return a->word == b->word && (same(a->why, b->why) ||
				      (same(a->node, b->node) && same(a->name, b->name)));
}

/* The commands that say more about the worst. */
static void add_explains(struct term *t, const struct rows *rows)
{
	const struct row **order = mem_calloc(rows->n + 1, sizeof(*order));
	struct strbuf text = {0};
	size_t n = 0;

	for (size_t k = 0; k < rows->n; k++) {
		const struct verdict *v = rows->items[k].worst;

		if (v->word != VERDICT_PASS && verdict_decides(v))
			order[n++] = &rows->items[k];
	}
	qsort(order, n, sizeof(*order), by_worst);
	for (size_t k = 0, shown = 0; k < n && shown < MAX_NEXT; k++) {
		const struct verdict *v = order[k]->worst;

		if (k && alike(v, order[k - 1]->worst))
			continue;
		shown++;
		strbuf_reset(&text);
		strbuf_addch(&text, ' ');
		term_clean(t, &text, v->id, NAME_COLUMNS);
		strbuf_addf(&text, "  # %s", verdict_name(v->word));
		if (v->metric) {
			strbuf_addch(&text, ' ');
			term_clean(t, &text, v->metric, NAME_COLUMNS);
		}
		if (v->node) {
			strbuf_addstr(&text, " on ");
			term_clean(t, &text, v->node, NAME_COLUMNS);
		}
		add_command(t, "explain", strbuf_str(&text));
	}
	free(order);
	strbuf_release(&text);
}

/* Several launches of one step are one wish here. */
static bool same_wish(const struct request *a, const struct request *b)
{
	return !strcmp(a->want, b->want) && !strcmp(a->target, b->target);
}

static void add_wanted(struct term *t, const struct summary *s)
{
	struct strbuf text = {0};
	size_t n = 0;

	for (size_t i = 0; i < s->n_requests; i++) {
		const struct request *r = &s->requests[i];

		if ((i && same_wish(r, r - 1)) || n++ >= MAX_NEXT)
			continue;
		strbuf_reset(&text);
		strbuf_addstr(&text, "another round would ");
		term_clean(t, &text, r->want, NAME_COLUMNS);
		strbuf_addch(&text, ' ');
		term_clean(t, &text, r->target, NAME_COLUMNS);
		if (r->because) {
			strbuf_addstr(&text, ": ");
			term_clean(t, &text, r->because, WHY_COLUMNS);
		}
		term_pad(t, 2);
		term_wrap(t, 6, strbuf_str(&text));
		term_end(t);
	}
	add_more(t, 2, n > MAX_NEXT ? n - MAX_NEXT : 0, " wishes in report.json");
	strbuf_release(&text);
}

static void add_next(struct term *t, const struct summary *s, const struct rows *rows)
{
	bool bad = false;

	for (size_t i = 0; i < s->n_verdicts && !bad; i++)
		bad = s->verdicts[i].word != VERDICT_PASS &&
		      verdict_decides(&s->verdicts[i]);
	if (!bad && !s->n_requests && report_finished(s->state))
		return;
	term_title(t, "Next");
	add_explains(t, rows);
	if (!report_finished(s->state))
		add_command(t, "run --resume", "  # does what was not done");
	add_wanted(t, s);
}

static int write_term(const struct summary *s, const struct report_style *style,
		      FILE *out, struct err *e)
{
	struct rows rows;
	struct term t;
	int rc;

	term_init(&t, style);
	rows_collect(&rows, s);
	add_head(&t, s);
	add_facts(&t, s);
	if (s->n_nodes)
		add_nodes(&t, s);
	add_links(&t, s);
	table_add(&t, &rows);
	matrix_add(&t, s);
	add_coverage(&t, s);
	add_remarks(&t, s);
	add_next(&t, s, &rows);
	rc = emit(&t.out, out, e);
	rows_release(&rows);
	term_release(&t);
	return rc;
}

const struct report_writer report_term = {
	.name = "term",
	.suffix = ".txt",
	.help = "what an operator reads in a minute",
	.write = write_term,
};
