/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay explain: everything that stands behind one verdict - the rule, the numbers and
 * where they come from, the launches and samples, where it ran, how it was started - and
 * what to do next. Without an id, what there is to explain.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "cmd/judged.h"
#include "judge/series.h"
#include "reports/at.h"
#include "reports/rows.h"
#include "reports/term.h"
#include "run/stepdir.h"

enum {
	LABEL = 13,
	NAMES = 80,
	TEXTS = 1000,
	COMMANDS = 4000,
	MAX_RANKS = 16,
	MAX_VALUES = 16
};

/* What to do about a verdict; the first line that fits it. */
static const struct advice {
	enum verdict_word word;
	const char *rule, *cause; /* NULL: any */
	const char *text;
} advices[] = {
	{VERDICT_FAIL, "valid", NULL,
	 "a wrong result is worse than a slow one: take the node out, look at its memory "
	 "and machine check errors (EDAC, mcelog), then measure it again alone"},
	{VERDICT_FAIL, NULL, NULL,
	 "compare this node with one that passes (assay nodes: clocks, DIMMs, BIOS, what "
	 "else runs there), then measure it again alone: assay run PLAN --nodes NODE"},
	{VERDICT_ERROR, NULL, "launch",
	 "start the command line above by hand; the launcher's own words are in stderr"},
	{VERDICT_ERROR, NULL, "timeout",
	 "how far it got is in stdout; where it only needs longer: --set STAGE.limit=T"},
	{VERDICT_ERROR, NULL, "invalid",
	 "the output cannot be trusted: more busy threads than CPUs, a CPU outside the "
	 "inherited mask, or lines that are not the kernel's; see stdout"},
	{VERDICT_ERROR, NULL, "io",
	 "a disk was full or broken while it was written: check the file system"},
	{VERDICT_ERROR, NULL, "aborted",
	 "it was stopped before its end: assay run --resume DIR does it again"},
	{VERDICT_ERROR, NULL, NULL,
	 "something that was planned or required is not there: assay status DIR says how "
	 "far the run got, assay run --resume DIR does what was not done"},
	{VERDICT_INCONCLUSIVE, NULL, NULL,
	 "more launches decide it: assay run --resume DIR repeats it within the limits "
	 "of the plan (limits.repeats, limits.rounds, --time-limit)"},
	{VERDICT_UNJUDGED, NULL, "size",
	 "no reference holds for a problem of this size: take the kernel's own (size "
	 "auto)"},
	{VERDICT_UNJUDGED, NULL, "short",
	 "no reference holds for so short a run: give the kernel more time"},
	{VERDICT_UNJUDGED, NULL, NULL,
	 "give it a reference: a baseline (assay judge DIR --baseline FILE), or the CPU "
	 "model in cpus.yaml"},
	{VERDICT_WARN, "peers", NULL,
	 "measure it again on nodes that do nothing else; where like nodes still differ, "
	 "look for what they do not have in common (assay nodes, assay bios diff)"},
	{VERDICT_WARN, NULL, NULL,
	 "it is still good; where many nodes warn alike look for a common cause"},
	{VERDICT_SKIP, NULL, NULL, "nothing, where it need not be measured"},
};

static void begin(struct term *t, const char *label)
{
	term_pad(t, 2);
	term_wrap(t, 0, label);
	term_pad(t, LABEL);
}

static void field(struct term *t, const char *label, const char *text)
{
	begin(t, label);
	term_wrap(t, LABEL, text);
	term_end(t);
}

/* "stream.triad store=nt on n05 with n06" */
static void add_subject(const struct term *t, struct strbuf *to, const struct verdict *v)
{
	struct strbuf at = {0};

	term_clean(t, to, v->metric ? v->metric : v->rule, NAMES);
	at_text(&at, v->at);
	if (at.len) {
		strbuf_addch(to, ' ');
		term_clean(t, to, at.buf, NAMES);
	}
	if (v->node) {
		strbuf_addstr(to, " on ");
		term_clean(t, to, v->node, NAMES);
	}
	if (v->peer) {
		strbuf_addstr(to, " with ");
		term_clean(t, to, v->peer, NAMES);
	}
	strbuf_release(&at);
}

static void add_head(struct term *t, const struct verdict *v)
{
	struct strbuf text = {0};

	term_word(t, v->word);
	term_clean(t, &text, v->id, NAMES);
	strbuf_addstr(&text, ": ");
	add_subject(t, &text, v);
	if (v->cause) {
		strbuf_addstr(&text, " (");
		term_clean(t, &text, v->cause, NAMES);
		strbuf_addch(&text, ')');
	}
	term_wrap(t, 2, " ");
	term_wrap(t, 2, strbuf_str(&text));
	term_end(t);
	strbuf_reset(&text);
	term_clean(t, &text, v->why, TEXTS);
	term_pad(t, 2);
	term_wrap(t, 2, strbuf_str(&text));
	term_end(t);
	strbuf_release(&text);
}

