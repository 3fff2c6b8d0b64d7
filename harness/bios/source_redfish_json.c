/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source redfish-json: answers of a Redfish service that somebody saved, one or more
 * files of a node: the Bios resource, its settings object, the jobs, the registry, the
 * system. What a file is, its content tells; where that is silent, its name.
 */
#include <string.h>

#include "base/strbuf.h"
#include "bios/redfish_answers.h"
#include "record/json.h"

/* In the order in which they are read. */
enum kind { BIOS, JOBS, SETTINGS, REGISTRY, SYSTEM, OTHER, KINDS };

static const char *const kinds[] = {"Bios",     "jobs",   "settings to come",
				    "registry", "system", "other"};

static bool ends(const char *text, const char *with)
{
	size_t n = strlen(text), m = strlen(with);

	while (n && text[n - 1] == '/')
		n--;
	return n >= m && !strncmp(text + n - m, with, m);
}

static enum kind kind_of(const json_t *o, const char *role)
{
	const char *id = json_member_text(o, "@odata.id");
	const char *type = json_member_text(o, "@odata.type");

	if (json_object_get(o, "RegistryEntries"))
		return REGISTRY;
	if (json_object_get(o, "Members") || json_object_get(o, "JobState"))
		return JOBS;
	if (strstr(type, "ComputerSystem."))
		return SYSTEM;
	if (ends(id, "/Settings") || ends(id, "/settings") || ends(id, "/Pending") ||
	    ends(id, "/SD") || !strcmp(role, "settings"))
		return SETTINGS;
	/* BMCs and iDRAC itself have "Attributes" as well, which are not the BIOS's */
	if (*type ? !strstr(type, "Bios.")
		  : *id && !ends(id, "/Bios") && !ends(id, "/bios"))
		return OTHER;
	return BIOS;
}

static int other(const json_t *o, struct err *e)
{
	const char *type = json_member_text(o, "@odata.type");

	return err_set(
		e, ERR_USAGE,
		"it is %.100s, and what is wanted is the Bios resource of a system "
		"(/redfish/v1/Systems/ID/Bios)",
		*type ? type : json_member_text(o, "@odata.id"));
}

static int read_one(struct bios_reading *out, enum kind kind, const json_t *o,
		    struct err *e)
{
	switch (kind) {
	case BIOS:
		return redfish_bios(out, o, e);
	case SETTINGS:
		return redfish_settings(out, o, e);
	case JOBS:
		redfish_jobs(out, o);
		break;
	case REGISTRY:
		redfish_registry(out, o);
		break;
	case SYSTEM:
		redfish_chassis(out, o);
		break;
	case OTHER:
	case KINDS:
		break;
	}
	return 0;
}

/* One Bios resource is what all else belongs to. */
static int expect_one(json_t *const *bodies, const struct bios_text *texts, size_t n,
		      struct err *e)
{
	struct strbuf found = {0};
	size_t seen = 0;

	for (size_t i = 0; i < n; i++) {
		enum kind kind = kind_of(bodies[i], texts[i].role);

		seen += kind == BIOS;
		strbuf_addf(&found, "%s%s", i ? ", " : "", kinds[kind]);
		if (texts[i].name && n > 1)
			strbuf_addf(&found, " in '%.100s'", texts[i].name);
	}
	if (seen != 1)
		err_set(e, ERR_USAGE,
			"expected one Bios resource (/redfish/v1/Systems/ID/Bios) of a "
			"node, found: %s",
			strbuf_str(&found));
	strbuf_release(&found);
	return seen == 1 ? 0 : -1;
}

/* Which of several it was. */
static int in_file(const struct bios_text *t, size_t n, struct err *e)
{
	return n > 1 && t->name ? err_at(e, "'%.200s'", t->name) : -1;
}

/* What belongs to nothing is refused first, then all is read kind by kind. */
static int read_kinds(struct bios_reading *out, json_t *const *bodies,
		      const struct bios_text *texts, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		if (kind_of(bodies[i], texts[i].role) == OTHER && other(bodies[i], e))
			return in_file(&texts[i], n, e);
	}
	if (expect_one(bodies, texts, n, e))
		return -1;
	for (int kind = BIOS; kind < OTHER; kind++) {
		for (size_t i = 0; i < n; i++) {
			if (kind_of(bodies[i], texts[i].role) == (enum kind)kind &&
			    read_one(out, (enum kind)kind, bodies[i], e))
				return in_file(&texts[i], n, e);
		}
	}
	return 0;
}

static int read_texts(struct bios_reading *out, const struct bios_text *texts, size_t n,
		      struct err *e)
{
	json_t **bodies = arena_alloc(&out->arena, n + 1, sizeof(json_t *));
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		bodies[i] = redfish_parse(texts[i].text, texts[i].len, e);
		rc = bodies[i] ? 0 : in_file(&texts[i], n, e);
	}
	if (!rc)
		rc = read_kinds(out, bodies, texts, n, e);
	for (size_t i = 0; i < n; i++)
		json_decref(bodies[i]);
	return rc;
}

static bool is(const char *text, size_t len)
{
	size_t skip = 0;

	/* a byte order mark, which jansson would refuse, is no JSON either */
	while (skip < len && strchr(" \t\r\n", text[skip]))
		skip++;
	return skip < len && text[skip] == '{' &&
	       !memmem(text, len < 256 ? len : 256, "\"kind\"", 6);
}

const struct bios_source source_redfish_json = {
	.name = "redfish-json",
	.help = "saved answers of a Redfish service: Bios, its Settings, jobs, registry",
	.where = BIOS_FILE,
	.is = is,
	.read = read_texts,
};
