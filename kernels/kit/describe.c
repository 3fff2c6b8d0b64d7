/* SPDX-License-Identifier: Apache-2.0 */
/* --help, --describe and --version, made from a kernel's tables. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "assay_build.h"
#include "base/strbuf.h"
#include "kernels/kit/options.h"

static const char *const types[] = {
	[KIT_INT] = "int",     [KIT_SIZE] = "size", [KIT_TIME] = "time",
	[KIT_TEXT] = "text",   [KIT_FILE] = "file", [KIT_CHOICE] = "choice",
	[KIT_FLAG] = "choice",
};
static const char *const shapes[] = {
	[KIT_NODE] = "node", [KIT_PAIR] = "pair", [KIT_SET] = "set"};
static const char *const yes_no[] = {"no", "yes", NULL};

static json_t *describe_option(const struct kit_option *o)
{
	const char *const *words = o->type == KIT_FLAG ? yes_no : o->choices;
	json_t *j = json_pack("{s:s, s:s, s:s, s:s}", "name", o->name, "type",
			      types[o->type], "default", o->def, "help", o->help);

	if (o->type == KIT_INT || o->type == KIT_SIZE) {
		(void)json_object_set_new(j, "min", json_integer(o->min));
		if (o->max)
			(void)json_object_set_new(j, "max", json_integer(o->max));
		if (o->multiple)
			(void)json_object_set_new(j, "multiple",
						  json_integer(o->multiple));
	}
	if (words) {
		json_t *list = json_array();

		for (; *words; words++)
			(void)json_array_append_new(list, json_string(*words));
		(void)json_object_set_new(j, "choices", list);
	}
	return j;
}

static json_t *describe_metric(const struct kit_metric *m)
{
	json_t *j =
		json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", m->name, "unit", m->unit,
			  "better", m->better, "reduce", m->reduce, "help", m->help);

	if (m->unrated)
		(void)json_object_set_new(j, "unrated", json_true());
	if (m->relative)
		(void)json_object_set_new(j, "relative", json_true());
	if (m->of_set)
		(void)json_object_set_new(j, "of", json_string("set"));
	return j;
}

static json_t *describe_fit(const struct kit_fit *f)
{
	json_t *options = json_array(), *j;
	char *end;
	long multiple = strtol(f->multiple ? f->multiple : "1", &end, 10);

	for (size_t i = 0; i < 4 && f->options[i]; i++)
		(void)json_array_append_new(options, json_string(f->options[i]));
	j = json_pack("{s:o, s:i, s:f, s:s, s:b, s:i}", "options", options, "power",
		      f->power, "bytes", f->bytes, "of", f->per_rank ? "rank" : "all",
		      "strict", f->strict, "least", f->least);
	(void)json_object_set_new(
		j, "multiple", *end ? json_string(f->multiple) : json_integer(multiple));
	if (f->file)
		(void)json_object_set_new(j, "file", json_string(f->file));
	if (f->grid[0])
		(void)json_object_set_new(j, "grid",
					  json_pack("[s, s]", f->grid[0], f->grid[1]));
	return j;
}

void options_describe(const struct kernel *kernel, FILE *out)
{
	json_t *metrics = json_array(), *options = json_array(), *all;

	for (const struct kit_metric *m = kernel->metrics; m->name; m++)
		(void)json_array_append_new(metrics, describe_metric(m));
	for (const struct kit_option *o = kernel->options; o && o->name; o++) {
		if (!o->hidden)
			(void)json_array_append_new(options, describe_option(o));
	}
	all = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "kernel", kernel->name,
			"help", kernel->help, "shape", shapes[kernel->shape], "version",
			ASSAY_VERSION, "build", ASSAY_BUILD, "metrics", metrics,
			"options", options);
	if (kernel->fit)
		(void)json_object_set_new(all, "fit", describe_fit(kernel->fit));
	if (kernel->outline)
		(void)json_object_set_new(all, "outline", json_true());
	(void)json_dumpf(all, out, JSON_COMPACT);
	(void)fputc('\n', out);
	json_decref(all);
}

void options_version(const struct kernel *kernel, FILE *out)
{
	(void)fprintf(out, "assay-%s %s (%s)\n", kernel->name, ASSAY_VERSION,
		      ASSAY_BUILD);
}

/* What follows an option: "BYTES|auto", "nt|plain|both". */
static void argument(const struct kit_option *o, struct strbuf *sb)
{
	static const char *const names[] = {[KIT_INT] = "N",
					    [KIT_SIZE] = "BYTES",
					    [KIT_TIME] = "S",
					    [KIT_TEXT] = "TEXT",
					    [KIT_FILE] = "FILE"};
	const char *bar = "";

	if (o->type == KIT_FLAG)
		return;
	strbuf_addch(sb, ' ');
	if (o->type != KIT_CHOICE) {
		strbuf_addstr(sb, names[o->type]);
		bar = "|";
	}
	for (size_t i = 0; o->choices && o->choices[i]; i++) {
		strbuf_addf(sb, "%s%s", bar, o->choices[i]);
		bar = "|";
	}
}

