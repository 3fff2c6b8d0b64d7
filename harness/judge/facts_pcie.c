/* SPDX-License-Identifier: Apache-2.0 */
/* facts.pcie: links of network devices, against what card and slot both can do. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "judge/facts.h"

/* One link; 0 where it is not known. Transfers/s, lanes. */
struct link {
	double speed, max_speed, port_speed;
	int width, max_width, port_width;
};

/* What is at the end of it. */
struct device {
	const char *address;
	const char *name; /* of the adapter or interface; NULL: none */
	bool fabric;      /* it is an adapter that MPI may use */
	double rate;      /* B/s of its ports that are up; 0: not known */
	const char *slot; /* "" where it has no name */
};

static double number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : 0;
}

static int lanes(const json_t *o, const char *key)
{
	double v = number(o, key);

	return v >= 1 && v <= 32 ? (int)v : 0;
}

/* B/s one way. A lane of 8 GT/s carries 0.985 GB/s: 128 of 130 bits are data. */
static double bandwidth(double speed, int width)
{
	double share = 242.0 / 256; /* 64 GT/s and up: flits */

	if (speed < 6e9)
		share = 0.8;
	else if (speed < 60e9)
		share = 128.0 / 130;
	return speed / 8 * share * width;
}

static int generation(double speed)
{
	static const double speeds[] = {2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9, 128e9};
	int g = 0;

	while (g < 7 && speed > speeds[g] * 0.99)
		g++;
	return g;
}

/* The smaller of two that are known. */
static double least(double a, double b)
{
	return a > 0 && (b <= 0 || a < b) ? a : b;
}

static struct link read_link(const json_t *o)
{
	return (struct link){
		.speed = number(o, "now_speed"),
		.max_speed = number(o, "max_speed"),
		.port_speed = number(o, "port_speed"),
		.width = lanes(o, "now_width"),
		.max_width = lanes(o, "max_width"),
		.port_width = lanes(o, "port_width"),
	};
}

/* "21:00.0": the first PCI domain is the only one on most machines. */
static const char *short_address(const char *address)
{
	return strncmp(address, "0000:", 5) ? address : address + 5;
}

/* Ports of adapters, and interfaces, that are at this address. */
static void find_rate(const struct facts_look *l, struct device *d)
{
	json_t *hca, *net, *p;
	const char *name;
	size_t i;

	json_object_foreach((json_t *)facts_get(l, "hca"), name, hca)
	{
		const char *pci = json_string_value(json_object_get(hca, "pci"));

		if (!pci || strcmp(pci, d->address) != 0)
			continue;
		d->fabric = true;
		json_array_foreach(json_object_get(hca, "ports"), i, p)
		{
			const char *s = json_string_value(json_object_get(p, "state"));

			if (s && !strcmp(s, "ACTIVE"))
				d->rate += number(p, "rate");
		}
	}
	if (d->rate > 0)
		return;
	json_object_foreach((json_t *)facts_get(l, "net"), name, net)
	{
		const char *pci = json_string_value(json_object_get(net, "pci"));

		if (pci && !strcmp(pci, d->address) &&
		    !json_is_false(json_object_get(net, "carrier")))
			d->rate += number(net, "speed");
	}
}

static const char *find_slot(const struct facts_look *l, const char *address,
			     const json_t *pci)
{
	const char *number = json_string_value(json_object_get(pci, "slot"));
	json_t *s;
	size_t i;

	json_array_foreach(facts_get(l, "smbios.slots"), i, s)
	{
		const char *at = json_string_value(json_object_get(s, "address"));
		const char *name = json_string_value(json_object_get(s, "name"));

		if (at && name && !strcmp(at, address))
			return name;
	}
	return number ? arena_printf(&l->out->arena, "slot %s", number) : "";
}

static struct device find_device(const struct facts_look *l, const char *address,
				 const json_t *pci)
{
	const char *class = json_string_value(json_object_get(pci, "class"));
	struct device d = {.address = address};

	d.name = json_string_value(json_array_get(json_object_get(pci, "names"), 0));
	d.fabric = class && (!strcmp(class, "infiniband") || !strcmp(class, "fabric"));
	d.slot = find_slot(l, address, pci);
	find_rate(l, &d);
	return d;
}

/* "21:00.0 (mlx5_0, PCIe Slot 1)" */
static void add_device(struct strbuf *out, const struct device *d)
{
	const char *name = d->name ? d->name : "";

	strbuf_addstr(out, short_address(d->address));
	if (*name || *d->slot)
		strbuf_addf(out, " (%s%s%s)", name, *name && *d->slot ? ", " : "",
			    d->slot);
}

