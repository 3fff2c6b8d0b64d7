/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-net: the network between ranks, by the tests, counts and units of the OSU
 * micro-benchmarks 7.x, every result checked, each with its percentiles.
 */
#include "kernels/net/net.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"

#define NET_TEST(name) extern const struct net_test net_##name;
#include "kernels/net/tests.def"
#undef NET_TEST

static const struct net_test *const tests[] = {
#define NET_TEST(name) &net_##name,
#include "kernels/net/tests.def"
#undef NET_TEST
};

static const char *const names[] = {
#define NET_TEST(name) #name,
#include "kernels/net/tests.def"
#undef NET_TEST
	NULL};

/* The percentiles tell of the scatter within one launch and need no reference. */
#define METRIC(name_, unit_, better_, all_, help_)                             \
	{.name = (name_),                                                      \
	 .unit = (unit_),                                                      \
	 .better = (better_),                                                  \
	 .reduce = "median",                                                   \
	 .of_set = (all_),                                                     \
	 .help = (help_)},                                                     \
	{                                                                      \
		.name = (name_ "_tail"), .unit = (unit_), .better = (better_), \
		.reduce = "median", .of_set = (all_), .unrated = true,         \
		.help = "the same, percentiles of the turns"                   \
	}

/* Of one pair among many: they are compared with each other, by rule `pairs`. */
#define PAIR(what, unit_, better_, help_)                                         \
	{                                                                         \
		.name = ("net.pair_" what), .unit = (unit_), .better = (better_), \
		.reduce = "median", .unrated = true, .help = ("pairs: " help_)    \
	}

static const struct kit_metric metrics[] = {
	METRIC("net.latency", "s", "lower", false,
	       "half the time there and back of one message between the first and the "
	       "last rank"),
	METRIC("net.bw", "B/s", "higher", false,
	       "a window of messages from the first to the last rank"),
	METRIC("net.bibw", "B/s", "higher", false,
	       "a window of messages each way at once, both ways together"),
	METRIC("net.mbw", "B/s", "higher", true,
	       "windows of messages between all pairs of ranks at once, together"),
	{.name = "net.rate",
	 .unit = "1/s",
	 .better = "higher",
	 .reduce = "median",
	 .of_set = true,
	 .help = "messages of all pairs at once"},
	{.name = "net.remote",
	 .unit = "ratio",
	 .better = "higher",
	 .reduce = "median",
	 .unrated = true,
	 .help = "--locality both: what is left far from the adapter of the bandwidth of "
		 "the largest messages, or of the speed of the smallest"},
	METRIC("net.barrier", "s", "lower", true, "until all ranks have met"),
	METRIC("net.bcast", "s", "lower", true,
	       "until a rank has the first one's message"),
	METRIC("net.allreduce", "s", "lower", true, "until a rank has the sum of all"),
	METRIC("net.alltoall", "s", "lower", true, "until a rank has a message of each"),
	PAIR("latency", "s", "lower", "half the time there and back of a small message"),
	PAIR("bw", "B/s", "higher", "a window of messages to the peer"),
	PAIR("bibw", "B/s", "higher", "a window of messages each way at once, together"),
	PAIR("hang", "B", "higher", "the smallest message that did not arrive"),
	{.name = NULL},
};

static const char *const localities[] = {"none", "near", "far", "both", "domains", NULL};
static const char *const automatic[] = {"auto", NULL};
static const char *const all[] = {"all", NULL};
static const char *const schedules[] = {"all", "sample", NULL};

