/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes as a site file: see nodes.h. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/node_name.h"
#include "base/units.h"
#include "cmd/nodes.h"

/* Keys of `expect` that facts answer. */
static const struct {
	const char *key, *path;
	enum { TEXT, COUNT, BYTES, DEVICES } form;
} rows[] = {
	{"cpu", "cpu.model", TEXT},
	{"sockets", "cpu.sockets", COUNT},
	{"cores", "cpu.cores", COUNT},
	{"threads", "cpu.threads", COUNT},
	{"numa_domains", "cpu.numa_domains", COUNT},
	{"memory", "memory.total", BYTES},
	{"memory_speed", NULL, DEVICES},
	{"dimms", NULL, DEVICES},
	{"hca", NULL, DEVICES},
	{"hcas", NULL, DEVICES},
	{"hca_rate", NULL, DEVICES},
	{"bios", "dmi.bios_version", TEXT},
	{"kernel", "os.kernel", TEXT},
};

/* Text as YAML and every reader of it take it, whatever is in it. */
static void quoted(struct strbuf *out, const char *s)
{
	strbuf_addch(out, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			strbuf_addch(out, '\\');
		if ((unsigned char)*s < ' ' || *s == 127)
			strbuf_addf(out, "\\x%02x", (unsigned char)*s);
		else
			strbuf_addch(out, *s);
	}
	strbuf_addch(out, '"');
}

/* Like nodes differ by what firmware keeps: to a quarter of a GiB, small ones to a MiB.
 */
static double about(double bytes)
{
	double unit = bytes < 0x1p33 ? 0x1p20 : 0x1p28;

	return rint(bytes / unit) * unit;
}

/* That a node has no adapter is known; that it has no modules is not. */
static const char none[] = "none";

/* Keys about memory modules and adapters. */
static void add_devices(struct strbuf *out, struct arena *a, const char *facts,
			const char *key)
{
	struct nodes_devices d;
	char text[UNITS_TEXT];

	nodes_devices_read(&d, facts, a);
	if (!strcmp(key, "memory_speed") && d.speed > 0)
		strbuf_addf(out, "%.0f MT/s", d.speed / 1e6);
	else if (!strcmp(key, "dimms") && d.modules)
		strbuf_addf(out, "%zu", d.modules);
	else if (!strncmp(key, "hca", 3) && !d.adapters)
		strbuf_addstr(out, none);
	else if (!strcmp(key, "hca") && !d.mixed)
		quoted(out, d.adapter);
	else if (!strcmp(key, "hcas"))
		strbuf_addf(out, "%zu", d.adapters);
	else if (!strcmp(key, "hca_rate") && d.rate > 0)
		strbuf_addstr(out, units_format_rate(text, sizeof(text), d.rate));
}

/* The value of a key on one node as the site file has it, "" when not known. */
static const char *value(struct arena *a, const char *facts, size_t row)
{
	struct strbuf out = {0};
	char text[UNITS_TEXT];
	const char *s;
	double v;

	if (rows[row].form == DEVICES) {
		add_devices(&out, a, facts, rows[row].key);
	} else if (rows[row].form == TEXT) {
		s = record_json_text(a, facts, rows[row].path);
		if (*s)
			quoted(&out, s);
	} else {
		v = record_json_num(facts, rows[row].path);
		if (v >= 0 && rows[row].form == COUNT)
			strbuf_addf(&out, "%.0f", v);
		else if (v > 0)
			strbuf_addstr(&out,
				      units_format_memory(text, sizeof(text), about(v)));
	}
	s = arena_strdup(a, strbuf_str(&out));
	strbuf_release(&out);
	return s;
}

/* "  key: value", or a comment when nodes differ; nothing when no node knows. */
static void expect(const struct nodes *nodes, size_t row, struct arena *a,
		   struct strbuf *out)
{
	struct nodes_groups values = {0};

	for (size_t i = 0; i < nodes->n; i++) {
		const char *v = nodes->items[i].why
					? ""
					: value(a, nodes->items[i].record.facts, row);

		if (*v)
			(void)nodes_groups_add(&values, v, nodes->items[i].name);
	}
	if (values.keys.n == 1 && strcmp(values.keys.items[0], none) != 0)
		strbuf_addf(out, "  %s: %s\n", rows[row].key, values.keys.items[0]);
	for (size_t i = 0; values.keys.n > 1 && i < values.keys.n; i++)
		strbuf_addf(out, "  # %s: %s   # on %s\n", rows[row].key,
			    values.keys.items[i], nodes_groups_list(&values, i, a));
	nodes_groups_release(&values);
}

static const char *all_names(const struct nodes *nodes, struct arena *a)
{
	struct nodes_groups g = {0};
	const char *list;

	for (size_t i = 0; i < nodes->n; i++)
		(void)nodes_groups_add(&g, "", nodes->items[i].name);
	list = nodes_groups_list(&g, 0, a);
	nodes_groups_release(&g);
	return list;
}

static const char *site_name(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t len = strcspn(name, ".");

	return len && node_name_valid(arena_strndup(a, name, len))
		       ? arena_strndup(a, name, len)
		       : "site";
}

int nodes_write_site(const struct nodes *nodes, const char *path, struct err *e)
{
	struct strbuf out = {0};
	struct arena a = {0};
	int rc;

	if (!access(path, F_OK))
		return err_set(e, ERR_USAGE, "--write-site '%s': exists already", path);
	strbuf_addf(
		&out,
		"# What assay nodes found. Compare 'expect' with what was bought: from "
		"now on\n# every run judges against it.\nsite: ");
	quoted(&out, site_name(&a, path));
	strbuf_addstr(&out, "\nnodes: ");
	quoted(&out, all_names(nodes, &a));
	if (nodes->site->path) {
		strbuf_addstr(&out, "\nremote_agent: ");
		quoted(&out, nodes->site->remote_agent);
	}
	strbuf_addf(&out, "\nexpect:\n  nodes: %zu\n", nodes->n);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(nodes, i, &a, &out);
	rc = file_save(path, strbuf_str(&out), out.len, e);
	strbuf_release(&out);
	arena_release(&a);
	return rc;
}