/* ---- the numbers ---- */

/* "below 352 GB/s (93.0 % of the reference)" */
static void add_limit(struct strbuf *to, const char *side, struct record_num limit,
		      const struct verdict *v)
{
	char buf[UNITS_TEXT];

	if (!limit.set)
		return;
	strbuf_addf(to, "%s%s %s", to->len ? ", " : "", side,
		    term_number(buf, sizeof(buf), limit, v->unit));
	if (v->reference.set && v->reference.v != 0)
		strbuf_addf(to, " (%s of the reference)",
			    units_format(buf, sizeof(buf), limit.v / v->reference.v,
					 "ratio"));
}

static void add_limits(struct term *t, const struct verdict *v)
{
	struct strbuf fail = {0}, warn = {0};

	add_limit(&fail, "below", v->low, v);
	add_limit(&fail, "above", v->high, v);
	add_limit(&warn, "below", v->warn_low, v);
	add_limit(&warn, "above", v->warn_high, v);
	if (fail.len)
		field(t, "FAIL", strbuf_str(&fail));
	if (warn.len)
		field(t, "WARN", strbuf_str(&warn));
	strbuf_release(&fail);
	strbuf_release(&warn);
}

static void add_value(struct term *t, const struct verdict *v)
{
	struct strbuf text = {0};
	char buf[UNITS_TEXT];

	strbuf_addstr(&text, term_number(buf, sizeof(buf), v->value, v->unit));
	if (v->reference.set && v->reference.v != 0)
		strbuf_addf(&text, ", %s of the reference",
			    units_format(buf, sizeof(buf), verdict_share(v), "ratio"));
	if (v->n > 0)
		strbuf_addf(&text, "; %lld independent launch%s", (long long)v->n,
			    v->n == 1 ? "" : "es");
	if (v->spread.set)
		strbuf_addf(&text, ", spread %s",
			    units_format(buf, sizeof(buf), v->spread.v, "ratio"));
	field(t, "value", strbuf_str(&text));
	strbuf_release(&text);
}

static void add_numbers(struct term *t, const struct verdict *v)
{
	const struct rule *rule = rule_find(v->rule);
	struct strbuf text = {0};
	char buf[UNITS_TEXT];

	term_title(t, "Numbers");
	term_clean(t, &text, v->rule, NAMES);
	if (rule)
		strbuf_addf(&text, ": %s", rule->help);
	if (v->required)
		strbuf_addstr(&text, "; the plan requires it");
	field(t, "rule", strbuf_str(&text));
	if (v->value.set)
		add_value(t, v);
	if (v->reference.set)
		field(t, "reference",
		      term_number(buf, sizeof(buf), v->reference, v->unit));
	if (v->from) {
		strbuf_reset(&text);
		term_clean(t, &text, v->from, TEXTS);
		field(t, "from", strbuf_str(&text));
	}
	add_limits(t, v);
	strbuf_release(&text);
}

/* ---- the launches ---- */

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The launch @st is behind the verdict: by its key, where it has one. */
static bool behind(const struct verdict *v, const struct state_step *st)
{
	if (!st->id)
		return false;
	return v->key ? same(st->planned.key, v->key) : st->id == v->step;
}

/* The repetitions of one launch, as many as fit, and their range. */
static void add_samples(struct term *t, const struct verdict *v,
			const struct state_step *st)
{
	struct strbuf text = {0};
	double low = 0, high = 0;
	char buf[UNITS_TEXT];
	size_t n = 0;

	for (size_t i = 0; v->metric && i < st->n_samples; i++) {
		const struct record_sample *s = st->samples[i];

		if (!same(s->metric, v->metric) || !same(s->at, v->at) ||
		    (v->node && s->node && !same(s->node, v->node)) ||
		    !same(s->peer, v->peer))
			continue;
		if (n < MAX_VALUES)
			strbuf_addf(&text, "%s%s", n ? ", " : "",
				    term_number(buf, sizeof(buf), s->value, s->unit));
		low = !n || s->value.v < low ? s->value.v : low;
		high = !n || s->value.v > high ? s->value.v : high;
		n++;
	}
	if (n > MAX_VALUES) {
		strbuf_addf(&text, " and %zu more, from %s", n - MAX_VALUES,
			    term_number(buf, sizeof(buf), record_num(low), v->unit));
		strbuf_addf(&text, " to %s",
			    term_number(buf, sizeof(buf), record_num(high), v->unit));
	}
	if (n)
		field(t, "samples", strbuf_str(&text));
	strbuf_release(&text);
}

