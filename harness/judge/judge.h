/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge: rules over a replayed journal. One file rule_NAME.c and one line in
 * rules.def each; the rest (order of words, requires, exit status, requests) is judge.c.
 */
#ifndef ASSAY_JUDGE_JUDGE_H
#define ASSAY_JUDGE_JUDGE_H

#include "judge/verdict.h"

/* Baselines, CPU models, theory limits and what of the site matters for judging. */
struct judge_config;

/*
 * Loads DIR/cpus.yaml, DIR/theory.yaml, DIR/bios.yaml where it is there, all .yaml files
 * of DIR/baselines/ and DIR/bios/, then the file @baseline, or without one
 * DIR/baseline.yaml where it is there: its entries win. Errors as plan_load().
 */
int judge_config_load(struct judge_config **c, const char *configs_dir,
		      const char *baseline, struct err *e);
void judge_config_free(struct judge_config *c);

/*
 * The BIOS profile that @word means: the name of one there is, or a file, which is added
 * (it has a '/' or ends in ".yaml"). *name is what the profile calls itself. ERR_USAGE
 * with a suggestion.
 */
int judge_config_profile(struct judge_config *c, const char *word, const char **name,
			 struct err *e);

/* A file the configuration was read from. */
struct judge_file {
	const char *path;
	const char *name; /* where it belongs in a folder judge_config_load() reads */
};

/* All of them; the array is the configuration's. */
size_t judge_config_files(const struct judge_config *c, const struct judge_file **files);

struct series; /* values of one metric of one step name on one node: judge/series.h */
struct judge_nodes;
struct launches;
struct metrics;
struct roofs;
struct bios_view; /* settings of all nodes: judge/bios.h */

struct rule_input {
	const struct state *state;
	const struct judge_config *config;
	const struct series *series;
	size_t n_series;
	const struct judge_nodes *nodes;
	const struct launches *launches;
	const struct metrics *metrics; /* what the kernels declare */
	const struct roofs *roofs;
	const struct bios_view *bios;
	size_t repeats; /* of one step at most: the plan's limit */
};

struct rule {
	const char *name, *help;
	int (*judge)(const struct rule_input *in, struct summary *out, struct err *e);
};

const struct rule *rule_find(const char *name);
const struct rule *rule_at(size_t i); /* NULL at the end */

/* Judges. summary_release() after, also after an error. */
int judge(struct summary *out, const struct state *state, const struct judge_config *c,
	  struct err *e);
/* The same by one rule alone, for who has nothing else to be judged. */
int judge_by(struct summary *out, const struct state *state, const struct judge_config *c,
	     const char *rule, struct err *e);
void summary_release(struct summary *s);

/* For rules: a zeroed verdict to fill; its texts go into out->arena. */
struct verdict *summary_add(struct summary *out);

#endif
