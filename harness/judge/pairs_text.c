/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences of rule `pairs`: see pairs_text.h. */
#include "judge/pairs_text.h"

#include <string.h>

static const char *node(const struct pairs_talk *t, uint32_t i)
{
	return pairs_data_name(t->data, i);
}

static const char *group(const struct pairs_talk *t, uint32_t i)
{
	return t->data->groups.items[i];
}

/* "reach 6.07 GB/s, 25 % of what good pairs do" */
static void add_amount(const struct pairs_talk *t, const struct pairs_finding *f,
		       bool several, struct strbuf *out)
{
	double share = f->share > 0 ? f->share : 1e-9;

	strbuf_addf(out, " %s%s ", t->higher ? "reach" : "take",
		    several     ? ""
		    : t->higher ? "es"
				: "s");
	rule_add_value(out, t->higher ? t->reference * share : t->reference / share,
		       t->unit);
	if (t->higher) {
		strbuf_addstr(out, ", ");
		rule_add_share(out, share, false);
		strbuf_addstr(out, " of the ");
		rule_add_value(out, t->reference, t->unit);
		strbuf_addstr(out, " of good pairs");
	} else {
		strbuf_addf(out, ", %.3g times the ", 1 / share);
		rule_add_value(out, t->reference, t->unit);
		strbuf_addstr(out, " of good pairs");
	}
}

static void add_count(const struct pairs_finding *f, struct strbuf *out)
{
	if (f->slow == f->of)
		strbuf_addf(out, "all %zu values", f->of);
	else
		strbuf_addf(out, "%zu of %zu values", f->slow, f->of);
}

static void say_node(const struct pairs_talk *t, const struct pairs_finding *f,
		     struct strbuf *out)
{
	static const char *const whose[] = {[PAIRS_BOTH] = "of pairs with",
					    [PAIRS_SENDS] = "of what is sent by",
					    [PAIRS_RECEIVES] = "of what is received by"};

	add_count(f, out);
	strbuf_addf(out, " %s %s", whose[f->way], node(t, f->a));
	add_amount(t, f, true, out);
	if (f->way == PAIRS_BOTH)
		strbuf_addf(out, ": node, port or cable of %s", node(t, f->a));
	else
		strbuf_addf(out, ", the other direction is good: port or cable of %s",
			    node(t, f->a));
}

static void say_link(const struct pairs_talk *t, const struct pairs_finding *f,
		     struct strbuf *out)
{
	if (f->way == PAIRS_SENDS)
		strbuf_addf(out, "%s to %s", node(t, f->a), node(t, f->b));
	else
		strbuf_addf(out, "the pair %s-%s", node(t, f->a), node(t, f->b));
	add_amount(t, f, false, out);
	strbuf_addf(out, ", while %sboth are good with others: path or switch link",
		    f->way == PAIRS_SENDS ? "the other direction and " : "");
}

static void say_group(const struct pairs_talk *t, const struct pairs_finding *f,
		      struct strbuf *out)
{
	static const char *const whose[] = {[PAIRS_BOTH] = "between",
					    [PAIRS_SENDS] = "sent to others by",
					    [PAIRS_RECEIVES] = "received from others by"};

	add_count(f, out);
	if (f->kind == PAIRS_BETWEEN)
		strbuf_addf(out, " between groups %s and %s", group(t, f->a),
			    group(t, f->b));
	else if (f->kind == PAIRS_LEAF)
		strbuf_addf(out, " of nodes of group %s, inside it, too,",
			    group(t, f->a));
	else if (f->way == PAIRS_BOTH)
		strbuf_addf(out, " between group %s and others", group(t, f->a));
	else
		strbuf_addf(out, " %s group %s", whose[f->way], group(t, f->a));
	add_amount(t, f, true, out);
	if (f->kind == PAIRS_BETWEEN)
		strbuf_addstr(out, ": the path between them");
	else if (f->kind == PAIRS_LEAF)
		strbuf_addf(out, ": leaf switch of %s", group(t, f->a));
	else
		strbuf_addf(out, ": %s of %s",
			    4 * f->slow >= 3 * f->of ? "uplinks" : "one of the uplinks",
			    group(t, f->a));
}

void pairs_text_finding(const struct pairs_talk *t, const struct pairs_finding *f,
			struct strbuf *out)
{
	if (f->kind == PAIRS_NODE)
		say_node(t, f, out);
	else if (f->kind == PAIRS_LINK)
		say_link(t, f, out);
	else
		say_group(t, f, out);
}

void pairs_text_both(const struct pairs_talk *t, const struct pairs_repeats *r,
		     struct strbuf *out)
{
	strbuf_addf(out, "; alone %s to %s reached ", node(t, r->from), node(t, r->to));
	rule_add_value(out, t->reference * r->there, t->unit);
	strbuf_addf(out, " and %s to %s ", node(t, r->to), node(t, r->from));
	rule_add_value(out, t->reference * r->back, t->unit);
	strbuf_addf(out,
		    ", both directions were slow in %zu of %zu launches: unsteady, not "
		    "proven of one direction",
		    r->both, r->checked);
}

static bool is_infiniband(const struct pairs_talk *t)
{
	const json_t *fabric = json_object_get(t->data->site, "fabric");
	const char *transport = json_string_value(json_object_get(fabric, "transport"));

	return transport && strcmp(transport, "tcp") != 0 &&
	       strcmp(transport, "ethernet") != 0 && strcmp(transport, "roce") != 0;
}

/* The site's interface where it names one; IFACE stands for one to be filled in. */
static const char *interface(const struct pairs_talk *t)
{
	const json_t *fabric = json_object_get(t->data->site, "fabric");
	const char *name = json_string_value(
		json_array_get(json_object_get(fabric, "interface"), 0));

	return name && !strpbrk(name, "*?[") ? name : "IFACE";
}

void pairs_text_look(const struct pairs_talk *t, const struct pairs_finding *f,
		     struct strbuf *out)
{
	bool ib = is_infiniband(t);

	strbuf_addstr(out, "; look with: ");
	if (f->kind == PAIRS_NODE && ib)
		strbuf_addf(out, "ssh %s 'ibstat; perfquery -x'", node(t, f->a));
	else if (f->kind == PAIRS_NODE)
		strbuf_addf(out, "ssh %s 'ip -s link show %s; ethtool -S %s'",
			    node(t, f->a), interface(t), interface(t));
	else if (f->kind == PAIRS_LINK && ib)
		strbuf_addf(out, "ibtracert from the LID of %s to that of %s",
			    node(t, f->a), node(t, f->b));
	else if (f->kind == PAIRS_LINK)
		strbuf_addf(out, "ssh %s tracepath -n %s", node(t, f->a), node(t, f->b));
	else if (ib)
		strbuf_addstr(out, "ibqueryerrors; iblinkinfo --switches-only");
	else
		strbuf_addstr(out, "the counters of the switch's ports");
}
