/* SPDX-License-Identifier: Apache-2.0 */
/* How text from outside becomes JSON, for everything that writes it. */
#ifndef ASSAY_RECORD_JSON_H
#define ASSAY_RECORD_JSON_H

#include <jansson.h>

/* A new string; bytes of @s that are not UTF-8 become U+FFFD. */
json_t *json_clean_string(const char *s);

#endif
