/* SPDX-License-Identifier: Apache-2.0 */
/* The topologies of a run's nodes, loaded once a class, as the planner's placer. */
#ifndef ASSAY_PLAN_PLACES_H
#define ASSAY_PLAN_PLACES_H

#include "plan/step.h"

struct places {
	const struct state *state; /* borrowed */
	struct names classes;
	struct places_class *by_class; /* by number of the class */
	size_t cap;
	struct arena arena;
};

/*
 * Loads the topology of every class of nodes in @state: from @dir/nodes/CLASS.xml, or
 * from the record itself where it still holds the XML (a dry run; @dir may be NULL then).
 * A topology that cannot be read is its nodes' fault, not ours: place() then refuses.
 */
void places_load(struct places *p, const struct state *state, const char *dir);
/* Borrows @p. */
struct placer places_placer(const struct places *p);
void places_release(struct places *p);

#endif
