/* SPDX-License-Identifier: Apache-2.0 */
/* The table of metrics: see table.h. */
#include "reports/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "reports/at.h"

enum {
	MAX_ROWS = 60,
	MAX_WORST = 3,
	MAX_ORIGINS = 30,
	TEXT_COLUMNS = 60,
	WHY_COLUMNS = 300
};

enum column { WHAT, COUNT, VALUE, REFERENCE, SHARE, LIMITS, WORD, BY, ID, COLUMNS };

static const struct {
	const char *head;
	bool right; /* aligned */
} columns[COLUMNS] = {
	[WHAT] = {"metric", false},  [COUNT] = {"count", true},
	[VALUE] = {"value", true},   [REFERENCE] = {"reference", true},
	[SHARE] = {"of ref", true},  [LIMITS] = {"limits", false},
	[WORD] = {"verdict", false}, [BY] = {"by", false},
	[ID] = {"id", false},
};

struct line {
	const struct row *row;
	const char *cells[COLUMNS];
	size_t widths[COLUMNS];
};

struct table {
	struct term *t;
	struct arena arena;
	struct line *lines;
	size_t n;
	size_t left_out[VERDICT_WORDS]; /* rows */
	struct names origins;           /* numbered from 0, shown from 1 */
	struct names whys;              /* sentences that were shown already */
	bool differs, median;
	size_t widths[COLUMNS], gap;
};

static void set_cell(struct table *tab, struct line *l, enum column c,
		     struct strbuf *text)
{
	l->cells[c] = arena_strdup(&tab->arena, strbuf_str(text));
	l->widths[c] = term_columns(l->cells[c], text->len);
	strbuf_reset(text);
}

/* A number of a row; one that differs between the verdicts is marked as about. */
static void add_num(const struct term *t, struct strbuf *to, struct row_num v,
		    const char *unit)
{
	char buf[UNITS_TEXT + 32];

	if (!v.set)
		return;
	if (v.differs)
		strbuf_addstr(to, term_sign(t, SIGN_ABOUT));
	strbuf_addstr(to, term_number(buf, sizeof(buf), record_num(v.v), unit));
}

/* ">= 351 GB/s", "351 .. 400 GB/s" */
static void add_limits(const struct term *t, struct strbuf *to, struct row_num low,
		       struct row_num high, const char *unit)
{
	char low_text[UNITS_TEXT], high_text[UNITS_TEXT];
	const char *low_unit, *high_unit;

	if (low.set != high.set)
		strbuf_addf(to, "%s ", term_sign(t, low.set ? SIGN_LEAST : SIGN_MOST));
	if (!low.set || !high.set) {
		add_num(t, to, low.set ? low : high, unit);
		return;
	}
	(void)term_number(low_text, sizeof(low_text), record_num(low.v), unit);
	(void)term_number(high_text, sizeof(high_text), record_num(high.v), unit);
	low_unit = strchr(low_text, ' ');
	high_unit = strchr(high_text, ' ');
	if (low_unit && high_unit && !strcmp(low_unit, high_unit))
		low_text[low_unit - low_text] = '\0'; /* once is enough */
	strbuf_addf(to, "%s%s %s %s",
		    low.differs || high.differs ? term_sign(t, SIGN_ABOUT) : "", low_text,
		    term_sign(t, SIGN_RANGE), high_text);
}

/* "stream.triad store=nt", or what else tells the row from its neighbours. */
static void add_what(const struct term *t, struct strbuf *to, const struct verdict *v)
{
	struct strbuf at = {0};

	term_clean(t, to, v->metric ? v->metric : v->rule ? v->rule : "?", TEXT_COLUMNS);
	at_text(&at, v->at);
	if (at.len) {
		strbuf_addch(to, ' ');
		term_clean(t, to, at.buf, TEXT_COLUMNS);
	}
	strbuf_release(&at);
}

