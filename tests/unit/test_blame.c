/* SPDX-License-Identifier: Apache-2.0 */
/* Whose fault it is that nodes do not reach each other, from what all of them say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "kernels/fence/blame.h"
#include "kernels/fence/links.h"

enum { MOST = 8 };

struct job {
	json_t *cards[MOST], *tries[MOST];
	size_t n;
	struct strbuf said; /* a line for each problem */
};

/* @n nodes n0.. that all have hsn0 and reach each other. */
static void begin(struct job *j, size_t n)
{
	memset(j, 0, sizeof(*j));
	j->n = n;
	for (size_t i = 0; i < n; i++) {
		char host[16], own[32], next[32];

		(void)snprintf(host, sizeof(host), "n%zu", i);
		(void)snprintf(own, sizeof(own), "10.0.0.%zu", i + 1);
		(void)snprintf(next, sizeof(next), "10.0.0.%zu", (i + 1) % n + 1);
		j->cards[i] = json_pack("{s:s, s:[{s:s, s:s, s:s, s:b}]}", "host", host,
					"nets", "name", "hsn0", "address", own, "mask",
					"255.255.255.0", "up", 1);
		j->tries[i] = json_pack("[{s:s, s:s, s:s}]", "name", "hsn0", "to", next,
					"problem", "");
	}
}

static json_t *hsn0(struct job *j, size_t i)
{
	return json_array_get(json_object_get(j->cards[i], "nets"), 0);
}

static void fails(struct job *j, size_t i, const char *problem)
{
	(void)json_object_set_new(json_array_get(j->tries[i], 0), "problem",
				  json_string(problem));
}

static void add_net(struct job *j, size_t i, const char *name, const char *address)
{
	(void)json_array_append_new(json_object_get(j->cards[i], "nets"),
				    json_pack("{s:s, s:s, s:s, s:b}", "name", name,
					      "address", address, "mask", "255.255.0.0",
					      "up", 1));
}

static void hear(void *ctx, const char *what, int rank, const char *text)
{
	struct job *j = ctx;

	strbuf_addf(&j->said, "%s %d %s\n", what, rank, text);
}

static void end(struct job *j, const char *expected)
{
	blame((const json_t *const *)j->cards, (const json_t *const *)j->tries, j->n,
	      hear, j);
	assert_string_equal(strbuf_str(&j->said), expected);
	strbuf_release(&j->said);
	for (size_t i = 0; i < j->n; i++) {
		json_decref(j->cards[i]);
		json_decref(j->tries[i]);
	}
}

static void nothing_is_said_when_all_is_well(void **unused)
{
	struct job j;

	(void)unused;
	for (size_t n = 1; n <= 5; n++) {
		begin(&j, n);
		end(&j, "");
	}
	begin(&j, 0);
	end(&j, "");
}

static void a_node_without_carrier_is_named_alone(void **unused)
{
	struct job j;

	(void)unused;
	begin(&j, 4);
	(void)json_object_set_new(hsn0(&j, 2), "up", json_false());
	fails(&j, 1, "no answer in 2 s");
	fails(&j, 2, "No route to host");
	end(&j, "link 2 hsn0: no carrier\n");
}

static void a_node_that_fails_with_both_neighbours_is_named_alone(void **unused)
{
	struct job j;

	(void)unused;
	for (size_t bad = 0; bad < 4; bad++) {
		char expected[128];

		begin(&j, 4);
		fails(&j, bad, "no answer in 2 s");
		fails(&j, (bad + 3) % 4, "no answer in 2 s");
		(void)snprintf(
			expected, sizeof(expected),
			"link %zu hsn0: it reaches nobody and nobody reaches it (no "
			"answer in 2 s)\n",
			bad);
		end(&j, expected);
	}
}

static void one_bad_pair_is_told_by_the_one_who_tried(void **unused)
{
	struct job j;

	(void)unused;
	begin(&j, 4);
	fails(&j, 3, "Connection refused");
	end(&j, "link 3 hsn0: does not reach 'n0' at 10.0.0.1 (Connection refused)\n");
	begin(&j, 2);
	fails(&j, 0, "x");
	fails(&j, 1, "y");
	end(&j, "link 0 hsn0: does not reach 'n1' at 10.0.0.2 (x)\n"
		"link 1 hsn0: does not reach 'n0' at 10.0.0.1 (y)\n");
}

