/* SPDX-License-Identifier: Apache-2.0 */
/* facts.cpu and facts.numa: CPUs are of one kind, every domain with CPUs has memory. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "judge/facts.h"

bool facts_cpu(const struct facts_look *l)
{
	const json_t *models = facts_get(l, "cpu.models");
	double populated = facts_num(l, "smbios.sockets_populated");
	double sockets = facts_num(l, "cpu.sockets");
	struct finding f = {0};
	json_t *m;
	size_t i;

	if (json_array_size(models) > 1) {
		struct strbuf list = {0};

		json_array_foreach(models, i, m)
		{
			const char *name = json_string_value(json_object_get(m, "model"));
			const char *cpus = json_string_value(json_object_get(m, "cpus"));

			strbuf_addf(&list, "%s%s on CPUs %s", i ? ", " : "",
				    name ? name : "?", cpus ? cpus : "?");
		}
		finding_add(&f, VERDICT_WARN, "mixed CPUs: %s", strbuf_str(&list));
		strbuf_release(&list);
	}
	if (sockets >= 1 && populated > sockets)
		finding_add(&f, VERDICT_WARN,
			    "%.0f sockets hold a CPU by firmware, %.0f %s online",
			    populated, sockets, sockets > 1 ? "are" : "is");
	else if (!f.bad.len && l->required && facts_get(l, "cpu.model"))
		finding_add(&f, VERDICT_PASS, "all CPUs are of one kind");
	return finding_put(l, "facts.cpu", &f) != NULL;
}

/*
 * Memory of a domain that is less than another's by more than the kernel and firmware
 * keep, of which the first domains have most.
 */
static bool is_less(double memory, double most)
{
	return most - memory > 0.1 * most && most - memory > 3 * 0x1p30;
}

bool facts_numa(const struct facts_look *l)
{
	const json_t *domains = facts_get(l, "numa"), *d;
	struct finding f = {0};
	size_t i, with_cpus = 0;
	double most = 0;

	json_array_foreach(domains, i, d)
	{
		const char *cpus = json_string_value(json_object_get(d, "cpus"));

		if (!cpus || !*cpus)
			continue;
		with_cpus++;
		most = fmax(most, json_number_value(json_object_get(d, "memory")));
	}
	/* with one there is nothing to compare: no word, unless the plan wants one */
	if (!with_cpus || (with_cpus < 2 && !l->required))
		return false;
	json_array_foreach(domains, i, d)
	{
		const char *cpus = json_string_value(json_object_get(d, "cpus"));
		const json_t *memory = json_object_get(d, "memory");
		long long id = json_integer_value(json_object_get(d, "id"));
		char a[UNITS_TEXT], b[UNITS_TEXT];

		if (!cpus || !*cpus || !memory)
			continue;
		if (!json_integer_value(memory))
			finding_add(&f, VERDICT_WARN,
				    "NUMA node %lld has CPUs but no memory - check DIMMs",
				    id);
		else if (is_less(json_number_value(memory), most))
			finding_add(&f, VERDICT_WARN,
				    "NUMA node %lld has %s of memory, others %s - check "
				    "DIMMs",
				    id,
				    units_format_memory(a, sizeof(a),
							json_number_value(memory)),
				    units_format_memory(b, sizeof(b), most));
	}
	if (with_cpus > 1)
		finding_add(&f, VERDICT_PASS, "%zu NUMA nodes have CPUs and like memory",
			    with_cpus);
	else
		finding_add(&f, VERDICT_PASS, "there is one NUMA node");
	return finding_put(l, "facts.numa", &f) != NULL;
}
