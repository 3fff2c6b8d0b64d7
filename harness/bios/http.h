/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests to BMCs over HTTPS, many at a time on one thread. No redirect is followed, no
 * proxy asked, no answer larger than BIOS_MAX_TEXT taken; certificates are verified, or
 * the BMC's public key is the one that was pinned, or whoever runs this said in so many
 * words that it need not be.
 */
#ifndef ASSAY_BIOS_HTTP_H
#define ASSAY_BIOS_HTTP_H

#include <stdbool.h>

#include "base/err.h"
#include "base/strbuf.h"

struct http; /* all of them */

struct http_trust {
	const char *ca;  /* file of certificates, NULL: those of the system */
	const char *pin; /* "sha256//..." of the public key, NULL: none */
	bool insecure;   /* nothing is verified, and http:// is allowed */
};

/* One connection's worth of requests, one after the other. */
struct http_peer {
	const char *base; /* "https://host:port", see http_base() */
	struct http_trust trust;
	char *token; /* X-Auth-Token of a session, NULL: none; wiped at the end */
	const char *user, *password; /* for Basic, while there is no token; or NULL */
};

struct http_answer {
	long status; /* 0: there was none, and `why` says why */
	struct strbuf body;
	char *token, *location; /* headers of a new session, or NULL */
	const char *why;        /* one sentence, without secrets; lives as long as this */
	char text[300];
};

struct http_request {
	const char *method, *path; /* @path as http_path() allows */
	const char *body;          /* JSON or NULL; stays the caller's until answered */
	double limit;              /* s */
	bool last;                 /* the connection is closed behind it */
	void (*answered)(void *ctx, struct http_answer *a); /* may send the next one */
	void *ctx;
};

/* @most connections are open at a time. */
int http_open(struct http **h, long most, struct err *e);
void http_close(struct http *h);

/* Starts a request; the answer comes from http_pump(). */
int http_send(struct http *h, const struct http_peer *peer, const struct http_request *r,
	      struct err *e);
/* Requests without an answer yet. */
size_t http_running(const struct http *h);
/* Waits at most @timeout s for something to happen; calls answered(). */
int http_pump(struct http *h, double timeout, struct err *e);
/* Gives up the requests of @ctx: answered() gets "given up" at once. */
void http_abort(struct http *h, const void *ctx);

/* Appends "https://ADDRESS"; ERR_USAGE for what is no host with an optional port. */
int http_base(struct strbuf *out, const char *address, bool insecure, struct err *e);
/* @path, perhaps with a host in front, is one of a Redfish service; the path or NULL. */
const char *http_path(const char *path);

#endif