static const struct kit_option options[] = {
	{.name = "test",
	 .operand = true,
	 .type = KIT_CHOICE,
	 .def = "latency",
	 .choices = names,
	 .help = "what is measured"},
	{.name = "message-size",
	 .letter = 'm',
	 .type = KIT_TEXT,
	 .def = "",
	 .help = "[MIN:]MAX bytes of a message: MIN, twice MIN, ... up to MAX; unless "
		 "said 1 to 4M, collectives 1 to 1M"},
	{.name = "iterations",
	 .letter = 'i',
	 .type = KIT_INT,
	 .def = "auto",
	 .choices = automatic,
	 .min = 1,
	 .max = 100000000,
	 .help = "turns that count; auto: as many as OSU's tests, fewer above 8192 "
		 "bytes"},
	{.name = "warmup",
	 .letter = 'x',
	 .type = KIT_INT,
	 .def = "auto",
	 .choices = automatic,
	 .max = 100000000,
	 .help = "turns before them"},
	{.name = "window-size",
	 .letter = 'W',
	 .type = KIT_INT,
	 .def = "64",
	 .min = 1,
	 .max = 65536,
	 .help = "messages under way at once (bw, bibw, mbw_mr)"},
	{.name = "validation",
	 .letter = 'c',
	 .type = KIT_FLAG,
	 .def = "no",
	 .help = "check every message, which costs time between the turns; without it "
		 "the last one of each size is checked"},
	{.name = "seconds",
	 .type = KIT_TIME,
	 .def = "0",
	 .help = "each size takes about so long, with as many turns (up to -i) and "
		 "messages "
		 "at once (up to -W) as fit: for links of which nothing is known; 0: by "
		 "turns (latency, bw, bibw); pairs: all of one pair, 0: 0.4 s"},
	{.name = "schedule",
	 .type = KIT_CHOICE,
	 .def = "all",
	 .choices = schedules,
	 .help = "pairs: each rank meets all others, or random ones in 3 log2 N rounds, "
		 "which finds a bad node or port, but not each bad pair"},
	{.name = "rounds",
	 .type = KIT_INT,
	 .def = "auto",
	 .choices = automatic,
	 .min = 1,
	 .max = 1000000,
	 .help = "pairs: so many rounds of the schedule"},
	{.name = "seed",
	 .type = KIT_INT,
	 .def = "1",
	 .max = INT64_MAX,
	 .help = "pairs: of the random ones"},
	{.name = "pairs-at-once",
	 .type = KIT_INT,
	 .def = "all",
	 .choices = all,
	 .min = 1,
	 .max = 1000000,
	 .help = "pairs: so many of a round measure at the same time, the others wait: "
		 "all load the network, few leave it quiet"},
	{.name = "patience",
	 .type = KIT_TIME,
	 .def = "10",
	 .help = "pairs: a message that takes longer never comes"},
	{.name = "first-round",
	 .type = KIT_INT,
	 .def = "1",
	 .min = 1,
	 .max = 1000000,
	 .help = "pairs: round to begin with, to go on where a launch was cut off"},
	{.name = "slots",
	 .type = KIT_INT,
	 .def = "auto",
	 .choices = automatic,
	 .min = 2,
	 .max = 1000000,
	 .help = "pairs: the rounds are those of so many ranks, of whom --absent are "
		 "missing"},
	{.name = "absent",
	 .type = KIT_TEXT,
	 .def = "",
	 .help = "pairs: numbers from 0, with commas"},
	{.name = "locality",
	 .type = KIT_CHOICE,
	 .def = "none",
	 .choices = localities,
	 .help = "binds the two ranks to the NUMA domain of the network adapter, to the "
		 "farthest from it, to both in turn, or to each domain in turn"},
	{.name = "device",
	 .type = KIT_TEXT,
	 .def = "",
	 .help = "adapter (mlx5_0) or interface (hsn0) that MPI shall use, and near to "
		 "what "
		 "is near; without it MPI chooses and is watched"},
	{.name = "repeat",
	 .type = KIT_INT,
	 .def = "3",
	 .min = 1,
	 .max = 1000,
	 .help = "times that all sizes are measured, one after the other"},
	/* for tests: each call of MPI takes no more than this, so that small messages
	 * travel as the largest do */
	{.name = "piece",
	 .hidden = true,
	 .type = KIT_SIZE,
	 .def = "1G",
	 .min = 1,
	 .max = (int64_t)MEASURE_PIECE},
	/* for tests: a recorded machine says where the NUMA domains and the device are */
	{.name = "machine", .hidden = true, .type = KIT_TEXT, .def = "/"},
	/* for tests: the first byte received of this size is changed before the check */
	{.name = "spoil", .hidden = true, .type = KIT_SIZE, .def = "0"},
	{.name = NULL},
};

