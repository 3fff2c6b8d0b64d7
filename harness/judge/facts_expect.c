/* SPDX-License-Identifier: Apache-2.0 */
/* facts.expect: the node against what the site file says was bought. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "judge/facts.h"

/*
 * The system sees less memory than was bought: firmware keeps some, and the kernel one
 * byte in 64 for its books. A module less of 24 is below that on any large machine.
 */
#define MEMORY_LARGE       (64 * 0x1p30)
#define MEMORY_LARGE_SHARE 0.96
#define MEMORY_SMALL_SHARE 0.90
#define MEMORY_MORE        1.02

/* How one key was found to be. */
struct answer {
	enum { SAME, DIFFERS, UNKNOWN } is;
	struct strbuf text; /* what is there; why it is not known */
	double value, want; /* where both are numbers, else NaN */
	const char *unit;
};

static void add_quantity(struct strbuf *out, double v, const char *unit)
{
	char text[UNITS_TEXT];

	if (!unit)
		strbuf_addf(out, "%.0f", v);
	else if (!strcmp(unit, "B"))
		strbuf_addstr(out, units_format_memory(text, sizeof(text), v));
	else if (!strcmp(unit, "T/s"))
		strbuf_addf(out, "%.0f MT/s", v / 1e6);
	else
		strbuf_addstr(out, units_format_rate(text, sizeof(text), v));
}

static void unknown(const struct facts_look *l, struct answer *a, const char *path)
{
	const char *why = facts_why_not(l, path);

	a->is = UNKNOWN;
	strbuf_addstr(&a->text, why ? why : "not known");
}

static void compare(struct answer *a, double value, double want, const char *unit,
		    double low, double high)
{
	a->value = value;
	a->want = want;
	a->unit = unit;
	a->is = value >= want * low && value <= want * high ? SAME : DIFFERS;
	add_quantity(&a->text, value, unit);
}

static void count(const struct facts_look *l, const char *key, const char *path,
		  struct answer *a)
{
	double v = facts_num(l, path), want = facts_expected_num(l, key, NULL);

	if (isnan(v))
		unknown(l, a, path);
	else
		compare(a, v, want, NULL, 1, 1);
}

static void bytes(const struct facts_look *l, const char *key, const char *path,
		  struct answer *a)
{
	double v = facts_num(l, path), want = facts_expected_num(l, key, "B");

	if (isnan(v))
		unknown(l, a, path);
	else
		compare(a, v, want, "B", 1, 1);
}

static void memory(const struct facts_look *l, const char *key, const char *path,
		   struct answer *a)
{
	double v = facts_num(l, path), want = facts_expected_num(l, key, "B");

	if (isnan(v))
		unknown(l, a, path);
	else
		compare(a, v, want, "B",
			want >= MEMORY_LARGE ? MEMORY_LARGE_SHARE : MEMORY_SMALL_SHARE,
			MEMORY_MORE);
}

/* "5.14.0-*" stands for many. */
static bool matches(const char *want, const char *is)
{
	return !strcasecmp(want, is) || !fnmatch(want, is, FNM_CASEFOLD);
}

static void text(const struct facts_look *l, const char *key, const char *path,
		 struct answer *a)
{
	const char *s = json_string_value(facts_get(l, path));

	if (!s) {
		unknown(l, a, path);
		return;
	}
	a->is = matches(facts_expected(l, key), s) ? SAME : DIFFERS;
	strbuf_addf(&a->text, "'%s'", s);
}

/* A CPU is the same whatever firmware adds to its name. */
static void cpu(const struct facts_look *l, const char *key, const char *path,
		struct answer *a)
{
	const char *s = json_string_value(facts_get(l, path));

	text(l, key, path, a);
	if (s && cpus_same(facts_expected(l, key), s))
		a->is = SAME;
}

/* All modules, or the slowest one's speed. */
static void modules(const struct facts_look *l, const char *key, const char *path,
		    struct answer *a)
{
	bool speed = !strcmp(key, "memory_speed");
	const json_t *list = facts_get(l, path), *d;
	double n = 0, slow = INFINITY;
	size_t i;

	json_array_foreach(list, i, d)
	{
		const json_t *size = json_object_get(d, "size");
		const json_t *now = json_object_get(d, "configured");

		if (size && !json_integer_value(size))
			continue;
		n += (double)json_array_size(json_object_get(d, "slots"));
		if (json_is_number(now))
			slow = fmin(slow, json_number_value(now));
	}
	if (!list || (speed && isinf(slow)))
		unknown(l, a, "smbios");
	else if (speed)
		compare(a, slow, facts_expected_num(l, key, "T/s"), "T/s", 0.99, 1.01);
	else
		compare(a, n, facts_expected_num(l, key, NULL), NULL, 1, 1);
}

