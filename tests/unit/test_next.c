/* SPDX-License-Identifier: Apache-2.0 */
/* Journal in, next steps out: first launches, leftovers, repeats, gates, budget. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/step.h"

/* Two stages, one step each, on up to three nodes. */
struct fixture {
	struct plan_step steps[2];
	struct plan_stage stages[2];
	struct plan plan;
	struct state state;
	struct steps next;
	struct err e;
};

static int place(const void *ctx, const char *node, const char *word, struct arena *a,
		 struct placed *out, struct err *e)
{
	(void)a;
	if (!strcmp(node, "broken"))
		return err_set(e, ERR_SYSTEM, "no memory");
	if (!strcmp(node, "bad"))
		return err_set(e, ERR_USAGE, "no CPUs");
	assert_string_equal(word, "all-cores");
	assert_null(ctx);
	*out = (struct placed){.per_node = 1, .threads = 2, .cpusets = "0-1"};
	return 0;
}

static const struct placer placer = {place, NULL};

static void begin(struct fixture *f, const char *const *nodes, size_t n)
{
	struct record plan = record_make(RECORD_KIND_plan);
	static struct plan_option option = {"store", "nt", "p.yaml:1:1"};

	memset(f, 0, sizeof(*f));
	for (int i = 0; i < 2; i++) {
		f->steps[i] = (struct plan_step){.kernel = "stream",
						 .name = "s",
						 .place = "all-cores",
						 .estimate = 10,
						 .options = &option,
						 .n_options = 1,
						 .where = "p.yaml:1:1"};
		f->stages[i] = (struct plan_stage){.name = i ? "second" : "first",
						   .at_once = 1,
						   .steps = &f->steps[i],
						   .n_steps = 1};
	}
	f->plan = (struct plan){
		.name = "p", .limits = {.step = 600}, .stages = f->stages, .n_stages = 2};
	plan.u.plan.name = "p";
	plan.u.plan.nodes = record_list(&f->state.arena, nodes, n);
	assert_int_equal(state_add(&f->state, &plan, &f->e), 0);
	for (size_t i = 0; i < n; i++) {
		struct record node = record_make(RECORD_KIND_node);

		node.u.node.node = nodes[i];
		node.u.node.facts = "{}";
		if (strcmp(nodes[i], "lost") != 0)
			assert_int_equal(state_add(&f->state, &node, &f->e), 0);
	}
}

static void end(struct fixture *f)
{
	steps_release(&f->next);
	state_release(&f->state);
}

static void step(struct fixture *f, int64_t id, int64_t attempt, const char *event,
		 const char *key, const char *cause, const char *request)
{
	struct record r = record_make(RECORD_KIND_step);

	r.u.step.step = id;
	r.u.step.attempt = attempt;
	r.u.step.event = event;
	r.u.step.key = key;
	r.u.step.name = "first/s";
	r.u.step.nodes = "[]";
	r.u.step.cause = cause;
	r.u.step.request = request;
	if (!strcmp(event, "ended"))
		r.u.step.duration = record_num(50);
	assert_int_equal(state_add(&f->state, &r, &f->e), 0);
}

/* A step that was planned, started and ended with @cause. */
static void done(struct fixture *f, int64_t id, const char *key, const char *cause)
{
	step(f, id, 1, "planned", key, NULL, NULL);
	step(f, id, 1, "started", key, NULL, NULL);
	step(f, id, 1, "ended", key, cause, NULL);
}

static void next(struct fixture *f, const struct request *q, size_t n, double budget)
{
	steps_release(&f->next);
	assert_int_equal(
		next_steps(&f->next, &f->plan, &f->state, q, n, budget, &placer, &f->e),
		0);
}

static const char *const two[] = {"n1", "n2"};

static void an_empty_journal_gives_the_plan(void **unused)
{
	static const char *const keys[] = {"first/s@n1", "first/s@n2", "second/s@n1",
					   "second/s@n2"};
	struct fixture f;

	(void)unused;
	begin(&f, two, 2);
	next(&f, NULL, 0, INFINITY);
	assert_int_equal(f.next.n, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct step *s = &f.next.items[i];

		assert_int_equal(s->id, i + 1);
		assert_int_equal(s->attempt, 1);
		assert_string_equal(s->key, keys[i]);
		assert_string_equal(s->cpusets, "0-1");
		assert_int_equal(s->n_options, 2);
		assert_string_equal(s->options[0], "--store");
		assert_string_equal(s->options[1], "nt");
		assert_true(s->limit == 600);
		assert_null(s->request);
	}
	end(&f);
}

