/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that are taken to look like a given machine, in a dry run: see campaign.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "assay_build.h"
#include "base/file.h"
#include "base/units.h"
#include "cmd/campaign.h"
#include "host/facts.h"
#include "host/topology.h"

enum { MAX_XML = 64 << 20 };

/* What the words after --topology mean. */
struct machine {
	struct topology *topology;
	struct strbuf xml;
	json_t *facts;
};

static void machine_release(struct machine *m)
{
	topology_free(m->topology);
	strbuf_release(&m->xml);
	json_decref(m->facts);
}

static void online(const struct topology *t, struct strbuf *list)
{
	hwloc_bitmap_t all = hwloc_bitmap_alloc();

	for (size_t i = 0; i < t->n_cores; i++)
		(void)hwloc_bitmap_or(all, all, t->cores[i].cpus);
	topology_cpus_text(all, list);
	hwloc_bitmap_free(all);
}

/* Nobody holds back CPUs or memory of a machine that is not here. */
static json_t *no_facts(const struct topology *t)
{
	struct strbuf list = {0};
	json_int_t memory = 0;
	json_t *facts;

	online(t, &list);
	facts = json_pack("{s:{s:s}}", "cpu", "mask", strbuf_str(&list));
	for (size_t i = 0; i < t->n_domains; i++)
		memory += (json_int_t)t->domains[i].size;
	if (memory)
		json_object_set_new(facts, "memory",
				    json_pack("{s:I}", "usable", memory));
	strbuf_release(&list);
	return facts;
}

static int synthetic(struct machine *m, const char *text, struct err *e)
{
	struct err why = {0};

	if (!topology_from_synthetic(&m->topology, text, &why))
		return 0;
	return err_set(e, ERR_USAGE, "'%.200s' is no file, no folder and %.200s", text,
		       why.msg);
}

static int load(struct machine *m, const char *text, struct err *e)
{
	struct host_io io = {.root = text};
	struct stat st = {0};
	int rc;

	if (stat(text, &st))
		rc = synthetic(m, text, e);
	else if (S_ISDIR(st.st_mode))
		rc = topology_load(&m->topology, &io, e);
	else
		rc = file_read(&m->xml, text, MAX_XML, e) ||
		     topology_from_xml(&m->topology, strbuf_str(&m->xml), m->xml.len, e);
	if (!rc && !m->xml.len)
		rc = topology_xml(m->topology, &m->xml, e);
	if (rc) {
		e->kind = ERR_USAGE;
		return err_at(e, "--topology");
	}
	m->facts = S_ISDIR(st.st_mode) ? facts_gather(&io, m->topology, NULL) : NULL;
	/* a tree says with what mask it was recorded, where it has that at all */
	if (!json_object_get(json_object_get(m->facts, "cpu"), "mask")) {
		json_decref(m->facts);
		m->facts = no_facts(m->topology);
	}
	return 0;
}

int campaign_topology(struct campaign *c, struct record_sink *sink, struct err *e)
{
	struct record r = record_make(RECORD_KIND_node);
	struct machine m = {0};
	struct strbuf class = {0};
	int rc = load(&m, c->args->topology, e);

	if (!rc) {
		facts_class(m.facts, m.topology, &class);
		/* the state keeps what it is given */
		r.u.node.class = arena_strdup(&c->arena, strbuf_str(&class));
		r.u.node.build = ASSAY_BUILD;
		r.u.node.facts = campaign_json(&c->arena, json_incref(m.facts));
		r.u.node.topology = arena_strdup(&c->arena, strbuf_str(&m.xml));
	}
	for (size_t i = 0; i < c->n_nodes && !rc; i++) {
		r.u.node.node = c->nodes[i];
		rc = sink->put(sink, &r, e);
	}
	strbuf_release(&class);
	machine_release(&m);
	return rc;
}

/* " (32 MiB each)" */
static void add_size(struct strbuf *list, const struct topology_part *p, bool next_alike)
{
	char size[UNITS_TEXT];

	strbuf_addf(list, " (%s%s)",
		    units_format_memory(size, sizeof(size), (double)p->size),
		    next_alike ? " each" : "");
}

/* Parts with their ids, CPUs and sizes; @none: what a size of 0 means. */
static void print_parts(const char *what, const struct topology_part *parts, size_t n,
			const char *none, FILE *out)
{
	struct strbuf list = {0};

	for (size_t i = 0; i < n; i++) {
		const struct topology_part *p = &parts[i];

		strbuf_addstr(&list, i ? ", " : " ");
		if (p->id != TOPOLOGY_NO_ID)
			strbuf_addf(&list, "#%u ", (unsigned int)p->id);
		if (hwloc_bitmap_iszero(p->cpus))
			strbuf_addstr(&list, "no CPUs");
		else
			topology_cpus_text(p->cpus, &list);
		if (p->size && (!i || p->size != p[-1].size))
			add_size(&list, p, i + 1 < n && p->size == p[1].size);
		else if (!p->size && none)
			strbuf_addf(&list, " (%s)", none);
	}
	if (n)
		(void)fprintf(out, "  %zu %s%s:%s\n", n, what, n == 1 ? "" : "s",
			      strbuf_str(&list));
	strbuf_release(&list);
}

void campaign_print_machine(struct campaign *c, const struct record_node *n, FILE *out)
{
	const char *mask = record_json_text(&c->arena, n->facts, "cpu.mask");
	const double usable = record_json_num(n->facts, "memory.usable");
	size_t with_cpus = 0, with_memory = 0;
	struct strbuf all = {0};
	struct topology *t;
	struct err why = {0};
	char name[32], size[UNITS_TEXT];

	if (topology_from_xml(&t, n->topology, strlen(n->topology), &why)) {
		(void)fprintf(out, "  %s\n", why.msg);
		return;
	}
	for (size_t i = 0; i < t->n_domains; i++) {
		with_cpus += !hwloc_bitmap_iszero(t->domains[i].cpus);
		with_memory += t->domains[i].size > 0;
	}
	(void)fprintf(out, "  %zu cores, %zu CPUs; NUMA: %zu CPU x %zu memory domains\n",
		      t->n_cores, t->n_cpus, with_cpus, with_memory);
	online(t, &all);
	if (strcmp(mask, strbuf_str(&all)) != 0)
		(void)fprintf(out, "  CPUs that may be used: %s\n", mask);
	print_parts("package", t->packages, t->n_packages, NULL, out);
	(void)snprintf(name, sizeof(name), "L%d cache", t->cache_level);
	print_parts(name, t->caches, t->n_caches, NULL, out);
	print_parts("NUMA domain", t->domains, t->n_domains, "no memory known", out);
	if (c->args->topology && !isnan(usable) &&
	    !*record_json_text(&c->arena, n->facts, "memory.usable_from"))
		(void)fprintf(out,
			      "  sizes follow from all of its memory, %s: a running node "
			      "has less\n",
			      units_format_memory(size, sizeof(size), usable));
	strbuf_release(&all);
	topology_free(t);
}
