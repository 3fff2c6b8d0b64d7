/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of nodes as they are now: their BMCs, and what their systems show. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/bios.h"
#include "cmd/campaign.h"
#include "cmd/choose.h"
#include "cmd/probe.h"
#include "judge/judge_config.h"
#include "run/bios_stage.h"

/* Records go into the state of the look, their texts into its arena. */
struct live {
	struct record_sink sink; /* first: sink->put() gets its address */
	struct bios_look *l;
	struct runner runner;
	struct slurm slurm;
	struct probe_saved saved;
	struct credentials credentials;
	struct bios_stage stage;
	const char **nodes;
	size_t n;
	struct names index; /* of them */
	const char **why;   /* the system of each shows nothing; NULL: it does */
	char run_id[32];
};

static int put(struct record_sink *sink, const struct record *r, struct err *e)
{
	struct live *v = (struct live *)sink;
	struct strbuf line = {0};
	struct record copy;
	int rc;

	record_encode(r, &line);
	rc = record_decode(strbuf_str(&line), line.len, &v->l->arena, &copy, e);
	strbuf_release(&line);
	return rc ? -1 : state_add(&v->l->state, &copy, e);
}

static int facts(struct live *v, const char *node, const char *json, struct err *e)
{
	size_t at = names_find(&v->index, node);
	struct strbuf why = {0};
	int rc = bios_stage_facts(&v->stage, node, json, &why, e);

	if (why.len && at != NAMES_NONE)
		v->why[at] = arena_strdup(&v->l->arena, strbuf_str(&why));
	strbuf_release(&why);
	return rc;
}

static int on_probe(void *ctx, const struct reach_result *res, struct err *e)
{
	struct live *v = ctx;
	struct record r = record_make(RECORD_KIND_node);
	const char *why = probe_read(res, &v->saved, &v->l->arena, &r.u.node);
	size_t at = names_find(&v->index, res->node);

	if (!why)
		return facts(v, r.u.node.node, r.u.node.facts, e);
	if (at != NAMES_NONE)
		v->why[at] = arena_strdup(&v->l->arena, why);
	return 0;
}

/* Facts that the site has of a node stand for it; the others are asked. */
static int read_systems(struct live *v, struct err *e)
{
	const char **todo = arena_alloc(&v->l->arena, v->n + 1, sizeof(*todo));
	const char *words[PROBE_WORDS];
	size_t n = 0, n_words;

	for (size_t i = 0; i < v->n; i++) {
		size_t at = names_find(&v->saved.nodes, v->nodes[i]);

		if (at == NAMES_NONE) {
			todo[n++] = v->nodes[i];
			continue;
		}
		if (facts(v, v->nodes[i],
			  campaign_json(&v->l->arena, json_incref(v->saved.facts[at])),
			  e))
			return -1;
	}
	if (!n)
		return 0;
	n_words = probe_words(v->l->env->bindir, true, NULL, &v->l->arena, words);
	return runner_reach(&v->runner, todo, n, words, n_words, PROBE_LIMIT, on_probe, v,
			    e);
}

static int prepare(struct live *v, const struct bios_source **source, struct err *e)
{
	struct bios_look *l = v->l;

	(void)snprintf(v->run_id, sizeof(v->run_id), "bios-%ld", (long)getpid());
	v->sink.put = put;
	v->runner.context.site = &l->site;
	v->runner.context.bindir = l->env->bindir;
	v->runner.context.run_id = v->run_id;
	v->runner.launcher = launcher_find("mpirun");
	v->runner.stop = l->stop;
	v->stage = (struct bios_stage){.runner = &v->runner,
				       .site = &l->site,
				       .credentials = &v->credentials,
				       .counts = campaign_is_setting,
				       .ctx = l->config,
				       .sink = &v->sink};
	if (bios_stage_source(&l->site, source, e) ||
	    probe_saved_load(&v->saved, &l->site, e) || slurm_load(&v->slurm, e) ||
	    choose_nodes(&l->site, &v->slurm, l->args->nodes, l->args->hostfile,
			 &l->arena, &v->nodes, &v->n, e) ||
	    campaign_credentials(&v->credentials, l->env, &l->site, e))
		return -1;
	v->runner.context.slurm = v->slurm.job != NULL;
	v->why = arena_alloc(&l->arena, v->n + 1, sizeof(*v->why));
	for (size_t i = 0; i < v->n; i++)
		(void)names_add(&v->index, v->nodes[i], NULL);
	return bios_look_plan(l, v->nodes, v->n, e);
}

/*
 * A node that only its system could have told of, and did not, is unreadable; where the
 * BMC did, it is worth a line that nothing could contradict it.
 */
static int say_silent(struct live *v, struct err *e)
{
	bool *known = arena_alloc(&v->l->arena, v->n + 1, sizeof(*known));

	for (size_t i = 0; i < v->l->state.n_bios; i++) {
		size_t at = names_find(&v->index, v->l->state.bios[i].node);

		if (at != NAMES_NONE)
			known[at] = true;
	}
	for (size_t i = 0; i < v->n; i++) {
		const char *why = v->why[i] ? v->why[i] : "it was not asked";

		if (!known[i] && bios_look_missing(v->l, v->nodes[i], "os", why, e))
			return -1;
		if (known[i] && v->why[i])
			(void)fprintf(stderr,
				      "%s: what its system shows is not known: %s\n",
				      v->nodes[i], v->why[i]);
	}
	return 0;
}

int bios_look_live(struct bios_look *l, struct err *e)
{
	struct live v = {.l = l};
	const struct bios_source *source;
	int rc = prepare(&v, &source, e);

	if (!rc)
		rc = bios_stage_read(&v.stage, source, v.nodes, v.n, e);
	if (!rc && !(l->stop && *l->stop))
		rc = read_systems(&v, e);
	if (!rc)
		rc = say_silent(&v, e);
	names_release(&v.index);
	credentials_release(&v.credentials);
	probe_saved_release(&v.saved);
	slurm_release(&v.slurm);
	return rc;
}