static void the_same_journal_gives_the_same_steps(void **unused)
{
	struct fixture f;
	struct steps again;

	(void)unused;
	begin(&f, two, 2);
	done(&f, 1, "first/s@n1", "ok");
	next(&f, NULL, 0, INFINITY);
	assert_int_equal(
		next_steps(&again, &f.plan, &f.state, NULL, 0, INFINITY, &placer, &f.e),
		0);
	assert_int_equal(again.n, f.next.n);
	for (size_t i = 0; i < again.n; i++) {
		assert_int_equal(again.items[i].id, f.next.items[i].id);
		assert_string_equal(again.items[i].key, f.next.items[i].key);
	}
	steps_release(&again);
	end(&f);
}

static void what_ended_is_not_done_again_whatever_its_cause(void **unused)
{
	static const char *const causes[] = {"ok",      "skip",    "launch",
					     "timeout", "invalid", "no-data"};

	(void)unused;
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		struct fixture f;

		begin(&f, two, 1);
		done(&f, 1, "first/s@n1", causes[i]);
		done(&f, 2, "second/s@n1", causes[i]);
		next(&f, NULL, 0, INFINITY);
		assert_int_equal(f.next.n, 0);
		end(&f);
	}
}

static void what_a_crash_left_in_flight_runs_again_as_the_next_attempt(void **unused)
{
	struct fixture f;

	(void)unused;
	begin(&f, two, 2);
	step(&f, 1, 1, "planned", "first/s@n1", NULL, NULL);
	step(&f, 2, 1, "planned", "first/s@n2", NULL, NULL);
	step(&f, 1, 1, "started", "first/s@n1", NULL, NULL);
	next(&f, NULL, 0, INFINITY);
	assert_int_equal(f.next.n, 4);
	assert_int_equal(f.next.items[0].id, 1);
	assert_int_equal(f.next.items[0].attempt, 2);
	/* planned but never started: nothing of it can be half done */
	assert_int_equal(f.next.items[1].id, 2);
	assert_int_equal(f.next.items[1].attempt, 1);
	assert_int_equal(f.next.items[2].id, 3);
	end(&f);
}

static void what_we_ended_ourselves_runs_again(void **unused)
{
	static const char *const causes[] = {"aborted", "io"};

	(void)unused;
	for (size_t i = 0; i < 2; i++) {
		struct fixture f;

		begin(&f, two, 1);
		done(&f, 1, "first/s@n1", causes[i]);
		next(&f, NULL, 0, INFINITY);
		assert_int_equal(f.next.n, 2);
		assert_int_equal(f.next.items[0].id, 1);
		assert_int_equal(f.next.items[0].attempt, 2);
		end(&f);
	}
}

static void a_repeat_is_one_more_launch_and_only_once(void **unused)
{
	static const struct request q[] = {
		{"repeat:first/s@n1:1", "repeat", "first/s@n1", "close to the limit",
		 NULL},
		{"repeat:first/s@n1:2", "repeat", "first/s@n1", "still close", NULL},
		{"other", "pair", "first/s@n1", "no business of this step", NULL},
	};
	struct fixture f;

	(void)unused;
	begin(&f, two, 1);
	/* not before the first launch has ended */
	next(&f, q, 3, INFINITY);
	assert_int_equal(f.next.n, 2);
	done(&f, 1, "first/s@n1", "ok");
	done(&f, 2, "second/s@n1", "ok");
	next(&f, q, 3, INFINITY);
	assert_int_equal(f.next.n, 2);
	assert_int_equal(f.next.items[0].id, 3);
	assert_string_equal(f.next.items[0].key, "first/s@n1");
	assert_string_equal(f.next.items[0].request, q[0].id);
	assert_string_equal(f.next.items[1].request, q[1].id);
	/* in flight at a crash, then done */
	step(&f, 3, 1, "planned", "first/s@n1", NULL, q[0].id);
	step(&f, 3, 1, "started", "first/s@n1", NULL, q[0].id);
	next(&f, q, 1, INFINITY);
	assert_int_equal(f.next.n, 1);
	assert_int_equal(f.next.items[0].id, 3);
	assert_int_equal(f.next.items[0].attempt, 2);
	step(&f, 3, 2, "planned", "first/s@n1", NULL, q[0].id);
	step(&f, 3, 2, "started", "first/s@n1", NULL, q[0].id);
	step(&f, 3, 2, "ended", "first/s@n1", "ok", q[0].id);
	next(&f, q, 1, INFINITY);
	assert_int_equal(f.next.n, 0);
	end(&f);
}

