/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NUMA settings of an EPYC's firmware, decoded from what the system shows: domains,
 * L3 caches and the SLIT. Never from domains per socket alone, which is wrong where every
 * L3 is a domain.
 */
#ifndef ASSAY_BIOS_NUMA_H
#define ASSAY_BIOS_NUMA_H

#include <jansson.h>

enum numa_ccx {
	NUMA_CCX_UNKNOWN,
	NUMA_CCX_OFF,
	NUMA_CCX_ON,
	NUMA_CCX_AMBIGUOUS, /* every domain has one L3, which either setting gives */
};

struct numa_firmware {
	int nps; /* NUMA nodes per socket: 0, 1, 2, 4; -1: not known */
	enum numa_ccx ccx;
};

/*
 * @facts as in harness/host/facts.h. Firmware writes 10 for the domain itself, 11 for
 * another L3 of the same part of a socket, 12 for the other parts, 28 or 32 beyond it
 * (AMD's AGESA). With d domains of a socket at less than 12, NPS is domains / d.
 */
struct numa_firmware numa_decode(const json_t *facts);

#endif
