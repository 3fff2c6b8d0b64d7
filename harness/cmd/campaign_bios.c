/* SPDX-License-Identifier: Apache-2.0 */
/* The BIOS stage of a run: see campaign.h and run/bios_stage.h. */
#include <string.h>

#include "cmd/campaign.h"
#include "judge/judge_config.h"
#include "run/bios_stage.h"

bool campaign_is_setting(const void *config, const char *name)
{
	const struct judge_config *c = config;

	return bios_known_counts(&c->known, name) &&
	       !bios_known_has(&c->known.identity, name);
}

int campaign_credentials(struct credentials *c, const struct cmd_env *env,
			 const struct site *site, struct err *e)
{
	if (!bios_stage_needs_credentials(site) || c->password)
		return 0;
	if (site->bmc.credentials)
		return credentials_read(c, site->bmc.credentials, e);
	credentials_copy(c, env->credentials);
	return credentials_ask(c, e);
}

int campaign_bios_prepare(struct campaign *c, struct err *e)
{
	const struct bios_source *source;

	if (bios_stage_source(&c->site, &source, e))
		return -1;
	if (c->site.bmc.profile &&
	    judge_config_profile(c->judge, c->site.bmc.profile, &c->profile, e))
		return err_at(e, "%s: bmc.profile", c->site.path);
	return c->args->dry_run
		       ? 0
		       : campaign_credentials(&c->credentials, c->env, &c->site, e);
}

/* Nodes whose settings, of BIOS itself and as the system shows them, are in the journal.
 */
struct known_nodes {
	struct names bios, os;
};

static void find_known(struct known_nodes *k, const struct state *s)
{
	for (size_t i = 0; i < s->n_bios; i++)
		(void)names_add(strcmp(s->bios[i].source, "os") != 0 ? &k->bios : &k->os,
				s->bios[i].node, NULL);
}

static int read_bmcs(struct campaign *c, const struct bios_stage *b,
		     const struct known_nodes *known, struct err *e)
{
	const char **todo = arena_alloc(&c->arena, c->n_nodes + 1, sizeof(*todo));
	const struct bios_source *source;
	size_t n = 0;

	if (bios_stage_source(&c->site, &source, e))
		return -1;
	for (size_t i = 0; i < c->n_nodes; i++) {
		if (names_find(&known->bios, c->nodes[i]) == NAMES_NONE)
			todo[n++] = c->nodes[i];
	}
	if (!n || (!source && !c->site.bmc.files))
		return 0;
	progress_say(&c->progress, "reading the BIOS settings of %zu node%s", n,
		     n == 1 ? "" : "s");
	if (campaign_credentials(&c->credentials, c->env, &c->site, e))
		return -1;
	return bios_stage_read(b, source, todo, n, e);
}

int campaign_bios(struct campaign *c, const struct state *s, struct err *e)
{
	const struct bios_stage b = {.runner = &c->runner,
				     .site = &c->site,
				     .credentials = &c->credentials,
				     .counts = campaign_is_setting,
				     .ctx = c->judge,
				     .sink = journal_sink(c->runner.journal)};
	struct known_nodes known = {0};
	int rc = 0;

	find_known(&known, s);
	/* first: what a system shows now stands before what was saved of it */
	rc = read_bmcs(c, &b, &known, e);
	for (size_t i = 0; i < c->n_nodes && !rc; i++) {
		const struct record_node *n = state_facts(s, c->nodes[i]);

		if (n && names_find(&known.os, c->nodes[i]) == NAMES_NONE)
			rc = bios_stage_facts(&b, c->nodes[i], n->facts, NULL, e);
	}
	if (!rc)
		rc = journal_sync(c->runner.journal, e);
	/* they are needed no more */
	credentials_release(&c->credentials);
	names_release(&known.bios);
	names_release(&known.os);
	return rc;
}
