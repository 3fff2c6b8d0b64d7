/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule `bios`: the settings of each node against the profile of the site, against what
 * the running system shows and against like nodes. One verdict "bios.NAME" for each
 * attribute that is not as it should be, and one "bios.profile" or "bios.fleet" for the
 * rest of a node.
 */
#include <string.h>

#include "judge/bios.h"
#include "judge/rule.h"

static const char unreadable[] = "bios.read";

struct work {
	const struct bios_view *view;
	struct summary *out;
	const char **requires;
	size_t n_requires;
	bool required; /* all of it */
};

static bool is_required(const struct work *w, const char *metric)
{
	for (size_t i = 0; i < w->n_requires; i++) {
		if (!strcmp(w->requires[i], metric))
			return true;
	}
	return false;
}

static enum verdict_word word_of(const struct work *w, const struct bios_finding *f)
{
	switch (f->result) {
	case BIOS_MISMATCH:
		return f->by->severity == PROFILE_WARN ? VERDICT_WARN : VERDICT_FAIL;
	case BIOS_PENDING:
		return w->required ? VERDICT_FAIL : VERDICT_WARN;
	case BIOS_UNREADABLE:
		return VERDICT_ERROR;
	case BIOS_CONTRADICTED:
		return VERDICT_FAIL;
	case BIOS_ABSENT:
	case BIOS_ODD:
		return VERDICT_WARN;
	case BIOS_MATCH:
	case BIOS_RESULTS:
		break;
	}
	return VERDICT_PASS;
}

static struct verdict *add(const struct work *w, const struct bios_node *n,
			   const char *metric)
{
	struct verdict *v = summary_add(w->out);

	v->rule = "bios";
	v->node = n->name;
	v->metric = metric;
	return v;
}

static void finding(const struct work *w, const struct bios_node *n,
		    const struct bios_finding *f)
{
	struct arena *a = &w->out->arena;
	const char *metric =
		f->attribute ? arena_printf(a, "bios.%s", f->attribute) : unreadable;
	struct strbuf why = {0};
	struct verdict *v;

	if (f->result == BIOS_MATCH && !is_required(w, metric))
		return;
	v = add(w, n, metric);
	v->word = word_of(w, f);
	v->cause = f->result == BIOS_UNREADABLE ? "bmc" : NULL;
	v->from = f->by ? arena_printf(a, "profile %s", w->view->profile->name) : NULL;
	bios_sentence(w->view, n, f, &why);
	v->why = arena_strdup(a, strbuf_str(&why));
	strbuf_release(&why);
}

/* Remarks on values that are right and not quite as written. */
static void add_remarks(const struct bios_node *n, struct strbuf *why)
{
	for (size_t i = 0; i < n->n; i++) {
		const struct bios_finding *f = &n->findings[i];

		if (f->result != BIOS_MATCH || !f->remark)
			continue;
		strbuf_addf(why, "; %s is ", f->attribute);
		bios_add_value(why, &f->current);
		strbuf_addf(why, ", %s", f->remark);
	}
	if (n->record && n->record->remark)
		strbuf_addf(why, "; %s", n->record->remark);
	if (n->os_error)
		strbuf_addf(why, "; what its system shows is not known: %s", n->os_error);
}

static void profile_rest(const struct work *w, const struct bios_node *n,
			 struct strbuf *why)
{
	struct verdict *v;

	if (!n->n_match)
		return;
	strbuf_addf(why, "%zu of %zu settings are as profile %s wants", n->n_match,
		    n->n_wanted, w->view->profile->name);
	if (!n->record)
		strbuf_addstr(why, ", as the running system shows them");
	add_remarks(n, why);
	v = add(w, n, "bios.profile");
	v->from = arena_printf(&w->out->arena, "profile %s", w->view->profile->name);
	v->why = arena_strdup(&w->out->arena, strbuf_str(why));
}

/* Without a profile the like nodes are what there is to compare with. */
static void fleet_rest(const struct work *w, const struct bios_node *n,
		       struct strbuf *why)
{
	size_t like = w->view->like[n->group], odd = 0, absent = 0;
	struct verdict *v;

	for (size_t i = 0; i < n->n; i++) {
		odd += n->findings[i].result == BIOS_ODD;
		absent += n->findings[i].result == BIOS_ODD && n->findings[i].absent;
	}
	v = add(w, n, "bios.fleet");
	if (like < 3) {
		v->word = VERDICT_UNJUDGED;
		v->cause = "no-reference";
		strbuf_addf(why,
			    "%zu settings are known, %s, and there are not three "
			    "like nodes to compare",
			    n->n_read,
			    w->view->profile_name ? "the profile is not"
						  : "no profile is named");
	} else if (odd) {
		strbuf_addf(why,
			    "%zu of %zu settings are not unlike those of %zu like nodes",
			    n->n_values + absent - odd, n->n_values + absent, like);
	} else {
		strbuf_addf(why, "none of %zu settings is unlike those of %zu like nodes",
			    n->n_values, like);
	}
	add_remarks(n, why);
	v->why = arena_strdup(&w->out->arena, strbuf_str(why));
}

static void one_node(const struct work *w, const struct bios_node *n)
{
	struct strbuf why = {0};

	for (size_t i = 0; i < n->n; i++)
		finding(w, n, &n->findings[i]);
	if (n->readable && w->view->profile)
		profile_rest(w, n, &why);
	else if (n->readable && n->record)
		fleet_rest(w, n, &why);
	strbuf_release(&why);
}

int rule_bios_judge(const struct rule_input *in, struct summary *out, struct err *e)
{
	const struct bios_view *view = in->bios;
	struct work w = {.view = view, .out = out};

	(void)e;
	w.requires = record_unlist(&out->arena, in->state->plan.requires, &w.n_requires);
	w.required = is_required(&w, "bios");
	for (size_t i = 0; i < view->n; i++)
		one_node(&w, &view->nodes[i]);
	for (size_t i = 0; i < view->n_remarks; i++)
		rule_remark(out, arena_strdup(&out->arena, view->remarks[i]));
	if (view->profile_name && !view->profile)
		rule_remark(out, arena_printf(&out->arena,
					      "BIOS profile '%s' is not known here",
					      view->profile_name));
	return 0;
}
