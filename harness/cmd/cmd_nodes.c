/* SPDX-License-Identifier: Apache-2.0 */
/* assay nodes: what the nodes are, from the probe on each of them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/nodes.h"
#include "config/hostlist.h"
#include "cmd/probe.h"

struct options {
	const char *site, *nodes, *hostfile, *launcher, *format, *write_site;
	bool mask_users;
};

struct look {
	struct arena arena;
	struct site site;
	struct probe_saved saved;
	struct runner runner;
	struct slurm slurm;
	struct nodes nodes;
	struct names index; /* name -> item */
	char run_id[32];
};

static int by_name(const void *a, const void *b)
{
	const struct nodes_item *x = a, *y = b;

	return hostlist_compare(&x->name, &y->name);
}

static int on_answer(void *ctx, const struct reach_result *res, struct err *e)
{
	struct look *l = ctx;
	struct nodes_item *item = &l->nodes.items[names_find(&l->index, res->node)];

	(void)e;
	item->why = probe_read(res, &l->saved, &l->arena, &item->record);
	return 0;
}

/* Nodes of the command line, each once and in order, none of them asked yet. */
static int list_nodes(struct look *l, const struct options *o, struct err *e)
{
	const char **names;
	size_t n;

	struct slurm_view view;

	if (slurm_load(&l->slurm, e) ||
	    choose_nodes(&l->site, &l->slurm, o->nodes, o->hostfile, &l->arena, &names,
			 &n, e) ||
	    slurm_nodes(&l->slurm, l->run_id, names, n, &l->arena, &view, e))
		return -1;
	for (size_t i = 0; i < view.remarks.n; i++)
		(void)fprintf(stderr, "%s\n", view.remarks.items[i]);
	l->runner.context.slurm = l->slurm.job != NULL;
	l->nodes.site = &l->site;
	l->nodes.n = n;
	l->nodes.items = arena_alloc(&l->arena, n, sizeof(*l->nodes.items));
	for (size_t i = 0; i < n; i++)
		l->nodes.items[i] =
			(struct nodes_item){.name = names[i], .why = view.not_tested[i]};
	qsort(l->nodes.items, n, sizeof(*l->nodes.items), by_name);
	for (size_t i = 0; i < n; i++)
		(void)names_add(&l->index, l->nodes.items[i].name, NULL);
	return 0;
}

/* Reaching nodes needs no MPI, so the default may be a launcher that could not run it. */
static int choose_launcher(struct look *l, const char *name, struct err *e)
{
	l->runner.launcher = launcher_find("mpirun");
	return name ? launcher_pick(&l->runner.launcher, name, &l->runner.context, e) : 0;
}

static int ask(struct look *l, const struct cmd_env *env, bool mask_users, struct err *e)
{
	const char *words[PROBE_WORDS];
	const char **names = arena_alloc(&l->arena, l->nodes.n, sizeof(*names));
	size_t n_words, n = 0;

	for (size_t i = 0; i < l->nodes.n; i++) {
		if (l->nodes.items[i].why)
			continue;
		l->nodes.items[i].why = "not asked";
		names[n++] = l->nodes.items[i].name;
	}
	n_words = probe_words(env->bindir, mask_users, NULL, &l->arena, words);
	return runner_reach(&l->runner, names, n, words, n_words, PROBE_LIMIT, on_answer,
			    l, e);
}

static int show(const struct look *l, const struct options *o, struct err *e)
{
	struct report_style style = cmd_style(STDOUT_FILENO);

	if (!strcmp(o->format, "json"))
		return nodes_json(&l->nodes, stdout, e);
	return nodes_table(&l->nodes, &style, stdout, e);
}

static int look(struct look *l, const struct cmd_env *env, const struct options *o,
		struct err *e)
{
	if (strcmp(o->format, "table") != 0 && strcmp(o->format, "json") != 0)
		return err_set(e, ERR_USAGE, "--format '%.40s', expected table or json",
			       o->format);
	if (o->write_site && !access(o->write_site, F_OK))
		return err_set(e, ERR_USAGE, "--write-site '%.200s': exists already",
			       o->write_site);
	l->runner.context.site = &l->site;
	l->runner.context.bindir = env->bindir;
	l->runner.context.run_id = l->run_id;
	(void)snprintf(l->run_id, sizeof(l->run_id), "nodes-%ld", (long)getpid());
	if (site_load(&l->site, o->site, e) || probe_saved_load(&l->saved, &l->site, e) ||
	    list_nodes(l, o, e) || choose_launcher(l, o->launcher, e) ||
	    ask(l, env, o->mask_users, e) || show(l, o, e))
		return -1;
	if (o->write_site && nodes_write_site(&l->nodes, o->write_site, e))
		return -1;
	for (size_t i = 0; i < l->nodes.n; i++) {
		if (l->nodes.items[i].why)
			return 3; /* ERROR: a node that should be there is not */
	}
	return 0;
}

static int run(const struct cmd_env *env, int argc, char **argv, struct err *e)
{
	struct options o = {.format = "table"};
	const struct cmd_option options[] = {
		{"site", 0, CMD_TEXT, "FILE", "site file: nodes and how to reach them",
		 &o.site},
		{"nodes", 0, CMD_TEXT, "LIST", "hostlist, or - for names on stdin",
		 &o.nodes},
		{"hostfile", 0, CMD_TEXT, "FILE", "hostfile of a launcher", &o.hostfile},
		{"launcher", 0, CMD_TEXT, "NAME", "reach nodes as this launcher does",
		 &o.launcher},
		{"format", 0, CMD_TEXT, "FORM", "table (default) or json", &o.format},
		{"mask-users", 0, CMD_FLAG, NULL,
		 "name no user whose processes are found on a node", &o.mask_users},
		{"write-site", 0, CMD_TEXT, "FILE", "write a site file of what was found",
		 &o.write_site},
	};
	struct look l = {0};
	char **words;
	int n, rc = cmd_options(&cmd_nodes, options, sizeof(options) / sizeof(options[0]),
				argc, argv, &words, &n, e);

	if (rc)
		return rc < 0 ? -1 : 0;
	if (n)
		return err_set(e, ERR_USAGE, "unexpected word '%.64s', see --help",
			       words[0]);
	rc = look(&l, env, &o, e);
	site_release(&l.site);
	probe_saved_release(&l.saved);
	slurm_release(&l.slurm);
	names_release(&l.index);
	arena_release(&l.arena);
	return rc;
}

const struct command_def cmd_nodes = {
	.name = "nodes",
	.usage =
		"[--site FILE | --nodes LIST|- | --hostfile FILE] [--format table|json]\n"
		"                   [--write-site FILE]",
	.help = "shows what the nodes are",
	.run = run,
};
