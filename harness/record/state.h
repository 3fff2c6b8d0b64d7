/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a journal says happened: state = replay(journal). Pure; the only thing the judge,
 * the planner of the next round and the reports know about a run.
 */
#ifndef ASSAY_RECORD_STATE_H
#define ASSAY_RECORD_STATE_H

#include "base/names.h"
#include "record/record.h"

enum state_phase { STATE_PLANNED, STATE_STARTED, STATE_ENDED };

/* One step with what its last attempt gave. Samples of earlier attempts count nowhere. */
struct state_step {
	int64_t id, attempt;
	enum state_phase phase;
	struct record_step planned; /* the planned record of the last attempt */
	struct record_step started; /* valid from STATE_STARTED */
	struct record_step ended;   /* valid at STATE_ENDED */
	double t_planned, t_started, t_ended;
	const char **nodes;
	size_t n_nodes;
	/* of the last attempt; pointers into the state's arena, in journal order */
	const struct record_sample **samples;
	size_t n_samples, cap_samples;
	const struct record_valid **valids;
	size_t n_valids, cap_valids;
	const struct record_rank **ranks;
	size_t n_ranks, cap_ranks;
	const struct record_event **events;
	size_t n_events, cap_events;
	const struct record_counter **counters;
	size_t n_counters, cap_counters;
};

struct state {
	struct arena arena;     /* owns all texts below */
	struct record_run run;  /* the last start */
	size_t n_runs;          /* starts of the controller; 0 = empty journal */
	double t_first, t_last; /* wall time of the first and last record */
	double paused;          /* s between the end of a start and the next one */
	struct record_plan plan;
	bool has_plan;
	const char **nodes; /* all nodes asked for, from the plan record */
	size_t n_nodes;
	const char **chassis;      /* of each of them, "" where not known; or NULL */
	struct record_node *facts; /* last node record of each node that has one */
	size_t n_facts, cap_facts;
	struct record_bios *bios;
	size_t n_bios, cap_bios;
	struct record_request *requests; /* distinct ids, in order */
	size_t n_requests, cap_requests;
	struct state_step *steps; /* by id: steps[i].id == i + 1 */
	size_t n_steps, cap_steps;
	struct record_event *events; /* those without a step */
	size_t n_events, cap_events;
	struct record_end end; /* of the last start; has_end false when it was cut off */
	bool has_end;
	size_t n_records; /* read so far */
	size_t damaged; /* lines that could not be read, or that contradict the others */
	struct names fact_of, request_of; /* node, request id -> index */
};

/* Replays DIR/journal.jsonl. A missing journal is ERR_NOTFOUND. state_release() after. */
int state_replay(struct state *s, const char *dir, struct err *e);
/* Adds one record, as replay does line by line. @r's texts must outlive the state. */
int state_add(struct state *s, const struct record *r, struct err *e);
void state_release(struct state *s);

/*
 * A kernel's check of its own result is good. One that says so of a value that is no
 * number (beyond 1e300 is none, either) is not believed.
 */
bool state_check_ok(const struct record_valid *v);

/*
 * It ended well, but a check of its own result failed: what it computed is wrong, and its
 * numbers count nowhere.
 */
bool state_wrong(const struct state_step *st);

/*
 * Rounds that a launch over pairs of nodes has finished, by its last event "round", and
 * how many it has in all (may be NULL); 0 when it says nothing of rounds.
 */
int64_t state_rounds(const struct state_step *st, int64_t *of);

/* Seconds that all starts took together, pauses between them apart. */
double state_duration(const struct state *s);

/* Facts of a node, NULL when the journal has none. */
const struct record_node *state_facts(const struct state *s, const char *node);

#endif
