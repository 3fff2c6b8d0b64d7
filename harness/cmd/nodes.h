/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes as `assay nodes` found them, and the forms it shows them in. */
#ifndef ASSAY_CMD_NODES_H
#define ASSAY_CMD_NODES_H

#include <stdio.h>

#include "base/names.h"
#include "plan/site.h"
#include "record/record.h"
#include "reports/report.h"

struct nodes_item {
	const char *name;          /* as asked for */
	const char *why;           /* there are no facts: why; else NULL */
	struct record_node record; /* valid without why */
};

struct nodes {
	const struct site *site;
	struct nodes_item *items; /* in the order of hostlist_compare() */
	size_t n;
};

/*
 * A row for all nodes that are alike in what the row shows, so that the odd one of a
 * thousand stands out; then what could not be read, and nodes without facts.
 */
int nodes_table(const struct nodes *nodes, const struct report_style *style, FILE *out,
		struct err *e);

/* {"schema":1,"nodes":[{"name","host","class","facts"} | {"name","why"}]} */
int nodes_json(const struct nodes *nodes, FILE *out, struct err *e);

/*
 * A site file of these nodes at @path, which must not exist: names, and under `expect`
 * what all that know it agree in. What they differ in becomes a comment with the values
 * and who has them.
 */
int nodes_write_site(const struct nodes *nodes, const char *path, struct err *e);

/* Memory modules and adapters of a node; 0 and NULL where nothing is known. */
struct nodes_devices {
	size_t modules, module_sizes; /* how many, of how many sizes */
	double module_size;           /* bytes */
	double speed;                 /* transfers/s, of the slowest */
	size_t adapters, ports_down;  /* ports: those of InfiniBand that are not active */
	const char *adapter;          /* type of the first */
	bool mixed;                   /* there are others */
	double rate;                  /* B/s, of the fastest active port */
};

/* From the JSON text of a node's facts; texts in @a. */
void nodes_devices_read(struct nodes_devices *d, const char *facts, struct arena *a);

/* Nodes by what they have in common: text -> names. A zeroed struct is empty. */
struct nodes_group {
	const char **names; /* borrowed */
	size_t n, cap;
};

struct nodes_groups {
	struct names keys; /* in order of first sight */
	struct nodes_group *items;
	size_t cap;
};

/* Puts @name to those with @key; the number of the key. */
size_t nodes_groups_add(struct nodes_groups *g, const char *key, const char *name);
/* The names with key number @i as a folded hostlist, in @a. */
const char *nodes_groups_list(const struct nodes_groups *g, size_t i, struct arena *a);
void nodes_groups_release(struct nodes_groups *g);

#endif
