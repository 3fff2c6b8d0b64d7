/* SPDX-License-Identifier: Apache-2.0 */
/* Sites from YAML: see site.h. */
#include "plan/site.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"
#include "base/names.h"
#include "base/node_name.h"
#include "base/strbuf.h"
#include "base/units.h"
#include "plan/ibnet.h"

static const char default_agent[] = "ssh -n -o BatchMode=yes -o ConnectTimeout=5";

/* Bytes of what ibnetdiscover printed: 10,000 nodes are some 4 MB. */
#define MOST_DISCOVERED ((size_t)64 << 20)

enum { MOST_PER_CHASSIS = 1024, MOST_COUNT = 1000000 };

static const char *const transports[] = {"ib", "roce", "opa", "tcp", "ethernet", NULL};

static const char *const thp_words[] = {"always", "madvise", "never", NULL};

struct fabric_form {
	int transport; /* -1: not said */
	const char **interfaces;
	size_t n_interfaces;
	double rate;
	const struct yaml_node *groups;
};

struct chassis_form {
	int every;
};

/* The file as it is, before what is left to check. */
struct site_form {
	const char *name, *remote_agent;
	const char **nodes;
	size_t n_nodes;
	struct {
		const char **args;
		size_t n_args;
		struct conf_pair *env;
		size_t n_env;
	} mpi;
	struct fabric_form fabric;
	struct chassis_form chassis;
	struct site_bmc bmc;
	const struct yaml_node *expect, *min_deviation, *facts;
	bool binding;
};

#define AT(field)    .offset = offsetof(struct site_form, field)
#define COUNT(field) .n_offset = offsetof(struct site_form, field)
/* keys of a map inside: offsets count from the start of the form all the same */
static const struct conf_key mpi_keys[] = {
	{"args", CONF_TEXTS, AT(mpi.args), COUNT(mpi.n_args)},
	{"env", CONF_PAIRS, AT(mpi.env), COUNT(mpi.n_env)},
};

static const struct conf_key fabric_keys[] = {
	{"transport", CONF_CHOICE, AT(fabric.transport), .choices = transports},
	{"interface", CONF_TEXTS, AT(fabric.interfaces), COUNT(fabric.n_interfaces)},
	{"rate", CONF_QUANTITY, AT(fabric.rate), .unit = "B/s", .min = 1e6, .max = 1e13},
	{"groups", CONF_NODE, AT(fabric.groups)},
};

static const struct conf_key chassis_keys[] = {
	{"every", CONF_INT, AT(chassis.every), .flags = CONF_MUST, .min = 1,
	 .max = MOST_PER_CHASSIS},
};

static const struct conf_key bmc_keys[] = {
	{"address", CONF_TEXT, AT(bmc.address)},
	{"source", CONF_NAME, AT(bmc.source)},
	{"credentials", CONF_FILE, AT(bmc.credentials)},
	{"ca", CONF_FILE, AT(bmc.ca)},
	{"profile", CONF_TEXT, AT(bmc.profile)},
	{"files", CONF_FILE, AT(bmc.files)},
	{"agent", CONF_TEXT, AT(bmc.agent)},
	{"pins", CONF_PAIRS, AT(bmc.pins), COUNT(bmc.n_pins)},
	{"insecure", CONF_BOOL, AT(bmc.insecure)},
	{"limit", CONF_DURATION, AT(bmc.limit), .min = 1, .max = 3600},
};

#define MAP(table) CONF_MAP, .keys = (table), .n_keys = sizeof(table) / sizeof((table)[0])
static const struct conf_key site_keys[] = {
	{"site", CONF_NAME, AT(name)},
	{"nodes", CONF_HOSTS, AT(nodes), COUNT(n_nodes)},
	{"remote_agent", CONF_TEXT, AT(remote_agent)},
	{"mpi", MAP(mpi_keys)},
	{"fabric", MAP(fabric_keys)},
	{"chassis", MAP(chassis_keys)},
	{"bmc", MAP(bmc_keys)},
	{"expect", CONF_NODE, AT(expect)},
	{"min_deviation", CONF_NODE, AT(min_deviation)},
	{"facts", CONF_NODE, AT(facts)},
	{"binding", CONF_BOOL, AT(binding)},
};

