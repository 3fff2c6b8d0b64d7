/* SPDX-License-Identifier: Apache-2.0 */
/* What a run needs before anything is launched: see campaign.h. */
#include "cmd/campaign.h"

#include <errno.h>
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "base/units.h"
#include "cmd/choose.h"

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* The names of the shipped plans, and which of them @word may have meant. */
static int no_such_plan(struct campaign *c, const char *word, struct err *e)
{
	const char *folder = arena_printf(&c->arena, "%s/plans", c->env->configs);
	struct suggest near = suggest_start(word);
	struct strbuf names = {0};
	struct dirent **list = NULL;
	int n = scandir(folder, &list, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		const char *dot = strstr(list[i]->d_name, ".yaml");

		if (dot && dot != list[i]->d_name) {
			const char *name = arena_strndup(&c->arena, list[i]->d_name,
							 (size_t)(dot - list[i]->d_name));

			suggest_offer(&near, name);
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", name);
		}
		free(list[i]);
	}
	free(list);
	err_set(e, ERR_USAGE, "no plan '%.200s': no such file, and shipped are %s%s%s%s",
		word, names.len ? strbuf_str(&names) : "none",
		near.best ? "; did you mean '" : "", near.best ? near.best : "",
		near.best ? "'?" : "");
	strbuf_release(&names);
	return -1;
}

/* A plan by its path, or by the name of one that is shipped; a file of that name wins. */
static int find_plan(struct campaign *c, const char *word, const char **path,
		     struct err *e)
{
	*path = word;
	if (is_file(word) || strchr(word, '/'))
		return 0;
	*path = arena_printf(&c->arena, "%s/plans/%s.yaml", c->env->configs, word);
	return is_file(*path) ? 0 : no_such_plan(c, word, e);
}

/* @folder: where it was, NULL: where it is. */
static int load_plan(struct campaign *c, const char *path, const char *folder,
		     struct err *e)
{
	c->plan_path = path;
	return plan_load_copy(&c->plan, path, folder, e);
}

/* What the command line changes, once it is known what there is to change. */
static int set_plan(struct campaign *c, const struct cmd_list *sets,
		    const char *time_limit, struct err *e)
{
	if (c->n_nodes > 1 && c->runner.launcher->preflight)
		plan_preflight(&c->plan, c->n_nodes);
	for (size_t i = 0; i < sets->n; i++) {
		if (plan_set(&c->plan, sets->items[i], e))
			return err_at(e, "--set");
	}
	if (time_limit && units_duration(time_limit, &c->plan.limits.time, e))
		return err_at(e, "--time-limit");
	if (!c->plan.limits.preflight)
		plan_no_preflight(&c->plan);
	return 0;
}

static int choose_launcher(struct campaign *c, const char *name, struct err *e)
{
	c->runner.context.allow_root = c->allow_root;
	c->runner.context.slurm = c->slurm.job != NULL;
	return launcher_pick(&c->runner.launcher, name ? name : "auto",
			     &c->runner.context, e);
}

/* Asks every kernel of the plan what it is, and checks the plan's options against it. */
static int describe_kernels(struct campaign *c, struct err *e)
{
	json_t *all = json_object();
	char *text;
	int rc = -1;

	for (size_t i = 0; i < c->plan.n_stages; i++) {
		const struct plan_stage *stage = &c->plan.stages[i];

		for (size_t k = 0; k < stage->n_steps; k++) {
			const struct plan_step *ps = &stage->steps[k];
			const char *json;

			if (json_object_get(all, ps->kernel))
				continue;
			if (runner_describe(c->env->bindir, c->run_id, ps->kernel,
					    &c->arena, &json, e)) {
				err_at(e, "%s", ps->where);
				goto out;
			}
			if (plan_check_options(&c->plan, ps->kernel, json, e))
				goto out;
			json_object_set_new(all, ps->kernel, json_loads(json, 0, NULL));
		}
	}
	text = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
	c->kernels = arena_strdup(&c->arena, text);
	free(text);
	rc = 0;
out:
	json_decref(all);
	return rc;
}

static void new_run_id(struct campaign *c)
{
	unsigned int r = 0;
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32] = "";

	if (getrandom(&r, sizeof(r), 0) != (ssize_t)sizeof(r))
		r = (unsigned int)getpid();
	if (gmtime_r(&now, &tm))
		(void)strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm);
	(void)snprintf(c->run_id, sizeof(c->run_id), "%s-%08x", stamp, r);
}

static void begin(struct campaign *c, const struct cmd_env *env,
		  const struct campaign_args *args)
{
	struct report_style style = cmd_style(STDERR_FILENO);

	memset(c, 0, sizeof(*c));
	c->env = env;
	c->args = args;
	c->folder.lock_fd = -1;
	c->t0 = clock_now();
	c->job_end = INFINITY;
	c->runner.context.site = &c->site;
	c->runner.context.bindir = env->bindir;
	c->runner.context.run_id = c->run_id;
	progress_init(&c->progress, stderr, &style, isatty(STDERR_FILENO));
	c->progress.quiet = args->quiet;
}

static int load_judge(struct campaign *c, const char *configs, const char *baseline,
		      struct err *e)
{
	c->configs = configs;
	c->baseline = baseline;
	return judge_config_load(&c->judge, configs, baseline, e);
}

