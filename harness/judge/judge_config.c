/* SPDX-License-Identifier: Apache-2.0 */
/* What the judge knows besides the journal: see judge.h and judge_config.h. */
#include "judge/judge_config.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/suggest.h"

static int is_yaml(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return d->d_name[0] != '.' && n > 5 && !strcmp(d->d_name + n - 5, ".yaml");
}

/* By bytes, so that the order does not depend on the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Notes that @folder/@name (or @path) is read, and gives its path. */
static const char *note(struct judge_config *c, const char *path, const char *folder,
			const char *name)
{
	struct judge_file *f;

	mem_grow(&c->files, &c->cap_files, c->n_files + 1, sizeof(*c->files));
	f = &c->files[c->n_files++];
	f->path = path ? arena_strdup(&c->arena, path)
		       : arena_printf(&c->arena, "%s/%s", folder, name);
	f->name = arena_strdup(&c->arena, name);
	return f->path;
}

/* All .yaml files of a folder; one that is not there has none. */
static int load_folder(struct judge_config *c, const char *configs_dir, const char *name,
		       int (*load)(struct judge_config *c, const char *path,
				   struct err *e),
		       struct err *e)
{
	const char *folder = arena_printf(&c->arena, "%s/%s", configs_dir, name);
	struct dirent **list;
	int n = scandir(folder, &list, is_yaml, by_name), rc = 0;

	if (n < 0 && errno == ENOENT)
		return 0;
	if (n < 0)
		return err_sys(e, errno, "cannot read folder '%s'", folder);
	for (int i = 0; i < n; i++) {
		const char *file =
			arena_printf(&c->arena, "%s/%s", name, list[i]->d_name);

		if (!rc)
			rc = load(c, note(c, NULL, configs_dir, file), e);
		free(list[i]);
	}
	free(list);
	return rc;
}

static int load_baseline(struct judge_config *c, const char *path, struct err *e)
{
	return baseline_load(&c->baselines, path, false, e);
}

static int load_profile(struct judge_config *c, const char *path, struct err *e)
{
	struct profile *p;
	int rc;

	mem_grow(&c->profiles, &c->cap_profiles, c->n_profiles + 1, sizeof(*c->profiles));
	p = &c->profiles[c->n_profiles];
	rc = profile_load(p, path, c->profile_folder, e);
	if (rc)
		profile_release(p);
	else
		c->n_profiles++;
	return rc;
}

/* A folder without it knows nothing of attributes: all of them count. */
static int load_known(struct judge_config *c, const char *configs_dir, struct err *e)
{
	static const char name[] = "bios.yaml";
	const char *path = arena_printf(&c->arena, "%s/%s", configs_dir, name);

	c->profile_folder = arena_printf(&c->arena, "%s/bios", configs_dir);
	return access(path, F_OK)
		       ? 0
		       : bios_known_load(&c->known, note(c, NULL, configs_dir, name), e);
}

static bool is_path(const char *word)
{
	size_t n = strlen(word);

	return strchr(word, '/') || (n > 5 && !strcmp(word + n - 5, ".yaml"));
}

int judge_config_profile(struct judge_config *c, const char *word, const char **name,
			 struct err *e)
{
	struct suggest near = suggest_start(word);
	const struct profile *p;

	if (is_path(word)) {
		if (load_profile(c, word, e))
			return -1;
		p = &c->profiles[c->n_profiles - 1];
		note(c, word, NULL, arena_printf(&c->arena, "bios/%s.yaml", p->name));
		for (size_t i = 0; i < p->n_files; i++) {
			const char *slash = strrchr(p->files[i], '/');

			note(c, p->files[i], NULL,
			     arena_printf(&c->arena, "bios/%s",
					  slash ? slash + 1 : p->files[i]));
		}
		*name = p->name;
		return 0;
	}
	for (size_t i = 0; i < c->n_profiles; i++) {
		*name = c->profiles[i].name;
		if (!strcmp(*name, word))
			return 0;
		suggest_offer(&near, *name);
	}
	if (near.best)
		return err_set(e, ERR_USAGE,
			       "unknown BIOS profile '%.64s', did you mean '%s'?", word,
			       near.best);
	return err_set(e, ERR_USAGE,
		       "unknown BIOS profile '%.64s', see assay list profiles", word);
}

/* The file whose references win: given now, or when the folder was a run's. */
static int load_given(struct judge_config *c, const char *configs_dir,
		      const char *baseline, struct err *e)
{
	static const char name[] = "baseline.yaml";

	if (!baseline) {
		baseline = arena_printf(&c->arena, "%s/%s", configs_dir, name);
		if (access(baseline, F_OK))
			return 0;
	}
	return baseline_load(&c->baselines, note(c, baseline, NULL, name), true, e);
}

int judge_config_load(struct judge_config **out, const char *configs_dir,
		      const char *baseline, struct err *e)
{
	struct judge_config *c = mem_calloc(1, sizeof(*c));

	*out = c;
	if (cpus_load(&c->cpus, note(c, NULL, configs_dir, "cpus.yaml"), e) ||
	    theory_load(&c->theory, note(c, NULL, configs_dir, "theory.yaml"), e) ||
	    load_known(c, configs_dir, e) ||
	    load_folder(c, configs_dir, "baselines", load_baseline, e) ||
	    load_folder(c, configs_dir, "bios", load_profile, e) ||
	    load_given(c, configs_dir, baseline, e)) {
		judge_config_free(c);
		*out = NULL;
		return -1;
	}
	return 0;
}

size_t judge_config_files(const struct judge_config *c, const struct judge_file **files)
{
	*files = c->files;
	return c->n_files;
}

void judge_config_free(struct judge_config *c)
{
	if (!c)
		return;
	cpus_release(&c->cpus);
	theory_release(&c->theory);
	baselines_release(&c->baselines);
	bios_known_release(&c->known);
	for (size_t i = 0; i < c->n_profiles; i++)
		profile_release(&c->profiles[i]);
	free(c->profiles);
	free(c->files);
	arena_release(&c->arena);
	free(c);
}

/* @unit is what a configuration says of @metric; kernels say what is right. */
static int check_unit(const struct metrics *m, const char *metric, const char *unit,
		      const char *where, struct err *e)
{
	const struct metric *d = metrics_find(m, metric);

	if (!d || !strcmp(d->unit, unit))
		return 0;
	return err_set(e, ERR_USAGE,
		       "%s: '%s' is measured in %s, found a reference in %s", where,
		       metric, d->unit, unit);
}

int judge_config_check(const struct judge_config *c, const struct metrics *m,
		       struct err *e)
{
	for (size_t i = 0; i < c->baselines.n_references; i++) {
		const struct reference *r = &c->baselines.references[i];

		if (check_unit(m, r->metric, r->unit, r->where, e))
			return -1;
	}
	for (size_t i = 0; i < c->theory.n; i++) {
		const struct theory_limit *l = &c->theory.limits[i];
		const struct metric *own =
			l->roof == THEORY_OWN ? metrics_find(m, l->of) : NULL;

		if (l->roof != THEORY_OWN &&
		    check_unit(m, l->metric, l->unit, l->where, e))
			return -1;
		if (own && check_unit(m, l->metric, own->unit, l->where, e))
			return -1;
	}
	return 0;
}
