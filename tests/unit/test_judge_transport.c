/* SPDX-License-Identifier: Apache-2.0 */
/* Rule `transport`: what carried the messages against what the site wants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "judge_fixture.h"

static const char *const nodes[] = {"n1", "n2", "n3"};

/* Three nodes and what the site wants, as JSON. */
static void start(struct fixture *f, const char *site)
{
	fixture_init(f);
	fixture_line(
		f,
		"{\"kind\":\"plan\",\"name\":\"t\",\"nodes\":[\"n1\",\"n2\",\"n3\"],"
		"\"limits\":{\"repeats\":2},\"stages\":[{\"name\":\"preflight\",\"gate\":"
		"true,\"steps\":[]},{\"name\":\"s\",\"gate\":false,\"steps\":[]}],"
		"\"site\":%s,\"kernels\":{\"transport\":{"
		"\"shape\":\"pair\",\"metrics\":[{\"name\":\"transport.latency\","
		"\"unit\":\"s\",\"better\":\"lower\",\"reduce\":\"median\","
		"\"unrated\":true}]}}}",
		site);
	for (size_t i = 0; i < 3; i++)
		fixture_node(f, nodes[i], NULL, 0);
}

/* A launch over the nodes of the JSON list @list. */
static void step(struct fixture *f, int id, const char *kernel, const char *list,
		 const char *cause)
{
	fixture_line(f,
		     "{\"kind\":\"step\",\"step\":%d,\"attempt\":1,\"event\":\"planned\","
		     "\"key\":\"preflight/%s@*\",\"name\":\"preflight/%s\",\"kernel\":"
		     "\"%s\",\"place\":\"anywhere\",\"nodes\":%s,\"ranks\":3}",
		     id, kernel, kernel, kernel, list);
	fixture_line(f,
		     "{\"kind\":\"step\",\"step\":%d,\"attempt\":1,\"event\":\"started\","
		     "\"key\":\"preflight/%s@*\"}",
		     id, kernel);
	fixture_line(f,
		     "{\"kind\":\"step\",\"step\":%d,\"attempt\":1,\"event\":\"ended\","
		     "\"key\":\"preflight/%s@*\",\"cause\":\"%s\",\"reason\":\"r\"}",
		     id, kernel, cause);
}

static void event(struct fixture *f, int id, const char *node, const char *what,
		  const char *text)
{
	fixture_line(
		f,
		"{\"kind\":\"event\",\"step\":%d,\"attempt\":1,%s%s%s\"what\":\"%s\","
		"\"text\":\"%s\"}",
		id, node ? "\"node\":\"" : "", node ? node : "", node ? "\"," : "", what,
		text);
}

static void says(const struct fixture *f, const char *node, enum verdict_word word,
		 const char *why)
{
	const struct verdict *v = fixture_verdict(f, "transport", NULL, node);

	assert_int_equal(v->word, word);
	assert_string_equal(v->why, why);
}

static size_t requests(const struct fixture *f, const char *want, const char *target)
{
	size_t n = 0;

	for (size_t i = 0; i < f->summary.n_requests; i++)
		n += !strcmp(f->summary.requests[i].want, want) &&
		     !strcmp(f->summary.requests[i].target, target);
	return n;
}

#define ALL "[\"n1\",\"n2\",\"n3\"]"

static void without_a_wish_it_says_what_carried_the_messages(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f, "{}");
	step(&f, 1, "transport", ALL, "ok");
	event(&f, 1, "n1", "transport", "hsn0 (tcp): 12.6 MB sent");
	event(&f, 1, "n2", "transport",
	      "unknown: 12.6 MB of messages, interfaces counted 0 B");
	fixture_judge(&f);
	says(&f, "n1", VERDICT_PASS, "messages went over hsn0 (tcp): 12.6 MB sent");
	says(&f, "n2", VERDICT_PASS,
	     "messages went over unknown: 12.6 MB of messages, interfaces counted 0 B");
	assert_int_equal(fixture_count(&f, "transport", NULL, "n3"), 0);
	fixture_release(&f);
}

