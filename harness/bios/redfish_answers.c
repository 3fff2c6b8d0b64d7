/* SPDX-License-Identifier: Apache-2.0 */
/* Redfish resources read: see redfish_answers.h. */
#include "bios/redfish_answers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/names.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "record/json.h"

json_t *redfish_parse(const char *text, size_t len, struct err *e)
{
	json_error_t je;
	json_t *o;

	if (len > BIOS_MAX_TEXT) {
		err_set(e, ERR_USAGE, "larger than %d MiB", BIOS_MAX_TEXT >> 20);
		return NULL;
	}
	o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &je);
	if (json_is_object(o))
		return o;
	if (!o && memmem(text, len < 512 ? len : 512, "<", 1))
		err_set(e, ERR_USAGE, "not JSON but HTML or XML: a login page?");
	else if (!o && json_error_code(&je) == json_error_duplicate_key)
		err_set(e, ERR_USAGE, "line %d: there twice: %s", je.line, je.text);
	else if (!o && json_error_code(&je) == json_error_end_of_input_expected)
		err_set(e, ERR_USAGE,
			"line %d: more than one JSON document, or more than "
			"JSON: save each answer in a file of its own",
			je.line);
	else if (!o)
		err_set(e, ERR_USAGE, "not JSON, or cut off: line %d: %s", je.line,
			je.text);
	else
		err_set(e, ERR_USAGE, "not a JSON object");
	json_decref(o);
	return NULL;
}

/* The text of an error body, in its old and its new form. */
static const char *error_text(const json_t *error)
{
	const json_t *message = json_object_get(error, "message");
	const json_t *info = json_object_get(error, "@Message.ExtendedInfo");
	const char *s = json_member_text(json_array_get(info, 0), "Message");

	if (*s)
		return s;
	if (json_is_string(message))
		return json_string_value(message);
	return json_member_text(message, "value");
}

static int no_attributes(const json_t *bios, struct err *e)
{
	const json_t *error = json_object_get(bios, "error");

	if (!error && !json_object_get(bios, "Attributes"))
		return err_set(
			e, ERR_USAGE,
			"no BIOS attributes returned: there is no 'Attributes' in it, "
			"and the whole answer is wanted");
	if (!error)
		return err_set(e, ERR_USAGE, "no BIOS attributes returned");
	return err_set(e, ERR_USAGE, "no BIOS attributes returned, but an error: %.200s",
		       error_text(error));
}

/* The members that every Redfish resource has, and a Bios resource of its own. */
static bool is_common(const char *name)
{
	static const char *const members[] = {
		"Id",  "Name",  "Description",      "Actions",
		"Oem", "Links", "AttributeRegistry"};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (!strcmp(name, members[i]))
			return true;
	}
	return strchr(name, '@') != NULL;
}

/* Firmware of before 2018 has the attributes among the members of the resource. */
static bool has_them_on_top(const json_t *bios)
{
	return !json_object_get(bios, "Attributes") && !json_object_get(bios, "error") &&
	       (strstr(json_member_text(bios, "@odata.type"), "Bios.") ||
		strstr(json_member_text(bios, "@odata.id"), "/Bios"));
}

/* A path on the BMC and nothing else: it is printed as part of a command. */
static bool is_path(const char *s)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789/._-~:";

	return s && !strncmp(s, "/redfish/", 9) && strlen(s) <= SETTINGS_NAME &&
	       s[strspn(s, letters)] == '\0';
}

/* Where settings are written: as the resource says, else beneath it. */
static const char *link_of(const json_t *bios, struct arena *a)
{
	const char *link = redfish_settings_link(bios);
	const char *id = json_member_text(bios, "@odata.id");
	size_t len = strlen(id);

	if (is_path(link))
		return arena_strdup(a, link);
	while (len && id[len - 1] == '/')
		len--;
	return is_path(id) ? arena_printf(a, "%.*s/Settings", (int)len, id) : NULL;
}

