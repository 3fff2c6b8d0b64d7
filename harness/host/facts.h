/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts of one node: what `facts` of a node record holds, and the class of like nodes
 * that follows from them. Read by rules, reports and site files as dotted paths
 * ("cpu.model"); bytes, Hz and counts. A fact that is not known is absent, never guessed;
 * one that is there but could not be read is named under "unreadable" with the reason.
 * Texts are cleaned and at most HOST_IO_LINE bytes, lists of CPUs as long as they are.
 *
 *   cpu     model         "AMD EPYC 7713 64-Core Processor", runs of blanks folded;
 *                         "A + B" when the machine mixes models
 *           vendor        "AuthenticAMD"
 *           family, model_number, stepping, microcode
 *                         numbers (microcode a text); "A + B" where CPUs differ
 *           models        only when mixed: [{"model", "cpus"}]
 *           sockets, cores, threads
 *                         online packages, cores, CPUs; never derived from one another
 *           numa_domains  those that have CPUs
 *           smt           more than one CPU of a core is online (true/false)
 *           smt_control   the kernel's word: on, off, forceoff, notsupported, ...
 *           online, offline, mask
 *                         lists of CPUs "0-3,8"; mask: those this process may use
 *           flags         of all CPUs, out of a fixed list: ["avx2","fma",...]
 *           base_hz, max_hz, driver, governor ("A + B" where CPUs differ), boost
 *   cache   l3_size       bytes of one L3 (the smallest), l3_instances
 *           llc_level, llc_instances, llc_total
 *                         the last level there is, bytes of all instances together
 *           l3            [{"cpus", "package"}], see numa
 *   numa    [{"id", "cpus", "memory"}]
 *                         in order of id, which need not be 0..n-1; cpus "" and memory 0
 *                         are domains without; memory absent: not known
 *           package       place of the package that holds all its CPUs, from 0; absent:
 *                         several do
 *           distances     of the domains that are online, as the SLIT has them
 *   idle    states        names of the first CPU's idle states, in order; driver, limited
 *                         (the kernel was told to use fewer)
 *   iommu   units         how many IOMMUs the kernel uses; told (what to do, on its
 *                         command line)
 *   prefetchers
 *           l1_stream, l1_stride, l1_region, l2_stream, l2_up_down
 *                         on or off (AMD family 19h; root only)
 *   memory  total, available, usable, usable_from, hugepages_reserved, hugepages_free
 *                         bytes; see memory.h
 *           hugepage_size bytes of one, where any are reserved
 *           swap_used     bytes; absent: none
 *           oom_kills     processes the kernel ended since boot for want of memory
 *   os      kernel, distro, hostname, clocksource, thp (always, madvise, never),
 *           numa_balancing (0 off)
 *   dmi     vendor, product, board, bios_version, bios_date, serial (root only)
 *   smbios  what DMI's table says; root only
 *           sockets, sockets_populated, dimm_slots
 *           dimms         like modules are one entry: [{"slots": ["A1", ...], "size",
 *                         "type": "DDR4", "speed", "configured", "rank", "maker",
 *                         "part"}]; bytes, 0 for empty slots; transfers/s
 *           slots         [{"name": "PCIe Slot 1", "address": "0000:41:00.0"}]
 *   pci     network devices by address: {"0000:41:00.0": {...}}
 *           class         ethernet, infiniband, fabric or network
 *           vendor, device, driver
 *                         "15b3", "101b", "mlx5_core"
 *           names         ["mlx5_0", "ib0"]
 *           slot          the kernel's number of it
 *           links         its own, then those of switches above it: [{"device", "port",
 *                         "now_speed", "now_width", "max_speed", "max_width",
 *                         "port_speed", "port_width"}]; addresses of both ends, what the
 *                         device does and can do, what its port can do; transfers/s and
 *                         lanes; absent: no PCI Express, or not readable
 *   hca     adapters of MPI fabrics by name: {"mlx5_0": {...}}
 *           type, firmware, board, guid, pci
 *                         "MT4123", "20.31.1014", "MT_0000000223", its address
 *           ports         [{"port": 1, "state": "ACTIVE", "physical": "LinkUp", "rate",
 *                         "width": "4X HDR", "layer": "InfiniBand", "lid"}]; B/s
 *   net     interfaces with a device behind them: {"eth0": {...}}
 *           mtu, carrier, speed (B/s), pci
 *           In pci, hca and net also numa: the NUMA domain, absent where nobody knows
 *   clean   how quiet the machine was; only where processes were watched, see busy.h
 *           sample        s between the two looks
 *           busy          CPUs that were busy meanwhile, the probe apart
 *           processes     that took half a CPU or more and are not of our run, at most
 *                         BUSY_NAMED: [{"pid", "user", "command", "cpus", "seconds"}],
 *                         seconds of CPU time since it started
 *           runs          ids of other runs of assay that are on it: ["20261201T..."];
 * "?" for one of another user zombies, waiting processes that ended and were not
 * collected; that are blocked in the kernel tmp     free          bytes in /tmp for those
 * who are not root clock   start, end    of the probe: s since the epoch by the node's
 * clock skew, uncertainty s the node is ahead of who asked, and by how much that may be
 *                         wrong; added by who asked
 *   virtual               hypervisor ("kvm", "unknown", ...) or "none"
 *   load                  mean number of runnable processes, last minute
 *   elsewhere             true: the topology is not of the machine the probe ran on
 *   unreadable            {fact: reason}
 */
#ifndef ASSAY_HOST_FACTS_H
#define ASSAY_HOST_FACTS_H

#include <jansson.h>

#include "base/strbuf.h"
#include "host/io.h"
#include "host/topology.h"

/*
 * Gathers them. @t may be NULL: @why_not then goes to unreadable.topology. Never fails:
 * what cannot be read is a fact, too. json_decref() the object.
 */
json_t *facts_gather(const struct host_io *io, const struct topology *t,
		     const char *why_not);

/*
 * Takes from @saved, facts of the same machine gathered by somebody who may read more,
 * what is unreadable in @facts. The number of facts taken, or -1 when @saved is of
 * another machine: CPU model, DMI product or board differ.
 */
int facts_complete(json_t *facts, const json_t *saved);

/*
 * Appends the class of like nodes: CPU model and sockets in words, and a hash of CPU
 * model, CPU numbering, caches, domains and memory: "amd-epyc-7713x2-1a2b3c4d". A
 * placement for one node of a class is right for all of them. Memory counts rounded up to
 * a 16th of the next lower power of two, since like nodes differ by what firmware keeps.
 * [a-z0-9.-] only, so it can be a file name. @t NULL gives "unknown".
 */
void facts_class(const json_t *facts, const struct topology *t, struct strbuf *out);

#endif
