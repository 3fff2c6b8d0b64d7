/* SPDX-License-Identifier: Apache-2.0 */
/* From the command line to the first rank: see start.h. */
#include "kernels/kit/start.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/kit/cpulist.h"
#include "kernels/kit/watchdog.h"

/* What changes how threads or messages behave; not what mpirun tells its own ranks. */
static bool env_matters(const char *name, size_t len)
{
	static const char *const starts[] = {"OMP_", "GOMP_", "KMP_",   "OMPI_MCA_",
					     "UCX_", "FI_",   "I_MPI_", "PMIX_MCA_"};
	static const char *const not [] = {
		"OMPI_MCA_orte_",         "OMPI_MCA_ess",
		"OMPI_MCA_pmix",          "OMPI_MCA_initial_wdir",
		"OMPI_MCA_shmem_RUNTIME", "PMIX_MCA_mca_base_component_show"};
	static const char end[] = "_NUM_THREADS";

	for (size_t i = 0; i < sizeof(not ) / sizeof(not [0]); i++) {
		if (!strncmp(name, not [i], strlen(not [i])))
			return false;
	}
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	}
	return len >= sizeof(end) - 1 &&
	       !strncmp(name + len - (sizeof(end) - 1), end, sizeof(end) - 1);
}

char *start_env(void)
{
	json_t *o = json_object();
	char *text;

	for (char **p = environ; p && *p; p++) {
		const size_t len = strcspn(*p, "=");
		char name[128];

		if (!(*p)[len] || len >= sizeof(name) || !env_matters(*p, len))
			continue;
		memcpy(name, *p, len);
		name[len] = '\0';
		/* text that is not UTF-8 is refused here; its name is worth having */
		if (json_object_set_new(o, name, json_string(*p + len + 1)))
			(void)json_object_set_new(o, name, json_string("(not UTF-8)"));
	}
	text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(o);
	return text;
}

/* Every rank finds the same error; before MPI_Init only the launcher's number tells. */
static bool speaks(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",
					    "PMI_RANK", "MV2_COMM_WORLD_RANK",
					    "SLURM_PROCID"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *rank = getenv(names[i]);

		if (rank)
			return !strcmp(rank, "0");
	}
	return true;
}

/* --help, --describe, --version: true when one was asked for, and is printed. */
static bool answered(const struct kernel *kernel, const struct kit_values *v)
{
	if (options_get(v, "help")->number)
		options_help(kernel, stdout);
	else if (options_get(v, "describe")->number)
		options_describe(kernel, stdout);
	else if (options_get(v, "version")->number)
		options_version(kernel, stdout);
	else
		return false;
	return true;
}

/* The value of --cpuset is lists as cpulist_parse() takes, colons between them, or "". */
static int check_cpuset(const char *text, struct err *e)
{
	int rc = 0;

	for (bool more = text[0] != '\0'; more && !rc; text++) {
		const size_t len = strcspn(text, ":");
		int *cpus, n;

		rc = cpulist_parse(text, len, &cpus, &n, e);
		free(cpus);
		text += len;
		more = *text == ':';
	}
	return rc ? err_at(e, "option '--cpuset'") : 0;
}

int start_failed(const struct kernel *kernel, const struct err *e)
{
	if (speaks())
		(void)fprintf(stderr, "assay-%s: %s\n", kernel->name, e->msg);
	return err_exit_status(e);
}

bool start(const struct kernel *kernel, struct kit_values *v, int argc, char *const *argv,
	   int *status)
{
	struct err e = {0};

	*status = 0;
	if (options_parse(v, kernel, argc, argv, &e) ||
	    check_cpuset(options_get(v, "cpuset")->text, &e) ||
	    watchdog_arm(kernel->name, options_get(v, "limit")->seconds, &e)) {
		*status = start_failed(kernel, &e);
		return false;
	}
	if (!answered(kernel, v))
		return true;
	*status = fflush(stdout) ? 3 : 0;
	return false;
}