static void add_by(struct table *tab, struct strbuf *to, const struct verdict *v)
{
	term_clean(tab->t, to, v->rule ? v->rule : "?", TEXT_COLUMNS);
	if (v->from)
		strbuf_addf(to, " [%zu]", names_add(&tab->origins, v->from, NULL) + 1);
}

static void fill_line(struct table *tab, struct line *l)
{
	const struct row *r = l->row;
	const char *unit = r->worst->unit;
	struct strbuf text = {0};
	char count[32];

	add_what(tab->t, &text, r->worst);
	set_cell(tab, l, WHAT, &text);
	if (r->n > 1)
		strbuf_addstr(&text, term_count(count, sizeof(count), r->n));
	set_cell(tab, l, COUNT, &text);
	add_num(tab->t, &text, (struct row_num){r->value.v, r->value.set, false}, unit);
	if (!text.len && r->worst->value.set) /* not finite */
		strbuf_addstr(&text,
			      term_number(count, sizeof(count), r->worst->value, unit));
	set_cell(tab, l, VALUE, &text);
	add_num(tab->t, &text, r->reference, unit);
	set_cell(tab, l, REFERENCE, &text);
	add_num(tab->t, &text, (struct row_num){r->share.v, r->share.set, false},
		"ratio");
	set_cell(tab, l, SHARE, &text);
	add_limits(tab->t, &text, r->low, r->high, unit);
	set_cell(tab, l, LIMITS, &text);
	strbuf_addstr(&text, verdict_name(r->worst->word));
	set_cell(tab, l, WORD, &text);
	add_by(tab, &text, r->worst);
	set_cell(tab, l, BY, &text);
	term_clean(tab->t, &text, r->worst->id, TEXT_COLUMNS);
	set_cell(tab, l, ID, &text);
	tab->median |= r->value.differs;
	tab->differs |= r->reference.differs || r->low.differs || r->high.differs;
	strbuf_release(&text);
}

/* Sets the widths; false when the table is wider than the screen. */
static bool fits(struct table *tab, bool with_reference)
{
	size_t width = (size_t)tab->t->style.width;
	size_t sum = 2, used = 0;

	for (int c = 0; c < COLUMNS; c++) {
		size_t w = 0;

		for (size_t i = 0; i < tab->n && (c != REFERENCE || with_reference);
		     i++) {
			if (tab->lines[i].widths[c] > w)
				w = tab->lines[i].widths[c];
		}
		if (w && w < strlen(columns[c].head))
			w = strlen(columns[c].head);
		tab->widths[c] = w;
		sum += w;
		used += w > 0;
	}
	tab->gap = sum + 2 * (used - 1) <= width ? 2 : 1;
	return sum + tab->gap * (used - 1) <= width;
}

static void add_cells(struct table *tab, const char *const cells[COLUMNS],
		      const enum verdict_word *word)
{
	struct term *t = tab->t;
	size_t column = 2;

	for (int c = 0; c < COLUMNS; c++) {
		size_t w = term_columns(cells[c], strlen(cells[c]));

		if (!tab->widths[c])
			continue;
		term_pad(t, column + (columns[c].right ? tab->widths[c] - w : 0));
		if (c == WORD && word)
			term_word(t, *word);
		else
			term_wrap(t, 0, cells[c]);
		column += tab->widths[c] + tab->gap;
	}
	term_end(t);
}

static void add_header(struct table *tab)
{
	const char *heads[COLUMNS];

	for (int c = 0; c < COLUMNS; c++)
		heads[c] = columns[c].head;
	add_cells(tab, heads, NULL);
}

/* The row as a paragraph, for narrow screens. */
static void add_paragraph(struct table *tab, const struct line *l)
{
	struct term *t = tab->t;
	const char *const *c = l->cells;

	term_pad(t, 2);
	term_word(t, l->row->worst->word);
	term_wrapf(t, 4, " %s", c[WHAT]);
	if (*c[COUNT])
		term_wrapf(t, 4, ", %s verdicts", c[COUNT]);
	if (*c[VALUE])
		term_wrapf(t, 4, ": %s%s", *c[COUNT] ? "median " : "", c[VALUE]);
	if (*c[REFERENCE])
		term_wrapf(t, 4, ", %s of %s", *c[SHARE] ? c[SHARE] : "?", c[REFERENCE]);
	if (*c[LIMITS])
		term_wrapf(t, 4, ", limits %s", c[LIMITS]);
	term_wrapf(t, 4, ", by %s, %s", c[BY], c[ID]);
	term_end(t);
}

