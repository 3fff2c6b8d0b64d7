/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A site: the machines and how to reach them. Read from configs/sites/NAME.yaml; every
 * key is optional, and without a file the site is this machine. Files it names are
 * relative to its own folder.
 */
#ifndef ASSAY_PLAN_SITE_H
#define ASSAY_PLAN_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "config/conf.h"

/* Nodes behind one leaf switch. */
struct site_group {
	const char *name;
	const char **nodes;
	size_t n_nodes;
};

struct site_fabric {
	const char *transport;   /* ib, roce, opa, tcp, ethernet (tcp or roce) or NULL */
	const char **interfaces; /* patterns such as "hsn*" or "mlx5_*"; none: not said */
	size_t n_interfaces;
	double rate; /* B/s of one port and direction; 0: not said */
	struct site_group *groups;
	size_t n_groups;
};

/* The management controllers. No secret is in here: credentials names a file. */
struct site_bmc {
	const char *address;     /* "{node}" in it stands for the node's name */
	const char *source;      /* name of a BIOS source */
	const char *credentials; /* file */
	const char *ca;          /* file */
	const char *profile; /* name of the BIOS profile the nodes should have, or file */
	const char *files;   /* folder of saved settings */
	const char *agent;   /* command in front of one for a BMC: ssh ... */
	struct conf_pair *pins; /* node -> "sha256//..." of its BMC's public key */
	size_t n_pins;
	bool insecure; /* its BMCs are not verified */
	double limit;  /* s of one request; 0: not said */
};

struct site {
	struct arena arena;
	const char *name;   /* "this machine" without a file */
	const char *path;   /* NULL without a file */
	const char **nodes; /* each once; none: the allocation's, or this machine */
	size_t n_nodes;
	const char
		*remote_agent; /* default: ssh -n -o BatchMode=yes -o ConnectTimeout=5 */
	const char **mpi_args;
	size_t n_mpi_args;
	struct conf_pair *mpi_env;
	size_t n_mpi_env;
	struct site_fabric fabric;
	int chassis_every; /* so many nodes in a row share a chassis; 0: not said */
	struct site_bmc bmc;
	struct conf_pair
		*expect; /* what was bought: cpu, sockets, memory, ... as written */
	size_t n_expect;
	struct conf_pair
		*min_deviation; /* "default" or a metric -> ratio as %.17g text */
	size_t n_min_deviation;
	struct conf_pair *facts; /* node -> file of facts saved earlier ("*" for all) */
	size_t n_facts;
	bool binding; /* references made with another BLAS are binding all the same */
};

/* @path NULL gives the site of this machine. Errors as plan_load(). */
int site_load(struct site *s, const char *path, struct err *e);
/*
 * The same from a copy of the file that was @path once: what it names is relative to that
 * folder still.
 */
int site_load_copy(struct site *s, const char *copy, const char *path, struct err *e);
void site_release(struct site *s);

#endif
