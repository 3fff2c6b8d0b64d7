/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.json: everything a summary holds, for programs. Strict JSON: a key that does not
 * apply is absent, a number that is not finite is named under "nonfinite". Written piece
 * by piece, so that 200,000 verdicts need no tree in memory.
 */
#include <string.h>
#include <time.h>

#include "base/names.h"
#include "base/utf8.h"
#include "reports/jsonw.h"
#include "reports/links.h"
#include "reports/report.h"

enum { SCHEMA = 1 };

/* Seconds since the epoch as 2026-11-30T12:00:00Z. */
static void put_time(struct jsonw *w, const char *name, double t)
{
	time_t seconds = (time_t)t;
	char buf[32];
	struct tm tm;

	if (t > 0 && gmtime_r(&seconds, &tm) &&
	    strftime(buf, sizeof(buf), "%Y-%m-%dT%H:%M:%SZ", &tm))
		jsonw_text(w, name, buf);
}

static void put_run(struct jsonw *w, const struct state *st)
{
	jsonw_open(w, "run", '{');
	jsonw_text(w, "id", st->run.id);
	jsonw_text(w, "version", st->run.version);
	jsonw_text(w, "build", st->run.build);
	jsonw_text(w, "plan", st->plan.name);
	jsonw_json(w, "requires", st->plan.requires);
	jsonw_json(w, "limits", st->plan.limits);
	jsonw_text(w, "host", st->run.host);
	jsonw_text(w, "user", st->run.user);
	put_time(w, "started", st->t_first);
	put_time(w, "ended", st->t_last);
	jsonw_num(w, "duration", record_num(state_duration(st)));
	jsonw_int(w, "starts", (int64_t)st->n_runs);
	jsonw_bool(w, "complete", report_finished(st));
	if (st->has_end && !report_finished(st))
		jsonw_int(w, "signal", st->end.exit - 128);
	jsonw_int(w, "damaged_lines", (int64_t)st->damaged);
	jsonw_bool(w, "allow_root", st->run.allow_root);
	jsonw_json(w, "command", st->run.command);
	jsonw_json(w, "environment", st->run.env);
	jsonw_json(w, "hashes", st->run.hashes);
	jsonw_close(w, '}');
}

static void put_counts(struct jsonw *w, const struct summary *s)
{
	jsonw_open(w, "counts", '{');
	for (int i = 0; i < VERDICT_WORDS; i++)
		jsonw_int(w, verdict_name(i), (int64_t)s->counts[i]);
	jsonw_close(w, '}');
}

/* Metric -> unit of its values, references and limits. */
static void put_units(struct jsonw *w, const struct summary *s)
{
	struct names seen = {0};
	struct strbuf clean = {0};
	bool fresh;

	jsonw_open(w, "units", '{');
	for (size_t i = 0; i < s->n_verdicts; i++) {
		const struct verdict *v = &s->verdicts[i];

		if (!v->metric || !v->unit)
			continue;
		strbuf_reset(&clean); /* what two metrics may have become the same by */
		utf8_clean(&clean, v->metric, strlen(v->metric));
		(void)names_add(&seen, strbuf_str(&clean), &fresh);
		if (fresh)
			jsonw_pair(w, strbuf_str(&clean), v->unit);
	}
	jsonw_close(w, '}');
	names_release(&seen);
	strbuf_release(&clean);
}

static void put_node(struct jsonw *w, const struct summary_node *n)
{
	jsonw_open(w, NULL, '{');
	jsonw_text(w, "name", n->name);
	jsonw_text(w, "class", n->class);
	jsonw_text(w, "chassis", n->chassis);
	jsonw_text(w, "verdict", verdict_name(n->word));
	jsonw_text(w, "why", n->why);
	jsonw_bool(w, "reported", n->reported);
	jsonw_bool(w, "referenced", n->referenced);
	jsonw_close(w, '}');
}

static void put_links(struct jsonw *w, const struct summary *s)
{
	struct links links;

	links_collect(&links, s);
	jsonw_open(w, "links", '[');
	for (size_t i = 0; i < links.n && !w->failed; i++) {
		const struct report_link *l = &links.items[i];

		jsonw_open(w, NULL, '{');
		jsonw_text(w, "node", l->worst->node);
		jsonw_text(w, "peer", l->worst->peer);
		jsonw_text(w, "verdict", verdict_name(l->worst->word));
		jsonw_text(w, "why", l->worst->why);
		jsonw_int(w, "verdicts", (int64_t)l->n);
		jsonw_close(w, '}');
	}
	jsonw_close(w, ']');
	links_release(&links);
}

