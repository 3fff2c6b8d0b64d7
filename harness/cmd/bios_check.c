/* SPDX-License-Identifier: Apache-2.0 */
/* assay bios check: what is not as it should be, like findings of all nodes in one line.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/bios.h"
#include "cmd/judged.h"
#include "cmd/nodes.h"
#include "config/hostlist.h"
#include "record/json.h"
#include "reports/term.h"

enum { MAX_NODES = 400, MAX_WHY = 600, MANY_ABSENT = 4 };

/* Verdicts with the same word and sentence. */
struct rows {
	struct arena arena;
	struct nodes_groups groups;
	const struct verdict **first; /* by number of the group */
	size_t cap;
};

static void add_row(struct rows *rows, const struct verdict *v)
{
	const char *key = arena_printf(&rows->arena, "%d %s", (int)v->word, v->why);
	size_t before = rows->groups.keys.n;
	size_t i = nodes_groups_add(&rows->groups, key, v->node);

	if (i < before)
		return;
	mem_grow(&rows->first, &rows->cap, i + 1, sizeof(*rows->first));
	rows->first[i] = v;
}

static bool is_absent(const struct verdict *v)
{
	static const char *const begin[] = {"ABSENT: ", "bios."};

	return !strncmp(v->why, begin[0], strlen(begin[0])) &&
	       !strncmp(v->metric, begin[1], strlen(begin[1]));
}

/*
 * A profile for boards of another kind wants dozens of attributes that are not there: one
 * row for all of them that the same nodes lack.
 */
static void fold_absent(struct rows *rows, struct nodes_groups *absent)
{
	for (size_t i = 0; i < rows->groups.keys.n; i++) {
		struct nodes_group *g = &rows->groups.items[i];

		qsort(g->names, g->n, sizeof(*g->names), hostlist_compare);
		if (is_absent(rows->first[i]))
			(void)nodes_groups_add(
				absent, nodes_groups_list(&rows->groups, i, &rows->arena),
				rows->first[i]->metric + strlen("bios."));
	}
}

static bool is_folded(const struct rows *rows, struct nodes_groups *absent, size_t i,
		      const char *list)
{
	size_t at =
		is_absent(rows->first[i]) ? names_find(&absent->keys, list) : NAMES_NONE;

	return absent->items && at != NAMES_NONE && absent->items[at].n >= MANY_ABSENT;
}

static void put_absent(struct term *t, const struct nodes_groups *absent,
		       const char *profile)
{
	struct strbuf text = {0};

	for (size_t i = 0; i < absent->keys.n; i++) {
		const struct nodes_group *g = &absent->items[i];

		if (g->n < MANY_ABSENT)
			continue;
		strbuf_reset(&text);
		term_word(t, VERDICT_WARN);
		term_pad(t, 14);
		term_clean(t, &text, absent->keys.items[i], MAX_NODES);
		strbuf_addf(&text,
			    ": ABSENT: %zu attributes that profile %s wants: ", g->n,
			    profile);
		for (size_t k = 0; k < g->n; k++) {
			strbuf_addstr(&text, k ? ", " : "");
			term_clean(t, &text, g->names[k], MAX_WHY);
		}
		term_wrap(t, 14, strbuf_str(&text));
		term_end(t);
	}
	strbuf_release(&text);
}

static void put_row(struct term *t, struct rows *rows, struct nodes_groups *absent,
		    size_t i)
{
	const char *list = nodes_groups_list(&rows->groups, i, &rows->arena);
	struct strbuf text = {0};

	if (is_folded(rows, absent, i, list))
		return;
	term_word(t, rows->first[i]->word);
	term_pad(t, 14);
	term_clean(t, &text, list, MAX_NODES);
	strbuf_addstr(&text, ": ");
	term_clean(t, &text, rows->first[i]->why, MAX_WHY);
	term_wrap(t, 14, strbuf_str(&text));
	term_end(t);
	strbuf_release(&text);
}

