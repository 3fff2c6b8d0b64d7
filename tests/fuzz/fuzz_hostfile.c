/* SPDX-License-Identifier: Apache-2.0 */
/* Hostfiles: any bytes give nodes, each once and with a proper name, or one line of
 * error. */
#include <string.h>

#include "base/names.h"
#include "base/node_name.h"
#include "base/utf8.h"
#include "config/hostfile.h"
#include "config/hostlist.h"
#include "fuzz.h"

static void check_nodes(const struct hostfile *h)
{
	struct names seen = {0};
	bool fresh;

	FUZZ_EXPECT(h->n > 0 && h->n <= HOSTLIST_MAX_NAMES);
	for (size_t i = 0; i < h->n; i++) {
		const struct hostfile_node *node = &h->nodes[i];

		FUZZ_EXPECT(node_name_valid(node->name));
		FUZZ_EXPECT(node->slots >= 0 && node->max_slots >= 0);
		FUZZ_EXPECT(node->listed >= 1 && node->line >= 1);
		(void)names_add(&seen, node->name, &fresh);
		FUZZ_EXPECT(fresh);
	}
	names_release(&seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hostfile h = {0};
	struct err e = {0};

	if (hostfile_parse(&h, (const char *)data, size, "hf", &e)) {
		FUZZ_EXPECT(e.kind == ERR_USAGE && !strncmp(e.msg, "hf:", 3));
		FUZZ_EXPECT(!strchr(e.msg, '\n') && utf8_valid(e.msg, strlen(e.msg)));
	} else {
		check_nodes(&h);
	}
	hostfile_release(&h);
	return 0;
}
