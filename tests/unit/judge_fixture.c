/* SPDX-License-Identifier: Apache-2.0 */
/* States and configurations made by hand: see judge_fixture.h. */
#include "judge_fixture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char kernels[] =
	"{\"stream\":{\"shape\":\"node\",\"metrics\":["
	"{\"name\":\"stream.copy\",\"unit\":\"B/s\",\"better\":\"higher\","
	"\"reduce\":\"best\"},"
	"{\"name\":\"stream.triad\",\"unit\":\"B/s\",\"better\":\"higher\","
	"\"reduce\":\"best\"},"
	"{\"name\":\"stream.read\",\"unit\":\"B/s\",\"better\":\"higher\","
	"\"reduce\":\"best\"}]},"
	"\"net\":{\"shape\":\"pair\",\"metrics\":["
	"{\"name\":\"net.latency\",\"unit\":\"s\",\"better\":\"lower\","
	"\"reduce\":\"median\"},"
	"{\"name\":\"net.barrier\",\"unit\":\"s\",\"better\":\"lower\","
	"\"reduce\":\"median\",\"of\":\"set\"}]},"
	"\"hpl\":{\"shape\":\"set\",\"metrics\":["
	"{\"name\":\"hpl.gflops\",\"unit\":\"FLOP/s\",\"better\":\"higher\","
	"\"reduce\":\"best\"}]}}";

void fixture_init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	(void)snprintf(f->dir, sizeof(f->dir), "/tmp/assay-judge-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	fixture_file(f, "cpus.yaml", "cpus: []\n");
	fixture_file(f, "theory.yaml", "limits: []\n");
}

static void remove_tree(const char *dir)
{
	char command[128];

	(void)snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
}

void fixture_release(struct fixture *f)
{
	summary_release(&f->summary);
	judge_config_free(f->config);
	state_release(&f->state);
	remove_tree(f->dir);
}

void fixture_file(struct fixture *f, const char *name, const char *text)
{
	char path[256];
	FILE *out;

	(void)snprintf(path, sizeof(path), "%s/baselines", f->dir);
	(void)mkdir(path, 0700);
	(void)snprintf(path, sizeof(path), "%s/bios", f->dir);
	(void)mkdir(path, 0700);
	(void)snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

int fixture_load(struct fixture *f, const char *baseline, struct err *e)
{
	judge_config_free(f->config);
	return judge_config_load(&f->config, f->dir, baseline, e);
}

void fixture_config(struct fixture *f)
{
	struct err e = {0};

	if (fixture_load(f, NULL, &e))
		fail_msg("%s", e.msg);
}

void fixture_line(struct fixture *f, const char *fmt, ...)
{
	struct strbuf line = {0};
	struct record r;
	struct err e = {0};
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&line, fmt, ap);
	va_end(ap);
	if (record_decode(line.buf, line.len, &f->state.arena, &r, &e) ||
	    state_add(&f->state, &r, &e))
		fail_msg("%s: %s", line.buf, e.msg);
	strbuf_release(&line);
}

void fixture_plan(struct fixture *f, const char *nodes, const char *requires, int repeats)
{
	fixture_line(f,
		     "{\"kind\":\"plan\",\"name\":\"test\",\"nodes\":%s,\"requires\":%s,"
		     "\"limits\":{\"repeats\":%d},\"kernels\":%s}",
		     nodes, requires, repeats, kernels);
}

void fixture_node(struct fixture *f, const char *node, const char *cpu, int sockets)
{
	if (!cpu) {
		fixture_line(f, "{\"kind\":\"node\",\"node\":\"%s\",\"facts\":{}}", node);
		return;
	}
	fixture_line(f,
		     "{\"kind\":\"node\",\"node\":\"%s\",\"class\":\"%s\",\"facts\":{"
		     "\"cpu\":{\"model\":\"%s\",\"sockets\":%d,\"cores\":%d},"
		     "\"virtual\":\"none\"}}",
		     node, cpu, cpu, sockets, sockets * 64);
}

void fixture_step(struct fixture *f, int id, const char *name, const char *node,
		  const char *cause, const char *request)
{
	char by[160] = "";

	if (request)
		(void)snprintf(by, sizeof(by), ",\"request\":\"%s\"", request);
	fixture_line(f,
		     "{\"kind\":\"step\",\"step\":%d,\"attempt\":1,\"event\":\"planned\","
		     "\"key\":\"%s@%s\",\"name\":\"%s\",\"kernel\":\"stream\","
		     "\"place\":\"all-cores\",\"nodes\":[\"%s\"]%s}",
		     id, name, node, name, node, by);
	if (!cause)
		return;
	fixture_line(f,
		     "{\"kind\":\"step\",\"step\":%d,\"attempt\":1,\"event\":\"started\","
		     "\"key\":\"%s@%s\"}",
		     id, name, node);
	fixture_line(f,
		     "{\"kind\":\"step\",\"step\":%d,\"attempt\":1,\"event\":\"ended\","
		     "\"key\":\"%s@%s\",\"cause\":\"%s\",\"reason\":\"reason of %s\"}",
		     id, name, node, cause, cause);
}

void fixture_sample(struct fixture *f, int step, const char *node, const char *metric,
		    const char *at, double value, int repetition)
{
	char place[96] = "";

	if (at)
		(void)snprintf(place, sizeof(place), ",\"at\":%s", at);
	fixture_line(f,
		     "{\"kind\":\"sample\",\"step\":%d,\"attempt\":1,\"node\":\"%s\","
		     "\"rank\":0,\"metric\":\"%s\"%s,\"value\":%.17g,\"unit\":\"B/s\","
		     "\"repetition\":%d}",
		     step, node, metric, place, value, repetition);
}

const struct summary *fixture_judge(struct fixture *f)
{
	struct err e = {0};

	if (!f->config)
		fixture_config(f);
	summary_release(&f->summary);
	if (judge(&f->summary, &f->state, f->config, &e))
		fail_msg("%s", e.msg);
	return &f->summary;
}

static bool is_about(const struct verdict *v, const char *rule, const char *metric,
		     const char *node)
{
	return (!rule || !strcmp(v->rule, rule)) &&
	       (!metric || (v->metric && !strcmp(v->metric, metric))) &&
	       (!node || (v->node && !strcmp(v->node, node)));
}

size_t fixture_count(const struct fixture *f, const char *rule, const char *metric,
		     const char *node)
{
	size_t n = 0;

	for (size_t i = 0; i < f->summary.n_verdicts; i++)
		n += is_about(&f->summary.verdicts[i], rule, metric, node);
	return n;
}

const struct verdict *fixture_verdict(const struct fixture *f, const char *rule,
				      const char *metric, const char *node)
{
	const struct verdict *found = NULL;

	assert_int_equal(fixture_count(f, rule, metric, node), 1);
	for (size_t i = 0; i < f->summary.n_verdicts; i++) {
		if (is_about(&f->summary.verdicts[i], rule, metric, node))
			found = &f->summary.verdicts[i];
	}
	return found;
}
