/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers with units: any text is a finite number of its dimension, or refused with a
 * reason; what is printed of a number reads back as nearly the same.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "base/utf8.h"
#include "fuzz.h"

static const char *const units[] = {"B/s", "FLOP/s", "s",       "1/s", "B",
				    "Hz",  "T/s",    "Celsius", "W",   "ratio"};

static void expect_message(const struct err *e)
{
	FUZZ_EXPECT(e->kind == ERR_USAGE && e->msg[0] && !strchr(e->msg, '\n'));
	FUZZ_EXPECT(utf8_valid(e->msg, strlen(e->msg)));
}

/* Three digits within what prefixes cover; percent has one decimal. */
static void expect_same_again(double value, const char *unit)
{
	char text[UNITS_TEXT];
	struct err e = {0};
	double again;
	bool share = !strcmp(unit, "ratio");

	(void)units_format(text, sizeof(text), value, unit);
	FUZZ_EXPECT(strlen(text) + 1 < sizeof(text));
	FUZZ_EXPECT(!units_parse(text, unit, &again, &e));
	if (share)
		FUZZ_EXPECT(fabs(again - value) <= 0.00051 + 0.0051 * fabs(value));
	else
		FUZZ_EXPECT(fabs(again - value) <= 0.0051 * fabs(value));
}

static void check_unit(const char *text, const char *unit)
{
	struct err e = {0};
	double value;

	if (units_parse(text, unit, &value, &e)) {
		expect_message(&e);
		return;
	}
	FUZZ_EXPECT(isfinite(value));
	/* beyond this a prefix or a factor leaves the range of a double, or its precision
	 */
	if (value == 0 || (fabs(value) > 1e-290 && fabs(value) < 1e290))
		expect_same_again(value, unit);
}

static void check_bytes(const char *text,
			int (*parse)(const char *text, int64_t *bytes, struct err *e))
{
	struct err e = {0};
	int64_t bytes;

	if (parse(text, &bytes, &e))
		expect_message(&e);
	else
		FUZZ_EXPECT(bytes >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	const char *text = arena_strndup(&arena, (const char *)data, size);
	const char *unit = NULL;
	struct err e = {0};
	double value;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		check_unit(text, units[i]);
	if (units_parse_any(text, &value, &unit, &e))
		expect_message(&e);
	else
		FUZZ_EXPECT(units_known(unit) && isfinite(value));
	if (units_duration(text, &value, &e))
		expect_message(&e);
	else
		FUZZ_EXPECT(isfinite(value) && value >= 0);
	if (units_memory_speed(text, &value, &e))
		expect_message(&e);
	check_bytes(text, units_size);
	check_bytes(text, units_meminfo);
	arena_release(&arena);
	return 0;
}
