/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parent to be killed: starts `sh -c SCRIPT` for each argument after the run id and
 * passes on what they print, until all are done.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/spawn.h"

static int pass_on(void *ctx, int fd, const char *data, size_t len)
{
	(void)ctx;
	return write(fd, data, len) != (ssize_t)len;
}

int main(int argc, char **argv)
{
	struct spawn *s = NULL;
	struct err e = {0};
	int rc = argc < 3 || spawn_open(&s, argv[1], &e);

	for (int i = 2; i < argc && !rc; i++) {
		const char *words[] = {"sh", "-c", argv[i], NULL};
		const struct spawn_command c = {.argv = words, .output = pass_on};

		rc = spawn_start(s, &c, &e);
	}
	while (!rc && spawn_running(s))
		rc = spawn_pump(s, 10, &e);
	if (e.kind != ERR_NONE)
		(void)fprintf(stderr, "%s\n", e.msg);
	spawn_close(s);
	return rc != 0;
}
