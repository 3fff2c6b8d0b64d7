/* SPDX-License-Identifier: Apache-2.0 */
/* What a step came to, in a cause and a sentence: see harvest.h. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/utf8.h"
#include "run/harvest.h"

/* Exit statuses of a kernel, as the kit gives them. */
enum { KERNEL_FAILED = 1, KERNEL_USAGE = 2, KERNEL_NOT_RUN = 3, KERNEL_WATCHDOG = 124 };

/* Bytes of what a program printed that a reason quotes. */
enum { MOST_WORDS = 240 };

int harvest_signal(const struct harvest *h, const struct spawn_result *r)
{
	if (r->signal)
		return r->signal;
	/* 132 and the like are mpirun's own errors then */
	if (h->refusal.what)
		return 0;
	return r->exit > 128 && r->exit <= 128 + SIGRTMAX ? r->exit - 128 : 0;
}

void harvest_how(const struct harvest *h, const struct spawn_result *r,
		 struct strbuf *reason)
{
	int sig = harvest_signal(h, r);

	if (h->refusal.what)
		refusal_text(&h->refusal, reason);
	else if (sig)
		strbuf_addf(reason, "ended by signal %d (%s)", sig, strsignal(sig));
	else
		strbuf_addf(reason, "exit status %d", r->exit);
}

static void add_complaint(const struct harvest *h, struct strbuf *reason)
{
	/* mpirun's first line of an end it does not explain, one time in three */
	static const char nothing_new[] = "Primary job";
	const struct strbuf *text = h->killed.len ? &h->killed : &h->complaint;

	if (h->refusal.what)
		return; /* that was it */
	if (text->len && strncmp(strbuf_str(text), nothing_new, sizeof(nothing_new) - 1))
		strbuf_addf(reason, ": %s", strbuf_str(text));
}

/* No record at all: the kernel never ran, whatever the status. */
static const char *nothing(const struct harvest *h, const struct spawn_result *r,
			   bool direct, struct strbuf *reason)
{
	bool kernel_spoke = direct || harvest_signal(h, r) || r->exit == KERNEL_USAGE ||
			    r->exit == KERNEL_NOT_RUN;

	if (h->refusal.what) {
		refusal_text(&h->refusal, reason);
		return "launch";
	}
	if (h->complaint.len && !kernel_spoke) {
		strbuf_addf(reason, "launcher refused: %s", strbuf_str(&h->complaint));
		return "launch";
	}
	harvest_how(h, r, reason);
	strbuf_addstr(reason, " and not one record");
	add_complaint(h, reason);
	/* what the kernel itself refuses it will refuse again */
	return r->exit && r->exit != KERNEL_USAGE ? "launch" : "no-data";
}

static const char *incomplete(const struct harvest *h, const struct spawn_result *r,
			      struct strbuf *reason)
{
	if (!r->exit) {
		strbuf_addf(reason, "no final count after %lld records: output is torn",
			    (long long)h->marked);
		return "invalid";
	}
	harvest_how(h, r, reason);
	strbuf_addstr(reason, " before the result was complete");
	add_complaint(h, reason);
	return "no-data";
}

/* The end record is there: do the numbers fit? */
static const char *counted(const struct harvest *h, const struct spawn_result *r,
			   struct strbuf *reason)
{
	int64_t missing = 0;

	if (h->end_count != h->marked) {
		strbuf_addf(reason, "%lld records of %lld: output is torn",
			    (long long)h->marked, (long long)h->end_count);
		return "invalid";
	}
	while (missing < h->step->ranks && h->rank_seen[missing])
		missing++;
	if (missing < h->step->ranks) {
		strbuf_addf(reason, "no record of rank %lld on '%s'", (long long)missing,
			    harvest_node(h->step, missing));
		return "invalid";
	}
	if (r->exit != 0 && !(r->exit == KERNEL_FAILED && h->failed)) {
		harvest_how(h, r, reason);
		strbuf_addstr(reason, " after a complete result");
		add_complaint(h, reason);
		return "invalid";
	}
	if (!h->samples) {
		strbuf_addstr(reason, "not one number");
		return "no-data";
	}
	if (r->left)
		strbuf_addf(reason, "left %zu processes behind, which were ended",
			    r->left);
	return "ok";
}

/* What a line says that tells of a failure; in small letters. */
static bool says_why(const char *line, size_t len)
{
	static const char *const signs[] = {
		"error",         "cannot",  "could not", "unable",  "fail",
		"abort",         "illegal", "invalid",   "no such", "not found",
		"need at least", "denied",  "missing",   "fatal",   "exception",
	};
	char small[200];
	size_t n = len < sizeof(small) - 1 ? len : sizeof(small) - 1;

	for (size_t i = 0; i < n; i++)
		small[i] =
			(char)(line[i] >= 'A' && line[i] <= 'Z' ? line[i] | 32 : line[i]);
	small[n] = '\0';
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (strstr(small, signs[i]))
			return true;
	}
	return false;
}

