/* SPDX-License-Identifier: Apache-2.0 */
/* facts.port: ports of adapters are up and as fast as the site expects. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "judge/facts.h"

/* What was seen of all ports. */
struct ports {
	bool infiniband; /* there is a port of it: those of Ethernet are not the fabric */
	size_t n, active;
	double fastest; /* B/s of those that are active */
	const char *fastest_name;
};

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "?";
}

static double rate(const json_t *port)
{
	return json_number_value(json_object_get(port, "rate"));
}

static bool is_infiniband(const json_t *port)
{
	return !strcmp(text(port, "layer"), "InfiniBand");
}

static bool is_active(const json_t *port)
{
	return !strcmp(text(port, "state"), "ACTIVE");
}

/* "mlx5_0 port 1" */
static const char *name_of(const struct facts_look *l, const char *adapter,
			   const json_t *port)
{
	return arena_printf(&l->out->arena, "%s port %lld", adapter,
			    (long long)json_integer_value(json_object_get(port, "port")));
}

/* Calls @fn for the ports that count: of InfiniBand where there are any, else all. */
static void each(const struct facts_look *l, struct ports *all, struct finding *f,
		 void (*fn)(const struct facts_look *l, const char *name,
			    const json_t *port, struct ports *all, struct finding *f))
{
	json_t *hca, *p;
	const char *adapter;
	size_t i;

	json_object_foreach((json_t *)facts_get(l, "hca"), adapter, hca)
	{
		json_array_foreach(json_object_get(hca, "ports"), i, p)
		{
			if (!all->infiniband || is_infiniband(p))
				fn(l, name_of(l, adapter, p), p, all, f);
		}
	}
}

static void see(const struct facts_look *l, const char *name, const json_t *port,
		struct ports *all, struct finding *f)
{
	(void)l;
	(void)f;
	all->n++;
	if (!is_active(port))
		return;
	all->active++;
	if (rate(port) > all->fastest || !all->fastest_name) {
		all->fastest = rate(port);
		all->fastest_name = name;
	}
}

static void look_for_infiniband(const struct facts_look *l, const char *name,
				const json_t *port, struct ports *all, struct finding *f)
{
	(void)l;
	(void)name;
	(void)f;
	all->infiniband |= is_infiniband(port);
}

/*
 * A port of InfiniBand that has a link must be active; one without is taken for not
 * connected as long as another is active. Whether a port of Ethernet is used at all only
 * the site knows.
 */
static void judge_state(const struct facts_look *l, const char *name, const json_t *port,
			struct ports *all, struct finding *f)
{
	const char *state = text(port, "state"), *physical = text(port, "physical");
	char buf[UNITS_TEXT];

	(void)l;
	if (is_active(port))
		finding_add(f, VERDICT_PASS, "%s ACTIVE %s (%s)", name,
			    units_format_rate(buf, sizeof(buf), rate(port)),
			    text(port, "width"));
	else if (all->infiniband && !strcmp(physical, "LinkUp"))
		finding_add(f, VERDICT_FAIL, "%s is %s, not ACTIVE, with its link up%s",
			    name, state,
			    strcmp(state, "INIT") ? ""
						  : ": no subnet manager has set it up");
	else if (all->infiniband && !all->active)
		finding_add(f, VERDICT_FAIL, "%s is %s (%s)", name, state, physical);
	else
		finding_add(f, VERDICT_PASS, "%s %s (%s), taken as not connected", name,
			    state, physical);
}

static void add_slow(struct finding *f, const char *name, const json_t *port, double is,
		     double want)
{
	char a[UNITS_TEXT], b[UNITS_TEXT];
	const char *width = port ? text(port, "width") : "";

	finding_add(f, VERDICT_FAIL, "%s runs at %s%s%s%s, expected %s", name,
		    units_format_rate(a, sizeof(a), is), *width ? " (" : "", width,
		    *width ? ")" : "", units_format_rate(b, sizeof(b), want));
}

static void judge_rate(const struct facts_look *l, const char *name, const json_t *port,
		       struct ports *all, struct finding *f)
{
	double want = facts_expected_num(l, "hca_rate", "B/s");

	(void)all;
	if (is_active(port) && rate(port) < want * 0.99)
		add_slow(f, name, port, rate(port), want);
}

bool facts_port(const struct facts_look *l)
{
	double want = facts_expected_num(l, "hca_rate", "B/s");
	struct ports all = {0};
	struct finding f = {0};

	each(l, &all, &f, look_for_infiniband);
	each(l, &all, &f, see);
	each(l, &all, &f, judge_state);
	if (want > 0 && all.infiniband)
		each(l, &all, &f, judge_rate);
	else if (want > 0 && all.active && all.fastest < want * 0.99)
		add_slow(&f, all.fastest_name, NULL, all.fastest, want);
	else if (want > 0 && all.n && !all.active)
		finding_add(&f, VERDICT_FAIL, "no port is ACTIVE");
	if (want > 0 && !all.n) {
		const char *why = facts_why_not(l, "hca");

		finding_add(&f, why ? VERDICT_SKIP : VERDICT_FAIL, "%s",
			    why ? why : "no adapter is there, expected one");
	}
	return finding_put(l, "facts.port", &f) != NULL;
}
