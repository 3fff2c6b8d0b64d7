/* SPDX-License-Identifier: Apache-2.0 */
/* HTTPS through libcurl: see http.h. */
#include "bios/http.h"

#include <ctype.h>
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "bios/source.h"

enum { MAX_HEADER = 4096, CONNECT_LIMIT = 30 };

struct call {
	struct http *h;
	struct call *next;
	CURL *easy;
	struct curl_slist *headers;
	struct http_request request;
	struct http_answer answer;
	bool too_large;
	char error[CURL_ERROR_SIZE];
};

struct http {
	CURLM *multi;
	struct call *calls;
	size_t n;
};

/* What held a secret is wiped before it is given back. */
static void forget(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

int http_open(struct http **out, long most, struct err *e)
{
	struct http *h = mem_calloc(1, sizeof(*h));

	*out = h;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) || !(h->multi = curl_multi_init())) {
		free(h);
		*out = NULL;
		return err_set(e, ERR_SYSTEM, "libcurl does not start");
	}
	/* what is kept open for the next request counts as well */
	(void)curl_multi_setopt(h->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, most);
	(void)curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, most);
	(void)curl_multi_setopt(h->multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
	return 0;
}

static size_t on_body(char *data, size_t size, size_t n, void *ctx)
{
	struct call *c = ctx;

	if (c->answer.body.len + size * n > BIOS_MAX_TEXT) {
		c->too_large = true;
		return 0;
	}
	strbuf_add(&c->answer.body, data, size * n);
	return size * n;
}

static void keep_header(char **out, const char *data, size_t len, const char *name)
{
	size_t n = strlen(name);

	if (len <= n || strncasecmp(data, name, n) != 0 || len > MAX_HEADER)
		return;
	data += n;
	len -= n;
	while (len && isspace((unsigned char)*data)) {
		data++;
		len--;
	}
	while (len && isspace((unsigned char)data[len - 1]))
		len--;
	forget(*out);
	*out = mem_calloc(len + 1, 1);
	memcpy(*out, data, len);
}

static size_t on_header(char *data, size_t size, size_t n, void *ctx)
{
	struct call *c = ctx;

	keep_header(&c->answer.token, data, size * n, "X-Auth-Token:");
	keep_header(&c->answer.location, data, size * n, "Location:");
	return size * n;
}

static void set_trust(CURL *easy, const struct http_trust *t)
{
	bool verify = !t->insecure && (t->ca || !t->pin);

	(void)curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, verify ? 1L : 0L);
	(void)curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, verify ? 2L : 0L);
	if (t->ca)
		(void)curl_easy_setopt(easy, CURLOPT_CAINFO, t->ca);
	if (t->pin)
		(void)curl_easy_setopt(easy, CURLOPT_PINNEDPUBLICKEY, t->pin);
#if LIBCURL_VERSION_NUM >= 0x075500
	(void)curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR,
			       t->insecure ? "https,http" : "https");
#else
	(void)curl_easy_setopt(easy, CURLOPT_PROTOCOLS,
			       t->insecure ? CURLPROTO_HTTPS | CURLPROTO_HTTP
					   : CURLPROTO_HTTPS);
#endif
}

