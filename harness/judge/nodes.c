/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of nodes for the judge: see nodes.h. */
#include "judge/nodes.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/bios.h"
#include "record/json.h"

const char *const node_fact_names[NODE_FACTS] = {
	[NODE_CPU] = "cpu",
	[NODE_SOCKETS] = "sockets",
	[NODE_VIRTUAL] = "virtual",
	[NODE_FABRIC] = "fabric",
	[NODE_BIOS_SETTING] = "bios.setting",
};

static const char *text(struct arena *a, const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s && *s ? arena_strdup(a, s) : NULL;
}

/* A count; 0 when it is not there or none. */
static int count(const json_t *o, const char *key)
{
	json_int_t v = json_integer_value(json_object_get(o, key));

	return v > 0 && v < 1000000 ? (int)v : 0;
}

static const char *cpu_name(struct arena *a, const json_t *cpu)
{
	const char *model = json_string_value(json_object_get(cpu, "model"));
	struct strbuf sb = {0};
	const char *name = NULL;

	if (model)
		cpus_normalise(model, &sb);
	if (sb.len)
		name = arena_strndup(a, sb.buf, sb.len);
	strbuf_release(&sb);
	return name;
}

/* "InfiniBand 200 Gbit/s": the fastest active port of facts.hca, NULL: none. */
static const char *fabric_name(struct arena *a, const json_t *facts)
{
	const json_t *hca, *port;
	const char *name, *layer = "";
	double best = 0;
	size_t i;

	json_object_foreach((json_t *)json_object_get(facts, "hca"), name, hca)
	{
		json_array_foreach(json_object_get(hca, "ports"), i, port)
		{
			double rate = json_number_value(json_object_get(port, "rate"));

			if (strcmp(json_member_text(port, "state"), "ACTIVE") != 0 ||
			    rate <= best)
				continue;
			best = rate;
			layer = json_member_text(port, "layer");
		}
	}
	return *layer ? arena_printf(a, "%s %g Gbit/s", layer, best * 8e-9) : NULL;
}

/* Not all online CPUs may be used. */
static bool is_restricted(const json_t *cpu)
{
	const char *mask = json_string_value(json_object_get(cpu, "mask"));
	const char *online = json_string_value(json_object_get(cpu, "online"));

	return mask && online && strcmp(mask, online) != 0;
}

static const char *not_nominal(const struct judge_node *n, const json_t *cpu,
			       struct arena *a)
{
	const char *virtual = n->facts[NODE_VIRTUAL];
	int cores;

	if (!n->facts[NODE_CPU])
		return "the CPU model is not known";
	if (!virtual)
		return "it is not known whether this is a virtual machine";
	if (strcmp(virtual, "none") != 0)
		return !strcmp(virtual, "unknown")
			       ? "a virtual machine sees an unknown share of the hardware"
			       : arena_printf(
					 a,
					 "a virtual machine (%s) sees an unknown share "
					 "of the hardware",
					 virtual);
	if (!n->model)
		return arena_printf(a, "CPU '%s' is not in cpus.yaml",
				    n->facts[NODE_CPU]);
	if (!n->sockets || !n->cores)
		return "sockets and cores are not known";
	cores = n->sockets * n->model->cores;
	if (n->cores < cores)
		return arena_printf(a, "only %d of %d cores are online", n->cores, cores);
	return is_restricted(cpu) ? "not all CPUs may be used" : NULL;
}

static void read_facts(struct judge_node *n, const char *facts, struct arena *a,
		       const struct cpus *cpus)
{
	json_t *o = facts ? json_loads(facts, 0, NULL) : NULL;
	const json_t *cpu = json_object_get(o, "cpu");

	n->sockets = count(cpu, "sockets");
	n->cores = count(cpu, "cores");
	n->facts[NODE_CPU] = cpu_name(a, cpu);
	n->facts[NODE_SOCKETS] = n->sockets ? arena_printf(a, "%d", n->sockets) : NULL;
	n->facts[NODE_VIRTUAL] = text(a, o, "virtual");
	n->facts[NODE_FABRIC] = fabric_name(a, o);
	n->facts[NODE_BIOS_SETTING] = text(a, json_object_get(o, "bios"), "setting");
	if (n->facts[NODE_CPU])
		n->model = cpus_find(cpus, n->facts[NODE_CPU]);
	n->not_nominal = not_nominal(n, cpu, a);
	json_decref(o);
}

void nodes_make(struct judge_nodes *nodes, const struct state *state,
		const struct cpus *cpus)
{
	memset(nodes, 0, sizeof(*nodes));
	nodes->items = mem_calloc(state->n_nodes + 1, sizeof(*nodes->items));
	for (size_t i = 0; i < state->n_nodes; i++) {
		const struct record_node *r = state_facts(state, state->nodes[i]);
		struct judge_node *n;
		bool fresh;

		(void)names_add(&nodes->index, state->nodes[i], &fresh);
		if (!fresh)
			continue;
		n = &nodes->items[nodes->n];
		/* the state's text, which verdicts may keep: the index goes first */
		n->name = state->nodes[i];
		nodes->n++;
		n->not_nominal = "it has no facts";
		if (state->chassis && *state->chassis[i])
			n->chassis = state->chassis[i];
		if (!r)
			continue;
		n->class = r->class;
		read_facts(n, r->facts, &nodes->index.arena, cpus);
	}
}

void nodes_bios(struct judge_nodes *nodes, const struct bios_view *bios)
{
	struct arena *a = &nodes->index.arena;

	for (size_t i = 0; i < bios->n; i++) {
		const struct bios_node *from = &bios->nodes[i];
		size_t at = names_find(&nodes->index, from->name);

		if (at == NAMES_NONE)
			continue;
		if (from->setting)
			nodes->items[at].facts[NODE_BIOS_SETTING] =
				arena_strdup(a, from->setting);
		if (!nodes->items[at].chassis && from->chassis && *from->chassis)
			nodes->items[at].chassis = arena_strdup(a, from->chassis);
	}
}

void nodes_release(struct judge_nodes *nodes)
{
	names_release(&nodes->index);
	free(nodes->items);
	memset(nodes, 0, sizeof(*nodes));
}

const struct judge_node *nodes_find(const struct judge_nodes *nodes, const char *name)
{
	size_t i = name ? names_find(&nodes->index, name) : NAMES_NONE;

	return i == NAMES_NONE ? NULL : &nodes->items[i];
}
