/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BIOS profiles: what the settings of a node should be, and how bad it is when they are
 * not. Read from configs/bios/NAME.yaml. Wanted values are compared as texts, so they are
 * kept exactly as written: Off, NO, 0755, 1e3, 1.10 are these texts and nothing else.
 *
 * `include: NAME` takes over all of another profile, NAME.yaml in the same folder or else
 * in that of the shipped ones, first; what is said again here stands instead.
 */
#ifndef ASSAY_JUDGE_PROFILE_H
#define ASSAY_JUDGE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

enum profile_severity { PROFILE_FAIL, PROFILE_WARN }; /* of another value */

struct profile_attribute {
	const char *name;  /* as the BMC spells it */
	const char **also; /* what other generations of boards call it, in order */
	size_t n_also;
	const char **want; /* any of these is right */
	size_t n_want;
	enum profile_severity severity;
	bool optional;     /* a board without it is right, too */
	const char *why;   /* one sentence */
	const char *where; /* file:line:col */
};

struct profile {
	struct arena arena;
	const char *name;
	const char *include; /* name of the one it takes over, or NULL */
	bool setting;        /* a node that matches it has this `bios.setting` */
	struct profile_attribute *attributes; /* of the included one first */
	size_t n;
	const char **files; /* that it includes and are not among the shipped ones */
	size_t n_files;
};

/*
 * Reads a profile; what it includes is in its own folder, else in @shipped (may be NULL).
 * ERR_USAGE with file:line:col, also for an attribute without a value. profile_release()
 * after, also after an error.
 */
int profile_load(struct profile *p, const char *path, const char *shipped, struct err *e);
void profile_release(struct profile *p);

#endif
