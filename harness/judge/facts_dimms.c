/* SPDX-License-Identifier: Apache-2.0 */
/* facts.dimms: memory modules, against each other and the channels of the CPU model. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/units.h"
#include "judge/facts.h"

/* What one channel holds, or, where channels cannot be told, one slot. */
struct channel {
	double bytes;
	const char *slot; /* the first of it */
};

struct dimms {
	size_t n, empty;   /* modules, slots without */
	double bytes;      /* of all modules; NaN when one is of unknown size */
	double slow, fast; /* configured, transfers/s; 0: not known */
	double rated;      /* the slowest module's own limit */
	struct names keys; /* of channels, numbered as channels is */
	struct channel *channels;
	size_t cap;
	size_t want; /* channels of all sockets, 0: not known */
	bool told;   /* `channels` are those of the CPUs */
};

static double number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

/* HBM is part of the package: neither slots nor channels of it can be missing. */
static bool is_module(const json_t *d)
{
	const char *type = json_string_value(json_object_get(d, "type"));

	return !type || strncmp(type, "HBM", 3) != 0;
}

/*
 * The channel a slot is of, by what makers call their slots:
 *   "P0 CHANNEL A DIMM 0", "P0_Node0_Channel1_Dimm0"  up to the channel
 *   "A1" .. "A16"                                     Dell: a letter a socket, the first
 *                                                     slots of all channels, then the
 * second "P1-DIMMA1", "CPU0_DIMM_A1", "CPU1_A0"            a letter a channel
 */
static bool channel_of(const char *slot, int per_socket, struct strbuf *key)
{
	const char *at = strcasestr(slot, "channel");
	size_t len = strlen(slot), digits = 0;

	strbuf_reset(key);
	if (at) {
		at += strlen("channel");
		at += strspn(at, " _-");
		while (isalnum((unsigned char)*at))
			at++;
		strbuf_add(key, slot, (size_t)(at - slot));
		return true;
	}
	while (digits < len && isdigit((unsigned char)slot[len - 1 - digits]))
		digits++;
	if (!digits || len - digits < 1 ||
	    !isalpha((unsigned char)slot[len - digits - 1]))
		return false;
	if (len - digits == 1) {
		long n = strtol(slot + 1, NULL, 10);

		strbuf_addf(key, "%c%ld", slot[0], n > 0 ? (n - 1) % per_socket : 0);
		return n > 0;
	}
	strbuf_add(key, slot, len - digits);
	len = key->len - 1;
	return strchr("_- ", key->buf[len - 1]) ||
	       (len >= 4 && !strncasecmp(key->buf + len - 4, "DIMM", 4));
}

static void add_slot(struct dimms *d, const char *key, const char *slot, double bytes)
{
	bool fresh;
	size_t i = names_add(&d->keys, key, &fresh);

	mem_grow(&d->channels, &d->cap, i + 1, sizeof(*d->channels));
	if (fresh)
		d->channels[i] = (struct channel){0, slot};
	d->channels[i].bytes += bytes;
}

/* Puts every slot to its channel (or, with @per_socket 0, to itself). */
static bool sort_slots(struct dimms *d, const json_t *list, int per_socket)
{
	struct strbuf key = {0};
	bool known = true;
	json_t *group, *slot;
	size_t i, k;

	names_release(&d->keys);
	json_array_foreach(list, i, group)
	{
		double bytes = number(group, "size");

		if (!is_module(group))
			continue;
		json_array_foreach(json_object_get(group, "slots"), k, slot)
		{
			const char *name = json_string_value(slot);

			if (per_socket && !channel_of(name ? name : "", per_socket, &key))
				known = false;
			if (!per_socket) { /* names need not differ */
				strbuf_reset(&key);
				strbuf_addf(&key, "%zu.%zu", i, k);
			}
			add_slot(d, strbuf_str(&key), name ? name : "?", bytes);
		}
	}
	strbuf_release(&key);
	return known;
}

