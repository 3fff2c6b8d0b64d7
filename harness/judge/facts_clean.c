/* SPDX-License-Identifier: Apache-2.0 */
/* facts.clean and facts.clock: the node was quiet and set up for measuring. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "judge/facts.h"

/* Beyond these something is wrong; below, every machine has a little of it. */
enum { ZOMBIES = 16, WAITING = 1, NAMED = 3 };
#define UNNAMED_CPUS 1.0              /* CPUs busy with what cannot be named */
#define SHARE        0.01             /* of memory, in swap or set aside */
#define TMP_FREE     (64.0 * 1048576) /* B: sessions of MPI need a little */
#define LOAD         1.0
#define CLOCK_SKEW   1.0 /* s: logs of two nodes can no longer be put in order */

/* "pid 21234 (otheruser, leftover) at 100 % CPU" */
static void add_process(struct strbuf *out, const json_t *p)
{
	const char *user = json_string_value(json_object_get(p, "user"));
	const char *command = json_string_value(json_object_get(p, "command"));
	double cpus = json_number_value(json_object_get(p, "cpus"));

	strbuf_addf(out, "pid %lld",
		    (long long)json_integer_value(json_object_get(p, "pid")));
	if (user)
		strbuf_addf(out, " (%s)", user);
	if (command)
		strbuf_addf(out, " '%s'", command);
	strbuf_addf(out, " at %.0f %% CPU", cpus * 100);
}

/* Load is the past minute's: by itself it counts only where processes were not seen. */
static void judge_processes(const struct facts_look *l, struct finding *f)
{
	const json_t *list = facts_get(l, "clean.processes"), *p;
	double busy = facts_num(l, "clean.busy"), load = facts_num(l, "load");
	size_t n = json_array_size(list), i;
	struct strbuf text = {0};

	json_array_foreach(list, i, p)
	{
		busy -= json_number_value(json_object_get(p, "cpus"));
		if (i >= NAMED)
			continue;
		if (i)
			strbuf_addstr(&text, ", ");
		add_process(&text, p);
	}
	if (n > NAMED)
		strbuf_addf(&text, " and %zu more", n - NAMED);
	if (busy >= UNNAMED_CPUS)
		strbuf_addf(&text,
			    "%s%.1f CPUs busy with processes that are short or "
			    "hidden",
			    text.len ? ", " : "", busy);
	if (text.len && load >= LOAD)
		finding_add(f, VERDICT_WARN, "load %.1f, %s", load, strbuf_str(&text));
	else if (text.len)
		finding_add(f, VERDICT_WARN, "%s", strbuf_str(&text));
	else if (!list && load >= LOAD)
		finding_add(f, VERDICT_WARN, "load %.1f", load);
	strbuf_release(&text);
}

/* Two that measure the same node at the same time spoil both. */
static void judge_runs(const struct facts_look *l, struct finding *f)
{
	const json_t *list = facts_get(l, "clean.runs"), *run;
	size_t i;

	json_array_foreach(list, i, run)
	{
		const char *id = json_string_value(run);

		finding_add(f, VERDICT_WARN, "another run of assay is on it%s%s",
			    id && strcmp(id, "?") != 0 ? ": " : "",
			    id && strcmp(id, "?") != 0 ? id : "");
	}
}

static void judge_leftovers(const struct facts_look *l, struct finding *f)
{
	double zombies = facts_num(l, "clean.zombies");
	double waiting = facts_num(l, "clean.waiting");
	double swap = facts_num(l, "memory.swap_used");
	double total = facts_num(l, "memory.total");
	double tmp = facts_num(l, "tmp.free");
	char text[UNITS_TEXT];

	if (waiting >= WAITING)
		finding_add(f, VERDICT_WARN,
			    "%.0f process%s blocked in the kernel (disk or file server)",
			    waiting, waiting > 1 ? "es" : "");
	if (zombies >= ZOMBIES)
		finding_add(f, VERDICT_WARN, "%.0f zombie processes", zombies);
	if (swap > SHARE * total)
		finding_add(f, VERDICT_WARN, "%s in swap",
			    units_format_memory(text, sizeof(text), swap));
	if (tmp < TMP_FREE)
		finding_add(f, VERDICT_WARN, "%s free in /tmp",
			    units_format_memory(text, sizeof(text), tmp));
}

/* Pages are counted where their size is known: that a few are in use is told by them. */
static void judge_hugepages(const struct facts_look *l, struct finding *f)
{
	double reserved = facts_num(l, "memory.hugepages_reserved");
	double left = facts_num(l, "memory.hugepages_free");
	double size = facts_num(l, "memory.hugepage_size");
	double total = facts_num(l, "memory.total");
	char text[UNITS_TEXT];

	if (!(reserved > SHARE * total) || facts_expected(l, "hugepages"))
		return;
	(void)units_format_memory(text, sizeof(text), reserved);
	if (size > 0 && left >= 0)
		finding_add(f, VERDICT_WARN, "%s reserved as hugepages, %.0f in use",
			    text, (reserved - left) / size);
	else
		finding_add(f, VERDICT_WARN, "%s reserved as hugepages", text);
}

/* Settings of the kernel; one that the site expects is judged there. */
static void judge_settings(const struct facts_look *l, struct finding *f)
{
	const char *thp = json_string_value(facts_get(l, "os.thp"));
	const char *governor = json_string_value(facts_get(l, "cpu.governor"));
	double balancing = facts_num(l, "os.numa_balancing");

	if (balancing > 0 && !facts_expected(l, "numa_balancing"))
		finding_add(f, VERDICT_WARN, "numa_balancing=%.0f", balancing);
	if (thp && !strcmp(thp, "always") && !facts_expected(l, "thp"))
		finding_add(f, VERDICT_WARN, "THP always");
	if (governor && strcmp(governor, "performance") != 0 &&
	    !facts_expected(l, "governor"))
		finding_add(f, VERDICT_WARN, "governor %s", governor);
}

bool facts_clean(const struct facts_look *l)
{
	struct finding f = {0};

	judge_runs(l, &f);
	judge_processes(l, &f);
	judge_hugepages(l, &f);
	judge_settings(l, &f);
	judge_leftovers(l, &f);
	if (facts_get(l, "clean") || facts_get(l, "load"))
		finding_add(&f, VERDICT_PASS, "nobody else uses it, settings are good");
	return finding_put(l, "facts.clean", &f) != NULL;
}

bool facts_clock(const struct facts_look *l)
{
	double skew = facts_num(l, "clock.skew");
	double wrong = facts_num(l, "clock.uncertainty");
	const char *side = skew < 0 ? "behind" : "ahead of";
	struct finding f = {0};
	struct verdict *v;

	if (!isfinite(skew) || !isfinite(wrong))
		return false;
	if (fabs(skew) - wrong > CLOCK_SKEW)
		finding_add(&f, VERDICT_WARN,
			    "its clock is %.3g s %s the controller's (+- %.2g s)",
			    fabs(skew), side, wrong);
	else
		finding_add(&f, VERDICT_PASS,
			    "its clock agrees with the controller's to %.2g s",
			    fabs(skew) + wrong);
	v = finding_put(l, "facts.clock", &f);
	v->value = record_num(skew);
	v->unit = "s";
	return true;
}
