/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the reader of ibnetdiscover's texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "plan/ibnet.h"

/* "leaf1=c001,c002 leaf2=c003", or the error. */
static const char *groups_of(const char *text)
{
	static char out[1024];
	struct strbuf said = {0};
	struct arena a = {0};
	struct site_group *g;
	struct err e = {0};
	size_t n;

	if (ibnet_groups(text, &a, &g, &n, &e)) {
		assert_int_equal(e.kind, ERR_USAGE);
		strbuf_addstr(&said, e.msg);
		n = 0;
	}
	for (size_t i = 0; i < n; i++) {
		strbuf_addf(&said, "%s%s", i ? " " : "", g[i].name);
		for (size_t k = 0; k < g[i].n_nodes; k++)
			strbuf_addf(&said, "%s%s", k ? "," : "=", g[i].nodes[k]);
	}
	(void)snprintf(out, sizeof(out), "%s", strbuf_str(&said));
	strbuf_release(&said);
	arena_release(&a);
	return out;
}

static const char *groups_in(const char *file)
{
	char path[512];
	struct strbuf text = {0};
	struct err e = {0};
	const char *out;

	(void)snprintf(path, sizeof(path), "%s/fabric/%s", TEST_DATA, file);
	assert_int_equal(file_read(&text, path, 1 << 20, &e), 0);
	out = groups_of(strbuf_str(&text));
	strbuf_release(&text);
	return out;
}

static void ports_give_nodes_by_leaf(void **unused)
{
	(void)unused;
	/* c002 has an adapter on either leaf; the switch's own agent is no node */
	assert_string_equal(groups_in("ibnetdiscover-p.txt"),
			    "rack1-leaf-A=c001,c002 rack1_leaf_B=c003");
}

static void blocks_give_nodes_by_leaf(void **unused)
{
	(void)unused;
	/* two switches of the same description */
	assert_string_equal(groups_in("ibnetdiscover.txt"),
			    "leaf=c001,c002 S-bbbb000000000004=c003");
}

static void other_texts_are_refused(void **unused)
{
	(void)unused;
	assert_non_null(strstr(groups_of(""), "no link from an adapter"));
	assert_non_null(strstr(groups_of("ibwarn: can't open UMAD port\n"), "no link"));
	assert_non_null(
		strstr(groups_of("CA 1 1 0x1 4x HDR - SW 2 3 0x2 ( '"), "no link"));
	assert_non_null(strstr(groups_of("[1] \"H-1\"[1] # \"c1\" lid 1\n"), "no link"));
	assert_non_null(
		strstr(groups_of("CA 1 1 0x1 4x HDR - SW 2 3 0x2 ( '$(x)' - 'l' )\n"),
		       "'$(x)' is no name of a node"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports_give_nodes_by_leaf),
		cmocka_unit_test(blocks_give_nodes_by_leaf),
		cmocka_unit_test(other_texts_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