/* The working directory may be another one when the run is resumed. */
static const char *absolute(struct campaign *c, const char *path)
{
	char *full = realpath(path, NULL);
	const char *copy = arena_strdup(&c->arena, full ? full : path);

	free(full);
	return copy;
}

/* Sizes of sets that there are not enough nodes for: silence would look like a result. */
static void say_size(void *ctx, const char *text, bool all)
{
	struct campaign *c = ctx;

	progress_say(&c->progress, "%s", text);
	if (!all)
		c->remark = c->remark ? arena_printf(&c->arena, "%s; %s", c->remark, text)
				      : arena_strdup(&c->arena, text);
}

int campaign_prepare(struct campaign *c, const struct cmd_env *env,
		     const struct campaign_args *args, struct err *e)
{
	const char *plan;

	begin(c, env, args);
	new_run_id(c);
	c->allow_root = args->allow_root;
	c->site_path = args->site;
	if (args->site)
		c->site_origin = absolute(c, args->site);
	if (find_plan(c, args->plan, &plan, e) || load_plan(c, plan, NULL, e) ||
	    site_load(&c->site, args->site, e) ||
	    probe_saved_load(&c->saved, &c->site, e) || slurm_load(&c->slurm, e) ||
	    choose_nodes(&c->site, &c->slurm, args->nodes, args->hostfile, &c->arena,
			 &c->nodes, &c->n_nodes, e) ||
	    load_judge(c, env->configs, args->baseline, e) ||
	    campaign_bios_prepare(c, e) || choose_launcher(c, args->launcher, e) ||
	    set_plan(c, &args->sets, args->time_limit, e) || describe_kernels(c, e) ||
	    plan_check_nodes(&c->plan, c->n_nodes, say_size, c, e) ||
	    (!args->topology && campaign_commands(c, e)) || campaign_slurm(c, e))
		return -1;
	return 0;
}

/* A file of the folder's config/ that need not be there. */
static const char *kept(struct campaign *c, const char *name)
{
	char *path = arena_printf(&c->arena, "%s/config/%s", c->folder.path, name);

	return access(path, F_OK) ? NULL : path;
}

/* Facts that the site names, when a node is still to be probed. */
static int load_saved(struct campaign *c, const struct state *s, struct err *e)
{
	for (size_t i = 0; i < c->n_nodes; i++) {
		if (!state_facts(s, c->nodes[i]))
			return probe_saved_load(&c->saved, &c->site, e);
	}
	return 0;
}

/* Takes over from the journal what the first start was told. */
static int remember(struct campaign *c, const struct state *s, struct err *e)
{
	struct cmd_list sets = {0};
	const char *plan = kept(c, "plan.yaml");
	double time = c->args->time_limit ? NAN : record_json_num(s->plan.limits, "time");
	int rc;

	if (!s->n_runs || !s->has_plan || !plan)
		return err_set(
			e, ERR_USAGE,
			"the run in '%s' ended before it had begun: start it again",
			c->folder.path);
	(void)snprintf(c->run_id, sizeof(c->run_id), "%s", s->run.id);
	c->allow_root = c->args->allow_root || s->run.allow_root;
	c->nodes = record_unlist(&c->arena, s->plan.nodes, &c->n_nodes);
	sets.items = record_unlist(&c->arena, s->plan.sets, &sets.n);
	c->site_path = kept(c, "site.yaml");
	if (c->site_path)
		c->site_origin = record_json_text(&c->arena, s->plan.site, "path");
	rc = load_plan(c, plan, s->plan.folder, e) ||
	     site_load_copy(&c->site, c->site_path,
			    c->site_origin && *c->site_origin ? c->site_origin
							      : c->site_path,
			    e) ||
	     load_saved(c, s, e) || slurm_load(&c->slurm, e) ||
	     choose_launcher(c, c->args->launcher ? c->args->launcher : s->run.launcher,
			     e) ||
	     set_plan(c, &sets, c->args->time_limit, e);
	if (rc)
		return -1;
	if (!isnan(time))
		c->plan.limits.time = time;
	return 0;
}

int campaign_resume(struct campaign *c, const struct cmd_env *env,
		    const struct campaign_args *args, struct err *e)
{
	struct state s = {0};
	int rc = -1;

	begin(c, env, args);
	c->resumed = true;
	if (folder_open(&c->folder, args->resume, e) ||
	    state_replay(&s, c->folder.path, e) || remember(c, &s, e) ||
	    load_judge(c, arena_printf(&c->arena, "%s/config", c->folder.path),
		       args->baseline, e) ||
	    describe_kernels(c, e) || campaign_slurm(c, e))
		goto out;
	rc = 0;
out:
	state_release(&s);
	return rc;
}

void campaign_release(struct campaign *c)
{
	journal_close(c->runner.journal);
	folder_close(&c->folder);
	credentials_release(&c->credentials);
	judge_config_free(c->judge);
	names_release(&c->kills_of);
	free(c->kills);
	plan_release(&c->plan);
	probe_saved_release(&c->saved);
	slurm_release(&c->slurm);
	site_release(&c->site);
	arena_release(&c->arena);
	memset(c, 0, sizeof(*c));
	c->folder.lock_fd = -1;
}
