/* SPDX-License-Identifier: Apache-2.0 */
/* What each launcher starts, as text. */
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
#include "run/launcher.h"
#include "run/runner.h"

static const char *mpi_args[] = {"--mca", "pml", "ucx", NULL};
static struct conf_pair mpi_env[] = {{.key = "UCX_NET_DEVICES", .value = "mlx5_0:1"}};

static const struct site no_site = {
	.remote_agent = "ssh -n -o BatchMode=yes -o ConnectTimeout=5"};
static const struct site a_site = {.remote_agent = "/opt/agent",
				   .mpi_args = mpi_args,
				   .n_mpi_args = 3,
				   .mpi_env = mpi_env,
				   .n_mpi_env = 1};

static const char *options[] = {"--store", "both"};
static const char *here[] = {"head"}, *there[] = {"n1"};
static const char *three[] = {"n3", "head", "n1"};
static const char *domains[] = {"n1.a", "n1.b"};

static struct step step_on(const char **nodes, size_t n, int per_node)
{
	return (struct step){.id = 7,
			     .attempt = 1,
			     .key = "nodes/stream@x",
			     .name = "nodes/stream",
			     .stage = "nodes",
			     .kernel = "stream",
			     .nodes = nodes,
			     .n_nodes = n,
			     .ranks = (int)n * per_node,
			     .per_node = per_node,
			     .cpusets = "0-1",
			     .threads = 2,
			     .options = options,
			     .n_options = 2,
			     .limit = 90};
}

static struct runner runner_of(const char *name, const struct site *site)
{
	return (struct runner){.launcher = launcher_find(name),
			       .dir = "DIR",
			       .context = {.site = site,
					   .bindir = "/opt/bin",
					   .run_id = "r1",
					   .host = "head"}};
}

/* The command as text: changes of the environment, words, files. */
static void assert_command(const struct command *c, const char *want)
{
	struct arena a = {0};
	struct strbuf sb = {0};
	size_t n = 0;

	for (size_t i = 0; c->env && c->env[i]; i++)
		strbuf_addf(&sb, "%s\n", c->env[i]);
	while (c->argv[n])
		n++;
	strbuf_addf(&sb, "%s\n", words_quote(&a, c->argv, n));
	for (size_t i = 0; i < c->n_files; i++)
		strbuf_addf(&sb, "%s:\n%s", c->files[i].name, c->files[i].content);
	assert_string_equal(strbuf_str(&sb), want);
	strbuf_release(&sb);
	arena_release(&a);
}

static void assert_step(const struct runner *r, const struct step *s, const char *want)
{
	struct arena a = {0};
	struct command c;
	struct err e = {0};

	assert_int_equal(runner_command(r, s, &a, &c, &e), 0);
	assert_command(&c, want);
	arena_release(&a);
}

#define MPIRUN_ENV                                                                    \
	"SRUN_CPUS_PER_TASK\nOMPI_COMM_WORLD_*\nOMPI_UNIVERSE_SIZE\nPMIX_NAMESPACE\n" \
	"PMIX_RANK\nPMIX_SERVER_*\n"
#define MARKED "--mca orte_launch_agent 'env ASSAY_RUN=r1 orted' "
#define WORDS                                                                         \
	"/opt/bin/assay-stream --format records --threads 2 --cpuset 0-1 --limit 90 " \
	"--store both\n"

static void mpirun_on_this_machine(void **unused)
{
	struct runner r = runner_of("mpirun", &no_site);
	struct step s = step_on(here, 1, 2);

	(void)unused;
	assert_step(
		&r, &s,
		MPIRUN_ENV
		"mpirun --bind-to none -np 2 --hostfile "
		"DIR/steps/007-nodes-stream/hostfile --map-by slot --mca plm isolated "
		"-x ASSAY_RUN -x ASSAY_CHILD " WORDS "hostfile:\nlocalhost slots=2\n");
}

static void mpirun_sets_up_no_network_for_a_rank_alone(void **unused)
{
	struct runner r = runner_of("mpirun", &no_site);
	struct step s = step_on(here, 1, 1);

	(void)unused;
	assert_step(
		&r, &s,
		MPIRUN_ENV
		"mpirun --bind-to none -np 1 --hostfile "
		"DIR/steps/007-nodes-stream/hostfile --map-by slot --mca plm isolated "
		"--mca pml ob1 --mca btl self "
		"-x ASSAY_RUN -x ASSAY_CHILD " WORDS "hostfile:\nlocalhost slots=1\n");
}

