/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule `facts`: what the nodes are, against what they could be and what was bought. Each
 * part of it has a metric and a file of its own: see facts.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "config/hostlist.h"
#include "judge/facts.h"

/* In the order in which their verdicts come. */
static const struct part {
	const char *metric;
	bool (*look)(const struct facts_look *l);
	const char *fact;    /* what it lives on */
	const char *nothing; /* why there was nothing to look at */
} parts[] = {
	{"facts.expect", facts_expect, "cpu", "the site expects nothing"},
	{"facts.cpu", facts_cpu, "cpu.model", "the CPUs are not known"},
	{"facts.numa", facts_numa, "topology", "its NUMA domains are not known"},
	{"facts.dimms", facts_dimms, "smbios", "firmware tells nothing of the modules"},
	{"facts.pcie", facts_pcie, "pci", "no network device has a PCI Express link"},
	{"facts.port", facts_port, "hca", "there is no adapter"},
	{"facts.clean", facts_clean, "load", "nobody watched its processes"},
	{"facts.clock", facts_clock, "clock", "its clock was not compared"},
};

enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

void finding_add(struct finding *f, enum verdict_word word, const char *fmt, ...)
{
	struct strbuf *to = word == VERDICT_PASS ? &f->good : &f->bad;
	va_list ap;

	if (to->len)
		strbuf_addstr(to, "; ");
	if (word != VERDICT_PASS)
		f->word = f->bad.len ? verdict_worse(f->word, word) : word;
	va_start(ap, fmt);
	strbuf_vaddf(to, fmt, ap);
	va_end(ap);
}

struct verdict *finding_put(const struct facts_look *l, const char *metric,
			    struct finding *f)
{
	const struct strbuf *text = f->bad.len ? &f->bad : &f->good;
	struct verdict *v = NULL;

	if (text->len) {
		v = summary_add(l->out);
		v->rule = "facts";
		v->metric = metric;
		v->node = l->name;
		v->word = f->bad.len ? f->word : VERDICT_PASS;
		v->why = arena_strndup(&l->out->arena, text->buf, text->len);
	}
	strbuf_release(&f->bad);
	strbuf_release(&f->good);
	memset(f, 0, sizeof(*f));
	return v;
}

const json_t *facts_get(const struct facts_look *l, const char *path)
{
	const char *dot = strchr(path, '.');
	char group[32];

	if (!dot)
		return json_object_get(l->facts, path);
	(void)snprintf(group, sizeof(group), "%.*s", (int)(dot - path), path);
	return json_object_get(json_object_get(l->facts, group), dot + 1);
}

