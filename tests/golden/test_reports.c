/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Report writers against what they wrote when somebody last looked (expected/), and the
 * promises that hold for any summary. ASSAY_UPDATE=1 writes expected/ anew (update.sh).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <expat.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/names.h"
#include "base/utf8.h"
#include "reports/report.h"
#include "reports/term.h"
#include "summaries.h"

enum { MAX_FILE = 64 * 1024 * 1024 };

static const struct {
	const char *suffix, *writer;
	struct report_style style;
} styles[] = {
	{"term100.txt", "term", {.width = 100, .dir = "runs/one"}},
	{"term40.txt", "term", {.width = 40}},
	{"colour.txt",
	 "term",
	 {.width = 100, .colour = true, .utf8 = true, .dir = "a b"}},
	{"json", "json", {.width = 0}},
	{"junit.xml", "junit", {.width = 0}},
};

enum { N_STYLES = sizeof(styles) / sizeof(styles[0]) };

static char *written(const struct summary *s, const char *writer,
		     const struct report_style *style, size_t *len)
{
	const struct report_writer *w = report_find(writer);
	struct err e = {0};
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	assert_non_null(w);
	assert_non_null(out);
	if (w->write(s, style, out, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void expected_path(char *path, size_t size, const char *name, const char *suffix)
{
	(void)snprintf(path, size, "%s/tests/golden/expected/%s.%s", SOURCE_DIR, name,
		       suffix);
}

static void keep(const char *path, const char *text, size_t len)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, len, out), len);
	assert_int_equal(fclose(out), 0);
}

static void same_as_expected(const char *name, const char *suffix, const char *text,
			     size_t len)
{
	struct strbuf want = {0};
	struct err e = {0};
	char path[4096];

	expected_path(path, sizeof(path), name, suffix);
	if (getenv("ASSAY_UPDATE"))
		keep(path, text, len);
	if (file_read(&want, path, MAX_FILE, &e))
		fail_msg("%s (see tests/golden/update.sh)", e.msg);
	if (want.len != len || memcmp(want.buf, text, len) != 0) {
		print_message("--- %s is now\n%s\n---\n", path, text);
		fail_msg("not as in %s", path);
	}
	strbuf_release(&want);
}

static void reports_are_as_expected(void **unused)
{
	(void)unused;
	for (const struct made_case *c = made_cases; c->name; c++) {
		struct made m;

		c->make(&m);
		for (size_t i = 0; i < N_STYLES; i++) {
			size_t len;
			char *text = written(&m.summary, styles[i].writer,
					     &styles[i].style, &len);

			/* thousands of like lines are looked at below */
			if (strcmp(c->name, "fleet") != 0 ||
			    !strcmp(styles[i].writer, "term"))
				same_as_expected(c->name, styles[i].suffix, text, len);
			free(text);
		}
		made_release(&m);
	}
}

/* Length of an escape sequence that sets a colour, 0 when there is none. */
static size_t colour_at(const char *s)
{
	size_t n = *s == '\033' ? 1 + strspn(s + 1, "[0123456789;") : 0;

	return n && s[n] == 'm' ? n + 1 : 0;
}

static void check_lines(const char *text, const struct report_style *style)
{
	size_t width = style->width >= 40 ? (size_t)style->width
		       : style->width     ? 40
					  : 100;

	while (*text) {
		size_t columns = 0;

		for (; *text && *text != '\n';) {
			size_t n = colour_at(text);

			if (n && !style->colour)
				fail_msg("colour without being allowed");
			if (!n) {
				n = utf8_char(text, strlen(text));
				assert_true(n > 0);
				if (!style->utf8 && n > 1)
					fail_msg("not ASCII: %s", text);
				if (n == 1 &&
				    ((unsigned char)*text < 0x20 || *text == 0x7f))
					fail_msg("control character: %s", text);
				columns += term_columns(text, n);
			}
			text += n;
		}
		if (columns > width)
			fail_msg("a line of %zu columns, allowed are %zu", columns,
				 width);
		text += *text == '\n';
	}
}

static void term_fits_the_screen_and_has_no_control_characters(void **unused)
{
	static const int widths[] = {0, 1, 40, 41, 60, 80, 100, 133, 500};

	(void)unused;
	for (const struct made_case *c = made_cases; c->name; c++) {
		struct made m;

		c->make(&m);
		for (size_t i = 0; i < 4 * sizeof(widths) / sizeof(widths[0]); i++) {
			struct report_style style = {.width = widths[i / 4],
						     .colour = i & 1,
						     .utf8 = i & 2,
						     .dir = "\x1b[31m'x"};
			size_t len;
			char *text = written(&m.summary, "term", &style, &len);

			assert_int_equal(strlen(text), len);
			check_lines(text, &style);
			free(text);
		}
		made_release(&m);
	}
}

