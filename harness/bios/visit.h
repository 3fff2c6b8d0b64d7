/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One BMC on its way through login, settings, jobs and logout, and what all of them
 * share: parts of redfish.c.
 */
#ifndef ASSAY_BIOS_VISIT_H
#define ASSAY_BIOS_VISIT_H

#include "base/names.h"
#include "bios/http.h"
#include "bios/redfish.h"

/* Seconds for a login that is under way, and for closing sessions, once we are stopped.
 */
#define VISIT_STOP_LIMIT 8.0

/* The same of many nodes, fetched once. */
struct registry {
	enum { FETCHING, THERE, MISSING } state;
	json_t *json;
};

struct sweep;

/* One BMC on its way. */
struct visit {
	struct sweep *sweep;
	size_t i; /* place of the target */
	struct http_peer peer;
	struct bios_reading reading;
	/* what is sent now, and what comes of its answer */
	void (*next)(struct visit *v, struct http_answer *a, const json_t *body);
	struct http_request request;
	char *path, *session; /* malloced: of the request; of the session, NULL none */
	struct strbuf body;
	int tries;
	double again_at; /* clock_now() at which a busy BMC is asked again; 0 not */
	bool dell, login, closing;
	size_t job_path, n_jobs;
	json_t *settings, *jobs;   /* kept until all is there */
	const char *registry_name; /* as the Bios resource has it, or NULL */
	size_t registry;           /* number of its name, NAMES_NONE */
	struct visit *waiting;     /* in the list of those that wait for a registry */
};

struct sweep {
	const struct redfish_target *targets;
	const struct redfish_options *o;
	size_t n, next, active;
	struct http *http;
	size_t refused, logins; /* refusals; logins under way */
	bool accepted;          /* some BMC took the password */
	struct names names;     /* of registries */
	struct registry *registries;
	size_t cap_registries;
	struct visit *waiting, **all; /* all: by target, NULL when it is done */
	int (*fn)(void *ctx, size_t i, struct bios_reading *r, struct err *e);
	void *ctx;
	struct err *e;
	bool failed;
	double stopped_at; /* clock_now(); 0: not */
};

/* Sends the login; the answers do the rest, up to visit_done(). visit.c */
void visit_login(struct visit *v);
/* Asks a busy BMC again. */
void visit_again(struct visit *v);
/* Ends the session, if there is one, and then the visit. */
void visit_close(struct visit *v);
/* The login is over, whatever came of it. */
void visit_logged_in(struct visit *v);

/* The visit has ended: its reading is handed over, or waits for a registry. redfish.c */
void visit_done(struct visit *v);

#endif
