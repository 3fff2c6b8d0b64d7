/* SPDX-License-Identifier: Apache-2.0 */
/* SMBIOS tables made by hand: what they say, and tables that are not what they claim. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/dmi.h"

/* A table while it is made. */
struct table {
	unsigned char bytes[1 << 16];
	size_t len, start; /* of the structure that was added last */
};

/* Begins a structure whose formatted part, with its header, is @len bytes of 0. */
static void begin(struct table *t, int type, size_t len, unsigned int handle)
{
	t->start = t->len;
	memset(t->bytes + t->len, 0, len);
	t->bytes[t->len] = (unsigned char)type;
	t->bytes[t->len + 1] = (unsigned char)len;
	t->bytes[t->len + 2] = (unsigned char)handle;
	t->bytes[t->len + 3] = (unsigned char)(handle >> 8);
	t->len += len;
}

static void put(struct table *t, size_t at, size_t n, uint64_t v)
{
	for (size_t i = 0; i < n; i++)
		t->bytes[t->start + at + i] = (unsigned char)(v >> 8 * i);
}

/* Ends it with its texts, which are one string with a '|' after each. */
static void end(struct table *t, const char *texts)
{
	for (const char *s = texts; *s; s++)
		t->bytes[t->len++] = (unsigned char)(*s == '|' ? '\0' : *s);
	if (!*texts)
		t->bytes[t->len++] = 0;
	t->bytes[t->len++] = 0;
}

enum { ARRAY = 0x100 };

static void array(struct table *t, unsigned int handle, int use, int slots)
{
	begin(t, 16, 0x17, handle);
	put(t, 5, 1, (uint64_t)use);
	put(t, 0xd, 2, (uint64_t)slots);
	end(t, "");
}

/* A module of SMBIOS 3.2 of @size as the narrow field has it, in slot @name. */
static void module(struct table *t, uint64_t size, uint64_t speed, uint64_t configured,
		   const char *name)
{
	char texts[300];

	begin(t, 17, 0x5c, 7);
	put(t, 4, 2, ARRAY);
	put(t, 0xc, 2, size);
	put(t, 0x10, 1, 1);
	put(t, 0x12, 1, 0x1a);
	put(t, 0x15, 2, speed);
	put(t, 0x20, 2, configured);
	(void)snprintf(texts, sizeof(texts), "%s|", name);
	end(t, texts);
}

/* The part @key of what @t says, or NULL for the whole, is @want; "" is nothing. */
static void expect(const struct table *t, const char *key, const char *want)
{
	/* of this length exactly, so that a byte more is seen by the sanitizer */
	unsigned char *copy = malloc(t->len ? t->len : 1);
	json_t *whole, *got, *w = json_loads(want, JSON_DECODE_ANY, NULL);
	char *text;

	assert_non_null(copy);
	memcpy(copy, t->bytes, t->len);
	whole = dmi_decode(copy, t->len);
	got = key ? json_object_get(whole, key) : whole;
	text = got ? json_dumps(got, JSON_ENCODE_ANY) : NULL;
	if (got ? !json_equal(got, w) : *want != '\0')
		fail_msg("%s, expected %s", text ? text : "nothing", want);
	free(text);
	free(copy);
	json_decref(whole);
	json_decref(w);
}

static void like_modules_are_one_entry_with_their_slots(void **unused)
{
	struct table t = {0};

	(void)unused;
	array(&t, ARRAY, 3, 4);
	module(&t, 16384, 3200, 2933, "A1");
	module(&t, 0, 0, 0, "A2");
	module(&t, 16384, 3200, 2933, "A3");
	module(&t, 8192, 3200, 2933, "A4");
	expect(&t, "dimms",
	       "[{\"size\":17179869184,\"type\":\"DDR4\",\"speed\":3.2e9,"
	       "\"configured\":2.933e9,\"slots\":[\"A1\",\"A3\"]},"
	       "{\"size\":0,\"slots\":[\"A2\"]},"
	       "{\"size\":8589934592,\"type\":\"DDR4\",\"speed\":3.2e9,"
	       "\"configured\":2.933e9,\"slots\":[\"A4\"]}]");
	expect(&t, "dimm_slots", "4");
}

