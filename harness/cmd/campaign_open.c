/* SPDX-License-Identifier: Apache-2.0 */
/* The run folder and the first records of a start: see campaign.h. */
#include <jansson.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay_build.h"
#include "cmd/campaign.h"

/* Environment that changes what MPI, threads and the scheduler do. */
static bool matters(const char *var)
{
	static const char *const prefixes[] = {
		"OMP_",  "GOMP_",  "OPENBLAS_", "BLIS_",   "MKL_",  "UCX_",   "OMPI_",
		"PMIX_", "PMI_",   "PRTE_",     "I_MPI_",  "FI_",   "SLURM_", "HWLOC_",
		"LD_",   "ASSAY_", "KMP_",      "MALLOC_", "PSM2_", "PSM3_",  "MPICH_"};
	size_t len = strcspn(var, "=");
	static const char suffix[] = "_NUM_THREADS";

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (!strncmp(var, prefixes[i], strlen(prefixes[i])))
			return true;
	}
	return len > sizeof(suffix) - 1 &&
	       !strncmp(var + len - (sizeof(suffix) - 1), suffix, sizeof(suffix) - 1);
}

static const char *environment(struct arena *a)
{
	json_t *o = json_object();

	for (char **v = environ; *v; v++) {
		size_t len = strcspn(*v, "=");

		/* json_stringn() refuses what is not UTF-8: such a value helps nobody */
		if (matters(*v) && (*v)[len])
			json_object_set_new(o, arena_strndup(a, *v, len),
					    json_string(*v + len + 1));
	}
	return campaign_json(a, o);
}

/* Copies one configuration file into the folder and notes its hash. */
static int keep(struct campaign *c, json_t *hashes, const char *src, const char *name,
		struct err *e)
{
	char hash[FOLDER_HASH];

	if (folder_keep(&c->folder, src, name, hash, e))
		return -1;
	json_object_set_new(hashes, name, json_string(hash));
	return 0;
}

static bool asks_for_bios(const struct site *site)
{
	const struct site_bmc *b = &site->bmc;

	return b->address || b->source || b->files || b->profile;
}

static int keep_configs(struct campaign *c, json_t *hashes, struct err *e)
{
	const struct judge_file *files;
	size_t n = judge_config_files(c->judge, &files);

	if (keep(c, hashes, c->plan_path, "plan.yaml", e))
		return -1;
	if (c->site_path && keep(c, hashes, c->site_path, "site.yaml", e))
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (!strncmp(files[i].name, "bios", 4) && !asks_for_bios(&c->site))
			continue; /* nothing of them is used */
		if (keep(c, hashes, files[i].path, files[i].name, e))
			return -1;
	}
	return 0;
}

static int put_run(struct campaign *c, const char *hashes, struct err *e)
{
	struct record r = record_make(RECORD_KIND_run);
	char host[256] = "", user[32];
	const struct passwd *pw = getpwuid(geteuid());

	(void)gethostname(host, sizeof(host) - 1);
	(void)snprintf(user, sizeof(user), "%u", (unsigned int)geteuid());
	r.u.run = (struct record_run){
		.id = c->run_id,
		.version = ASSAY_VERSION,
		.build = ASSAY_BUILD,
		.host = host,
		.pid = getpid(),
		.user = pw ? pw->pw_name : user,
		.command = record_list(&c->arena, (const char *const *)c->args->argv,
				       (size_t)c->args->argc),
		.env = environment(&c->arena),
		.hashes = hashes,
		.launcher = c->runner.launcher->name,
		.allow_root = c->allow_root,
		.resumed = c->resumed,
	};
	return journal_put(c->runner.journal, &r, e);
}

static const char *limits_json(struct campaign *c)
{
	const struct plan_limits *l = &c->plan.limits;

	return campaign_json(&c->arena, json_pack("{s:f, s:f, s:i, s:i}", "time", l->time,
						  "step", l->step, "rounds", l->rounds,
						  "repeats", l->repeats));
}