static void a_request_in_the_journal_is_not_forgotten(void **unused)
{
	static const struct request again = {"r1", "repeat", "first/s@n1", "close", NULL};
	struct record r = record_make(RECORD_KIND_request);
	struct fixture f;

	(void)unused;
	begin(&f, two, 1);
	done(&f, 1, "first/s@n1", "ok");
	done(&f, 2, "second/s@n1", "ok");
	r.u.request =
		(struct record_request){"r1", "repeat", "first/s@n1", NULL, "close"};
	assert_int_equal(state_add(&f.state, &r, &f.e), 0);
	next(&f, NULL, 0, INFINITY);
	assert_int_equal(f.next.n, 1);
	assert_string_equal(f.next.items[0].request, "r1");
	/* wanted by the judge as well, it is still one launch */
	next(&f, &again, 1, INFINITY);
	assert_int_equal(f.next.n, 1);
	end(&f);
}

static void after_a_gate_nothing_follows_in_the_same_round(void **unused)
{
	struct fixture f;

	(void)unused;
	begin(&f, two, 2);
	f.stages[0].gate = true;
	next(&f, NULL, 0, INFINITY);
	assert_int_equal(f.next.n, 2);
	done(&f, 1, "first/s@n1", "ok");
	done(&f, 2, "first/s@n2", "ok");
	next(&f, NULL, 0, INFINITY);
	assert_int_equal(f.next.n, 2);
	assert_string_equal(f.next.items[0].key, "second/s@n1");
	end(&f);
}

static void excluded_nodes_and_nodes_without_facts_get_no_steps(void **unused)
{
	static const char *const nodes[] = {"n1", "lost", "n2"};
	static const struct request out = {"x1", "exclude", "n1", "failed the gate",
					   NULL};
	struct record in = record_make(RECORD_KIND_request);
	struct fixture f;

	(void)unused;
	begin(&f, nodes, 3);
	next(&f, &out, 1, INFINITY);
	assert_int_equal(f.next.n, 2);
	assert_string_equal(f.next.items[0].nodes[0], "n2");
	/* the journal remembers; a later readmission wins */
	in.u.request =
		(struct record_request){"x1", "exclude", "n1", NULL, "failed the gate"};
	assert_int_equal(state_add(&f.state, &in, &f.e), 0);
	next(&f, NULL, 0, INFINITY);
	assert_int_equal(f.next.n, 2);
	in.u.request = (struct record_request){"x2", "readmit", "n1", NULL, "repaired"};
	assert_int_equal(state_add(&f.state, &in, &f.e), 0);
	next(&f, NULL, 0, INFINITY);
	assert_int_equal(f.next.n, 4);
	end(&f);
}

static void an_excluded_node_gets_what_is_requested_and_nothing_new(void **unused)
{
	static const struct request q[] = {
		{"gate:first:n1", "exclude", "n1", "failed the gate", NULL},
		{"repeat:first/s@n1:1", "repeat", "first/s@n1", "it may be cleared",
		 NULL},
	};
	struct fixture f;

	(void)unused;
	begin(&f, two, 2);
	f.stages[0].gate = true;
	done(&f, 1, "first/s@n1", "ok");
	done(&f, 2, "first/s@n2", "ok");
	/* the repeat is a step of the gate, so nothing follows it */
	next(&f, q, 2, INFINITY);
	assert_int_equal(f.next.n, 1);
	assert_string_equal(f.next.items[0].request, q[1].id);
	/* nor is what it had not finished done again */
	step(&f, 3, 1, "planned", "first/s@n1", NULL, q[1].id);
	step(&f, 3, 1, "started", "first/s@n1", NULL, q[1].id);
	step(&f, 3, 1, "ended", "first/s@n1", "ok", q[1].id);
	next(&f, q, 2, INFINITY);
	assert_int_equal(f.next.n, 1);
	assert_string_equal(f.next.items[0].key, "second/s@n2");
	end(&f);
}

