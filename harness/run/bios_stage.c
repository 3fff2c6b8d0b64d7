/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of all nodes as records: see bios_stage.h. */
#include "run/bios_stage.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bios/files.h"
#include "bios/redfish.h"

/* Seconds for one racadm command: iDRAC takes many for a group of attributes. */
static const double racadm_limit = 120;

int bios_stage_source(const struct site *site, const struct bios_source **out,
		      struct err *e)
{
	const struct site_bmc *b = &site->bmc;
	const char *name = b->source;

	*out = NULL;
	if (!name && b->address)
		name = "redfish";
	if (!name && b->files)
		return 0;
	if (!name)
		return 0;
	if (bios_source_pick(out, name, e))
		return err_at(e, "%s: bmc.source", site->path);
	if ((*out)->where == BIOS_BMC && !b->address)
		return err_set(e, ERR_USAGE, "%s: bmc.source %s needs bmc.address",
			       site->path, name);
	if ((*out)->where == BIOS_FILE && !b->files)
		return err_set(e, ERR_USAGE, "%s: bmc.source %s needs bmc.files",
			       site->path, name);
	if ((*out)->where == BIOS_FACTS)
		*out = NULL; /* it is read in any case */
	return 0;
}

bool bios_stage_needs_credentials(const struct site *site)
{
	const struct bios_source *s = NULL;
	struct err e = {0};

	return !bios_stage_source(site, &s, &e) && s && s->where == BIOS_BMC;
}

static int put(const struct bios_stage *b, const char *node, struct bios_reading *reading,
	       struct err *e)
{
	struct record r = bios_record(reading, node);
	char print[SETTINGS_FINGERPRINT];

	if (!reading->error) {
		settings_fingerprint(&reading->settings, b->counts, b->ctx, print);
		r.u.bios.fingerprint = print;
	}
	return b->sink->put(b->sink, &r, e);
}

int bios_stage_facts(const struct bios_stage *b, const char *node, const char *facts,
		     struct strbuf *why, struct err *e)
{
	const struct bios_text text = {facts, strlen(facts), "", NULL};
	struct bios_reading reading;
	int rc = 0;

	bios_read(&reading, bios_source_find("os"), &text, 1);
	if (!reading.error)
		rc = put(b, node, &reading, e);
	else if (why)
		strbuf_addstr(why, reading.error);
	bios_reading_release(&reading);
	return rc;
}

/* "{node}-idrac" for n17: "n17-idrac". In @a. */
static const char *address_of(struct arena *a, const char *template, const char *node)
{
	static const char mark[] = "{node}";
	struct strbuf out = {0};
	const char *at, *copy;

	while ((at = strstr(template, mark))) {
		strbuf_add(&out, template, (size_t)(at - template));
		strbuf_addstr(&out, node);
		template = at + sizeof(mark) - 1;
	}
	strbuf_addstr(&out, template);
	copy = arena_strdup(a, strbuf_str(&out));
	strbuf_release(&out);
	return copy;
}

/* From BMCs over HTTPS */

struct bmcs {
	const struct bios_stage *b;
	const struct redfish_target *targets;
};

static int on_bmc(void *ctx, size_t i, struct bios_reading *r, struct err *e)
{
	const struct bmcs *m = ctx;

	return put(m->b, m->targets[i].node, r, e);
}

static const char *pin_of(const struct site_bmc *bmc, const char *node)
{
	for (size_t i = 0; i < bmc->n_pins; i++) {
		if (!strcmp(bmc->pins[i].key, node) || !strcmp(bmc->pins[i].key, "*"))
			return bmc->pins[i].value;
	}
	return NULL;
}

static int read_bmcs(const struct bios_stage *b, const char *const *nodes, size_t n,
		     struct err *e)
{
	const struct site_bmc *bmc = &b->site->bmc;
	struct arena a = {0};
	struct redfish_target *targets = arena_alloc(&a, n + 1, sizeof(*targets));
	const struct redfish_options o = {.user = b->credentials->user,
					  .password = b->credentials->password,
					  .ca = bmc->ca,
					  .insecure = bmc->insecure,
					  .chassis = !b->site->chassis_every,
					  .limit = bmc->limit,
					  .stop = b->runner->stop};
	struct bmcs m = {b, targets};
	int rc;

	for (size_t i = 0; i < n; i++) {
		targets[i].node = nodes[i];
		targets[i].address = address_of(&a, bmc->address, nodes[i]);
		targets[i].pin = pin_of(bmc, nodes[i]);
	}
	rc = redfish_read(targets, n, &o, on_bmc, &m, e);
	arena_release(&a);
	return rc;
}

/* On the nodes, or over ssh on their BMCs: what the commands print, put together */

