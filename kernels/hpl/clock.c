/* SPDX-License-Identifier: Apache-2.0 */
/* Where the threads' time goes, and how they wait. */
#include "base/clock.h"

#include <sched.h>

#include "kernels/hpl/lu.h"

enum lu_phase lu_phase(struct lu *x, int thread, enum lu_phase phase)
{
	struct lu_clock *c = &x->clocks[thread];
	const enum lu_phase old = c->phase;
	const double now = clock_now();

	c->s[old] += now - c->since;
	c->since = now;
	c->phase = phase;
	return old;
}

void lu_idle(struct lu *x, int thread, enum lu_phase waits, unsigned *turns)
{
	/* a panel that is on its way is no waiting for its sender */
	if (!thread && x->bcast_on && x->bcast.got && x->bcast.got < x->bcast.pieces)
		waits = LU_BROADCAST;
	if (x->clocks[thread].phase != waits)
		(void)lu_phase(x, thread, waits);
	if (!thread)
		lu_progress(x);
	/* what is short is over by then; in what is long others may need this CPU */
	if (++*turns > 64)
		(void)sched_yield();
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}
