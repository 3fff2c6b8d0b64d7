/* SPDX-License-Identifier: Apache-2.0 */
/* Who carried messages: see carriers.h. */
#include "judge/carriers.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool carriers_next(const char **text, struct carrier *c)
{
	const char *end = strstr(*text, "): "), *open = NULL, *comma;

	if (!end)
		return false;
	for (const char *p = *text; p < end; p++) {
		if (*p == '(')
			open = p;
	}
	if (!open || open - *text < 2)
		return false;
	(void)snprintf(c->name, sizeof(c->name), "%.*s", (int)(open - 1 - *text), *text);
	(void)snprintf(c->kind, sizeof(c->kind), "%.*s", (int)(end - open - 1), open + 1);
	comma = strstr(end, ", ");
	*text = comma ? comma + 2 : end + strlen(end);
	return true;
}

/* Of "mlx5_0:1" in facts.hca, 0: not there. */
static double port_rate(const json_t *facts, const char *name)
{
	const char *colon = strrchr(name, ':');
	const json_t *hca, *port;
	char adapter[128];
	size_t i;

	if (!colon)
		return 0;
	(void)snprintf(adapter, sizeof(adapter), "%.*s", (int)(colon - name), name);
	hca = json_object_get(json_object_get(facts, "hca"), adapter);
	json_array_foreach(json_object_get(hca, "ports"), i, port)
	{
		if (json_integer_value(json_object_get(port, "port")) ==
		    strtoll(colon + 1, NULL, 10))
			return json_number_value(json_object_get(port, "rate"));
	}
	return 0;
}

static double node_rate(const struct state *state, const struct state_step *st,
			const char *node, const char **why_not)
{
	const struct record_node *n = state_facts(state, node);
	json_t *facts = n ? json_loads(n->facts, 0, NULL) : NULL;
	double sum = 0;

	*why_not = "what carried its messages is not known";
	for (size_t i = 0; i < st->n_events; i++) {
		const struct record_event *ev = st->events[i];
		const char *text = ev->text;
		struct carrier c;

		if (!ev->node || strcmp(ev->node, node) != 0 ||
		    strcmp(ev->what, "transport") != 0)
			continue;
		for (sum = 0; carriers_next(&text, &c);) {
			double rate = port_rate(facts, c.name);

			*why_not = !strcmp(c.kind, "tcp")
					   ? "TCP is bound by the CPUs, not by the line"
				   : !strcmp(c.kind, "shm")
					   ? "its messages did not leave the node"
				   : rate > 0 ? NULL
					      : "the rate of its port is not known";
			if (*why_not) {
				sum = 0;
				break;
			}
			sum += rate;
		}
	}
	json_decref(facts);
	return sum;
}

double carriers_line_rate(const struct state *state, const struct state_step *st,
			  const char **why_not)
{
	double least = 0;

	*why_not = "its launch had no node";
	for (size_t i = 0; i < st->n_nodes; i++) {
		double rate = node_rate(state, st, st->nodes[i], why_not);

		if (!(rate > 0))
			return 0;
		if (!i || rate < least)
			least = rate;
	}
	return least;
}
