/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches over pairs of nodes, which go by rounds: one that follows another that was cut
 * off goes on behind its last whole round. The nodes of the first launch are the players
 * of all rounds; those that are out since are absent.
 */
#ifndef ASSAY_PLAN_ROUNDS_H
#define ASSAY_PLAN_ROUNDS_H

#include "plan/step.h"

/*
 * Adds to the options of @s, on pairs, what its kernel must know of the launches of the
 * same key that the journal has; @a holds the texts. A launch that looks for a culprit is
 * kept to a few rounds.
 */
void rounds_go_on(const struct state *state, struct step *s, struct arena *a);

#endif
