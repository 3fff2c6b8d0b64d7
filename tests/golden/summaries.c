/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries made by hand: see summaries.h. */
#include "summaries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/series.h"

static const char THEORY[] = "cpus.yaml: AMD EPYC 7713, 8 channels of 3200 MT/s a socket";
static const char STUDY[] = "Milan BIOS study, 16 threads a node";

static struct verdict *add(struct made *m, const char *node, const char *name,
			   const char *metric, const char *rule, enum verdict_word word)
{
	struct summary *s = &m->summary;
	struct verdict *v;

	mem_grow(&s->verdicts, &s->cap_verdicts, s->n_verdicts + 1, sizeof(*s->verdicts));
	v = &s->verdicts[s->n_verdicts++];
	v->id = arena_printf(&s->arena, "v%zu", s->n_verdicts);
	v->node = node;
	v->name = name;
	v->metric = metric;
	v->rule = rule;
	v->word = word;
	s->counts[word]++;
	return v;
}

static struct verdict *add_numbers(struct made *m, const char *node, const char *name,
				   const char *metric, const char *rule,
				   enum verdict_word word, double value, double reference)
{
	struct verdict *v = add(m, node, name, metric, rule, word);
	double share = value / reference * 100;

	v->value = record_num(value);
	v->reference = record_num(reference);
	v->low = record_num(0.93 * reference);
	v->warn_low = record_num(0.96 * reference);
	v->unit = "B/s";
	v->from = !strcmp(rule, "theory") ? THEORY : STUDY;
	v->kernel = "stream";
	v->step = 1;
	v->n = 3;
	v->spread = record_num(0.004);
	v->at = "{\"store\":\"nt\"}";
	v->why = arena_printf(&m->summary.arena,
			      "%s is %.1f %% of its reference, %s the limit of 93 %%",
			      metric, share, share < 93 ? "below" : "above");
	return v;
}

/* Nodes from @names, their words from the verdicts already there. */
static void set_nodes(struct made *m, const char *const *names, size_t n)
{
	struct summary *s = &m->summary;

	s->nodes = mem_calloc(n + 1, sizeof(*s->nodes));
	s->n_nodes = n;
	for (size_t i = 0; i < n; i++) {
		struct summary_node *node = &s->nodes[i];

		node->name = names[i];
		node->class = "milan-a";
		node->word = VERDICT_PASS;
		for (size_t k = 0; k < s->n_verdicts; k++) {
			const struct verdict *v = &s->verdicts[k];

			if (!v->node || strcmp(v->node, names[i]) != 0)
				continue;
			if (!node->why || v->word < node->word) {
				node->word = v->word;
				node->why = v->why;
			}
			node->reported |= v->value.set;
			node->referenced |= v->word == VERDICT_PASS && v->reference.set;
		}
		s->n_reported += node->reported;
	}
}

static void start(struct made *m, const char *plan)
{
	memset(m, 0, sizeof(*m));
	m->summary.state = &m->state;
	m->state.run.id = "20261130-120000-head-4711";
	m->state.run.version = "0.1.0";
	m->state.run.build = "v0.1.0-12-gabcdef0";
	m->state.run.host = "head";
	m->state.run.user = "operator";
	m->state.run.command = "[\"assay\",\"run\",\"configs/plans/local.yaml\"]";
	m->state.run.env = "{\"OMP_NUM_THREADS\":\"16\"}";
	m->state.run.hashes = "{\"plan.yaml\":\"e3b0c442\"}";
	m->state.n_runs = 1;
	m->state.plan.name = plan;
	m->state.has_plan = true;
	m->state.t_first = 1796040000;
	m->state.t_last = 1796040058.25;
	m->state.has_end = true;
	m->summary.word = VERDICT_PASS;
}

static void finish(struct made *m)
{
	struct summary *s = &m->summary;

	for (size_t i = 0; i < s->n_verdicts; i++) {
		if (s->verdicts[i].word < s->word)
			s->word = s->verdicts[i].word;
	}
	if (s->counts[VERDICT_FAIL])
		s->exit = 1;
	else if (s->counts[VERDICT_ERROR] || s->counts[VERDICT_INCONCLUSIVE])
		s->exit = 3;
}

static void remark(struct made *m, const char *text)
{
	struct summary *s = &m->summary;

	mem_grow(&s->remarks, &s->cap_remarks, s->n_remarks + 1, sizeof(*s->remarks));
	s->remarks[s->n_remarks++] = text;
}