int redfish_bios(struct bios_reading *out, const json_t *bios, struct err *e)
{
	bool top = has_them_on_top(bios);
	json_t *attributes = top ? (json_t *)bios : json_object_get(bios, "Attributes");
	const char *name;
	json_t *v;

	out->link = link_of(bios, &out->arena);
	json_object_foreach(attributes, name, v)
	{
		struct setting s = {.name = name};

		if ((top && is_common(name)) || strchr(name, '@'))
			continue;
		if (setting_value_read(&s.current, v, &out->arena)) {
			if (top)
				continue;
			return err_set(e, ERR_USAGE, "attribute '%.64s' is no value",
				       name);
		}
		if (settings_add(&out->settings, &out->arena, &s, e))
			return -1;
	}
	return out->settings.n ? 0 : no_attributes(bios, e);
}

/* States of JobState in Redfish and on iDRAC that come last. */
static bool is_closed(const char *state)
{
	static const char *const states[] = {
		"Completed",    "CompletedWithErrors", "Failed",    "RebootCompleted",
		"RebootFailed", "Cancelled",           "Exception", "Killed",
		"Stopped"};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (!strcasecmp(states[i], state))
			return true;
	}
	return !*state;
}

static bool is_of_bios(const json_t *job)
{
	return !strcmp(json_member_text(job, "JobType"), "BIOSConfiguration") ||
	       strstr(json_member_text(job, "Name"), "BIOS");
}

static bool add_job(const json_t *job, json_t *out)
{
	const char *state = json_member_text(job, "JobState");

	if (!is_of_bios(job) || is_closed(state))
		return false;
	(void)json_object_set_new(out, "id",
				  json_clean_string(json_member_text(job, "Id")));
	(void)json_object_set_new(out, "state", json_clean_string(state));
	return true;
}

void redfish_jobs(struct bios_reading *out, const json_t *jobs)
{
	json_t *o = json_object(), *job;
	bool links = false;
	char *text;
	size_t i;

	if (!out->job || !strcmp(out->job, "{}")) {
		if (!add_job(jobs, o)) {
			json_array_foreach(json_object_get(jobs, "Members"), i, job)
			{
				links |= !json_object_get(job, "JobState");
				if (add_job(job, o))
					break;
			}
		}
		if (links && !json_object_size(o)) {
			if (!out->job)
				bios_remark(out,
					    "what is queued is not known: its jobs are "
					    "links alone, save them with "
					    "?$expand=*($levels=1)");
			json_decref(o);
			return;
		}
		text = json_dumps(o, JSON_COMPACT);
		out->job = arena_strdup(&out->arena, text);
		free(text);
	}
	json_decref(o);
}

static bool is_same(const struct setting_value *a, const struct setting_value *b)
{
	if (!a->text || !b->text)
		return a->text == b->text;
	return !strcmp(a->text, b->text);
}

/* Attributes by name: registries and settings have hundreds of entries. */
static void index_names(const struct settings *s, struct names *index)
{
	for (size_t i = 0; i < s->n; i++)
		(void)names_add(index, s->items[i].name, NULL);
}

static struct setting *indexed(const struct settings *s, const struct names *index,
			       const char *name)
{
	size_t i = names_find(index, name);

	/* a name that came twice has the number of the first only */
	return i < s->n ? &s->items[i] : NULL;
}

int redfish_settings(struct bios_reading *out, const json_t *settings, struct err *e)
{
	json_t *attributes = json_object_get(settings, "Attributes"), *v;
	bool open = out->job && strcmp(out->job, "{}") != 0;
	struct names index = {0};
	const char *name;
	int rc = 0;

	if (!json_is_object(attributes))
		return no_attributes(settings, e);
	/* one that lists everything says nothing by listing it */
	open = open && json_object_size(attributes) * 2 < out->settings.n + 2;
	index_names(&out->settings, &index);
	json_object_foreach(attributes, name, v)
	{
		struct setting *s = indexed(&out->settings, &index, name);
		struct setting new = {.name = name, .has_pending = true};

		if (setting_value_read(&new.pending, v, &out->arena)) {
			rc = err_set(e, ERR_USAGE, "pending '%.64s' is no value", name);
			break;
		}
		if (s && settings_is_secret(name))
			continue; /* masked: nobody can tell whether it differs */
		if (s && !open && is_same(&s->current, &new.pending))
			continue;
		if (s)
			new.current = s->current;
		/* through settings_add(), which masks and copies */
		rc = settings_add(&out->settings, &out->arena, &new, e);
		if (rc)
			break;
		if (s) {
			s = indexed(&out->settings, &index, name);
			s->has_pending = true;
			s->pending = out->settings.items[--out->settings.n].pending;
		}
	}
	names_release(&index);
	return rc;
}

