/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that put settings right: see remedy.h. */
#include "judge/remedy.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MOST_ROUNDS = 4 };

struct work {
	struct remedy *out;
	struct bios_view *v;
	const struct bios_node *node;
	const struct bios_known *known;
	bool clear;  /* something waits that is not wanted: all that waits goes */
	bool job;    /* something waits that is wanted, and nothing would apply it */
	bool reboot; /* what waits needs no more than that */
};

static struct remedy_step *add(struct remedy *r, enum remedy_kind kind, int round)
{
	mem_grow(&r->steps, &r->cap, r->n + 1, sizeof(*r->steps));
	r->steps[r->n] = (struct remedy_step){.kind = kind, .round = round};
	return &r->steps[r->n++];
}

#define NOTE(w, ...) \
	(add((w)->out, REMEDY_NOTE, 0)->text = arena_printf(&(w)->v->arena, __VA_ARGS__))

static const struct bios_finding *find(const struct work *w, const char *name,
				       enum bios_result result)
{
	for (size_t i = 0; i < w->node->n; i++) {
		const struct bios_finding *f = &w->node->findings[i];

		if (f->result == result && f->attribute && !strcmp(f->attribute, name))
			return f;
	}
	return NULL;
}

/* The wanted value waits already. */
static bool waits(const struct work *w, const struct bios_finding *f)
{
	const struct bios_finding *p = find(w, f->attribute, BIOS_PENDING);

	return p && bios_is_wanted(p, &p->pending) && !w->clear;
}

static void look_at_pending(struct work *w)
{
	for (size_t i = 0; i < w->node->n; i++) {
		const struct bios_finding *f = &w->node->findings[i];

		if (f->result != BIOS_PENDING)
			continue;
		if (!f->wanted)
			NOTE(w,
			     "%s: another value waits, and no profile says which is "
			     "right",
			     f->attribute);
		else if (!bios_is_wanted(f, &f->pending))
			w->clear = true;
		else if (w->node->by_job && w->node->job_known && !w->node->job_id)
			w->job = true;
		else
			w->reboot = true;
	}
}

/* What @name will be once the profile is followed; NULL: it is not of the profile. */
static const char *will_be(const struct work *w, const char *name, bool *changes)
{
	const struct bios_finding *f = find(w, name, BIOS_MISMATCH);

	*changes = f != NULL;
	if (f)
		return f->wanted;
	f = find(w, name, BIOS_MATCH);
	if (!f)
		f = find(w, name, BIOS_CONTRADICTED);
	return f ? f->current.text : NULL;
}

static int round_of(const struct work *w, const char *name, int depth)
{
	const struct bios_known_parent *p = bios_known_parent(w->known, name);
	bool changes;

	if (!p || depth == MOST_ROUNDS || !will_be(w, p->name, &changes))
		return 1;
	return changes ? round_of(w, p->name, depth + 1) + 1 : 1;
}

/* The round @f can be set in; 0 when it cannot, and a note says why. */
static int settable(struct work *w, const struct bios_finding *f)
{
	const struct bios_known_parent *p = bios_known_parent(w->known, f->attribute);
	const char *value;
	bool changes = false;

	if (!w->node->record) {
		NOTE(w,
		     "%s was seen in the running system alone: whether it can be set, "
		     "its BMC knows",
		     f->attribute);
		return 0;
	}
	if (!p && f->state == SETTING_READ_ONLY) {
		NOTE(w, "%s is read-only: it can only be looked at", f->attribute);
		return 0;
	}
	value = p ? will_be(w, p->name, &changes) : NULL;
	if (p && !value && f->state != SETTING_RW) {
		NOTE(w,
		     "%s can be set only while %s is %s, which the profile says "
		     "nothing of",
		     f->attribute, p->name, p->value);
		return 0;
	}
	if (!value || !strcmp(value, p->value))
		return round_of(w, f->attribute, 0);
	if (changes)
		NOTE(w, "%s gets its value from %s=%s: check it again after the restart",
		     f->attribute, p->name, value);
	else if (f->state == SETTING_RW)
		return 1;
	else
		NOTE(w,
		     "%s can be set only while %s is %s, and the profile wants %s: "
		     "change the profile",
		     f->attribute, p->name, p->value, value);
	return 0;
}

