/* SPDX-License-Identifier: Apache-2.0 */
/* The table of sources, and what all of them share: see source.h. */
#include "bios/source.h"

#include <stdarg.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/suggest.h"

static const struct bios_source *const sources[] = {
#define SOURCE(name) &source_##name,
#include "bios/sources.def"
#undef SOURCE
};

enum { N_SOURCES = sizeof(sources) / sizeof(sources[0]) };

const struct bios_source *bios_source_at(size_t i)
{
	return i < N_SOURCES ? sources[i] : NULL;
}

const struct bios_source *bios_source_find(const char *name)
{
	for (size_t i = 0; i < N_SOURCES; i++) {
		if (!strcmp(sources[i]->name, name))
			return sources[i];
	}
	return NULL;
}

int bios_source_pick(const struct bios_source **out, const char *name, struct err *e)
{
	struct suggest near = suggest_start(name);

	*out = bios_source_find(name);
	if (*out)
		return 0;
	for (size_t i = 0; i < N_SOURCES; i++)
		suggest_offer(&near, sources[i]->name);
	if (near.best)
		return err_set(e, ERR_USAGE,
			       "unknown BIOS source '%.64s', did you mean '%s'?", name,
			       near.best);
	return err_set(e, ERR_USAGE,
		       "unknown BIOS source '%.64s', see assay list sources", name);
}

const struct bios_source *bios_source_of(const char *text, size_t len)
{
	for (size_t i = 0; i < N_SOURCES; i++) {
		if (sources[i]->is && sources[i]->is(text, len))
			return sources[i];
	}
	return NULL;
}

void bios_read(struct bios_reading *out, const struct bios_source *source,
	       const struct bios_text *texts, size_t n)
{
	struct err e = {0};

	memset(out, 0, sizeof(*out));
	out->source = source->name;
	if (source->read(out, texts, n, &e)) {
		err_clean(&e);
		out->error = arena_strdup(&out->arena, e.msg);
	} else if (!out->settings.n) {
		out->error = "no BIOS attributes returned";
	}
	if (out->error)
		settings_release(&out->settings);
}

void bios_remark(struct bios_reading *r, const char *fmt, ...)
{
	struct strbuf text = {0};
	va_list ap;

	if (r->remark)
		strbuf_addf(&text, "%s; ", r->remark);
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	r->remark = arena_strdup(&r->arena, strbuf_str(&text));
	strbuf_release(&text);
}

void bios_reading_release(struct bios_reading *r)
{
	settings_release(&r->settings);
	arena_release(&r->arena);
	memset(r, 0, sizeof(*r));
}

struct record bios_record(struct bios_reading *r, const char *node)
{
	struct record out = record_make(RECORD_KIND_bios);

	out.u.bios.node = node;
	out.u.bios.source = r->source;
	out.u.bios.attributes = settings_json(&r->settings, &r->arena);
	out.u.bios.job = r->job;
	out.u.bios.chassis = r->chassis;
	out.u.bios.link = r->link;
	out.u.bios.remark = r->remark;
	out.u.bios.error = r->error;
	return out;
}