static void missing(struct made *m, const char *key, const char *node, const char *why)
{
	struct summary *s = &m->summary;

	mem_grow(&s->missing, &s->cap_missing, s->n_missing + 1, sizeof(*s->missing));
	s->missing[s->n_missing++] =
		(struct summary_missing){.key = key, .node = node, .why = why};
}

static void want(struct made *m, const struct request *r)
{
	struct summary *s = &m->summary;

	mem_grow(&s->requests, &s->cap_requests, s->n_requests + 1, sizeof(*s->requests));
	s->requests[s->n_requests++] = *r;
}

static void nothing(struct made *m)
{
	start(m, NULL);
	m->state.has_end = false;
	m->summary.word = VERDICT_ERROR;
	m->summary.exit = 3;
}

static void one_good_node(struct made *m)
{
	static const char *const nodes[] = {"localhost"};
	static const char *const metrics[] = {"stream.copy", "stream.scale", "stream.add",
					      "stream.triad"};
	struct verdict *v;

	start(m, "local");
	for (size_t i = 0; i < 4; i++) {
		add_numbers(m, nodes[0], "nodes/stream", metrics[i], "baseline",
			    VERDICT_PASS, 370e9 + 2e9 * (double)i, 378e9);
		v = add_numbers(m, nodes[0], "nodes/stream", metrics[i], "theory",
				VERDICT_PASS, 370e9 + 2e9 * (double)i, 409.6e9);
		v->low = record_num(327.68e9);
		v->high = record_num(i ? 430e9 : 1.1e12);
	}
	v = add(m, nodes[0], "nodes/stream", NULL, "valid", VERDICT_PASS);
	v->why = "all results are right";
	set_nodes(m, nodes, 1);
	m->summary.steps_planned = m->summary.steps_ended = 1;
	m->summary.accepted = true;
	finish(m);
}

static void add_cell(struct made *m, const char *node, const char *metric,
		     const char *unit, int cpus, int memory, int threads, double value)
{
	struct summary *s = &m->summary;
	const char *more =
		threads ? arena_printf(&s->arena, ",\"threads\":%d", threads) : "";

	s->series[s->n_series++] = (struct series){
		.node = node,
		.name = "detail/numa",
		.metric = metric,
		.unit = unit,
		.value = value,
		.at = arena_printf(&s->arena, "{\"domain\":%d,\"mem_domain\":%d%s}", cpus,
				   memory, more),
	};
}

/* Two nodes of sixteen NUMA domains; domain 3 has no memory, domain 40 no CPUs. */
static void numa(struct made *m)
{
	static const char *const nodes[] = {"n01", "n02"};
	struct verdict *v;

	start(m, "node");
	m->summary.series = mem_calloc((size_t)2 * 16 * 17 * 3, sizeof(struct series));
	for (int i = 0; i < 2 * 16 * 17; i++) {
		const char *node = nodes[i % 2];
		const int cpus = i / 2 / 17, memory = i / 2 % 17;
		const double ns = cpus == memory           ? 96
				  : cpus / 8 == memory / 8 ? 112.4
							   : 201;

		if (memory == 3)
			continue;
		add_cell(m, node, "numa.read", "B/s", cpus, memory == 16 ? 40 : memory, 1,
			 1e9);
		add_cell(m, node, "numa.read", "B/s", cpus, memory == 16 ? 40 : memory, 8,
			 (i % 2 + 4.1e12 / ns));
		add_cell(m, node, "numa.latency", "s", cpus, memory == 16 ? 40 : memory,
			 0, ns * 1e-9);
	}
	for (int i = 0; i < 2; i++) {
		v = add(m, nodes[i], "detail/numa", "numa.latency", "numa", VERDICT_PASS);
		v->why = "own memory is the nearest for the CPUs of all 15 domains; the "
			 "farthest is 2.09 times as far";
	}
	set_nodes(m, nodes, 2);
	m->summary.steps_planned = m->summary.steps_ended = 2;
	finish(m);
}

