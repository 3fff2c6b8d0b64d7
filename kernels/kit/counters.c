/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of the node around a kernel's run, read by one rank of each node: what moved,
 * before and after, and how many there were; clock and temperature before, after and each
 * second.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#include "host/counters.h"
#include "kernels/kit/gauges.h"
#include "kernels/kit/internal.h"

static const struct host_io machine = {.root = "/"};

static void read_all(struct counters *c)
{
	counters_ports(c, &machine);
	counters_node(c, &machine);
}

static void emit(struct kit *k, const char *when, const char *name, double value,
		 const char *unit)
{
	struct record r = record_make(RECORD_KIND_counter);

	r.u.counter.rank = k->rank;
	r.u.counter.name = name;
	r.u.counter.when = when;
	r.u.counter.value = record_num(value);
	r.u.counter.unit = unit;
	kit_emit(k, &r);
}

static void emit_gauges(struct kit *k, const char *when, const struct counters_gauges *g)
{
	if (!isnan(g->frequency))
		emit(k, when, "cpus/clock", g->frequency, "Hz");
	if (!isnan(g->temperature))
		emit(k, when, "cpus/temperature", g->temperature, "Celsius");
}

static struct counters_gauges gauges_now(const struct kit *k)
{
	return counters_gauges(&machine, k->priv->watched, (size_t)k->threads);
}

/* What this machine does not tell; the report says it once for all. */
static void say_unreadable(struct kit *k)
{
	struct strbuf text = {0};

	counters_unreadable(&machine, k->priv->watched, (size_t)k->threads, &text);
	if (text.len)
		kit_event(k, "counters", "not readable: %s", strbuf_str(&text));
	strbuf_release(&text);
}

void kit_counters_before(struct kit *k)
{
	struct kit_private *p = k->priv;
	struct counters_gauges now;

	if (k->local_rank)
		return;
	p->watched = mem_calloc((size_t)k->threads, sizeof(*p->watched));
	for (int i = 0; i < k->threads; i++)
		p->watched[i] = k->cpus[i].cpu;
	say_unreadable(k);
	read_all(&p->counters);
	now = gauges_now(k);
	emit_gauges(k, "before", &now);
	/* MPI was promised that there is one thread only */
	if (!k->kernel->alone)
		p->gauges = gauges_start(&machine, p->watched, k->threads, &p->mask, 1);
}

static void emit_looks(struct kit *k)
{
	struct kit_private *p = k->priv;
	const struct counters_gauges *looks;
	struct counters_gauges now = gauges_now(k);
	int n;

	if (p->gauges) {
		looks = gauges_stop(p->gauges, &n);
		for (int i = 0; i < n; i++)
			emit_gauges(k, "during", &looks[i]);
		gauges_free(p->gauges);
	}
	emit_gauges(k, "after", &now);
	free(p->watched);
	p->watched = NULL;
}

static void emit_both(struct kit *k, const struct counter *before,
		      const struct counter *after)
{
	emit(k, "before", before->name, before->value, before->unit);
	emit(k, "after", after->name, after->value, after->unit);
}

/* It moved, and says something when it does. */
static const struct counter *moved(const struct counters *before, const struct counter *a)
{
	const struct counter *b = a->background ? NULL : counters_find(before, a->name);

	return b && b->value != a->value ? b : NULL;
}

/* What others that moved are a share of comes once, in its own turn. */
static bool behind(const struct counters *before, const struct counters *after,
		   const struct counter *background)
{
	for (size_t i = 0; i < after->n; i++) {
		const struct counter *a = &after->items[i];

		if (a->of && !strcmp(a->of, background->name) && moved(before, a))
			return true;
	}
	return false;
}

void kit_counters_after(struct kit *k)
{
	const struct counters *before = &k->priv->counters;
	struct counters after = {0};

	if (k->local_rank)
		return;
	emit_looks(k);
	read_all(&after);
	emit(k, "after", "counters", (double)after.n, "ratio");
	for (size_t i = 0; i < after.n; i++) {
		const struct counter *a = &after.items[i], *b = moved(before, a);

		if (!b && a->background && behind(before, &after, a))
			b = counters_find(before, a->name);
		if (b)
			emit_both(k, b, a);
	}
	counters_release(&after);
}
