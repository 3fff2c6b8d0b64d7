/* SPDX-License-Identifier: Apache-2.0 */
/* bed-hello: says what MPI makes of a testbed: ranks, nodes, network, share of a CPU. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = 1 << 20, MESSAGES = 16, ROUNDS = 20, NAME = 64, RANKS = 512 };

static double cpu_time(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Ranks that share no memory are on different nodes: one leader each. */
static int count_nodes(void)
{
	MPI_Comm local;
	int rank, leader, nodes;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
			    &local);
	MPI_Comm_rank(local, &rank);
	leader = rank == 0;
	MPI_Allreduce(&leader, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Comm_free(&local);
	return nodes;
}

/* The share of one CPU this rank gets in half a second of computing. */
static double cpu_share(void)
{
	double wall = MPI_Wtime(), cpu = cpu_time();

	while (MPI_Wtime() - wall < 0.5)
		;
	return (cpu_time() - cpu) / (MPI_Wtime() - wall);
}

/* Between rank 0 and @peer, in MB/s: one way, the last message answered. */
static double bandwidth(int rank, int peer)
{
	static char bytes[MESSAGE];
	double start = MPI_Wtime();

	for (int i = 0; i < MESSAGES && rank == 0; i++)
		MPI_Send(bytes, MESSAGE, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
	for (int i = 0; i < MESSAGES && rank == peer; i++)
		MPI_Recv(bytes, MESSAGE, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	if (rank == 0)
		MPI_Recv(bytes, 1, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == peer)
		MPI_Send(bytes, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
	return 1e-6 * MESSAGES * MESSAGE / (MPI_Wtime() - start);
}

static void rest(long us)
{
	(void)nanosleep(&(const struct timespec){.tv_nsec = us * 1000}, NULL);
}

/*
 * Waits without spinning: a rank that spins uses up its quota, stands still for the rest
 * of the period, and two that stand still by turns never meet in less than a period.
 */
static void receive(int from)
{
	int there = 0;
	char byte;

	while (!there) {
		rest(50);
		MPI_Iprobe(from, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
	}
	MPI_Recv(&byte, 1, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Between rank 0 and @peer, in us: the shortest there and back of all rounds. */
static double round_trip(int rank, int peer)
{
	double best = 1e30;
	char byte = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double start;

		rest(11000); /* a new period */
		start = MPI_Wtime();
		if (rank == 0) {
			MPI_Send(&byte, 1, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
			receive(peer);
		} else if (rank == peer) {
			receive(0);
			MPI_Send(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
		}
		if (MPI_Wtime() - start < best)
			best = MPI_Wtime() - start;
	}
	return 1e6 * best;
}

int main(int argc, char **argv)
{
	static char hosts[RANKS][NAME];
	static double shares[RANKS];
	char host[NAME] = "";
	double share;
	int rank, ranks, nodes;

	if (argc > 1) {
		(void)fprintf(stderr, "usage: mpirun ... bed-hello, without arguments\n");
		return 2;
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (gethostname(host, sizeof(host) - 1))
		MPI_Abort(MPI_COMM_WORLD, 1);
	if (ranks > RANKS)
		MPI_Abort(MPI_COMM_WORLD, 2);
	nodes = count_nodes();
	share = cpu_share();
	MPI_Gather(host, NAME, MPI_CHAR, hosts, NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Gather(&share, 1, MPI_DOUBLE, shares, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("ranks %d nodes %d\n", ranks, nodes);
	for (int i = 0; i < ranks && rank == 0; i++)
		printf("rank %d host %s cpu %.3f\n", i, hosts[i], shares[i]);
	for (int peer = 1; peer < ranks; peer++) {
		double us = round_trip(rank, peer), mb = bandwidth(rank, peer);

		if (rank == 0)
			printf("pair 0-%d bandwidth %.1f MB/s round-trip %.0f us\n", peer,
			       mb, us);
	}
	MPI_Finalize();
	return 0;
}
