/* SPDX-License-Identifier: Apache-2.0 */
/* Open MPI's mpirun: the launcher for everything, inside Slurm too. */
#include <string.h>

#include "base/program.h"
#include "base/strbuf.h"
#include "run/launcher.h"

/*
 * Removed from mpirun's environment: what an mpirun around us told its own ranks, and
 * what Slurm takes as --exact, which squeezes mpirun's daemons onto a few CPUs.
 */
static const char *const not_inherited[] = {
	"SRUN_CPUS_PER_TASK", "OMPI_COMM_WORLD_*", "OMPI_UNIVERSE_SIZE",
	"PMIX_NAMESPACE",     "PMIX_RANK",         "PMIX_SERVER_*",
};

static int usable(const struct launcher_context *c, struct err *e)
{
	struct strbuf why = {0};
	const bool found = program_check("mpirun", NULL, &why);

	strbuf_release(&why);
	if (!found)
		return err_set(e, ERR_USAGE, "launcher 'mpirun': no mpirun in PATH");
	return launcher_root(c, "mpirun", e);
}

static bool site_sets(const struct site *site, const char *key)
{
	for (size_t i = 0; i < site->n_mpi_args; i++) {
		if (!strcmp(site->mpi_args[i], key))
			return true;
	}
	return false;
}

static void add_mca(struct words *w, struct arena *a, const struct site *site,
		    const char *key, const char *value)
{
	/* given twice, mpirun would join the values: the site's must stand alone */
	if (site_sets(site, key))
		return;
	words_add(w, a, "--mca");
	words_add(w, a, key);
	words_add(w, a, value);
}

/*
 * Slurm's slots are the tasks the job asked for, one a node for `sbatch -N 4`: they say
 * nothing of where the kernel may run, it binds itself to CPUs of its own. So they may be
 * exceeded, but not as mpirun takes it, with ranks that yield instead of waiting.
 */
static void map_by(const struct launcher_context *c, const char *how, struct words *w,
		   struct arena *a)
{
	words_add(w, a, "--map-by");
	words_add(w, a, c->slurm ? arena_printf(a, "%s:OVERSUBSCRIBE", how) : how);
	if (c->slurm)
		add_mca(w, a, c->site, "mpi_yield_when_idle", "0");
}

/*
 * Ranks in the order of the nodes, i*per_node.. on node i. Slots would not do: mpirun
 * puts its own machine first wherever the file has it. So one line a rank, mapped in
 * sequence; names with a domain are kept, or n1.a and n1.b would be one node.
 */
static const char *many_nodes(const struct launcher_context *c, const struct step *s,
			      struct words *w, struct arena *a)
{
	struct strbuf sb = {0};
	bool domain = false;
	const char *text;

	for (size_t i = 0; i < s->n_nodes; i++) {
		domain = domain || strchr(s->nodes[i], '.');
		for (int k = 0; k < s->per_node; k++)
			strbuf_addf(&sb, "%s\n", s->nodes[i]);
	}
	map_by(c, "seq", w, a);
	if (domain)
		add_mca(w, a, c->site, "orte_keep_fqdn_hostnames", "1");
	text = arena_strdup(a, strbuf_str(&sb));
	strbuf_release(&sb);
	return text;
}

static const char *one_node(const struct launcher_context *c, const struct step *s,
			    struct words *w, struct arena *a)
{
	/* our own name may not resolve; localhost does without a name server */
	const char *node = launcher_is_here(c, s->nodes[0]) ? "localhost" : s->nodes[0];

	map_by(c, "slot", w, a);
	return arena_printf(a, "%s slots=%d\n", node, s->ranks);
}

static int add_agent(const struct launcher_context *c, const struct step *s,
		     struct words *w, struct arena *a, struct err *e)
{
	bool far = false;

