/* SPDX-License-Identifier: Apache-2.0 */
/* What the judge must know of each node, taken from its facts once. */
#ifndef ASSAY_JUDGE_NODES_H
#define ASSAY_JUDGE_NODES_H

#include <stddef.h>

#include "base/names.h"
#include "judge/cpus.h"
#include "record/state.h"

/* Facts that baselines and limits may depend on, as their `match` names them. */
enum node_fact {
	NODE_CPU, /* normalised model */
	NODE_SOCKETS,
	NODE_VIRTUAL,      /* hypervisor or "none" */
	NODE_FABRIC,       /* its fastest active port for MPI: "InfiniBand 200 Gbit/s" */
	NODE_BIOS_SETTING, /* name of the BIOS profile the node matches */
	NODE_FACTS
};

extern const char *const node_fact_names[NODE_FACTS];

struct judge_node {
	const char *name;
	const char *class;             /* NULL without facts */
	const char *chassis;           /* NULL: not known */
	const char *facts[NODE_FACTS]; /* texts, NULL where not known */
	const struct cpu_model *model; /* NULL: not known */
	int sockets, cores;            /* online, 0: not known */
	/*
	 * Why nominal figures of the CPU model do not hold, one clause; NULL when they
	 * do. They are those of a whole machine: not of a virtual one, nor of one where
	 * not all cores are there and may be used.
	 */
	const char *not_nominal;
};

struct judge_nodes {
	struct names index; /* numbered as items is: nodes of the plan, in its order */
	struct judge_node *items;
	size_t n;
};

/* @cpus must outlive the result; texts go into its own arena. */
void nodes_make(struct judge_nodes *nodes, const struct state *state,
		const struct cpus *cpus);
/* Adds what their BIOS settings say: `bios.setting`, and chassis that nobody named. */
struct bios_view;
void nodes_bios(struct judge_nodes *nodes, const struct bios_view *bios);
void nodes_release(struct judge_nodes *nodes);

/* NULL for a name that is not of the plan, and for NULL. */
const struct judge_node *nodes_find(const struct judge_nodes *nodes, const char *name);

#endif