static void sizes_and_speeds_beyond_16_bits_are_in_wide_fields(void **unused)
{
	struct table t = {0};

	(void)unused;
	begin(&t, 17, 0x5c, 1);
	put(&t, 0xc, 2, 0x7fff);
	put(&t, 0x1c, 4, 0x80000000 | 262144); /* the highest bit is reserved */
	put(&t, 0x12, 1, 0x22);
	put(&t, 0x15, 2, 0xffff);
	put(&t, 0x54, 4, 70000);
	put(&t, 0x20, 2, 0xffff);
	put(&t, 0x58, 4, 0x80000000 | 68000);
	put(&t, 0x1b, 1, 0xf2);
	end(&t, "");
	expect(&t, "dimms",
	       "[{\"size\":274877906944,\"type\":\"DDR5\",\"speed\":7e10,"
	       "\"configured\":6.8e10,\"rank\":2,\"slots\":[\"?\"]}]");
	/* in KiB; not known */
	t.len = 0;
	module(&t, 0x8000 | 2048, 0, 0, "k");
	module(&t, 0xffff, 0, 0, "u");
	expect(&t, "dimms",
	       "[{\"size\":2097152,\"type\":\"DDR4\",\"slots\":[\"k\"]},"
	       "{\"type\":\"DDR4\",\"slots\":[\"u\"]}]");
}

static void a_channel_is_part_of_a_name_that_needs_it(void **unused)
{
	static const char *const names[][3] = {
		{"DIMM 0", "P0 CHANNEL A", "P0 CHANNEL A DIMM 0"},
		{"DIMM 1", "Bank 1", "DIMM 1"},
		{"P1-DIMMA1", "P0_Node0_Channel0_Dimm0", "P1-DIMMA1"},
		{"A1", "Not Specified", "A1"},
		{"Not Specified", "P0 Channel B", "P0 Channel B"},
		{" A1  \t x ", "", "A1 x"},
		{"\x1b[31m\xff", "", "\\\\x1b[31m\xef\xbf\xbd"},
	};
	char texts[128], want[160];

	(void)unused;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct table t = {0};

		begin(&t, 17, 0x28, 1);
		put(&t, 0x10, 1, 1);
		put(&t, 0x11, 1, 2);
		(void)snprintf(texts, sizeof(texts), "%s|%s|", names[i][0], names[i][1]);
		end(&t, texts);
		(void)snprintf(want, sizeof(want), "[{\"size\":0,\"slots\":[\"%s\"]}]",
			       names[i][2]);
		expect(&t, "dimms", want);
	}
}

static void flash_chips_are_no_memory(void **unused)
{
	struct table t = {0};

	(void)unused;
	module(&t, 16384, 3200, 3200, "A1"); /* before its array, as some firmware has */
	array(&t, ARRAY, 3, 1);
	array(&t, ARRAY + 1, 6, 1);
	begin(&t, 17, 0x28, 9);
	put(&t, 4, 2, ARRAY + 1);
	put(&t, 0xc, 2, 0x8000 | 16384);
	put(&t, 0x10, 1, 1);
	end(&t, "SYSTEM ROM|");
	expect(&t, "dimms",
	       "[{\"size\":17179869184,\"type\":\"DDR4\",\"speed\":3.2e9,"
	       "\"configured\":3.2e9,\"slots\":[\"A1\"]}]");
	expect(&t, "dimm_slots", "1");
}

static void what_firmware_does_not_say_is_absent(void **unused)
{
	struct table t = {0};

	(void)unused;
	begin(&t, 17, 0x28, 1);
	put(&t, 0xc, 2, 1024);
	put(&t, 0x10, 1, 1);
	put(&t, 0x17, 1, 2);
	put(&t, 0x1a, 1, 3);
	end(&t, "A1|Unknown|0000000000|");
	expect(&t, "dimms", "[{\"size\":1073741824,\"slots\":[\"A1\"]}]");
	t.len = 0;
	begin(&t, 17, 0x28, 1);
	put(&t, 0xc, 2, 1024);
	put(&t, 0x10, 1, 1);
	put(&t, 0x17, 1, 2);
	put(&t, 0x1a, 1, 200); /* there is no text 200 */
	end(&t, "A1|00CE00B300CE|");
	expect(&t, "dimms",
	       "[{\"size\":1073741824,\"maker\":\"00CE00B300CE\",\"slots\":[\"A1\"]}]");
}

