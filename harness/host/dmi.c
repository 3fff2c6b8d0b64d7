/* SPDX-License-Identifier: Apache-2.0 */
/* SMBIOS structures: see dmi.h. Offsets and codes are those of DSP0134 3.7. */
#include "host/dmi.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/strbuf.h"
#include "host/io.h"

enum { TYPE_CPU = 4, TYPE_SLOT = 9, TYPE_ARRAY = 16, TYPE_MODULE = 17, TYPE_END = 127 };

enum { MAX_ARRAYS = 64, SYSTEM_MEMORY = 3, CENTRAL_PROCESSOR = 3, MIB = 1 << 20 };

/* One structure: its formatted part with the header, then its texts. */
struct item {
	const unsigned char *at;
	size_t len;
	const char *texts, *end;
};

struct decode {
	json_t *dimms, *slots;
	json_int_t n_dimms, n_slots; /* taken */
	json_int_t sockets, populated, dimm_slots;
	unsigned int arrays[MAX_ARRAYS]; /* handles of those that are system memory */
	size_t n_arrays;
	bool any_array;
};

/* @n bytes, low byte first; 0 when the structure ends before. 0 is "unknown" mostly. */
static uint64_t field(const struct item *it, size_t at, size_t n)
{
	uint64_t v = 0;

	if (at + n > it->len)
		return 0;
	while (n--)
		v = v << 8 | it->at[at + n];
	return v;
}

/* What firmware writes where it has nothing to say. */
static bool is_filler(const char *s)
{
	static const char *const fillers[] = {
		"Not Specified", "Not Available", "Unknown",   "None",         "N/A",
		"NO DIMM",       "Empty",         "Undefined", "Not Provided", "NULL",
	};

	for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++) {
		if (!strcasecmp(s, fillers[i]))
			return true;
	}
	return !s[strspn(s, "0 .-_")];
}

/* Appends the text whose number stands at @at; nothing when it has none. */
static void text(const struct item *it, size_t at, struct strbuf *out)
{
	uint64_t number = field(it, at, 1);
	const char *s = it->texts;
	size_t start = out->len;

	if (!number)
		return;
	while (--number && s < it->end && *s)
		s += strnlen(s, (size_t)(it->end - s)) + 1;
	if (s >= it->end)
		return;
	host_io_clean(out, s, strnlen(s, (size_t)(it->end - s)), HOST_IO_LINE);
	if (is_filler(strbuf_str(out) + start))
		strbuf_truncate(out, start);
}

static void put_text(const struct item *it, size_t at, json_t *o, const char *key)
{
	struct strbuf s = {0};

	text(it, at, &s);
	if (s.len)
		(void)json_object_set_new(o, key, json_string(strbuf_str(&s)));
	strbuf_release(&s);
}

static void put_count(json_t *o, const char *key, uint64_t n)
{
	(void)json_object_set_new(o, key, json_integer((json_int_t)n));
}

static void cpu(struct decode *d, const struct item *it)
{
	if (field(it, 0x05, 1) != CENTRAL_PROCESSOR)
		return;
	d->sockets++;
	d->populated += (field(it, 0x18, 1) & 0x40) != 0;
}

/* "0000:41:00.0" of the device in a slot, where firmware says so. */
static void slot(struct decode *d, const struct item *it)
{
	uint64_t segment = field(it, 0x0d, 2), bus = field(it, 0x0f, 1);
	uint64_t device = field(it, 0x10, 1);
	char address[32];
	json_t *o;

	if (it->len < 0x11 || segment == 0xffff || bus == 0xff || (!bus && !device) ||
	    d->n_slots == DMI_MAX_ITEMS)
		return;
	o = json_object();
	put_text(it, 0x04, o, "name");
	if (!json_object_size(o)) {
		json_decref(o);
		return;
	}
	(void)snprintf(address, sizeof(address), "%04x:%02x:%02x.%x",
		       (unsigned int)segment, (unsigned int)bus,
		       (unsigned int)device >> 3, (unsigned int)device & 7);
	(void)json_object_set_new(o, "address", json_string(address));
	(void)json_array_append_new(d->slots, o);
	d->n_slots++;
}

static void array(struct decode *d, const struct item *it)
{
	d->any_array = true;
	if (field(it, 0x05, 1) != SYSTEM_MEMORY)
		return;
	d->dimm_slots += (json_int_t)field(it, 0x0d, 2);
	if (d->n_arrays < MAX_ARRAYS)
		d->arrays[d->n_arrays++] = (unsigned int)field(it, 0x02, 2);
}

/* Flash chips of the firmware are modules of an array that is no system memory. */
static bool is_memory(const struct decode *d, const struct item *it)
{
	for (size_t i = 0; i < d->n_arrays; i++) {
		if (d->arrays[i] == field(it, 0x04, 2))
			return true;
	}
	return !d->any_array;
}

static const char *memory_type(uint64_t code)
{
	static const struct {
		unsigned int code;
		const char *name;
	} types[] = {
		{0x13, "DDR2"},   {0x18, "DDR3"},   {0x1a, "DDR4"},
		{0x1e, "LPDDR4"}, {0x20, "HBM"},    {0x21, "HBM2"},
		{0x22, "DDR5"},   {0x23, "LPDDR5"}, {0x24, "HBM3"},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].code == code)
			return types[i].name;
	}
	return NULL;
}

