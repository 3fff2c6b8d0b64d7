/* SPDX-License-Identifier: Apache-2.0 */
/* --locality: the same test with the ranks near to the adapter and far from it. */
#include <stdlib.h>
#include <string.h>

#include "kernels/net/net.h"

/* Bytes that show which device carries the messages, and how many messages. */
enum { PROBE_SIZE = 1 << 20, PROBE_MESSAGES = 16 };

/* Of the two ranks that are measured between. */
static bool is_end(const struct net *x)
{
	return x->end.out != NULL;
}

/* The two ends send each other something; which interface of this node carried most? */
static int find_carrier(struct kit *k, struct net *x, char *name, size_t size,
			struct err *e)
{
	const uint64_t payload = (uint64_t)PROBE_SIZE * PROBE_MESSAGES;
	struct wires before, sent;
	void *buffer = measure_buffer(2 * (uint64_t)PROBE_SIZE, e);

	if (!buffer)
		return -1;
	wires_read("", &before);
	for (int i = 0; i < PROBE_MESSAGES; i++)
		(void)MPI_Sendrecv(buffer, PROBE_SIZE, MPI_CHAR, x->end.peer, 0,
				   (char *)buffer + PROBE_SIZE, PROBE_SIZE, MPI_CHAR,
				   x->end.peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	free(buffer);
	wires_since(&before, payload, &sent);
	if (!sent.n || sent.items[0].sent < payload / 2)
		return kit_skip(k, e,
				"no interface counts the messages, so nobody knows near "
				"to what; name it with --device");
	(void)snprintf(name, size, "%s", sent.items[0].name);
	return 0;
}

static void add(struct net *x, const char *key, const char *value, int quoted, int domain)
{
	struct net_place *p = &x->places[x->n_places++];

	(void)snprintf(p->value, sizeof(p->value), "%s", value);
	(void)snprintf(p->at, sizeof(p->at), quoted ? "\"%s\":\"%s\"" : "\"%s\":%s", key,
		       value);
	p->domain = domain;
	p->id = x->locality.domains[domain].id;
}

/* This rank's node has a place of each name; the numbers of domains may differ. */
static void fill(struct kit *k, struct net *x)
{
	const struct locality *l = &x->locality;
	char value[16];

	x->n_places = 0;
	if (!kit_is(k, "locality", "domains")) {
		add(x, "locality", "near", 1, l->near);
		add(x, "locality", "far", 1, l->far);
		if (kit_is(k, "locality", "near"))
			x->n_places = 1;
		if (kit_is(k, "locality", "far"))
			x->places[0] = x->places[--x->n_places];
		return;
	}
	for (int i = 0; i < l->n && x->n_places < NET_PLACES; i++) {
		(void)snprintf(value, sizeof(value), "%d", l->domains[i].id);
		add(x, "domain", value, 0, i);
	}
}

/* This node's device and domains; a rank between the ends goes along as started. */
static int look(struct kit *k, struct net *x, struct err *e)
{
	struct err why = {0};

	if (!is_end(x))
		return 0;
	(void)snprintf(x->device, sizeof(x->device), "%s", kit_option(k, "device"));
	if (!x->device[0] && find_carrier(k, x, x->device, sizeof(x->device), e))
		return -1;
	if (locality_read(&x->locality, kit_option(k, "machine"), x->device, &why))
		return kit_skip(k, e, "%s", why.msg);
	fill(k, x);
	return 0;
}

int net_places(struct kit *k, struct net *x, struct err *e)
{
	int n, theirs;

	if (x->peer < 0)
		return k->rank ? err_set(e, ERR_SYSTEM, "%s", "")
			       : kit_skip(k, e,
					  "near to a network adapter or far from it "
					  "makes a difference between two nodes only");
	if (kit_agree(k, look(k, x, e), e))
		return err_set(e, ERR_SYSTEM, "%s", "");
	n = x->n_places;
	if (!is_end(x))
		n = NET_PLACES;
	(void)MPI_Allreduce(&n, &theirs, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	x->n_places = theirs;
	return 0;
}

int net_move(struct kit *k, struct net *x, struct err *e)
{
	const struct net_place *p = &x->places[x->place];
	int rc = 0;

	if (is_end(x)) {
		rc = kit_move(k, x->locality.domains[p->domain].cpus, e);
		x->test->teardown(x); /* buffers belong to where they were touched */
		if (!rc)
			rc = x->test->setup(k, x, e);
	}
	return kit_agree(k, rc, e);
}

void net_remote(struct kit *k, struct net *x)
{
	const double near = x->remote[0], far = x->remote[1];

	if (k->rank || !kit_is(k, "locality", "both") || !(near > 0) || !(far > 0))
		return;
	x->repetition = 0;
	kit_pair_sample(k, x->peer, "net.remote",
			x->test->bandwidth ? far / near : near / far, 0, NULL);
}