static void another_transport_or_interface_is_wrong(void **unused)
{
	static const struct {
		const char *site, *found;
		enum verdict_word word;
		const char *why;
	} cases[] = {
		{"{\"fabric\":{\"transport\":\"ib\"}}", "mlx5_0:1 (ib): 9 MB sent",
		 VERDICT_PASS, "messages went over mlx5_0:1 (ib): 9 MB sent"},
		{"{\"fabric\":{\"transport\":\"ib\"}}", "ib0 (tcp): 9 MB sent",
		 VERDICT_FAIL, "WRONG TRANSPORT: ib0 (tcp): 9 MB sent; wanted ib"},
		{"{\"fabric\":{\"transport\":\"ib\",\"interface\":[\"mlx5_0:*\","
		 "\"mlx5_1:*\"]}}",
		 "mlx5_0:1 (ib): 9 MB sent, mlx5_1:1 (ib): 8 MB sent", VERDICT_PASS,
		 "messages went over mlx5_0:1 (ib): 9 MB sent, mlx5_1:1 (ib): 8 MB sent"},
		{"{\"fabric\":{\"interface\":[\"hsn*\"]}}",
		 "hsn0 (tcp): 9 MB sent, eth0 (tcp): 3 MB sent", VERDICT_FAIL,
		 "WRONG TRANSPORT: hsn0 (tcp): 9 MB sent, eth0 (tcp): 3 MB sent; wanted "
		 "messages over hsn*"},
		{"{\"fabric\":{\"transport\":\"tcp\",\"interface\":[\"hsn0\",\"hsn1\"]}}",
		 "eth0 (tcp): 9 MB sent", VERDICT_FAIL,
		 "WRONG TRANSPORT: eth0 (tcp): 9 MB sent; wanted tcp over hsn0 or hsn1"},
		{"{\"fabric\":{\"transport\":\"ethernet\"}}",
		 "mlx5_0:1 (roce): 9 MB sent", VERDICT_PASS,
		 "messages went over mlx5_0:1 (roce): 9 MB sent"},
		{"{\"fabric\":{\"transport\":\"ethernet\"}}", "eth0 (tcp): 9 MB sent",
		 VERDICT_PASS, "messages went over eth0 (tcp): 9 MB sent"},
		{"{\"fabric\":{\"transport\":\"roce\"}}", "eth0 (tcp): 9 MB sent",
		 VERDICT_FAIL, "WRONG TRANSPORT: eth0 (tcp): 9 MB sent; wanted roce"},
		{"{\"fabric\":{\"transport\":\"ib\"}}",
		 "unknown: 9 MB of messages, interfaces counted 0 B", VERDICT_UNJUDGED,
		 "wanted ib, but what carried the messages is unknown: 9 MB of messages, "
		 "interfaces counted 0 B"},
		/* an interface may be called anything */
		{"{\"fabric\":{\"transport\":\"ib\"}}", "(ib) (tcp): 9 MB sent",
		 VERDICT_FAIL, "WRONG TRANSPORT: (ib) (tcp): 9 MB sent; wanted ib"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;

		start(&f, cases[i].site);
		step(&f, 1, "transport", ALL, "ok");
		event(&f, 1, "n2", "transport", cases[i].found);
		fixture_judge(&f);
		says(&f, "n2", cases[i].word, cases[i].why);
		assert_int_equal(requests(&f, "exclude", "n2"),
				 cases[i].word == VERDICT_FAIL);
		fixture_release(&f);
	}
}

/* Field case B09. */
static void tcp_beside_an_active_port_of_infiniband_is_a_fall_back(void **unused)
{
	static const char suspected[] =
		"transport fall-back suspected: messages went over ib0 (tcp): 9 MB sent "
		"while mlx5_1 port 1 (InfiniBand) is ACTIVE; if that is meant, say so in "
		"the site file (fabric)";
	static const struct {
		const char *site, *state, *layer, *found, *why;
		enum verdict_word word;
	} cases[] = {
		{"{}", "ACTIVE", "InfiniBand", "ib0 (tcp): 9 MB sent", suspected,
		 VERDICT_FAIL},
		{"{}", "DOWN", "InfiniBand", "eth0 (tcp): 9 MB sent",
		 "messages went over eth0 (tcp): 9 MB sent", VERDICT_PASS},
		{"{}", "ACTIVE", "Ethernet", "eth0 (tcp): 9 MB sent",
		 "messages went over eth0 (tcp): 9 MB sent", VERDICT_PASS},
		{"{}", "ACTIVE", "InfiniBand", "mlx5_1:1 (ib): 9 MB sent",
		 "messages went over mlx5_1:1 (ib): 9 MB sent", VERDICT_PASS},
		/* what the site says is meant */
		{"{\"fabric\":{\"transport\":\"tcp\"}}", "ACTIVE", "InfiniBand",
		 "ib0 (tcp): 9 MB sent", "messages went over ib0 (tcp): 9 MB sent",
		 VERDICT_PASS},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;

		start(&f, cases[i].site);
		fixture_line(&f,
			     "{\"kind\":\"node\",\"node\":\"n2\",\"facts\":{\"hca\":{"
			     "\"mlx5_0\":{\"ports\":[{\"port\":1,\"state\":\"DOWN\","
			     "\"layer\":\"InfiniBand\"}]},\"mlx5_1\":{\"ports\":[{"
			     "\"port\":1,\"state\":\"%s\",\"layer\":\"%s\"}]}}}}",
			     cases[i].state, cases[i].layer);
		step(&f, 1, "transport", ALL, "ok");
		event(&f, 1, "n2", "transport", cases[i].found);
		event(&f, 1, "n1", "transport", "eth0 (tcp): 9 MB sent");
		fixture_judge(&f);
		says(&f, "n2", cases[i].word, cases[i].why);
		says(&f, "n1", VERDICT_PASS, "messages went over eth0 (tcp): 9 MB sent");
		assert_int_equal(requests(&f, "exclude", "n2"),
				 cases[i].word == VERDICT_FAIL);
		fixture_release(&f);
	}
}

static void a_wanted_network_that_is_broken_fails_the_node(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f, "{\"fabric\":{\"interface\":[\"hsn0\"]}}");
	step(&f, 1, "fence", ALL, "ok");
	event(&f, 1, "n3", "link", "hsn0: no carrier");
	event(&f, 1, "n1", "link", "eth7: no carrier");
	fixture_judge(&f);
	says(&f, "n3", VERDICT_FAIL, "the fabric is broken: hsn0: no carrier");
	assert_int_equal(requests(&f, "exclude", "n3"), 1);
	assert_int_equal(fixture_count(&f, "transport", NULL, "n1"), 0);
	assert_int_equal(f.summary.exit, 1);
	fixture_line(&f,
		     "{\"kind\":\"request\",\"id\":\"%s\",\"want\":\"exclude\","
		     "\"target\":\"n3\",\"because\":\"b\"}",
		     f.summary.requests[0].id);
	fixture_judge(&f);
	assert_int_equal(f.summary.n_requests, 0); /* it is in the journal */
	/* the launch that is made again without it is no news about it */
	step(&f, 2, "fence", "[\"n1\",\"n2\"]", "ok");
	fixture_judge(&f);
	says(&f, "n3", VERDICT_FAIL, "the fabric is broken: hsn0: no carrier");
	/* but one with it is */
	step(&f, 3, "fence", ALL, "ok");
	fixture_judge(&f);
	assert_int_equal(fixture_count(&f, "transport", NULL, NULL), 0);
	fixture_release(&f);
}