static void add_name(const struct term *t, struct strbuf *to, const struct verdict *v)
{
	term_clean(t, to, v->node, TEXT_COLUMNS);
	if (v->peer) {
		strbuf_addstr(to, " - ");
		term_clean(t, to, v->peer, TEXT_COLUMNS);
	}
}

static void add_worst_one(const struct term *t, struct strbuf *to,
			  const struct verdict *v)
{
	char buf[UNITS_TEXT + 32];

	add_name(t, to, v);
	if (!v->value.set)
		return;
	strbuf_addf(to, " %s", term_number(buf, sizeof(buf), v->value, v->unit));
	if (v->reference.set && v->reference.v != 0)
		strbuf_addf(to, " (%s)",
			    units_format(buf, sizeof(buf), verdict_share(v), "ratio"));
}

/* Keeps the worst of a row, the worst first. */
static void keep_worst(const struct verdict *top[MAX_WORST], const struct verdict *v)
{
	size_t k = MAX_WORST;

	while (k && (!top[k - 1] || row_worse(v, top[k - 1])))
		k--;
	if (k == MAX_WORST)
		return;
	memmove(&top[k + 1], &top[k], (MAX_WORST - 1 - k) * sizeof(*top));
	top[k] = v;
}

/* ": n05 94.5 GB/s (25.0 %), n07 ... and 47 more like this" */
static void add_worst(struct table *tab, struct strbuf *to, const struct row *r)
{
	const struct verdict *top[MAX_WORST] = {0};
	size_t bad = r->n - r->counts[VERDICT_PASS], shown = 0;
	char n[32];

	for (size_t i = 0; i < r->n; i++) {
		if (r->verdicts[i]->word != VERDICT_PASS && r->verdicts[i]->node)
			keep_worst(top, r->verdicts[i]);
	}
	for (; shown < MAX_WORST && top[shown]; shown++) {
		strbuf_addstr(to, shown ? ", " : ": ");
		add_worst_one(tab->t, to, top[shown]);
	}
	if (shown && bad > shown)
		strbuf_addf(to, " and %s more like this",
			    term_count(n, sizeof(n), bad - shown));
}

/* The sentence of the row's worst, unless it stands there already. */
static void add_why(struct table *tab, struct strbuf *to, const struct row *r)
{
	const struct verdict *v = r->worst;
	bool fresh = false;

	if (v->why)
		(void)names_add(&tab->whys, v->why, &fresh);
	if (!fresh)
		return;
	if (r->n > 1) {
		strbuf_addstr(to, v->node ? ", such as " : ": ");
		add_name(tab->t, to, v);
		strbuf_addstr(to, v->node ? ": " : "");
	}
	term_clean(tab->t, to, v->why, WHY_COLUMNS);
}

/* What a row that is not good has to say, below it. */
static void add_note(struct table *tab, const struct row *r)
{
	enum verdict_word word = r->worst->word;
	bool missed = word == VERDICT_FAIL || word == VERDICT_INCONCLUSIVE ||
		      word == VERDICT_WARN; /* a limit: then the values say it */
	struct strbuf text = {0};

	if (word == VERDICT_PASS)
		return;
	if (r->n > 1)
		term_counts(&text, r->counts);
	if (r->n > 1 && missed && r->worst->value.set)
		add_worst(tab, &text, r);
	else
		add_why(tab, &text, r);
	if (text.len) {
		term_pad(tab->t, 6);
		term_wrap(tab->t, 6, strbuf_str(&text));
		term_end(tab->t);
	}
	strbuf_release(&text);
}

