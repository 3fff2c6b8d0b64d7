/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source racadm: what `racadm get BIOS.GROUP` prints, on the node or over ssh on the BMC,
 * and what it leaves in saved text. Every line is one of: "[Key=...]" before a group,
 * "[Job ID=...]" before a job, NAME=VALUE, "ERROR: ..." or talk.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "bios/source.h"
#include "record/json.h"

static const char pending_mark[] = "(Pending Value=";

/* The groups whose settings matter for computing, and the jobs that would change them. */
static const char *const commands[][4] = {
	{"racadm", "get", "BIOS.ProcSettings", NULL},
	{"racadm", "get", "BIOS.SysProfileSettings", NULL},
	{"racadm", "get", "BIOS.MemSettings", NULL},
	{"racadm", "get", "BIOS.IntegratedDevices", NULL},
	{"racadm", "get", "BIOS.SysInformation", NULL},
	{"racadm", "jobqueue", "view", NULL},
};

static const char *const *command(size_t i)
{
	return i < sizeof(commands) / sizeof(commands[0]) ? commands[i] : NULL;
}

/* What of the text we are in. */
enum section { BEFORE, ATTRIBUTES, OTHER_KEY, JOB };

enum { MOST_LINES = 8 }; /* named in a remark */

struct reader {
	struct bios_reading *out;
	enum section section;
	const char *file;       /* NULL: the text is of none */
	size_t line;            /* the one we are at, from 1 */
	size_t bad[MOST_LINES]; /* lines that say nothing we know */
	size_t n_bad;
	bool known;             /* the line we are at is one of racadm's */
	bool jobs;              /* somebody looked at the queue */
	char id[64], state[64]; /* of the job we are in */
	bool of_bios;
	char open_id[64], open_state[64]; /* of the open one */
	struct err *e;
};

static bool starts(const char *line, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && !memcmp(line, with, n);
}

static void copy(char *out, size_t size, const char *s, size_t len)
{
	if (len && s[len - 1] == ']')
		len--;
	if (len >= size)
		len = size - 1;
	memcpy(out, s, len);
	out[len] = '\0';
}

static bool is_open(const char *state)
{
	static const char *const closed[] = {"Completed", "Failed", "Reboot Completed",
					     "Reboot Failed"};

	for (size_t i = 0; i < sizeof(closed) / sizeof(closed[0]); i++) {
		if (!strncmp(state, closed[i], strlen(closed[i])))
			return false;
	}
	return *state != '\0';
}

static void end_job(struct reader *r)
{
	if (r->section == JOB && r->of_bios && is_open(r->state) && !*r->open_id) {
		memcpy(r->open_id, r->id, sizeof(r->id));
		memcpy(r->open_state, r->state, sizeof(r->state));
	}
	r->of_bios = false;
	r->state[0] = '\0';
}

static void job_line(struct reader *r, const char *line, size_t len)
{
	static const char name[] = "Job Name=", status[] = "Status=";

	if (starts(line, len, name))
		r->of_bios = memmem(line, len, "BIOS.", 5) != NULL;
	else if (starts(line, len, status))
		copy(r->state, sizeof(r->state), line + sizeof(status) - 1,
		     len - (sizeof(status) - 1));
}

static void header(struct reader *r, const char *line, size_t len)
{
	static const char job[] = "[Job ID=";

	end_job(r);
	if (starts(line, len, job)) {
		r->section = JOB;
		r->jobs = true;
		copy(r->id, sizeof(r->id), line + sizeof(job) - 1,
		     len - (sizeof(job) - 1));
	} else if (starts(line, len, "[Key=")) {
		r->section = starts(line, len, "[Key=BIOS.") ? ATTRIBUTES : OTHER_KEY;
	}
}

/* Bytes of a name: letters, digits, '_' and '.', beginning with a letter. */
static size_t name_length(const char *line, size_t len)
{
	size_t n = 0;

	if (!len || !isalpha((unsigned char)line[0]))
		return 0;
	while (n < len && (isalnum((unsigned char)line[n]) || strchr("_.", line[n])))
		n++;
	return n;
}