static void json_is_strict_and_whole(void **unused)
{
	(void)unused;
	for (const struct made_case *c = made_cases; c->name; c++) {
		const struct report_style style = {0};
		struct made m;
		json_error_t e;
		json_t *o, *v;
		size_t len, i;
		char *text;

		c->make(&m);
		text = written(&m.summary, "json", &style, &len);
		o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
		if (!o)
			fail_msg("%s: line %d: %s", c->name, e.line, e.text);
		assert_int_equal(json_integer_value(json_object_get(o, "schema")), 1);
		assert_int_equal(json_array_size(json_object_get(o, "verdicts")),
				 m.summary.n_verdicts);
		assert_int_equal(json_array_size(json_object_get(o, "nodes")),
				 m.summary.n_nodes);
		assert_int_equal(json_array_size(json_object_get(
					 json_object_get(o, "coverage"), "missing")),
				 m.summary.n_missing);
		json_array_foreach(json_object_get(o, "verdicts"), i, v)
		{
			const struct verdict *want = &m.summary.verdicts[i];

			assert_string_equal(json_string_value(json_object_get(v, "id")),
					    want->id);
			/* the same double again */
			if (json_object_get(v, "value"))
				assert_true(json_number_value(json_object_get(
						    v, "value")) == want->value.v);
			assert_true(!json_object_get(v, "peer") == !want->peer);
			assert_true(!json_object_get(v, "at") ==
				    (!want->at || *want->at != '{'));
		}
		json_decref(o);
		free(text);
		made_release(&m);
	}
}

/* What a consumer of JUnit results counts. */
struct counted {
	size_t tests, failures, errors, skipped;
};

struct junit_reader {
	struct counted seen, suite, all;
	struct names cases, suites;
};

static const char *attribute(const XML_Char **a, const char *name)
{
	for (; *a; a += 2) {
		if (!strcmp(a[0], name))
			return a[1];
	}
	fail_msg("no attribute '%s'", name);
	return "";
}

static struct counted declared(const XML_Char **a)
{
	return (struct counted){
		strtoul(attribute(a, "tests"), NULL, 10),
		strtoul(attribute(a, "failures"), NULL, 10),
		strtoul(attribute(a, "errors"), NULL, 10),
		strtoul(attribute(a, "skipped"), NULL, 10),
	};
}

static void element(void *ctx, const XML_Char *name, const XML_Char **a)
{
	struct junit_reader *r = ctx;
	struct strbuf id = {0};
	bool fresh;

	if (!strcmp(name, "testsuites")) {
		r->all = declared(a);
	} else if (!strcmp(name, "testsuite")) {
		(void)names_add(&r->suites, attribute(a, "name"), &fresh);
		assert_true(fresh);
		r->suite = declared(a);
		r->seen = (struct counted){0};
	} else if (!strcmp(name, "testcase")) {
		r->seen.tests++;
		strbuf_addf(&id, "%s\n%s", attribute(a, "classname"),
			    attribute(a, "name"));
		(void)names_add(&r->cases, id.buf, &fresh);
		if (!fresh)
			fail_msg("two cases '%s'", id.buf);
		strbuf_release(&id);
	} else {
		r->seen.failures += !strcmp(name, "failure");
		r->seen.errors += !strcmp(name, "error");
		r->seen.skipped += !strcmp(name, "skipped");
	}
}

static void element_end(void *ctx, const XML_Char *name)
{
	struct junit_reader *r = ctx;

	if (!strcmp(name, "testsuite")) {
		assert_memory_equal(&r->seen, &r->suite, sizeof(r->seen));
		r->all.tests -= r->seen.tests;
		r->all.failures -= r->seen.failures;
		r->all.errors -= r->seen.errors;
		r->all.skipped -= r->seen.skipped;
	}
}

