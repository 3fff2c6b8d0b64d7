/* SPDX-License-Identifier: Apache-2.0 */
/* Judged run folders: see judged.h. */
#include "cmd/judged.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "reports/emit.h"

int judged_load(struct judged *v, const char *dir, const struct judge_config *c,
		struct err *e)
{
	v->dir = dir;
	if (state_replay(&v->state, dir, e)) {
		if (e->kind != ERR_NOTFOUND)
			return -1;
		e->kind = ERR_USAGE;
		return err_at(e, "'%s' is not a run folder", dir);
	}
	return judge(&v->summary, &v->state, c, e);
}

int judged_open(struct judged *v, const struct cmd_env *env, const char *dir,
		const struct judged_options *o, struct err *e)
{
	const char *configs = o->configs ? o->configs : env->configs;
	struct strbuf kept = {0}, file = {0};
	int rc;

	strbuf_addf(&kept, "%s/config", dir);
	strbuf_addf(&file, "%s/cpus.yaml", kept.buf);
	if (!o->configs && !access(file.buf, F_OK))
		configs = kept.buf;
	rc = judge_config_load(&v->config, configs, o->baseline, e);
	if (!rc)
		rc = judged_load(v, dir, v->config, e);
	strbuf_release(&kept);
	strbuf_release(&file);
	return rc;
}

void judged_ended(struct judged *v, const struct record_end *end)
{
	v->state.end = *end;
	v->state.has_end = true;
	v->summary.exit = (int)end->exit;
	v->summary.accepted &= end->exit == 0;
}

int judged_save(const struct judged *v, const char *dir, struct err *e)
{
	for (size_t i = 0; report_at(i); i++) {
		if (report_save(report_at(i), &v->summary, dir, e))
			return -1;
	}
	return 0;
}

/* Whoever read our standard output has gone: a pipe says so at its other end. */
static bool reader_left(FILE *out)
{
	struct pollfd p = {.fd = fileno(out)};

	return poll(&p, 1, 0) > 0 && (p.revents & POLLERR);
}

/* The end of writing: @rc of the writer, unless nobody reads it any more. */
static int written(FILE *out, int rc, struct err *e)
{
	if (!rc && fflush(out))
		rc = err_sys(e, errno, "cannot write");
	if (!rc)
		return 0;
	clearerr(out); /* main looks at stdout once more, and would say it again */
	if (!reader_left(out))
		return err_at(e, "standard output");
	memset(e, 0, sizeof(*e));
	return 0;
}

int judged_put(struct strbuf *text, FILE *out, struct err *e)
{
	return written(out, emit(text, out, e), e);
}

int judged_print(const struct judged *v, const char *writer, FILE *out, struct err *e)
{
	struct report_style style = cmd_style(fileno(out));

	style.dir = v->dir;
	return written(out, report_find(writer)->write(&v->summary, &style, out, e), e);
}

void judged_release(struct judged *v)
{
	summary_release(&v->summary);
	state_release(&v->state);
	judge_config_free(v->config);
	memset(v, 0, sizeof(*v));
}

static int add_format(const char *name, const struct report_writer **list, size_t *n,
		      struct err *e)
{
	const struct report_writer *w = report_find(name);
	struct suggest near = suggest_start(name);

	for (size_t i = 0; !w && report_at(i); i++)
		suggest_offer(&near, report_at(i)->name);
	if (!w && near.best)
		return err_set(e, ERR_USAGE, "unknown report '%.64s', did you mean '%s'?",
			       name, near.best);
	if (!w)
		return err_set(e, ERR_USAGE,
			       "unknown report '%.64s', see assay list reports", name);
	for (size_t i = 0; i < *n; i++) {
		if (list[i] == w)
			return err_set(e, ERR_USAGE, "report '%s' is named twice", name);
	}
	list[(*n)++] = w;
	return 0;
}

int judged_formats(const char *text, const struct report_writer **list, size_t *n,
		   struct err *e)
{
	struct strbuf name = {0};
	int rc = 0;

	for (*n = 0; !rc; text++) {
		size_t len = strcspn(text, ",");

		strbuf_reset(&name);
		strbuf_add(&name, text, len);
		rc = add_format(strbuf_str(&name), list, n, e);
		text += len;
		if (!*text)
			break;
	}
	strbuf_release(&name);
	return rc;
}
