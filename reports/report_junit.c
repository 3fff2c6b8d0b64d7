/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.xml: a summary as JUnit test results, for CI servers. A suite is a node, a case
 * is a verdict: FAIL is a failure (a limit was missed), ERROR and INCONCLUSIVE are errors
 * (no result), SKIP and UNJUDGED are skipped, WARN passes with its text. The suite "run"
 * has one case that agrees with the exit status.
 *
 * What consumers reject is kept out: control characters, U+FFFE and broken UTF-8 are
 * replaced visibly (XML 1.0, production 2), names are unique in their suite because the
 * second of two is ignored, and texts are cut so that 200,000 cases stay below the 30 MB
 * that GitLab takes.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/units.h"
#include "base/utf8.h"
#include "reports/at.h"
#include "reports/emit.h"
#include "reports/memo.h"
#include "reports/report.h"
#include "reports/term.h"

/* Bytes of one name, of one text, of the file, and of a case without its text. */
enum { NAME_BYTES = 256, TEXT_BYTES = 4096, FILE_BYTES = 28000000, CASE_BYTES = 115 };

static const char *const RUN_SUITE = "run";

enum outcome { PASSED, FAILED, NO_RESULT, SKIPPED, OUTCOMES };

static const enum outcome outcome_of[VERDICT_WORDS] = {
	[VERDICT_FAIL] = FAILED,
	[VERDICT_ERROR] = NO_RESULT,
	[VERDICT_INCONCLUSIVE] = NO_RESULT,
	[VERDICT_UNJUDGED] = SKIPPED,
	[VERDICT_WARN] = PASSED,
	[VERDICT_SKIP] = SKIPPED,
	[VERDICT_PASS] = PASSED,
};

static const char *const element_of[OUTCOMES] = {
	[PASSED] = "system-out",
	[FAILED] = "failure",
	[NO_RESULT] = "error",
	[SKIPPED] = "skipped",
};

struct suite {
	size_t first, n; /* in struct junit order[] */
	size_t outcomes[OUTCOMES];
};

struct junit {
	const struct summary *s;
	FILE *out;
	struct strbuf text, raw, name;
	struct memo places;
	struct names nodes; /* numbers the suites; as they are in the file */
	struct suite *suites;
	size_t cap_suites;
	uint32_t *order; /* verdicts by suite */
	size_t budget;   /* bytes left for texts */
	bool cut;        /* it was said that texts are left out */
};

static bool plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && !strchr("&<>\"'", c);
}

/* Appends the character at @s (not a plain one) and gives the bytes it takes. */
static size_t add_special(struct strbuf *out, const char *s, size_t len)
{
	size_t n = utf8_char(s, len);
	unsigned char c = (unsigned char)s[0];

	if (n == 1 && (c == '\t' || c == '\n' || c == '\r' || c >= 0x20) && c != 0x7f)
		strbuf_addf(out, "&#%d;", c);
	else if (n == 3 && !memcmp(s, "\xef\xbf\xbe", 3))
		strbuf_addstr(out, "\\ufffe");
	else if (n == 3 && !memcmp(s, "\xef\xbf\xbf", 3))
		strbuf_addstr(out, "\\uffff");
	else
		utf8_printable(out, s, n ? n : 1);
	return n ? n : 1;
}

/* Appends @s, about @max bytes of it, as character data or the value of an attribute. */
static void add_xml(struct strbuf *out, const char *s, size_t max)
{
	size_t len = strlen(s), i = 0;

	while (i < len && i < max) {
		size_t from = i;

		while (i < len && i < max && plain((unsigned char)s[i]))
			i++;
		strbuf_add(out, s + from, i - from);
		if (i < len && i < max)
			i += add_special(out, s + i, len - i);
	}
	if (i < len)
		strbuf_addf(out, "... (cut, %zu bytes more in report.json)", len - i);
}

static void add_attribute(struct strbuf *out, const char *name, const char *s, size_t max)
{
	strbuf_addch(out, ' ');
	strbuf_addstr(out, name);
	strbuf_addstr(out, "=\"");
	add_xml(out, s, max);
	strbuf_addstr(out, "\"");
}

/* By the name as it will be in the file, where two may look the same. */
static size_t suite_of(struct junit *j, const char *node)
{
	bool fresh;
	size_t k;

	strbuf_reset(&j->name);
	add_xml(&j->name, node ? node : RUN_SUITE, NAME_BYTES);
	k = names_add(&j->nodes, strbuf_str(&j->name), &fresh);
	if (fresh)
		mem_grow(&j->suites, &j->cap_suites, k + 1, sizeof(*j->suites));
	return k;
}

