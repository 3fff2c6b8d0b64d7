/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SMBIOS tables: any bytes give facts or none; the facts are a record's, of a bounded
 * number of modules, and the same bytes give the same facts.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "host/dmi.h"

static size_t modules(const json_t *facts)
{
	size_t n = 0, i;
	json_t *d;

	json_array_foreach(json_object_get(facts, "dimms"), i, d)
	{
		size_t slots = json_array_size(json_object_get(d, "slots"));

		FUZZ_EXPECT(slots > 0);
		n += slots;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *facts = dmi_decode(data, size), *again = dmi_decode(data, size);
	char *text;

	FUZZ_EXPECT(!facts == !again);
	if (facts) {
		FUZZ_EXPECT(json_equal(facts, again));
		FUZZ_EXPECT(json_object_size(facts) > 0);
		FUZZ_EXPECT(modules(facts) <= DMI_MAX_ITEMS);
		FUZZ_EXPECT(json_array_size(json_object_get(facts, "slots")) <=
			    DMI_MAX_ITEMS);
		text = json_dumps(facts, JSON_COMPACT);
		FUZZ_EXPECT(text && utf8_valid(text, strlen(text)));
		free(text);
	}
	json_decref(facts);
	json_decref(again);
	return 0;
}
