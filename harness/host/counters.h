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
 * counters_node(): of memory and CPUs:
 *
 *   mc0/ce_count, ue_count     errors of a memory controller (EDAC): corrected, not
 *   cpus/core_throttle_count, package_throttle_count
 *                              how often heat slowed cores down, all CPUs together
 *
 * What cannot be read is absent. All values are numbers of events, unit "ratio". Gauges,
 * which go up and down, are apart.
 */
#ifndef ASSAY_HOST_COUNTERS_H
#define ASSAY_HOST_COUNTERS_H

#include "base/arena.h"
#include "base/strbuf.h"
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

/* Adds one; texts are copied. */
void counters_add(struct counters *c, const char *name, const char *unit, double value);

/* Adds those of memory and CPUs. */
void counters_node(struct counters *c, const struct host_io *io);

/* NaN for what cannot be read. */
struct counters_gauges {
	double frequency;   /* Hz, mean of CPUs */
	double temperature; /* Celsius, of the hottest sensor of the CPUs */
};

/* Now, by at most 16 of the CPUs @asked. */
struct counters_gauges counters_gauges(const struct host_io *io, const int *asked,
				       size_t n);

/* Appends what of gauges and memory errors this machine does not tell; "" for nothing. */
void counters_unreadable(const struct host_io *io, const int *asked, size_t n,
			 struct strbuf *out);

/* Adds those of all ports of the machine. */
void counters_ports(struct counters *c, const struct host_io *io);

#endif
