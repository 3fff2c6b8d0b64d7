/* SPDX-License-Identifier: Apache-2.0 */
/* The view on all nodes' BIOS settings: see bios.h. */
#include "judge/bios.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "record/json.h"

static const char *const names[BIOS_RESULTS] = {
	[BIOS_MATCH] = "MATCH",
	[BIOS_MISMATCH] = "MISMATCH",
	[BIOS_PENDING] = "PENDING",
	[BIOS_ABSENT] = "ABSENT",
	[BIOS_UNREADABLE] = "UNREADABLE",
	[BIOS_CONTRADICTED] = "CONTRADICTED",
	[BIOS_ODD] = "ODD",
};

static const char os_source[] = "os";
static const char racadm_source[] = "racadm"; /* gives some groups, not all there is */

const char *bios_result_name(enum bios_result r)
{
	return names[r];
}

void bios_add_value(struct strbuf *out, const struct setting_value *v)
{
	if (!v->text)
		strbuf_addstr(out, "null");
	else
		strbuf_addstr(out, *v->text ? v->text : "empty");
}

static void find_profile(struct bios_view *v, const struct state *state,
			 const struct judge_config *config)
{
	const char *name = record_json_text(&v->arena, state->plan.site, "bmc.profile");

	if (!*name)
		return;
	v->profile_name = name;
	for (size_t i = 0; i < config->n_profiles; i++) {
		if (!strcmp(config->profiles[i].name, name))
			v->profile = &config->profiles[i];
	}
}

/* It becomes part of commands: a name that is no word is not taken. */
static const char *job_name(struct arena *a, const char *id)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789._-";

	return *id && !id[strspn(id, letters)] && strlen(id) <= SETTINGS_NAME
		       ? arena_strdup(a, id)
		       : "unnamed";
}

static void read_job(struct bios_view *v, struct bios_node *n, const char *job)
{
	json_t *o = job ? json_loads(job, 0, NULL) : NULL;

	n->job_known = o != NULL;
	n->by_job = !n->record || !n->record->link ||
		    strstr(n->record->link, "/System.Embedded.") != NULL;
	if (json_object_size(o)) {
		n->job_id = job_name(&v->arena, json_member_text(o, "id"));
		n->job_state = arena_strdup(&v->arena, json_member_text(o, "state"));
	}
	json_decref(o);
}

static bool read_settings(struct settings *s, const char *json, struct arena *a)
{
	struct err e = {0};

	return !settings_read(s, json, a, &e) && s->n;
}

/* The profile that says how the machine is set: of several the one that says most. */
static const char *setting_of(const struct judge_config *config,
			      const struct settings *own)
{
	const struct profile *best = NULL;

	for (size_t i = 0; i < config->n_profiles; i++) {
		const struct profile *p = &config->profiles[i];

		if (p->setting && (!best || p->n > best->n) && bios_matches(p, own))
			best = p;
	}
	return best ? best->name : NULL;
}

/* @os is the system's record, or NULL. Settings are not kept: there may be thousands. */
static void look_at(struct bios_view *v, struct bios_node *n,
		    const struct record_bios *os, const struct judge_config *config,
		    struct fleet *fleet)
{
	const struct record_bios *r = n->record ? n->record : os;
	struct settings own = {0}, shown = {0};
	struct arena a = {0};

	n->source = r->source;
	n->chassis =
		r->chassis ? record_json_text(&v->arena, r->chassis, "chassis") : NULL;
	read_job(v, n, r->job);
	n->readable = !r->error && read_settings(&own, r->attributes, &a);
	if (os && os != r)
		n->os_error = os->error;
	if (os && os != r && !os->error)
		(void)read_settings(&shown, os->attributes, &a);
	n->n_read = own.n;
	if (n->readable) {
		bios_compare(v, n, &own, &shown);
		if (n->record) {
			fleet_add(fleet, n, &own);
			n->setting = setting_of(config, &own);
		}
	} else {
		n->error = r->error ? r->error : "no BIOS attributes returned";
		(void)bios_add(v, n, BIOS_UNREADABLE, NULL);
	}
	settings_release(&own);
	settings_release(&shown);
	arena_release(&a);
}

