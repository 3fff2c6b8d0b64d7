/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Near to a network adapter and far from it: which NUMA domain it sits at, which one is
 * farthest, and which CPUs they have. Read from a machine's /sys, real or recorded.
 */
#ifndef ASSAY_KERNELS_KIT_LOCALITY_H
#define ASSAY_KERNELS_KIT_LOCALITY_H

#include "base/arena.h"
#include "base/err.h"

/* A domain with CPUs. */
struct locality_domain {
	int id;
	const char *cpus; /* as a list: "0-3,8" */
};

struct locality {
	struct arena arena;
	struct locality_domain *domains; /* rising ids */
	int n;
	int near, far; /* indices */
};

/*
 * Where @device of the machine at @root ("/") sits: an adapter ("mlx5_0", "mlx5_0:1") or
 * an interface ("hsn0"). Far is the domain with the largest distance (of those the one
 * with the largest number). -1, and in @e why, where it cannot be said or makes no
 * difference: one domain only, a device that is not on the PCI bus, firmware that does
 * not tell. locality_release() after, also then.
 */
int locality_read(struct locality *l, const char *root, const char *device,
		  struct err *e);
void locality_release(struct locality *l);

#endif
