/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule `counter`: counters of a node that moved while it was measured and should stand
 * still. What they stood at before does not matter. A counter is named "PART/COUNTER";
 * what its moving means is a line of the table below. A node whose counters were read and
 * are good has a PASS for each step, so that silence is none.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "judge/gauges.h"
#include "judge/rule.h"

/* Losses that are fewer than this, or a smaller share, happen to healthy nodes. */
#define LOSSES      10.0
#define LOSS_SHARE  1e-3
#define AGAIN_SHARE 1e-2

struct meaning {
	const char *counter;
	enum verdict_word word; /* PASS: nobody's fault yet, a remark of the run */
	const char *of;         /* a loss is a share of it; NULL: any movement counts */
	double share;           /* of it, that counts */
	const char *look;       /* where to look */
};

static const char cable[] = "check cable, connector and the switch port at its other end";
static const char host[] = "check its receive rings and interrupts (ethtool -S, -g)";
static const char fabric[] = "check the switches on its way: buffers, flow control (PFC)";

static const char dimm[] = "see the event log of the BMC for the DIMM, and exchange it";
static const char heat[] = "check cooling, power limits and what shares its fans";

static const struct meaning meanings[] = {
	{"ue_count", VERDICT_FAIL, NULL, 0, dimm},
	{"ce_count", VERDICT_WARN, NULL, 0, dimm},
	{"core_throttle_count", VERDICT_WARN, NULL, 0, heat},
	{"package_throttle_count", VERDICT_WARN, NULL, 0, heat},
	{"link_downed", VERDICT_FAIL, NULL, 0, cable},
	{"link_error_recovery", VERDICT_FAIL, NULL, 0, cable},
	{"carrier_changes", VERDICT_FAIL, NULL, 0, cable},
	{"symbol_error", VERDICT_WARN, NULL, 0, cable},
	{"port_rcv_errors", VERDICT_WARN, NULL, 0, cable},
	{"port_rcv_remote_physical_errors", VERDICT_WARN, NULL, 0, cable},
	{"port_rcv_switch_relay_errors", VERDICT_WARN, NULL, 0, fabric},
	{"local_link_integrity_errors", VERDICT_WARN, NULL, 0, cable},
	{"excessive_buffer_overrun_errors", VERDICT_WARN, NULL, 0, cable},
	{"port_xmit_constraint_errors", VERDICT_WARN, NULL, 0, fabric},
	{"port_rcv_constraint_errors", VERDICT_WARN, NULL, 0, fabric},
	{"port_xmit_discards", VERDICT_WARN, "port_xmit_packets", 0, fabric},
	{"out_of_sequence", VERDICT_WARN, NULL, 0, fabric},
	{"packet_seq_err", VERDICT_WARN, NULL, 0, fabric},
	{"local_ack_timeout_err", VERDICT_WARN, NULL, 0, fabric},
	{"rx_errors", VERDICT_WARN, NULL, 0, cable},
	{"tx_errors", VERDICT_WARN, NULL, 0, cable},
	{"rx_crc_errors", VERDICT_WARN, NULL, 0, cable},
	{"tx_carrier_errors", VERDICT_WARN, NULL, 0, cable},
	{"rx_dropped", VERDICT_WARN, "rx_packets", LOSS_SHARE, host},
	{"rx_missed_errors", VERDICT_WARN, "rx_packets", LOSS_SHARE, host},
	{"tx_dropped", VERDICT_WARN, "tx_packets", LOSS_SHARE, host},
	/* the sender counts them, wherever on the way they were lost */
	{"RetransSegs", VERDICT_PASS, "OutSegs", AGAIN_SHARE,
	 "something on the way loses packets, or its receivers are short of CPU time"},
	{"port_xmit_wait", VERDICT_PASS, NULL, 0,
	 "data waited for credits: congestion, no error"},
};

/* A counter of one node that moved in one launch. */
struct move {
	const struct record_counter *after;
	const struct meaning *meaning;
	double by, share; /* share: of what it is a share of, else NaN */
};

