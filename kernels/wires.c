/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel counts on each network interface: see wires.h. */
#include "wires.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"

/* s: some drivers bring their counters up to date once a second. */
static const double late_counters = 2.5;

/* The first line of a file below @dir, "" when there is none. */
static const char *line(const char *dir, const char *name, char *out, size_t size)
{
	char path[PATH_MAX];
	FILE *f;

	out[0] = '\0';
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path))
		return out;
	f = fopen(path, "re");
	if (!f)
		return out;
	if (!fgets(out, (int)size, f))
		out[0] = '\0';
	(void)fclose(f);
	out[strcspn(out, "\n")] = '\0';
	return out;
}

static bool number(const char *dir, const char *name, uint64_t *out)
{
	char text[64], *end;

	*out = strtoull(line(dir, name, text, sizeof(text)), &end, 10);
	return text[0] && !*end;
}

static bool exists(const char *dir, const char *name)
{
	char path[PATH_MAX];

	return (size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) < sizeof(path) &&
	       !access(path, F_OK);
}

/* Calls @fn for each entry of a folder, whose name begins with @prefix. */
static void each(const char *dir, const char *prefix,
		 void (*fn)(void *ctx, const char *dir, const char *name), void *ctx)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		if (entry->d_name[0] != '.' &&
		    !strncmp(entry->d_name, prefix, strlen(prefix)))
			fn(ctx, dir, entry->d_name);
	}
	if (d)
		(void)closedir(d);
}

static struct wire *find(struct wires *w, const char *name)
{
	for (int i = 0; i < w->n; i++) {
		if (!strcmp(w->items[i].name, name))
			return &w->items[i];
	}
	return NULL;
}

static void add(struct wires *w, const char *name, const char *transport, uint64_t sent)
{
	struct wire *x = &w->items[w->n];

	if (w->n == WIRES_MAX || strlen(name) >= sizeof(x->name))
		return;
	memcpy(x->name, name, strlen(name) + 1);
	x->transport = transport;
	x->sent = sent;
	w->n++;
}

static void add_net(void *ctx, const char *dir, const char *name)
{
	char path[PATH_MAX], type[16];
	uint64_t sent;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path) ||
	    !strcmp(line(path, "type", type, sizeof(type)), "772") || /* loopback */
	    exists(path, "master") || !number(path, "statistics/tx_bytes", &sent))
		return;
	add(ctx, name, "tcp", sent);
}

/* Takes from a wire what another sent through it. */
static void take(struct wires *w, const char *from, uint64_t sent)
{
	struct wire *x = find(w, from);

	if (x)
		x->sent -= sent < x->sent ? sent : x->sent;
}

struct upper {
	struct wires *w;
	uint64_t sent;
};

static void take_lower(void *ctx, const char *dir, const char *name)
{
	const struct upper *u = ctx;

	(void)dir;
	take(u->w, name + strlen("lower_"), u->sent);
}

static const char *transport_of(const char *device, const char *port)
{
	char path[PATH_MAX], target[PATH_MAX], layer[32];
	const char *driver;
	ssize_t n;

	if (strcmp(line(port, "link_layer", layer, sizeof(layer)), "InfiniBand") != 0)
		return "roce";
	if ((size_t)snprintf(path, sizeof(path), "%s/device/driver", device) >=
	    sizeof(path))
		return "ib";
	n = readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	driver = strrchr(target, '/');
	return driver && !strncmp(driver, "/hfi", 4) ? "opa" : "ib";
}

/* The counter is in units of four bytes, whatever the width of the link. */
static void add_ports(void *ctx, const char *dir, const char *name)
{
	char device[PATH_MAX], port[PATH_MAX + 32], full[64 + 16];
	uint64_t words;

	if ((size_t)snprintf(device, sizeof(device), "%s/%s", dir, name) >=
		    sizeof(device) ||
	    strlen(name) >= 64)
		return;
	for (int i = 1; i <= 8; i++) {
		(void)snprintf(port, sizeof(port), "%s/ports/%d", device, i);
		if (!number(port, "counters/port_xmit_data", &words))
			continue;
		(void)snprintf(full, sizeof(full), "%s:%d", name, i);
		add(ctx, full, transport_of(device, port), words * 4);
	}
}

struct over {
	struct wires *w;
	uint64_t sent, port;
};

