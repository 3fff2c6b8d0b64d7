/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be the name of a node. Names become words of command lines and names of files,
 * so only letters, digits and ". _ -" are names, beginning with a letter, a digit or "_":
 * nothing that a launcher could take for an option, a path or a control sequence gets
 * past here.
 */
#ifndef ASSAY_BASE_NODE_NAME_H
#define ASSAY_BASE_NODE_NAME_H

#include <stdbool.h>

enum { NODE_NAME_MAX = 253 }; /* bytes of a name, as in DNS */

/* @c may stand in a name; at its beginning. */
bool node_name_char(char c);
bool node_name_first(char c);

/* @name can be the name of a node. */
bool node_name_valid(const char *name);

#endif