static void add_checks(struct term *t, const struct verdict *v,
		       const struct state_step *st)
{
	struct strbuf text = {0};
	char buf[UNITS_TEXT];

	for (size_t i = 0; i < st->n_valids; i++) {
		const struct record_valid *c = st->valids[i];

		if (v->node && c->node && !same(c->node, v->node))
			continue;
		strbuf_reset(&text);
		term_clean(t, &text, c->check, NAMES);
		if (c->at) {
			strbuf_addstr(&text, " of ");
			term_clean(t, &text, c->at, TEXTS);
		}
		strbuf_addf(&text, " %s", c->ok ? "ok" : "NOT ok");
		if (c->value.set)
			strbuf_addf(&text, ": %s",
				    term_number(buf, sizeof(buf), c->value, NULL));
		if (c->limit.set)
			strbuf_addf(&text, ", limit %s",
				    term_number(buf, sizeof(buf), c->limit, NULL));
		if (c->text) {
			strbuf_addstr(&text, ": ");
			term_clean(t, &text, c->text, TEXTS);
		}
		field(t, "check", strbuf_str(&text));
	}
	strbuf_release(&text);
}

static void add_events(struct term *t, const struct verdict *v,
		       const struct state_step *st)
{
	struct strbuf text = {0}, what = {0};

	for (size_t i = 0; i < st->n_events; i++) {
		const struct record_event *ev = st->events[i];

		if (v->node && ev->node && !same(ev->node, v->node))
			continue;
		strbuf_reset(&text);
		strbuf_reset(&what);
		term_clean(t, &text, ev->text, TEXTS);
		term_clean(t, &what, ev->what, LABEL);
		strbuf_addch(&what, ' ');
		field(t, what.buf, strbuf_str(&text));
	}
	strbuf_release(&text);
	strbuf_release(&what);
}

/* Where the ranks on the verdict's nodes really ran. */
static void add_binding(struct term *t, const struct verdict *v,
			const struct state_step *st)
{
	struct strbuf text = {0};
	size_t n = 0;

	for (size_t i = 0; i < st->n_ranks; i++) {
		const struct record_rank *r = st->ranks[i];

		if (v->node && r->node && !same(r->node, v->node) &&
		    !same(r->node, v->peer))
			continue;
		if (++n > MAX_RANKS)
			continue;
		strbuf_reset(&text);
		strbuf_addf(&text, "%lld on ", (long long)r->rank);
		term_clean(t, &text, r->host, NAMES);
		strbuf_addf(&text, ", pid %lld: %lld thread%s on CPUs ",
			    (long long)r->pid, (long long)r->threads,
			    r->threads == 1 ? "" : "s");
		term_clean(t, &text, r->cpuset, TEXTS);
		strbuf_addstr(&text, ", inherited mask ");
		term_clean(t, &text, r->mask, TEXTS);
		field(t, "rank", strbuf_str(&text));
	}
	if (n > MAX_RANKS) {
		begin(t, "");
		term_wrapf(t, LABEL, "and %zu more ranks", n - MAX_RANKS);
		term_end(t);
	}
	strbuf_release(&text);
}

static void add_command(struct term *t, const char *dir, const struct state_step *st)
{
	struct arena a = {0};
	struct strbuf line = {0}, text = {0};
	const struct step step = {
		.id = st->id, .attempt = st->attempt, .name = st->planned.name};
	size_t n;
	const char **words = record_unlist(&a, st->started.argv, &n);

	for (size_t i = 0; i < n; i++) {
		if (i)
			strbuf_addch(&line, ' ');
		term_shell_word(&line, words[i]);
	}
	if (n) {
		term_clean(t, &text, line.buf, COMMANDS);
		field(t, "command", strbuf_str(&text));
	}
	if (st->phase != STATE_PLANNED && step.name) {
		strbuf_reset(&text);
		term_clean(t, &text, stepdir_path(dir, &step, &a), TEXTS);
		strbuf_addstr(&text, "/ (command, stdout, stderr)");
		field(t, "files", strbuf_str(&text));
	}
	strbuf_release(&line);
	strbuf_release(&text);
	arena_release(&a);
}