/* By type ("MT4123"), board, or what PCI calls it ("15b3:101b"). */
static bool is_kind(const struct facts_look *l, const json_t *hca, const char *want)
{
	static const char *const facts[] = {"type", "board"};
	const char *address = json_string_value(json_object_get(hca, "pci")), *v, *d;
	const json_t *pci;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		v = json_string_value(json_object_get(hca, facts[i]));
		if (v && matches(want, v))
			return true;
	}
	pci = json_object_get(facts_get(l, "pci"), address ? address : "");
	v = json_string_value(json_object_get(pci, "vendor"));
	d = json_string_value(json_object_get(pci, "device"));
	return v && d && matches(want, arena_printf(&l->out->arena, "%s:%s", v, d));
}

/* Adapters of the kind the site expects, all of them where it does not say. */
static bool counts(const struct facts_look *l, const json_t *hca)
{
	const char *kind = facts_expected(l, "hca");

	return !kind || is_kind(l, hca, kind);
}

static void add_once(struct strbuf *out, const char *s)
{
	if (s && !strstr(strbuf_str(out), s))
		strbuf_addf(out, "%s'%s'", out->len ? ", " : "", s);
}

static void adapters(const struct facts_look *l, const char *key, const char *path,
		     struct answer *a)
{
	const char *want = facts_expected(l, key), *name, *s;
	bool firmware = !strcmp(key, "hca_firmware");
	bool number = !strcmp(key, "hcas");
	const json_t *all = facts_get(l, path);
	double n = 0, right = 0;
	json_t *hca;

	json_object_foreach((json_t *)all, name, hca)
	{
		s = json_string_value(
			json_object_get(hca, firmware ? "firmware" : "type"));
		n += counts(l, hca);
		if (firmware && counts(l, hca))
			right += s && matches(want, s);
		if (!number)
			add_once(&a->text, s ? s : name);
	}
	if (!all && facts_why_not(l, path)) {
		unknown(l, a, path);
	} else if (number) {
		compare(a, n, facts_expected_num(l, key, NULL), NULL, 1, 1);
	} else {
		a->is = n > 0 && (!firmware || right == n) ? SAME : DIFFERS;
		if (!a->text.len)
			strbuf_addstr(&a->text, "no adapter");
	}
}

/* Keys of `expect`; hca_rate is judged with the ports, nodes once for all of them. */
static const struct key {
	const char *name;
	void (*compare)(const struct facts_look *l, const char *key, const char *path,
			struct answer *a);
	const char *path;
} keys[] = {
	{"cpu", cpu, "cpu.model"},
	{"sockets", count, "cpu.sockets"},
	{"cores", count, "cpu.cores"},
	{"threads", count, "cpu.threads"},
	{"numa_domains", count, "cpu.numa_domains"},
	{"memory", memory, "memory.total"},
	{"memory_speed", modules, "smbios.dimms"},
	{"dimms", modules, "smbios.dimms"},
	{"hca", adapters, "hca"},
	{"hcas", adapters, "hca"},
	{"hca_firmware", adapters, "hca"},
	{"bios", text, "dmi.bios_version"},
	{"kernel", text, "os.kernel"},
	{"thp", text, "os.thp"},
	{"numa_balancing", count, "os.numa_balancing"},
	{"governor", text, "cpu.governor"},
	{"hugepages", bytes, "memory.hugepages_reserved"},
};

static void differs(const struct facts_look *l, const struct key *k,
		    const struct answer *a)
{
	struct finding f = {0};
	struct verdict *v;

	finding_add(&f, VERDICT_FAIL, "%s: %s, expected %s", k->name,
		    strbuf_str(&a->text), facts_expected(l, k->name));
	v = finding_put(l, "facts.expect", &f);
	v->at = arena_printf(&l->out->arena, "{\"expect\":\"%s\"}", k->name);
	v->from = "site file";
	if (isnan(a->value) || isnan(a->want))
		return;
	v->value = record_num(a->value);
	v->reference = record_num(a->want);
	v->unit = a->unit;
}

bool facts_expect(const struct facts_look *l)
{
	struct finding same = {0}, missing = {0};
	struct strbuf good = {0};
	size_t before = l->out->n_verdicts, bad;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct key *k = &keys[i];
		struct answer a = {.value = NAN, .want = NAN};

		if (!facts_expected(l, k->name))
			continue;
		k->compare(l, k->name, k->path, &a);
		if (a.is == DIFFERS)
			differs(l, k, &a);
		else if (a.is == UNKNOWN)
			finding_add(&missing, VERDICT_SKIP, "%s: %s", k->name,
				    strbuf_str(&a.text));
		else
			strbuf_addf(&good, "%s%s", good.len ? ", " : "", k->name);
		strbuf_release(&a.text);
	}
	bad = l->out->n_verdicts - before;
	(void)finding_put(l, "facts.expect", &missing);
	if (good.len && !bad)
		finding_add(&same, VERDICT_PASS, "as expected: %s", good.buf);
	(void)finding_put(l, "facts.expect", &same);
	strbuf_release(&good);
	return l->out->n_verdicts > before;
}