static void sum_up(struct dimms *d, const json_t *list)
{
	json_t *group;
	size_t i;

	json_array_foreach(list, i, group)
	{
		size_t n = json_array_size(json_object_get(group, "slots"));
		double bytes = number(group, "size");
		double speed = number(group, "configured");
		double rated = number(group, "speed");

		if (!is_module(group))
			continue;
		if (bytes == 0) {
			d->empty += n;
			continue;
		}
		d->n += n;
		d->bytes += (double)n * bytes;
		if (speed > 0) {
			d->slow = d->slow > 0 ? fmin(d->slow, speed) : speed;
			d->fast = fmax(d->fast, speed);
		}
		if (rated > 0)
			d->rated = d->rated > 0 ? fmin(d->rated, rated) : rated;
	}
}

static void read_dimms(struct dimms *d, const struct facts_look *l)
{
	const json_t *list = facts_get(l, "smbios.dimms");
	const struct cpu_model *m = l->node->model;
	double sockets = facts_num(l, "smbios.sockets_populated");

	if (!(sockets > 0))
		sockets = l->node->sockets;
	sum_up(d, list);
	if (m && m->channels > 0 && sockets > 0)
		d->want = (size_t)sockets * (size_t)m->channels;
	d->told = d->want && sort_slots(d, list, m->channels) && d->keys.n == d->want;
	if (!d->told)
		(void)sort_slots(d, list, 0);
}

static void release(struct dimms *d)
{
	names_release(&d->keys);
	free(d->channels);
}

/* Slots of channels without memory; none when they cannot be told from spare ones. */
static void add_empty(const struct dimms *d, size_t missing, struct strbuf *out)
{
	json_t *slots = json_array();

	for (size_t i = 0; i < d->keys.n; i++) {
		if (d->channels[i].bytes == 0 && (d->told || d->empty == missing))
			(void)json_array_append_new(slots,
						    json_string(d->channels[i].slot));
	}
	if (json_array_size(slots)) {
		strbuf_addstr(out, ", empty: ");
		facts_add_names(out, slots);
	}
	json_decref(slots);
}

/*
 * Channels without memory. Few but in a pattern is how it was bought; an odd number, or
 * one that sockets cannot share, is a module that is missing or that firmware lost.
 */
static void judge_channels(const struct facts_look *l, const struct dimms *d,
			   struct finding *f)
{
	size_t sockets = d->want / (size_t)l->node->model->channels, filled = 0;
	size_t per_socket, missing;
	struct strbuf slots = {0};
	bool odd;

	for (size_t i = 0; i < d->keys.n; i++)
		filled += d->channels[i].bytes != 0;
	if (filled >= d->want)
		return;
	per_socket = filled / sockets;
	missing = d->want - filled;
	odd = filled % sockets || (per_socket > 1 && per_socket % 2);
	add_empty(d, missing, &slots);
	finding_add(
		f, odd && !l->node->model->uncertain ? VERDICT_FAIL : VERDICT_WARN,
		"%zu of %zu memory channels have modules%s -> at most about %.0f %% of "
		"the bandwidth",
		filled, d->want, strbuf_str(&slots),
		100.0 * (double)filled / (double)d->want);
	strbuf_release(&slots);
}

/* What most of the channels that have memory hold. */
static double usual(const struct dimms *d)
{
	double best = 0;
	size_t most = 0;

	for (size_t i = 0; i < d->keys.n; i++) {
		double bytes = d->channels[i].bytes;
		size_t same = 0;

		for (size_t k = 0; k < d->keys.n; k++)
			same += d->channels[k].bytes == bytes;
		if (bytes > 0 && same > most) {
			most = same;
			best = bytes;
		}
	}
	return best;
}

