/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a kernel: its own table and the one every kernel has, parsed and printed. */
#ifndef ASSAY_KERNELS_KIT_OPTIONS_H
#define ASSAY_KERNELS_KIT_OPTIONS_H

#include "kernels/kit/kernel.h"

struct kit_value {
	const struct kit_option *option;
	const char *text; /* borrowed from argv or the table */
	int64_t number;   /* KIT_INT, KIT_SIZE; KIT_FLAG 0 or 1 */
	double seconds;   /* KIT_TIME */
	bool given;       /* on the command line */
};

/* Values of all options; options_release() frees. */
struct kit_values {
	struct kit_value *items;
	size_t n;
};

/* Options every kernel has. */
extern const struct kit_option kit_common_options[];

/* Every value as given in @argv or by default. Bad input is ERR_USAGE. */
int options_parse(struct kit_values *v, const struct kernel *kernel, int argc,
		  char *const *argv, struct err *e);
/* NULL when there is no such option. */
const struct kit_value *options_get(const struct kit_values *v, const char *name);
void options_release(struct kit_values *v);

/* Text of --help, the JSON object of --describe, the line of --version. */
void options_help(const struct kernel *kernel, FILE *out);
void options_describe(const struct kernel *kernel, FILE *out);
void options_version(const struct kernel *kernel, FILE *out);

#endif
