/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source scp-xml: a Server Configuration Profile as iDRAC exports it. What cannot be set
 * stands in comments, `<!--  ReadOnly  <Attribute ...> -->` for identity, without that
 * word for attributes another one locks; a plain reader of XML would lose just these.
 */
#include <expat.h>
#include <string.h>
#include <strings.h>

#include "base/strbuf.h"
#include "bios/source.h"

enum { MAX_DEPTH = 32 };

struct reader {
	struct bios_reading *out;
	XML_Parser parser;
	int depth;          /* of open elements */
	int component;      /* depth of the BIOS component we are in, 0 none */
	unsigned long line; /* of the comment we are in, 0: in none */
	bool root;          /* SystemConfiguration was seen */
	bool attribute;
	enum setting_state state; /* of what we read: a comment says it */
	char name[SETTINGS_NAME + 1];
	struct strbuf value;
	struct err *e;
	int rc;
};

static void fail(struct reader *r, const char *why)
{
	if (!r->rc)
		r->rc = err_set(r->e, ERR_USAGE, "line %lu: %s",
				(unsigned long)XML_GetCurrentLineNumber(r->parser), why);
	(void)XML_StopParser(r->parser, XML_FALSE);
}

static const char *find(const char **attributes, const char *name)
{
	for (; *attributes; attributes += 2) {
		if (!strcmp(attributes[0], name))
			return attributes[1];
	}
	return "";
}

static void on_start(void *ctx, const char *name, const char **attributes)
{
	struct reader *r = ctx;

	if (++r->depth > MAX_DEPTH) {
		fail(r, "nested too deep");
	} else if (r->depth == 1) {
		r->root = !strcmp(name, "SystemConfiguration");
		if (!r->root)
			fail(r, "no SystemConfiguration");
	} else if (!r->component && !strcmp(name, "Component") &&
		   !strncmp(find(attributes, "FQDD"), "BIOS.", 5)) {
		r->component = r->depth;
	} else if (r->component && r->depth == r->component + 1 &&
		   !strcmp(name, "Attribute")) {
		const char *text = find(attributes, "Name");

		if (strlen(text) > SETTINGS_NAME) {
			fail(r, "the name of an attribute is too long");
			return;
		}
		memcpy(r->name, text, strlen(text) + 1);
		strbuf_reset(&r->value);
		r->attribute = true;
	}
}

static void on_text(void *ctx, const char *s, int len)
{
	struct reader *r = ctx;

	if (!r->attribute || r->depth != r->component + 1)
		return;
	if (r->value.len + (size_t)len > SETTINGS_VALUE)
		fail(r, "a value is too long");
	else
		strbuf_add(&r->value, s, (size_t)len);
}

static void on_end(void *ctx, const char *name)
{
	struct reader *r = ctx;

	(void)name;
	if (r->attribute && r->depth == r->component + 1) {
		struct setting s = {.name = r->name, .state = r->state};
		struct err e = {0};

		s.current.text = strbuf_str(&r->value);
		s.where = arena_printf(
			&r->out->arena, "line %lu",
			r->line ? r->line
				: (unsigned long)XML_GetCurrentLineNumber(r->parser));
		r->attribute = false;
		if (settings_add(&r->out->settings, &r->out->arena, &s, &e))
			fail(r, e.msg);
	}
	if (r->depth-- == r->component)
		r->component = 0;
}

static void on_doctype(void *ctx, const char *name, const char *system_id,
		       const char *public_id, int has_internal)
{
	(void)name;
	(void)system_id;
	(void)public_id;
	(void)has_internal;
	fail(ctx, "a DOCTYPE: exports have none, and entities are not read");
}

/* The attribute in a comment, by a parser of its own, as if it stood in a component. */
static void on_comment(void *ctx, const char *text)
{
	struct reader *r = ctx;
	const char *at = r->component && r->depth == r->component
				 ? strstr(text, "<Attribute")
				 : NULL;
	const char *word = strcasestr(text, "ReadOnly");
	struct reader in = {.out = r->out,
			    .depth = 1,
			    .component = 1,
			    .root = true,
			    .line = (unsigned long)XML_GetCurrentLineNumber(r->parser),
			    .e = r->e};

	if (!at)
		return;
	in.state = word && word < at ? SETTING_READ_ONLY : SETTING_LOCKED;
	in.parser = XML_ParserCreate("UTF-8");
	if (!in.parser) {
		fail(r, "out of memory");
		return;
	}
	XML_SetUserData(in.parser, &in);
	XML_SetElementHandler(in.parser, on_start, on_end);
	XML_SetCharacterDataHandler(in.parser, on_text);
	/* blanks may follow; what else does is talk, as is all that is no attribute */
	(void)XML_Parse(in.parser, at, (int)strlen(at), XML_FALSE);
	if (in.rc)
		fail(r, "in a comment: no attribute");
	XML_ParserFree(in.parser);
	strbuf_release(&in.value);
}

static int parse(struct reader *r, const char *text, size_t len)
{
	XML_SetUserData(r->parser, r);
	XML_SetElementHandler(r->parser, on_start, on_end);
	XML_SetCharacterDataHandler(r->parser, on_text);
	XML_SetCommentHandler(r->parser, on_comment);
	XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
	if (XML_Parse(r->parser, text, (int)len, XML_TRUE) != XML_STATUS_OK && !r->rc)
		r->rc = err_set(r->e, ERR_USAGE, "line %lu: not XML: %s",
				(unsigned long)XML_GetCurrentLineNumber(r->parser),
				XML_ErrorString(XML_GetErrorCode(r->parser)));
	return r->rc;
}

static int read_texts(struct bios_reading *out, const struct bios_text *texts, size_t n,
		      struct err *e)
{
	struct reader r = {.out = out, .e = e};
	int rc;

	if (n != 1)
		return err_set(e, ERR_USAGE, "%zu exports of one node", n);
	if (texts->len > BIOS_MAX_TEXT)
		return err_set(e, ERR_USAGE, "larger than %d MiB", BIOS_MAX_TEXT >> 20);
	r.parser = XML_ParserCreate(NULL);
	if (!r.parser)
		return err_set(e, ERR_SYSTEM, "out of memory");
	rc = parse(&r, texts->text, texts->len);
	if (!rc)
		rc = settings_unique(&out->settings, NULL, e);
	XML_ParserFree(r.parser);
	strbuf_release(&r.value);
	return rc;
}

static bool is(const char *text, size_t len)
{
	size_t head = len < 4096 ? len : 4096;

	return memmem(text, head, "<SystemConfiguration", 20) != NULL &&
	       memchr(text, '<', head) &&
	       !memchr(text, '{', (size_t)((const char *)memchr(text, '<', head) - text));
}

const struct bios_source source_scp_xml = {
	.name = "scp-xml",
	.help = "a Server Configuration Profile that iDRAC exported as XML",
	.where = BIOS_FILE,
	.is = is,
	.read = read_texts,
};
