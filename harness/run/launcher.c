/* SPDX-License-Identifier: Apache-2.0 */
/* The table of launchers and what they share: see launcher.h. */
#include "run/launcher.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/suggest.h"

#define LAUNCHER(name) extern const struct launcher launcher_##name;
#include "run/launchers.def"
#undef LAUNCHER

static const struct launcher *const launchers[] = {
#define LAUNCHER(name) &launcher_##name,
#include "run/launchers.def"
#undef LAUNCHER
};

enum { N_LAUNCHERS = sizeof(launchers) / sizeof(launchers[0]) };

const struct launcher *launcher_at(size_t i)
{
	return i < N_LAUNCHERS ? launchers[i] : NULL;
}

const struct launcher *launcher_find(const char *name)
{
	for (size_t i = 0; i < N_LAUNCHERS; i++) {
		if (!strcmp(launchers[i]->name, name))
			return launchers[i];
	}
	return NULL;
}

const struct launcher *launcher_auto(const struct launcher_context *c)
{
	struct err ignored = {0};

	return launcher_mpirun.usable(c, &ignored) ? &launcher_local : &launcher_mpirun;
}

static int unknown(const char *name, struct err *e)
{
	const char *names[N_LAUNCHERS], *near;

	if (!strcmp(name, "srun"))
		return err_set(e, ERR_USAGE,
			       "launcher 'srun': not yet, use 'mpirun', which works "
			       "inside Slurm");
	for (size_t i = 0; i < N_LAUNCHERS; i++)
		names[i] = launchers[i]->name;
	near = suggest(name, names, N_LAUNCHERS);
	return near ? err_set(e, ERR_USAGE,
			      "unknown launcher '%.64s', did you mean '%s'?", name, near)
		    : err_set(e, ERR_USAGE,
			      "unknown launcher '%.64s', see assay list launchers", name);
}

int launcher_pick(const struct launcher **out, const char *name,
		  const struct launcher_context *c, struct err *e)
{
	*out = strcmp(name, "auto") ? launcher_find(name) : launcher_auto(c);
	return *out ? (*out)->usable(c, e) : unknown(name, e);
}

/* Without a domain a name stands for the same name in any; two domains differ. */
static bool same_host(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), m = strcspn(b, ".");

	if (a[n] && b[m])
		return !strcasecmp(a, b);
	return n == m && !strncasecmp(a, b, n);
}

bool launcher_is_here(const struct launcher_context *c, const char *node)
{
	char name[256] = "";

	if (!strcasecmp(node, "localhost"))
		return true;
	if (c->host)
		return same_host(node, c->host);
	return !gethostname(name, sizeof(name) - 1) && same_host(node, name);
}

const char *launcher_program(const struct launcher_context *c, const struct step *s,
			     struct arena *a)
{
	if (s->n_command)
		return s->command[0];
	return arena_printf(a, "%s/assay-%s", c->bindir, s->kernel);
}

int launcher_root(const struct launcher_context *c, const char *name, struct err *e)
{
	if (geteuid() || c->allow_root)
		return 0;
	return err_set(e, ERR_USAGE,
		       "this is root, which %s is not started as: use another user, or "
		       "say --allow-root",
		       name);
}

int launcher_reach(const struct launcher_context *c, const char *node,
		   const char *const *words, size_t n, struct arena *a,
		   struct command *out, struct err *e)
{
	/* of a job with --cpus-per-task: srun would take them for this step's size */
	static const char *const sizes[] = {"SLURM_CPUS_PER_TASK", "SRUN_CPUS_PER_TASK",
					    "SLURM_EXACT", NULL};
	struct words argv = {0}, far = {0};

	(void)e;
	if (launcher_is_here(c, node)) {
		for (size_t i = 0; i < n; i++)
			words_add(&argv, a, words[i]);
	} else if (c->slurm) {
		/* the probe is to see all CPUs of the job, as mpirun's daemon does */
		words_split(&argv, a, "srun -N1 -n1 --overlap --cpu-bind=none -w");
		words_add(&argv, a, node);
		for (size_t i = 0; i < n; i++)
			words_add(&argv, a, words[i]);
		out->env = arena_dup(a, sizes, sizeof(sizes) / sizeof(*sizes),
				     sizeof(*sizes));
		out->remote = true;
	} else {
		/* env: the shell there may be any, and has not got our environment */
		words_add(&far, a, "env");
		words_add(&far, a, arena_printf(a, "ASSAY_RUN=%s", c->run_id));
		for (size_t i = 0; i < n; i++)
			words_add(&far, a, words[i]);
		words_split(&argv, a, c->site->remote_agent);
		words_add(&argv, a, node);
		words_add(&argv, a, words_quote(a, far.items, far.n));
		out->remote = true;
	}
	out->argv = argv.items;
	return 0;
}

void words_add(struct words *w, struct arena *a, const char *word)
{
	if (w->n + 1 >= w->cap) {
		const char **old = w->items;

		w->cap = w->cap ? 2 * w->cap : 16;
		w->items = arena_alloc(a, w->cap, sizeof(*w->items));
		for (size_t i = 0; i < w->n; i++)
			w->items[i] = old[i];
	}
	w->items[w->n++] = word;
	w->items[w->n] = NULL;
}

void words_split(struct words *w, struct arena *a, const char *text)
{
	for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
		size_t n = strcspn(text, " \t");

		words_add(w, a, arena_strndup(a, text, n));
		text += n;
	}
}

static bool plain(const char *word)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789@%_+=:,./-";

	return *word && !word[strspn(word, safe)];
}

const char *words_quote(struct arena *a, const char *const *words, size_t n)
{
	struct strbuf sb = {0};
	const char *text;

	for (size_t i = 0; i < n; i++) {
		if (i)
			strbuf_addch(&sb, ' ');
		if (plain(words[i])) {
			strbuf_addstr(&sb, words[i]);
			continue;
		}
		strbuf_addch(&sb, '\'');
		for (const char *p = words[i]; *p; p++) {
			if (*p == '\'')
				strbuf_addstr(&sb, "'\\''");
			else
				strbuf_addch(&sb, *p);
		}
		strbuf_addch(&sb, '\'');
	}
	text = arena_strdup(a, strbuf_str(&sb));
	strbuf_release(&sb);
	return text;
}
