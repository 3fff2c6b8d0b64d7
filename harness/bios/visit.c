/* SPDX-License-Identifier: Apache-2.0 */
/* One BMC: what is asked and what its answers say, see visit.h. */
#include "bios/visit.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "bios/redfish_answers.h"
#include "record/json.h"

enum { TRIES = 3, MOST_JOBS = 50 };

/* s before a busy BMC is asked again */
static const double first_pause = 2;

static const char sessions[] = "/redfish/v1/SessionService/Sessions";
static const char dell_system[] = "/redfish/v1/Systems/System.Embedded.1";
static const char dell_bios[] = "/redfish/v1/Systems/System.Embedded.1/Bios";

/* Where jobs may be; the first that is there. */
static const char *const job_paths[] = {
	"/redfish/v1/Managers/iDRAC.Embedded.1/Oem/Dell/Jobs?$expand=*($levels=1)",
	"/redfish/v1/Managers/iDRAC.Embedded.1/Jobs?$expand=*($levels=1)",
	"/redfish/v1/JobService/Jobs",
};

enum { JOB_PATHS = sizeof(job_paths) / sizeof(job_paths[0]) };

static void fail(struct visit *v, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The first thing that goes wrong is why. */
static void fail(struct visit *v, const char *fmt, ...)
{
	struct strbuf text = {0}, clean = {0};
	va_list ap;

	if (v->reading.error)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	utf8_printable(&clean, strbuf_str(&text), text.len);
	v->reading.error = arena_strdup(&v->reading.arena, strbuf_str(&clean));
	strbuf_release(&text);
	strbuf_release(&clean);
}

static void on_answer(void *ctx, struct http_answer *a);

void visit_again(struct visit *v)
{
	v->again_at = 0;
	v->request.ctx = v;
	v->request.answered = on_answer;
	v->request.path = v->path;
	v->request.body = v->body.len ? v->body.buf : NULL;
	if (http_send(v->sweep->http, &v->peer, &v->request, v->sweep->e))
		v->sweep->failed = true;
}

static void send(struct visit *v, const char *method, const char *path, bool last,
		 void (*next)(struct visit *v, struct http_answer *a, const json_t *body))
{
	const struct redfish_options *o = v->sweep->o;

	v->request =
		(struct http_request){.method = method,
				      .limit = v->sweep->stopped_at > 0 ? VISIT_STOP_LIMIT
					       : o->limit > 0           ? o->limit
									: REDFISH_LIMIT,
				      .last = last};
	free(v->path);
	v->path = mem_strdup(path);
	v->next = next;
	v->tries = 0;
	visit_again(v);
}

static void get(struct visit *v, const char *path,
		void (*next)(struct visit *v, struct http_answer *a, const json_t *body))
{
	send(v, "GET", path, false, next);
}

/* What the BMC says in an error's body, for people. */
static const char *told(const json_t *body)
{
	const json_t *error = json_object_get(body, "error");
	const json_t *info = json_object_get(error, "@Message.ExtendedInfo");
	const char *s = json_member_text(json_array_get(info, 0), "Message");

	return *s ? s : json_member_text(error, "message");
}

static void unexpected(struct visit *v, const struct http_answer *a, const json_t *body)
{
	const char *s = told(body);

	fail(v, "%s: HTTP status %ld%s%.200s", v->path, a->status, *s ? ": " : "", s);
}

static void on_closed(struct visit *v, struct http_answer *a, const json_t *body)
{
	(void)a;
	(void)body;
	visit_done(v);
}

void visit_close(struct visit *v)
{
	v->closing = true;
	if (!v->session) {
		visit_done(v);
		return;
	}
	send(v, "DELETE", v->session, true, on_closed);
}

/*
 * Answers, one function each. What comes next is sent, or the session closed.
 */

static void on_registry(struct visit *v, struct http_answer *a, const json_t *body)
{
	struct registry *r = &v->sweep->registries[v->registry];
	const json_t *list = json_object_get(body, "Location");
	const char *uri = http_path(json_member_text(json_array_get(list, 0), "Uri"));

	if (a->status == 200 && uri && !json_object_get(body, "RegistryEntries")) {
		get(v, uri, on_registry); /* the file that says where it is */
		return;
	}
	if (a->status == 200 && json_object_get(body, "RegistryEntries"))
		r->json = json_incref((json_t *)body);
	r->state = r->json ? THERE : MISSING;
	visit_close(v);
}

/* Once for each model and version of its BIOS. */
static void ask_registry(struct visit *v)
{
	struct sweep *s = v->sweep;
	const struct setting *model =
		settings_find(&v->reading.settings, "SystemModelName");
	const struct setting *version =
		settings_find(&v->reading.settings, "SystemBiosVersion");
	struct strbuf key = {0};
	bool fresh;

	if (!v->session) {
		/* Basic: every request is a login, and this one is a large answer */
		visit_close(v);
		return;
	}
	strbuf_addf(&key, "%s %s", v->registry_name ? v->registry_name : "",
		    model && model->current.text ? model->current.text : "");
	strbuf_addf(&key, " %s",
		    version && version->current.text ? version->current.text : "");
	v->registry = names_add(&s->names, strbuf_str(&key), &fresh);
	strbuf_reset(&key);
	mem_grow(&s->registries, &s->cap_registries, v->registry + 1,
		 sizeof(*s->registries));
	if (fresh && v->dell)
		strbuf_addf(&key, "%s/BiosRegistry", dell_bios);
	else if (fresh && v->registry_name)
		strbuf_addf(&key, "/redfish/v1/Registries/%s", v->registry_name);
	if (fresh && http_path(strbuf_str(&key)))
		get(v, strbuf_str(&key), on_registry);
	else if (fresh)
		s->registries[v->registry].state = MISSING;
	if (!fresh || !key.len)
		visit_close(v);
	strbuf_release(&key);
}

static void on_system(struct visit *v, struct http_answer *a, const json_t *body)
{
	if (a->status == 200)
		redfish_chassis(&v->reading, body);
	ask_registry(v);
}

static void ask_system(struct visit *v)
{
	if (v->dell && v->sweep->o->chassis)
		get(v, dell_system, on_system);
	else
		ask_registry(v);
}

/* Members of a collection that could not be expanded, one after the other. */
static void on_job(struct visit *v, struct http_answer *a, const json_t *body);

static void next_job(struct visit *v)
{
	const json_t *members = json_object_get(v->jobs, "Members");

	for (; v->n_jobs < json_array_size(members) && v->n_jobs < MOST_JOBS;) {
		const json_t *m = json_array_get(members, v->n_jobs++);
		const char *path = http_path(json_member_text(m, "@odata.id"));

		if (path && !json_object_get(m, "JobState")) {
			get(v, path, on_job);
			return;
		}
	}
	ask_system(v);
}

static void on_job(struct visit *v, struct http_answer *a, const json_t *body)
{
	if (a->status == 200)
		redfish_jobs(&v->reading, body);
	next_job(v);
}

static void on_jobs(struct visit *v, struct http_answer *a, const json_t *body)
{
	if (a->status != 200) {
		/* not there, or nothing of $expand known there */
		if (++v->job_path < JOB_PATHS)
			get(v, job_paths[v->job_path], on_jobs);
		else
			ask_system(v);
		return;
	}
	v->jobs = json_incref((json_t *)body);
	next_job(v);
}

static void ask_jobs(struct visit *v)
{
	v->job_path = v->dell ? 0 : JOB_PATHS - 1;
	get(v, job_paths[v->job_path], on_jobs);
}

static void on_settings(struct visit *v, struct http_answer *a, const json_t *body)
{
	if (a->status == 200 && json_object_get(body, "Attributes"))
		v->settings = json_incref((json_t *)body);
	else if (a->status == 200)
		fail(v, "%s: no BIOS attributes returned", v->path);
	else if (a->status != 404)
		unexpected(v, a, body);
	if (v->reading.error)
		visit_close(v);
	else
		ask_jobs(v);
}

static void on_bios(struct visit *v, struct http_answer *a, const json_t *body);

static void on_first_system(struct visit *v, struct http_answer *a, const json_t *body)
{
	const char *path =
		http_path(json_member_text(json_object_get(body, "Bios"), "@odata.id"));

	if (a->status != 200)
		unexpected(v, a, body);
	else if (!path)
		fail(v, "%s: no link to BIOS settings", v->path);
	redfish_chassis(&v->reading, body);
	if (v->reading.error)
		visit_close(v);
	else
		get(v, path, on_bios);
}

static void on_systems(struct visit *v, struct http_answer *a, const json_t *body)
{
	const json_t *first = json_array_get(json_object_get(body, "Members"), 0);
	const char *path = http_path(json_member_text(first, "@odata.id"));

	if (a->status != 200)
		unexpected(v, a, body);
	else if (!path)
		fail(v, "%s: no system in it", v->path);
	if (v->reading.error)
		visit_close(v);
	else
		get(v, path, on_first_system);
}

static void on_bios(struct visit *v, struct http_answer *a, const json_t *body)
{
	const char *link = http_path(redfish_settings_link(body));
	const char *registry = json_member_text(body, "AttributeRegistry");
	struct err e = {0};

	if (a->status == 404 && v->dell) {
		v->dell = false;
		get(v, "/redfish/v1/Systems", on_systems);
		return;
	}
	if (a->status != 200)
		unexpected(v, a, body);
	else if (redfish_bios(&v->reading, body, &e))
		fail(v, "%s", e.msg);
	if (v->reading.error) {
		visit_close(v);
		return;
	}
	if (*registry)
		v->registry_name = arena_strdup(&v->reading.arena, registry);
	if (link)
		get(v, link, on_settings);
	else if (v->dell)
		get(v, "/redfish/v1/Systems/System.Embedded.1/Bios/Settings",
		    on_settings);
	else
		ask_jobs(v);
}

static void refuse(struct visit *v)
{
	v->sweep->refused++;
	fail(v, "the BMC refuses user or password; not tried again");
}

void visit_logged_in(struct visit *v)
{
	if (v->login)
		v->sweep->logins--;
	v->login = false;
}

static void on_login(struct visit *v, struct http_answer *a, const json_t *body)
{
	const char *session = http_path(a->location);

	explicit_bzero(v->body.buf, v->body.len);
	strbuf_release(&v->body);
	visit_logged_in(v);
	if (!session)
		session = http_path(json_member_text(body, "@odata.id"));
	if ((a->status == 200 || a->status == 201) && a->token) {
		v->sweep->accepted = true;
		v->peer.token = mem_strdup(a->token);
		v->session = session ? mem_strdup(session) : NULL;
		if (!v->session)
			fail(v, "it gave a session that cannot be closed");
	} else if (a->status == 401 || a->status == 403) {
		refuse(v);
	} else if (a->status == 404 || a->status == 405 || a->status == 501) {
		/* no sessions: Basic with every request */
		v->peer.user = v->sweep->o->user;
		v->peer.password = v->sweep->o->password;
	} else if (a->status == 200 || a->status == 201) {
		fail(v, "it gave no session");
	} else {
		unexpected(v, a, body);
	}
	if (v->reading.error || v->sweep->stopped_at > 0)
		visit_close(v);
	else
		get(v, dell_bios, on_bios);
}

/* Asked again later; false when it was asked often enough. */
static bool try_again(struct visit *v)
{
	double pause = v->sweep->o->pause > 0 ? v->sweep->o->pause : first_pause;

	if (++v->tries >= TRIES || v->sweep->stopped_at > 0)
		return false;
	v->again_at = clock_now() + pause * v->tries;
	return true;
}

static bool is_busy(const struct http_answer *a)
{
	return a->status == 503 || a->status == 429;
}

static void on_answer(void *ctx, struct http_answer *a)
{
	struct visit *v = ctx;
	struct err e = {0};
	json_t *body = NULL;

	if (v->closing) {
		v->next(v, a, NULL);
		return;
	}
	if (is_busy(a) && try_again(v))
		return;
	if (a->status)
		body = redfish_parse(strbuf_str(&a->body), a->body.len, &e);
	if (!a->status) {
		fail(v, "%s", a->why);
	} else if (is_busy(a)) {
		const char *s = told(body);

		fail(v, "BMC busy: HTTP status %ld, asked %d times%s%.200s", a->status,
		     TRIES, *s ? ": " : "", s);
	} else if (a->status == 401 && v->next != on_login && v->peer.user) {
		refuse(v); /* Basic: the password went with the request */
	} else if (!body && a->status == 200) {
		fail(v, "%s: %s", v->path, e.msg);
	}
	/* of a login that failed the session it may have given is closed */
	if ((!v->reading.error && !v->sweep->stopped_at) || v->next == on_login) {
		v->next(v, a, body);
	} else {
		if (v->registry != NAMES_NONE &&
		    v->sweep->registries[v->registry].state == FETCHING &&
		    v->next == on_registry) {
			/* settings are there, the registry only says more about them */
			v->reading.error = v->sweep->stopped_at > 0 ? "stopped" : NULL;
			v->sweep->registries[v->registry].state = MISSING;
		}
		visit_close(v);
	}
	json_decref(body);
}

void visit_login(struct visit *v)
{
	const struct redfish_options *o = v->sweep->o;
	json_t *login =
		json_pack("{s:s, s:s}", "UserName", o->user, "Password", o->password);
	char *text = json_dumps(login, JSON_COMPACT);

	strbuf_addstr(&v->body, text ? text : "");
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
	json_decref(login);
	send(v, "POST", sessions, false, on_login);
}
