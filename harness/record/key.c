/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of steps and ids of requests: see key.h. */
#include "record/key.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t key_set(const char *key)
{
	const char *at = strrchr(key, '@');
	size_t n = sizeof(KEY_SET) - 1;

	if (!at || strncmp(at, KEY_SET, n) != 0)
		return 0;
	n += strspn(at + n, "0123456789:");
	if (at[n] && at[n] != '.' && at[n] != '~')
		return 0;
	return (size_t)(at - key) + n;
}

bool key_is_search(const char *key)
{
	size_t n = key_set(key);

	return n && key[n];
}

int64_t key_request_step(const char *id)
{
	const char *colon = strrchr(id, ':');
	char *end;
	long long n;

	if (!colon || !colon[1])
		return 0;
	errno = 0;
	n = strtoll(colon + 1, &end, 10);
	return *end || errno || n < 1 ? 0 : (int64_t)n;
}