/* The last record of each kind of source stands for a node. */
static const struct record_bios **sort_records(struct bios_view *v,
					       const struct state *state)
{
	const struct record_bios **os;

	v->nodes = mem_calloc(state->n_nodes + 1, sizeof(*v->nodes));
	os = mem_calloc(state->n_nodes + 1, sizeof(*os));
	for (size_t i = 0; i < state->n_nodes; i++) {
		bool fresh;
		size_t at = names_add(&v->index, state->nodes[i], &fresh);

		v->nodes[at].name = state->nodes[i];
	}
	v->n = v->index.n;
	for (size_t i = 0; i < state->n_bios; i++) {
		const struct record_bios *r = &state->bios[i];
		size_t at = names_find(&v->index, r->node);

		if (at == NAMES_NONE)
			continue;
		if (!strcmp(r->source, os_source))
			os[at] = r;
		else
			v->nodes[at].record = r;
	}
	return os;
}

void bios_view_make(struct bios_view *v, const struct state *state,
		    const struct judge_config *config)
{
	const struct record_bios **os;
	struct fleet *fleet;

	memset(v, 0, sizeof(*v));
	if (!state->n_bios)
		return;
	find_profile(v, state, config);
	os = sort_records(v, state);
	fleet = fleet_open(v, &config->known);
	for (size_t i = 0; i < v->n; i++) {
		if (v->nodes[i].record || os[i])
			look_at(v, &v->nodes[i], os[i], config, fleet);
	}
	fleet_close(fleet);
	free(os);
}

void bios_view_release(struct bios_view *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->nodes[i].findings);
		free(v->nodes[i].values);
	}
	free(v->nodes);
	free(v->remarks);
	free(v->like);
	free(v->meant);
	names_release(&v->absent);
	names_release(&v->index);
	arena_release(&v->arena);
	memset(v, 0, sizeof(*v));
}

struct bios_finding *bios_add(struct bios_view *v, struct bios_node *n,
			      enum bios_result result, const struct setting *s)
{
	struct bios_finding *f;

	mem_grow(&n->findings, &n->cap, n->n + 1, sizeof(*n->findings));
	f = &n->findings[n->n++];
	*f = (struct bios_finding){.result = result};
	if (!s)
		return f;
	f->attribute = arena_strdup(&v->arena, s->name);
	f->current = s->current;
	f->current.text = arena_strdup(&v->arena, s->current.text);
	f->pending = s->pending;
	f->pending.text = arena_strdup(&v->arena, s->pending.text);
	f->has_pending = s->has_pending;
	f->state = s->state;
	return f;
}

static void add_reason(struct strbuf *out, const struct bios_finding *f)
{
	if (f->by)
		strbuf_addf(out, ": %s", f->by->why);
}

bool bios_job_runs(const struct bios_node *n)
{
	static const char *const states[] = {"Running",  "Downloading", "Starting",
					     "Stopping", "Scheduling",  "Cancelling"};

	for (size_t i = 0; n->job_id && i < sizeof(states) / sizeof(states[0]); i++) {
		if (!strncasecmp(n->job_state, states[i], strlen(states[i])))
			return true;
	}
	return false;
}

bool bios_is_wanted(const struct bios_finding *f, const struct setting_value *v)
{
	const char *remark;

	for (size_t i = 0; f->by && i < f->by->n_want; i++) {
		if (!bios_same(v, NULL, f->by->want[i], &remark))
			return true;
	}
	return false;
}

