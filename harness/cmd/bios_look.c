/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of nodes as records: see bios.h. */
#include "cmd/bios.h"

#include <jansson.h>
#include <string.h>

#include "cmd/campaign.h"

int bios_look_open(struct bios_look *l, const struct cmd_env *env,
		   const struct bios_args *args, struct err *e)
{
	const char *profile;

	memset(l, 0, sizeof(*l));
	l->env = env;
	l->args = args;
	l->json = !strcmp(args->format, "json");
	if (!l->json && strcmp(args->format, "table") != 0)
		return err_set(e, ERR_USAGE, "--format '%.40s', expected table or json",
			       args->format);
	if (site_load(&l->site, args->site, e) ||
	    judge_config_load(&l->config, env->configs, NULL, e))
		return -1;
	profile = args->profile ? args->profile : l->site.bmc.profile;
	if (profile && judge_config_profile(l->config, profile, &l->profile, e))
		return args->profile ? err_at(e, "--profile")
				     : err_at(e, "%s: bmc.profile", l->site.path);
	return 0;
}

void bios_look_release(struct bios_look *l)
{
	state_release(&l->state);
	judge_config_free(l->config);
	site_release(&l->site);
	arena_release(&l->arena);
	memset(l, 0, sizeof(*l));
}

int bios_look_plan(struct bios_look *l, const char *const *nodes, size_t n, struct err *e)
{
	struct record r = record_make(RECORD_KIND_plan);
	json_t *bmc = json_object();

	if (l->profile)
		(void)json_object_set_new(bmc, "profile", json_string(l->profile));
	r.u.plan.name = "bios";
	r.u.plan.nodes = record_list(&l->arena, nodes, n);
	r.u.plan.site = campaign_json(
		&l->arena, json_pack("{s:s, s:o}", "name", l->site.name, "bmc", bmc));
	return state_add(&l->state, &r, e);
}

int bios_look_put(struct bios_look *l, const char *node, struct bios_reading *reading,
		  struct err *e)
{
	struct record r = bios_record(reading, node);
	struct record_bios *b = &r.u.bios;

	b->attributes = arena_strdup(&l->arena, b->attributes);
	b->job = arena_strdup(&l->arena, b->job);
	b->error = arena_strdup(&l->arena, b->error);
	b->remark = arena_strdup(&l->arena, b->remark);
	b->link = arena_strdup(&l->arena, b->link);
	b->chassis = arena_strdup(&l->arena, b->chassis);
	return state_add(&l->state, &r, e);
}

int bios_look_missing(struct bios_look *l, const char *node, const char *source,
		      const char *why, struct err *e)
{
	struct bios_reading none = {.source = source, .error = why};
	int rc = bios_look_put(l, node, &none, e);

	bios_reading_release(&none);
	return rc;
}

int bios_look_settings(const struct record_bios *r, struct settings *s, struct arena *a)
{
	struct err e = {0};

	return settings_read(s, r->attributes, a, &e);
}
