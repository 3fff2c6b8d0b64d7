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
