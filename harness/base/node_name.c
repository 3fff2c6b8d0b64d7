/* SPDX-License-Identifier: Apache-2.0 */
/* Names of nodes: see node_name.h. */
#include "base/node_name.h"

#include <ctype.h>
#include <stddef.h>

bool node_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-';
}

bool node_name_first(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool node_name_valid(const char *name)
{
	size_t n = 0;

	while (n <= NODE_NAME_MAX && node_name_char(name[n]))
		n++;
	return n && n <= NODE_NAME_MAX && !name[n] && node_name_first(name[0]);
}
