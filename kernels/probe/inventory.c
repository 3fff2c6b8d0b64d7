/* SPDX-License-Identifier: Apache-2.0 */
/* Facts for people: see inventory.h. */
#include "inventory.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"

/* One line while it is made: a title, then pieces with a separator between them. */
struct row {
	struct strbuf *out;
	const char *title;
	const char *separator;
	size_t pieces;
};

static void piece(struct row *r, const char *before, const char *text, const char *after)
{
	if (!text)
		return;
	if (r->pieces++)
		strbuf_addstr(r->out, r->separator);
	else
		strbuf_addf(r->out, "%-11s", r->title);
	strbuf_addstr(r->out, before);
	utf8_printable(r->out, text, strlen(text));
	strbuf_addstr(r->out, after);
}

static void end(struct row *r)
{
	if (r->pieces)
		strbuf_addch(r->out, '\n');
	r->pieces = 0;
}

/* The member @key of group @g: a text; NULL when it is absent or not one. */
static const char *str(const json_t *facts, const char *g, const char *key)
{
	return json_string_value(json_object_get(json_object_get(facts, g), key));
}

static const json_t *get(const json_t *facts, const char *g, const char *key)
{
	return json_object_get(json_object_get(facts, g), key);
}

static void count(struct row *r, const json_t *n, const char *one, const char *many)
{
	char text[32];

	if (!json_is_integer(n))
		return;
	(void)snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(n));
	piece(r, "", text, json_integer_value(n) == 1 ? one : many);
}

static void number_of(struct row *r, const char *before, const json_t *n)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(n));
	piece(r, before, json_is_integer(n) ? text : NULL, "");
}

static void on_off(struct row *r, const char *name, const json_t *v)
{
	if (json_is_boolean(v))
		piece(r, name, json_is_true(v) ? "on" : "off", "");
}

static void quantity(struct row *r, const char *before, const json_t *v, const char *unit,
		     const char *after)
{
	char text[UNITS_TEXT];

	if (!json_is_number(v))
		return;
	if (!strcmp(unit, "B"))
		(void)units_format_memory(text, sizeof(text), json_number_value(v));
	else if (!strcmp(unit, "b/s"))
		(void)units_format_rate(text, sizeof(text), json_number_value(v));
	else
		(void)units_format(text, sizeof(text), json_number_value(v), unit);
	piece(r, before, text, after);
}

static void cpu(const json_t *f, struct strbuf *out)
{
	struct row r = {out, "cpu", ", ", 0};
	const char *off = str(f, "cpu", "offline");

	piece(&r, "", str(f, "cpu", "model"),
	      get(f, "cpu", "models") ? " (mixed CPUs)" : "");
	count(&r, get(f, "cpu", "sockets"), " socket", " sockets");
	count(&r, get(f, "cpu", "cores"), " core", " cores");
	count(&r, get(f, "cpu", "threads"), " CPU online", " CPUs online");
	on_off(&r, "SMT ", get(f, "cpu", "smt"));
	if (off && *off)
		piece(&r, "offline ", off, "");
	end(&r);

	r = (struct row){out, "clock", ", ", 0};
	quantity(&r, "base ", get(f, "cpu", "base_hz"), "Hz", "");
	quantity(&r, "at most ", get(f, "cpu", "max_hz"), "Hz", "");
	piece(&r, "governor ", str(f, "cpu", "governor"), "");
	on_off(&r, "boost ", get(f, "cpu", "boost"));
	end(&r);
}

static void cache(const json_t *f, struct strbuf *out)
{
	const json_t *n = get(f, "cache", "l3_instances");
	struct row r = {out, "cache", ", ", 0};

	if (json_is_integer(n)) {
		count(&r, n, " L3", " L3");
		r.separator = " of ";
		quantity(&r, "", get(f, "cache", "l3_size"), "B", "");
	} else if (json_is_integer(get(f, "cache", "llc_level"))) {
		count(&r, get(f, "cache", "llc_level"), " levels, no L3",
		      " levels, no L3");
		quantity(&r, "", get(f, "cache", "llc_total"), "B", " in the last");
	}
	end(&r);
}