static const char *stages_json(struct campaign *c)
{
	static const char *const on[] = {[PLAN_ON_NODE] = "node",
					 [PLAN_ON_PAIRS] = "pairs",
					 [PLAN_ON_SETS] = "sets",
					 [PLAN_ON_ALL] = "all"};
	static const char *const scaling[] = {
		[PLAN_SCALING_WEAK] = "weak", [PLAN_SCALING_STRONG] = "strong"};
	json_t *stages = json_array();

	for (size_t i = 0; i < c->plan.n_stages; i++) {
		const struct plan_stage *stage = &c->plan.stages[i];
		json_t *steps = json_array();

		for (size_t k = 0; k < stage->n_steps; k++) {
			const struct plan_step *ps = &stage->steps[k];
			json_t *step = json_pack("{s:s, s:s}", "name", ps->name, "on",
						 on[ps->on]);

			if (ps->scaling)
				json_object_set_new(step, "scaling",
						    json_string(scaling[ps->scaling]));
			json_array_append_new(steps, step);
		}
		json_array_append_new(stages,
				      json_pack("{s:s, s:b, s:o}", "name", stage->name,
						"gate", stage->gate, "steps", steps));
	}
	return campaign_json(&c->arena, stages);
}

/* Of each node of the run by its place in the site's list; NULL when nothing is known. */
static const char *chassis_json(struct campaign *c)
{
	const char **names = arena_alloc(&c->arena, c->n_nodes, sizeof(*names));
	const size_t every =
		c->site.chassis_every > 0 ? (size_t)c->site.chassis_every : 0;
	struct names of_site = {0};
	const char *json = NULL;

	if (!every)
		return NULL;
	for (size_t i = 0; i < c->site.n_nodes; i++)
		(void)names_add(&of_site, c->site.nodes[i], NULL);
	for (size_t i = 0; i < c->n_nodes; i++) {
		size_t at = names_find(&of_site, c->nodes[i]);

		names[i] = at == NAMES_NONE
				   ? ""
				   : arena_printf(&c->arena, "%zu", at / every + 1);
	}
	if (of_site.n)
		json = record_list(&c->arena, names, c->n_nodes);
	names_release(&of_site);
	return json;
}

struct record campaign_plan_record(struct campaign *c)
{
	struct record r = record_make(RECORD_KIND_plan);

	r.u.plan = (struct record_plan){
		.name = c->plan.name,
		.folder = c->plan.folder,
		.nodes = record_list(&c->arena, c->nodes, c->n_nodes),
		.sets = record_list(&c->arena, c->args->sets.items, c->args->sets.n),
		.requires = record_list(&c->arena, c->plan.requires, c->plan.n_requires),
		.limits = limits_json(c),
		.kernels = c->kernels,
		.stages = stages_json(c),
		.chassis = chassis_json(c),
		.site = campaign_site(c),
	};
	return r;
}

static int put_remark(struct campaign *c, struct err *e)
{
	struct record r = record_make(RECORD_KIND_event);

	if (!c->remark)
		return 0;
	r.u.event.what = "remark";
	r.u.event.text = c->remark;
	return journal_put(c->runner.journal, &r, e);
}

int campaign_open(struct campaign *c, struct err *e)
{
	json_t *hashes = json_object();
	struct record plan = campaign_plan_record(c);

	if (!c->resumed && (folder_create(&c->folder, c->args->output, c->plan.name, e) ||
			    keep_configs(c, hashes, e))) {
		json_decref(hashes);
		return -1;
	}
	c->runner.dir = c->folder.path;
	if (journal_open(&c->runner.journal, c->folder.path, c->resumed, e) ||
	    put_run(c, campaign_json(&c->arena, hashes), e))
		return -1;
	if (!c->resumed && (journal_put(c->runner.journal, &plan, e) || put_remark(c, e)))
		return -1;
	return journal_sync(c->runner.journal, e);
}
