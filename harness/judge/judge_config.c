/* SPDX-License-Identifier: Apache-2.0 */
/* What the judge knows besides the journal: see judge.h and judge_config.h. */
#include "judge/judge_config.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

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

static int load_baselines(struct judge_config *c, struct arena *a, const char *folder,
			  struct err *e)
{
	struct dirent **list;
	int n = scandir(folder, &list, is_yaml, by_name), rc = 0;

	if (n < 0 && errno == ENOENT)
		return 0; /* a folder without baselines is one without references */
	if (n < 0)
		return err_sys(e, errno, "cannot read folder '%s'", folder);
	for (int i = 0; i < n; i++) {
		const char *path = arena_printf(a, "%s/%s", folder, list[i]->d_name);

		if (!rc)
			rc = baseline_load(&c->baselines, path, false, e);
		free(list[i]);
	}
	free(list);
	return rc;
}

int judge_config_load(struct judge_config **out, const char *configs_dir,
		      const char *baseline, struct err *e)
{
	struct judge_config *c = mem_calloc(1, sizeof(*c));
	struct arena paths = {0};
	int rc;

	rc = cpus_load(&c->cpus, arena_printf(&paths, "%s/cpus.yaml", configs_dir), e);
	if (!rc)
		rc = theory_load(&c->theory,
				 arena_printf(&paths, "%s/theory.yaml", configs_dir), e);
	if (!rc)
		rc = load_baselines(c, &paths,
				    arena_printf(&paths, "%s/baselines", configs_dir), e);
	if (!rc && baseline)
		rc = baseline_load(&c->baselines, baseline, true, e);
	arena_release(&paths);
	if (rc) {
		judge_config_free(c);
		c = NULL;
	}
	*out = c;
	return rc;
}

void judge_config_free(struct judge_config *c)
{
	if (!c)
		return;
	cpus_release(&c->cpus);
	theory_release(&c->theory);
	baselines_release(&c->baselines);
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
	static const char *const units[] = {
		[THEORY_MEMORY_BANDWIDTH] = "B/s", [THEORY_PEAK_FLOPS] = "FLOP/s"};

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
		    check_unit(m, l->metric, units[l->roof], l->where, e))
			return -1;
		if (own && check_unit(m, l->metric, own->unit, l->where, e))
			return -1;
	}
	return 0;
}