static void one_per_chassis_names_the_chassis_and_costs_accordingly(void **unused)
{
	static const char *const nodes[] = {"n1", "n2", "n3", "n4", "n5"};
	static const char *const chassis[] = {"1", "1", "2", "2", ""};
	struct record plan = record_make(RECORD_KIND_plan);
	struct fixture f;

	(void)unused;
	begin(&f, nodes, 5);
	plan.u.plan.name = "p";
	plan.u.plan.nodes = record_list(&f.state.arena, nodes, 5);
	plan.u.plan.chassis = record_list(&f.state.arena, chassis, 5);
	assert_int_equal(state_add(&f.state, &plan, &f.e), 0);
	f.stages[0].at_once = 0;
	f.stages[0].one_per_chassis = true;
	next(&f, NULL, 0, INFINITY);
	assert_int_equal(f.next.n, 10);
	assert_string_equal(f.next.items[0].chassis, "1");
	assert_string_equal(f.next.items[1].chassis, "1");
	assert_string_equal(f.next.items[3].chassis, "2");
	assert_null(f.next.items[4].chassis);
	/* two chassis and a node by itself: three at a time */
	assert_true(fabs(f.next.items[0].cost - 10.0 / 3) < 1e-9);
	/* a stage that does not ask for it is not held up */
	assert_null(f.next.items[5].chassis);
	end(&f);
}

/* Keys of what is next, blanks between them. */
static const char *keys(const struct fixture *f)
{
	static char text[2048];

	text[0] = '\0';
	for (size_t i = 0; i < f->next.n; i++) {
		const struct step *s = &f->next.items[i];
		size_t len = strlen(text);

		(void)snprintf(text + len, sizeof(text) - len, "%s%s=%s-%s", i ? " " : "",
			       s->key, s->nodes[0], s->nodes[s->n_nodes - 1]);
	}
	return text;
}

static void begin_sets(struct fixture *f, size_t n, const char **sizes, size_t n_sizes)
{
	static const char *const nodes[] = {"n1", "n2", "n3", "n4",
					    "n5", "n6", "n7", "n8"};

	begin(f, nodes, n);
	f->plan.n_stages = 1;
	f->steps[0].on = PLAN_ON_SETS;
	f->steps[0].sizes = sizes;
	f->steps[0].n_sizes = n_sizes;
}

static void sets_are_disjoint_and_cover_all_nodes_at_each_size(void **unused)
{
	static const char *sizes[] = {"4", "all", "2", "16", "2"};
	static const char *same[] = {"1", "4"};
	struct fixture f;

	(void)unused;
	begin_sets(&f, 7, sizes, 5);
	next(&f, NULL, 0, INFINITY);
	assert_string_equal(keys(&f),
			    "first/s@*2:0=n1-n2 first/s@*2:1=n3-n4 first/s@*2:2=n5-n6 "
			    "first/s@*2:3=n7-n7 first/s@*4:0=n1-n4 first/s@*4:1=n5-n7 "
			    "first/s@*=n1-n7");
	assert_string_equal(f.next.items[0].name, "first/s-x2");
	assert_string_equal(f.next.items[5].name, "first/s-x4");
	assert_int_equal(f.next.items[5].ranks, 3);
	assert_string_equal(f.next.items[6].name, "first/s-all");
	end(&f);
	/* without sizes, powers of two; what is all of them is there once */
	begin_sets(&f, 4, NULL, 0);
	next(&f, NULL, 0, INFINITY);
	assert_string_equal(keys(&f),
			    "first/s@*1:0=n1-n1 first/s@*1:1=n2-n2 first/s@*1:2=n3-n3 "
			    "first/s@*1:3=n4-n4 first/s@*2:0=n1-n2 first/s@*2:1=n3-n4 "
			    "first/s@*=n1-n4");
	end(&f);
	begin_sets(&f, 4, same, 2);
	next(&f, NULL, 0, INFINITY);
	assert_int_equal(f.next.n, 5);
	assert_string_equal(f.next.items[4].key, "first/s@*4:0");
	end(&f);
}

