/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run from plan to report: what `assay run` does once its words are parsed.
 *
 *     do { state = replay(journal); v = judge(state);
 *          steps = next_steps(plan, state, v.requests, budget); run(steps); } while
 * (steps)
 *
 * Only the journal is carried from one round to the next, so a resumed run is the same
 * loop entered with a journal that is not empty.
 */
#ifndef ASSAY_CMD_CAMPAIGN_H
#define ASSAY_CMD_CAMPAIGN_H

#include <jansson.h>

#include "bios/credentials.h"
#include "cmd/cmd.h"
#include "cmd/probe.h"
#include "cmd/progress.h"
#include "judge/judge.h"
#include "plan/plan.h"
#include "plan/site.h"
#include "run/folder.h"
#include "run/runner.h"
#include "run/slurm.h"

/* What the command line said. */
struct campaign_args {
	const char *plan, *site, *nodes, *hostfile, *launcher, *output, *baseline;
	const char *time_limit, *resume;
	const char *topology; /* of a dry run: what every node is taken to look like */
	struct cmd_list sets;
	bool allow_root, dry_run, quiet, mask_users;
	int argc; /* the command line as it was, for the journal */
	char **argv;
};

struct campaign {
	const struct cmd_env *env;
	const struct campaign_args *args;
	struct arena arena;
	struct plan plan;
	struct site site;
	struct probe_saved saved; /* none when resumed and all nodes were probed */
	struct judge_config *judge;
	const char *site_origin; /* absolute path of the site file, or NULL */
	const char *profile; /* BIOS profile of the site, by its own name; NULL: none */
	struct credentials credentials; /* of the BMCs, until they were asked */
	struct slurm slurm;
	struct slurm_view view; /* what Slurm says of the nodes */
	double job_end; /* clock_now() by which Slurm wants us done; INFINITY: never */
	const char **nodes;
	size_t n_nodes;
	const char *kernels; /* JSON: kernel -> its --describe */
	const char *plan_path, *site_path, *configs, *baseline; /* what was loaded */
	char run_id[64];
	bool allow_root, resumed;
	struct folder folder;
	struct runner runner;
	struct progress progress;
	struct names
		kills_of; /* nodes asked about their OOM killer, and its count there */
	int64_t *kills;
	size_t cap_kills;
	const char *remark; /* on the plan and its nodes, for the journal; or NULL */
	double t0;          /* clock_now() at the start */
	char **argv;        /* command line for the journal */
	int argc;
};

/*
 * Reads and checks everything; nothing is launched and no folder made. Errors are
 * ERR_USAGE for anything the user wrote.
 */
int campaign_prepare(struct campaign *c, const struct cmd_env *env,
		     const struct campaign_args *args, struct err *e);
/* The same from the folder of an earlier start, whose lock is then held. */
int campaign_resume(struct campaign *c, const struct cmd_env *env,
		    const struct campaign_args *args, struct err *e);

/*
 * Probes the nodes (or takes them as --topology says) and prints what would be started,
 * behind gates as well. 0, 3 when a node gave no facts, or -1.
 */
int campaign_dry_run(struct campaign *c, FILE *out, struct err *e);

/* Runs to the end and prints the report on stdout. The exit status, or -1. */
int campaign_run(struct campaign *c, struct err *e);

/* Parts of the above, each in a file of its own. */

/* Makes (or, resumed, opens) the folder and journals `run` and, once, `plan`. */
int campaign_open(struct campaign *c, struct err *e);
/* What Slurm says of the nodes that were chosen, and how long the job may run. */
int campaign_slurm(struct campaign *c, struct err *e);
/* Seconds this run may still take, by the plan and by Slurm; INFINITY: no limit. */
double campaign_time_left(const struct campaign *c);
/* The plan record, as the journal and the planner of a dry run get it. */
struct record campaign_plan_record(struct campaign *c);
/* Its part about the site, as JSON. */
const char *campaign_site(struct campaign *c);
/* @v as compact text in @a; takes the reference. */
const char *campaign_json(struct arena *a, json_t *v);
/*
 * Probes the nodes that have no facts in @s yet; a node that gives none is "lost", as is
 * one that Slurm has taken out of service.
 */
int campaign_probe(struct campaign *c, const struct state *s, struct record_sink *sink,
		   struct err *e);
/*
 * After a round: which nodes of a launch over several that failed still answer ("silent"
 * events of the others), and whether it was the kernel for want of memory that ended a
 * launch by SIGKILL (event "killer").
 */
int campaign_ask(struct campaign *c, const struct steps *steps, struct err *e);
/* Resumed: ends what earlier starts left running, here and on the nodes. */
int campaign_end_old(struct campaign *c, struct err *e);

/*
 * The programs of others that the plan starts are on this machine, where it is one of the
 * nodes: before anything is launched. ERR_USAGE with the place in the plan.
 */
int campaign_commands(struct campaign *c, struct err *e);
/*
 * A dry run: asks the other nodes that have facts in @s whether those programs are there,
 * and prints what is not; *missing is how often.
 */
int campaign_ask_commands(struct campaign *c, const struct state *s, FILE *out,
			  size_t *missing, struct err *e);

/*
 * Gives every node without facts those of --topology: a file of hwloc's XML, the folder
 * of a recorded machine, or hwloc's synthetic description.
 */
int campaign_topology(struct campaign *c, struct record_sink *sink, struct err *e);
/* Prints what the machine of @n is, as far as placements depend on it. */
void campaign_print_machine(struct campaign *c, const struct record_node *n, FILE *out);

/* What the site's `bmc` needs is there; nothing is asked yet. campaign_bios.c */
int campaign_bios_prepare(struct campaign *c, struct err *e);
/* The BIOS settings of all nodes that the journal has none of. */
int campaign_bios(struct campaign *c, const struct state *s, struct err *e);
/* The credentials that a site's source needs, if any: file, environment, prompt. */
int campaign_credentials(struct credentials *c, const struct cmd_env *env,
			 const struct site *site, struct err *e);
/* The attribute says how a machine is set; @config is a struct judge_config. */
bool campaign_is_setting(const void *config, const char *name);

/* Catches the signals that end a run in order; what comes is there, 0 before. */
const volatile sig_atomic_t *campaign_signals(void);

void campaign_release(struct campaign *c);

#endif
