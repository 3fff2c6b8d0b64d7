/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of a machine that tell of trouble when they move while something is measured.
 * What they say in all is history: only the difference of two readings counts.
 *
 * counters_ports(): errors, losses and waits of network ports, named "PORT/COUNTER":
 *
 *   mlx5_0:1/symbol_error      InfiniBand and RoCE: the names of sysfs, counters/ and
 *                              hw_counters/ (port_xmit_wait: ticks in which data waited
 *                              for credits: congestion, not an error)
 *   hsn0/rx_errors             Ethernet: statistics/, and carrier_changes
 *   tcp/RetransSegs            segments sent again, of the network namespace (RFC 4022)
 *
 * What cannot be read is absent. All values are numbers of events, unit "ratio".
 */
#ifndef ASSAY_HOST_COUNTERS_H
#define ASSAY_HOST_COUNTERS_H

#include "base/arena.h"
#include "host/io.h"

struct counter {
	const char *name;
	const char *of; /* name of the counter that it is a share of, or NULL */
	const char *unit;
	double value;
	bool background; /* moves all the time: it only stands behind others (.of) */
};

/* Zeroed it is empty; texts are its own. */
struct counters {
	struct arena arena;
	struct counter *items;
	size_t n, cap;
};

void counters_release(struct counters *c);

/* NULL when there is none of that name. */
const struct counter *counters_find(const struct counters *c, const char *name);

/* Adds those of all ports of the machine. */
void counters_ports(struct counters *c, const struct host_io *io);

#endif
