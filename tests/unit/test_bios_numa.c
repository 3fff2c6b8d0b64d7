/* SPDX-License-Identifier: Apache-2.0 */
/* NPS and CCX-as-NUMA from what the system shows, and source os. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "bios/numa.h"
#include "bios/source.h"

/* What an EPYC shows: sockets, domains and L3 caches of a socket, domains of one part. */
struct machine {
	int sockets, domains, caches;
	int part; /* domains at less than 12 from each other, the own one counted */
	int far;
	int nps;
	enum numa_ccx ccx;
};

/*
 * Facts of it. Caches take turns of 8 CPUs; a domain is one or several caches of its
 * socket, so the texts of CPU lists are those that the kernel and hwloc give.
 */
static json_t *facts_of(const struct machine *m)
{
	json_t *numa = json_array(), *l3 = json_array();
	int total = m->sockets * m->domains, per = m->caches / m->domains;

	for (int d = 0; d < total; d++) {
		json_t *distances = json_array();
		char cpus[32];

		for (int o = 0; o < total; o++) {
			int v = m->far;

			if (o / m->domains == d / m->domains)
				v = o == d ? 10
				    : (o % m->domains) / m->part ==
						    (d % m->domains) / m->part
					    ? 11
					    : 12;
			(void)json_array_append_new(distances, json_integer(v));
		}
		(void)snprintf(cpus, sizeof(cpus), "%d-%d", d * per * 8,
			       (d + 1) * per * 8 - 1);
		(void)json_array_append_new(numa, json_pack("{s:i, s:s, s:i, s:o}", "id",
							    d, "cpus", cpus, "package",
							    d / m->domains, "distances",
							    distances));
	}
	for (int c = 0; c < m->sockets * m->caches; c++) {
		char cpus[32];

		(void)snprintf(cpus, sizeof(cpus), "%d-%d", c * 8, c * 8 + 7);
		(void)json_array_append_new(l3, json_pack("{s:s, s:i}", "cpus", cpus,
							  "package", c / m->caches));
	}
	return json_pack("{s:{s:i}, s:{s:o, s:i}, s:o}", "cpu", "sockets", m->sockets,
			 "cache", "l3", l3, "l3_instances", m->sockets * m->caches,
			 "numa", numa);
}

/*
 * Domains and SLIT as published: 2 x 7763 (8 L3 a socket) in all settings; 2 x 7742 (16
 * L3) at NPS4; models with four CCDs, where NPS4 looks the same with and without
 * CCX-as-NUMA.
 */
static const struct machine machines[] = {
	{2, 1, 8, 1, 32, 1, NUMA_CCX_OFF},       {2, 2, 8, 1, 32, 2, NUMA_CCX_OFF},
	{2, 4, 8, 1, 32, 4, NUMA_CCX_OFF},       {2, 8, 8, 8, 32, 1, NUMA_CCX_ON},
	{2, 8, 8, 4, 32, 2, NUMA_CCX_ON},        {2, 8, 8, 2, 32, 4, NUMA_CCX_ON},
	{2, 8, 8, 2, 28, 4, NUMA_CCX_ON},        {1, 8, 8, 2, 32, 4, NUMA_CCX_ON},
	{2, 4, 16, 1, 32, 4, NUMA_CCX_OFF},      {2, 16, 16, 4, 32, 4, NUMA_CCX_ON},
	{2, 4, 4, 1, 32, 4, NUMA_CCX_AMBIGUOUS}, {1, 4, 4, 1, 32, 4, NUMA_CCX_AMBIGUOUS},
	{2, 4, 4, 4, 32, 1, NUMA_CCX_ON},        {2, 4, 4, 2, 32, 2, NUMA_CCX_ON},
	{2, 2, 4, 1, 32, 2, NUMA_CCX_OFF},       {1, 1, 1, 1, 32, 1, NUMA_CCX_AMBIGUOUS},
};

static void the_slit_tells_domains_of_a_socket(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		const struct machine *m = &machines[i];
		json_t *facts = facts_of(m);
		struct numa_firmware f = numa_decode(facts);

		if (f.nps != m->nps || f.ccx != m->ccx)
			fail_msg("%zu: NPS %d, CCX %d", i, f.nps, (int)f.ccx);
		json_decref(facts);
	}
}

static struct numa_firmware decode(const char *text)
{
	json_t *facts = json_loads(text, 0, NULL);
	struct numa_firmware f;

	assert_non_null(facts);
	f = numa_decode(facts);
	json_decref(facts);
	return f;
}

