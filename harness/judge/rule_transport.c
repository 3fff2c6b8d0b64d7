/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule `transport`: messages went over the fabric the site wants, its networks carry
 * something on every node, and no variable of somebody's shell chose another one.
 */
#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "judge/carriers.h"
#include "judge/rule.h"
#include "record/json.h"

/* What the site wants, from the plan record. */
struct wish {
	json_t *site;
	const char *transport;    /* NULL: not said */
	const json_t *interfaces; /* patterns; empty: not said */
	bool failed;              /* some launch over several nodes hung or failed */
	const struct rule_input *in;
	struct summary *out;
};

static bool is_set(const struct state_step *st)
{
	return st->id && st->n_nodes > 1;
}

static bool hung(const struct state_step *st)
{
	const char *cause = st->phase == STATE_ENDED ? launch_cause(st) : "";

	return !strcmp(cause, "timeout") || !strcmp(cause, "launch") ||
	       !strcmp(cause, "no-data");
}

static void read_wish(struct wish *w, const struct rule_input *in, struct summary *out)
{
	const char *site = in->state->plan.site;
	const json_t *fabric;

	*w = (struct wish){.in = in, .out = out};
	w->site = site ? json_loads(site, 0, NULL) : NULL;
	fabric = json_object_get(w->site, "fabric");
	w->transport = json_string_value(json_object_get(fabric, "transport"));
	w->interfaces = json_object_get(fabric, "interface");
	for (size_t i = 0; i < in->state->n_steps && !w->failed; i++)
		w->failed = is_set(&in->state->steps[i]) && hung(&in->state->steps[i]);
}

/* An interface the site names; @any: what to say where it names none. */
static bool wanted_interface(const struct wish *w, const char *name, bool any)
{
	const json_t *pattern;
	size_t i;

	json_array_foreach(w->interfaces, i, pattern)
	{
		const char *text = json_string_value(pattern);

		if (text && !fnmatch(text, name, 0))
			return true;
	}
	return any && !json_array_size(w->interfaces);
}

/* Ethernet is what it runs over: TCP, or RDMA on it. */
static bool wanted_transport(const struct wish *w, const char *found)
{
	if (!w->transport || !strcmp(w->transport, found))
		return true;
	return !strcmp(w->transport, "ethernet") &&
	       (!strcmp(found, "tcp") || !strcmp(found, "roce"));
}

static const char *wish_text(const struct wish *w)
{
	struct arena *a = &w->out->arena;
	const char *text = w->transport ? w->transport : "";
	const json_t *pattern;
	size_t i;

	json_array_foreach(w->interfaces, i, pattern)
	{
		text = arena_printf(a, "%s%s%s", text,
				    i ? " or " : (*text ? " over " : "messages over "),
				    json_string_value(pattern));
	}
	return text;
}

/*
 * "mlx5_0 port 1 (InfiniBand)": an active port of @node that nobody uses, or NULL. A port
 * of Ethernet may be there for storage or for TCP: only the site knows.
 */
static const char *idle_port(const struct wish *w, const char *node)
{
	const struct record_node *n = node ? state_facts(w->in->state, node) : NULL;
	json_t *facts = n ? json_loads(n->facts, 0, NULL) : NULL, *hca, *port;
	const char *adapter, *found = NULL;
	size_t i;

	json_object_foreach(json_object_get(facts, "hca"), adapter, hca)
	{
		json_array_foreach(json_object_get(hca, "ports"), i, port)
		{
			if (strcmp(json_member_text(port, "state"), "ACTIVE") != 0 ||
			    strcmp(json_member_text(port, "layer"), "InfiniBand") != 0)
				continue;
			found = arena_printf(&w->out->arena, "%s port %lld (InfiniBand)",
					     adapter,
					     (long long)json_integer_value(
						     json_object_get(port, "port")));
		}
	}
	json_decref(facts);
	return found;
}

static void judge_transport(struct wish *w, const struct state_step *st,
			    const struct record_event *ev)
{
	struct verdict *v = rule_step_verdict(w->out, "transport", st);
	struct arena *a = &w->out->arena;
	struct carrier c;
	const char *text = ev->text;
	bool wish = w->transport || json_array_size(w->interfaces);
	bool any = false, wrong = false, tcp = false;
	const char *idle;

	v->node = ev->node;
	while (carriers_next(&text, &c)) {
		any = true;
		tcp |= !strcmp(c.kind, "tcp");
		wrong |= !wanted_transport(w, c.kind) ||
			 !wanted_interface(w, c.name, true);
	}
	if (wrong) {
		v->word = VERDICT_FAIL;
		v->why = arena_printf(a, "WRONG TRANSPORT: %s; wanted %s", ev->text,
				      wish_text(w));
	} else if (tcp && !wish && (idle = idle_port(w, ev->node))) {
		v->word = VERDICT_FAIL;
		v->why = arena_printf(
			a,
			"transport fall-back suspected: messages went over %s while %s "
			"is ACTIVE; if that is meant, say so in the site file (fabric)",
			ev->text, idle);
	} else if (!any && wish) {
		v->word = VERDICT_UNJUDGED;
		v->cause = "no-reference";
		v->why = arena_printf(a, "wanted %s, but what carried the messages is %s",
				      wish_text(w), ev->text);
	} else {
		v->why = arena_printf(a, "messages went over %s", ev->text);
	}
}

