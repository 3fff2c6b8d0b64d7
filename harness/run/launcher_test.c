/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the project's tests: a cluster that is not there. Every step is one process on this
 * machine, told by its environment which ranks on which nodes it stands for; assay-fake
 * (tests/fault) plays them, and launchers and nodes that fail, by the script in
 * ASSAY_TEST_LAUNCHER.
 */
#include <stdlib.h>

#include "base/strbuf.h"
#include "run/launcher.h"

static int usable(const struct launcher_context *c, struct err *e)
{
	(void)c;
	if (getenv("ASSAY_TEST_LAUNCHER"))
		return 0;
	return err_set(e, ERR_USAGE,
		       "launcher 'test' is for the tests of assay: it wants a script in "
		       "ASSAY_TEST_LAUNCHER");
}

static int reach(const struct launcher_context *c, const char *node,
		 const char *const *words, size_t n, struct arena *a, struct command *out,
		 struct err *e)
{
	struct words w = {0};

	(void)e;
	words_add(&w, a, arena_printf(a, "%s/assay-fake", c->bindir));
	words_add(&w, a, "--reach");
	words_add(&w, a, node);
	for (size_t i = 0; i < n; i++)
		words_add(&w, a, words[i]);
	out->argv = w.items;
	out->remote = true;
	return 0;
}

static int build(const struct launcher_context *c, const struct step *s,
		 const char *const *words, size_t n, struct arena *a, struct command *out,
		 struct err *e)
{
	struct words w = {0}, env = {0};
	struct strbuf nodes = {0};

	(void)e;
	for (size_t i = 0; i < s->n_nodes; i++)
		strbuf_addf(&nodes, "%s\n", s->nodes[i]);
	words_add(&w, a, launcher_program(c, s, a));
	for (size_t i = 0; i < n; i++)
		words_add(&w, a, words[i]);
	words_add(&env, a, arena_printf(a, "ASSAY_TEST_KEY=%s", s->key));
	words_add(&env, a, arena_printf(a, "ASSAY_TEST_NODES=%s/nodes", c->step_dir));
	words_add(&env, a, arena_printf(a, "ASSAY_TEST_RANKS=%d", s->ranks));
	words_add(&env, a, arena_printf(a, "ASSAY_TEST_PER_NODE=%d", s->per_node));
	out->files = arena_alloc(a, 1, sizeof(*out->files));
	out->n_files = 1;
	out->files[0].name = "nodes";
	out->files[0].content = arena_strdup(a, strbuf_str(&nodes));
	strbuf_release(&nodes);
	out->argv = w.items;
	out->env = env.items;
	return 0;
}

const struct launcher launcher_test = {
	.name = "test",
	.help = "for the tests of assay: plays a cluster and its faults",
	.usable = usable,
	.reach = reach,
	.build = build,
};