double facts_num(const struct facts_look *l, const char *path)
{
	const json_t *v = facts_get(l, path);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

const char *facts_why_not(const struct facts_look *l, const char *path)
{
	const char *why = json_string_value(
		json_object_get(json_object_get(l->facts, "unreadable"), path));

	if (!why)
		return NULL;
	if (strstr(why, "Permission denied") || strstr(why, "Operation not permitted"))
		return "no permission";
	return arena_printf(&l->out->arena, "not readable: %s", why);
}

const char *facts_expected(const struct facts_look *l, const char *key)
{
	return json_string_value(json_object_get(l->expect, key));
}

double facts_expected_num(const struct facts_look *l, const char *key, const char *unit)
{
	const char *text = facts_expected(l, key);
	struct err e = {0};
	double v;
	char *end;

	if (!text)
		return NAN;
	if (unit)
		return units_parse(text, unit, &v, &e) ? NAN : v;
	v = strtod(text, &end);
	return *text && !*end ? v : NAN;
}

void facts_add_names(struct strbuf *out, const json_t *list)
{
	const size_t most = 4, n = json_array_size(list);

	for (size_t i = 0; i < n && i < most; i++) {
		const char *s = json_string_value(json_array_get(list, i));

		strbuf_addf(out, "%s%s", i ? ", " : "", s ? s : "?");
	}
	if (n > most)
		strbuf_addf(out, " and %zu more", n - most);
}

/* Silence is only worth a word where the plan asks for it. */
static void skip(const struct facts_look *l, const struct part *p)
{
	const char *why = facts_why_not(l, p->fact);
	struct finding f = {0};

	finding_add(&f, VERDICT_SKIP, "%s", why ? why : p->nothing);
	(void)finding_put(l, p->metric, &f);
}

static void look_at_node(struct facts_look *l, const bool required[PARTS])
{
	for (size_t i = 0; i < PARTS; i++) {
		l->required = required[i];
		if (!parts[i].look(l) && required[i])
			skip(l, &parts[i]);
	}
}

/* How many nodes there are, where the run is of all that the site file lists. */
static void count_nodes(const struct rule_input *in, struct summary *out,
			const json_t *site, const json_t *expect)
{
	const char *text = json_string_value(json_object_get(expect, "nodes"));
	json_int_t listed = json_integer_value(json_object_get(site, "nodes"));
	unsigned long want = text ? strtoul(text, NULL, 10) : 0;
	struct verdict *v;

	if (!want || !listed || (json_int_t)in->nodes->n < listed)
		return;
	v = summary_add(out);
	v->rule = "facts";
	v->metric = "facts.nodes";
	v->value = record_num((double)in->state->n_facts);
	v->reference = record_num((double)want);
	v->from = "site file";
	if (in->state->n_facts != want)
		v->word = VERDICT_FAIL;
	v->why = arena_printf(
		&out->arena, "%zu nodes answered, %s %lu", in->state->n_facts,
		v->word == VERDICT_PASS ? "as expected:" : "expected", want);
}

/* A remark with all of them: what was measured there must not become a reference. */
static void remark_unclean(struct summary *out, const char **names, size_t n)
{
	struct strbuf list = {0};

	if (!n)
		return;
	qsort(names, n, sizeof(*names), hostlist_compare);
	hostlist_fold(&list, names, n);
	mem_grow(&out->remarks, &out->cap_remarks, out->n_remarks + 1,
		 sizeof(*out->remarks));
	out->remarks[out->n_remarks++] =
		arena_printf(&out->arena,
			     "node%s not clean before the measurements, which make no "
			     "baseline: %s",
			     n == 1 ? "" : "s", strbuf_str(&list));
	strbuf_release(&list);
}

static void remarks(struct summary *out, size_t first, size_t most)
{
	const char **names = mem_calloc(most + 1, sizeof(*names));
	size_t n = 0;

	for (size_t i = first; i < out->n_verdicts && n < most; i++) {
		const struct verdict *v = &out->verdicts[i];

		if (v->word == VERDICT_WARN && !strcmp(v->metric, "facts.clean"))
			names[n++] = v->node;
	}
	remark_unclean(out, names, n);
	free(names);
}

static void requirements(const struct rule_input *in, struct summary *out,
			 bool required[PARTS])
{
	const char **entries;
	size_t n;

	entries = record_unlist(&out->arena, in->state->plan.requires, &n);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < PARTS; k++)
			required[k] |= !strcmp(entries[i], parts[k].metric);
	}
}

int rule_facts_judge(const struct rule_input *in, struct summary *out, struct err *e)
{
	const char *text = in->state->plan.site;
	json_t *site = text ? json_loads(text, 0, NULL) : NULL;
	const json_t *expect = json_object_get(site, "expect");
	bool required[PARTS] = {false};
	size_t first = out->n_verdicts;

	(void)e;
	requirements(in, out, required);
	count_nodes(in, out, site, expect);
	for (size_t i = 0; i < in->nodes->n; i++) {
		const struct judge_node *node = &in->nodes->items[i];
		const struct record_node *r = state_facts(in->state, node->name);
		json_t *facts = r ? json_loads(r->facts, 0, NULL) : NULL;
		struct facts_look l = {out,  out->nodes[i].name, node, facts, expect,
				       false};

		if (facts)
			look_at_node(&l, required);
		json_decref(facts);
	}
	remarks(out, first, in->nodes->n);
	json_decref(site);
	return 0;
}