/* As done(), on the nodes of the step that was next. */
static void done_next(struct fixture *f, size_t i, const char *cause)
{
	const struct step *s = &f->next.items[i];
	struct record r = record_make(RECORD_KIND_step);

	r.u.step.step = s->id;
	r.u.step.attempt = 1;
	r.u.step.event = "planned";
	r.u.step.key = arena_strdup(&f->state.arena, s->key);
	r.u.step.name = arena_strdup(&f->state.arena, s->name);
	r.u.step.nodes = record_list(&f->state.arena, s->nodes, s->n_nodes);
	r.u.step.request = arena_strdup(&f->state.arena, s->request);
	assert_int_equal(state_add(&f->state, &r, &f->e), 0);
	r.u.step.event = "ended";
	r.u.step.cause = cause;
	assert_int_equal(state_add(&f->state, &r, &f->e), 0);
}

static void a_set_of_a_series_is_split_repeated_and_made_again_by_itself(void **unused)
{
	static const char *sizes[] = {"2", "4", "all"};
	struct request q[] = {
		{"split:first/s@*4:1:6", "split", "first/s@*4:1", "it failed", NULL},
		{"repeat:first/s@*2:3:1", "repeat", "first/s@*2:3", "near", NULL},
		{"exclude:n6:6", "exclude", "n6", "fails with n5", NULL},
	};
	struct fixture f;

	(void)unused;
	begin_sets(&f, 8, sizes, 3);
	next(&f, NULL, 0, INFINITY);
	assert_int_equal(f.next.n, 7);
	for (size_t i = 0; i < 7; i++)
		done_next(&f, i, i == 5 ? "timeout" : "ok");
	next(&f, q, 2, INFINITY);
	assert_string_equal(keys(&f), "first/s@*2:3=n7-n8 first/s@*4:1.0=n5-n6 "
				      "first/s@*4:1.1=n7-n8");
	for (size_t i = 0; i < 3; i++)
		done_next(&f, i, i == 1 ? "timeout" : "ok");
	/* without the culprit; the other sets have what they had and are not cut anew */
	next(&f, q, 3, INFINITY);
	assert_string_equal(keys(&f), "first/s@*4:1=n5-n8");
	assert_int_equal(f.next.items[0].n_nodes, 3);
	end(&f);
}

static const char *words(const struct fixture *f, size_t i)
{
	static char text[512];

	text[0] = '\0';
	for (size_t k = 0; k < f->next.items[i].n_options; k++) {
		strncat(text, k ? " " : "", sizeof(text) - strlen(text) - 1);
		strncat(text, f->next.items[i].options[k],
			sizeof(text) - strlen(text) - 1);
	}
	return text;
}

static void round_done(struct fixture *f, int64_t id, const char *text)
{
	struct record r = record_make(RECORD_KIND_event);

	r.u.event.step = id;
	r.u.event.attempt = 1;
	r.u.event.what = "round";
	r.u.event.text = text;
	assert_int_equal(state_add(&f->state, &r, &f->e), 0);
}

static void pairs_go_on_behind_the_last_whole_round(void **unused)
{
	static const struct request q[] = {
		{"go-on:first/s@*:1", "repeat", "first/s@*", "it was cut off", NULL},
		{"exclude:n3:2", "exclude", "n3", "it does not answer", NULL},
		{"split:first/s@*:3", "split", "first/s@*", "it hangs", NULL},
		{"check:n2:n5:1", "pair", "first/s@*~n2", "slow", "n5"},
	};
	struct fixture f;

	(void)unused;
	begin_sets(&f, 8, NULL, 0);
	f.steps[0].on = PLAN_ON_PAIRS;
	next(&f, NULL, 0, INFINITY);
	assert_string_equal(keys(&f), "first/s@*=n1-n8");
	assert_string_equal(words(&f, 0), "--store nt");
	done_next(&f, 0, "no-data");
	round_done(&f, 1, "1 of 7: 4 pairs");
	round_done(&f, 1, "2 of 7: 4 pairs");
	next(&f, q, 1, INFINITY);
	assert_string_equal(keys(&f), "first/s@*=n1-n8");
	assert_string_equal(words(&f, 0), "--store nt --first-round 3");
	done_next(&f, 0, "no-data");
	round_done(&f, 2, "3 of 7: 4 pairs");
	/* without the node that is gone: the other pairs of its rounds still come */
	next(&f, q, 2, INFINITY);
	assert_int_equal(f.next.n, 1);
	assert_int_equal(f.next.items[0].n_nodes, 7);
	assert_string_equal(words(&f, 0),
			    "--store nt --first-round 4 --slots 8 --absent 2");
	/* nothing was done: who it is has to be found, and parts are short */
	done_next(&f, 0, "timeout");
	next(&f, q, 3, INFINITY);
	assert_string_equal(keys(&f), "first/s@*.0=n1-n5 first/s@*.1=n6-n8");
	assert_string_equal(words(&f, 0), "--store nt --rounds 3");
	for (size_t i = 0; i < 2; i++)
		done_next(&f, i, "ok");
	next(&f, q, 4, INFINITY);
	assert_string_equal(keys(&f), "first/s@*~n2=n5-n2");
	assert_string_equal(words(&f, 0), "--store nt");
	end(&f);
}

