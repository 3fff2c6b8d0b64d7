/* SPDX-License-Identifier: Apache-2.0 */
/* One process on this machine, without a launcher: MPI as a singleton. */
#include "run/launcher.h"

/*
 * Removed: what an mpirun or a job step around us told its own processes; the kernel
 * would take itself for one of them.
 */
static const char *const not_inherited[] = {
	"OMPI_COMM_WORLD_*", "OMPI_UNIVERSE_SIZE", "PMIX_NAMESPACE",
	"PMIX_RANK",         "PMIX_SERVER_*",      "PMI_*",
};

static int usable(const struct launcher_context *c, struct err *e)
{
	return launcher_root(c, "local", e);
}

static int here_only(const struct launcher_context *c, const char *node, struct err *e)
{
	if (launcher_is_here(c, node))
		return 0;
	return err_set(e, ERR_USAGE,
		       "launcher 'local' reaches this machine only, not '%s'", node);
}

static int reach(const struct launcher_context *c, const char *node,
		 const char *const *words, size_t n, struct arena *a, struct command *out,
		 struct err *e)
{
	if (here_only(c, node, e))
		return -1;
	return launcher_reach(c, node, words, n, a, out, e);
}

static int build(const struct launcher_context *c, const struct step *s,
		 const char *const *words, size_t n, struct arena *a, struct command *out,
		 struct err *e)
{
	struct words w = {0}, env = {0};

	if (s->ranks != 1)
		return err_set(e, ERR_USAGE,
			       "launcher 'local' starts one process, not %d ranks",
			       s->ranks);
	if (here_only(c, s->nodes[0], e))
		return -1;
	if (s->dir) {
		words_split(&w, a, "env -C");
		words_add(&w, a, s->dir);
	}
	words_add(&w, a, launcher_program(c, s, a));
	for (size_t i = 0; i < n; i++)
		words_add(&w, a, words[i]);
	for (size_t i = 0; i < sizeof(not_inherited) / sizeof(not_inherited[0]); i++)
		words_add(&env, a, not_inherited[i]);
	/* a rank alone sends nothing: no network is set up for it */
	words_add(&env, a, "OMPI_MCA_pml=ob1");
	words_add(&env, a, "OMPI_MCA_btl=self");
	/* and no remote shell has to be there */
	words_add(&env, a, "OMPI_MCA_plm=isolated");
	for (size_t i = 0; i < c->site->n_mpi_env; i++)
		words_add(&env, a,
			  arena_printf(a, "%s=%s", c->site->mpi_env[i].key,
				       c->site->mpi_env[i].value));
	if (s->n_command)
		words_add(&env, a, arena_printf(a, "OMP_NUM_THREADS=%d", s->threads));
	out->argv = w.items;
	out->env = env.items;
	return 0;
}

const struct launcher launcher_local = {
	.name = "local",
	.help = "one process on this machine, without mpirun",
	.usable = usable,
	.reach = reach,
	.build = build,
};
