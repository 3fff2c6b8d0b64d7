/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration files: any bytes give a tree that keeps what yaml.h promises, or one line
 * that says where and what; a tree goes into a struct by its table, or the same.
 */
#include <string.h>

#include "base/utf8.h"
#include "config/conf.h"
#include "fuzz.h"

struct inner {
	const char *text;
	double share;
};

/* One field of every type there is. */
struct all {
	const char *text, *name, *file;
	int choice, number;
	bool flag;
	double bandwidth, limit;
	const char **texts, **hosts;
	size_t n_texts, n_hosts, n_pairs;
	struct conf_pair *pairs;
	struct inner map;
	const struct yaml_node *node;
};

#define KEY(t, f) .name = #f, .type = CONF_##t, .offset = offsetof(struct all, f)

static const char *const words[] = {"one", "two", NULL};
static const struct conf_key inner_keys[] = {
	{"text", CONF_TEXT, .offset = offsetof(struct inner, text), .flags = CONF_MUST},
	{"share", CONF_QUANTITY, .offset = offsetof(struct inner, share),
	 .unit = "ratio"},
};
static const struct conf_key keys[] = {
	{KEY(TEXT, text)},
	{KEY(NAME, name)},
	{KEY(FILE, file)},
	{KEY(CHOICE, choice), .choices = words},
	{KEY(INT, number), .min = 1, .max = 64},
	{KEY(BOOL, flag)},
	{KEY(QUANTITY, bandwidth), .unit = "B/s", .min = 1, .max = 1e12},
	{KEY(DURATION, limit), .min = 0, .max = 1e6},
	{KEY(TEXTS, texts), .n_offset = offsetof(struct all, n_texts)},
	{KEY(HOSTS, hosts), .n_offset = offsetof(struct all, n_hosts)},
	{KEY(PAIRS, pairs), .n_offset = offsetof(struct all, n_pairs)},
	{KEY(MAP, map), .keys = inner_keys, .n_keys = 2},
	{KEY(NODE, node)},
};

enum { N_KEYS = sizeof(keys) / sizeof(keys[0]) };

static void expect_message(const struct err *e)
{
	FUZZ_EXPECT(e->kind == ERR_USAGE);
	FUZZ_EXPECT(!strncmp(e->msg, "f.yaml:", 7));
	FUZZ_EXPECT(!strchr(e->msg, '\n'));
	/* a long one is cut to the buffer, where a character may end it half-way */
	if (strlen(e->msg) + 1 < sizeof(e->msg))
		FUZZ_EXPECT(utf8_valid(e->msg, strlen(e->msg)));
}

static void check_pairs(const struct yaml_node *map)
{
	for (size_t i = 0; i < map->n && i < 50; i++) {
		const struct yaml_node *key = map->pairs[i].key;

		FUZZ_EXPECT(key->kind == YAML_TEXT);
		FUZZ_EXPECT(yaml_get(map, key->text) == map->pairs[i].value);
	}
}

/* An alias stands for its node in full, so the walk is bounded by the reader's limit. */
static size_t check_tree(const struct yaml_node *node, int depth)
{
	size_t n = 1;

	FUZZ_EXPECT(depth <= YAML_MAX_DEPTH && node->line >= 1 && node->column >= 1);
	if (node->kind == YAML_TEXT)
		FUZZ_EXPECT(utf8_valid(node->text, strlen(node->text)));
	if (node->kind == YAML_MAP)
		check_pairs(node);
	for (size_t i = 0; i < node->n && node->kind == YAML_LIST; i++)
		n += check_tree(node->items[i], depth + 1);
	for (size_t i = 0; i < node->n && node->kind == YAML_MAP; i++)
		n += 1 + check_tree(node->pairs[i].value, depth + 1);
	FUZZ_EXPECT(n <= YAML_MAX_NODES);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct yaml_node *root = NULL;
	struct arena arena = {0};
	struct all all = {0};
	struct err e = {0};

	if (yaml_parse(&arena, (const char *)data, size, "f.yaml", &root, &e)) {
		expect_message(&e);
	} else {
		(void)check_tree(root, 1);
		if (conf_decode(&arena, root, keys, N_KEYS, &all, NULL, &e))
			expect_message(&e);
		else
			FUZZ_EXPECT(root->kind == YAML_MAP);
	}
	arena_release(&arena);
	return 0;
}