	for (size_t i = 0; i < s->n_nodes; i++)
		far = far || !launcher_is_here(c, s->nodes[i]);
	if (c->slurm) /* it starts the daemons itself */
		return 0;
	if (!far) {
		/* no daemon, so no ssh, which mpirun wants to see even when it needs none
		 */
		add_mca(w, a, c->site, "plm", "isolated");
		return 0;
	}
	if (strchr(c->site->remote_agent, ':'))
		return err_set(e, ERR_USAGE,
			       "remote_agent '%s': mpirun takes ':' for the end of an "
			       "agent, put it into a script",
			       c->site->remote_agent);
	add_mca(w, a, c->site, "plm_rsh_agent", c->site->remote_agent);
	/* every daemon is started from here, the way that reach has shown to work */
	add_mca(w, a, c->site, "plm_rsh_no_tree_spawn", "1");
	/* marked as its ranks are: a resumed run ends one that hangs and outlived mpirun
	 */
	add_mca(w, a, c->site, "orte_launch_agent",
		arena_printf(a, "env ASSAY_RUN=%s orted", c->run_id));
	return 0;
}

static const char **environment(const struct launcher_context *c, struct arena *a)
{
	struct words env = {0};

	for (size_t i = 0; i < sizeof(not_inherited) / sizeof(not_inherited[0]); i++)
		words_add(&env, a, not_inherited[i]);
	if (c->allow_root) {
		words_add(&env, a, "OMPI_ALLOW_RUN_AS_ROOT=1");
		words_add(&env, a, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
	}
	return env.items;
}

static void add_site(struct words *w, struct arena *a, const struct site *site)
{
	static const char *const marks[] = {"ASSAY_RUN", "ASSAY_CHILD"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		words_add(w, a, "-x");
		words_add(w, a, marks[i]);
	}
	for (size_t i = 0; i < site->n_mpi_env; i++) {
		words_add(w, a, "-x");
		words_add(w, a,
			  arena_printf(a, "%s=%s", site->mpi_env[i].key,
				       site->mpi_env[i].value));
	}
	for (size_t i = 0; i < site->n_mpi_args; i++)
		words_add(w, a, site->mpi_args[i]);
}

/* What a program of somebody else cannot be told by options. */
static void add_foreign(struct words *w, struct arena *a, const struct step *s)
{
	words_add(w, a, "-x");
	words_add(w, a, arena_printf(a, "OMP_NUM_THREADS=%d", s->threads));
	if (!s->dir)
		return;
	words_add(w, a, "-wdir");
	words_add(w, a, s->dir);
}

static int build(const struct launcher_context *c, const struct step *s,
		 const char *const *words, size_t n, struct arena *a, struct command *out,
		 struct err *e)
{
	struct words w = {0};

	out->files = arena_alloc(a, 1, sizeof(*out->files));
	out->n_files = 1;
	out->files[0].name = "hostfile";
	words_split(&w, a, "mpirun --bind-to none -np");
	words_add(&w, a, arena_printf(a, "%d", s->ranks));
	words_add(&w, a, "--hostfile");
	words_add(&w, a, arena_printf(a, "%s/hostfile", c->step_dir));
	out->files[0].content =
		s->n_nodes > 1 ? many_nodes(c, s, &w, a) : one_node(c, s, &w, a);
	if (add_agent(c, s, &w, a, e))
		return -1;
	if (s->ranks == 1 && !site_sets(c->site, "pml") && !site_sets(c->site, "btl")) {
		/* a rank alone sends nothing: no network is set up for it (0.2 s) */
		add_mca(&w, a, c->site, "pml", "ob1");
		add_mca(&w, a, c->site, "btl", "self");
	}
	if (s->n_command)
		add_foreign(&w, a, s);
	add_site(&w, a, c->site);
	words_add(&w, a, launcher_program(c, s, a));
	for (size_t i = 0; i < n; i++)
		words_add(&w, a, words[i]);
	out->argv = w.items;
	out->env = environment(c, a);
	return 0;
}

const struct launcher launcher_mpirun = {
	.name = "mpirun",
	.help = "Open MPI's mpirun, through the site's remote agent or Slurm",
	.preflight = true,
	.usable = usable,
	.reach = launcher_reach,
	.build = build,
};