static void add_set(struct work *w, const struct bios_finding *f, int round)
{
	struct remedy_step *s = add(w->out, REMEDY_SET, round);

	s->attribute = f->attribute;
	s->value = f->wanted;
	s->literal = f->current.literal;
	s->group = bios_known_group(w->known, f->attribute);
}

/* All that has to be set, round by round, a job and a restart behind each. */
static void set_all(struct work *w)
{
	int *rounds = mem_calloc(w->node->n, sizeof(*rounds));

	for (size_t i = 0; i < w->node->n; i++) {
		const struct bios_finding *f = &w->node->findings[i];
		bool wrong = f->result == BIOS_MISMATCH ||
			     (f->result == BIOS_CONTRADICTED && f->by &&
			      !bios_is_wanted(f, &f->current));

		if (wrong && !waits(w, f))
			rounds[i] = settable(w, f);
	}
	for (int r = 1; r <= MOST_ROUNDS + 1; r++) {
		bool any = r == 1 &&
			   (w->job || (w->reboot && !w->node->by_job && !w->clear));

		for (size_t i = 0; i < w->node->n; i++) {
			if (rounds[i] != r)
				continue;
			add_set(w, &w->node->findings[i], r);
			any = true;
		}
		if (!any)
			continue;
		if (w->node->by_job)
			add(w->out, REMEDY_JOB, r);
		add(w->out, REMEDY_REBOOT, r);
	}
	free(rounds);
}

static bool is_set(const struct remedy *r)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->steps[i].kind != REMEDY_NOTE)
			return true;
	}
	return false;
}

static void contradicted(struct work *w)
{
	for (size_t i = 0; i < w->node->n; i++) {
		const struct bios_finding *f = &w->node->findings[i];

		if (f->result != BIOS_CONTRADICTED ||
		    (f->by && !bios_is_wanted(f, &f->current)))
			continue;
		if (!is_set(w->out))
			add(w->out, REMEDY_REBOOT, 1);
		NOTE(w,
		     "%s: BIOS says %s and the system shows %s: if a restart does not "
		     "mend it, firmware could not do as told; look into its log, and "
		     "whether all memory modules are there",
		     f->attribute, f->current.text, f->shown);
	}
}

void remedy_make(struct remedy *r, struct bios_view *v, const struct bios_node *n,
		 const struct bios_known *known)
{
	struct work w = {.out = r, .v = v, .node = n, .known = known};

	memset(r, 0, sizeof(*r));
	if (!n->readable) {
		if (n->error)
			NOTE(&w, "its settings could not be read: %s", n->error);
		return;
	}
	if (bios_job_runs(n)) {
		add(r, REMEDY_WAIT, 1)->job = n->job_id;
		NOTE(&w, "job %s is %s: wait until it has ended, then ask again",
		     n->job_id, n->job_state);
		return;
	}
	look_at_pending(&w);
	if (w.clear && n->job_id)
		add(r, REMEDY_DELETE, 1)->job = n->job_id;
	if (w.clear)
		add(r, REMEDY_CLEAR, 1);
	else if (w.reboot && n->by_job)
		add(r, REMEDY_REBOOT, 1); /* while its job waits, nothing can be set */
	if (w.reboot && !w.clear && n->by_job && !n->job_known)
		NOTE(&w,
		     "nobody looked for jobs: where 'racadm jobqueue view' shows none "
		     "for "
		     "BIOS.Setup.1-1, a restart applies nothing, and 'racadm jobqueue "
		     "create BIOS.Setup.1-1' comes first");
	set_all(&w);
	contradicted(&w);
}

void remedy_release(struct remedy *r)
{
	free(r->steps);
	memset(r, 0, sizeof(*r));
}