/* Bytes; 0 for an empty slot, UINT64_MAX when firmware does not know. */
static uint64_t module_size(const struct item *it)
{
	uint64_t size = field(it, 0x0c, 2);

	if (it->len < 0x0e || size == 0xffff)
		return UINT64_MAX;
	if (size == 0x7fff)
		return (field(it, 0x1c, 4) & 0x7fffffff) * MIB;
	return size & 0x8000 ? (size & 0x7fff) * 1024 : size * MIB;
}

/* Transfers a second; the wide field holds what the narrow one cannot. */
static void put_speed(const struct item *it, size_t narrow, size_t wide, json_t *o,
		      const char *key)
{
	uint64_t speed = field(it, narrow, 2);

	if (speed == 0xffff)
		speed = field(it, wide, 4) & 0x7fffffff;
	if (speed)
		(void)json_object_set_new(o, key, json_real((double)speed * 1e6));
}

/* All that like modules share. */
static json_t *module_facts(const struct item *it)
{
	uint64_t size = module_size(it), rank = field(it, 0x1b, 1) & 0x0f;
	const char *type = memory_type(field(it, 0x12, 1));
	json_t *o = json_object();

	if (size != UINT64_MAX)
		put_count(o, "size", size);
	if (!size)
		return o;
	if (type)
		(void)json_object_set_new(o, "type", json_string(type));
	put_speed(it, 0x15, 0x54, o, "speed");
	put_speed(it, 0x20, 0x58, o, "configured");
	if (rank)
		put_count(o, "rank", rank);
	put_text(it, 0x17, o, "maker");
	put_text(it, 0x1a, o, "part");
	return o;
}

/* "DIMM 0": every channel has one. */
static bool is_plain(const char *locator)
{
	if (!strncasecmp(locator, "DIMM", 4))
		locator += 4;
	return !locator[strspn(locator, "0123456789 _-#")];
}

/* The slot's name, with its bank's where only that tells one channel from another. */
static json_t *module_slot(const struct item *it)
{
	struct strbuf name = {0}, locator = {0};
	json_t *s;

	text(it, 0x11, &name);
	text(it, 0x10, &locator);
	if (!is_plain(strbuf_str(&locator)) || !strcasestr(strbuf_str(&name), "channel"))
		strbuf_reset(&name);
	if (name.len && locator.len)
		strbuf_addch(&name, ' ');
	strbuf_addstr(&name, strbuf_str(&locator));
	s = json_string(name.len ? strbuf_str(&name) : "?");
	strbuf_release(&name);
	strbuf_release(&locator);
	return s;
}

/* Like modules are one entry: most nodes have one kind, and empty slots. */
static void module(struct decode *d, const struct item *it)
{
	json_t *facts, *known, *slots;
	size_t i;

	if (!is_memory(d, it) || d->n_dimms == DMI_MAX_ITEMS)
		return;
	d->n_dimms++;
	facts = module_facts(it);
	json_array_foreach(d->dimms, i, known)
	{
		slots = json_object_get(known, "slots");
		(void)json_object_set_new(facts, "slots", json_incref(slots));
		if (json_equal(facts, known)) {
			(void)json_array_append_new(slots, module_slot(it));
			json_decref(facts);
			return;
		}
	}
	slots = json_array();
	(void)json_array_append_new(slots, module_slot(it));
	(void)json_object_set_new(facts, "slots", slots);
	(void)json_array_append_new(d->dimms, facts);
}

/* The structure at *@p, which moves behind it; false at the end of the table. */
static bool next(const unsigned char **p, const unsigned char *end, struct item *it)
{
	const unsigned char *s;

	if (end - *p < 4 || (*p)[1] < 4 || end - *p < (*p)[1] || (*p)[0] == TYPE_END)
		return false;
	it->at = *p;
	it->len = (*p)[1];
	s = *p + it->len;
	it->texts = (const char *)s;
	while (end - s >= 2 && (s[0] || s[1]))
		s++;
	if (end - s < 2) {
		it->end = (const char *)end;
		*p = end;
	} else {
		it->end = (const char *)s + 1;
		*p = s + 2;
	}
	return true;
}

static void walk(struct decode *d, const void *table, size_t len, int type,
		 void (*fn)(struct decode *d, const struct item *it))
{
	const unsigned char *p = table, *end = p + len;
	struct item it;

	while (next(&p, end, &it)) {
		if (it.at[0] == type)
			fn(d, &it);
	}
}

json_t *dmi_decode(const void *table, size_t len)
{
	struct decode d = {.dimms = json_array(), .slots = json_array()};
	json_t *o = json_object();

	walk(&d, table, len, TYPE_CPU, cpu);
	walk(&d, table, len, TYPE_SLOT, slot);
	walk(&d, table, len, TYPE_ARRAY, array); /* before what refers to them */
	walk(&d, table, len, TYPE_MODULE, module);
	if (d.sockets) {
		put_count(o, "sockets", (uint64_t)d.sockets);
		put_count(o, "sockets_populated", (uint64_t)d.populated);
	}
	if (d.dimm_slots)
		put_count(o, "dimm_slots", (uint64_t)d.dimm_slots);
	if (d.n_dimms)
		(void)json_object_set(o, "dimms", d.dimms);
	if (d.n_slots)
		(void)json_object_set(o, "slots", d.slots);
	json_decref(d.dimms);
	json_decref(d.slots);
	if (json_object_size(o))
		return o;
	json_decref(o);
	return NULL;
}