static void take_port(void *ctx, const char *dir, const char *name)
{
	const struct over *o = ctx;
	char full[64 + 32];
	const struct wire *x;

	(void)dir;
	(void)snprintf(full, sizeof(full), "%.64s:%" PRIu64, name, o->port + 1);
	x = find(o->w, full);
	if (x && strcmp(x->transport, "roce") != 0) /* that counts RDMA alone */
		take(o->w, full, o->sent);
}

/* What went through a device below, or through the port, is counted there too. */
static void count_once(struct wires *w, const char *net)
{
	char path[PATH_MAX + 128];

	for (int i = 0; i < w->n; i++) {
		struct upper u = {w, w->items[i].sent};
		struct over o = {w, w->items[i].sent, 0};

		if (strcmp(w->items[i].transport, "tcp") != 0)
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", net, w->items[i].name);
		each(path, "lower_", take_lower, &u);
		(void)number(path, "dev_port", &o.port);
		(void)snprintf(path, sizeof(path), "%s/%s/device/infiniband", net,
			       w->items[i].name);
		each(path, "", take_port, &o);
	}
}

void wires_read(const char *root, struct wires *w)
{
	char net[PATH_MAX], ib[PATH_MAX];

	w->n = 0;
	(void)snprintf(net, sizeof(net), "%s/sys/class/net", root);
	(void)snprintf(ib, sizeof(ib), "%s/sys/class/infiniband", root);
	each(net, "", add_net, w);
	each(ib, "", add_ports, w);
	count_once(w, net);
}

static int by_sent(const void *a, const void *b)
{
	const struct wire *x = a, *y = b;

	if (x->sent != y->sent)
		return x->sent < y->sent ? 1 : -1;
	return strcmp(x->name, y->name);
}

void wires_between(const struct wires *before, const struct wires *after,
		   struct wires *out)
{
	out->n = 0;
	for (int i = 0; i < after->n; i++) {
		const struct wire *x = &after->items[i];

		for (int k = 0; k < before->n; k++) {
			const struct wire *y = &before->items[k];

			if (!strcmp(x->name, y->name) && x->sent > y->sent)
				add(out, x->name, x->transport, x->sent - y->sent);
		}
	}
	qsort(out->items, (size_t)out->n, sizeof(*out->items), by_sent);
}

void wires_since(const struct wires *before, uint64_t payload, struct wires *sent)
{
	const double end = clock_now() + late_counters;
	const struct timespec moment = {.tv_nsec = 50000000};
	struct wires now;

	for (;;) {
		wires_read("", &now);
		wires_between(before, &now, sent);
		if (wires_total(sent) >= payload || clock_now() >= end)
			return;
		(void)nanosleep(&moment, NULL);
	}
}

uint64_t wires_loopback(const char *root)
{
	char dir[PATH_MAX];
	uint64_t sent;

	(void)snprintf(dir, sizeof(dir), "%s/sys/class/net/lo/statistics", root);
	return number(dir, "tx_bytes", &sent) ? sent : 0;
}

uint64_t wires_total(const struct wires *w)
{
	uint64_t total = 0;

	for (int i = 0; i < w->n; i++)
		total += w->items[i].sent;
	return total;
}

void wires_say(const struct wires *sent, uint64_t payload, struct strbuf *out)
{
	char text[UNITS_TEXT];
	const char *comma = "";

	if (wires_total(sent) < payload / 2) {
		strbuf_addf(out, "unknown: %s of messages",
			    units_format(text, sizeof(text), (double)payload, "B"));
		strbuf_addf(
			out, ", interfaces counted %s",
			units_format(text, sizeof(text), (double)wires_total(sent), "B"));
		return;
	}
	for (int i = 0; i < sent->n; i++) {
		const struct wire *x = &sent->items[i];

		if (i && x->sent < payload / 10)
			break;
		strbuf_addf(out, "%s%s (%s): %s sent", comma, x->name, x->transport,
			    units_format(text, sizeof(text), (double)x->sent, "B"));
		comma = ", ";
	}
}

void wires_say_near(uint64_t loopback, uint64_t payload, struct strbuf *out)
{
	const bool lo = loopback >= payload / 2;
	char text[UNITS_TEXT];

	strbuf_addf(
		out, "%s: %s sent", lo ? "lo (tcp)" : "memory (shm)",
		units_format(text, sizeof(text), (double)(lo ? loopback : payload), "B"));
}