/* Suites in the order of the nodes, each with its verdicts: a counting sort. */
static void sort_by_suite(struct junit *j)
{
	const struct summary *s = j->s;
	uint32_t *suite = mem_calloc(s->n_verdicts + 1, sizeof(*suite));
	size_t at = 0;

	(void)suite_of(j, NULL);
	for (size_t i = 0; i < s->n_nodes; i++)
		(void)suite_of(j, s->nodes[i].name);
	for (size_t i = 0; i < s->n_verdicts; i++) {
		const struct verdict *v = &s->verdicts[i];
		struct suite *u;

		/* mostly it is the node of the verdict before */
		suite[i] = i && v->node == v[-1].node ? suite[i - 1]
						      : (uint32_t)suite_of(j, v->node);
		u = &j->suites[suite[i]];
		u->n++;
		u->outcomes[outcome_of[v->word]]++;
	}
	for (size_t k = 0; k < j->nodes.n; k++) {
		j->suites[k].first = at;
		at += j->suites[k].n;
		j->suites[k].n = 0;
	}
	j->order = mem_calloc(s->n_verdicts + 1, sizeof(*j->order));
	for (size_t i = 0; i < s->n_verdicts; i++) {
		struct suite *u = &j->suites[suite[i]];

		j->order[u->first + u->n++] = (uint32_t)i;
	}
	free(suite);
}

static enum outcome run_outcome(const struct summary *s)
{
	return s->exit == 0 ? PASSED : s->exit == 1 ? FAILED : NO_RESULT;
}

static void add_counts(struct junit *j, const size_t outcomes[OUTCOMES])
{
	size_t tests = 0;

	for (int i = 0; i < OUTCOMES; i++)
		tests += outcomes[i];
	strbuf_addf(&j->text,
		    " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
		    tests, outcomes[FAILED], outcomes[NO_RESULT], outcomes[SKIPPED]);
}

static void add_number(struct strbuf *out, const char *label, struct record_num v,
		       const char *unit)
{
	char buf[UNITS_TEXT];

	if (v.set)
		strbuf_addf(out, "%s %s\n", label,
			    term_number(buf, sizeof(buf), v, unit));
}

/* What stands inside the element of a case: all that led to the verdict. */
static void verdict_text(struct strbuf *out, const struct verdict *v)
{
	strbuf_addf(out, "%s %s%s%s%s\n", verdict_name(v->word), v->id ? v->id : "",
		    v->cause ? " (" : "", v->cause ? v->cause : "", v->cause ? ")" : "");
	if (v->why)
		strbuf_addf(out, "%s\n", v->why);
	add_number(out, "value", v->value, v->unit);
	add_number(out, "reference", v->reference, v->unit);
	add_number(out, "low", v->low, v->unit);
	add_number(out, "high", v->high, v->unit);
	if (v->from)
		strbuf_addf(out, "from %s\n", v->from);
}

/*
 * j->name = "nodes/stream stream.triad store=nt with n2 (baseline)", as it will be in the
 * file and unique in its suite.
 */
static void case_name(struct junit *j, struct names *seen, const struct verdict *v)
{
	struct strbuf *raw = &j->raw;
	bool fresh;
	size_t len;

	strbuf_reset(raw);
	if (v->name)
		strbuf_addf(raw, "%s ", v->name);
	if (v->metric)
		strbuf_addf(raw, "%s ", v->metric);
	if (v->at)
		strbuf_addstr(raw, memo_get(&j->places, v->at, at_text));
	strbuf_addf(raw, "%s(%s)", v->at ? " " : "", v->rule ? v->rule : "?");
	if (v->peer)
		strbuf_addf(raw, " with %s", v->peer);
	strbuf_reset(&j->name);
	add_xml(&j->name, raw->buf, NAME_BYTES);
	len = j->name.len;
	(void)names_add(seen, j->name.buf, &fresh);
	for (size_t i = 2; !fresh; i++) {
		strbuf_truncate(&j->name, len);
		strbuf_addf(&j->name, " #%zu", i);
		(void)names_add(seen, j->name.buf, &fresh);
	}
}

/* The element inside a case that says how it went. */
static void add_outcome(struct strbuf *out, enum outcome outcome, const char *type,
			const char *why, const char *details)
{
	strbuf_addf(out, "<%s", element_of[outcome]);
	if (outcome != PASSED)
		add_attribute(out, "message", why, TEXT_BYTES);
	if (outcome == FAILED || outcome == NO_RESULT)
		add_attribute(out, "type", type, NAME_BYTES);
	strbuf_addstr(out, ">");
	if (outcome != SKIPPED)
		add_xml(out, details, TEXT_BYTES);
	strbuf_addf(out, "</%s>", element_of[outcome]);
}