/*
 * What can have been bought. The values stay as written; the types only catch a wrong
 * unit or a misspelt key here and not in the verdicts.
 */
static const struct conf_key expect_keys[] = {
	{"nodes", CONF_INT, .min = 1, .max = MOST_COUNT},
	{"cpu", CONF_TEXT, .offset = 0},
	{"sockets", CONF_INT, .min = 1, .max = MOST_COUNT},
	{"cores", CONF_INT, .min = 1, .max = MOST_COUNT},
	{"threads", CONF_INT, .min = 1, .max = MOST_COUNT},
	{"numa_domains", CONF_INT, .min = 1, .max = MOST_COUNT},
	{"memory", CONF_QUANTITY, .unit = "B", .min = 1, .max = 1e18},
	{"memory_speed", CONF_QUANTITY, .unit = "T/s", .min = 1, .max = 1e12},
	{"dimms", CONF_INT, .min = 1, .max = MOST_COUNT},
	{"hca", CONF_TEXT, .offset = 0},
	{"hcas", CONF_INT, .min = 0, .max = MOST_COUNT},
	{"hca_rate", CONF_QUANTITY, .unit = "B/s", .min = 1, .max = 1e13},
	{"hca_firmware", CONF_TEXT, .offset = 0},
	{"bios", CONF_TEXT, .offset = 0},
	{"kernel", CONF_TEXT, .offset = 0},
	{"thp", CONF_CHOICE, .choices = thp_words},
	{"numa_balancing", CONF_INT, .min = 0, .max = MOST_COUNT},
	{"governor", CONF_TEXT, .offset = 0},
	{"hugepages", CONF_QUANTITY, .unit = "B", .min = 0, .max = 1e18},
};

struct loader {
	struct site *site;
	struct arena *a;
	struct err *e;
};

static int pairs_of(const struct loader *l, const struct yaml_pair *pair,
		    struct conf_pair **out, size_t *n)
{
	static const struct conf_key def = {"", CONF_PAIRS, .offset = 0,
					    .n_offset = sizeof(struct conf_pair *)};
	struct {
		struct conf_pair *items;
		size_t n;
	} list = {0};

	if (conf_value(l->a, pair->key, pair->value, &def, &list, l->e))
		return -1;
	*out = list.items;
	*n = list.n;
	return 0;
}

static int load_expect(const struct loader *l, const struct yaml_pair *pair)
{
	/* every key's offset is 0: only that it can be read counts, not what it is */
	max_align_t checked;

	if (conf_expect(pair->key, pair->value, YAML_MAP, l->e) ||
	    conf_decode(l->a, pair->value, expect_keys,
			sizeof(expect_keys) / sizeof(expect_keys[0]), &checked, NULL,
			l->e))
		return -1;
	return pairs_of(l, pair, &l->site->expect, &l->site->n_expect);
}

/* "default" or a metric -> share; kept as a number that reads back exactly. */
static int load_min_deviation(const struct loader *l, const struct yaml_pair *pair)
{
	struct conf_pair *items;
	size_t n;

	if (pairs_of(l, pair, &items, &n))
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct yaml_pair *p = &pair->value->pairs[i];
		struct conf_key def = {p->key->text, CONF_QUANTITY, .unit = "ratio",
				       .max = 1};
		double share;

		if (!conf_is_name(p->key->text))
			return yaml_error(
				p->key, l->e,
				"bad metric '%.64s', expected default or a name "
				"such as stream.triad",
				p->key->text);
		if (conf_value(l->a, p->key, p->value, &def, &share, l->e))
			return -1;
		items[i].value = arena_printf(l->a, "%.17g", share);
	}
	l->site->min_deviation = items;
	l->site->n_min_deviation = n;
	return 0;
}

/* One file for all nodes, or node -> file. */
static int load_facts(const struct loader *l, const struct yaml_pair *pair)
{
	static const struct conf_key file = {"facts", CONF_FILE,
					     .offset = offsetof(struct conf_pair, value)};
	const struct yaml_node *v = pair->value;
	bool one = v->kind == YAML_TEXT;
	size_t n = one ? 1 : v->n;
	struct conf_pair *out;

	if (!one && conf_expect(pair->key, v, YAML_MAP, l->e))
		return -1;
	out = arena_alloc(l->a, n, sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		const struct yaml_pair *p = one ? pair : &v->pairs[i];

		if (conf_value(l->a, p->key, p->value, &file, &out[i], l->e))
			return -1;
		out[i].key = one ? "*" : p->key->text;
		out[i].where = yaml_where(l->a, p->value);
		if (!one && strcmp(p->key->text, "*") != 0 &&
		    !node_name_valid(p->key->text))
			return yaml_error(p->key, l->e, "bad node name '%.64s'",
					  p->key->text);
	}
	l->site->facts = out;
	l->site->n_facts = n;
	return 0;
}