static void other_networks_are_told_of_where_launches_hang(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f, "{}");
	step(&f, 1, "fence", ALL, "ok");
	event(&f, 1, "n2", "link", "hsn0: no carrier");
	for (size_t i = 0; i < 3; i++)
		event(&f, 1, nodes[i], "link", "eth7: no carrier");
	event(&f, 1, NULL, "hint", "docker0 has the same address");
	fixture_judge(&f);
	assert_int_equal(fixture_count(&f, "transport", NULL, NULL), 0);
	step(&f, 2, "transport", ALL, "timeout");
	fixture_judge(&f);
	says(&f, "n2", VERDICT_WARN, "network hsn0: no carrier");
	assert_int_equal(requests(&f, "exclude", "n2"), 0);
	assert_int_equal(fixture_count(&f, "transport", NULL, NULL), 1);
	assert_string_equal(f.summary.remarks[0], "hint: docker0 has the same address");
	fixture_release(&f);
}

static void the_last_launch_of_a_node_counts(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f, "{\"fabric\":{\"transport\":\"tcp\",\"interface\":[\"hsn0\"]}}");
	step(&f, 1, "transport", ALL, "ok");
	event(&f, 1, "n1", "transport", "eth0 (tcp): 9 MB sent");
	event(&f, 1, "n2", "transport", "eth0 (tcp): 9 MB sent");
	step(&f, 2, "transport", "[\"n2\",\"n3\"]", "ok");
	event(&f, 2, "n2", "transport", "hsn0 (tcp): 9 MB sent");
	fixture_judge(&f);
	assert_int_equal(fixture_verdict(&f, "transport", NULL, "n1")->word,
			 VERDICT_FAIL);
	assert_int_equal(fixture_verdict(&f, "transport", NULL, "n2")->word,
			 VERDICT_PASS);
	fixture_release(&f);
}

