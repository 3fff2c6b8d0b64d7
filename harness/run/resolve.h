/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first rung of the preflight: names of nodes to addresses. The resolver can hang, so
 * it is asked in child processes (assay-probe --resolve), which have a limit.
 */
#ifndef ASSAY_RUN_RESOLVE_H
#define ASSAY_RUN_RESOLVE_H

#include "base/names.h"
#include "run/runner.h"

/* Seconds for all names that are asked at the same time. */
enum { RESOLVE_LIMIT = 5 };

struct resolve_name {
	const char *addresses; /* with blanks between them; NULL: none */
	const char *why;       /* there is no address, in words; NULL: there is one */
	bool hung;             /* no answer within the limit */
};

/* A zeroed struct is empty. */
struct resolve {
	struct names nodes;         /* those that were asked about */
	struct resolve_name *items; /* numbered as nodes is; texts in nodes.arena */
	size_t cap;
};

/*
 * Asks about all @nodes but this machine. About none where names are not what nodes are
 * reached by: within Slurm, and with a launcher for this machine or for tests. When
 * *@r->stop was set the rest is not asked. -1 only when no child can be started.
 */
int resolve_nodes(struct resolve *out, const struct runner *r, const char *const *nodes,
		  size_t n, double limit, struct err *e);
void resolve_release(struct resolve *r);

/* NULL when the node was not asked about. */
const struct resolve_name *resolve_find(const struct resolve *r, const char *node);

/*
 * What looks wrong though it resolves, a sentence each: an address that several names
 * share, or that is this machine's own loopback. In @a; *n is their number.
 */
const char **resolve_remarks(const struct resolve *r, struct arena *a, size_t *n);

#endif
