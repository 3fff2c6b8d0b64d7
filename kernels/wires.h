/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes each network interface of a node has sent, by the kernel's own counters. MPI has
 * no standard way to say what carries its messages, and libraries fall back in silence;
 * the counters cannot be fooled.
 */
#ifndef ASSAY_KERNELS_WIRES_H
#define ASSAY_KERNELS_WIRES_H

#include <stdint.h>

#include "base/strbuf.h"

enum { WIRES_MAX = 64 };

struct wire {
	char name[64];         /* "hsn0", "mlx5_0:1" */
	const char *transport; /* "tcp", "ib", "opa", "roce" */
	uint64_t sent;         /* bytes */
};

struct wires {
	struct wire items[WIRES_MAX]; /* more than that is not counted */
	int n;
};

/*
 * Reads them: ROOT/sys/class/net and ROOT/sys/class/infiniband, @root "" or a recorded
 * tree. What would count twice is left out: members of a bond or bridge, what a VLAN
 * sends through the device below, TCP through an InfiniBand port.
 */
void wires_read(const char *root, struct wires *w);

/* What each sent between two readings, those that sent more first. */
void wires_between(const struct wires *before, const struct wires *after,
		   struct wires *out);

/*
 * What each sent since @before, once the counters show @payload bytes, or have not in
 * time: some drivers bring them up to date once a second.
 */
void wires_since(const struct wires *before, uint64_t payload, struct wires *sent);

/* Bytes that went through the loopback so far; ROOT as above. */
uint64_t wires_loopback(const char *root);

/* Bytes of all together. */
uint64_t wires_total(const struct wires *w);

/*
 * Appends who carried @payload bytes of messages: "hsn0 (tcp): 12.6 MB sent", more with
 * commas between them, without those that carried less than a tenth of it; or, when the
 * counters show less than half of it in all, "unknown: 12.6 MB of messages, of which no
 * interface counted more than ...".
 */
void wires_say(const struct wires *sent, uint64_t payload, struct strbuf *out);

/*
 * The same for messages within a node: "lo (tcp): ..." when @loopback bytes went that
 * way, else "memory (shm): ...".
 */
void wires_say_near(uint64_t loopback, uint64_t payload, struct strbuf *out);

#endif