/* Field case B09. */
static void variables_of_the_shell_are_a_warning(void **unused)
{
	struct fixture f;
	const struct verdict *v;

	(void)unused;
	start(&f, "{\"mpi\":[\"UCX_TLS\",\"OMPI_MCA_pml\"]}");
	fixture_line(
		&f,
		"{\"kind\":\"run\",\"id\":\"r\",\"version\":\"v\",\"build\":\"b\","
		"\"host\":\"h\",\"pid\":1,\"command\":[],\"env\":{\"UCX_NET_DEVICES\":"
		"\"mlx5_9:1\",\"OMPI_MCA_btl\":\"tcp,self\",\"UCX_TLS\":\"tcp\","
		"\"OMP_PROC_BIND\":\"false\",\"MALLOC_ARENA_MAX\":\"1\","
		"\"SLURM_JOB_ID\":\"7\",\"BLIS_NUM_THREADS\":\"4\","
		"\"OMPI_MCA_pml\":\"ucx\"}}");
	fixture_judge(&f);
	v = fixture_verdict(&f, "transport", NULL, NULL);
	assert_int_equal(v->word, VERDICT_WARN);
	assert_null(v->node);
	assert_string_equal(v->why,
			    "inherited from the shell and not from the site file: "
			    "BLIS_NUM_THREADS=4, OMPI_MCA_btl=tcp,self, "
			    "OMP_PROC_BIND=false, UCX_NET_DEVICES=mlx5_9:1");
	fixture_release(&f);
}

static void an_unrated_metric_needs_no_reference(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f, "{}");
	step(&f, 1, "transport", ALL, "ok");
	fixture_line(&f, "{\"kind\":\"sample\",\"step\":1,\"attempt\":1,\"node\":\"n1\","
			 "\"peer\":\"n2\",\"rank\":0,\"metric\":\"transport.latency\","
			 "\"value\":1e-6,\"unit\":\"s\",\"repetition\":1}");
	fixture_judge(&f);
	assert_int_equal(f.summary.n_series, 1);
	assert_int_equal(f.summary.counts[VERDICT_UNJUDGED], 0);
	fixture_release(&f);
}

/* A journal may hold anything. */
static void nonsense_is_no_verdict_of_a_wrong_transport(void **unused)
{
	static const char *const texts[] = {
		"", "): ", "(): ", "x(): ", "a (b): ", ", , ", "x (tcp)"};

	(void)unused;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct fixture f;

		start(&f, "{\"fabric\":[1],\"mpi\":7}");
		step(&f, 1, "transport", ALL, "ok");
		event(&f, 1, "n1", "transport", texts[i]);
		event(&f, 1, "n2", "link", texts[i]);
		fixture_judge(&f);
		assert_int_equal(f.summary.counts[VERDICT_FAIL], 0);
		fixture_release(&f);
	}
}

/* The plan, and n1 and n2 with @ports, JSON, of an adapter mlx5_0, and two more adapters.
 */
static void net_nodes(struct fixture *f, const char *ports)
{
	fixture_line(f,
		     "{\"kind\":\"plan\",\"name\":\"t\",\"nodes\":[\"n1\",\"n2\"],"
		     "\"site\":{},\"kernels\":{\"net\":{\"shape\":\"pair\",\"metrics\":[{"
		     "\"name\":\"net.bw\",\"unit\":\"B/s\",\"better\":\"higher\","
		     "\"reduce\":\"median\"}]}}}");
	for (size_t k = 0; k < 2; k++)
		fixture_line(f,
			     "{\"kind\":\"node\",\"node\":\"%s\",\"facts\":{\"hca\":{"
			     "\"mlx5_0\":{\"ports\":[%s]},"
			     "\"mlx5_1\":{\"ports\":[{\"port\":1,\"rate\":25e9}]},"
			     "\"mlx5_2\":{\"ports\":[{\"port\":1,\"rate\":12.5e9}]}}}}",
			     nodes[k], ports);
}