static const struct meaning *meaning_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	for (size_t i = 0; slash && i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		if (!strcmp(meanings[i].counter, slash + 1))
			return &meanings[i];
	}
	return NULL;
}

/* "hsn0" of "hsn0/rx_errors". */
static int part_len(const char *name)
{
	return (int)(strrchr(name, '/') - name);
}

/* Counters of one node in one launch: they stand together, as the node's rank sent them.
 */
struct group {
	const struct state_step *step;
	size_t from, to;
};

/* By how much a counter moved; NaN when it was not read twice. */
static double moved_by(const struct group *g, const char *name)
{
	double before = NAN, after = NAN;

	for (size_t i = g->from; i < g->to; i++) {
		const struct record_counter *c = g->step->counters[i];

		if (strcmp(c->name, name) != 0)
			continue;
		if (!strcmp(c->when, "before"))
			before = c->value.v;
		else if (!strcmp(c->when, "after"))
			after = c->value.v;
	}
	return after - before;
}

/* What an after record says; false where it is nothing to speak of. */
static bool look_at(struct move *m, const struct group *g,
		    const struct record_counter *after, struct arena *a)
{
	m->after = after;
	m->share = NAN;
	m->meaning = strcmp(after->when, "after") ? NULL : meaning_of(after->name);
	if (!m->meaning)
		return false;
	m->by = moved_by(g, after->name);
	if (!(m->by > 0)) /* a driver that was loaded again starts from 0 */
		return false;
	if (m->meaning->of)
		m->share = m->by /
			   moved_by(g, arena_printf(a, "%.*s/%s", part_len(after->name),
						    after->name, m->meaning->of));
	return !(m->meaning->share > 0) ||
	       (m->by >= LOSSES && m->share >= m->meaning->share);
}

static void add_move(struct strbuf *sb, const struct move *m)
{
	char share[UNITS_TEXT];

	strbuf_addf(sb, "%s +%.0f", strrchr(m->after->name, '/') + 1, m->by);
	if (isfinite(m->share) && m->meaning->share > 0)
		strbuf_addf(sb, " (%s of %s)",
			    units_format(share, sizeof(share), m->share, "ratio"),
			    m->meaning->of);
}

static bool same_part(const struct move *a, const struct move *b)
{
	const int len = part_len(a->after->name);

	return part_len(b->after->name) == len &&
	       !strncmp(a->after->name, b->after->name, (size_t)len);
}

/* One verdict for all that moved at one part (a port) of a node: moves[i] and later. */
static void judge_part(struct summary *out, const struct state_step *st,
		       const struct move *moves, size_t n, size_t i)
{
	const struct move *worst = &moves[i];
	struct strbuf sb = {0};
	struct verdict *v;

	for (size_t k = i; k < n; k++) {
		if (!same_part(&moves[i], &moves[k]) ||
		    moves[k].meaning->word == VERDICT_PASS)
			continue;
		if (sb.len)
			strbuf_addstr(&sb, ", ");
		add_move(&sb, &moves[k]);
		if (verdict_worse(worst->meaning->word, moves[k].meaning->word) !=
		    worst->meaning->word)
			worst = &moves[k];
	}
	v = rule_step_verdict(out, "counter", st);
	v->node = moves[i].after->node;
	v->metric = worst->after->name;
	v->word = worst->meaning->word;
	v->why = arena_printf(&out->arena, "%.*s during the step: %s; %s",
			      part_len(worst->after->name), worst->after->name,
			      strbuf_str(&sb), worst->meaning->look);
	strbuf_release(&sb);
}

/* The first of its part, of those that are somebody's fault. */
static bool is_first(const struct move *moves, size_t i)
{
	if (moves[i].meaning->word == VERDICT_PASS)
		return false;
	for (size_t k = 0; k < i; k++) {
		if (moves[k].meaning->word != VERDICT_PASS &&
		    same_part(&moves[i], &moves[k]))
			return false;
	}
	return true;
}

