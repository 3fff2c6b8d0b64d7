/* SPDX-License-Identifier: Apache-2.0 */
/* The table of report writers, and how a report gets into a file. */
#include "reports/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "reports/emit.h"

#define REPORT(name) extern const struct report_writer report_##name;
#include "reports/writers.def"
#undef REPORT

static const struct report_writer *const writers[] = {
#define REPORT(name) &report_##name,
#include "reports/writers.def"
#undef REPORT
};

enum { N_WRITERS = sizeof(writers) / sizeof(writers[0]) };

const struct report_writer *report_at(size_t i)
{
	return i < N_WRITERS ? writers[i] : NULL;
}

const struct report_writer *report_find(const char *name)
{
	for (size_t i = 0; i < N_WRITERS; i++) {
		if (!strcmp(writers[i]->name, name))
			return writers[i];
	}
	return NULL;
}

bool report_finished(const struct state *st)
{
	return st->has_end && (st->end.exit == RECORD_NO_INT || st->end.exit < 128);
}

int emit(struct strbuf *text, FILE *out, struct err *e)
{
	size_t done = fwrite(strbuf_str(text), 1, text->len, out);

	if (done != text->len)
		return err_sys(e, errno, "cannot write");
	strbuf_reset(text);
	return 0;
}

struct report_job {
	const struct report_writer *writer;
	const struct summary *summary;
	const struct report_style *style;
};

static int write_job(FILE *out, const void *ctx, struct err *e)
{
	const struct report_job *job = ctx;

	return job->writer->write(job->summary, job->style, out, e);
}

/* Into a pipe or a device, which cannot be replaced. */
static int write_to(const char *path, const struct report_job *job, struct err *e)
{
	FILE *out = fopen(path, "we");
	int rc;

	if (!out)
		return err_sys(e, errno, "cannot open '%s'", path);
	rc = write_job(out, job, e);
	if (fclose(out) && !rc)
		rc = err_sys(e, errno, "cannot write");
	return rc ? err_at(e, "'%s'", path) : 0;
}

int report_save_as(const struct report_writer *w, const struct summary *s,
		   const struct report_style *style, const char *path, struct err *e)
{
	const struct report_job job = {w, s, style};
	struct stat st;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return write_to(path, &job, e);
	return file_save_by(path, 0666, write_job, &job, e);
}

int report_save(const struct report_writer *w, const struct summary *s, const char *dir,
		struct err *e)
{
	struct report_style plain = {.width = 100, .dir = dir};
	struct strbuf path = {0};
	int rc;

	strbuf_addf(&path, "%s/report%s", dir, w->suffix);
	rc = report_save_as(w, s, &plain, path.buf, e);
	strbuf_release(&path);
	return rc;
}
