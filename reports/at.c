/* SPDX-License-Identifier: Apache-2.0 */
/* Places on a metric's scale: see at.h. */
#include "reports/at.h"

#include <jansson.h>

static int add_text(const char *data, size_t len, void *out)
{
	strbuf_add(out, data, len);
	return 0;
}

void at_text(struct strbuf *out, const char *at)
{
	json_t *o = at ? json_loads(at, JSON_ALLOW_NUL, NULL) : NULL;
	const char *key, *space = "";
	json_t *v;

	if (at && !json_is_object(o))
		strbuf_addstr(out, at);
	json_object_foreach(o, key, v)
	{
		strbuf_addf(out, "%s%s=", space, key);
		if (json_is_string(v))
			strbuf_add(out, json_string_value(v), json_string_length(v));
		else
			(void)json_dump_callback(v, add_text, out,
						 JSON_COMPACT | JSON_ENCODE_ANY |
							 JSON_REAL_PRECISION(17));
		space = " ";
	}
	json_decref(o);
}
