/* SPDX-License-Identifier: Apache-2.0 */
/* Source redfish, as the table has it: see redfish.h. */
#include "bios/source.h"

/* Answers of a BMC that were saved are of source redfish-json. */
static int read_texts(struct bios_reading *out, const struct bios_text *texts, size_t n,
		      struct err *e)
{
	return source_redfish_json.read(out, texts, n, e);
}

const struct bios_source source_redfish = {
	.name = "redfish",
	.help = "the BMC's Redfish service, iDRAC or any other, over HTTPS",
	.where = BIOS_BMC,
	.read = read_texts,
};
