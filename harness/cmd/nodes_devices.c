/* SPDX-License-Identifier: Apache-2.0 */
/* Memory modules and adapters of one node in few words: see nodes.h. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cmd/nodes.h"

static double number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : 0;
}

static void read_modules(struct nodes_devices *d, const json_t *facts)
{
	const json_t *list = json_object_get(json_object_get(facts, "smbios"), "dimms");
	const json_t *group;
	size_t i;

	json_array_foreach(list, i, group)
	{
		size_t n = json_array_size(json_object_get(group, "slots"));
		double size = number(group, "size"), speed = number(group, "configured");

		if (size == 0 && json_object_get(group, "size"))
			continue;
		d->module_sizes += !d->modules || size != d->module_size;
		d->modules += n;
		d->module_size = size;
		if (speed > 0 && (!(d->speed > 0) || speed < d->speed))
			d->speed = speed;
	}
}

static void read_port(struct nodes_devices *d, const json_t *port)
{
	const char *state = json_string_value(json_object_get(port, "state"));
	const char *layer = json_string_value(json_object_get(port, "layer"));

	if (state && !strcmp(state, "ACTIVE"))
		d->rate = fmax(d->rate, number(port, "rate"));
	else if (layer && !strcmp(layer, "InfiniBand"))
		d->ports_down++;
}

static void read_adapters(struct nodes_devices *d, const json_t *facts, struct arena *a)
{
	json_t *hca, *port;
	const char *name;
	size_t i;

	json_object_foreach(json_object_get(facts, "hca"), name, hca)
	{
		const char *type = json_string_value(json_object_get(hca, "type"));

		type = type ? type : name;
		d->adapters++;
		if (!d->adapter)
			d->adapter = arena_strdup(a, type);
		d->mixed |= strcmp(d->adapter, type) != 0;
		json_array_foreach(json_object_get(hca, "ports"), i, port)
			read_port(d, port);
	}
}

void nodes_devices_read(struct nodes_devices *d, const char *facts, struct arena *a)
{
	json_t *o = json_loads(facts, 0, NULL);

	memset(d, 0, sizeof(*d));
	read_modules(d, o);
	read_adapters(d, o, a);
	json_decref(o);
}
