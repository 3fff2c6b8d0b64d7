/* SPDX-License-Identifier: Apache-2.0 */
/* The one main() of all kernels: from the command line through the hooks to the status.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "kernels/kit/internal.h"
#include "kernels/kit/watchdog.h"

extern const struct kernel kernel;

static const struct kit_value *value_of(const struct kit *k, const char *name,
					unsigned types)
{
	const struct kit_value *v = options_get(&k->priv->values, name);

	if (!v || !(types >> v->option->type & 1)) {
		(void)fprintf(stderr, "assay-%s: bug: no option '%s' of this type\n",
			      k->kernel->name, name);
		abort();
	}
	return v;
}

const char *kit_option(const struct kit *k, const char *name)
{
	return value_of(k, name, ~0U)->text;
}

bool kit_is(const struct kit *k, const char *name, const char *text)
{
	return !strcmp(kit_option(k, name), text);
}

int64_t kit_int(const struct kit *k, const char *name)
{
	return value_of(k, name, 1U << KIT_INT)->number;
}

uint64_t kit_size(const struct kit *k, const char *name)
{
	return (uint64_t)value_of(k, name, 1U << KIT_SIZE)->number;
}

double kit_time(const struct kit *k, const char *name)
{
	return value_of(k, name, 1U << KIT_TIME)->seconds;
}

bool kit_flag(const struct kit *k, const char *name)
{
	return value_of(k, name, 1U << KIT_FLAG)->number != 0;
}

static int refuse(struct kit *k, struct err *e, const char *what, const char *fmt,
		  va_list ap)
{
	char text[sizeof(e->msg)];

	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	k->priv->what = what;
	return err_set(e, ERR_SYSTEM, "%s", text);
}

int kit_skip(struct kit *k, struct err *e, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = refuse(k, e, "skip", fmt, ap);
	va_end(ap);
	return rc;
}

int kit_invalid(struct kit *k, struct err *e, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = refuse(k, e, "invalid", fmt, ap);
	va_end(ap);
	return rc;
}

int kit_agree(struct kit *k, int rc, struct err *e)
{
	int mine = rc != 0, any = 0;

	if (mine) {
		k->priv->marks |= e->kind == ERR_USAGE ? KIT_USAGE : KIT_NOT_RUN;
		if (e->msg[0]) /* else another rank says it */
			kit_event(k, k->priv->what ? k->priv->what : "invalid", "%s",
				  e->msg);
		e->msg[0] = '\0';
		k->priv->what = NULL;
	}
	(void)MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	return any ? -1 : 0;
}

/* For the tests of the watchdog: this rank, or every rank, never ends its run. */
static void hang(const struct kit *k)
{
	const bool last = kit_is(k, "hang", "last") && k->rank == k->ranks - 1;

	while (last || kit_is(k, "hang", "all"))
		(void)pause();
}

/* A hook, with what it is called in the watchdog's line. A missing one went well. */
static int stage(struct kit *k, const char *name,
		 int (*hook)(struct kit *k, struct err *e))
{
	struct err e = {0};

	watchdog_phase(name);
	return kit_agree(k, hook ? hook(k, &e) : 0, &e);
}

static int run(struct kit *k, struct err *e)
{
	int rc;

	hang(k);
	kit_counters_before(k);
	rc = k->kernel->run(k, e);
	kit_counters_after(k);
	return rc;
}

static void hooks(struct kit *k)
{
	int rc = stage(k, "binding", kit_bind);

	kit_emit_rank(k);
	kit_flush(k);
	if (rc)
		return;
	rc = stage(k, "setup", k->kernel->setup);
	if (!rc)
		rc = stage(k, "run", run);
	if (!rc)
		rc = stage(k, "binding check", kit_bind_check);
	if (!rc)
		(void)stage(k, "verify", k->kernel->verify);
	watchdog_phase("teardown");
	if (k->kernel->teardown)
		k->kernel->teardown(k);
}

/* Collective: the exit status, the same on every rank. */
static int finish(struct kit *k)
{
	unsigned all = 0;

	watchdog_phase("records");
	kit_flush(k);
	if (!k->rank && kit_emit_end(k)) {
		(void)fprintf(stderr, "assay-%s: results cannot be written to stdout\n",
			      k->kernel->name);
		k->priv->marks |= KIT_NOT_RUN;
	}
	(void)MPI_Allreduce(&k->priv->marks, &all, 1, MPI_UNSIGNED, MPI_BOR,
			    MPI_COMM_WORLD);
	if (all & KIT_USAGE)
		return 2;
	if (all & KIT_NOT_RUN)
		return 3;
	return all & KIT_FAILED ? 1 : 0;
}

static int session(struct kit *k, int *argc, char ***argv)
{
	const int wanted = kernel.alone ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED;
	int level, status;

	watchdog_phase("MPI_Init");
	(void)MPI_Init_thread(argc, argv, wanted, &level);
	(void)MPI_Comm_rank(MPI_COMM_WORLD, &k->rank);
	(void)MPI_Comm_size(MPI_COMM_WORLD, &k->ranks);
	(void)MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, k->rank,
				  MPI_INFO_NULL, &k->node);
	(void)MPI_Comm_rank(k->node, &k->local_rank);
	(void)MPI_Comm_size(k->node, &k->local_ranks);
	if (level < wanted)
		kit_event(k, "remark", "MPI may not allow threads beside its own calls");
	hooks(k);
	status = finish(k);
	watchdog_phase("MPI_Finalize");
	(void)MPI_Comm_free(&k->node);
	(void)MPI_Finalize();
	return status;
}

/* --outline: the exit status. */
static int outline(struct kit *k)
{
	struct err e = {0};

	k->ranks = (int)kit_int(k, "outline");
	k->threads = (int)kit_int(k, "threads");
	if (!k->threads)
		k->threads = 1;
	if (kernel.outline && kernel.outline(k, stdout, &e))
		return start_failed(&kernel, &e);
	return fflush(stdout) ? 3 : 0;
}

int main(int argc, char **argv)
{
	struct kit_private priv = {0};
	struct kit k = {.kernel = &kernel, .priv = &priv};
	struct err e = {0};
	int status;

	if (start(&kernel, &priv.values, argc, argv, &status)) {
		priv.records = kit_is(&k, "format", "records");
		kit_inherited(&priv.mask);
		k.state = mem_calloc(1, kernel.state_size);
		if (kit_int(&k, "outline")) {
			status = outline(&k);
		} else if (kernel.early && kernel.early(&k, &e)) {
			status = start_failed(&kernel, &e);
		} else {
			priv.env = start_env(); /* now: MPI_Init adds to it */
			status = session(&k, &argc, &argv);
		}
		free(k.state);
	}
	options_release(&priv.values);
	strbuf_release(&priv.queue);
	arena_release(&priv.arena);
	counters_release(&priv.counters);
	free(priv.list);
	free(priv.cpus);
	free(priv.env);
	return status;
}