static void mpirun_keeps_the_order_of_the_nodes(void **unused)
{
	struct runner r = runner_of("mpirun", &no_site);
	struct step s = step_on(three, 3, 2);

	(void)unused;
	assert_step(&r, &s,
		    MPIRUN_ENV
		    "mpirun --bind-to none -np 6 --hostfile "
		    "DIR/steps/007-nodes-stream/hostfile --map-by seq --mca "
		    "plm_rsh_agent 'ssh -n -o BatchMode=yes -o ConnectTimeout=5' --mca "
		    "plm_rsh_no_tree_spawn 1 " MARKED "-x ASSAY_RUN -x ASSAY_CHILD " WORDS
		    "hostfile:\nn3\nn3\nhead\nhead\nn1\nn1\n");
}

static void mpirun_exceeds_the_slots_of_slurm(void **unused)
{
	struct runner r = runner_of("mpirun", &no_site);
	struct step s = step_on(three, 3, 1), one = step_on(there, 1, 2);

	(void)unused;
	r.context.slurm = true; /* which starts the daemons: no agent */
	assert_step(&r, &s,
		    MPIRUN_ENV "mpirun --bind-to none -np 3 --hostfile "
			       "DIR/steps/007-nodes-stream/hostfile "
			       "--map-by seq:OVERSUBSCRIBE --mca mpi_yield_when_idle 0 "
			       "-x ASSAY_RUN -x ASSAY_CHILD " WORDS
			       "hostfile:\nn3\nhead\nn1\n");
	assert_step(&r, &one,
		    MPIRUN_ENV "mpirun --bind-to none -np 2 --hostfile "
			       "DIR/steps/007-nodes-stream/hostfile "
			       "--map-by slot:OVERSUBSCRIBE --mca mpi_yield_when_idle 0 "
			       "-x ASSAY_RUN -x ASSAY_CHILD " WORDS
			       "hostfile:\nn1 slots=2\n");
}

static void mpirun_keeps_domains_apart(void **unused)
{
	struct runner r = runner_of("mpirun", &a_site);
	struct step s = step_on(domains, 2, 1);

	(void)unused;
	assert_step(&r, &s,
		    MPIRUN_ENV
		    "mpirun --bind-to none -np 2 --hostfile "
		    "DIR/steps/007-nodes-stream/hostfile --map-by seq --mca "
		    "orte_keep_fqdn_hostnames 1 --mca plm_rsh_agent /opt/agent "
		    "--mca plm_rsh_no_tree_spawn 1 " MARKED "-x ASSAY_RUN "
		    "-x ASSAY_CHILD -x UCX_NET_DEVICES=mlx5_0:1 "
		    "--mca pml ucx " WORDS "hostfile:\nn1.a\nn1.b\n");
}

static void mpirun_takes_what_the_site_says_and_root_when_allowed(void **unused)
{
	struct runner r = runner_of("mpirun", &a_site);
	struct step s = step_on(there, 1, 1);

	(void)unused;
	r.context.allow_root = true;
	s.attempt = 2;
	s.cpusets = "";
	s.threads = 0;
	s.n_options = 0;
	s.limit = 0.25;
	assert_step(
		&r, &s,
		MPIRUN_ENV
		"OMPI_ALLOW_RUN_AS_ROOT=1\nOMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n"
		"mpirun --bind-to none -np 1 --hostfile "
		"DIR/steps/007-nodes-stream.2/hostfile --map-by slot --mca "
		"plm_rsh_agent /opt/agent --mca plm_rsh_no_tree_spawn 1 " MARKED
		"-x ASSAY_RUN -x ASSAY_CHILD -x UCX_NET_DEVICES=mlx5_0:1 --mca pml ucx "
		"/opt/bin/assay-stream --format records --limit 0.250\n"
		"hostfile:\nn1 slots=1\n");
}

static void mpirun_refuses_an_agent_it_would_read_as_two(void **unused)
{
	struct site site = {.remote_agent = "ssh -J gate:22"};
	struct runner r = runner_of("mpirun", &site);
	struct step s = step_on(there, 1, 1);
	struct arena a = {0};
	struct command c;
	struct err e = {0};

	(void)unused;
	assert_int_equal(runner_command(&r, &s, &a, &c, &e), -1);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.msg, "'ssh -J gate:22'"));
	arena_release(&a);
}