/* Prints @text from column @indent on, in lines of less than 90 columns. */
static void wrapped(FILE *out, int indent, const char *text)
{
	int column = indent;

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (column + 1 + n > 89 && column > indent) {
			(void)fprintf(out, "\n%*s", indent, "");
			column = indent;
		}
		(void)fprintf(out, "%s%.*s", column > indent ? " " : "", n, text);
		column += n + (column > indent);
		text += n;
		text += strspn(text, " ");
	}
	(void)fputc('\n', out);
}

static void help_options(const struct kit_option *o, FILE *out)
{
	for (; o && o->name; o++) {
		struct strbuf sb = {0};

		if (o->hidden)
			continue;
		if (o->letter)
			strbuf_addf(&sb, "-%c, ", o->letter);
		strbuf_addf(&sb, "--%s", o->name);
		argument(o, &sb);
		(void)fprintf(out, "  %-28s ", strbuf_str(&sb));
		if (sb.len > 28)
			(void)fprintf(out, "\n%31s", "");
		strbuf_reset(&sb);
		strbuf_addstr(&sb, o->help);
		if (o->type != KIT_FLAG && o->def[0])
			strbuf_addf(&sb, " (default %s)", o->def);
		wrapped(out, 31, strbuf_str(&sb));
		strbuf_release(&sb);
	}
}

void options_help(const struct kernel *kernel, FILE *out)
{
	struct strbuf sb = {0};

	(void)fprintf(out, "usage: assay-%s", kernel->name);
	for (const struct kit_option *o = kernel->options; o && o->name; o++) {
		if (o->operand) {
			argument(o, &sb);
			(void)fputs(strbuf_str(&sb), out);
			strbuf_release(&sb);
		}
	}
	(void)fputs(" [OPTION]...\n       mpirun -np N assay-", out);
	(void)fprintf(out, "%s [OPTION]...\n\n", kernel->name);
	wrapped(out, 0, kernel->help);
	if (kernel->options && kernel->options->name) {
		(void)fputs("\noptions:\n", out);
		help_options(kernel->options, out);
	}
	(void)fputs("\noptions of every kernel:\n", out);
	help_options(kit_common_options, out);
	(void)fputs("\nmetrics:\n", out);
	for (const struct kit_metric *m = kernel->metrics; m->name; m++) {
		strbuf_addf(&sb, "%s (%s better, %s of the repetitions)", m->help,
			    m->better, m->reduce);
		(void)fprintf(out, "  %-20s %-7s ", m->name, m->unit);
		wrapped(out, 31, strbuf_str(&sb));
		strbuf_release(&sb);
	}
	(void)fputs("\nexit status: 0 ok, 1 a check of the result failed, 2 usage, 3 did "
		    "not run\n"
		    "(the event says why), 124 ended by its own limit\n",
		    out);
}