static void sockets_and_slots_are_found(void **unused)
{
	static const struct {
		uint64_t type, status;
	} cpus[] = {{3, 0x41}, {3, 0x00}, {4, 0x41}}; /* the last is no CPU */
	static const struct {
		const char *name;
		uint64_t segment, bus, device;
	} slots[] = {{"PCIe Slot 1|", 0, 0x41, 0},   {"PCIe Slot 2|", 1, 0xa1, 0x13},
		     {"not in use|", 0, 0xff, 0xff}, {"no address|", 0, 0, 0},
		     {"N/A|", 0, 0x42, 0},           {"no segment|", 0xffff, 3, 0}};
	struct table t = {0};

	(void)unused;
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		begin(&t, 4, 0x30, 1);
		put(&t, 5, 1, cpus[i].type);
		put(&t, 0x18, 1, cpus[i].status);
		end(&t, "");
	}
	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		begin(&t, 9, 0x11, 2);
		put(&t, 4, 1, 1);
		put(&t, 0xd, 2, slots[i].segment);
		put(&t, 0xf, 1, slots[i].bus);
		put(&t, 0x10, 1, slots[i].device);
		end(&t, slots[i].name);
	}
	begin(&t, 9, 0x0d, 2); /* of SMBIOS 2.1, without an address */
	put(&t, 4, 1, 1);
	end(&t, "ISA|");
	expect(&t, NULL,
	       "{\"sockets\":2,\"sockets_populated\":1,\"slots\":["
	       "{\"name\":\"PCIe Slot 1\",\"address\":\"0000:41:00.0\"},"
	       "{\"name\":\"PCIe Slot 2\",\"address\":\"0001:a1:02.3\"}]}");
}

static void a_table_ends_where_it_says_or_where_it_breaks(void **unused)
{
	struct table t = {0};
	size_t whole;

	(void)unused;
	module(&t, 0, 0, 0, "A1");
	begin(&t, 127, 4, 1);
	end(&t, "");
	module(&t, 0, 0, 0, "behind the end");
	expect(&t, "dimms", "[{\"size\":0,\"slots\":[\"A1\"]}]");
	/* a structure that is shorter than its header */
	t.len = 0;
	module(&t, 0, 0, 0, "A1");
	begin(&t, 17, 4, 1);
	put(&t, 1, 1, 3);
	end(&t, "");
	module(&t, 0, 0, 0, "A2");
	expect(&t, "dimms", "[{\"size\":0,\"slots\":[\"A1\"]}]");
	/* cut anywhere: nothing is read beyond, what is whole counts */
	t.len = 0;
	module(&t, 0, 0, 0, "A1");
	whole = t.len;
	module(&t, 0, 0, 0, "A2");
	for (size_t n = t.len - 1; n > whole + 0x5c; n--) {
		t.len = n;
		expect(&t, "dimms",
		       n - whole - 0x5c >= 2 ? "[{\"size\":0,\"slots\":[\"A1\",\"A2\"]}]"
					     : "[{\"size\":0,\"slots\":[\"A1\",\"A\"]}]");
	}
	for (size_t n = whole; n < whole + 0x5c; n++) {
		t.len = n;
		expect(&t, "dimms", "[{\"size\":0,\"slots\":[\"A1\"]}]");
	}
	t.len = 0;
	expect(&t, NULL, "");
	/* a module too short to say its size: there is one of unknown size */
	begin(&t, 17, 5, 1);
	end(&t, "");
	expect(&t, "dimms", "[{\"slots\":[\"?\"]}]");
}

static void an_endless_table_is_cut(void **unused)
{
	struct table *t = calloc(1, sizeof(*t));
	json_t *o;
	size_t n = 0, i;
	json_t *d;

	(void)unused;
	assert_non_null(t);
	for (int k = 0; k < 600; k++)
		module(t, (uint64_t)k, 0, 0, "A1");
	o = dmi_decode(t->bytes, t->len);
	json_array_foreach(json_object_get(o, "dimms"), i, d) n +=
		json_array_size(json_object_get(d, "slots"));
	assert_int_equal(n, DMI_MAX_ITEMS);
	json_decref(o);
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(like_modules_are_one_entry_with_their_slots),
		cmocka_unit_test(sizes_and_speeds_beyond_16_bits_are_in_wide_fields),
		cmocka_unit_test(a_channel_is_part_of_a_name_that_needs_it),
		cmocka_unit_test(flash_chips_are_no_memory),
		cmocka_unit_test(what_firmware_does_not_say_is_absent),
		cmocka_unit_test(sockets_and_slots_are_found),
		cmocka_unit_test(a_table_ends_where_it_says_or_where_it_breaks),
		cmocka_unit_test(an_endless_table_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
