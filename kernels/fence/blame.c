/* SPDX-License-Identifier: Apache-2.0 */
/* Whose fault it is that two ranks do not reach each other: see blame.h. */
#include "blame.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/strbuf.h"

/* Neighbouring ranks of one machine: the last of them tried the next machine. */
struct node {
	const json_t *card, *tries;
	int rank; /* the first */
	/* of the network at hand, known by the name of its interface */
	const char *address; /* NULL: there is none of that name */
	bool up;
	const json_t *try; /* to the next node; NULL: there was none */
};

struct blame {
	struct node *nodes;
	size_t n;
	const char *net; /* at hand */
	void (*found)(void *ctx, const char *what, int rank, const char *text);
	void *ctx;
	struct strbuf text;
};

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/* The member of @list with this name, NULL when there is none. */
static const json_t *named(const json_t *list, const char *name)
{
	const json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
	{
		if (!strcmp(text(o, "name"), name))
			return o;
	}
	return NULL;
}

static void say(struct blame *b, const char *what, int rank)
{
	b->found(b->ctx, what, rank, strbuf_str(&b->text));
	strbuf_reset(&b->text);
}

/* Takes up the network b->net; the number of nodes that have an address in it. */
static size_t load(struct blame *b)
{
	size_t have = 0;

	for (size_t i = 0; i < b->n; i++) {
		struct node *x = &b->nodes[i];
		const json_t *net = named(json_object_get(x->card, "nets"), b->net);

		x->address = net ? text(net, "address") : NULL;
		x->up = json_is_true(json_object_get(net, "up"));
		x->try = named(x->tries, b->net);
		have += net != NULL;
	}
	return have;
}

static void share(struct blame *b, const char *address, size_t n, size_t have,
		  const struct node *const *who)
{
	if (n > 2 || n == have) {
		strbuf_addf(&b->text,
			    "%s has the same address %s on %zu nodes: keep MPI off it "
			    "(btl_tcp_if_include, oob_tcp_if_include, UCX_NET_DEVICES)",
			    b->net, address, n);
		say(b, "hint", -1);
		return;
	}
	strbuf_addf(&b->text, "%s: address %s, which '%s' has too", b->net, address,
		    text(who[0]->card, "host"));
	say(b, "link", who[1]->rank);
}

/*
 * Nodes with one address: a bridge for containers or guests when they are many or all;
 * two of several lose messages that are meant for the other. True when all have one.
 */
static bool find_shared(struct blame *b, size_t have)
{
	struct shared {
		size_t n;
		const struct node *who[2];
	} *shared = mem_calloc(b->n, sizeof(*shared));
	struct names seen = {0};
	bool all;

	for (size_t i = 0; i < b->n; i++) {
		struct shared *s;

		if (!b->nodes[i].address)
			continue;
		s = &shared[names_add(&seen, b->nodes[i].address, NULL)];
		if (s->n < 2)
			s->who[s->n] = &b->nodes[i];
		s->n++;
	}
	for (size_t i = 0; i < seen.n; i++) {
		if (shared[i].n > 1)
			share(b, seen.items[i], shared[i].n, have, shared[i].who);
	}
	all = have > 1 && seen.n == 1;
	names_release(&seen);
	free(shared);
	return all;
}

static void find_missing(struct blame *b, size_t have)
{
	if (2 * have <= b->n)
		return; /* not a network that all have */
	for (size_t i = 0; i < b->n; i++) {
		if (b->nodes[i].address || !b->nodes[i].card)
			continue;
		strbuf_addf(&b->text,
			    "%s: not there, or without an address; %zu others have it",
			    b->net, have);
		say(b, "link", b->nodes[i].rank);
	}
}

/* What one try says of the two ends; nothing when one of them has no carrier anyway. */
enum outcome { UNKNOWN, GOOD, BAD };

static enum outcome outcome(const struct blame *b, size_t from)
{
	const struct node *x = &b->nodes[from], *y = &b->nodes[(from + 1) % b->n];

	if (!x->try || !x->address || !x->up || !y->address || !y->up)
		return UNKNOWN;
	return *text(x->try, "problem") ? BAD : GOOD;
}

/* A node that fails with both neighbours is the culprit; else the pair is. */
static void find_bad(struct blame *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const size_t next = (i + 1) % b->n, last = (i + b->n - 1) % b->n;
		const struct node *x = &b->nodes[i];

		if (!x->address)
			continue;
		if (x->up && outcome(b, i) != BAD)
			continue;
		if (!x->up) {
			strbuf_addf(&b->text, "%s: no carrier", b->net);
		} else if (b->n > 2 && outcome(b, last) == BAD) {
			strbuf_addf(&b->text,
				    "%s: it reaches nobody and nobody reaches it (%s)",
				    b->net, text(x->try, "problem"));
		} else if (b->n > 2 && outcome(b, next) == BAD) {
			continue; /* the next one is told of instead */
		} else {
			strbuf_addf(&b->text, "%s: does not reach '%s' at %s (%s)",
				    b->net, text(b->nodes[next].card, "host"),
				    text(x->try, "to"), text(x->try, "problem"));
		}
		say(b, "link", x->rank);
	}
}

static bool same_machine(const json_t *a, const json_t *b)
{
	return a && b && !strcmp(text(a, "host"), text(b, "host")) &&
	       json_equal(json_object_get(a, "nets"), json_object_get(b, "nets"));
}

static void group(struct blame *b, const json_t *const *cards, const json_t *const *tries,
		  size_t ranks)
{
	for (size_t r = 0; r < ranks; r++) {
		if (!r || !same_machine(cards[r - 1], cards[r]))
			b->nodes[b->n++] =
				(struct node){.card = cards[r], .rank = (int)r};
		b->nodes[b->n - 1].tries = tries[r];
	}
}

void blame(const json_t *const *cards, const json_t *const *tries, size_t ranks,
	   void (*found)(void *ctx, const char *what, int rank, const char *text),
	   void *ctx)
{
	struct blame b = {.found = found, .ctx = ctx};
	struct names nets = {0};
	const json_t *net;
	size_t k;

	b.nodes = mem_calloc(ranks + 1, sizeof(*b.nodes));
	group(&b, cards, tries, ranks);
	for (size_t i = 0; i < b.n; i++) {
		json_array_foreach(json_object_get(b.nodes[i].card, "nets"), k, net)
		{
			if (*text(net, "name"))
				(void)names_add(&nets, text(net, "name"), NULL);
		}
	}
	for (size_t i = 0; i < nets.n && b.n > 1; i++) {
		size_t have;

		b.net = nets.items[i];
		have = load(&b);
		if (find_shared(&b, have))
			continue;
		find_missing(&b, have);
		find_bad(&b);
	}
	names_release(&nets);
	free(b.nodes);
	strbuf_release(&b.text);
}
