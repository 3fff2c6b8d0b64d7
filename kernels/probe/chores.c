/* SPDX-License-Identifier: Apache-2.0 */
/* Chores of a run on one node: see chores.h. */
#include "chores.h"

#include <errno.h>
#include <stdio.h>

#include "base/procs.h"
#include "host/memory.h"

static int print(long long n, struct err *e)
{
	if (printf("%lld\n", n) < 0 || fflush(stdout))
		return err_sys(e, errno, "write the result");
	return 0;
}

int chores_end_run(const char *id, struct err *e)
{
	size_t n = 0;

	return procs_end_run(id, &n, e) || print((long long)n, e) ? -1 : 0;
}

int chores_oom_kills(const struct host_io *io, struct err *e)
{
	int64_t n = host_oom_kills(io);

	return n < 0 ? 0 : print((long long)n, e);
}
