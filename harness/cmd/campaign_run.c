/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of a run, from its opening to the report: see campaign.h. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/campaign.h"
#include "cmd/judged.h"
#include "plan/places.h"
#include "record/key.h"

/* The signal that asked for an early end; handlers have no other way to tell. */
static volatile sig_atomic_t stop_signal;

static void on_signal(int sig)
{
	stop_signal = sig;
}

/*
 * TERM is a batch system's time limit, USR1 and USR2 its warnings (sbatch --signal), HUP
 * and INT a user: all end the run in order, with what it has. What was ignored at the
 * start (nohup) stays ignored.
 */
const volatile sig_atomic_t *campaign_signals(void)
{
	static const int signals[] = {SIGTERM, SIGINT,  SIGHUP, SIGQUIT,
				      SIGUSR1, SIGUSR2, SIGXCPU};
	struct sigaction sa = {.sa_handler = on_signal}, old;

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &sa, NULL);
	}
	return &stop_signal;
}

static int put_left_out(struct campaign *c, const struct state *s,
			const struct steps *steps, struct err *e)
{
	for (size_t i = 0; i < steps->n_left_out; i++) {
		const struct left_out *l = &steps->left_out[i];
		struct record r = record_make(RECORD_KIND_event);
		bool known = false;

		for (size_t k = 0; k < s->n_events && !known; k++)
			known = s->events[k].key && !strcmp(s->events[k].key, l->key);
		if (known)
			continue;
		r.u.event.what = "left-out";
		r.u.event.node = l->node;
		r.u.event.key = l->key;
		r.u.event.text = l->text;
		progress_say(&c->progress, "left out for lack of time: %s", l->text);
		if (journal_put(c->runner.journal, &r, e))
			return -1;
	}
	return 0;
}

/* Who takes part is no launch: no limit of rounds stands against it. */
static bool is_launch(const struct request *q)
{
	return strcmp(q->want, "exclude") != 0 && strcmp(q->want, "readmit") != 0;
}

/* The requests of this round; with @launches those that start something as well. */
static const struct request *choose_requests(const struct summary *v, bool launches,
					     struct arena *a, size_t *n)
{
	struct request *chosen = arena_alloc(a, v->n_requests + 1, sizeof(*chosen));

	*n = 0;
	for (size_t i = 0; i < v->n_requests; i++) {
		if (launches || !is_launch(&v->requests[i]))
			chosen[(*n)++] = v->requests[i];
	}
	return chosen;
}

/* A node that failed a gate and is measured once more may still be cleared by it. */
static bool is_tried_again(const struct request *q, const struct steps *steps)
{
	if (strncmp(q->id, KEY_GATE, strlen(KEY_GATE)) != 0)
		return false;
	for (size_t i = 0; i < steps->n; i++) {
		const struct step *s = &steps->items[i];

		if (s->request && s->n_nodes == 1 && !strcmp(s->nodes[0], q->target))
			return true;
	}
	return false;
}

static int put_requests(struct campaign *c, const struct state *s,
			const struct request *requests, size_t n,
			const struct steps *steps, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		const struct request *q = &requests[i];
		struct record r = record_make(RECORD_KIND_request);

		if (names_find(&s->request_of, q->id) != NAMES_NONE ||
		    is_tried_again(q, steps))
			continue;
		r.u.request = (struct record_request){q->id, q->want, q->target,
						      q->partner, q->because};
		if (journal_put(c->runner.journal, &r, e))
			return -1;
	}
	return 0;
}

/* What a round did. */
struct round {
	size_t steps;
	bool requested; /* some of them by a request */
};

/*
 * One round on a replayed and judged journal. @v is released on the way: steps take
 * hours, and progress judges the journal meanwhile.
 */
static int run_round(struct campaign *c, const struct state *s, struct summary *v,
		     bool launches, struct round *round, struct err *e)
{
	struct places places = {0};
	struct steps steps = {0};
	struct arena a = {0};
	struct placer placer;
	size_t n;
	const struct request *requests = choose_requests(v, launches, &a, &n);
	int rc = -1;

	places_load(&places, s, c->folder.path);
	placer = places_placer(&places);
	if (next_steps(&steps, &c->plan, s, requests, n, campaign_time_left(c), &placer,
		       e) ||
	    put_left_out(c, s, &steps, e))
		goto out;
	round->steps = steps.n;
	for (size_t i = 0; i < steps.n; i++)
		round->requested |= steps.items[i].request != NULL;
	if (!steps.n) {
		rc = 0;
		goto out;
	}
	if (put_requests(c, s, requests, n, &steps, e))
		goto out;
	summary_release(v);
	progress_plan(&c->progress, &steps);
	c->runner.state = s;
	rc = runner_run(&c->runner, &steps, e);
	c->runner.state = NULL;
	if (!rc)
		rc = campaign_ask(c, &steps, e);
out:
	steps_release(&steps);
	places_release(&places);
	arena_release(&a);
	return rc;
}