/* Three of four nodes report; of these one is slow, one is at the limit. */
static void faults(struct made *m)
{
	static const char *const nodes[] = {"n01", "n02", "n03", "n04"};
	static struct record_request made_request = {
		.id = "repeat:nodes/stream@n04",
		.want = "repeat",
		.target = "nodes/stream@n04",
		.because = "the interval covers both limits",
	};
	static const struct request wish = {
		.id = "exclude:n01",
		.want = "exclude",
		.target = "n01",
		.because = "it failed the gate 'nodes'",
	};
	struct verdict *v;

	start(m, "acceptance");
	add_numbers(m, "n01", "nodes/stream", "stream.triad", "baseline", VERDICT_FAIL,
		    94.5e9, 378e9);
	add_numbers(m, "n02", "nodes/stream", "stream.triad", "baseline", VERDICT_PASS,
		    376e9, 378e9);
	v = add_numbers(m, "n04", "nodes/stream", "stream.triad", "baseline",
			VERDICT_INCONCLUSIVE, 357e9, 378e9);
	v->why = "5 runs scatter over both limits";
	v->required = true;
	for (size_t i = 0; i < 3; i++) {
		v = add(m, nodes[i + (i > 1)], "nodes/hpl", "hpl.rate", "baseline",
			VERDICT_UNJUDGED);
		v->value = record_num(1.38e12 + 1e9 * (double)i);
		v->unit = "FLOP/s";
		v->cause = "no-reference";
		v->why = "no baseline for this CPU";
		v->n = 1;
	}
	v = add(m, "n01", "nodes/net", "net.latency", "pairs", VERDICT_WARN);
	v->peer = "n02";
	v->value = record_num(2.3e-6);
	v->reference = record_num(1.2e-6);
	v->high = record_num(2.5e-6);
	v->warn_high = record_num(2e-6);
	v->unit = "s";
	v->from = "median of 3 pairs";
	v->why = "latency is 1.9 times the median of all pairs";
	v = add(m, "n04", "nodes/net", "net.latency", "pairs", VERDICT_PASS);
	v->peer = "n02";
	v->value = v->reference = record_num(1.2e-6);
	v->high = record_num(2.5e-6);
	v->unit = "s";
	v->from = "median of 3 pairs";
	v = add(m, "n03", "nodes/stream", NULL, "coverage", VERDICT_ERROR);
	v->cause = "timeout";
	v->why = "no result: ended by its limit of 600 s";
	set_nodes(m, nodes, 4);
	missing(m, "nodes/stream@n03", "n03", "ended by its limit of 600 s");
	missing(m, "nodes/hpl@n03", "n03", "n03 failed before");
	missing(m, NULL, "n03", "no step was planned on this node");
	remark(m, "OMP_NUM_THREADS=16 was inherited from the shell, not set by the plan");
	m->summary.steps_planned = 9;
	m->summary.steps_ended = 7;
	m->state.requests = mem_calloc(1, sizeof(*m->state.requests));
	m->state.requests[m->state.n_requests++] = made_request;
	m->state.run.allow_root = true;
	want(m, &wish);
	finish(m);
}

/* What JUnit consumers, terminals and JSON readers choke on; field case G05. */
static void hostile(struct made *m)
{
	const char *nodes[] = {
		"n01",
		"n\xc3\xbc-\xe8\x8a\x82\xe7\x82\xb9",
		"n01",
		"bad utf8 \xff\xfe\x80 end",
		NULL, /* 5000 characters, below */
		"-rf $(reboot) `id` 'quoted'",
		NULL, /* its direction changes, below */
		"",
	};
	static const char *const whys[] = {
		"\x01\x1b[31mred\x1b[0m ]]> & <tag> \"q\"",
		"emoji \xf0\x9f\x94\xa5 and \xef\xbf\xbe",
		"same name again",
		"c1 \xc2\x9b\x33\x31m and del \x7f, tab\tand\r\nnew line",
		"%s%n%d {} \\ \\u0000",
		"\xed\xa0\x80 lone surrogate, \xc0\x80 overlong nul",
		"\xef\xbf\xbf and \xf4\x90\x80\x80 beyond Unicode",
		"",
	};
	enum { N = sizeof(nodes) / sizeof(nodes[0]) };
	struct strbuf big = {0};
	struct verdict *v;

	start(m, "]]>\x1b]0;title\x07 \xff");
	for (int i = 0; i < 1000; i++)
		strbuf_addstr(&big, "12345");
	nodes[4] = arena_strdup(&m->summary.arena, big.buf);
	nodes[6] = arena_printf(&m->summary.arena, "right%c%c%cto left\xe2\x80\x8b", 0xe2,
				0x80, 0xae);
	for (size_t i = 0; i < N; i++) {
		v = add(m, nodes[i], "a<b>/\x1b[2J", "m&m.\"x\"", "ru'le",
			i % 2 ? VERDICT_ERROR : VERDICT_FAIL);
		v->why = whys[i];
		v->at = "{\"k\\u001b\":\"<\\\"v\\\">\",\"z\":[1,2.5,null]}";
		v->cause = "\x02";
		v->from = "<!-- \x1b[0m -->";
		v->unit = i ? "B/s" : "<furlong>";
		v->value = record_num(i == 1   ? NAN
				      : i == 2 ? INFINITY
				      : i == 3 ? -INFINITY
					       : 1e300 * 1e8 * (i > 4 ? 0 : 1));
		v->reference = record_num(i == 5 ? NAN : 0);
	}
	v = add(m, NULL, NULL, NULL, NULL, VERDICT_WARN);
	v->why = arena_strdup(&m->summary.arena, big.buf);
	v->at = "not JSON at all";
	(void)add(m, "run", NULL, NULL, "verdict of the run", VERDICT_SKIP);
	set_nodes(m, nodes, N);
	missing(m, "no at sign \x1b", NULL, NULL);
	missing(m, "@", "\xff", "\x9b");
	remark(m, arena_strdup(&m->summary.arena, big.buf));
	remark(m, "\x1b[2J\x1b[H and \xff");
	m->state.run.env = "{\"UCX_\\u0001\":\"\\u001b[31m\"}";
	m->state.run.host = "h\x1b[1m";
	m->state.run.version = "\xff";
	finish(m);
	strbuf_release(&big);
}

