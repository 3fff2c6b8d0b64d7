/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes as JSON: see nodes.h. */
#include "cmd/nodes.h"
#include "reports/jsonw.h"

int nodes_json(const struct nodes *nodes, FILE *out, struct err *e)
{
	struct jsonw w = {.out = out, .e = e};

	jsonw_open(&w, NULL, '{');
	jsonw_int(&w, "schema", 1);
	jsonw_open(&w, "nodes", '[');
	for (size_t i = 0; i < nodes->n; i++) {
		const struct nodes_item *item = &nodes->items[i];

		jsonw_open(&w, NULL, '{');
		jsonw_text(&w, "name", item->name);
		if (item->why) {
			jsonw_text(&w, "why", item->why);
		} else {
			jsonw_text(&w, "host", item->record.host);
			jsonw_text(&w, "class", item->record.class);
			jsonw_json(&w, "facts", item->record.facts);
		}
		jsonw_close(&w, '}');
	}
	jsonw_close(&w, ']');
	jsonw_close(&w, '}');
	return jsonw_end(&w);
}