/* The node where a counter that is nobody's fault moved most, and how many others. */
struct remark {
	struct move most;
	const struct state_step *step;
	size_t nodes;
};

static void note(struct remark *r, const struct move *m, const struct state_step *st)
{
	const double now = isfinite(m->share) ? m->share : m->by;
	const double most = isfinite(r->most.share) ? r->most.share : r->most.by;

	if (!r->nodes || now > most) {
		r->most = *m;
		r->step = st;
	}
	r->nodes++;
}

static void tell(struct summary *out, const struct remark *r)
{
	struct strbuf sb = {0};

	add_move(&sb, &r->most);
	rule_remark(out,
		    arena_printf(&out->arena, "%s: %.*s in step %s: %s%s; %s",
				 r->most.after->node ? r->most.after->node : "?",
				 part_len(r->most.after->name), r->most.after->name,
				 r->step->planned.name ? r->step->planned.name
						       : r->step->planned.key,
				 strbuf_str(&sb), r->nodes > 1 ? ", less elsewhere" : "",
				 r->most.meaning->look));
	strbuf_release(&sb);
}

/* Read twice, and its moving would be somebody's fault. */
static bool watched(const struct group *g, const struct record_counter *c)
{
	const struct meaning *m = strcmp(c->when, "after") ? NULL : meaning_of(c->name);

	return m && m->word != VERDICT_PASS && moved_by(g, c->name) >= 0;
}

/* Of a node of which no counter is found fault with: that there was something to see. */
static void tell_still(struct summary *out, const struct group *g)
{
	struct verdict *v;
	size_t n = 0;

	for (size_t i = g->from; i < g->to; i++)
		n += watched(g, g->step->counters[i]);
	if (!n)
		return;
	v = rule_step_verdict(out, "counter", g->step);
	v->node = g->step->counters[g->from]->node;
	v->metric = "counters";
	v->word = VERDICT_PASS;
	v->why = arena_printf(&out->arena,
			      "no errors during the step in %zu counter%s of ports, "
			      "memory and CPUs",
			      n, n == 1 ? "" : "s");
}

enum { MEANINGS = sizeof(meanings) / sizeof(meanings[0]) };

static void judge_group(struct summary *out, const struct group *g,
			struct remark *remarks)
{
	const struct state_step *st = g->step;
	struct move *moves = mem_calloc(g->to - g->from, sizeof(*moves));
	const size_t before = out->n_verdicts;
	size_t n = 0;

	for (size_t i = g->from; i < g->to; i++) {
		if (!look_at(&moves[n], g, st->counters[i], &out->arena))
			continue;
		if (moves[n].meaning->word == VERDICT_PASS)
			note(&remarks[moves[n].meaning - meanings], &moves[n], st);
		n++;
	}
	for (size_t i = 0; i < n; i++) {
		if (is_first(moves, i))
			judge_part(out, st, moves, n, i);
	}
	free(moves);
	gauges_judge(out, st, g->from, g->to);
	if (out->n_verdicts == before)
		tell_still(out, g);
}

int rule_counter_judge(const struct rule_input *in, struct summary *out, struct err *e)
{
	struct remark remarks[MEANINGS] = {{.nodes = 0}};

	(void)e;
	for (size_t s = 0; s < in->state->n_steps; s++) {
		const struct state_step *st = &in->state->steps[s];
		struct group g = {.step = st};

		for (; g.from < st->n_counters; g.from = g.to) {
			g.to = g.from + 1;
			while (g.to < st->n_counters &&
			       !series_compare_text(st->counters[g.to]->node,
						    st->counters[g.from]->node))
				g.to++;
			judge_group(out, &g, remarks);
		}
	}
	for (size_t i = 0; i < MEANINGS; i++) {
		if (remarks[i].nodes)
			tell(out, &remarks[i]);
	}
	gauges_unreadable(out, in->state);
	return 0;
}