static void check_junit(const struct summary *s)
{
	const struct report_style style = {0};
	const struct counted none = {0};
	struct junit_reader r = {0};
	XML_Parser p = XML_ParserCreate(NULL);
	size_t len;
	char *text = written(s, "junit", &style, &len);

	assert_true(utf8_valid(text, len));
	XML_SetUserData(p, &r);
	XML_SetElementHandler(p, element, element_end);
	if (XML_Parse(p, text, (int)len, 1) != XML_STATUS_OK)
		fail_msg("line %lu: %s", XML_GetCurrentLineNumber(p),
			 XML_ErrorString(XML_GetErrorCode(p)));
	assert_int_equal(r.cases.n, s->n_verdicts + 1);
	assert_memory_equal(&r.all, &none, sizeof(none));
	XML_ParserFree(p);
	names_release(&r.cases);
	names_release(&r.suites);
	free(text);
}

static void junit_is_well_formed_and_its_counts_and_names_hold(void **unused)
{
	(void)unused;
	for (const struct made_case *c = made_cases; c->name; c++) {
		struct made m;

		c->make(&m);
		check_junit(&m.summary);
		made_release(&m);
	}
}

/* Bytes that mean something to terminals, JSON, XML or UTF-8, and any others. */
static const char *random_text(struct arena *a, uint64_t *seed)
{
	static const char telling[] =
		"\x1b\x9b\xc2\xe2\x80\xae\xef\xbf\xbe\xed\xa0<>&\"'\\]{}[%\n\r\t\x7f "
		",#";
	size_t len = (*seed >> 20) % 40;
	char *s = arena_alloc(a, len + 1, 1);

	for (size_t i = 0; i < len; i++) {
		*seed = *seed * 6364136223846793005U + 1442695040888963407U; /* Knuth */
		if (*seed >> 33 & 1)
			s[i] = telling[(*seed >> 34) % (sizeof(telling) - 1)];
		else
			s[i] = (char)((*seed >> 34) % 255 + 1);
	}
	return s;
}

static void any_text_gives_good_reports(void **unused)
{
	const struct report_style style = {.width = 50, .utf8 = true};
	uint64_t seed = 20261130;

	(void)unused;
	for (int round = 0; round < 200; round++) {
		struct made m;
		size_t len;
		char *text;
		json_t *o;

		make_fleet(&m, 7, 2, VERDICT_FAIL, 2);
		for (size_t i = 0; i < m.summary.n_verdicts; i++) {
			struct verdict *v = &m.summary.verdicts[i];
			struct arena *a = &m.summary.arena;

			v->why = random_text(a, &seed);
			v->metric = random_text(a, &seed);
			v->name = random_text(a, &seed);
			v->from = random_text(a, &seed);
			v->unit = random_text(a, &seed);
			v->at = random_text(a, &seed);
			v->node = random_text(a, &seed);
			if (i % 3 == 0)
				v->peer = random_text(a, &seed);
			m.summary.nodes[i / 2].name = v->node;
			m.summary.nodes[i / 2].why = v->why;
		}
		check_junit(&m.summary);
		text = written(&m.summary, "json", &style, &len);
		o = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(o);
		json_decref(o);
		free(text);
		text = written(&m.summary, "term", &style, &len);
		check_lines(text, &style);
		free(text);
		made_release(&m);
	}
}

/* GitLab refuses files of more than 30 MB; a screen is for reading. */
static void ten_thousand_nodes_stay_readable(void **unused)
{
	const struct report_style style = {.width = 100};
	struct made m;

	(void)unused;
	for (size_t every = 1; every <= 200; every += 199) {
		make_fleet(&m, 10000, 20, VERDICT_FAIL, every);
		for (size_t i = 0; report_at(i); i++) {
			const char *name = report_at(i)->name;
			double t = clock_now();
			size_t len, lines = 0;
			char *text = written(&m.summary, name, &style, &len);

			print_message("%s: %zu bytes in %.2f s\n", name, len,
				      clock_now() - t);
			for (const char *s = text; *s; s++)
				lines += *s == '\n';
			if (!strcmp(name, "term"))
				assert_in_range(lines, 40, 120);
			if (!strcmp(name, "junit"))
				assert_in_range(len, 1, 30 * 1000 * 1000);
			free(text);
		}
		check_junit(&m.summary);
		made_release(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_are_as_expected),
		cmocka_unit_test(term_fits_the_screen_and_has_no_control_characters),
		cmocka_unit_test(json_is_strict_and_whole),
		cmocka_unit_test(junit_is_well_formed_and_its_counts_and_names_hold),
		cmocka_unit_test(any_text_gives_good_reports),
		cmocka_unit_test(ten_thousand_nodes_stay_readable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