void make_fleet(struct made *m, size_t nodes, size_t metrics, enum verdict_word word,
		size_t every)
{
	const char **names = mem_calloc(nodes + 1, sizeof(*names));
	struct summary *s = &m->summary;

	start(m, "acceptance");
	s->nodes = mem_calloc(nodes + 1, sizeof(*s->nodes));
	s->n_nodes = s->n_reported = nodes;
	s->steps_planned = s->steps_ended = nodes;
	for (size_t i = 0; i < nodes; i++) {
		bool bad = i % every == every / 2;

		names[i] = arena_printf(&s->arena, "c%05zu", i + 1);
		for (size_t k = 0; k < metrics; k++) {
			const char *metric =
				arena_printf(&s->arena, "stream.metric%02zu", k);
			/* spread of a percent, the same in every run */
			double value = 378e9 * (1 + 0.01 * sin((double)(i * 31 + k)));
			struct verdict *v = add_numbers(
				m, names[i], "nodes/stream", metric, "baseline",
				bad ? word : VERDICT_PASS,
				bad ? value * (0.5 + 0.3 * cos((double)i)) : value,
				378e9);

			v->step = (int64_t)i + 1;
		}
		s->nodes[i] = (struct summary_node){
			.name = names[i],
			.class = "milan-a",
			.word = bad ? word : VERDICT_PASS,
			.why = s->verdicts[s->n_verdicts - metrics].why,
			.reported = true,
			.referenced = !bad,
		};
	}
	finish(m);
	free(names);
}

/* A fleet where one node in a hundred is slow and the references differ by class. */
static void fleet(struct made *m)
{
	struct summary *s = &m->summary;

	make_fleet(m, 1000, 3, VERDICT_FAIL, 100);
	for (size_t i = 0; i < s->n_verdicts; i++) {
		if (i % 3 == 2 && i % 2)
			s->verdicts[i].reference = record_num(370e9);
	}
	/* names that do not fold, and more reasons than the report lists */
	for (size_t i = 0; i < 60; i++) {
		struct verdict *v = add(m, s->nodes[10 * i].name, "nodes/stream", NULL,
					"coverage", VERDICT_ERROR);

		v->cause = "launch";
		v->why = arena_printf(&s->arena, "launcher refused: error %zu", i / 2);
		v->metric = arena_printf(&s->arena, "x%zu.y", i / 2);
		s->nodes[10 * i].word = VERDICT_ERROR;
		s->nodes[10 * i].why = v->why;
		s->nodes[10 * i].name = v->node =
			arena_printf(&s->arena, "%c%c-%zu-%c", (int)('a' + i % 26),
				     (int)('a' + i * 7 % 26), i * i, (int)('a' + i % 3));
		missing(m, arena_printf(&s->arena, "nodes/stream@%s", v->node), v->node,
			"launcher refused");
	}
	finish(m);
}

const struct made_case made_cases[] = {
	{"nothing", nothing}, {"one", one_good_node}, {"faults", faults},
	{"hostile", hostile}, {"fleet", fleet},       {"numa", numa},
	{NULL, NULL},
};

void made_release(struct made *m)
{
	struct summary *s = &m->summary;

	arena_release(&s->arena);
	free(s->verdicts);
	free(s->series);
	free(s->nodes);
	free(s->missing);
	free(s->remarks);
	free(s->requests);
	free(m->state.requests);
	memset(m, 0, sizeof(*m));
}
