/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of saved settings: see files.h. */
#include "bios/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "config/hostlist.h"

/* Ends of names; what they say of the content. */
static const struct {
	const char *end, *role;
} roles[] = {
	{".bios_settings.json", "settings"},
	{".settings.json", "settings"},
	{".pending.json", "settings"},
	{".jobs.json", "jobs"},
	{".registry.json", "registry"},
	{".system.json", "system"},
	{".bios.json", ""},
	{".scp.xml", ""},
	{".scp.json", ""},
	{".redfish.json", ""},
	{".racadm.txt", ""},
	{".facts.json", ""},
	{".json", ""},
	{".xml", ""},
	{".txt", ""},
};

/* The node a file is called after, in @a, and its role. */
static const char *split(struct arena *a, const char *path, const char **role)
{
	const char *slash = strrchr(path, '/'), *dot;
	const char *name = slash ? slash + 1 : path;
	size_t len = strlen(name);

	*role = "";
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		size_t n = strlen(roles[i].end);

		if (len > n && !strcmp(name + len - n, roles[i].end)) {
			*role = roles[i].role;
			return arena_strndup(a, name, len - n);
		}
	}
	dot = strrchr(name, '.');
	return dot && dot != name ? arena_strndup(a, name, (size_t)(dot - name)) : name;
}

static int add_file(struct bios_files *f, const char *path, struct err *e)
{
	struct bios_files_node *node;
	const char *role, *name = split(&f->nodes.arena, path, &role);
	bool fresh;
	size_t i;

	if (!hostlist_valid(name))
		return err_set(e, ERR_USAGE,
			       "'%.200s': a file is called after its node, and '%.64s' "
			       "is no name of one",
			       path, name);
	i = names_add(&f->nodes, name, &fresh);
	mem_grow(&f->items, &f->cap, i + 1, sizeof(*f->items));
	node = &f->items[i];
	node->name = f->nodes.items[i];
	if (node->n == node->cap) {
		size_t cap = node->cap;

		mem_grow(&node->paths, &node->cap, node->n + 1, sizeof(*node->paths));
		mem_grow(&node->roles, &cap, node->n + 1, sizeof(*node->roles));
	}
	node->paths[node->n] = arena_strdup(&f->nodes.arena, path);
	node->roles[node->n++] = role;
	return 0;
}

/* By bytes, so that the order does not depend on the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int add_folder(struct bios_files *f, const char *path, struct err *e)
{
	struct dirent **list;
	int n = scandir(path, &list, is_visible, by_name), rc = 0;
	size_t before = f->nodes.n;

	if (n < 0)
		return err_sys(e, errno, "cannot read folder '%s'", path);
	for (int i = 0; i < n; i++) {
		const char *file =
			arena_printf(&f->nodes.arena, "%s/%s", path, list[i]->d_name);
		struct stat st;

		if (!rc && !stat(file, &st) && S_ISREG(st.st_mode))
			rc = add_file(f, file, e);
		free(list[i]);
	}
	free(list);
	if (!rc && f->nodes.n == before)
		return err_set(e, ERR_USAGE, "'%.200s': no file in it", path);
	return rc;
}

int bios_files_add(struct bios_files *f, const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st)) {
		err_sys(e, errno, "'%.200s'", path);
		e->kind = ERR_USAGE;
		return -1;
	}
	return S_ISDIR(st.st_mode) ? add_folder(f, path, e) : add_file(f, path, e);
}

void bios_files_release(struct bios_files *f)
{
	for (size_t i = 0; i < f->nodes.n; i++) {
		free(f->items[i].paths);
		free(f->items[i].roles);
	}
	free(f->items);
	names_release(&f->nodes);
	memset(f, 0, sizeof(*f));
}

/* Loads the texts and finds the one source they are of. */
static const struct bios_source *load(const struct bios_files_node *node,
				      struct strbuf *files, struct bios_text *texts,
				      struct err *e)
{
	const struct bios_source *source = NULL, *other;

	for (size_t i = 0; i < node->n; i++) {
		if (file_read(&files[i], node->paths[i], BIOS_MAX_TEXT, e))
			return NULL;
		texts[i] = (struct bios_text){strbuf_str(&files[i]), files[i].len,
					      node->roles[i]};
		other = bios_source_of(texts[i].text, texts[i].len);
		if (!other)
			err_set(e, ERR_USAGE,
				"'%.200s': neither Redfish nor SCP nor racadm%s",
				node->paths[i],
				memmem(texts[i].text, texts[i].len, "<html", 5)
					? ", but HTML: a login page?"
					: "");
		else if (source && other != source)
			err_set(e, ERR_USAGE, "'%.200s': %s, and another file is %s",
				node->paths[i], other->name, source->name);
		if (e->kind)
			return NULL;
		source = other;
	}
	return source;
}

void bios_files_read(const struct bios_files_node *node, struct bios_reading *out)
{
	struct bios_text *texts = mem_calloc(node->n, sizeof(*texts));
	struct strbuf *files = mem_calloc(node->n, sizeof(*files));
	const struct bios_source *source;
	struct err e = {0};

	source = load(node, files, texts, &e);
	if (source) {
		bios_read(out, source, texts, node->n);
	} else {
		memset(out, 0, sizeof(*out));
		err_clean(&e);
		out->source = "file";
		out->error = arena_strdup(&out->arena, e.msg);
	}
	for (size_t i = 0; i < node->n; i++)
		strbuf_release(&files[i]);
	free(files);
	free(texts);
}
