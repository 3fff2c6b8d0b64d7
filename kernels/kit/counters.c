/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of the node around a kernel's run, read by one rank of each node: what moved,
 * before and after, and how many there were.
 */
#include <string.h>

#include "host/counters.h"
#include "kernels/kit/internal.h"

static const struct host_io machine = {.root = "/"};

static void read_all(struct counters *c)
{
	counters_ports(c, &machine);
}

void kit_counters_before(struct kit *k)
{
	if (!k->local_rank)
		read_all(&k->priv->counters);
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
