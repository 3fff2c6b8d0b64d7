/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SMBIOS structures, as firmware leaves them in memory and Linux shows them to root in
 * /sys/firmware/dmi/tables/DMI: which memory modules are in which slots, how many sockets
 * hold a CPU, which PCI device sits in which slot. (DSP0134, "System Management BIOS
 * Reference Specification".)
 */
#ifndef ASSAY_HOST_DMI_H
#define ASSAY_HOST_DMI_H

#include <jansson.h>
#include <stddef.h>

/* Largest table that is read, and most modules and slots that are taken from it. */
enum { DMI_MAX_TABLE = 1 << 20, DMI_MAX_ITEMS = 512 };

/*
 * What the table says, as the facts have it under "smbios" (facts.h); NULL when it says
 * nothing of that. Any bytes will do: what does not fit into the table or into its own
 * structure is not there, and nothing is read beyond @len. json_decref() it.
 */
json_t *dmi_decode(const void *table, size_t len);

#endif
