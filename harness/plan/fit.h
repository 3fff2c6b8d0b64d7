/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large a problem a launch gets. A kernel whose size is a choice says under "fit" of
 * its --describe how size and memory hang together (kernels/kit/kernel.h); the plan gives
 * a share of memory, or a size, and in a scaling series what grows with the nodes. The
 * result is options of the kernel, or why nothing of that kind fits: all is known before
 * anything is started.
 */
#ifndef ASSAY_PLAN_FIT_H
#define ASSAY_PLAN_FIT_H

#include <jansson.h>

#include "plan/step.h"

struct fit_question {
	const json_t *says;         /* what the kernel says of itself; NULL: nothing */
	const struct plan_step *ps; /* scaling */
	size_t smallest; /* nodes of the smallest set of its series; 0: it is in none */
	bool part; /* of a set that failed: a size that is too large becomes the largest
		    */
	double memory;    /* B a kernel may use on the smallest node; NaN: not known */
	const char *node; /* which node that is */
};

/*
 * Changes the options of @s, which is placed: "--memory SHARE" becomes the size that
 * follows from it, a size grows with the nodes where the step says so. Sets s->refused
 * when a size cannot be, is too large for the memory (with the largest that would do), or
 * when a process grid is not of as many ranks as there are. Texts go into @a. With memory
 * not known a share is left for the kernel to make something of.
 */
void fit_apply(const struct fit_question *q, struct step *s, struct arena *a);

#endif
