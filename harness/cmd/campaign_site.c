/* SPDX-License-Identifier: Apache-2.0 */
/* What the journal keeps of the site file, for the judge: see campaign.h. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/campaign.h"
#include "record/json.h"

const char *campaign_json(struct arena *a, json_t *v)
{
	char *text = json_dumps(v, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY |
					   JSON_REAL_PRECISION(17));
	const char *copy = arena_strdup(a, text);

	free(text);
	json_decref(v);
	return copy;
}

/* The value of an --mca option of the site's, NULL when it has none. */
static const char *site_mca(const struct site *site, const char *key)
{
	for (size_t i = 0; i + 2 < site->n_mpi_args; i++) {
		if (!strcmp(site->mpi_args[i], "--mca") &&
		    !strcmp(site->mpi_args[i + 1], key))
			return site->mpi_args[i + 2];
	}
	return NULL;
}

/* What messages should take: as the site says, or what it tells MPI to use. */
static json_t *fabric_json(const struct site *site)
{
	json_t *o = json_object(), *list = json_array(), *groups = json_object();
	const char *told = site_mca(site, "btl_tcp_if_include");
	char name[128];

	if (site->fabric.transport)
		json_object_set_new(o, "transport", json_string(site->fabric.transport));
	for (size_t i = 0; i < site->fabric.n_interfaces; i++)
		json_array_append_new(list, json_string(site->fabric.interfaces[i]));
	for (; told && *told && !site->fabric.n_interfaces;
	     told += strcspn(told, ",") + (told[strcspn(told, ",")] != '\0')) {
		(void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(told, ","), told);
		if (!strchr(name, '/')) /* not a network as 10.0.0.0/8 */
			json_array_append_new(list, json_string(name));
	}
	json_object_set_new(o, "interface", list);
	for (size_t i = 0; i < site->fabric.n_groups; i++) {
		const struct site_group *g = &site->fabric.groups[i];

		list = json_array();
		for (size_t k = 0; k < g->n_nodes; k++)
			json_array_append_new(list, json_string(g->nodes[k]));
		json_object_set_new(groups, g->name, list);
	}
	json_object_set_new(o, "groups", groups);
	return o;
}

/* Variables that the site sets: what the shell had there is not in force. */
static json_t *mpi_json(const struct site *site)
{
	json_t *list = json_array();
	char name[256];

	for (size_t i = 0; i < site->n_mpi_env; i++)
		json_array_append_new(list, json_string(site->mpi_env[i].key));
	for (size_t i = 0; i + 1 < site->n_mpi_args; i++) {
		const char *value = site->mpi_args[i + 1];

		if (!strcmp(site->mpi_args[i], "--mca"))
			(void)snprintf(name, sizeof(name), "OMPI_MCA_%s", value);
		else if (!strcmp(site->mpi_args[i], "-x") && strchr(value, '='))
			(void)snprintf(name, sizeof(name), "%.*s",
				       (int)strcspn(value, "="), value);
		else
			continue;
		json_array_append_new(list, json_string(name));
	}
	return list;
}

const char *campaign_site(struct campaign *c)
{
	json_t *o = json_pack("{s:s, s:b, s:I, s:{}, s:{}}", "name", c->site.name,
			      "binding", c->site.binding, "nodes",
			      (json_int_t)c->site.n_nodes, "expect", "min_deviation");

	/* where the files are that it names, for who resumes the run */
	if (c->site.path)
		json_object_set_new(o, "path", json_clean_string(c->site_origin));
	if (c->profile)
		json_object_set_new(o, "bmc", json_pack("{s:s}", "profile", c->profile));
	json_object_set_new(o, "fabric", fabric_json(&c->site));
	json_object_set_new(o, "mpi", mpi_json(&c->site));
	for (size_t i = 0; i < c->site.n_expect; i++)
		json_object_set_new(json_object_get(o, "expect"), c->site.expect[i].key,
				    json_string(c->site.expect[i].value));
	for (size_t i = 0; i < c->site.n_min_deviation; i++)
		json_object_set_new(
			json_object_get(o, "min_deviation"), c->site.min_deviation[i].key,
			json_real(strtod(c->site.min_deviation[i].value, NULL)));
	return campaign_json(&c->arena, o);
}