static int load_group(const struct loader *l, const struct yaml_pair *p,
		      struct site_group *g, struct names *seen)
{
	struct conf_key def = {p->key->text, CONF_HOSTS,
			       .offset = offsetof(struct site_group, nodes),
			       .n_offset = offsetof(struct site_group, n_nodes)};

	g->name = p->key->text;
	if (!conf_is_name(g->name))
		return yaml_error(p->key, l->e, "bad name of a group '%.64s'", g->name);
	if (conf_value(l->a, p->key, p->value, &def, g, l->e))
		return -1;
	for (size_t i = 0; i < g->n_nodes; i++) {
		bool fresh;

		(void)names_add(seen, g->nodes[i], &fresh);
		if (!fresh)
			return yaml_error(p->value, l->e, "node '%s' is in two groups",
					  g->nodes[i]);
	}
	return 0;
}

/* Of a file with the text of ibnetdiscover. */
static int load_discovered(const struct loader *l, const struct yaml_pair *pair)
{
	static const struct conf_key def = {"groups", CONF_FILE, .offset = 0};
	struct site_fabric *f = &l->site->fabric;
	struct strbuf text = {0};
	const char *path;
	int rc;

	if (conf_value(l->a, pair->key, pair->value, &def, &path, l->e))
		return -1;
	rc = file_read(&text, path, MOST_DISCOVERED, l->e);
	if (!rc)
		rc = ibnet_groups(strbuf_str(&text), l->a, &f->groups, &f->n_groups,
				  l->e);
	strbuf_release(&text);
	if (!rc)
		return 0;
	l->e->kind = ERR_USAGE;
	return err_at(l->e, "%s: 'groups': '%s'", yaml_where(l->a, pair->value), path);
}

static int load_groups(const struct loader *l, const struct yaml_pair *pair)
{
	struct site_fabric *f = &l->site->fabric;
	struct names seen = {0};
	int rc = 0;

	if (pair->value->kind == YAML_TEXT)
		return load_discovered(l, pair);
	if (conf_expect(pair->key, pair->value, YAML_MAP, l->e))
		return -1;
	f->groups = arena_alloc(l->a, pair->value->n, sizeof(*f->groups));
	for (size_t i = 0; i < pair->value->n && !rc; i++)
		rc = load_group(l, &pair->value->pairs[i], &f->groups[f->n_groups++],
				&seen);
	names_release(&seen);
	return rc;
}

/* "{node}" is all that can be filled in, and without it all nodes had one controller. */
static int check_bmc(const struct loader *l, const struct yaml_node *map)
{
	const struct yaml_node *v = map ? yaml_get(map, "address") : NULL;
	const char *p = v ? v->text : "";
	size_t n = 0;

	while ((p = strchr(p, '{'))) {
		if (strncmp(p, "{node}", 6) != 0)
			return yaml_error(
				v, l->e,
				"'address': only {node} can be filled in, found "
				"'%.64s'",
				p);
		n++;
		p++;
	}
	if (v && !n && l->site->n_nodes > 1)
		return yaml_error(
			v, l->e,
			"'address': one address for %zu nodes, expected {node} in it",
			l->site->n_nodes);
	return 0;
}

static int check_env(const struct loader *l, const struct yaml_node *map)
{
	for (size_t i = 0; map && i < map->n; i++) {
		const struct yaml_node *key = map->pairs[i].key;
		const char *p = key->text;

		if (!isdigit((unsigned char)*p))
			while (isalnum((unsigned char)*p) || *p == '_')
				p++;
		if (*p)
			return yaml_error(
				key, l->e,
				"bad name of a variable '%.64s', expected letters, "
				"digits and '_'",
				key->text);
	}
	return 0;
}