/* One case; @class and j->name are fit for the file already. */
static void add_case(struct junit *j, const char *class, enum outcome outcome,
		     const char *type, const char *why, const char *details)
{
	struct strbuf *out = &j->text;
	size_t before;

	strbuf_addstr(out, "<testcase classname=\"");
	strbuf_addstr(out, class);
	strbuf_addstr(out, "\" name=\"");
	strbuf_addstr(out, j->name.buf);
	strbuf_addch(out, '"');
	if (outcome == PASSED && (!*details || !j->budget)) {
		strbuf_addstr(out, "/>\n");
		return;
	}
	strbuf_addstr(out, ">");
	before = out->len;
	if (j->budget) {
		add_outcome(out, outcome, type, why, details);
	} else {
		strbuf_addf(out, "<%s", element_of[outcome]);
		if (!j->cut)
			strbuf_addstr(out, " message=\"cut: from here on the texts are "
					   "only in report.json\"");
		strbuf_addstr(out, "/>");
		j->cut = true;
	}
	j->budget -= out->len - before < j->budget ? out->len - before : j->budget;
	strbuf_addstr(out, "</testcase>\n");
}

static void add_verdict(struct junit *j, struct names *seen, const char *class,
			const struct verdict *v)
{
	struct strbuf details = {0};

	case_name(j, seen, v);
	if (v->word != VERDICT_PASS && j->budget)
		verdict_text(&details, v);
	add_case(j, class, outcome_of[v->word], v->rule ? v->rule : "?",
		 v->why ? v->why : verdict_name(v->word), strbuf_str(&details));
	strbuf_release(&details);
}

/* The case that agrees with the exit status, with what was said about the whole run. */
static void add_run_case(struct junit *j, struct names *seen)
{
	const struct summary *s = j->s;
	struct strbuf why = {0}, details = {0};

	strbuf_addf(
		&why,
		"%s, exit status %d: %zu of %zu nodes reported, %zu of %zu steps ended",
		verdict_name(s->word), s->exit, s->n_reported, s->n_nodes, s->steps_ended,
		s->steps_planned);
	strbuf_addf(&details, "%s\n", why.buf);
	for (size_t i = 0; i < s->n_remarks; i++)
		strbuf_addf(&details, "%s\n", s->remarks[i]);
	strbuf_reset(&j->name);
	strbuf_addstr(&j->name, "verdict of the run");
	(void)names_add(seen, j->name.buf, NULL);
	add_case(j, RUN_SUITE, run_outcome(s), "exit", why.buf, details.buf);
	strbuf_release(&why);
	strbuf_release(&details);
}

static int put_suite(struct junit *j, size_t k, struct err *e)
{
	const struct suite *u = &j->suites[k];
	const char *node = j->nodes.items[k];
	struct names seen = {0};
	int rc = 0;

	strbuf_addf(&j->text, "<testsuite name=\"%s\"", node);
	add_counts(j, u->outcomes);
	strbuf_addstr(&j->text, ">\n");
	if (!k)
		add_run_case(j, &seen);
	for (size_t i = 0; i < u->n; i++)
		add_verdict(j, &seen, node, &j->s->verdicts[j->order[u->first + i]]);
	strbuf_addstr(&j->text, "</testsuite>\n");
	rc = emit(&j->text, j->out, e);
	names_release(&seen);
	return rc;
}

static void add_head(struct junit *j)
{
	const struct state *st = j->s->state;
	size_t all[OUTCOMES] = {0};
	time_t t = (time_t)st->t_first;
	char when[32];
	struct tm tm;

	for (size_t k = 0; k < j->nodes.n; k++) {
		for (int i = 0; i < OUTCOMES; i++)
			all[i] += j->suites[k].outcomes[i];
	}
	strbuf_addstr(&j->text,
		      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	add_attribute(&j->text, "name", st->plan.name ? st->plan.name : "assay",
		      NAME_BYTES);
	add_counts(j, all);
	strbuf_addf(&j->text, " time=\"%.3f\"", state_duration(st));
	if (t > 0 && gmtime_r(&t, &tm) && strftime(when, sizeof(when), "%FT%TZ", &tm))
		add_attribute(&j->text, "timestamp", when, SIZE_MAX);
	strbuf_addstr(&j->text, ">\n");
}

static int write_junit(const struct summary *s, const struct report_style *style,
		       FILE *out, struct err *e)
{
	struct junit j = {.s = s, .out = out};
	int rc = 0;

	(void)style;
	if (s->n_verdicts < FILE_BYTES / CASE_BYTES)
		j.budget = FILE_BYTES - s->n_verdicts * CASE_BYTES;
	sort_by_suite(&j);
	j.suites[0].outcomes[run_outcome(s)]++;
	add_head(&j);
	for (size_t k = 0; k < j.nodes.n && !rc; k++)
		rc = put_suite(&j, k, e);
	strbuf_addstr(&j.text, "</testsuites>\n");
	if (!rc)
		rc = emit(&j.text, out, e);
	strbuf_release(&j.text);
	strbuf_release(&j.raw);
	memo_release(&j.places);
	strbuf_release(&j.name);
	names_release(&j.nodes);
	free(j.suites);
	free(j.order);
	return rc;
}

const struct report_writer report_junit = {
	.name = "junit",
	.suffix = ".xml",
	.help = "JUnit test results, for CI servers",
	.write = write_junit,
};