static void numa(const json_t *f, struct strbuf *out)
{
	const json_t *list = json_object_get(f, "numa"), *d;
	struct row r = {out, "numa", "; ", 0};
	size_t i;

	json_array_foreach(list, i, d)
	{
		const char *cpus = json_string_value(json_object_get(d, "cpus"));
		const json_t *memory = json_object_get(d, "memory");
		char head[128], size[UNITS_TEXT];

		if (json_integer_value(memory))
			(void)units_format_memory(size, sizeof(size),
						  json_number_value(memory));
		else
			(void)snprintf(size, sizeof(size), "%s memory",
				       memory ? "no" : "unknown");
		(void)snprintf(head, sizeof(head), "%lld: %s, CPUs ",
			       (long long)json_integer_value(json_object_get(d, "id")),
			       size);
		piece(&r, head, cpus && *cpus ? cpus : "none", "");
	}
	end(&r);
}

static void memory(const json_t *f, struct strbuf *out)
{
	const json_t *huge = get(f, "memory", "hugepages_reserved");
	struct row r = {out, "memory", ", ", 0};

	quantity(&r, "", get(f, "memory", "total"), "B", "");
	quantity(&r, "", get(f, "memory", "usable"), "B", " usable");
	piece(&r, "by ", str(f, "memory", "usable_from"), "");
	if (json_integer_value(huge))
		quantity(&r, "", huge, "B", " set aside as huge pages");
	end(&r);
}

/* "A1, A2, A3 and 12 more". */
static void slots(struct row *r, const char *before, const json_t *list)
{
	const size_t most = 4, n = json_array_size(list);
	struct strbuf names = {0};

	for (size_t i = 0; i < n && i < most; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "",
			    json_string_value(json_array_get(list, i)));
	if (n > most)
		strbuf_addf(&names, " and %zu more", n - most);
	piece(r, before, strbuf_str(&names), "");
	strbuf_release(&names);
}

/* "DDR4 of 16 GiB at 2.93 GT/s" */
static void modules(const json_t *f, struct strbuf *out)
{
	const json_t *list = get(f, "smbios", "dimms"), *d;
	struct row r = {out, "modules", "; ", 0};
	size_t i;

	json_array_foreach(list, i, d)
	{
		const json_t *size = json_object_get(d, "size");
		const json_t *speed = json_object_get(d, "configured");
		const char *type = json_string_value(json_object_get(d, "type"));
		char head[96], text[UNITS_TEXT] = "unknown size";
		size_t n = json_array_size(json_object_get(d, "slots"));

		if (json_is_integer(size) && !json_integer_value(size)) {
			(void)snprintf(head, sizeof(head), "%zu empty: ", n);
			slots(&r, head, json_object_get(d, "slots"));
			continue;
		}
		if (size)
			(void)units_format_memory(text, sizeof(text),
						  json_number_value(size));
		(void)snprintf(head, sizeof(head), "%zu x %s ", n, text);
		text[0] = '\0';
		if (speed)
			(void)snprintf(text, sizeof(text), "%.0f MT/s",
				       json_number_value(speed) / 1e6);
		piece(&r, head, type ? type : "of unknown kind", "");
		if (speed) {
			r.separator = " at ";
			piece(&r, "", text, "");
			r.separator = "; ";
		}
	}
	end(&r);
}

/* "PCIe 8.00 GT/s x8, could do 16.0 GT/s x16" of the device @address. */
static void link_piece(struct row *r, const json_t *f, const char *address)
{
	const json_t *device = address ? get(f, "pci", address) : NULL;
	const json_t *l = json_array_get(json_object_get(device, "links"), 0);
	static const char *const which[][2] = {{"now_speed", "now_width"},
					       {"max_speed", "max_width"}};
	struct strbuf text[2] = {{0}, {0}};

	for (int i = 0; i < 2; i++) {
		const json_t *speed = json_object_get(l, which[i][0]);
		const json_t *width = json_object_get(l, which[i][1]);

		if (speed && width)
			strbuf_addf(&text[i], "%g GT/s x%lld",
				    json_number_value(speed) / 1e9,
				    (long long)json_integer_value(width));
	}
	if (text[0].len)
		piece(r, "PCIe ", strbuf_str(&text[0]), "");
	if (text[1].len && strcmp(strbuf_str(&text[0]), strbuf_str(&text[1])) != 0)
		piece(r, "could do ", strbuf_str(&text[1]), "");
	strbuf_release(&text[0]);
	strbuf_release(&text[1]);
}

