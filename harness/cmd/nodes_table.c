/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes as a table: see nodes.h. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "cmd/nodes.h"
#include "reports/term.h"

enum column {
	NODES,
	CPU,
	CORES,
	SMT,
	NUMA,
	MEMORY,
	MODULES,
	ADAPTER,
	BIOS,
	KERNEL,
	CLASS,
	COLUMNS
};

static const char *const titles[COLUMNS] = {
	[NODES] = "nodes",     [CPU] = "CPU",         [CORES] = "cores",
	[SMT] = "SMT",         [NUMA] = "NUMA",       [MEMORY] = "memory",
	[MODULES] = "modules", [ADAPTER] = "adapter", [BIOS] = "BIOS",
	[KERNEL] = "kernel",   [CLASS] = "class",
};

/* Columns of the screen between columns of the table; the longest cell. */
enum { GAP = 2, MAX_CELL = 60, MAX_NOTE = 300 };

struct row {
	const char *cell[COLUMNS];
};

struct table {
	struct term *t;
	struct arena arena;
	struct nodes_groups alike;
	struct row *rows; /* by number in alike */
	size_t cap;
	struct nodes_groups notes;
};

static const char *count(struct arena *a, const char *facts, const char *path)
{
	double n = record_json_num(facts, path);

	return n >= 0 ? arena_printf(a, "%.0f", n) : "";
}

/* "2 x AMD EPYC 7713 64-Core Processor" */
static const char *cpu(struct arena *a, const char *facts)
{
	const char *model = record_json_text(a, facts, "cpu.model");
	const char *sockets = count(a, facts, "cpu.sockets");

	if (!*sockets)
		return model;
	return arena_printf(a, "%s x %s", sockets, *model ? model : "unknown");
}

static const char *smt(struct arena *a, const char *facts)
{
	const char *on = record_json_text(a, facts, "cpu.smt");

	return !strcmp(on, "true") ? "on" : *on ? "off" : "";
}

static const char *memory(struct arena *a, const char *facts)
{
	double bytes = record_json_num(facts, "memory.total");
	char text[UNITS_TEXT];

	if (!(bytes > 0))
		return "";
	return arena_strdup(a, units_format_memory(text, sizeof(text), bytes));
}

/* "16 x 32 GiB 3200 MT/s" */
static const char *modules(struct arena *a, const struct nodes_devices *d)
{
	char size[UNITS_TEXT] = "";
	const char *speed = "";

	if (!d->modules)
		return "";
	if (d->module_sizes == 1 && d->module_size > 0)
		(void)units_format_memory(size, sizeof(size), d->module_size);
	if (d->speed > 0)
		speed = arena_printf(a, " %.0f MT/s", d->speed / 1e6);
	if (*size)
		return arena_printf(a, "%zu x %s%s", d->modules, size, speed);
	return arena_printf(a, "%zu mixed%s", d->modules, speed);
}

/* "2 x MT4123 200 Gb/s", "MT4123 down", "MT4123 200 Gb/s, 1 down" */
static const char *adapters(struct arena *a, const struct nodes_devices *d)
{
	char rate[UNITS_TEXT] = "down";
	const char *count = "", *down = "";

	if (!d->adapters)
		return "";
	if (d->adapters > 1)
		count = arena_printf(a, "%zu x ", d->adapters);
	if (d->rate > 0)
		(void)units_format_rate(rate, sizeof(rate), d->rate);
	if (d->rate > 0 && d->ports_down)
		down = arena_printf(a, ", %zu down", d->ports_down);
	return arena_printf(a, "%s%s %s%s", count, d->mixed ? "mixed" : d->adapter, rate,
			    down);
}

/* A cell as the screen can take it. */
static const char *shown(struct table *table, const char *cell)
{
	struct strbuf clean = {0};
	const char *copy;

	term_clean(table->t, &clean, cell && *cell ? cell : "-", MAX_CELL);
	copy = arena_strdup(&table->arena, strbuf_str(&clean));
	strbuf_release(&clean);
	return copy;
}

/*
 * Alike is what shows the same, but for memory: firmware keeps a little more of it here
 * than there, and the class has it rounded.
 */
static void add_row(struct table *table, const struct nodes_item *item)
{
	const struct record_node *n = &item->record;
	struct arena *a = &table->arena;
	struct strbuf key = {0};
	struct nodes_devices d;
	struct row row;
	size_t before = table->alike.keys.n, i;

	nodes_devices_read(&d, n->facts, a);
	row = (struct row){{
		[CPU] = cpu(a, n->facts),
		[CORES] = count(a, n->facts, "cpu.cores"),
		[SMT] = smt(a, n->facts),
		[NUMA] = count(a, n->facts, "cpu.numa_domains"),
		[MEMORY] = memory(a, n->facts),
		[MODULES] = modules(a, &d),
		[ADAPTER] = adapters(a, &d),
		[BIOS] = record_json_text(a, n->facts, "dmi.bios_version"),
		[KERNEL] = record_json_text(a, n->facts, "os.kernel"),
		[CLASS] = n->class,
	}};
	for (int c = CPU; c < COLUMNS; c++) {
		row.cell[c] = shown(table, row.cell[c]);
		strbuf_addf(&key, "%s\n", c == MEMORY ? "" : row.cell[c]);
	}
	i = nodes_groups_add(&table->alike, strbuf_str(&key), item->name);
	strbuf_release(&key);
	mem_grow(&table->rows, &table->cap, i + 1, sizeof(*table->rows));
	if (i == before)
		table->rows[i] = row;
}