/* "ok after 12s, exit status 0" */
static void add_end(const struct term *t, struct strbuf *to, const struct state_step *st)
{
	char buf[UNITS_TEXT];

	if (st->phase == STATE_PLANNED) {
		strbuf_addstr(to, "never started");
		return;
	}
	if (st->phase == STATE_STARTED) {
		strbuf_addstr(to, "started, its end is not in the journal");
		return;
	}
	term_clean(t, to, st->ended.cause ? st->ended.cause : "ended", NAMES);
	if (st->ended.duration.set)
		strbuf_addf(
			to, " after %s",
			units_format_duration(buf, sizeof(buf), st->ended.duration.v));
	if (st->ended.exit != RECORD_NO_INT)
		strbuf_addf(to, ", exit status %lld", (long long)st->ended.exit);
	if (st->ended.signal != RECORD_NO_INT && st->ended.signal)
		strbuf_addf(to, ", signal %lld", (long long)st->ended.signal);
	if (st->ended.reason) {
		strbuf_addstr(to, ": ");
		term_clean(t, to, st->ended.reason, TEXTS);
	}
}

static void add_launch(struct term *t, const char *dir, const struct verdict *v,
		       const struct state_step *st)
{
	struct strbuf text = {0};
	char buf[UNITS_TEXT];

	strbuf_addf(&text, "Step %lld", (long long)st->id);
	if (st->attempt > 1)
		strbuf_addf(&text, " (attempt %lld)", (long long)st->attempt);
	strbuf_addstr(&text, ": ");
	term_clean(t, &text, st->planned.key, NAMES);
	term_title(t, strbuf_str(&text));
	strbuf_reset(&text);
	add_end(t, &text, st);
	field(t, "ended", strbuf_str(&text));
	for (size_t i = 0; v->series && i < v->series->n; i++) {
		if (v->series->launches[i].step == st->id)
			field(t, "value",
			      term_number(buf, sizeof(buf),
					  record_num(v->series->launches[i].value),
					  v->series->unit));
	}
	add_samples(t, v, st);
	add_checks(t, v, st);
	add_events(t, v, st);
	add_binding(t, v, st);
	add_command(t, dir, st);
	strbuf_release(&text);
}

/* ---- what next ---- */

static void add_requests(struct term *t, const struct judged *j, const struct verdict *v)
{
	struct strbuf text = {0};

	for (size_t i = 0; i < j->state.n_requests; i++) {
		const struct record_request *r = &j->state.requests[i];

		if (!same(r->target, v->key) && !same(r->target, v->node))
			continue;
		strbuf_reset(&text);
		term_clean(t, &text, r->want, NAMES);
		strbuf_addch(&text, ' ');
		term_clean(t, &text, r->target, NAMES);
		strbuf_addstr(&text, ": ");
		term_clean(t, &text, r->because, TEXTS);
		field(t, "asked for", strbuf_str(&text));
	}
	strbuf_release(&text);
}

static const char *advice_for(const struct verdict *v)
{
	for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++) {
		const struct advice *a = &advices[i];

		if (a->word == v->word && (!a->rule || same(a->rule, v->rule)) &&
		    (!a->cause || same(a->cause, v->cause)))
			return a->text;
	}
	return NULL;
}

/* Adds @text word by word, with what DIR, NODE and PLAN are here in their place. */
static void add_filled(const struct term *t, struct strbuf *to, const char *text,
		       const struct judged *j, const struct verdict *v)
{
	const struct {
		const char *word, *value;
	} here[] = {{"DIR", j->dir}, {"NODE", v->node}, {"PLAN", j->state.plan.name}};

	while (*text) {
		size_t len = strcspn(text, " ");
		const char *value = NULL;
		struct strbuf word = {0};

		for (size_t i = 0; i < sizeof(here) / sizeof(here[0]); i++) {
			if (len == strlen(here[i].word) &&
			    !memcmp(text, here[i].word, len))
				value = here[i].value;
		}
		if (value) {
			term_shell_word(&word, value);
			term_clean(t, to, word.buf, TEXTS);
		} else {
			strbuf_add(to, text, len);
		}
		strbuf_release(&word);
		text += len;
		if (*text == ' ') {
			strbuf_addch(to, ' ');
			text++;
		}
	}
}

static void add_advice(struct term *t, const struct judged *j, const struct verdict *v)
{
	const char *advice = advice_for(v);
	struct strbuf text = {0};

	if (!advice)
		return;
	add_filled(t, &text, advice, j, v);
	field(t, "next", strbuf_str(&text));
	strbuf_release(&text);
}

static void explain(struct term *t, const struct judged *j, const struct verdict *v)
{
	add_head(t, v);
	add_numbers(t, v);
	for (size_t i = 0; i < j->state.n_steps; i++) {
		if (behind(v, &j->state.steps[i]))
			add_launch(t, j->dir, v, &j->state.steps[i]);
	}
	term_end(t);
	add_requests(t, j, v);
	add_advice(t, j, v);
}