/* Without the frame of blanks and dashes. */
static size_t trimmed(const char **line, size_t len)
{
	static const char frame[] = " \t\r-=*#<>";

	while (len && (strchr(frame, **line) || !**line)) {
		(*line)++;
		len--;
	}
	while (len && (strchr(frame, (*line)[len - 1]) || !(*line)[len - 1]))
		len--;
	return len;
}

static void quote(struct strbuf *reason, const char *text, size_t len)
{
	utf8_printable(reason, text, len < MOST_WORDS ? len : MOST_WORDS);
}

void harvest_words(const struct harvest *h, bool last, struct strbuf *reason)
{
	const char *at = strbuf_str(&h->text), *end = at + h->text.len;
	const char *found = NULL, *next;
	size_t found_len = 0;
	bool sure = false;

	/* the first that sounds like it */
	while (at < end && !sure) {
		const char *line = at;
		const size_t len = strcspn(at, "\n"), n = trimmed(&line, len);

		at += len + 1;
		sure = n && says_why(line, n);
		if (sure || (n && last)) {
			found = line;
			found_len = n;
		}
	}
	if (!found)
		return;
	strbuf_addstr(reason, "; it printed: ");
	quote(reason, found, found_len);
	/* and the next one when that is only its head */
	next = at;
	if (!sure || found[found_len - 1] != ':' || at >= end)
		return;
	found_len = trimmed(&next, strcspn(at, "\n"));
	strbuf_addch(reason, ' ');
	quote(reason, next, found_len);
}

/* A program of somebody else: its text is all there is, and its exit status a hint. */
static const char *by_text(const struct harvest *h, const struct spawn_result *r,
			   struct strbuf *reason)
{
	if (h->part ||
	    (h->samples && !h->problem.len && ((!r->exit && !r->signal) || h->failed)))
		return "ok";
	if (r->exit || r->signal) {
		harvest_how(h, r, reason);
		add_complaint(h, reason);
		if (h->explained)
			strbuf_addf(reason, "; %s", strbuf_str(&h->problem));
		else
			harvest_words(h, true, reason);
		return h->text.len && !h->refusal.what ? "no-data" : "launch";
	}
	strbuf_addstr(reason,
		      h->problem.len ? strbuf_str(&h->problem) : "not one number");
	if (!h->explained)
		harvest_words(h, false, reason);
	return h->text_cause ? h->text_cause : "no-data";
}

static const char *by_records(const struct harvest *h, const struct spawn_result *r,
			      bool direct, struct strbuf *reason)
{
	if (h->ended && h->end_ranks != h->step->ranks) {
		strbuf_addf(reason, "world of %lld ranks, %d were started",
			    (long long)h->end_ranks, h->step->ranks);
		return "invalid";
	}
	if (h->problem.len) {
		strbuf_addstr(reason, strbuf_str(&h->problem));
		return "invalid";
	}
	if (h->invalid.len) {
		strbuf_addstr(reason, strbuf_str(&h->invalid));
		return "invalid";
	}
	if (h->skip.len) {
		strbuf_addstr(reason, strbuf_str(&h->skip));
		return "skip";
	}
	if (!h->marked && !h->ended)
		return nothing(h, r, direct, reason);
	return h->ended ? counted(h, r, reason) : incomplete(h, r, reason);
}

static const char *cause_of(const struct harvest *h, const struct spawn_result *r,
			    bool direct, struct strbuf *reason)
{
	switch (r->end) {
	case SPAWN_FAILED:
		if (h->step->n_command && r->error == ENOENT)
			strbuf_addf(reason, "command not found: '%.200s'",
				    h->step->command[0]);
		else
			strbuf_addf(reason, "cannot be started: %s", strerror(r->error));
		return "launch";
	case SPAWN_TIMEOUT:
		strbuf_addf(reason, "not done after %g s", h->step->limit);
		if (r->stuck)
			strbuf_addf(reason, ", and %zu processes cannot be ended",
				    r->stuck);
		return "timeout";
	case SPAWN_STOPPED:
		if (h->bytes > h->most)
			break;
		strbuf_addstr(reason, "stopped");
		return "aborted";
	case SPAWN_EXITED:
		break;
	}
	if (r->exit == KERNEL_WATCHDOG && !h->ended) {
		strbuf_addstr(reason, "ended by the kernel's own time limit");
		return "timeout";
	}
	return h->step->n_command ? by_text(h, r, reason)
				  : by_records(h, r, direct, reason);
}

const char *harvest_cause(const struct harvest *h, const struct spawn_result *r,
			  bool direct, struct strbuf *reason)
{
	static const char *const helped[] = {"launch", "timeout", "no-data"};
	const char *cause = cause_of(h, r, direct, reason);

	for (size_t i = 0; h->hint && i < sizeof(helped) / sizeof(helped[0]); i++) {
		if (!strcmp(cause, helped[i]))
			strbuf_addf(reason, "; hint: %s", h->hint);
	}
	return cause;
}
