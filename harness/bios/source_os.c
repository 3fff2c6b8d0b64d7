/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source os: settings as the running system shows them, from the record of assay-probe,
 * so nothing is read twice. They have the names that BIOS has for them; what the system
 * cannot tell is null with a remark, and what only the operating system knows begins with
 * "os.". A virtual machine shows nothing of them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "bios/numa.h"
#include "bios/source.h"
#include "record/json.h"

struct reader {
	struct bios_reading *out;
	const json_t *facts;
	struct err *e;
	int rc;
};

static const char on[] = "Enabled", off[] = "Disabled";

/* @text NULL: it cannot be told, and @remark why. */
static void put(struct reader *r, const char *name, const char *text, const char *remark)
{
	struct setting s = {.name = name,
			    .current.text = text,
			    .state = SETTING_READ_ONLY,
			    .remark = remark};

	if (!r->rc && (text || remark))
		r->rc = settings_add(&r->out->settings, &r->out->arena, &s, r->e);
}

static const json_t *fact(const struct reader *r, const char *group, const char *name)
{
	return json_object_get(json_object_get(r->facts, group), name);
}

/*
 * SMT that firmware has switched off is no setting of the kernel's any more: then it says
 * "notsupported". "off" and "forceoff" are the kernel's own.
 */
static void smt(struct reader *r)
{
	const json_t *v = fact(r, "cpu", "smt_control");
	const char *word = json_is_string(v) ? json_string_value(v) : "";

	if (!strcmp(word, "on") || (!*word && json_is_true(fact(r, "cpu", "smt"))))
		put(r, "LogicalProc", on, NULL);
	else if (!strcmp(word, "off") || !strcmp(word, "forceoff"))
		put(r, "LogicalProc", on, "the operating system has switched SMT off");
	else if (!strcmp(word, "notsupported"))
		put(r, "LogicalProc", off, NULL);
}

static void numa(struct reader *r)
{
	static const char either[] =
		"ambiguous: every domain has one L3, which either setting gives";
	const char *vendor = json_string_value(fact(r, "cpu", "vendor"));
	struct numa_firmware f = {-1, NUMA_CCX_UNKNOWN};
	char nps[8];

	if (!vendor || !strcmp(vendor, "AuthenticAMD") || !strcmp(vendor, "HygonGenuine"))
		f = numa_decode(r->facts);
	(void)snprintf(nps, sizeof(nps), "%d", f.nps);
	if (f.nps >= 0)
		put(r, "NumaNodesPerSocket", nps, NULL);
	if (f.ccx == NUMA_CCX_ON || f.ccx == NUMA_CCX_OFF)
		put(r, "CcxAsNumaDomain", f.ccx == NUMA_CCX_ON ? on : off, NULL);
	else if (f.ccx == NUMA_CCX_AMBIGUOUS)
		put(r, "CcxAsNumaDomain", NULL, either);
}

/* Boost that is off may be the kernel's doing: only its being on says what BIOS did. */
static void boost(struct reader *r)
{
	const json_t *v = fact(r, "cpu", "boost");

	if (json_is_true(v))
		put(r, "ProcTurboMode", on, NULL);
	else if (json_is_false(v))
		put(r, "ProcTurboMode", NULL,
		    "boost is off, by firmware or by the operating system");
	if (json_is_boolean(v))
		put(r, "os.boost", json_is_true(v) ? "on" : "off", NULL);
}

/* ACPI's driver has the states that firmware lists; others bring their own. */
static void idle(struct reader *r)
{
	const json_t *states = fact(r, "idle", "states"),
		     *driver = fact(r, "idle", "driver");
	struct strbuf names = {0};
	bool deep = false;
	json_t *item;
	size_t i;

	json_array_foreach(states, i, item)
	{
		const char *name = json_is_string(item) ? json_string_value(item) : "";

		strbuf_addf(&names, "%s%s", names.len ? " " : "", name);
		deep |= name[0] == 'C' && name[1] > '1' && name[1] <= '9';
	}
	if (names.len)
		put(r, "os.idle_states", strbuf_str(&names), NULL);
	if (names.len && json_is_string(driver) &&
	    !strcmp(json_string_value(driver), "acpi_idle")) {
		if (deep)
			put(r, "ProcCStates", on, NULL);
		else if (!json_is_true(fact(r, "idle", "limited")))
			put(r, "ProcCStates", off, NULL);
	}
	strbuf_release(&names);
}