/* ---- lists ---- */

static int by_badness(const void *a, const void *b)
{
	const struct verdict *const *x = a, *const *y = b;

	if (row_worse(*x, *y))
		return -1;
	if (row_worse(*y, *x))
		return 1;
	return *x < *y ? -1 : *x > *y;
}

static bool is_good(const struct verdict *v)
{
	return v->word == VERDICT_PASS || !verdict_decides(v);
}

/* A line for each verdict on @node, or without it for each that is not PASS. */
static void list(struct term *t, const struct summary *s, const char *node)
{
	const struct verdict **order = mem_calloc(s->n_verdicts + 1, sizeof(*order));
	struct strbuf text = {0};
	size_t n = 0;

	for (size_t i = 0; i < s->n_verdicts; i++) {
		const struct verdict *v = &s->verdicts[i];

		if (node ? same(v->node, node) || same(v->peer, node) : !is_good(v))
			order[n++] = v;
	}
	qsort(order, n, sizeof(*order), by_badness);
	for (size_t i = 0; i < n; i++) {
		strbuf_reset(&text);
		term_clean(t, &text, order[i]->id, NAMES);
		term_wrap(t, 0, strbuf_str(&text));
		term_pad(t, 8);
		term_word(t, order[i]->word);
		strbuf_reset(&text);
		strbuf_addch(&text, ' ');
		add_subject(t, &text, order[i]);
		if (order[i]->why) {
			strbuf_addstr(&text, ": ");
			term_clean(t, &text, order[i]->why, TEXTS);
		}
		term_wrap(t, 10, strbuf_str(&text));
		term_end(t);
	}
	if (!n) {
		term_wrapf(t, 0, "nothing to explain: all %zu verdicts are PASS",
			   s->counts[VERDICT_PASS]);
		term_end(t);
	}
	free(order);
	strbuf_release(&text);
}

static bool is_node(const struct summary *s, const char *name)
{
	for (size_t i = 0; i < s->n_nodes; i++) {
		if (!strcmp(s->nodes[i].name, name))
			return true;
	}
	return false;
}

static int explain_id(struct term *t, const struct judged *j, const char *id,
		      struct err *e)
{
	const struct summary *s = &j->summary;

	for (size_t i = 0; i < s->n_verdicts; i++) {
		if (!strcmp(s->verdicts[i].id, id)) {
			explain(t, j, &s->verdicts[i]);
			return 0;
		}
	}
	if (is_node(s, id)) {
		list(t, s, id);
		return 0;
	}
	if (!s->n_verdicts)
		return err_set(e, ERR_USAGE, "no verdict '%.64s': there is none at all",
			       id);
	return err_set(e, ERR_USAGE, "no verdict or node '%.64s', verdicts are %s to %s",
		       id, s->verdicts[0].id, s->verdicts[s->n_verdicts - 1].id);
}

static int show(const struct judged *j, const char *id, struct err *e)
{
	struct report_style style = cmd_style(fileno(stdout));
	struct term t;
	int rc = 0;

	term_init(&t, &style);
	if (id)
		rc = explain_id(&t, j, id, e);
	else
		list(&t, &j->summary, NULL);
	if (!rc)
		rc = judged_put(&t.out, stdout, e);
	term_release(&t);
	return rc;
}

static int run(const struct cmd_env *env, int argc, char **argv, struct err *e)
{
	struct judged_options o = {0};
	const struct cmd_option options[] = {
		{"baseline", 0, CMD_TEXT, "FILE", "references that win over all others",
		 &o.baseline},
		{"configs", 0, CMD_TEXT, "DIR",
		 "cpus.yaml, theory.yaml, baselines/; default: those of the run",
		 &o.configs},
	};
	struct judged j = {0};
	char **words;
	int n, rc;

	rc = cmd_options(&cmd_explain, options, sizeof(options) / sizeof(options[0]),
			 argc, argv, &words, &n, e);
	if (rc)
		return rc > 0 ? 0 : -1;
	if (n < 1 || n > 2)
		return err_set(e, ERR_USAGE,
			       "a run folder and perhaps a verdict, not %d words", n);
	rc = judged_open(&j, env, words[0], &o, e);
	if (!rc)
		rc = show(&j, n > 1 ? words[1] : NULL, e);
	judged_release(&j);
	return rc;
}

const struct command_def cmd_explain = {
	.name = "explain",
	.usage = "DIR [ID|NODE] [options]",
	.help = "what stands behind a verdict; without ID, all that are not PASS",
	.run = run,
};
