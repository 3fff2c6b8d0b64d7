/* SPDX-License-Identifier: Apache-2.0 */
/* Names to addresses through a resolver that answers, refuses, hangs or lies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/hints.h"
#include "run/resolve.h"

static char bin[] = "/tmp/assay-resolve-XXXXXX";
static char probe[64];

static const char stub[] =
	"#!/bin/sh\n"
	"[ \"$1\" = --resolve ] || exit 2\n"
	"shift\n"
	"for name; do\n"
	"\tcase $name in\n"
	"\thung*) hang=1;;\n"
	"\tbad) printf 'bad\\t! Name or service not known\\n';;\n"
	"\tempty) printf 'empty\\t\\n';;\n"
	"\todd) printf 'nobody\\t10.9.9.9\\nodd\\nno tab\\nodd\\t10.0.0.77\\n';;\n"
	"\tescape) printf 'escape\\t! \\033[31m\\n';;\n"
	"\tgone) exit 3;;\n"
	"\tself) printf 'self\\t127.0.1.1 ::1\\n';;\n"
	"\ttwin*) printf '%s\\t10.0.0.1 10.0.0.2\\n' \"$name\";;\n"
	"\t*) printf '%s\\t10.1.%d.%d\\n' \"$name\" $((${name#n} / 250)) "
	"$((${name#n} % 250));;\n"
	"\tesac\n"
	"done\n"
	"[ -z \"$hang\" ] || exec sleep 60\n";

static int make_stub(void **unused)
{
	FILE *f;

	(void)unused;
	if (!mkdtemp(bin))
		return -1;
	(void)snprintf(probe, sizeof(probe), "%s/assay-probe", bin);
	f = fopen(probe, "we");
	if (!f || fputs(stub, f) < 0 || fclose(f))
		return -1;
	return chmod(probe, 0700);
}

static int remove_stub(void **unused)
{
	(void)unused;
	return unlink(probe) || rmdir(bin);
}

static struct runner runner(void)
{
	return (struct runner){
		.launcher = launcher_find("mpirun"),
		.context = {.bindir = bin, .run_id = "resolve-test", .host = "here"}};
}

static void resolved(struct resolve *out, const char *const *names, size_t n,
		     double limit)
{
	struct runner r = runner();
	struct err e = {0};

	if (resolve_nodes(out, &r, names, n, limit, &e))
		fail_msg("%s", e.msg);
}

static void every_name_has_its_answer(void **unused)
{
	static const char *const names[] = {"n1",     "bad",  "empty",       "odd",
					    "escape", "here", "here.example"};
	struct resolve r;

	(void)unused;
	resolved(&r, names, 7, 20);
	assert_string_equal(resolve_find(&r, "n1")->addresses, "10.1.0.1");
	assert_null(resolve_find(&r, "n1")->why);
	assert_null(resolve_find(&r, "bad")->addresses);
	assert_string_equal(resolve_find(&r, "bad")->why, "Name or service not known");
	assert_false(resolve_find(&r, "bad")->hung);
	assert_string_equal(resolve_find(&r, "empty")->why,
			    "the resolver could not be asked");
	assert_string_equal(resolve_find(&r, "odd")->addresses, "10.0.0.77");
	assert_string_equal(resolve_find(&r, "escape")->why, "\\x1b[31m");
	assert_null(resolve_find(&r, "here"));         /* this machine */
	assert_null(resolve_find(&r, "here.example")); /* is not asked about */
	assert_null(resolve_find(&r, "nobody"));
	resolve_release(&r);
}

/* One limit, not a sum of them; and those beside it have their answers. */
static void a_name_that_hangs_costs_one_limit(void **unused)
{
	const char **names = calloc(200, sizeof(*names));
	double begin = clock_now();
	struct resolve r;

	(void)unused;
	for (int i = 0; i < 200; i++) {
		char *name = malloc(16);

		(void)snprintf(name, 16, i == 5 || i == 150 ? "hung%d" : "n%d", i);
		names[i] = name;
	}
	resolved(&r, names, 200, 5);
	assert_true(clock_now() - begin < 60);
	for (int i = 0; i < 200; i++) {
		const struct resolve_name *name = resolve_find(&r, names[i]);

		assert_int_equal(name->hung, i == 5 || i == 150);
		if (name->hung)
			assert_string_equal(name->why, "no answer after 5 s");
		else
			assert_non_null(name->addresses);
		free((void *)names[i]);
	}
	free((void *)names);
	resolve_release(&r);
}