/* A profile that is a file is beside the site's own. */
static int check_profile(const struct loader *l, const struct yaml_pair *pair)
{
	static const struct conf_key file = {
		"profile", CONF_FILE, .offset = offsetof(struct site_bmc, profile)};
	const char *word = pair->value->text;
	size_t n = strlen(word);

	if (strchr(word, '/') || (n > 5 && !strcmp(word + n - 5, ".yaml")))
		return conf_value(l->a, pair->key, pair->value, &file, &l->site->bmc,
				  l->e);
	if (conf_is_name(word))
		return 0;
	return yaml_error(pair->value, l->e, "'profile': bad name '%.64s'", word);
}

/* What the tables cannot check. */
static int load_rest(const struct loader *l, const struct yaml_node *root,
		     const struct site_form *f)
{
	const struct yaml_node *mpi = yaml_get(root, "mpi");
	const struct yaml_node *fabric = yaml_get(root, "fabric");

	if (f->remote_agent[strspn(f->remote_agent, " ")] == '\0')
		return yaml_error(yaml_get(root, "remote_agent"), l->e,
				  "'remote_agent': blank, expected a command");
	if (check_env(l, mpi ? yaml_get(mpi, "env") : NULL) ||
	    check_bmc(l, yaml_get(root, "bmc")))
		return -1;
	if (l->site->bmc.profile &&
	    check_profile(l, yaml_find(yaml_get(root, "bmc"), "profile")))
		return -1;
	if (f->fabric.groups && load_groups(l, yaml_find(fabric, "groups")))
		return -1;
	if (f->expect && load_expect(l, yaml_find(root, "expect")))
		return -1;
	if (f->min_deviation && load_min_deviation(l, yaml_find(root, "min_deviation")))
		return -1;
	return f->facts ? load_facts(l, yaml_find(root, "facts")) : 0;
}

/* "rack17" of ".../rack17.yaml". */
static const char *base_name(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return arena_strndup(a, name, strcspn(name, "."));
}

int site_load(struct site *s, const char *path, struct err *e)
{
	return site_load_copy(s, path, path, e);
}

/* The tree of @copy, whose nodes say that they are of @path. */
static int load_tree(struct arena *a, const char *copy, const char *path,
		     const struct yaml_node **root, struct err *e)
{
	struct strbuf text = {0};
	int rc;

	if (!strcmp(copy, path))
		return yaml_load(a, path, root, e);
	rc = file_read(&text, copy, YAML_MAX_FILE, e);
	if (!rc)
		rc = yaml_parse(a, strbuf_str(&text), text.len, path, root, e);
	strbuf_release(&text);
	return rc;
}

int site_load_copy(struct site *s, const char *copy, const char *path, struct err *e)
{
	struct site_form f = {.remote_agent = default_agent, .fabric.transport = -1};
	struct loader l = {.site = s, .a = &s->arena, .e = e};
	const struct yaml_node *root;

	memset(s, 0, sizeof(*s));
	s->name = "this machine";
	s->remote_agent = default_agent;
	if (!copy)
		return 0;
	path = arena_strdup(&s->arena, path);
	if (load_tree(&s->arena, copy, path, &root, e) ||
	    conf_decode(&s->arena, root, site_keys,
			sizeof(site_keys) / sizeof(site_keys[0]), &f, NULL, e))
		return -1;
	s->path = path;
	s->name = f.name ? f.name : base_name(&s->arena, path);
	s->nodes = f.nodes;
	s->n_nodes = f.n_nodes;
	s->remote_agent = f.remote_agent;
	s->mpi_args = f.mpi.args;
	s->n_mpi_args = f.mpi.n_args;
	s->mpi_env = f.mpi.env;
	s->n_mpi_env = f.mpi.n_env;
	s->fabric.transport =
		f.fabric.transport < 0 ? NULL : transports[f.fabric.transport];
	s->fabric.interfaces = f.fabric.interfaces;
	s->fabric.n_interfaces = f.fabric.n_interfaces;
	s->fabric.rate = f.fabric.rate;
	s->chassis_every = f.chassis.every;
	s->bmc = f.bmc;
	s->binding = f.binding;
	return load_rest(&l, root, &f);
}

void site_release(struct site *s)
{
	arena_release(&s->arena);
	memset(s, 0, sizeof(*s));
}