static void show_value(struct bios_reading *out, struct setting *s, const json_t *entry)
{
	json_t *value;
	size_t i;

	json_array_foreach(json_object_get(entry, "Value"), i, value)
	{
		const char *name = json_member_text(value, "ValueName");
		const char *shown = json_member_text(value, "ValueDisplayName");

		if (s->current.text && !strcmp(name, s->current.text) && *shown &&
		    strcmp(name, shown) != 0 && strlen(shown) <= SETTINGS_NAME)
			s->shown = arena_strdup(&out->arena, shown);
	}
}

struct registry {
	struct bios_reading *out;
	struct names index;
};

static bool holds(const struct registry *r, const json_t *from)
{
	const char *condition = json_member_text(from, "MapFromCondition");
	const struct setting *s = indexed(&r->out->settings, &r->index,
					  json_member_text(from, "MapFromAttribute"));
	struct setting_value v;
	struct arena a = {0};
	bool same;

	if (!s || strcmp(json_member_text(from, "MapFromProperty"), "CurrentValue") != 0)
		return false;
	if (setting_value_read(&v, json_object_get(from, "MapFromValue"), &a)) {
		arena_release(&a);
		return false;
	}
	same = is_same(&s->current, &v);
	arena_release(&a);
	if (!strcmp(condition, "EQU"))
		return same;
	return !strcmp(condition, "NEQ") && !same;
}

/* All of them, or any where the terms are joined by OR. */
static bool applies(const struct registry *r, const json_t *dependency)
{
	const json_t *list = json_object_get(dependency, "MapFrom");
	bool all = json_array_size(list) > 0, any = false, or = false;
	json_t *from;
	size_t i;

	json_array_foreach(list, i, from)
	{
		bool one = holds(r, from);

		all &= one;
		any |= one;
		or |= !strcmp(json_member_text(from, "MapTerms"), "OR");
	}
	return or ? any : all;
}

static void lock(const struct registry *r, const json_t *entry)
{
	const json_t *d = json_object_get(entry, "Dependency");
	const char *property = json_member_text(d, "MapToProperty");
	struct setting *s = indexed(&r->out->settings, &r->index,
				    json_member_text(d, "MapToAttribute"));

	if (!s || s->state == SETTING_READ_ONLY ||
	    (strcmp(property, "ReadOnly") != 0 && strcmp(property, "GrayOut") != 0) ||
	    !json_is_true(json_object_get(d, "MapToValue")))
		return;
	if (applies(r, d))
		s->state = SETTING_LOCKED;
}

void redfish_registry(struct bios_reading *out, const json_t *registry)
{
	const json_t *entries = json_object_get(registry, "RegistryEntries");
	struct registry r = {.out = out};
	json_t *entry;
	size_t i;

	index_names(&out->settings, &r.index);
	json_array_foreach(json_object_get(entries, "Attributes"), i, entry)
	{
		struct setting *s = indexed(&out->settings, &r.index,
					    json_member_text(entry, "AttributeName"));

		if (!s)
			continue;
		if (json_is_true(json_object_get(entry, "ReadOnly")))
			s->state = SETTING_READ_ONLY;
		show_value(out, s, entry);
	}
	json_array_foreach(json_object_get(entries, "Dependencies"), i, entry)
	{
		lock(&r, entry);
	}
	names_release(&r.index);
}

void redfish_chassis(struct bios_reading *out, const json_t *system)
{
	static const char *const members[][2] = {{"ChassisServiceTag", "chassis"},
						 {"NodeID", "sled"}};
	const json_t *dell = json_object_get(
		json_object_get(json_object_get(system, "Oem"), "Dell"), "DellSystem");
	json_t *o = json_object();
	char *text;

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const char *s = json_member_text(dell, members[i][0]);

		if (*s && strlen(s) <= SETTINGS_NAME)
			(void)json_object_set_new(o, members[i][1], json_clean_string(s));
	}
	if (json_object_size(o)) {
		text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
		out->chassis = arena_strdup(&out->arena, text);
		free(text);
	}
	json_decref(o);
}

const char *redfish_settings_link(const json_t *bios)
{
	const json_t *o = json_object_get(json_object_get(bios, "@Redfish.Settings"),
					  "SettingsObject");

	return json_string_value(json_object_get(o, "@odata.id"));
}