static void a_missing_address_counts_where_most_have_one(void **unused)
{
	struct job j;

	(void)unused;
	begin(&j, 4);
	(void)json_array_clear(json_object_get(j.cards[1], "nets"));
	(void)json_array_clear(j.tries[0]);
	(void)json_array_clear(j.tries[1]);
	add_net(&j, 3, "usb0", "169.254.3.1"); /* of one alone: nobody's fault */
	end(&j, "link 1 hsn0: not there, or without an address; 3 others have it\n");
}

static void a_bridge_with_one_address_everywhere_is_a_hint(void **unused)
{
	struct job j;

	(void)unused;
	begin(&j, 3);
	for (size_t i = 0; i < 3; i++)
		add_net(&j, i, "docker0", "172.17.0.1");
	end(&j,
	    "hint -1 docker0 has the same address 172.17.0.1 on 3 nodes: keep MPI off "
	    "it (btl_tcp_if_include, oob_tcp_if_include, UCX_NET_DEVICES)\n");
}

static void two_nodes_with_one_address_are_a_fault(void **unused)
{
	struct job j;

	(void)unused;
	begin(&j, 4);
	(void)json_object_set_new(hsn0(&j, 3), "address", json_string("10.0.0.2"));
	end(&j, "link 3 hsn0: address 10.0.0.2, which 'n1' has too\n");
}

static void ranks_of_one_machine_are_one_node(void **unused)
{
	struct job j;

	(void)unused;
	begin(&j, 4); /* ranks 0 and 1 on n0, 2 and 3 on n2 */
	json_decref(j.cards[1]);
	j.cards[1] = json_incref(j.cards[0]);
	json_decref(j.cards[3]);
	j.cards[3] = json_incref(j.cards[2]);
	fails(&j, 1, "no answer in 2 s");
	end(&j, "link 0 hsn0: does not reach 'n2' at 10.0.0.3 (no answer in 2 s)\n");
}

/* What another rank sent may be anything. */
static void cards_that_say_nothing_are_no_fault(void **unused)
{
	struct job j;

	(void)unused;
	begin(&j, 3);
	json_decref(j.cards[0]);
	j.cards[0] = NULL;
	json_decref(j.tries[1]);
	j.tries[1] = json_pack("{s:s}", "nets", "none");
	(void)json_object_set_new(j.cards[2], "nets", json_pack("[i, {}, n]", 1));
	(void)json_object_del(j.cards[2], "host");
	end(&j, "");
}

/* The real thing: two ends in this process, over whatever addresses it has. */
static void an_end_answers_with_its_token_and_no_other(void **unused)
{
	struct links *l;
	struct err e = {0};
	json_t *peer, *self, *tries, *one;
	size_t i;

	(void)unused;
	assert_int_equal(links_open(&l, 42, &e), 0);
	self = links_card(l, "here");
	(void)json_object_set_new(self, "nets",
				  json_pack("[{s:s, s:s, s:s, s:b}]", "name", "lo",
					    "address", "127.0.0.1", "mask", "255.0.0.0",
					    "up", 1));
	tries = links_try(self, self, 5);
	assert_int_equal(json_array_size(tries), 1);
	json_array_foreach(tries, i, one)
	{
		assert_string_equal(json_string_value(json_object_get(one, "problem")),
				    "");
	}
	json_decref(tries);
	peer = json_deep_copy(self);
	(void)json_object_set_new(peer, "token", json_integer(43));
	tries = links_try(self, peer, 5);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(tries, 0), "problem")),
		"another program, or another node, has that address");
	json_decref(tries);
	links_close(l);
	tries = links_try(self, peer, 5);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(tries, 0), "problem")),
		"Connection refused");
	json_decref(tries);
	tries = links_try(self, NULL, 5);
	assert_int_equal(json_array_size(tries), 0);
	json_decref(tries);
	json_decref(peer);
	json_decref(self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_said_when_all_is_well),
		cmocka_unit_test(a_node_without_carrier_is_named_alone),
		cmocka_unit_test(a_node_that_fails_with_both_neighbours_is_named_alone),
		cmocka_unit_test(one_bad_pair_is_told_by_the_one_who_tried),
		cmocka_unit_test(a_missing_address_counts_where_most_have_one),
		cmocka_unit_test(a_bridge_with_one_address_everywhere_is_a_hint),
		cmocka_unit_test(two_nodes_with_one_address_are_a_fault),
		cmocka_unit_test(ranks_of_one_machine_are_one_node),
		cmocka_unit_test(cards_that_say_nothing_are_no_fault),
		cmocka_unit_test(an_end_answers_with_its_token_and_no_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