static void the_budget_leaves_out_what_does_not_fit_and_says_so(void **unused)
{
	struct fixture f;

	(void)unused;
	begin(&f, two, 2);
	next(&f, NULL, 0, 25);
	assert_int_equal(f.next.n, 2);
	assert_int_equal(f.next.n_left_out, 2);
	assert_string_equal(f.next.left_out[0].key, "second/s@n1");
	assert_string_equal(f.next.left_out[0].text, "second/s: estimate 10 s, 5 s left");
	/* not "estimate 10 s, 10 s left" */
	next(&f, NULL, 0, 29.9);
	assert_string_equal(f.next.left_out[0].text, "second/s: estimate 10 s, 9 s left");
	next(&f, NULL, 0, 25);
	assert_true(f.next.items[0].limit == 25);
	/* two at a time cost half as much of the run */
	f.stages[0].at_once = 2;
	next(&f, NULL, 0, 25);
	assert_int_equal(f.next.n, 3);
	/* what the journal knows is better than what the plan's author thought */
	done(&f, 1, "first/s@n1", "ok");
	next(&f, NULL, 0, 45);
	assert_string_equal(f.next.left_out[0].key, "first/s@n2");
	end(&f);
}

static void a_node_that_cannot_be_placed_is_refused_not_the_run(void **unused)
{
	static const char *const nodes[] = {"bad", "n1"};
	struct fixture f;

	(void)unused;
	begin(&f, nodes, 2);
	next(&f, NULL, 0, INFINITY);
	assert_int_equal(f.next.n, 4);
	assert_string_equal(f.next.items[0].refused,
			    "cannot be placed as 'all-cores' on bad: no CPUs");
	assert_null(f.next.items[1].refused);
	end(&f);
}

static void a_system_that_fails_ends_the_run_and_says_where(void **unused)
{
	static const char *const nodes[] = {"broken"};
	struct fixture f;

	(void)unused;
	begin(&f, nodes, 1);
	assert_int_equal(
		next_steps(&f.next, &f.plan, &f.state, NULL, 0, INFINITY, &placer, &f.e),
		-1);
	assert_string_equal(f.e.msg,
			    "p.yaml:1:1: place 'all-cores' on 'broken': no memory");
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_journal_gives_the_plan),
		cmocka_unit_test(the_same_journal_gives_the_same_steps),
		cmocka_unit_test(what_ended_is_not_done_again_whatever_its_cause),
		cmocka_unit_test(
			what_a_crash_left_in_flight_runs_again_as_the_next_attempt),
		cmocka_unit_test(what_we_ended_ourselves_runs_again),
		cmocka_unit_test(a_repeat_is_one_more_launch_and_only_once),
		cmocka_unit_test(a_request_in_the_journal_is_not_forgotten),
		cmocka_unit_test(after_a_gate_nothing_follows_in_the_same_round),
		cmocka_unit_test(excluded_nodes_and_nodes_without_facts_get_no_steps),
		cmocka_unit_test(an_excluded_node_gets_what_is_requested_and_nothing_new),
		cmocka_unit_test(one_per_chassis_names_the_chassis_and_costs_accordingly),
		cmocka_unit_test(sets_are_disjoint_and_cover_all_nodes_at_each_size),
		cmocka_unit_test(
			a_set_of_a_series_is_split_repeated_and_made_again_by_itself),
		cmocka_unit_test(pairs_go_on_behind_the_last_whole_round),
		cmocka_unit_test(the_budget_leaves_out_what_does_not_fit_and_says_so),
		cmocka_unit_test(a_node_that_cannot_be_placed_is_refused_not_the_run),
		cmocka_unit_test(a_system_that_fails_ends_the_run_and_says_where),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