struct printed {
	struct names index; /* name a node is reached by -> place */
	struct strbuf *out;
	const char **why; /* the first thing that failed, in the arena */
	struct arena arena;
};

static int on_printed(void *ctx, const struct reach_result *res, struct err *e)
{
	struct printed *p = ctx;
	size_t i = names_find(&p->index, res->node);

	(void)e;
	if (i == NAMES_NONE)
		return 0;
	strbuf_add(&p->out[i], res->out, res->out_len);
	strbuf_addch(&p->out[i], '\n');
	/* racadm ends with 0 when it fails, and not when it does: its text is what counts
	 */
	if (res->why && !res->out_len && !p->why[i])
		p->why[i] = arena_strdup(&p->arena, res->why);
	return 0;
}

static int put_printed(const struct bios_stage *b, const struct bios_source *source,
		       const char *node, const struct printed *p, size_t i, struct err *e)
{
	const struct bios_text text = {strbuf_str(&p->out[i]), p->out[i].len, "", NULL};
	struct bios_reading reading;
	int rc;

	bios_read(&reading, source, &text, 1);
	if (p->why[i]) {
		settings_release(&reading.settings);
		reading.error = p->why[i];
	}
	rc = put(b, node, &reading, e);
	bios_reading_release(&reading);
	return rc;
}

/* A BMC's shell knows racadm and neither env nor quotes: the words go as they are. */
static int bmc_reach(const struct launcher_context *c, const char *node,
		     const char *const *words, size_t n, struct arena *a,
		     struct command *out, struct err *e)
{
	struct words argv = {0};

	(void)e;
	words_split(&argv, a, c->site->bmc.agent);
	words_add(&argv, a, node);
	for (size_t i = 0; i < n; i++)
		words_add(&argv, a, words[i]);
	out->argv = argv.items;
	out->remote = true;
	return 0;
}

static const struct launcher bmc_launcher = {.name = "bmc", .reach = bmc_reach};

static int read_nodes(const struct bios_stage *b, const struct bios_source *source,
		      const char *const *nodes, size_t n, struct err *e)
{
	const bool bmcs = b->site->bmc.agent && b->site->bmc.address;
	struct runner r = *b->runner;
	struct printed p = {.out = mem_calloc(n + 1, sizeof(*p.out)),
			    .why = mem_calloc(n + 1, sizeof(*p.why))};
	const char **names = mem_calloc(n + 1, sizeof(*names));
	int rc = 0;

	if (bmcs)
		r.launcher = &bmc_launcher;
	for (size_t i = 0; i < n; i++) {
		names[i] = bmcs ? address_of(&p.arena, b->site->bmc.address, nodes[i])
				: nodes[i];
		(void)names_add(&p.index, names[i], NULL);
	}
	for (size_t k = 0; source->command(k) && !rc && !(r.stop && *r.stop); k++) {
		const char *const *words = source->command(k);
		size_t n_words = 0;

		while (words[n_words])
			n_words++;
		rc = runner_reach(&r, names, n, words, n_words, racadm_limit, on_printed,
				  &p, e);
	}
	for (size_t i = 0; i < n && !rc && !(r.stop && *r.stop); i++)
		rc = put_printed(b, source, nodes[i], &p, i, e);
	for (size_t i = 0; i < n; i++)
		strbuf_release(&p.out[i]);
	free(p.out);
	free(p.why);
	free(names);
	names_release(&p.index);
	arena_release(&p.arena);
	return rc;
}

/* From a folder: a node without a file there could not be read */

static int read_files(const struct bios_stage *b, const char *const *nodes, size_t n,
		      struct err *e)
{
	struct bios_files files = {0};
	int rc = bios_files_add(&files, b->site->bmc.files, e);

	for (size_t i = 0; i < n && !rc; i++) {
		size_t at = names_find(&files.nodes, nodes[i]), n_read = 1;
		struct bios_reading readings[BIOS_FILES_READINGS] = {
			{.source = "file", .error = BIOS_FILES_NONE}};

		if (at != NAMES_NONE)
			n_read = bios_files_read(&files.items[at], readings);
		for (size_t k = 0; k < n_read; k++) {
			rc = rc ? rc : put(b, nodes[i], &readings[k], e);
			bios_reading_release(&readings[k]);
		}
	}
	bios_files_release(&files);
	return rc;
}

int bios_stage_read(const struct bios_stage *b, const struct bios_source *source,
		    const char *const *nodes, size_t n, struct err *e)
{
	if (!n)
		return 0;
	if (b->site->bmc.files)
		return read_files(b, nodes, n, e);
	if (!source)
		return 0;
	return source->where == BIOS_BMC ? read_bmcs(b, nodes, n, e)
					 : read_nodes(b, source, nodes, n, e);
}
