/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the words of `assay bios` share: the settings of some nodes, from saved files or
 * from the nodes themselves, as the records a run would have, and their judgement.
 */
#ifndef ASSAY_CMD_BIOS_H
#define ASSAY_CMD_BIOS_H

#include <signal.h>

#include "bios/files.h"
#include "cmd/cmd.h"
#include "judge/bios.h"
#include "judge/judge.h"
#include "plan/site.h"

struct bios_args {
	const char *profile, *site, *nodes, *hostfile, *format;
	bool all;
};

struct bios_look {
	const struct cmd_env *env;
	const struct bios_args *args;
	struct arena arena; /* owns the records' texts */
	struct site site;
	struct judge_config *config;
	const char *profile;               /* name, or NULL */
	bool json;                         /* form of the output */
	const volatile sig_atomic_t *stop; /* a signal that asks for an early end */
	struct state state; /* a plan of all nodes, and a record for each reading */
};

/* Loads site, configuration and profile; nothing is read yet. */
int bios_look_open(struct bios_look *l, const struct cmd_env *env,
		   const struct bios_args *args, struct err *e);
void bios_look_release(struct bios_look *l);

/*
 * Reads the files and folders @words, each node once, into the state; those of the nodes
 * that were asked for, where the command line or the site names any.
 */
int bios_look_files(struct bios_look *l, char **words, int n,
		    struct err *e); /* bios_saved.c */

/* Asks the nodes of the site or the command line: their BMCs, then their systems. */
int bios_look_live(struct bios_look *l, struct err *e); /* bios_live.c */
/* The plan record, which the readings follow. */
int bios_look_plan(struct bios_look *l, const char *const *nodes, size_t n,
		   struct err *e);

/* The reading as a record whose texts are ours: thousands of them are kept. */
int bios_look_put(struct bios_look *l, const char *node, struct bios_reading *reading,
		  struct err *e);
/* @node gave nothing, and @why: a record that says so. @source is a constant. */
int bios_look_missing(struct bios_look *l, const char *node, const char *source,
		      const char *why, struct err *e);

/* The words of the command; each prints on stdout and gives the exit status, or -1. */
int bios_check(struct bios_look *l, struct err *e);  /* bios_check.c */
int bios_show(struct bios_look *l, struct err *e);   /* bios_show.c */
int bios_diff(struct bios_look *l, struct err *e);   /* bios_diff.c */
int bios_remedy(struct bios_look *l, struct err *e); /* bios_remedy.c */

/* Settings of a record, for those that print them; texts in @a. */
int bios_look_settings(const struct record_bios *r, struct settings *s, struct arena *a);

#endif