static void set_user(struct call *c, const struct http_peer *peer)
{
	struct strbuf header = {0};

	if (peer->token) {
		strbuf_addf(&header, "X-Auth-Token: %s", peer->token);
		c->headers = curl_slist_append(c->headers, header.buf);
		explicit_bzero(header.buf, header.len);
	} else if (peer->user) {
		(void)curl_easy_setopt(c->easy, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		(void)curl_easy_setopt(c->easy, CURLOPT_USERNAME, peer->user);
		(void)curl_easy_setopt(c->easy, CURLOPT_PASSWORD, peer->password);
	}
	strbuf_release(&header);
}

static void set_request(struct call *c, const struct http_peer *peer)
{
	const struct http_request *r = &c->request;
	struct strbuf url = {0};

	strbuf_addf(&url, "%s%s", peer->base, r->path);
	(void)curl_easy_setopt(c->easy, CURLOPT_URL, strbuf_str(&url));
	(void)curl_easy_setopt(c->easy, CURLOPT_CUSTOMREQUEST, r->method);
	if (r->body)
		(void)curl_easy_setopt(c->easy, CURLOPT_POSTFIELDS, r->body);
	(void)curl_easy_setopt(c->easy, CURLOPT_TIMEOUT_MS, (long)(r->limit * 1000));
	(void)curl_easy_setopt(c->easy, CURLOPT_CONNECTTIMEOUT,
			       r->limit < CONNECT_LIMIT ? (long)r->limit + 1
							: (long)CONNECT_LIMIT);
	(void)curl_easy_setopt(c->easy, CURLOPT_FORBID_REUSE, r->last ? 1L : 0L);
	(void)curl_easy_setopt(c->easy, CURLOPT_MAXFILESIZE, (long)BIOS_MAX_TEXT);
	c->headers = curl_slist_append(c->headers, "Content-Type: application/json");
	c->headers = curl_slist_append(c->headers, "Accept: application/json");
	c->headers = curl_slist_append(c->headers, "Expect:");
	strbuf_release(&url);
}

int http_send(struct http *h, const struct http_peer *peer, const struct http_request *r,
	      struct err *e)
{
	struct call *c = mem_calloc(1, sizeof(*c));

	c->h = h;
	c->request = *r;
	c->easy = curl_easy_init();
	if (!c->easy) {
		free(c);
		return err_set(e, ERR_SYSTEM, "libcurl does not start a request");
	}
	set_request(c, peer);
	set_trust(c->easy, &peer->trust);
	set_user(c, peer);
	(void)curl_easy_setopt(c->easy, CURLOPT_HTTPHEADER, c->headers);
	(void)curl_easy_setopt(c->easy, CURLOPT_NOSIGNAL, 1L);
	(void)curl_easy_setopt(c->easy, CURLOPT_PROXY, "");
	(void)curl_easy_setopt(c->easy, CURLOPT_ERRORBUFFER, c->error);
	(void)curl_easy_setopt(c->easy, CURLOPT_WRITEFUNCTION, on_body);
	(void)curl_easy_setopt(c->easy, CURLOPT_WRITEDATA, c);
	(void)curl_easy_setopt(c->easy, CURLOPT_HEADERFUNCTION, on_header);
	(void)curl_easy_setopt(c->easy, CURLOPT_HEADERDATA, c);
	(void)curl_easy_setopt(c->easy, CURLOPT_PRIVATE, c);
	c->next = h->calls;
	h->calls = c;
	h->n++;
	(void)curl_multi_add_handle(h->multi, c->easy);
	return 0;
}

size_t http_running(const struct http *h)
{
	return h->n;
}

static void explain(struct call *c, CURLcode rc)
{
	struct http_answer *a = &c->answer;
	struct strbuf text = {0};
	const char *why = c->error[0] ? c->error : curl_easy_strerror(rc);

	if (c->too_large || rc == CURLE_FILESIZE_EXCEEDED)
		strbuf_addf(&text, "an answer of more than %d MiB", BIOS_MAX_TEXT >> 20);
	else if (rc == CURLE_OPERATION_TIMEDOUT)
		strbuf_addf(&text, "no answer within %g s", c->request.limit);
	else if (rc == CURLE_PARTIAL_FILE)
		strbuf_addf(&text, "short body: the answer was cut off");
	else if (rc == CURLE_SSL_PINNEDPUBKEYNOTMATCH)
		strbuf_addf(&text, "its public key is not the one that is pinned");
	else if (rc == CURLE_PEER_FAILED_VERIFICATION)
		strbuf_addf(&text, "its certificate cannot be verified: %s", why);
	else
		utf8_printable(&text, why, strlen(why));
	(void)snprintf(a->text, sizeof(a->text), "%s", strbuf_str(&text));
	a->why = a->text;
	a->status = 0;
	strbuf_release(&text);
}

/* Takes the call out of the list, hands its answer over, frees it. */
static void finish(struct call *c)
{
	struct http *h = c->h;
	struct call **at = &h->calls;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	h->n--;
	(void)curl_multi_remove_handle(h->multi, c->easy);
	curl_easy_cleanup(c->easy);
	curl_slist_free_all(c->headers);
	c->request.answered(c->request.ctx, &c->answer);
	strbuf_release(&c->answer.body);
	forget(c->answer.token);
	free(c->answer.location);
	free(c);
}

int http_pump(struct http *h, double timeout, struct err *e)
{
	CURLMcode rc;
	CURLMsg *m;
	int running, left;

	rc = curl_multi_perform(h->multi, &running);
	if (!rc && running == (int)h->n)
		rc = curl_multi_poll(h->multi, NULL, 0, (int)(timeout * 1000), NULL);
	if (!rc)
		rc = curl_multi_perform(h->multi, &running);
	if (rc)
		return err_set(e, ERR_SYSTEM, "libcurl: %s", curl_multi_strerror(rc));
	while ((m = curl_multi_info_read(h->multi, &left))) {
		CURLcode result = m->data.result;
		struct call *c;
		char *private = NULL;

		if (m->msg != CURLMSG_DONE)
			continue;
		(void)curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &private);
		c = (struct call *)(void *)private;
		(void)curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE,
					&c->answer.status);
		if (result)
			explain(c, result);
		finish(c);
	}
	return 0;
}

void http_abort(struct http *h, const void *ctx)
{
	struct call *c = h->calls, *next;

	for (; c; c = next) {
		next = c->next;
		if (c->request.ctx != ctx)
			continue;
		c->answer.why = "given up";
		finish(c);
		return;
	}
}

void http_close(struct http *h)
{
	if (!h)
		return;
	/* what answers may ask again, so always the first: finish() took it from the list
	 */
	while (h->calls) {
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
		h->calls->answer.why = "given up";
		finish(h->calls);
	}
	(void)curl_multi_cleanup(h->multi);
	curl_global_cleanup();
	free(h);
}

int http_base(struct strbuf *out, const char *address, bool insecure, struct err *e)
{
	static const char https[] = "https://", http[] = "http://";
	const char *host = address;
	bool plain = !strncmp(address, http, sizeof(http) - 1);

	if (plain && !insecure)
		return err_set(e, ERR_USAGE,
			       "'%.100s': without TLS everybody could read the password; "
			       "only `insecure: true` allows it",
			       address);
	if (plain)
		host += sizeof(http) - 1;
	else if (!strncmp(address, https, sizeof(https) - 1))
		host += sizeof(https) - 1;
	if (!*host ||
	    host[strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			      "0123456789.-_:[]")])
		return err_set(e, ERR_USAGE,
			       "'%.100s' is no address of a BMC, expected a host name "
			       "with an optional port",
			       address);
	strbuf_addf(out, "%s%s", plain ? http : https, host);
	return 0;
}

const char *http_path(const char *path)
{
	const char *host = path ? strstr(path, "://") : NULL;

	if (host)
		path = strchr(host + 3, '/');
	if (!path || strncmp(path, "/redfish/", 9) != 0 || strlen(path) > 1024 ||
	    strstr(path, ".."))
		return NULL;
	for (const char *p = path; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("/._-~%:@$*()=?&,+'", *p))
			return NULL;
	}
	return path;
}
