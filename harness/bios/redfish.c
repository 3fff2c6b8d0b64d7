/* SPDX-License-Identifier: Apache-2.0 */
/* Many BMCs read side by side: see redfish.h. */
#include "bios/redfish.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "bios/redfish_answers.h"
#include "bios/visit.h"

static const double heartbeat = 0.25; /* s: how soon a signal is seen */

static void wrong(struct visit *v, const char *why)
{
	if (!v->reading.error)
		v->reading.error = arena_strdup(&v->reading.arena, why);
}

/* The end of a visit: what was read is handed over. */
static void hand_over(struct visit *v)
{
	struct sweep *s = v->sweep;
	struct err e = {0};

	if (v->jobs)
		redfish_jobs(&v->reading, v->jobs);
	if (v->settings && !v->reading.error &&
	    redfish_settings(&v->reading, v->settings, &e))
		wrong(v, e.msg);
	if (v->registry != NAMES_NONE && s->registries[v->registry].json)
		redfish_registry(&v->reading, s->registries[v->registry].json);
	if (!v->reading.error && !v->reading.settings.n)
		wrong(v, "no BIOS attributes returned");
	if (v->reading.error)
		settings_release(&v->reading.settings);
	if (s->o->insecure)
		v->reading.remark = "its BMC was not verified (insecure: true)";
	if (!s->failed && s->fn(s->ctx, v->i, &v->reading, s->e))
		s->failed = true;
}

static void free_visit(struct visit *v)
{
	struct sweep *s = v->sweep;

	s->all[v->i] = NULL;
	json_decref(v->settings);
	json_decref(v->jobs);
	free((char *)v->peer.base);
	if (v->peer.token)
		explicit_bzero(v->peer.token, strlen(v->peer.token));
	free(v->peer.token);
	if (v->body.len)
		explicit_bzero(v->body.buf, v->body.len);
	strbuf_release(&v->body);
	free(v->path);
	free(v->session);
	bios_reading_release(&v->reading);
	free(v);
}

void visit_done(struct visit *v)
{
	struct sweep *s = v->sweep;

	s->active--;
	if (v->registry != NAMES_NONE && s->registries[v->registry].state == FETCHING) {
		v->waiting = s->waiting;
		s->waiting = v;
		return;
	}
	if (!s->stopped_at)
		hand_over(v);
	free_visit(v);
}

/* Those that have waited for registries that are known by now. */
static void wake(struct sweep *s, bool all)
{
	struct visit *list = s->waiting, *next;

	s->waiting = NULL;
	for (; list; list = next) {
		next = list->waiting;
		if (!all && s->registries[list->registry].state == FETCHING) {
			list->waiting = s->waiting;
			s->waiting = list;
			continue;
		}
		if (!s->stopped_at)
			hand_over(list);
		free_visit(list);
	}
}
static int start(struct sweep *s)
{
	size_t i = s->next++;
	const struct redfish_target *t = &s->targets[i];
	struct visit *v = mem_calloc(1, sizeof(*v));
	struct strbuf base = {0};

	if (http_base(&base, t->address, s->o->insecure, s->e)) {
		strbuf_release(&base);
		free(v);
		return err_at(s->e, "%s", t->node);
	}
	v->sweep = s;
	v->i = i;
	v->registry = NAMES_NONE;
	v->dell = v->login = true;
	v->reading.source = source_redfish.name;
	v->peer.base = strbuf_detach(&base);
	v->peer.trust = (struct http_trust){s->o->ca, t->pin, s->o->insecure};
	s->all[i] = v;
	s->active++;
	s->logins++;
	visit_login(v);
	return 0;
}

/* A password that may be wrong is not tried everywhere at once. */
static bool may_start(const struct sweep *s)
{
	size_t most = s->o->at_once ? s->o->at_once : REDFISH_AT_ONCE;

	if (s->next == s->n || s->active >= most || s->refused >= REDFISH_REFUSALS)
		return false;
	return s->accepted || s->refused + s->logins < REDFISH_REFUSALS;
}

static int not_asked(struct sweep *s)
{
	for (; s->next < s->n; s->next++) {
		struct bios_reading r = {.source = source_redfish.name,
					 .error = "not asked: three BMCs have refused "
						  "user or password"};
		int rc = s->fn(s->ctx, s->next, &r, s->e);

		bios_reading_release(&r);
		if (rc)
			return -1;
	}
	return 0;
}

/* Requests under way are given up, but for logins, which would leave a session behind. */
static void stop(struct sweep *s)
{
	s->stopped_at = clock_now();
	for (size_t i = 0; i < s->n; i++) {
		struct visit *v = s->all[i];

		if (!v || v->closing || v->login)
			continue;
		if (v->again_at > 0)
			visit_close(v);
		else
			http_abort(s->http, v);
	}
}

static void give_up_logins(struct sweep *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->all[i] && !s->all[i]->again_at && s->active)
			http_abort(s->http, s->all[i]);
	}
}

static void retry(struct sweep *s)
{
	double now = clock_now();

	for (size_t i = 0; i < s->n; i++) {
		struct visit *v = s->all[i];

		if (!v || v->again_at <= 0 || (v->again_at > now && !s->stopped_at))
			continue;
		if (!s->stopped_at) {
			visit_again(v);
			continue;
		}
		visit_logged_in(v);
		visit_close(v);
	}
}

static int turn(struct sweep *s)
{
	/* who cannot take readings any more must not leave sessions behind either */
	if (!s->stopped_at && (s->failed || (s->o->stop && *s->o->stop)))
		stop(s);
	if (s->stopped_at > 0 && clock_now() > s->stopped_at + VISIT_STOP_LIMIT)
		give_up_logins(s);
	while (!s->stopped_at && may_start(s)) {
		if (start(s))
			return -1;
	}
	retry(s);
	if (http_pump(s->http, heartbeat, s->e))
		return -1;
	wake(s, false);
	return 0;
}

static void release(struct sweep *s)
{
	http_close(s->http);
	for (size_t i = 0; i < s->n; i++) {
		if (s->all[i])
			free_visit(s->all[i]);
	}
	for (size_t i = 0; i < s->names.n; i++)
		json_decref(s->registries[i].json);
	free(s->registries);
	free(s->all);
	names_release(&s->names);
}

static int check_address(const struct redfish_target *t, const struct redfish_options *o,
			 struct err *e)
{
	struct strbuf base = {0};
	int rc = http_base(&base, t->address, o->insecure, e);

	strbuf_release(&base);
	return rc ? err_at(e, "BMC of %s", t->node) : 0;
}

int redfish_read(const struct redfish_target *targets, size_t n,
		 const struct redfish_options *o,
		 int (*fn)(void *ctx, size_t i, struct bios_reading *r, struct err *e),
		 void *ctx, struct err *e)
{
	struct sweep s = {
		.targets = targets, .o = o, .n = n, .fn = fn, .ctx = ctx, .e = e};
	int rc = 0;

	if (http_open(&s.http, o->at_once ? (long)o->at_once : REDFISH_AT_ONCE, e))
		return -1;
	s.all = mem_calloc(n + 1, sizeof(struct visit *));
	for (size_t i = 0; i < n && !rc; i++)
		rc = check_address(&targets[i], o, e);
	while (!rc && (s.active || (!s.stopped_at && may_start(&s))))
		rc = turn(&s);
	wake(&s, true);
	if (!rc && !s.stopped_at)
		rc = not_asked(&s);
	release(&s);
	return rc || s.failed ? -1 : 0;
}