static void iommu(struct reader *r)
{
	const json_t *units = fact(r, "iommu", "units");

	if (!json_is_integer(units))
		return;
	if (json_integer_value(units) > 0)
		put(r, "IommuSupport", on, NULL);
	else if (json_is_true(fact(r, "iommu", "told")))
		put(r, "IommuSupport", NULL, "the kernel was told what to do with it");
	else
		put(r, "IommuSupport", off, NULL);
}

static void prefetchers(struct reader *r)
{
	static const char *const names[][2] = {
		{"l1_stream", "L1StreamHwPrefetcher"},
		{"l1_stride", "L1StridePrefetcher"},
		{"l1_region", "L1RegionPrefetcher"},
		{"l2_stream", "L2StreamHwPrefetcher"},
		{"l2_up_down", "L2UpDownPrefetcher"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const json_t *v = fact(r, "prefetchers", names[i][0]);

		if (json_is_boolean(v))
			put(r, names[i][1], json_is_true(v) ? on : off, NULL);
	}
}

/* Of the modules that are there, when all run at one speed. */
static void memory(struct reader *r)
{
	const json_t *dimms = fact(r, "smbios", "dimms");
	double speed = 0;
	char text[32];
	json_t *item;
	size_t i;

	json_array_foreach(dimms, i, item)
	{
		const json_t *v = json_object_get(item, "configured");

		if (!json_is_number(v))
			continue;
		if (speed > 0 && speed != json_number_value(v))
			return;
		speed = json_number_value(v);
	}
	(void)snprintf(text, sizeof(text), "%.0f MT/s", speed / 1e6);
	if (speed > 0)
		put(r, "SysMemSpeed", text, NULL);
}

static void words(struct reader *r)
{
	static const char *const rows[][3] = {
		{"cpu", "governor", "os.governor"},
		{"cpu", "driver", "os.frequency_driver"},
		{"cpu", "microcode", "os.microcode"},
		{"dmi", "bios_version", "SystemBiosVersion"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const json_t *v = fact(r, rows[i][0], rows[i][1]);

		if (json_is_string(v))
			put(r, rows[i][2], json_string_value(v), NULL);
	}
}

static int read_facts(struct reader *r)
{
	const char *virtual = json_member_text(r->facts, "virtual");

	if (*virtual && strcmp(virtual, "none") != 0)
		return err_set(r->e, ERR_USAGE,
			       "a virtual machine (%.40s) shows nothing of the firmware",
			       virtual);
	smt(r);
	numa(r);
	boost(r);
	idle(r);
	iommu(r);
	prefetchers(r);
	memory(r);
	words(r);
	return r->rc;
}

static int read_texts(struct bios_reading *out, const struct bios_text *texts, size_t n,
		      struct err *e)
{
	struct reader r = {.out = out, .e = e};
	json_error_t je;
	json_t *root;
	int rc;

	if (n != 1)
		return err_set(e, ERR_USAGE, "%zu records of one node", n);
	root = json_loadb(texts->text, texts->len, 0, &je);
	if (!root)
		return err_set(e, ERR_USAGE, "not the record of a node: %s", je.text);
	/* the record, or its facts alone */
	r.facts = json_object_get(root, "facts") ? json_object_get(root, "facts") : root;
	rc = read_facts(&r);
	json_decref(root);
	return rc;
}

static bool is(const char *text, size_t len)
{
	size_t head = len < 512 ? len : 512;

	return memmem(text, head, "\"kind\"", 6) && memmem(text, head, "\"node\"", 6);
}

const struct bios_source source_os = {
	.name = "os",
	.help = "what the running system shows, from the record of assay-probe",
	.where = BIOS_FACTS,
	.is = is,
	.read = read_texts,
};