static void set_counts(const struct kit *k, struct net_counts *c,
		       const struct net_counts *by_test)
{
	*c = *by_test;
	if (!kit_is(k, "iterations", "auto"))
		c->turns = c->large_turns = (int)kit_int(k, "iterations");
	if (!kit_is(k, "warmup", "auto"))
		c->warmup = c->large_warmup = (int)kit_int(k, "warmup");
}

/*
 * MPI shall send through this device alone: an adapter for UCX, an interface for Open
 * MPI's own TCP. Which one really carries the messages is counted all the same.
 */
static void use_device(const char *device)
{
	char text[PATH_MAX];
	bool adapter;

	if (!*device)
		return;
	(void)snprintf(text, sizeof(text), "/sys/class/infiniband/%.*s",
		       (int)strcspn(device, ":"), device);
	adapter = !access(text, F_OK);
	(void)snprintf(text, sizeof(text), "%s%s", device,
		       adapter && !strchr(device, ':') ? ":1" : "");
	(void)setenv("UCX_NET_DEVICES", text, 1);
	if (!adapter)
		(void)setenv("OMPI_MCA_btl_tcp_if_include", text, 1);
}

/* Libraries pass over a device that is not there, and take another one in silence. */
static int check_device(struct kit *k, struct err *e)
{
	static const char *const folders[] = {"infiniband", "net"};
	const char *device = kit_option(k, "device");
	const int len = (int)strcspn(device, ":,");
	struct strbuf there = {0};
	char path[PATH_MAX];
	struct wires wires;
	int rc;

	if (!*device || strchr(device, '/')) /* 10.78.0.0/16: MPI's matter */
		return 0;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/sys/class/%s/%.*s",
			       kit_option(k, "machine"), folders[i], len, device);
		if (!access(path, F_OK))
			return 0;
	}
	wires_read("", &wires);
	for (int i = 0; i < wires.n; i++)
		strbuf_addf(&there, "%s%s", i ? ", " : "", wires.items[i].name);
	rc = kit_invalid(k, e,
			 "option '--device': this node has no adapter or interface "
			 "'%.*s'; it has %s",
			 len, device, wires.n ? strbuf_str(&there) : "none");
	strbuf_release(&there);
	return rc;
}

static int early(struct kit *k, struct err *e)
{
	struct net *x = k->state;

	for (size_t i = 0; names[i]; i++) {
		if (kit_is(k, "test", names[i]))
			x->test = tests[i];
	}
	x->sizes = x->test->sizes;
	x->n_places = 1;
	x->places[0].domain = -1;
	x->seconds = kit_time(k, "seconds");
	x->piece = kit_size(k, "piece");
	x->spoil = kit_size(k, "spoil");
	set_counts(k, &x->counts, &x->test->counts);
	x->repeat = (int)kit_int(k, "repeat");
	x->window = (int)kit_int(k, "window-size");
	x->each = kit_flag(k, "validation");
	x->moves = !kit_is(k, "locality", "none");
	if (x->moves && (x->test->of_all || x->test->run))
		return err_set(e, ERR_USAGE,
			       "option '--locality': '%s' is not between two ranks",
			       x->test->name);
	use_device(kit_option(k, "device"));
	if (sizes_parse(&x->sizes, kit_option(k, "message-size"), e))
		return err_at(e, "option '--message-size'");
	if (!x->test->sizes.max)
		x->sizes =
			x->test->sizes; /* a barrier among tests that are all told -m */
	return 0;
}