static void local_starts_the_kernel_itself(void **unused)
{
	struct runner r = runner_of("local", &a_site);
	struct step s = step_on(here, 1, 1);

	(void)unused;
	assert_step(&r, &s,
		    "OMPI_COMM_WORLD_*\nOMPI_UNIVERSE_SIZE\nPMIX_NAMESPACE\nPMIX_RANK\n"
		    "PMIX_SERVER_*\nPMI_*\nOMPI_MCA_pml=ob1\nOMPI_MCA_btl=self\nOMPI_MCA_"
		    "plm=isolated\n"
		    "UCX_NET_DEVICES=mlx5_0:1\n" WORDS);
}

static void local_starts_one_process_here_and_nothing_else(void **unused)
{
	struct runner r = runner_of("local", &no_site);
	struct step two = step_on(here, 1, 2), far = step_on(there, 1, 1);
	struct arena a = {0};
	struct command c;
	struct err e = {0};

	(void)unused;
	assert_int_equal(runner_command(&r, &two, &a, &c, &e), -1);
	assert_string_equal(e.msg, "launcher 'local' starts one process, not 2 ranks");
	assert_int_equal(runner_command(&r, &far, &a, &c, &e), -1);
	assert_string_equal(e.msg,
			    "launcher 'local' reaches this machine only, not 'n1'");
	arena_release(&a);
}

static void the_test_launcher_tells_whom_it_stands_for(void **unused)
{
	struct runner r = runner_of("test", &no_site);
	struct step s = step_on(three, 3, 2);

	(void)unused;
	assert_step(&r, &s,
		    "ASSAY_TEST_KEY=nodes/stream@x\n"
		    "ASSAY_TEST_NODES=DIR/steps/007-nodes-stream/nodes\n"
		    "ASSAY_TEST_RANKS=6\nASSAY_TEST_PER_NODE=2\n"
		    "/opt/bin/assay-stream --format records --threads 2 --cpuset 0-1 "
		    "--limit 90 --store both\n"
		    "nodes:\nn3\nhead\nn1\n");
}

static void assert_reach(const struct launcher_context *c, const char *launcher,
			 const char *node, const char *want)
{
	static const char *const words[] = {"/opt/bin/assay-probe", "it's", "$HOME", ""};
	struct command out = {0};
	struct arena a = {0};
	struct err e = {0};

	assert_int_equal(launcher_find(launcher)->reach(c, node, words, 4, &a, &out, &e),
			 0);
	assert_command(&out, want);
	arena_release(&a);
}

static void a_node_is_reached_directly_by_the_agent_or_by_srun(void **unused)
{
	struct launcher_context c = runner_of("mpirun", &no_site).context;

	(void)unused;
	assert_reach(&c, "mpirun", "head",
		     "/opt/bin/assay-probe 'it'\\''s' '$HOME' ''\n");
	assert_reach(&c, "local", "HEAD.example.org",
		     "/opt/bin/assay-probe 'it'\\''s' '$HOME' ''\n");
	/* the last word is one: the shell at the other end takes it apart */
	assert_reach(&c, "mpirun", "n1",
		     "ssh -n -o BatchMode=yes -o ConnectTimeout=5 n1 'env ASSAY_RUN=r1 "
		     "/opt/bin/assay-probe '\\''it'\\''\\'\\'''\\''s'\\'' "
		     "'\\''$HOME'\\'' '\\'''\\'''\n");
	c.slurm = true;
	assert_reach(&c, "mpirun", "n1",
		     "SLURM_CPUS_PER_TASK\nSRUN_CPUS_PER_TASK\nSLURM_EXACT\nsrun -N1 -n1 "
		     "--overlap --cpu-bind=none -w n1 /opt/bin/assay-probe 'it'\\''s' "
		     "'$HOME' ''\n");
}

static void this_machine_is_known_by_its_names(void **unused)
{
	struct launcher_context c = {.host = "n1.cluster.org"};

	(void)unused;
	assert_true(launcher_is_here(&c, "n1"));
	assert_true(launcher_is_here(&c, "N1"));
	assert_true(launcher_is_here(&c, "n1.cluster.org"));
	assert_true(launcher_is_here(&c, "localhost"));
	assert_false(launcher_is_here(&c, "n1.other.org"));
	assert_false(launcher_is_here(&c, "n10"));
	assert_false(launcher_is_here(&c, "n"));
	c.host = "n1";
	assert_true(launcher_is_here(&c, "n1.data"));
	c.host = NULL;
	assert_false(launcher_is_here(&c, "no-machine-has-this-name"));
}