static void what_facts_do_not_say_is_not_known(void **unused)
{
	struct numa_firmware f;

	(void)unused;
	/* one domain over both sockets */
	f = decode("{\"cpu\":{\"sockets\":2},\"cache\":{\"l3_instances\":16},"
		   "\"numa\":[{\"id\":0,\"cpus\":\"0-127\"}]}");
	assert_int_equal(f.nps, 0);
	assert_int_equal(f.ccx, NUMA_CCX_OFF);
	/* counts alone: no distances, no caches */
	f = decode("{\"cpu\":{\"sockets\":2},\"numa\":[{\"id\":0,\"cpus\":\"0-63\"},"
		   "{\"id\":1,\"cpus\":\"64-127\"}]}");
	assert_int_equal(f.nps, 1);
	assert_int_equal(f.ccx, NUMA_CCX_UNKNOWN);
	f = decode("{\"cpu\":{\"sockets\":2,\"numa_domains\":16},"
		   "\"cache\":{\"l3_instances\":16}}");
	assert_int_equal(f.nps, -1);
	assert_int_equal(f.ccx, NUMA_CCX_ON);
	f = decode("{\"cpu\":{\"sockets\":2,\"numa_domains\":8},"
		   "\"cache\":{\"l3_instances\":16}}");
	assert_int_equal(f.nps, 4);
	assert_int_equal(f.ccx, NUMA_CCX_OFF);
	/* sockets that differ, nothing at all */
	f = decode("{\"cpu\":{\"sockets\":2},\"numa\":[{\"id\":0,\"cpus\":\"0-7\","
		   "\"package\":0},{\"id\":1,\"cpus\":\"8-15\",\"package\":0},"
		   "{\"id\":2,\"cpus\":\"16-31\",\"package\":1}]}");
	assert_int_equal(f.nps, -1);
	f = decode("{}");
	assert_int_equal(f.nps, -1);
	assert_int_equal(f.ccx, NUMA_CCX_UNKNOWN);
}

static void read_facts(struct bios_reading *r, const char *facts)
{
	char text[2000];
	struct bios_text t = {.text = text, .role = ""};

	(void)snprintf(text, sizeof(text),
		       "{\"kind\":\"node\",\"node\":\"n1\",\"facts\":%s}", facts);
	t.len = strlen(text);
	assert_ptr_equal(bios_source_of(text, t.len), &source_os);
	bios_read(r, &source_os, &t, 1);
}

static const char *value(const struct bios_reading *r, const char *name)
{
	const struct setting *s = settings_find(&r->settings, name);

	if (!s)
		fail_msg("no %s", name);
	return s ? s->current.text : NULL;
}

static void the_system_shows_what_firmware_did(void **unused)
{
	struct bios_reading r;

	(void)unused;
	read_facts(&r, "{\"cpu\":{\"vendor\":\"AuthenticAMD\",\"sockets\":1,"
		       "\"smt_control\":\"notsupported\",\"boost\":true,"
		       "\"governor\":\"performance\"},\"cache\":{\"l3_instances\":8},"
		       "\"numa\":[{\"id\":0,\"cpus\":\"0-63\"}],"
		       "\"idle\":{\"driver\":\"acpi_idle\",\"states\":[\"POLL\",\"C1\","
		       "\"C2\"]},\"iommu\":{\"units\":4},"
		       "\"prefetchers\":{\"l1_stream\":true,\"l2_up_down\":false}}");
	assert_null(r.error);
	assert_string_equal(value(&r, "LogicalProc"), "Disabled");
	assert_string_equal(value(&r, "ProcTurboMode"), "Enabled");
	assert_string_equal(value(&r, "NumaNodesPerSocket"), "1");
	assert_string_equal(value(&r, "CcxAsNumaDomain"), "Disabled");
	assert_string_equal(value(&r, "ProcCStates"), "Enabled");
	assert_string_equal(value(&r, "IommuSupport"), "Enabled");
	assert_string_equal(value(&r, "L1StreamHwPrefetcher"), "Enabled");
	assert_string_equal(value(&r, "L2UpDownPrefetcher"), "Disabled");
	assert_string_equal(value(&r, "os.governor"), "performance");
	assert_null(settings_find(&r.settings, "L1StridePrefetcher"));
	bios_reading_release(&r);
}

static void what_the_kernel_did_is_not_taken_for_firmware(void **unused)
{
	struct bios_reading r;

	(void)unused;
	read_facts(&r,
		   "{\"cpu\":{\"smt_control\":\"off\",\"boost\":false},"
		   "\"idle\":{\"driver\":\"acpi_idle\",\"states\":[\"POLL\","
		   "\"C1\"],\"limited\":true},\"iommu\":{\"units\":0,\"told\":true}}");
	assert_null(r.error);
	/* SMT is on in BIOS: the kernel could switch it off */
	assert_string_equal(value(&r, "LogicalProc"), "Enabled");
	assert_null(value(&r, "ProcTurboMode"));
	assert_null(value(&r, "IommuSupport"));
	assert_null(settings_find(&r.settings, "ProcCStates"));
	bios_reading_release(&r);
	read_facts(&r, "{\"virtual\":\"kvm\",\"cpu\":{\"smt_control\":\"on\"}}");
	assert_string_equal(r.error,
			    "a virtual machine (kvm) shows nothing of the firmware");
	bios_reading_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_slit_tells_domains_of_a_socket),
		cmocka_unit_test(what_facts_do_not_say_is_not_known),
		cmocka_unit_test(the_system_shows_what_firmware_did),
		cmocka_unit_test(what_the_kernel_did_is_not_taken_for_firmware),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
