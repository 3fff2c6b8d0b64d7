/* SPDX-License-Identifier: Apache-2.0 */
/* The saved files of one node read: see files.h. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "bios/files.h"

enum { BEGIN = 80 }; /* bytes of a text that show what it is */

/* Texts of a node by what they tell of: its BIOS, or its running system. */
struct set {
	const struct bios_source *source;
	struct bios_text *texts;
	size_t n;
	const char *same; /* a file that was saved twice, NULL: none */
	struct err e;     /* why it cannot be read */
};

static bool is_facts(const struct bios_source *s)
{
	return s && s->where == BIOS_FACTS;
}

/* Windows writes a mark before UTF-8, and UTF-16 where nobody asked for it. */
static bool is_utf16(const struct bios_text *t)
{
	return t->len >= 2 &&
	       (!memcmp(t->text, "\xff\xfe", 2) || !memcmp(t->text, "\xfe\xff", 2));
}

static void skip_mark(struct bios_text *t)
{
	if (t->len >= 3 && !memcmp(t->text, "\xef\xbb\xbf", 3)) {
		t->text += 3;
		t->len -= 3;
	}
}

/* Programs that pack one file, by what they begin it with. */
static bool is_packed(const struct bios_text *t)
{
	static const char *const begins[] = {"\x1f\x8b", "\3757zXZ", "BZh",
					     "\x28\xb5\x2f\xfd"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		if (t->len > strlen(begins[i]) &&
		    !memcmp(t->text, begins[i], strlen(begins[i])))
			return true;
	}
	return false;
}

/* What it begins with tells most: "ssh: connect to host ...", a prompt, a greeting. */
static int unknown(const struct bios_text *t, struct err *e)
{
	static const char none[] = "neither Redfish nor SCP nor racadm";
	size_t skip = strspn(t->text, " \t\r\n"), line = strcspn(t->text + skip, "\r\n");

	if (!t->len)
		return err_set(e, ERR_USAGE, "'%.200s': an empty file", t->name);
	if (is_utf16(t))
		return err_set(e, ERR_USAGE, "'%.200s': UTF-16; save it as UTF-8",
			       t->name);
	if (is_packed(t))
		return err_set(e, ERR_USAGE, "'%.200s': packed; unpack it first",
			       t->name);
	if (memmem(t->text, t->len, "<html", 5))
		return err_set(e, ERR_USAGE, "'%.200s': %s, but HTML: a login page?",
			       t->name, none);
	return err_set(e, ERR_USAGE, "'%.200s': %s; it begins with '%.*s'", t->name, none,
		       line < BEGIN ? (int)line : BEGIN, t->text + skip);
}

static void add_text(struct set *set, const struct bios_source *source,
		     const struct bios_text *t)
{
	for (size_t i = 0; i < set->n; i++) {
		if (t->len == set->texts[i].len &&
		    !memcmp(t->text, set->texts[i].text, t->len)) {
			set->same = t->name;
			return;
		}
	}
	if (set->source && source != set->source) {
		err_set(&set->e, ERR_USAGE, "'%.200s' is %s, and '%.200s' is %s", t->name,
			source->name, set->texts[0].name, set->source->name);
		return;
	}
	set->source = source;
	set->texts[set->n++] = *t;
}

static void load(const struct bios_files_node *node, size_t i, struct strbuf *file,
		 struct set *bios, struct set *facts)
{
	struct bios_text t = {.role = node->roles[i], .name = node->paths[i]};
	const struct bios_source *source;
	struct err e = {0};

	if (file_read(file, t.name, BIOS_MAX_TEXT, &e)) {
		if (e.kind == ERR_NOTFOUND)
			err_set(&e, ERR_USAGE, "'%.200s': a link to nothing", t.name);
	} else {
		t.text = strbuf_str(file);
		t.len = file->len;
		skip_mark(&t);
		source = bios_source_of(t.text, t.len);
		if (source)
			add_text(is_facts(source) ? facts : bios, source, &t);
		else
			(void)unknown(&t, &e);
	}
	/* the first reason is the one that is said */
	if (e.kind && !bios->e.kind)
		bios->e = e;
}

static void read_set(struct set *set, struct bios_reading *out)
{
	if (!set->e.kind) {
		bios_read(out, set->source, set->texts, set->n);
		if (set->same && !out->error)
			bios_remark(out, "'%s' was saved twice", set->same);
		return;
	}
	memset(out, 0, sizeof(*out));
	err_clean(&set->e);
	out->source = "file";
	out->error = arena_strdup(&out->arena, set->e.msg);
}

size_t bios_files_read(const struct bios_files_node *node,
		       struct bios_reading out[BIOS_FILES_READINGS])
{
	struct strbuf *files = mem_calloc(node->n, sizeof(*files));
	struct set bios = {.texts = mem_calloc(node->n, sizeof(*bios.texts))};
	struct set facts = {.texts = mem_calloc(node->n, sizeof(*facts.texts))};
	size_t n = 0;

	for (size_t i = 0; i < node->n; i++)
		load(node, i, &files[i], &bios, &facts);
	if (bios.n || bios.e.kind)
		read_set(&bios, &out[n++]);
	if (facts.n)
		read_set(&facts, &out[n++]);
	for (size_t i = 0; i < node->n; i++)
		strbuf_release(&files[i]);
	free(files);
	free(bios.texts);
	free(facts.texts);
	return n;
}
