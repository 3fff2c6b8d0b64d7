/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who carried the messages of a launch: the text of an event "transport", and what the
 * ports it names can do.
 */
#ifndef ASSAY_JUDGE_CARRIERS_H
#define ASSAY_JUDGE_CARRIERS_H

#include "record/state.h"

struct carrier {
	char name[128]; /* "mlx5_0:1", "hsn0", "memory" */
	char kind[32];  /* ib, roce, opa, tcp, shm */
};

/*
 * The next of "mlx5_0:1 (ib): 12.6 MB sent, eth0 (tcp): 3 MB sent" (record.def), *text
 * behind it then; false at the end, and of a text that is not known.
 */
bool carriers_next(const char **text, struct carrier *c);

/*
 * The least of the line rates of the nodes of @st, B/s in one direction: of each the sum
 * over the ports that carried its messages, by their state in the node's facts. 0 and
 * *why_not, one clause, where something of it is not known, and for TCP, which is bound
 * by the CPUs and not by the line.
 */
double carriers_line_rate(const struct state *state, const struct state_step *st,
			  const char **why_not);

#endif
