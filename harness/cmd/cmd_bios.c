/* SPDX-License-Identifier: Apache-2.0 */
/* assay bios: what nodes are set to, against what they should be. */
#include <string.h>

#include "base/suggest.h"
#include "cmd/bios.h"
#include "cmd/campaign.h"

static const struct word {
	const char *name;
	int (*run)(struct bios_look *l, struct err *e);
} table[] = {
	{"check", bios_check},
	{"show", bios_show},
	{"diff", bios_diff},
	{"remedy", bios_remedy},
};

enum { WORDS = sizeof(table) / sizeof(table[0]) };

static const struct word *find(const char *text, struct err *e)
{
	struct suggest near = suggest_start(text);

	for (size_t i = 0; i < WORDS; i++) {
		if (!strcmp(table[i].name, text))
			return &table[i];
		suggest_offer(&near, table[i].name);
	}
	if (near.best)
		err_set(e, ERR_USAGE, "unknown word '%.64s', did you mean '%s'?", text,
			near.best);
	else
		err_set(e, ERR_USAGE, "unknown word '%.64s', see assay bios --help",
			text);
	return NULL;
}

static int look(const struct cmd_env *env, const struct bios_args *args,
		const struct word *w, char **words, int n, struct err *e)
{
	struct bios_look l;
	int status = bios_look_open(&l, env, args, e);

	l.stop = campaign_signals();
	if (!status)
		status = n ? bios_look_files(&l, words, n, e) : bios_look_live(&l, e);
	if (!status)
		status = w->run(&l, e);
	if (status >= 0 && *l.stop)
		status = 128 + (int)*l.stop;
	bios_look_release(&l);
	return status;
}

static int run(const struct cmd_env *env, int argc, char **argv, struct err *e)
{
	struct bios_args a = {.format = "table"};
	const struct cmd_option options[] = {
		{"profile", 0, CMD_TEXT, "NAME|FILE", "what the settings should be",
		 &a.profile},
		{"site", 0, CMD_TEXT, "FILE", "site file: nodes, their BMCs, the profile",
		 &a.site},
		{"nodes", 0, CMD_TEXT, "LIST", "hostlist, or - for names on stdin",
		 &a.nodes},
		{"hostfile", 0, CMD_TEXT, "FILE", "hostfile of a launcher", &a.hostfile},
		{"all", 0, CMD_FLAG, NULL,
		 "diff: noise, and what is of one node alone, as well", &a.all},
		{"format", 0, CMD_TEXT, "FORM", "table (default) or json", &a.format},
	};
	const struct word *w;
	char **words;
	int n, rc = cmd_options(&cmd_bios, options, sizeof(options) / sizeof(options[0]),
				argc, argv, &words, &n, e);

	if (rc)
		return rc < 0 ? -1 : 0;
	if (!n)
		return err_set(e, ERR_USAGE,
			       "one of check, show, diff, remedy: see assay bios --help");
	w = find(words[0], e);
	if (!w)
		return -1;
	return look(env, &a, w, words + 1, n - 1, e);
}

const struct command_def cmd_bios = {
	.name = "bios",
	.usage = "check|show|diff|remedy [FILE|DIR...] [options]",
	.help = "BIOS settings of nodes: against a profile, the running system, each "
		"other",
	.run = run,
};