/* What would make a pending value the present one. */
static void add_way(struct strbuf *out, const struct bios_node *n)
{
	if (bios_job_runs(n))
		strbuf_addf(out,
			    "BIOS job %s is %s: wait until it has ended, then check "
			    "again",
			    n->job_id, n->job_state);
	else if (n->job_id)
		strbuf_addf(out, "BIOS job %s is %s: reboot, then check again", n->job_id,
			    n->job_state);
	else if (n->job_known && n->by_job)
		strbuf_addstr(out, "no job is queued: a reboot will not apply it");
	else
		strbuf_addstr(out, "reboot needed");
}

static void add_wanted(struct strbuf *out, const struct bios_view *v,
		       const struct bios_finding *f)
{
	if (!f->by)
		return;
	strbuf_addf(out, ", profile %s wants ", v->profile->name);
	for (size_t i = 0; i < f->by->n_want; i++)
		strbuf_addf(out, "%s%s", i ? " or " : "", f->by->want[i]);
}

static void mismatch(const struct bios_view *v, const struct bios_node *n,
		     const struct bios_finding *f, struct strbuf *out)
{
	strbuf_addf(out, "%s is ", f->attribute);
	bios_add_value(out, &f->current);
	add_wanted(out, v, f);
	add_reason(out, f);
	if (f->state == SETTING_LOCKED)
		strbuf_addstr(out, "; it is locked by another attribute");
	else if (f->state == SETTING_READ_ONLY && n->record)
		strbuf_addstr(out, "; it is read-only");
	if (!n->record)
		strbuf_addstr(out, "; seen in the running system");
}

static void pending(const struct bios_node *n, const struct bios_finding *f,
		    struct strbuf *out)
{
	bool same = f->current.text && f->pending.text &&
		    !strcmp(f->current.text, f->pending.text);

	strbuf_addf(out, "%s is ", f->attribute);
	bios_add_value(out, &f->current);
	if (same) {
		strbuf_addstr(out, f->wanted ? " as wanted, but pending as well; "
					     : " and pending as well; ");
	} else {
		strbuf_addstr(out, ", pending is ");
		bios_add_value(out, &f->pending);
		strbuf_addstr(out, "; ");
	}
	add_way(out, n);
}

static void odd(const struct bios_finding *f, struct strbuf *out)
{
	strbuf_addf(out, "%s is ", f->attribute);
	if (f->absent)
		strbuf_addstr(out, "absent");
	else
		bios_add_value(out, &f->current);
	strbuf_addf(out, ", %s on %zu of %zu like nodes", f->usual ? f->usual : "absent",
		    f->usual_n, f->like_n);
}

void bios_sentence(const struct bios_view *v, const struct bios_node *n,
		   const struct bios_finding *f, struct strbuf *out)
{
	strbuf_addf(out, "%s: ", names[f->result]);
	switch (f->result) {
	case BIOS_MATCH:
		strbuf_addf(out, "%s is ", f->attribute);
		bios_add_value(out, &f->current);
		if (f->remark)
			strbuf_addf(out, ", %s", f->remark);
		break;
	case BIOS_MISMATCH:
		mismatch(v, n, f, out);
		break;
	case BIOS_PENDING:
		pending(n, f, out);
		break;
	case BIOS_ABSENT:
		strbuf_addf(out, "%s is not %s", f->attribute,
			    strcmp(n->source, racadm_source) != 0
				    ? "an attribute of this board"
				    : "among the settings that racadm was asked for");
		if (f->meant)
			strbuf_addf(out, " (did you mean %s?)", f->meant);
		add_wanted(out, v, f);
		add_reason(out, f);
		break;
	case BIOS_UNREADABLE:
		strbuf_addf(out, "%s: %s", n->source, n->error);
		break;
	case BIOS_CONTRADICTED:
		strbuf_addf(out, "%s: BIOS says ", f->attribute);
		bios_add_value(out, &f->current);
		strbuf_addf(out, ", the running system shows %s", f->shown);
		add_wanted(out, v, f);
		if (n->job_id) {
			strbuf_addstr(out, "; ");
			add_way(out, n);
		}
		break;
	case BIOS_ODD:
		odd(f, out);
		break;
	case BIOS_RESULTS:
		break;
	}
}