/* Bandwidth between n1 and n2 as a share of the slower port that carried it. */
static void a_bandwidth_is_held_against_the_line_rate(void **unused)
{
	static const char line[] = "mlx5_0:1 (ib): 9 MB sent";
	static const char rails[] = "mlx5_0:1 (ib): 9 MB sent, mlx5_1:1 (ib): 8 MB sent";
	static const struct {
		const char *first, *second; /* carriers of n1 and n2 */
		double value;
		enum verdict_word word;
		const char *why;
	} cases[] = {
		{line, line, 24.1e9, VERDICT_PASS,
		 "24.1 GB/s is 96.4 % of the line rate of its ports, 25.0 GB/s"},
		{line, line, 13e9, VERDICT_FAIL, "13.0 GB/s is 52 % of the line rate"},
		{line, "mlx5_2:1 (ib): 9 MB sent", 12.2e9, VERDICT_PASS,
		 "97.6 % of the line rate of its ports, 12.5 GB/s"},
		{rails, rails, 47e9, VERDICT_PASS, "50.0 GB/s"},
		{line, line, 47e9, VERDICT_ERROR, "no measurement"},
		{line, "hsn0 (tcp): 9 MB sent", 3e9, VERDICT_UNJUDGED,
		 "TCP is bound by the CPUs"},
		{line, "memory (shm): 9 MB", 3e9, VERDICT_UNJUDGED,
		 "did not leave the node"},
		{line, "mlx5_7:1 (ib): 9 MB sent", 3e9, VERDICT_UNJUDGED,
		 "the rate of its port is not known"},
		{line, NULL, 3e9, VERDICT_UNJUDGED,
		 "what carried its messages is not known"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct verdict *v;
		struct fixture f;

		fixture_init(&f);
		fixture_file(
			&f, "theory.yaml",
			"limits:\n  - {metric: net.bw, at: {size: 4194304}, of: "
			"line-rate, warn: 90 %, fail: 80 %, invalid_above: 103 %, from: "
			"x, why: y}\n");
		net_nodes(&f, "{\"port\":1,\"rate\":25e9}");
		step(&f, 1, "net", "[\"n1\",\"n2\"]", "ok");
		fixture_sample(&f, 1, "n1", "net.bw", "{\"size\":4194304}",
			       cases[i].value, 1);
		event(&f, 1, "n1", "transport", cases[i].first);
		if (cases[i].second)
			event(&f, 1, "n2", "transport", cases[i].second);
		fixture_judge(&f);
		v = fixture_verdict(
			&f, cases[i].word == VERDICT_UNJUDGED ? "baseline" : "theory",
			"net.bw", "n1");
		assert_int_equal(v->word, cases[i].word);
		if (!strstr(v->why, cases[i].why))
			fail_msg("%s", v->why);
		fixture_release(&f);
	}
}

static void a_baseline_may_ask_for_a_fabric(void **unused)
{
	static const struct {
		const char *ports;
		enum verdict_word word;
	} cases[] = {
		{"{\"port\":1,\"state\":\"ACTIVE\",\"layer\":\"InfiniBand\",\"rate\":"
		 "25e9}",
		 VERDICT_PASS},
		{"{\"port\":1,\"state\":\"ACTIVE\",\"layer\":\"InfiniBand\",\"rate\":12."
		 "5e9},"
		 "{\"port\":2,\"state\":\"DOWN\",\"layer\":\"InfiniBand\",\"rate\":25e9}",
		 VERDICT_UNJUDGED},
		{"{\"port\":1,\"state\":\"ACTIVE\",\"layer\":\"Ethernet\",\"rate\":25e9}",
		 VERDICT_UNJUDGED},
		{"", VERDICT_UNJUDGED},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;

		fixture_init(&f);
		fixture_file(
			&f, "baselines/h.yaml",
			"baseline: h\nmatch: {fabric: InfiniBand 200 Gbit/s}\nmetrics:\n"
			"  net.bw: {ref: 24 GB/s, warn: -5 %, at: {size: any}, from: "
			"x}\n");
		net_nodes(&f, cases[i].ports);
		step(&f, 1, "net", "[\"n1\",\"n2\"]", "ok");
		fixture_sample(&f, 1, "n1", "net.bw", "{\"size\":4194304}", 24e9, 1);
		fixture_judge(&f);
		assert_int_equal(fixture_verdict(&f, "baseline", "net.bw", "n1")->word,
				 cases[i].word);
		fixture_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_wish_it_says_what_carried_the_messages),
		cmocka_unit_test(another_transport_or_interface_is_wrong),
		cmocka_unit_test(tcp_beside_an_active_port_of_infiniband_is_a_fall_back),
		cmocka_unit_test(a_wanted_network_that_is_broken_fails_the_node),
		cmocka_unit_test(other_networks_are_told_of_where_launches_hang),
		cmocka_unit_test(the_last_launch_of_a_node_counts),
		cmocka_unit_test(variables_of_the_shell_are_a_warning),
		cmocka_unit_test(an_unrated_metric_needs_no_reference),
		cmocka_unit_test(a_bandwidth_is_held_against_the_line_rate),
		cmocka_unit_test(a_baseline_may_ask_for_a_fabric),
		cmocka_unit_test(nonsense_is_no_verdict_of_a_wrong_transport),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