static void a_launcher_is_picked_by_name(void **unused)
{
	struct launcher_context c = {.allow_root = true};
	const struct launcher *l;
	struct err e = {0};

	(void)unused;
	assert_int_equal(launcher_pick(&l, "local", &c, &e), 0);
	assert_ptr_equal(l, launcher_find("local"));
	assert_int_equal(launcher_pick(&l, "srun", &c, &e), -1);
	assert_string_equal(e.msg, "launcher 'srun': not yet, use 'mpirun', which works "
				   "inside Slurm");
	assert_int_equal(launcher_pick(&l, "mpirum", &c, &e), -1);
	assert_string_equal(e.msg, "unknown launcher 'mpirum', did you mean 'mpirun'?");
	assert_int_equal(launcher_pick(&l, "xyz", &c, &e), -1);
	assert_string_equal(e.msg, "unknown launcher 'xyz', see assay list launchers");
	assert_int_equal(e.kind, ERR_USAGE);
	(void)unsetenv("ASSAY_TEST_LAUNCHER");
	assert_int_equal(launcher_pick(&l, "test", &c, &e), -1);
}

static void auto_is_mpirun_where_there_is_one(void **unused)
{
	struct launcher_context c = {.allow_root = true};
	char dir[] = "/tmp/assay-launcher-XXXXXX", path[64];
	const struct launcher *l;
	struct err e = {0};

	(void)unused;
	assert_non_null(mkdtemp(dir));
	(void)setenv("PATH", dir, 1);
	assert_int_equal(launcher_pick(&l, "auto", &c, &e), 0);
	assert_string_equal(l->name, "local");
	assert_int_equal(launcher_pick(&l, "mpirun", &c, &e), -1);
	assert_string_equal(e.msg, "launcher 'mpirun': no mpirun in PATH");
	(void)snprintf(path, sizeof(path), "%s/mpirun", dir);
	assert_int_equal(symlink("/bin/true", path), 0);
	assert_int_equal(launcher_pick(&l, "auto", &c, &e), 0);
	assert_string_equal(l->name, "mpirun");
	(void)unlink(path);
	(void)rmdir(dir);
}

static void root_needs_leave(void **unused)
{
	struct launcher_context c = {0};
	struct err e = {0};

	(void)unused;
	assert_int_equal(launcher_root(&c, "mpirun", &e), geteuid() ? 0 : -1);
	if (!geteuid())
		assert_string_equal(e.msg,
				    "this is root, which mpirun is not started as: "
				    "use another user, or say --allow-root");
	c.allow_root = true;
	assert_int_equal(launcher_root(&c, "mpirun", &e), 0);
}

static void every_launcher_is_in_the_list(void **unused)
{
	size_t n = 0;

	(void)unused;
	for (; launcher_at(n); n++) {
		assert_ptr_equal(launcher_find(launcher_at(n)->name), launcher_at(n));
		assert_true(strlen(launcher_at(n)->help) > 10);
	}
	assert_true(n >= 3);
	assert_null(launcher_find("nothing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mpirun_on_this_machine),
		cmocka_unit_test(mpirun_sets_up_no_network_for_a_rank_alone),
		cmocka_unit_test(mpirun_keeps_the_order_of_the_nodes),
		cmocka_unit_test(mpirun_exceeds_the_slots_of_slurm),
		cmocka_unit_test(mpirun_keeps_domains_apart),
		cmocka_unit_test(mpirun_takes_what_the_site_says_and_root_when_allowed),
		cmocka_unit_test(mpirun_refuses_an_agent_it_would_read_as_two),
		cmocka_unit_test(local_starts_the_kernel_itself),
		cmocka_unit_test(local_starts_one_process_here_and_nothing_else),
		cmocka_unit_test(the_test_launcher_tells_whom_it_stands_for),
		cmocka_unit_test(a_node_is_reached_directly_by_the_agent_or_by_srun),
		cmocka_unit_test(this_machine_is_known_by_its_names),
		cmocka_unit_test(a_launcher_is_picked_by_name),
		cmocka_unit_test(auto_is_mpirun_where_there_is_one),
		cmocka_unit_test(root_needs_leave),
		cmocka_unit_test(every_launcher_is_in_the_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