static void judge_sizes(const struct dimms *d, struct finding *f)
{
	char size[UNITS_TEXT], others[UNITS_TEXT];
	json_t *slots = json_array();
	double common = usual(d), first = 0;
	struct strbuf names = {0};

	for (size_t i = 0; i < d->keys.n; i++) {
		const struct channel *c = &d->channels[i];

		if (!(c->bytes > 0) || c->bytes == common)
			continue;
		first = first > 0 ? first : c->bytes;
		(void)json_array_append_new(slots, json_string(c->slot));
	}
	if (json_array_size(slots)) {
		facts_add_names(&names, slots);
		finding_add(f, VERDICT_WARN, "%s differ: %s holds %s, others %s",
			    d->told ? "channels" : "modules", strbuf_str(&names),
			    units_format_memory(size, sizeof(size), first),
			    units_format_memory(others, sizeof(others), common));
	}
	strbuf_release(&names);
	json_decref(slots);
}

static void judge_speed(const struct facts_look *l, const struct dimms *d,
			struct finding *f)
{
	const struct cpu_model *m = l->node->model;
	double could = m && m->memory > 0 ? m->memory : d->rated;

	if (!(d->slow > 0))
		return;
	if (d->slow < d->fast * 0.99)
		finding_add(f, VERDICT_WARN, "modules run at %.0f to %.0f MT/s",
			    d->slow / 1e6, d->fast / 1e6);
	if (!(could > 0) || d->slow >= could * 0.99)
		return;
	finding_add(f, VERDICT_WARN, "modules run at %.0f of %.0f MT/s%s%s",
		    d->slow / 1e6, could / 1e6,
		    m && m->memory > 0 ? " the CPU can do" : "",
		    d->rated > 0 && d->rated < could * 0.99 && d->rated <= d->slow * 1.01
			    ? ", as fast as they are"
			    : "");
}

/* The kernel and firmware keep a little; a module that failed is more than that. */
static void judge_total(const struct facts_look *l, const struct dimms *d,
			struct finding *f)
{
	double total = facts_num(l, "memory.total");
	char a[UNITS_TEXT], b[UNITS_TEXT];

	if (d->bytes > 0 && total < 0.94 * d->bytes)
		finding_add(f, VERDICT_WARN, "modules hold %s, the system has %s",
			    units_format_memory(a, sizeof(a), d->bytes),
			    units_format_memory(b, sizeof(b), total));
}

static void describe(const struct dimms *d, struct finding *f)
{
	char size[UNITS_TEXT];
	struct strbuf text = {0};

	strbuf_addf(&text, "%zu module%s", d->n, d->n == 1 ? "" : "s");
	if (d->bytes > 0)
		strbuf_addf(&text, " of %s together",
			    units_format_memory(size, sizeof(size), d->bytes));
	if (d->want)
		strbuf_addf(&text, " in %zu channels", d->want);
	if (d->slow > 0)
		strbuf_addf(&text, " at %.0f MT/s", d->slow / 1e6);
	finding_add(f, VERDICT_PASS, "%s", strbuf_str(&text));
	strbuf_release(&text);
}

bool facts_dimms(const struct facts_look *l)
{
	const char *virtual = l->node->facts[NODE_VIRTUAL];
	double bought = facts_expected_num(l, "dimms", NULL);
	struct finding f = {0};
	struct dimms d = {0};

	/* a virtual machine's modules are invented */
	if (!facts_get(l, "smbios.dimms") || (virtual && strcmp(virtual, "none") != 0))
		return false;
	read_dimms(&d, l);
	if (d.n) {
		/* as many as were bought is no fault, wherever they could be more */
		if (d.want && bought != (double)d.n)
			judge_channels(l, &d, &f);
		judge_sizes(&d, &f);
		if (!facts_expected(l, "memory_speed"))
			judge_speed(l, &d, &f);
		judge_total(l, &d, &f);
		describe(&d, &f);
	}
	release(&d);
	return finding_put(l, "facts.dimms", &f) != NULL;
}
