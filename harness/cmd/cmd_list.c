/* SPDX-License-Identifier: Apache-2.0 */
/* assay list: what there is to choose from, a line each, from the tables themselves. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "bios/source.h"
#include "cmd/judged.h"
#include "judge/judge_config.h"
#include "reports/term.h"
#include "run/launcher.h"
#include "run/runner.h"

struct entry {
	const char *name, *help;
};

struct entries {
	struct arena arena;
	struct entry *items;
	size_t n, cap;
};

static void add(struct entries *l, const char *name, const char *help)
{
	mem_grow(&l->items, &l->cap, l->n + 1, sizeof(*l->items));
	l->items[l->n++] = (struct entry){name, help};
}

static int by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* What a kernel says of itself; one that cannot say it is listed with the reason. */
static void describe(struct entries *l, const char *bindir, struct entry *k)
{
	char *run_id = arena_printf(&l->arena, "list-%ld", (long)getpid());
	struct err e = {0};
	const char *json;

	if (runner_describe(bindir, run_id, k->name, &l->arena, &json, &e))
		k->help = arena_strdup(&l->arena, e.msg);
	else
		k->help = arena_printf(&l->arena, "%s (%s)",
				       record_json_text(&l->arena, json, "help"),
				       record_json_text(&l->arena, json, "shape"));
}

/* Kernels are the programs assay-NAME beside this one, but for the probe. */
static int list_kernels(const struct cmd_env *env, struct entries *l, struct err *e)
{
	static const char prefix[] = "assay-";
	DIR *d = opendir(env->bindir);

	if (!d)
		return err_sys(e, errno, "cannot read '%s'", env->bindir);
	for (const struct dirent *f = readdir(d); f; f = readdir(d)) {
		const char *name = f->d_name + sizeof(prefix) - 1;

		if (!strncmp(f->d_name, prefix, sizeof(prefix) - 1) &&
		    strcmp(name, "probe") != 0 &&
		    !faccessat(dirfd(d), f->d_name, X_OK, 0))
			add(l, arena_strdup(&l->arena, name), NULL);
	}
	(void)closedir(d);
	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), by_name);
	for (size_t i = 0; i < l->n; i++)
		describe(l, env->bindir, &l->items[i]);
	return 0;
}

static int list_launchers(const struct cmd_env *env, struct entries *l, struct err *e)
{
	(void)env;
	(void)e;
	for (size_t i = 0; launcher_at(i); i++)
		add(l, launcher_at(i)->name, launcher_at(i)->help);
	return 0;
}

static int list_sources(const struct cmd_env *env, struct entries *l, struct err *e)
{
	(void)env;
	(void)e;
	for (size_t i = 0; bios_source_at(i); i++)
		add(l, bios_source_at(i)->name, bios_source_at(i)->help);
	return 0;
}

static int list_rules(const struct cmd_env *env, struct entries *l, struct err *e)
{
	(void)env;
	(void)e;
	for (size_t i = 0; rule_at(i); i++)
		add(l, rule_at(i)->name, rule_at(i)->help);
	return 0;
}

static int list_reports(const struct cmd_env *env, struct entries *l, struct err *e)
{
	(void)env;
	(void)e;
	for (size_t i = 0; report_at(i); i++)
		add(l, report_at(i)->name,
		    arena_printf(&l->arena, "report%s: %s", report_at(i)->suffix,
				 report_at(i)->help));
	return 0;
}

static int list_profiles(const struct cmd_env *env, struct entries *l, struct err *e)
{
	struct judge_config *c;

	if (judge_config_load(&c, env->configs, NULL, e))
		return -1;
	for (size_t i = 0; i < c->n_profiles; i++) {
		const struct profile *p = &c->profiles[i];

		add(l, arena_strdup(&l->arena, p->name),
		    arena_printf(&l->arena, "%zu attribute%s%s%s%s", p->n,
				 p->n == 1 ? "" : "s", p->include ? ", those of " : "",
				 p->include ? p->include : "",
				 p->include ? " among them" : ""));
	}
	judge_config_free(c);
	return 0;
}

static const struct topic {
	const char *name;
	int (*list)(const struct cmd_env *env, struct entries *l, struct err *e);
} topics[] = {
	{"kernels", list_kernels}, {"launchers", list_launchers},
	{"sources", list_sources}, {"rules", list_rules},
	{"reports", list_reports}, {"profiles", list_profiles},
};

enum { N_TOPICS = sizeof(topics) / sizeof(topics[0]), NAMES = 40, TEXTS = 500 };

static const struct topic *find(const char *word, struct err *e)
{
	struct suggest near = suggest_start(word);

	for (size_t i = 0; i < N_TOPICS; i++) {
		if (!strcmp(topics[i].name, word))
			return &topics[i];
		suggest_offer(&near, topics[i].name);
	}
	if (near.best)
		err_set(e, ERR_USAGE, "unknown list '%.64s', did you mean '%s'?", word,
			near.best);
	else
		err_set(e, ERR_USAGE, "unknown list '%.64s', see assay list --help",
			word);
	return NULL;
}

static int print(const struct entries *l, struct err *e)
{
	struct report_style style = cmd_style(fileno(stdout));
	struct strbuf text = {0};
	struct term t;
	size_t widest = 0;
	int rc;

	term_init(&t, &style);
	for (size_t i = 0; i < l->n; i++) {
		if (strlen(l->items[i].name) > widest)
			widest = strlen(l->items[i].name);
	}
	for (size_t i = 0; i < l->n; i++) {
		strbuf_reset(&text);
		term_clean(&t, &text, l->items[i].name, NAMES);
		term_wrap(&t, 0, strbuf_str(&text));
		term_pad(&t, widest + 2);
		strbuf_reset(&text);
		term_clean(&t, &text, l->items[i].help, TEXTS);
		term_wrap(&t, widest + 2, strbuf_str(&text));
		term_end(&t);
	}
	rc = judged_put(&t.out, stdout, e);
	strbuf_release(&text);
	term_release(&t);
	return rc;
}

static int run(const struct cmd_env *env, int argc, char **argv, struct err *e)
{
	const struct topic *topic;
	struct entries l = {0};
	char **words;
	int n, rc;

	rc = cmd_options(&cmd_list, NULL, 0, argc, argv, &words, &n, e);
	if (rc)
		return rc > 0 ? 0 : -1;
	if (n != 1)
		return err_set(e, ERR_USAGE, "one of %s, not %d words", cmd_list.usage,
			       n);
	topic = find(words[0], e);
	if (!topic)
		return -1;
	rc = topic->list(env, &l, e);
	if (!rc)
		rc = print(&l, e);
	free(l.items);
	arena_release(&l.arena);
	return rc;
}

const struct command_def cmd_list = {
	.name = "list",
	.usage = "kernels|launchers|sources|rules|reports|profiles",
	.help = "what there is to choose from",
	.run = run,
};