int net_open(struct kit *k, struct net *x, int peer, struct err *e)
{
	const double bytes = 2.0 * (double)x->sizes.max;
	char wanted[UNITS_TEXT], there[UNITS_TEXT];
	uint64_t usable;

	if (kit_usable_memory(k, &usable, e))
		return -1;
	if (bytes > (double)usable)
		return kit_skip(
			k, e, "needs %s of memory for messages, %s usable",
			units_format_memory(wanted, sizeof(wanted), bytes),
			units_format_memory(there, sizeof(there), (double)usable));
	if (measure_open(&x->end, MPI_COMM_WORLD, x->sizes.max, e))
		return -1;
	measure_with(&x->end, peer);
	x->end.piece = x->piece;
	x->end.spoil = x->spoil;
	return 0;
}

/* Collective: the last rank, -1 where it is on the first one's node. */
static int far_peer(const struct kit *k)
{
	int last;

	(void)MPI_Allreduce(&k->rank, &last, 1, MPI_INT, MPI_MAX, k->node);
	(void)MPI_Bcast(&last, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return last == k->ranks - 1 ? -1 : k->ranks - 1;
}

static int setup(struct kit *k, struct err *e)
{
	struct net *x = k->state;

	if (k->ranks < x->test->ranks)
		return kit_skip(k, e,
				"needs %d ranks, and has %d; by hand: mpirun -np %d "
				"assay-net %s",
				x->test->ranks, k->ranks, x->test->ranks, x->test->name);
	if (kit_agree(k, check_device(k, e), e))
		return err_set(e, ERR_SYSTEM, "%s", "");
	(void)MPI_Allreduce(&k->rank, &x->node, 1, MPI_INT, MPI_MIN, k->node);
	x->peer = x->test->of_all ? -1 : far_peer(k);
	if (kit_agree(k, x->test->setup ? x->test->setup(k, x, e) : 0, e))
		return err_set(e, ERR_SYSTEM, "%s", "");
	return x->moves ? net_places(k, x, e) : 0;
}

static int run(struct kit *k, struct err *e)
{
	struct net *x = k->state;
	int rc;

	net_wires_before(k, x);
	rc = (x->test->run ? x->test->run : net_sweep)(k, x, e);
	if (!rc)
		net_wires_after(k, x);
	kit_flush(k);
	return rc;
}

static int verify(struct kit *k, struct err *e)
{
	struct net *x = k->state;
	uint64_t sizes = 0;

	(void)e;
	/* who received it tells: of ten thousand ranks that are well one is enough */
	if (!k->rank || x->wrong)
		kit_valid(k, "content", (double)x->wrong, 0, !x->wrong,
			  x->wrong ? "%llu bytes received were not what was sent" : NULL,
			  (unsigned long long)x->wrong);
	(void)MPI_Reduce(&x->wrong_sizes, &sizes, 1, MPI_UINT64_T, MPI_BOR, 0,
			 MPI_COMM_WORLD);
	x->wrong_sizes = sizes;
	return 0;
}

static void teardown(struct kit *k)
{
	struct net *x = k->state;

	if (x->test->teardown)
		x->test->teardown(x);
	free(x->wires);
	locality_release(&x->locality);
}

static void text(struct kit *k, const struct record *records, size_t n, FILE *out)
{
	const struct net *x = k->state;

	if (x->test->text)
		x->test->text(k, x, records, n, out);
	else
		net_table(k, x, records, n, out);
}

const struct kernel kernel = {
	.name = "net",
	.help = "Latency, bandwidth and message rate between ranks, and collectives, by "
		"the method of the OSU micro-benchmarks 7.x, with percentiles and a "
		"check of what was received.",
	.shape = KIT_PAIR,
	.metrics = metrics,
	.options = options,
	.state_size = sizeof(struct net),
	.alone = true,
	.early = early,
	.setup = setup,
	.run = run,
	.verify = verify,
	.teardown = teardown,
	.text = text,
};