/* Where " (Pending Value=...)" begins at the end of a value; @len when it does not. */
static size_t pending_at(const char *value, size_t len)
{
	const size_t mark = sizeof(pending_mark) - 1;

	if (len < mark + 1 || value[len - 1] != ')')
		return len;
	for (size_t i = 0; i + mark < len; i++) {
		if ((!i || value[i - 1] == ' ') && !memcmp(value + i, pending_mark, mark))
			return i;
	}
	return len;
}

static const char *text_of(struct arena *a, const char *s, size_t len)
{
	while (len && isblank((unsigned char)s[len - 1]))
		len--;
	return arena_strndup(a, s, len);
}

static const char *where(const struct reader *r)
{
	struct arena *a = &r->out->arena;

	return r->file ? arena_printf(a, "%s:%zu", r->file, r->line)
		       : arena_printf(a, "line %zu", r->line);
}

/* A value that begins to tell what is pending, and does not end that. */
static bool is_cut_value(const char *value, size_t len)
{
	return len && value[len - 1] != ')' &&
	       memmem(value, len, pending_mark, sizeof(pending_mark) - 1);
}

static int attribute(struct reader *r, const char *line, size_t len)
{
	struct arena *a = &r->out->arena;
	bool read_only = *line == '#';
	const char *name = line + read_only, *value;
	size_t n = name_length(name, len - read_only), at;
	struct setting s = {.state = read_only ? SETTING_READ_ONLY : SETTING_RW};

	if (!n || n + read_only >= len || name[n] != '=')
		return 0; /* talk */
	value = name + n + 1;
	len -= (size_t)(value - line);
	r->known = !is_cut_value(value, len);
	s.where = where(r);
	at = pending_at(value, len);
	s.name = arena_strndup(a, name, n);
	s.current.text = text_of(a, value, at);
	s.has_pending = at < len;
	if (s.has_pending)
		s.pending.text = text_of(a, value + at + sizeof(pending_mark) - 1,
					 len - at - (sizeof(pending_mark) - 1) - 1);
	return settings_add(&r->out->settings, a, &s, r->e);
}

/* "/admin1-> " and "racadm>>" of a session that was saved. */
static bool skip_prompt(const char **line, size_t *len)
{
	static const char *const prompts[] = {"/admin1-> ", "racadm>>"};

	for (size_t i = 0; i < sizeof(prompts) / sizeof(prompts[0]); i++) {
		if (starts(*line, *len, prompts[i])) {
			*line += strlen(prompts[i]);
			*len -= strlen(prompts[i]);
			return true;
		}
	}
	return false;
}

/* What racadm says besides, and what stands between its answers in a saved session. */
static bool is_talk(const char *line, size_t len)
{
	static const char *const begins[] = {
		"Security Alert", "Continuing execution", "racadm", "/admin1->", "---",
		"Object value"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		if (starts(line, len, begins[i]))
			return true;
	}
	return memmem(line, len, "JOB QUEUE", 9) || memmem(line, len, "racadm ", 7);
}

/* Before the first key a shell greets with whatever it likes. */
static bool is_greeting(const struct reader *r, const char *line, size_t len)
{
	size_t n = name_length(line, len);

	return r->section == BEFORE && !(n && n < len && line[n] == '=');
}

static int one_line(struct reader *r, const char *line, size_t len)
{
	while (len && strchr(" \t\r", line[len - 1]))
		len--;
	while (len && isblank((unsigned char)*line)) {
		line++;
		len--;
	}
	/* what stands behind a prompt was typed */
	r->known = skip_prompt(&line, &len) || !len || is_talk(line, len) ||
		   is_greeting(r, line, len) || r->section == JOB ||
		   r->section == OTHER_KEY;
	if (!len)
		return 0;
	if (starts(line, len, "ERROR:"))
		return err_set(r->e, ERR_USAGE, "%.*s", len < 300 ? (int)len : 300, line);
	if (memmem(line, len, "JOB QUEUE", 9))
		r->jobs = true;
	if (*line == '[') {
		r->known |= line[len - 1] == ']';
		header(r, line, len);
		return 0;
	}
	if (r->section == JOB) {
		job_line(r, line, len);
		return 0;
	}
	return r->section == ATTRIBUTES ? attribute(r, line, len) : 0;
}