/* "FAIL: 3 of 4 nodes are not as profile hpc wants" */
static void put_head(struct term *t, const struct summary *s, const char *profile)
{
	struct strbuf text = {0};
	size_t good = 0;

	for (size_t i = 0; i < s->n_nodes; i++)
		good += s->nodes[i].word == VERDICT_PASS && s->nodes[i].why != NULL;
	term_word(t, s->word);
	strbuf_addf(&text, ": BIOS settings of %zu of %zu node%s are good", good,
		    s->n_nodes, s->n_nodes == 1 ? "" : "s");
	if (profile) {
		strbuf_addstr(&text, ", profile ");
		term_clean(t, &text, profile, MAX_NODES);
	}
	term_wrap(t, 0, strbuf_str(&text));
	term_end(t);
	strbuf_release(&text);
}

static int table(const struct bios_look *l, const struct summary *s,
		 const struct bios_view *view, struct err *e)
{
	struct report_style style = cmd_style(fileno(stdout));
	struct nodes_groups absent = {0};
	struct rows rows = {0};
	struct term t;
	int rc;

	term_init(&t, &style);
	put_head(&t, s, l->profile);
	for (size_t i = 0; i < s->n_verdicts; i++) {
		if (s->verdicts[i].node)
			add_row(&rows, &s->verdicts[i]);
	}
	fold_absent(&rows, &absent);
	for (int word = 0; word < VERDICT_WORDS; word++) {
		for (size_t i = 0; i < rows.groups.keys.n; i++) {
			if (rows.first[i]->word == (enum verdict_word)word)
				put_row(&t, &rows, &absent, i);
		}
		if (word == VERDICT_WARN)
			put_absent(&t, &absent, l->profile);
	}
	for (size_t i = 0; i < view->n_remarks; i++) {
		struct strbuf text = {0};

		term_clean(&t, &text, view->remarks[i], 2 * (size_t)MAX_WHY);
		term_wrap(&t, 2, strbuf_str(&text));
		term_end(&t);
		strbuf_release(&text);
	}
	rc = judged_put(&t.out, stdout, e);
	free(rows.first);
	nodes_groups_release(&absent);
	nodes_groups_release(&rows.groups);
	arena_release(&rows.arena);
	term_release(&t);
	return rc;
}

static json_t *finding_json(const struct bios_view *v, const struct bios_node *n,
			    const struct bios_finding *f)
{
	struct strbuf why = {0};
	json_t *o = json_object();

	(void)json_object_set_new(o, "node", json_string(n->name));
	(void)json_object_set_new(o, "result", json_string(bios_result_name(f->result)));
	if (f->attribute)
		(void)json_object_set_new(o, "attribute",
					  json_clean_string(f->attribute));
	if (f->attribute && !f->absent) {
		(void)json_object_set_new(o, "current", setting_value_json(&f->current));
		(void)json_object_set_new(o, "state",
					  json_string(setting_state_name(f->state)));
	}
	if (f->has_pending)
		(void)json_object_set_new(o, "pending", setting_value_json(&f->pending));
	if (f->wanted)
		(void)json_object_set_new(o, "wanted", json_clean_string(f->wanted));
	if (f->shown)
		(void)json_object_set_new(o, "shown", json_clean_string(f->shown));
	bios_sentence(v, n, f, &why);
	(void)json_object_set_new(o, "why", json_clean_string(strbuf_str(&why)));
	strbuf_release(&why);
	return o;
}

static json_t *nodes_part(const struct summary *s, const struct bios_view *v)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct summary_node *node = &s->nodes[i];
		size_t at = names_find(&v->index, node->name);
		json_t *o = json_object();

		(void)json_object_set_new(o, "name", json_string(node->name));
		(void)json_object_set_new(o, "verdict",
					  json_string(verdict_name(node->word)));
		if (at != NAMES_NONE && v->nodes[at].source)
			(void)json_object_set_new(o, "source",
						  json_string(v->nodes[at].source));
		if (at != NAMES_NONE && v->nodes[at].setting)
			(void)json_object_set_new(o, "setting",
						  json_string(v->nodes[at].setting));
		if (node->chassis)
			(void)json_object_set_new(o, "chassis",
						  json_clean_string(node->chassis));
		if (node->why)
			(void)json_object_set_new(o, "why", json_clean_string(node->why));
		(void)json_array_append_new(list, o);
	}
	return list;
}

