/* SPDX-License-Identifier: Apache-2.0 */
/* assay check: configuration files through the loaders that a run uses. */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/program.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "config/yaml.h"
#include "judge/baseline.h"
#include "judge/cpus.h"
#include "judge/bios_known.h"
#include "judge/profile.h"
#include "judge/theory.h"
#include "plan/plan.h"
#include "plan/site.h"
#include "run/runner.h"

/* Every kernel of the plan says itself which options it has. */
static int check_options(const struct cmd_env *env, struct plan *p, struct err *e)
{
	struct arena a = {0};
	struct names seen = {0};
	bool fresh;
	int rc = 0;

	for (size_t i = 0; i < p->n_stages && !rc; i++) {
		const struct plan_stage *stage = &p->stages[i];

		for (size_t k = 0; k < stage->n_steps && !rc; k++) {
			const struct plan_step *st = &stage->steps[k];
			const char *json;

			(void)names_add(&seen, st->kernel, &fresh);
			if (!fresh)
				continue;
			rc = runner_describe(env->bindir, "check", st->kernel, &a, &json,
					     e);
			if (rc)
				err_at(e, "%s", st->where);
			else
				rc = plan_check_options(p, st->kernel, json, e);
		}
	}
	names_release(&seen);
	arena_release(&a);
	return rc;
}

/* A command need not be on this machine to be on the nodes, but it helps to know. */
static void tell_commands(const struct plan *p)
{
	for (size_t i = 0; i < p->n_stages; i++) {
		for (size_t k = 0; k < p->stages[i].n_steps; k++) {
			const struct plan_step *st = &p->stages[i].steps[k];
			struct strbuf why = {0};

			if (st->n_command &&
			    !program_check(st->command[0], st->dir, &why))
				(void)printf("%s: step '%s': on this machine %s\n",
					     st->where, st->name, strbuf_str(&why));
			strbuf_release(&why);
		}
	}
}

static int check_plan(const struct cmd_env *env, const char *path, struct err *e)
{
	struct plan p;
	int rc = plan_load(&p, path, e);

	if (!rc)
		rc = check_options(env, &p, e);
	if (!rc)
		tell_commands(&p);
	plan_release(&p);
	return rc;
}

static int check_site(const struct cmd_env *env, const char *path, struct err *e)
{
	struct site s;
	int rc = site_load(&s, path, e);

	(void)env;
	site_release(&s);
	return rc;
}

static int check_profile(const struct cmd_env *env, const char *path, struct err *e)
{
	struct strbuf shipped = {0};
	struct profile p;
	int rc;

	strbuf_addf(&shipped, "%s/bios", env->configs);
	rc = profile_load(&p, path, strbuf_str(&shipped), e);
	profile_release(&p);
	strbuf_release(&shipped);
	return rc;
}

static int check_known(const struct cmd_env *env, const char *path, struct err *e)
{
	struct bios_known k = {0};
	int rc = bios_known_load(&k, path, e);

	(void)env;
	bios_known_release(&k);
	return rc;
}

static int check_baseline(const struct cmd_env *env, const char *path, struct err *e)
{
	struct baselines b = {0};
	int rc = baseline_load(&b, path, true, e);

	(void)env;
	baselines_release(&b);
	return rc;
}

static int check_cpus(const struct cmd_env *env, const char *path, struct err *e)
{
	struct cpus c = {0};
	int rc = cpus_load(&c, path, e);

	(void)env;
	cpus_release(&c);
	return rc;
}

static int check_theory(const struct cmd_env *env, const char *path, struct err *e)
{
	struct theory t = {0};
	int rc = theory_load(&t, path, e);

	(void)env;
	theory_release(&t);
	return rc;
}

/* What a file is, by a key of its top level; a plan has limits, too, so they come last.
 */
static const struct kind {
	const char *key;
	int (*check)(const struct cmd_env *env, const char *path, struct err *e);
} kinds[] = {
	{"plan", check_plan},       {"site", check_site}, {"baseline", check_baseline},
	{"profile", check_profile}, {"cpus", check_cpus}, {"limits", check_theory},
	{"ignore", check_known},
};

enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static int unknown_kind(const struct yaml_node *root, struct err *e)
{
	struct strbuf all = {0};
	struct suggest near = suggest_start(root->n ? root->pairs[0].key->text : "");

	for (size_t i = 0; i < N_KINDS; i++) {
		suggest_offer(&near, kinds[i].key);
		strbuf_addf(&all, "%s%s",
			    !i                ? ""
			    : i + 1 < N_KINDS ? ", "
					      : " or ",
			    kinds[i].key);
	}
	if (near.best)
		yaml_error(root->pairs[0].key, e,
			   "unknown key '%.64s', did you mean '%s'?", near.word,
			   near.best);
	else
		yaml_error(root, e,
			   "no kind of configuration is known by its keys, expected %s",
			   strbuf_str(&all));
	strbuf_release(&all);
	return -1;
}

static int check(const struct cmd_env *env, const char *path, struct err *e)
{
	const struct yaml_node *root;
	struct arena a = {0};
	int rc = yaml_load(&a, path, &root, e);

	if (!rc && root->kind != YAML_MAP)
		rc = yaml_error(root, e, "%s, expected a map of keys and values",
				yaml_kind_name(root));
	for (size_t i = 0; !rc; i++) {
		if (i == N_KINDS) {
			rc = unknown_kind(root, e);
		} else if (yaml_get(root, kinds[i].key)) {
			rc = kinds[i].check(env, path, e);
			break;
		}
	}
	arena_release(&a);
	return rc;
}

static int run(const struct cmd_env *env, int argc, char **argv, struct err *e)
{
	char **files;
	int n, status = 0;
	int rc = cmd_options(&cmd_check, NULL, 0, argc, argv, &files, &n, e);

	if (rc)
		return rc > 0 ? 0 : -1;
	if (!n)
		return err_set(e, ERR_USAGE, "no file given, see assay check --help");
	for (int i = 0; i < n; i++) {
		struct err why = {0};
		struct strbuf name = {0};

		if (!check(env, files[i], &why)) {
			utf8_printable(&name, files[i], strlen(files[i]));
			(void)printf("%s: ok\n", strbuf_str(&name));
			strbuf_release(&name);
			continue;
		}
		if (why.kind != ERR_USAGE) {
			*e = why;
			return -1;
		}
		/* what was found is the result of this command */
		(void)printf("%s\n", why.msg);
		status = 2;
	}
	return status;
}

const struct command_def cmd_check = {
	.name = "check",
	.usage = "FILE...",
	.help = "checks plans, sites, baselines, BIOS profiles, CPU models and theory",
	.run = run,
};