/* The same network has the same trouble on every node of the launch. */
static bool everywhere(const struct state_step *st, const char *text)
{
	size_t n = 0, len = strcspn(text, ":");

	for (size_t i = 0; i < st->n_events; i++)
		n += !strcmp(st->events[i]->what, "link") &&
		     !strncmp(st->events[i]->text, text, len + 1);
	return n >= st->n_nodes;
}

/*
 * A network that the site does not name may be anything: what is wrong with it is worth a
 * word where launches hang, and only when it is not so on every node.
 */
static void judge_link(struct wish *w, const struct state_step *st,
		       const struct record_event *ev)
{
	struct arena *a = &w->out->arena;
	const char *name = arena_strndup(a, ev->text, strcspn(ev->text, ":"));
	bool wanted = wanted_interface(w, name, false);
	struct verdict *v;

	if (!wanted && (!w->failed || everywhere(st, ev->text)))
		return;
	v = rule_step_verdict(w->out, "transport", st);
	v->node = ev->node;
	v->word = wanted ? VERDICT_FAIL : VERDICT_WARN;
	v->why = arena_printf(a, "%s%s", wanted ? "the fabric is broken: " : "network ",
			      ev->text);
}

static bool speaks_of(const struct record_event *ev)
{
	return ev->node && (!strcmp(ev->what, "transport") || !strcmp(ev->what, "link"));
}

/*
 * The last launch of a kernel that a node took part in counts for it, whether that was
 * over all nodes or over some; @seen are those that were met, kernel and node.
 */
static void judge_step(struct wish *w, const struct state_step *st, struct names *seen)
{
	const char *kernel = st->planned.kernel ? st->planned.kernel : "";
	struct arena *a = &w->out->arena;
	struct names fresh = {0};

	for (size_t i = 0; i < st->n_events; i++) {
		const struct record_event *ev = st->events[i];

		if (!speaks_of(ev) ||
		    names_find(seen, arena_printf(a, "%s\n%s", kernel, ev->node)) !=
			    NAMES_NONE)
			continue;
		(void)names_add(&fresh, ev->node, NULL);
		if (!strcmp(ev->what, "link"))
			judge_link(w, st, ev);
		else
			judge_transport(w, st, ev);
	}
	for (size_t i = 0; i < st->n_nodes; i++) {
		if (launch_ok(st) || names_find(&fresh, st->nodes[i]) != NAMES_NONE)
			(void)names_add(seen,
					arena_printf(a, "%s\n%s", kernel, st->nodes[i]),
					NULL);
	}
	names_release(&fresh);
}

/* What a kernel saw that MPI may trip over: told once, where something did. */
static void tell_hints(const struct wish *w)
{
	struct names told = {0};

	for (size_t i = 0; w->failed && i < w->in->state->n_steps; i++) {
		const struct state_step *st = &w->in->state->steps[i];

		for (size_t k = 0; k < st->n_events; k++) {
			bool fresh = false;

			if (!strcmp(st->events[k]->what, "hint"))
				(void)names_add(&told, st->events[k]->text, &fresh);
			if (fresh)
				rule_remark(w->out,
					    arena_printf(&w->out->arena, "hint: %s",
							 st->events[k]->text));
		}
	}
	names_release(&told);
}

/* Variables that change what MPI and threads do. */
static bool steers(const char *name)
{
	static const char *const starts[] = {"OMPI_MCA_", "UCX_",   "PMIX_MCA_",
					     "I_MPI_",    "FI_",    "PSM2_",
					     "PSM3_",     "MPICH_", "OMP_"};
	static const char end[] = "_NUM_THREADS";
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	}
	return len >= sizeof(end) - 1 && !strcmp(name + len - (sizeof(end) - 1), end);
}

static bool in_list(const json_t *list, const char *text)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (json_is_string(item) && !strcmp(json_string_value(item), text))
			return true;
	}
	return false;
}

/* The controller's own environment reaches every step it starts. */
static void judge_environment(struct wish *w)
{
	const char *text = w->in->state->run.env;
	json_t *env = text ? json_loads(text, 0, NULL) : NULL, *value;
	const json_t *by_site = json_object_get(w->site, "mpi");
	struct strbuf names = {0};
	const char *name;
	struct verdict *v;

	json_object_foreach(env, name, value)
	{
		if (steers(name) && !in_list(by_site, name))
			strbuf_addf(&names, "%s%s=%.100s", names.len ? ", " : "", name,
				    json_is_string(value) ? json_string_value(value)
							  : "?");
	}
	if (names.len) {
		v = summary_add(w->out);
		v->rule = "transport";
		v->word = VERDICT_WARN;
		v->why = arena_printf(
			&w->out->arena,
			"inherited from the shell and not from the site file: %s",
			strbuf_str(&names));
	}
	strbuf_release(&names);
	json_decref(env);
}

int rule_transport_judge(const struct rule_input *in, struct summary *out, struct err *e)
{
	struct names seen = {0};
	struct wish w;

	(void)e;
	read_wish(&w, in, out);
	for (size_t i = in->state->n_steps; i-- > 0;) {
		if (is_set(&in->state->steps[i]))
			judge_step(&w, &in->state->steps[i], &seen);
	}
	tell_hints(&w);
	judge_environment(&w);
	names_release(&seen);
	json_decref(w.site);
	return 0;
}
