/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A site: the machines and how to reach them. Read from configs/sites/NAME.yaml; every
 * key is optional, and without a file the site is this machine.
 */
#ifndef ASSAY_PLAN_SITE_H
#define ASSAY_PLAN_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct site_pair {
	const char *key, *value;
};

struct site {
	struct arena arena;
	const char *name; /* "this machine" without a file */
	const char *path; /* NULL without a file */
	const char **nodes;
	size_t n_nodes;
	const char
		*remote_agent; /* default: ssh -n -o BatchMode=yes -o ConnectTimeout=5 */
	const char **mpi_args;
	size_t n_mpi_args;
	struct site_pair *mpi_env;
	size_t n_mpi_env;
	struct site_pair
		*expect; /* what was bought: cpu, sockets, memory, ... as written */
	size_t n_expect;
	struct site_pair
		*min_deviation; /* "default" or a metric -> ratio as %.17g text */
	size_t n_min_deviation;
	struct site_pair *facts; /* node -> file of facts saved earlier ("*" for all) */
	size_t n_facts;
	bool binding; /* references made with another BLAS are binding all the same */
};

/* @path NULL gives the site of this machine. Errors as plan_load(). */
int site_load(struct site *s, const char *path, struct err *e);
void site_release(struct site *s);

#endif