static void put_verdict(struct jsonw *w, const struct verdict *v)
{
	jsonw_open(w, NULL, '{');
	jsonw_text(w, "id", v->id);
	jsonw_text(w, "rule", v->rule);
	if (v->step > 0)
		jsonw_int(w, "step", v->step);
	jsonw_text(w, "name", v->name);
	jsonw_text(w, "kernel", v->kernel);
	jsonw_text(w, "node", v->node);
	jsonw_text(w, "peer", v->peer);
	jsonw_text(w, "metric", v->metric);
	jsonw_json(w, "at", v->at);
	jsonw_num(w, "value", v->value);
	jsonw_text(w, "unit", v->unit);
	jsonw_num(w, "reference", v->reference);
	jsonw_num(w, "share", v->share);
	jsonw_num(w, "low", v->low);
	jsonw_num(w, "high", v->high);
	jsonw_num(w, "warn_low", v->warn_low);
	jsonw_num(w, "warn_high", v->warn_high);
	if (v->n > 0)
		jsonw_int(w, "n", v->n);
	jsonw_num(w, "spread", v->spread);
	jsonw_text(w, "from", v->from);
	if (v->required)
		jsonw_bool(w, "required", true);
	jsonw_text(w, "verdict", verdict_name(v->word));
	jsonw_text(w, "cause", v->cause);
	jsonw_text(w, "why", v->why);
	jsonw_close(w, '}');
}

static void put_coverage(struct jsonw *w, const struct summary *s)
{
	jsonw_open(w, "coverage", '{');
	jsonw_int(w, "nodes", (int64_t)s->n_nodes);
	jsonw_int(w, "reported", (int64_t)s->n_reported);
	jsonw_int(w, "planned", (int64_t)s->steps_planned);
	jsonw_int(w, "ended", (int64_t)s->steps_ended);
	jsonw_open(w, "missing", '[');
	for (size_t i = 0; i < s->n_missing && !w->failed; i++) {
		jsonw_open(w, NULL, '{');
		jsonw_text(w, "key", s->missing[i].key);
		jsonw_text(w, "node", s->missing[i].node);
		jsonw_text(w, "why", s->missing[i].why);
		jsonw_close(w, '}');
	}
	jsonw_close(w, ']');
	jsonw_close(w, '}');
}

static void put_request(struct jsonw *w, const struct request *r)
{
	jsonw_open(w, NULL, '{');
	jsonw_text(w, "id", r->id);
	jsonw_text(w, "want", r->want);
	jsonw_text(w, "target", r->target);
	jsonw_text(w, "because", r->because);
	jsonw_close(w, '}');
}

/* "requests": made in this run; "wanted": what another round would do. */
static void put_requests(struct jsonw *w, const struct summary *s)
{
	const struct state *st = s->state;

	jsonw_open(w, "requests", '[');
	for (size_t i = 0; i < st->n_requests && !w->failed; i++) {
		const struct record_request *r = &st->requests[i];

		put_request(w, &(struct request){.id = r->id,
						 .want = r->want,
						 .target = r->target,
						 .because = r->because});
	}
	jsonw_close(w, ']');
	jsonw_open(w, "wanted", '[');
	for (size_t i = 0; i < s->n_requests && !w->failed; i++)
		put_request(w, &s->requests[i]);
	jsonw_close(w, ']');
}

static void put_lists(struct jsonw *w, const struct summary *s)
{
	jsonw_open(w, "nodes", '[');
	for (size_t i = 0; i < s->n_nodes && !w->failed; i++)
		put_node(w, &s->nodes[i]);
	jsonw_close(w, ']');
	put_links(w, s);
	jsonw_open(w, "verdicts", '[');
	for (size_t i = 0; i < s->n_verdicts && !w->failed; i++)
		put_verdict(w, &s->verdicts[i]);
	jsonw_close(w, ']');
	put_coverage(w, s);
	put_requests(w, s);
	jsonw_open(w, "remarks", '[');
	for (size_t i = 0; i < s->n_remarks && !w->failed; i++)
		jsonw_text(w, NULL, s->remarks[i]);
	jsonw_close(w, ']');
	/* no rule infers causes yet; the key is part of the schema */
	jsonw_open(w, "diagnosis", '[');
	jsonw_close(w, ']');
}

static int write_json(const struct summary *s, const struct report_style *style,
		      FILE *out, struct err *e)
{
	struct jsonw w = {.out = out, .e = e};

	(void)style;
	jsonw_open(&w, NULL, '{');
	jsonw_int(&w, "schema", SCHEMA);
	put_run(&w, s->state);
	jsonw_text(&w, "verdict", verdict_name(s->word));
	jsonw_int(&w, "exit", s->exit);
	jsonw_bool(&w, "accepted", s->accepted);
	put_counts(&w, s);
	put_units(&w, s);
	put_lists(&w, s);
	jsonw_close(&w, '}');
	return jsonw_end(&w);
}

const struct report_writer report_json = {
	.name = "json",
	.suffix = ".json",
	.help = "everything, for programs (schema 1)",
	.write = write_json,
};