static int rounds(struct campaign *c, struct err *e)
{
	int asked = 0;
	size_t n = 1;

	while (n && !stop_signal) {
		struct judged v = {0};
		struct round round = {0};
		int rc;

		if (judged_load(&v, c->folder.path, c->judge, e)) {
			judged_release(&v);
			return -1;
		}
		rc = run_round(c, &v.state, &v.summary, asked < c->plan.limits.rounds,
			       &round, e);
		n = round.steps;
		asked += round.requested;
		judged_release(&v);
		if (rc)
			return -1;
	}
	return 0;
}

/* Of what was measured: a step that has not ended yet is no ERROR while we run. */
static const char *worst_so_far(void *ctx)
{
	struct campaign *c = ctx;
	struct judged v = {0};
	struct err e = {0};
	enum verdict_word word = VERDICT_PASS;
	bool any = false;

	if (!judged_load(&v, c->folder.path, c->judge, &e)) {
		for (size_t i = 0; i < v.summary.n_verdicts; i++) {
			const struct verdict *w = &v.summary.verdicts[i];

			if (w->step < 1 || (size_t)w->step > v.state.n_steps ||
			    v.state.steps[w->step - 1].phase != STATE_ENDED)
				continue;
			word = verdict_worse(word, w->word);
			any = true;
		}
	}
	judged_release(&v);
	return any ? verdict_name(word) : NULL;
}

/* The verdict, the reports and the end record; the exit status or -1. */
static int finish(struct campaign *c, struct err *e)
{
	struct record r = record_make(RECORD_KIND_end);
	struct judged v = {0};
	int status = -1;

	if (judged_load(&v, c->folder.path, c->judge, e))
		goto out;
	status = v.summary.exit;
	/* d4: a FAIL found so far does not hide that the run was cut short */
	if (stop_signal && status != 2 && status != 4)
		status = 128 + (int)stop_signal;
	r.u.end.exit = status;
	r.u.end.verdict = verdict_name(v.summary.word);
	judged_ended(&v, &r.u.end);
	if (judged_save(&v, c->folder.path, e) || journal_put(c->runner.journal, &r, e) ||
	    journal_sync(c->runner.journal, e) || judged_print(&v, "term", stdout, e)) {
		status = -1;
		goto out;
	}
	progress_say(&c->progress, "run folder: %s", c->folder.path);
out:
	judged_release(&v);
	return status;
}

/* What a plan asks for and the site does not say. */
static void tell_chassis(struct campaign *c)
{
	for (size_t i = 0; i < c->plan.n_stages; i++) {
		if (c->plan.stages[i].one_per_chassis && !c->site.chassis_every)
			progress_say(&c->progress,
				     "stage %s: which nodes share a chassis is not known "
				     "(site: chassis), all are measured at the same time",
				     c->plan.stages[i].name);
	}
}

static int probe_all(struct campaign *c, struct err *e)
{
	struct state s = {0};
	int rc = state_replay(&s, c->folder.path, e);

	if (!rc)
		rc = campaign_probe(c, &s, journal_sink(c->runner.journal), e);
	if (!rc)
		rc = journal_sync(c->runner.journal, e);
	state_release(&s);
	return rc;
}

static int bios_all(struct campaign *c, struct err *e)
{
	struct state s = {0};
	int rc = stop_signal ? 0 : state_replay(&s, c->folder.path, e);

	if (!rc && !stop_signal)
		rc = campaign_bios(c, &s, e);
	state_release(&s);
	return rc;
}

int campaign_run(struct campaign *c, struct err *e)
{
	int status = -1;

	c->runner.stop = campaign_signals();
	c->runner.progress = &c->progress.calls;
	c->progress.judge = worst_so_far;
	c->progress.judge_ctx = c;
	tell_chassis(c);
	if (campaign_open(c, e) || campaign_end_old(c, e) || probe_all(c, e) ||
	    bios_all(c, e) || rounds(c, e))
		goto out;
	progress_end(&c->progress);
	status = finish(c, e);
out:
	progress_end(&c->progress);
	return status;
}