static void a_resolver_that_fails_is_no_hang(void **unused)
{
	static const char *const names[] = {"n1", "gone", "n2"};
	struct runner r = runner();
	struct resolve out;
	struct err e = {0};

	(void)unused;
	resolved(&out, names, 3, 20);
	assert_string_equal(resolve_find(&out, "n1")->addresses, "10.1.0.1");
	assert_string_equal(resolve_find(&out, "n2")->why,
			    "the resolver could not be asked");
	assert_false(resolve_find(&out, "n2")->hung);
	resolve_release(&out);
	r.context.bindir = "/nowhere";
	assert_int_equal(resolve_nodes(&out, &r, names, 3, 20, &e), 0);
	assert_string_equal(resolve_find(&out, "n1")->why,
			    "the resolver could not be asked");
	resolve_release(&out);
}

static void names_that_nobody_uses_are_not_asked_about(void **unused)
{
	static const char *const names[] = {"n1"};
	struct runner r = runner();
	struct resolve out;
	struct err e = {0};

	(void)unused;
	r.context.slurm = true;
	assert_int_equal(resolve_nodes(&out, &r, names, 1, 20, &e), 0);
	assert_null(resolve_find(&out, "n1"));
	resolve_release(&out);
	r = runner();
	r.launcher = launcher_find("test");
	assert_int_equal(resolve_nodes(&out, &r, names, 1, 20, &e), 0);
	assert_null(resolve_find(&out, "n1"));
	resolve_release(&out);
}

static void a_stop_ends_it(void **unused)
{
	static const char *const names[] = {"hung"};
	volatile sig_atomic_t stop = SIGTERM;
	struct runner r = runner();
	double begin = clock_now();
	struct resolve out;
	struct err e = {0};

	(void)unused;
	r.stop = &stop;
	assert_int_equal(resolve_nodes(&out, &r, names, 1, 60, &e), 0);
	assert_true(clock_now() - begin < 50); /* the limit is 60 s */
	assert_false(resolve_find(&out, "hung")->hung);
	resolve_release(&out);
}

static void shared_addresses_are_remarked(void **unused)
{
	static const char *const names[] = {"twin1", "n1", "twin2", "self", "bad"};
	struct arena a = {0};
	struct resolve r;
	const char **remarks;
	size_t n;

	(void)unused;
	resolved(&r, names, 5, 20);
	remarks = resolve_remarks(&r, &a, &n);
	assert_int_equal(n, 2);
	assert_string_equal(remarks[0],
			    "'twin1' and 'twin2' have the same address 10.0.0.1: one "
			    "node may be measured twice and another never");
	assert_string_equal(remarks[1], "'self' resolves to 127.0.1.1, which is this "
					"machine: see /etc/hosts");
	resolve_release(&r);
	arena_release(&a);
}

static void known_messages_have_hints(void **unused)
{
	static const char *const known[] = {
		"There are not enough slots available in the system to satisfy the 4 "
		"slots",
		"mpirun has detected an attempt to run as root.",
		"OMPI was not built with SLURM's PMI support and therefore cannot "
		"execute.",
		"bash: line 1: orted: command not found",
		"ORTE was unable to reliably start one or more daemons.",
		"A process or daemon was unable to complete a TCP connection",
		"WARNING: Open MPI failed to TCP connect to a peer MPI process.",
		"ssh: connect to host n3 port 22: No route to host",
		"ssh: Could not resolve hostname n9: Name or service not known",
		"Host key verification failed.",
		"root@n1: Permission denied (publickey,password).",
		"assay-hpl: error while loading shared libraries: libx.so: cannot open",
		"network device 'mlx5_9:1' is not available, please use one or more of: "
		"lo",
		"slurmstepd: error: Detected 1 oom-kill event(s) in StepId=7.0."};
	static const char *const unknown[] = {"", "a", "all is well", "rooted", "slots"};

	(void)unused;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!hints_find(known[i], strlen(known[i])))
			fail_msg("no hint for '%s'", known[i]);
	}
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_null(hints_find(unknown[i], strlen(unknown[i])));
	assert_null(hints_find(known[0], 20)); /* no further than it goes */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_has_its_answer),
		cmocka_unit_test(a_name_that_hangs_costs_one_limit),
		cmocka_unit_test(a_resolver_that_fails_is_no_hang),
		cmocka_unit_test(names_that_nobody_uses_are_not_asked_about),
		cmocka_unit_test(a_stop_ends_it),
		cmocka_unit_test(shared_addresses_are_remarked),
		cmocka_unit_test(known_messages_have_hints),
	};

	return cmocka_run_group_tests(tests, make_stub, remove_stub);
}