/* "8 of 16 GT/s, x8 of x16 -> at most about 7.9 of 31.5 GB/s" */
static void add_loss(struct strbuf *out, const struct link *k, double speed, int width)
{
	if (k->speed < speed * 0.99)
		strbuf_addf(out, "%g of ", k->speed / 1e9);
	strbuf_addf(out, "%g GT/s, ", speed / 1e9);
	if (k->width < width)
		strbuf_addf(out, "x%d of ", k->width);
	strbuf_addf(out, "x%d -> at most about %.1f of %.1f GB/s", width,
		    bandwidth(k->speed, k->width) / 1e9, bandwidth(speed, width) / 1e9);
}

static void put(const struct facts_look *l, const struct device *d,
		enum verdict_word word, const struct strbuf *text, double value,
		double reference)
{
	struct finding f = {0};
	struct verdict *v;

	finding_add(&f, word, "%s", strbuf_str(text));
	v = finding_put(l, "facts.pcie", &f);
	v->at = arena_printf(&l->out->arena, "{\"device\":\"%s\"}", d->address);
	if (!(value > 0))
		return;
	v->value = record_num(value);
	v->reference = record_num(reference);
	v->unit = "B/s";
	v->from = "what card and slot both can do";
}

/*
 * One link of a device; false when it is not what both ends can do. A slower slot is the
 * machine's design, so it is only told, as long as the ports need no more than it gives.
 */
static bool judge_link(const struct facts_look *l, const struct device *d,
		       const json_t *o, bool own)
{
	const struct link k = read_link(o);
	const char *below = json_string_value(json_object_get(o, "device"));
	double speed = least(k.max_speed, k.port_speed);
	double now = bandwidth(k.speed, k.width), most;
	int width = (int)least(k.max_width, k.port_width);
	bool slow = k.speed < speed * 0.99 || k.width < width;
	struct strbuf text = {0};
	enum verdict_word word;

	if (!(speed > 0) || !width || !(k.speed > 0) || !k.width)
		return true;
	most = bandwidth(speed, width);
	if (!slow && d->rate <= most * 1.02)
		return true;
	add_device(&text, d);
	strbuf_addstr(&text, ": ");
	if (!own)
		strbuf_addf(&text, "link of the switch above it (%s): ",
			    short_address(below ? below : "?"));
	word = d->fabric || d->rate > now * 1.02 ? VERDICT_FAIL : VERDICT_WARN;
	if (slow) {
		add_loss(&text, &k, speed, width);
		if (!(k.port_speed > 0) || !k.port_width) {
			word = VERDICT_WARN;
			strbuf_addstr(&text, "; what the slot can do is not known");
		}
	} else {
		char rate[UNITS_TEXT];

		word = VERDICT_WARN;
		strbuf_addf(&text,
			    "%g GT/s, x%d -> at most about %.1f GB/s, its ports do %s "
			    "(%.1f GB/s)",
			    speed / 1e9, width, most / 1e9,
			    units_format_rate(rate, sizeof(rate), d->rate),
			    d->rate / 1e9);
	}
	put(l, d, word, &text, now, most);
	strbuf_release(&text);
	return false;
}

/* "41:00.0 (mlx5_1) 16 GT/s x16", and what limits a card that could do more. */
static void add_good(struct finding *f, const struct device *d, const json_t *o)
{
	const struct link k = read_link(o);
	struct strbuf text = {0};

	if (!(k.speed > 0) || !k.width)
		return;
	add_device(&text, d);
	strbuf_addf(&text, " %g GT/s x%d", k.speed / 1e9, k.width);
	if (k.port_speed > 0 && k.port_speed < k.max_speed * 0.99)
		strbuf_addf(&text, ", slot is Gen%d", generation(k.port_speed));
	if (k.port_width && k.port_width < k.max_width)
		strbuf_addf(&text, ", slot is x%d", k.port_width);
	finding_add(f, VERDICT_PASS, "%s", strbuf_str(&text));
	strbuf_release(&text);
}

/* A device whose link could not be read; it may be one that has none. */
static void unreadable(const struct facts_look *l, const struct device *d,
		       const char *why)
{
	struct strbuf text = {0};

	add_device(&text, d);
	strbuf_addf(&text, ": %s", why);
	put(l, d, VERDICT_SKIP, &text, 0, 0);
	strbuf_release(&text);
}

bool facts_pcie(const struct facts_look *l)
{
	size_t before = l->out->n_verdicts, i;
	struct finding good = {0};
	const char *address;
	json_t *pci, *o;

	json_object_foreach((json_t *)facts_get(l, "pci"), address, pci)
	{
		const json_t *links = json_object_get(pci, "links");
		const char *why =
			facts_why_not(l, arena_printf(&l->out->arena, "pci.%s", address));
		struct device d = find_device(l, address, pci);
		bool well = json_array_size(links) > 0;

		if (why)
			unreadable(l, &d, why);
		json_array_foreach(links, i, o) well =
			judge_link(l, &d, o, i == 0) && well;
		if (well)
			add_good(&good, &d, json_array_get(links, 0));
	}
	(void)finding_put(l, "facts.pcie", &good);
	return l->out->n_verdicts > before;
}