static void add_lines(struct table *tab)
{
	/* its share and the limits say as much as the reference itself */
	bool wide = fits(tab, true) || fits(tab, false);

	if (wide)
		add_header(tab);
	for (size_t i = 0; i < tab->n; i++) {
		const struct line *l = &tab->lines[i];
		const struct verdict *v = l->row->worst;
		struct strbuf step = {0};

		if (!i || l->row->step != tab->lines[i - 1].row->step) {
			term_clean(tab->t, &step, v->name ? v->name : "the run",
				   TEXT_COLUMNS);
			term_wrap(tab->t, 0, step.buf);
			term_end(tab->t);
			strbuf_release(&step);
		}
		if (wide)
			add_cells(tab, l->cells, &v->word);
		else
			add_paragraph(tab, l);
		add_note(tab, l->row);
	}
}

static void add_origins(struct table *tab)
{
	struct term *t = tab->t;
	struct strbuf text = {0};
	char n[32];

	for (size_t i = 0; i < tab->origins.n && i < MAX_ORIGINS; i++) {
		strbuf_reset(&text);
		strbuf_addf(&text, "[%zu] ", i + 1);
		term_clean(t, &text, tab->origins.items[i], WHY_COLUMNS);
		term_pad(t, 2);
		term_wrap(t, 6, strbuf_str(&text));
		term_end(t);
	}
	if (tab->origins.n > MAX_ORIGINS) {
		term_pad(t, 2);
		term_wrapf(t, 6, "and %s more origins in report.json",
			   term_count(n, sizeof(n), tab->origins.n - MAX_ORIGINS));
		term_end(t);
	}
	strbuf_release(&text);
}

static void add_legend(struct table *tab)
{
	struct term *t = tab->t;
	char n[32];

	for (int w = 0; w < VERDICT_WORDS; w++) {
		if (!tab->left_out[w])
			continue;
		term_pad(t, 2);
		term_wrapf(t, 2, "and %s more rows %s, in report.json",
			   term_count(n, sizeof(n), tab->left_out[w]), verdict_name(w));
		term_end(t);
	}
	if (tab->median) {
		term_pad(t, 2);
		term_wrap(t, 2,
			  "count: verdicts in one row, with their medians and the id "
			  "of the worst");
		term_end(t);
	}
	if (tab->differs) {
		term_pad(t, 2);
		term_wrapf(t, 2, "%s: not the same for all, the median is shown",
			   term_sign(t, SIGN_ABOUT));
		term_end(t);
	}
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

static int by_place(const void *a, const void *b)
{
	const struct row *const *x = a, *const *y = b;

	if ((*x)->step != (*y)->step)
		return (*x)->step < (*y)->step ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

/* The rows that are shown: those of a step together, else in their own order. */
static void choose(struct table *tab, const struct rows *rows)
{
	const struct row **order = mem_calloc(rows->n + 1, sizeof(*order));

	for (size_t k = 0; k < rows->n; k++)
		order[k] = &rows->items[k];
	tab->n = rows->n;
	if (tab->n > MAX_ROWS) {
		tab->n = MAX_ROWS;
		qsort(order, rows->n, sizeof(*order), by_worst);
		for (size_t k = MAX_ROWS; k < rows->n; k++)
			tab->left_out[order[k]->worst->word]++;
	}
	qsort(order, tab->n, sizeof(*order), by_place);
	tab->lines = mem_calloc(tab->n + 1, sizeof(*tab->lines));
	for (size_t k = 0; k < tab->n; k++) {
		tab->lines[k].row = order[k];
		fill_line(tab, &tab->lines[k]);
	}
	free(order);
}

void table_add(struct term *t, const struct rows *rows)
{
	struct table tab = {.t = t};

	if (!rows->n)
		return;
	choose(&tab, rows);
	term_title(t, "Verdicts");
	add_lines(&tab);
	add_legend(&tab);
	add_origins(&tab);
	names_release(&tab.origins);
	names_release(&tab.whys);
	arena_release(&tab.arena);
	free(tab.lines);
}