/* A last line that is none, and does not end either, is the half of one. */
static int unknown_line(struct reader *r, bool last)
{
	if (last)
		return err_set(r->e, ERR_USAGE, "%s: the text is cut off here", where(r));
	if (r->n_bad < MOST_LINES)
		r->bad[r->n_bad] = r->line;
	r->n_bad++;
	return 0;
}

static int read_text(struct reader *r, const struct bios_text *t)
{
	const char *at = t->text, *end = t->text + t->len;
	bool keys = memmem(t->text, t->len, "[Key=", 5) != NULL;

	r->section = keys ? BEFORE : ATTRIBUTES;
	r->file = t->name;
	r->line = 0;
	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((nl ? nl : end) - at);

		r->line++;
		if (memchr(at, '\0', len))
			return err_set(r->e, ERR_USAGE, "not text: a NUL byte in it");
		if (one_line(r, at, len) || (!r->known && unknown_line(r, !nl)))
			return -1;
		at += len + 1;
	}
	if (t->len && end[-1] != '\n' && r->section == ATTRIBUTES)
		bios_remark(r->out, "%s has no end of line: it may be cut off", where(r));
	end_job(r);
	return 0;
}

/* Lines that were passed over, of one text or of several. */
static void say_bad(struct reader *r)
{
	struct strbuf text = {0};

	for (size_t i = 0; i < r->n_bad && i < MOST_LINES; i++)
		strbuf_addf(&text, "%s%zu", i ? ", " : "", r->bad[i]);
	if (r->n_bad)
		bios_remark(r->out, "passed over as none of racadm's: line%s %s%s",
			    r->n_bad == 1 ? "" : "s", strbuf_str(&text),
			    r->n_bad > MOST_LINES ? ", ..." : "");
	strbuf_release(&text);
}

static void put_job(struct reader *r)
{
	json_t *o;
	char *text;

	if (!r->jobs)
		return;
	o = json_object();
	if (*r->open_id) {
		(void)json_object_set_new(o, "id", json_clean_string(r->open_id));
		(void)json_object_set_new(o, "state", json_clean_string(r->open_state));
	}
	text = json_dumps(o, JSON_COMPACT);
	r->out->job = arena_strdup(&r->out->arena, text);
	free(text);
	json_decref(o);
}

static int read_all(struct bios_reading *out, const struct bios_text *texts, size_t n,
		    struct err *e)
{
	struct reader r = {.out = out, .e = e};
	size_t twice;

	for (size_t i = 0; i < n; i++) {
		if (read_text(&r, &texts[i]))
			return -1;
	}
	if (settings_unique(&out->settings, &twice, e))
		return -1;
	if (twice)
		bios_remark(out, "%zu attribute%s there twice, with the same value",
			    twice, twice == 1 ? " is" : "s are");
	say_bad(&r);
	put_job(&r);
	return 0;
}

/* Key lines, an error, or nothing but NAME=VALUE lines and talk: no other format is that.
 */
static bool is(const char *text, size_t len)
{
	const char *error;
	size_t skip = 0;

	while (skip < len && isspace((unsigned char)text[skip]))
		skip++;
	if (skip < len && strchr("{<", text[skip]))
		return false;
	error = memmem(text, len, "ERROR:", 6);
	return memmem(text, len, "[Key=", 5) ||
	       (error && (error == text || error[-1] == '\n')) ||
	       memmem(text, len, "LogicalProc=", 12);
}

const struct bios_source source_racadm = {
	.name = "racadm",
	.help = "racadm on the node, over ssh on the BMC, or what it printed",
	.where = BIOS_NODE,
	.command = command,
	.is = is,
	.read = read_all,
};
