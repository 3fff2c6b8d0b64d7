/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe on the nodes of a run: what is run there, and what its answer says. Facts
 * that only root can read come from files which the site names and somebody saved with
 * `assay-probe --save`.
 */
#ifndef ASSAY_CMD_PROBE_H
#define ASSAY_CMD_PROBE_H

#include <jansson.h>

#include "base/names.h"
#include "plan/plan.h"
#include "plan/site.h"
#include "run/runner.h"

/* Seconds for one node, the way there included, where no plan says. */
enum { PROBE_LIMIT = PLAN_PROBE_LIMIT, PROBE_WORDS = 6 };

/* Facts saved earlier. A zeroed struct has none. */
struct probe_saved {
	struct names nodes; /* name as in the site file, or "HOST" of a file for all */
	json_t **facts;     /* by number of the name */
	size_t cap;
};

/* Reads the files of @site; ERR_USAGE names the place in the site file. */
int probe_saved_load(struct probe_saved *s, const struct site *site, struct err *e);
void probe_saved_release(struct probe_saved *s);

/*
 * The command for a node: @bindir/assay-probe --format records. Texts in @a; the number
 * of words. With @mask_users no name of a user leaves the node. @run is the run it is
 * for, whose processes are no strangers there; NULL: none.
 */
size_t probe_words(const char *bindir, bool mask_users, const char *run, struct arena *a,
		   const char *words[PROBE_WORDS]);

/*
 * Reads a node's answer into @out, with the name it was asked by, with the facts of
 * @saved that it could not read itself and with what its clock is ahead of ours. NULL, or
 * one sentence why there is no record: the node could not be reached, the probe failed or
 * is of another build, a program cannot run there, or the answer is not whole. In @a.
 */
const char *probe_read(const struct reach_result *res, const struct probe_saved *saved,
		       struct arena *a, struct record_node *out);

#endif