static int as_json(const struct bios_look *l, const struct summary *s,
		   const struct bios_view *v, struct err *e)
{
	json_t *o = json_object(), *findings = json_array(), *remarks = json_array();
	struct strbuf out = {0};
	char *text;
	int rc;

	(void)json_object_set_new(o, "schema", json_integer(1));
	(void)json_object_set_new(o, "verdict", json_string(verdict_name(s->word)));
	(void)json_object_set_new(o, "exit", json_integer(s->exit));
	if (l->profile)
		(void)json_object_set_new(o, "profile", json_string(l->profile));
	(void)json_object_set_new(o, "nodes", nodes_part(s, v));
	for (size_t i = 0; i < v->n; i++) {
		for (size_t k = 0; k < v->nodes[i].n; k++)
			(void)json_array_append_new(
				findings,
				finding_json(v, &v->nodes[i], &v->nodes[i].findings[k]));
	}
	(void)json_object_set_new(o, "findings", findings);
	for (size_t i = 0; i < v->n_remarks; i++)
		(void)json_array_append_new(remarks, json_clean_string(v->remarks[i]));
	(void)json_object_set_new(o, "remarks", remarks);
	text = json_dumps(o, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	strbuf_addf(&out, "%s\n", text);
	free(text);
	json_decref(o);
	rc = judged_put(&out, stdout, e);
	strbuf_release(&out);
	return rc;
}

/* Something the profile wants is there to be compared. */
static bool was_compared(const struct bios_node *n)
{
	for (size_t i = 0; i < n->n; i++) {
		if (n->findings[i].by && n->findings[i].result != BIOS_ABSENT)
			return true;
	}
	return !n->readable;
}

static void add_unjudged(struct summary *s, struct summary_node *node, const char *why)
{
	struct verdict *v = summary_add(s);

	v->rule = "bios";
	v->node = node->name;
	v->metric = "bios.read";
	v->word = VERDICT_UNJUDGED;
	v->cause = "no-reference";
	v->why = why;
	node->word = verdict_worse(node->word, v->word);
	if (node->word == v->word)
		node->why = why;
	s->counts[v->word]++;
	s->word = verdict_worse(s->word, v->word);
}

/* A node that was compared with nothing is not good, whatever else is known of it. */
static void add_silent(struct summary *s, const struct bios_view *v)
{
	for (size_t i = 0; i < s->n_nodes; i++) {
		size_t at = names_find(&v->index, s->nodes[i].name);

		if (v->profile && at != NAMES_NONE && !was_compared(&v->nodes[at]))
			add_unjudged(
				s, &s->nodes[i],
				"nothing the profile wants is among its settings: is it "
				"for other boards?");
		else if (!s->nodes[i].why)
			add_unjudged(s, &s->nodes[i],
				     "its running system alone is known, and there is "
				     "nothing to compare that with");
	}
}

/*
 * Nothing is measured here, so what d4 asks of plans, that each node has a PASS, is no
 * matter: a node that was compared and differs in what only warns has been judged.
 */
static int status_of(const struct summary *s)
{
	if (s->counts[VERDICT_FAIL])
		return 1;
	return s->counts[VERDICT_ERROR] || s->counts[VERDICT_INCONCLUSIVE] ||
			       s->counts[VERDICT_UNJUDGED] || !s->n_verdicts
		       ? 3
		       : 0;
}

int bios_check(struct bios_look *l, struct err *e)
{
	struct summary s;
	struct bios_view v;
	int status = -1;

	if (judge_by(&s, &l->state, l->config, "bios", e))
		goto out;
	bios_view_make(&v, &l->state, l->config);
	add_silent(&s, &v);
	s.exit = status_of(&s);
	if (!(l->json ? as_json(l, &s, &v, e) : table(l, &s, &v, e)))
		status = s.exit;
	bios_view_release(&v);
out:
	summary_release(&s);
	return status;
}
