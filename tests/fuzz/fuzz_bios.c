/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Saved BIOS settings: any bytes give settings or a reason and never both; what was read
 * survives its record, and no password is in it. The first byte chooses the source; 0x1e
 * parts the texts of one node, of which each may begin with its role: S settings, J jobs.
 */
#include <string.h>

#include "bios/source.h"
#include "fuzz.h"

enum { MOST_TEXTS = 6 };

static const char *const sources[] = {"racadm", "scp-xml", "scp-json", "redfish-json",
				      "os"};

static size_t split(const char *data, size_t size, struct bios_text *texts)
{
	size_t n = 0;

	while (n < MOST_TEXTS) {
		const char *end = memchr(data, 0x1e, size);
		size_t len = end ? (size_t)(end - data) : size;
		bool has_role = len && (*data == 'S' || *data == 'J');

		texts[n].role = !has_role ? "" : *data == 'S' ? "settings" : "jobs";
		texts[n].name = NULL;
		texts[n].text = data + has_role;
		texts[n++].len = len - has_role;
		if (!end)
			break;
		data += len + 1;
		size -= len + 1;
	}
	return n;
}

/* What was read is in the record, each name once. */
static void through_the_record(struct bios_reading *r)
{
	const char *json = settings_json(&r->settings, &r->arena);
	struct settings again = {0};
	struct err e = {0};

	FUZZ_EXPECT(!settings_read(&again, json, &r->arena, &e));
	FUZZ_EXPECT(again.n > 0 && again.n <= r->settings.n);
	for (size_t i = 0; i < again.n; i++) {
		const struct setting *s =
			settings_find(&r->settings, again.items[i].name);

		FUZZ_EXPECT(s);
		FUZZ_EXPECT(!settings_is_secret(s->name) || !s->current.text ||
			    !*s->current.text || !strcmp(s->current.text, "****"));
	}
	settings_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bios_text texts[MOST_TEXTS];
	struct bios_reading r;
	size_t n;

	if (!size)
		return 0;
	n = split((const char *)data + 1, size - 1, texts);
	for (size_t i = 0; i < n; i++)
		(void)bios_source_of(texts[i].text, texts[i].len);
	bios_read(&r, bios_source_find(sources[data[0] % 5]), texts, n);
	FUZZ_EXPECT(!r.error == (r.settings.n > 0));
	if (!r.error)
		through_the_record(&r);
	bios_reading_release(&r);
	return 0;
}
