/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source scp-json: the Server Configuration Profile as JSON. "Set On Import" is "False"
 * for what another attribute locks; identity is "Read Only" in the comment.
 */
#include <string.h>
#include <strings.h>

#include "bios/source.h"
#include "record/json.h"

static enum setting_state state_of(const json_t *attribute)
{
	const char *comment = json_member_text(attribute, "Comment");

	if (strcasestr(comment, "Read Only") || strcasestr(comment, "ReadOnly"))
		return SETTING_READ_ONLY;
	return strcasecmp(json_member_text(attribute, "Set On Import"), "False")
		       ? SETTING_RW
		       : SETTING_LOCKED;
}

static int component(struct bios_reading *out, const json_t *attributes, struct err *e)
{
	json_t *item;
	size_t i;

	json_array_foreach(attributes, i, item)
	{
		struct setting s = {.name = json_member_text(item, "Name"),
				    .state = state_of(item)};

		if (setting_value_read(&s.current, json_object_get(item, "Value"),
				       &out->arena))
			return err_set(e, ERR_USAGE, "'%.64s': no value", s.name);
		if (settings_add(&out->settings, &out->arena, &s, e))
			return -1;
	}
	return 0;
}

static int read_texts(struct bios_reading *out, const struct bios_text *texts, size_t n,
		      struct err *e)
{
	json_error_t je;
	json_t *root, *item;
	size_t i;
	int rc = 0;

	if (n != 1)
		return err_set(e, ERR_USAGE, "%zu exports of one node", n);
	if (texts->len > BIOS_MAX_TEXT)
		return err_set(e, ERR_USAGE, "larger than %d MiB", BIOS_MAX_TEXT >> 20);
	root = json_loadb(texts->text, texts->len, JSON_REJECT_DUPLICATES, &je);
	if (!root)
		return err_set(e, ERR_USAGE, "line %d: not JSON: %s", je.line, je.text);
	json_array_foreach(json_object_get(json_object_get(root, "SystemConfiguration"),
					   "Components"),
			   i, item)
	{
		if (!rc && !strncmp(json_member_text(item, "FQDD"), "BIOS.", 5))
			rc = component(out, json_object_get(item, "Attributes"), e);
	}
	json_decref(root);
	return rc ? rc : settings_unique(&out->settings, NULL, e);
}

/* The first key: nothing is parsed to find out. */
static bool is(const char *text, size_t len)
{
	static const char key[] = "\"SystemConfiguration\"";
	const char *at = memmem(text, len < 4096 ? len : 4096, key, sizeof(key) - 1);

	return at && memchr(text, '{', (size_t)(at - text));
}

const struct bios_source source_scp_json = {
	.name = "scp-json",
	.help = "a Server Configuration Profile that iDRAC exported as JSON",
	.where = BIOS_FILE,
	.is = is,
	.read = read_texts,
};
