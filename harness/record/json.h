/* SPDX-License-Identifier: Apache-2.0 */
/* Text into and out of JSON, for everything that writes or reads it. */
#ifndef ASSAY_RECORD_JSON_H
#define ASSAY_RECORD_JSON_H

#include <jansson.h>

/* A new string; bytes of @s that are not UTF-8 become U+FFFD. */
json_t *json_clean_string(const char *s);

/* The text of a member, borrowed from @o; "" when it is absent or no string. */
const char *json_member_text(const json_t *o, const char *key);

#endif