/* A line each: "mlx5_0, MT4123, firmware 20.31.1014, port 1 ACTIVE 200 Gb/s 4X HDR". */
static void adapters(const json_t *f, struct strbuf *out)
{
	json_t *o, *p;
	const char *name;
	size_t i;

	json_object_foreach((json_t *)json_object_get(f, "hca"), name, o)
	{
		struct row r = {out, "adapter", ", ", 0};

		piece(&r, "", name, "");
		piece(&r, "", json_string_value(json_object_get(o, "type")), "");
		piece(&r, "firmware ", json_string_value(json_object_get(o, "firmware")),
		      "");
		json_array_foreach(json_object_get(o, "ports"), i, p)
		{
			char head[32];

			(void)snprintf(head, sizeof(head), "port %lld ",
				       (long long)json_integer_value(
					       json_object_get(p, "port")));
			piece(&r, head, json_string_value(json_object_get(p, "state")),
			      "");
			r.separator = " ";
			quantity(&r, "", json_object_get(p, "rate"), "b/s", "");
			piece(&r, "", json_string_value(json_object_get(p, "width")), "");
			r.separator = ", ";
		}
		link_piece(&r, f, json_string_value(json_object_get(o, "pci")));
		number_of(&r, "at NUMA domain ", json_object_get(o, "numa"));
		end(&r);
	}
}

static void network(const json_t *f, struct strbuf *out)
{
	struct row r = {out, "network", "; ", 0};
	const char *name;
	json_t *o;

	json_object_foreach((json_t *)json_object_get(f, "net"), name, o)
	{
		const json_t *carrier = json_object_get(o, "carrier");

		piece(&r, "", name, json_is_false(carrier) ? " down" : "");
		r.separator = " ";
		quantity(&r, "", json_object_get(o, "speed"), "b/s", "");
		r.separator = "; ";
	}
	end(&r);
}

static void system_lines(const json_t *f, struct strbuf *out)
{
	struct row r = {out, "system", ", ", 0};
	const json_t *balancing = get(f, "os", "numa_balancing");

	piece(&r, "", str(f, "os", "distro"), "");
	piece(&r, "Linux ", str(f, "os", "kernel"), "");
	piece(&r, "clock source ", str(f, "os", "clocksource"), "");
	piece(&r, "huge pages ", str(f, "os", "thp"), "");
	if (json_is_integer(balancing))
		piece(&r, "NUMA balancing ", json_integer_value(balancing) ? "on" : "off",
		      "");
	end(&r);

	r = (struct row){out, "firmware", ", ", 0};
	piece(&r, "", str(f, "dmi", "vendor"), "");
	piece(&r, "", str(f, "dmi", "product"), "");
	piece(&r, "BIOS ", str(f, "dmi", "bios_version"), "");
	piece(&r, "of ", str(f, "dmi", "bios_date"), "");
	piece(&r, "serial ", str(f, "dmi", "serial"), "");
	end(&r);
}

void inventory(const json_t *f, const char *class_name, struct strbuf *out)
{
	const char *virtual = json_string_value(json_object_get(f, "virtual"));
	const json_t *load = json_object_get(f, "load"), *why;
	struct row r = {out, "node", ", ", 0};
	const char *fact;

	piece(&r, "", str(f, "os", "hostname"), "");
	piece(&r, "class ", class_name, "");
	if (virtual && strcmp(virtual, "none") != 0)
		piece(&r, "virtual machine (", virtual, ")");
	if (json_is_number(load)) {
		char text[32];

		(void)snprintf(text, sizeof(text), "%.2f", json_number_value(load));
		piece(&r, "load ", text, "");
	}
	end(&r);
	cpu(f, out);
	cache(f, out);
	numa(f, out);
	memory(f, out);
	modules(f, out);
	adapters(f, out);
	network(f, out);
	system_lines(f, out);
	json_object_foreach((json_t *)json_object_get(f, "unreadable"), fact, why)
	{
		char head[80];

		r = (struct row){out, "unreadable", "", 0};
		(void)snprintf(head, sizeof(head), "%.70s: ", fact);
		piece(&r, head, json_string_value(why), "");
		end(&r);
	}
}
