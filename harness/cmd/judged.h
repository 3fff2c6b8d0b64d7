/* SPDX-License-Identifier: Apache-2.0 */
/* A run folder replayed and judged, as run, judge, report and explain need it. */
#ifndef ASSAY_CMD_JUDGED_H
#define ASSAY_CMD_JUDGED_H

#include <stdio.h>

#include "base/strbuf.h"
#include "cmd/cmd.h"
#include "judge/judge.h"

struct judged {
	struct state state;
	struct summary summary;      /* of the state beside it: do not move the struct */
	struct judge_config *config; /* of judged_open(), else NULL */
	const char *dir;             /* as the user wrote it; borrowed */
};

/* What the options that commands share say. */
struct judged_options {
	const char
		*configs; /* folder with cpus.yaml, theory.yaml and baselines/, or NULL */
	const char *baseline; /* file whose references win, or NULL */
};

/*
 * Replays DIR/journal.jsonl and judges it by @c. judged_release() after, also after an
 * error. A folder without journal is ERR_USAGE.
 */
int judged_load(struct judged *v, const char *dir, const struct judge_config *c,
		struct err *e);

/*
 * The same with the configuration @o names; else the one that the run kept in DIR/config,
 * else the one that is installed.
 */
int judged_open(struct judged *v, const struct cmd_env *env, const char *dir,
		const struct judged_options *o, struct err *e);

/*
 * For reports that are written before the run's end is in the journal: they are about a
 * run that has ended, not about one that was cut off.
 */
void judged_ended(struct judged *v, const struct record_end *end);

/* Writes every report that there is into DIR. */
int judged_save(const struct judged *v, const char *dir, struct err *e);

/*
 * Writes the report @writer in the style of stdout. That nobody reads it any more
 * (assay ... | head -1) is no error.
 */
int judged_print(const struct judged *v, const char *writer, FILE *out, struct err *e);

void judged_release(struct judged *v);

/*
 * The writers that "term,json" names, in @list (at least as long as there are writers);
 * *n is their number. An unknown or repeated name is ERR_USAGE with a suggestion.
 */
int judged_formats(const char *text, const struct report_writer **list, size_t *n,
		   struct err *e);

/* Writes text to stdout; as in judged_print(), a reader that left is no error. */
int judged_put(struct strbuf *text, FILE *out, struct err *e);

#endif