static void put_line(struct term *t, const char *const *cells, const size_t *width)
{
	size_t column = 0;

	for (int c = 0; c < COLUMNS; c++) {
		size_t own = term_columns(cells[c], strlen(cells[c]));
		bool number = c == CORES || c == NUMA || c == MEMORY;

		if (!width[c])
			continue;
		term_pad(t, column + (number ? width[c] - own : 0));
		strbuf_addstr(&t->out, cells[c]);
		t->column = column + (number ? width[c] : own);
		column += width[c] + GAP;
	}
	term_end(t);
}

static void put_rows(struct table *table)
{
	size_t n = table->alike.keys.n, width[COLUMNS] = {0};
	bool known[COLUMNS] = {false};

	for (size_t i = 0; i < n; i++) {
		const char **cell = table->rows[i].cell;

		cell[NODES] =
			shown(table, nodes_groups_list(&table->alike, i, &table->arena));
		for (int c = 0; c < COLUMNS; c++) {
			size_t own = term_columns(cell[c], strlen(cell[c]));

			width[c] = own > width[c] ? own : width[c];
			known[c] |= strcmp(cell[c], "-") != 0;
		}
	}
	/* modules and adapters are columns where a node has or tells any */
	for (int c = 0; c < COLUMNS; c++) {
		if (width[c] < strlen(titles[c]))
			width[c] = strlen(titles[c]);
		if ((c == MODULES || c == ADAPTER) && !known[c])
			width[c] = 0;
	}
	if (n)
		put_line(table->t, titles, width);
	for (size_t i = 0; i < n; i++)
		put_line(table->t, table->rows[i].cell, width);
}

/* "dmi.serial: read '...': Permission denied", whoever has it. */
static void note_unreadable(struct table *table, const struct nodes_item *item)
{
	json_t *facts = json_loads(item->record.facts, 0, NULL), *why;
	const char *fact;

	json_object_foreach(json_object_get(facts, "unreadable"), fact, why)
	{
		const char *text = json_string_value(why);

		(void)nodes_groups_add(&table->notes,
				       arena_printf(&table->arena, "not read: %s: %s",
						    fact, text ? text : ""),
				       item->name);
	}
	json_decref(facts);
}

/* Two names of one machine, or two machines that think they are one. */
static void note_same_host(struct table *table, const struct nodes *nodes)
{
	struct nodes_groups hosts = {0};

	for (size_t i = 0; i < nodes->n; i++) {
		const struct nodes_item *item = &nodes->items[i];

		if (!item->why && item->record.host)
			(void)nodes_groups_add(&hosts, item->record.host, item->name);
	}
	for (size_t i = 0; i < hosts.keys.n; i++) {
		const char *text = arena_printf(&table->arena, "all call themselves '%s'",
						hosts.keys.items[i]);

		for (size_t k = 0; hosts.items[i].n > 1 && k < hosts.items[i].n; k++)
			(void)nodes_groups_add(&table->notes, text,
					       hosts.items[i].names[k]);
	}
	nodes_groups_release(&hosts);
}

static void put_notes(struct table *table)
{
	struct term *t = table->t;

	for (size_t i = 0; i < table->notes.keys.n; i++) {
		struct strbuf text = {0};

		if (i == 0 && table->alike.keys.n)
			term_end(t);
		term_clean(t, &text, nodes_groups_list(&table->notes, i, &table->arena),
			   MAX_NOTE);
		strbuf_addstr(&text, ": ");
		term_clean(t, &text, table->notes.keys.items[i], MAX_NOTE);
		term_wrap(t, 4, strbuf_str(&text));
		term_end(t);
		strbuf_release(&text);
	}
}

int nodes_table(const struct nodes *nodes, const struct report_style *style, FILE *out,
		struct err *e)
{
	struct term t;
	struct table table = {.t = &t};
	int rc = 0;

	term_init(&t, style);
	for (size_t i = 0; i < nodes->n; i++) {
		const struct nodes_item *item = &nodes->items[i];

		if (item->why) {
			(void)nodes_groups_add(
				&table.notes,
				arena_printf(&table.arena, "no facts: %s", item->why),
				item->name);
		} else {
			add_row(&table, item);
			note_unreadable(&table, item);
		}
	}
	note_same_host(&table, nodes);
	put_rows(&table);
	put_notes(&table);
	if (fwrite(strbuf_str(&t.out), 1, t.out.len, out) != t.out.len || fflush(out))
		rc = err_sys(e, errno, "write the table of nodes");
	term_release(&t);
	free(table.rows);
	nodes_groups_release(&table.alike);
	nodes_groups_release(&table.notes);
	arena_release(&table.arena);
	return rc;
}
