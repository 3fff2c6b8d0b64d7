/* SPDX-License-Identifier: Apache-2.0 */
/* bed-init: process 1 of a testbed node; reaps orphans and runs commands as sshd would.
 */
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "wire.h"

struct session {
	int socket;
	int input;  /* the command's stdin; -1 once closed */
	int out[2]; /* its stdout and stderr */
	pid_t command;
};

/*
 * Moves the client's bytes to the command. When the client goes away the session ends
 * and the command lives on, as with sshd: whoever counts on it to die is wrong on a real
 * cluster too.
 */
static void *pump_input(void *arg)
{
	static char bytes[WIRE_MAX];
	struct session *s = arg;
	struct wire_head h;

	for (;;) {
		if (wire_receive(s->socket, &h, bytes))
			_exit(0);
		if (s->input < 0)
			continue;
		if (h.type == WIRE_END ||
		    (h.type == WIRE_INPUT && wire_put(s->input, bytes, h.size))) {
			(void)close(s->input);
			s->input = -1;
		}
	}
}

/* Moves the command's output to the client until both pipes are at their end. */
static int pump_output(struct session *s)
{
	static const enum wire_type type[2] = {WIRE_OUTPUT, WIRE_ERRORS};
	static char bytes[WIRE_CHUNK];
	struct pollfd p[2] = {{.fd = s->out[0], .events = POLLIN},
			      {.fd = s->out[1], .events = POLLIN}};

	while (p[0].fd >= 0 || p[1].fd >= 0) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return -1;
		for (int i = 0; i < 2; i++) {
			ssize_t n;

			if (p[i].fd < 0 || !p[i].revents)
				continue;
			n = read(p[i].fd, bytes, sizeof(bytes));
			if (n > 0 && wire_send(s->socket, type[i], bytes, (size_t)n))
				return -1;
			if (n <= 0)
				p[i].fd = -1;
		}
	}
	return 0;
}

/* In the command's process: no return. The environment is what sshd gives to root. */
static void become_command(const int pipes[3][2], char *words)
{
	char *argv[] = {"sh", "-c", words, NULL};
	char *env[] = {
		"HOME=/root",
		"USER=root",
		"LOGNAME=root",
		"SHELL=/bin/sh",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		NULL};

	if (dup2(pipes[0][0], 0) < 0 || dup2(pipes[1][1], 1) < 0 ||
	    dup2(pipes[2][1], 2) < 0)
		_exit(255);
	for (int i = 0; i < 3; i++) {
		(void)close(pipes[i][0]);
		(void)close(pipes[i][1]);
	}
	(void)setsid();
	if (chdir("/root"))
		(void)!chdir("/");
	(void)signal(SIGPIPE, SIG_DFL);
	(void)execve("/bin/sh", argv, env);
	_exit(127);
}

static int start_command(struct session *s, char *words)
{
	int pipes[3][2];

	for (int i = 0; i < 3; i++) {
		if (pipe(pipes[i]))
			return -1;
	}
	s->command = fork();
	if (s->command < 0)
		return -1;
	if (s->command == 0) {
		(void)close(s->socket);
		become_command(pipes, words);
	}
	(void)close(pipes[0][0]);
	(void)close(pipes[1][1]);
	(void)close(pipes[2][1]);
	s->input = pipes[0][1];
	s->out[0] = pipes[1][0];
	s->out[1] = pipes[2][0];
	return 0;
}

/* A login that never comes to its command: the home folder's server is gone. */
static void hang_if_asked(void)
{
	char host[65], path[128];

	if (gethostname(host, sizeof(host)))
		return;
	(void)snprintf(path, sizeof(path), "/run/bed/%s/login-hangs", host);
	if (access(path, F_OK))
		return;
	for (;;)
		(void)pause();
}

/* One connection, in a process of its own. Returns the process's exit status. */
static int serve(int socket)
{
	static char words[WIRE_MAX + 1];
	struct session s = {.socket = socket};
	struct wire_head h;
	pthread_t input;
	int status;

	(void)signal(SIGCHLD, SIG_DFL);
	(void)signal(SIGPIPE, SIG_IGN);
	if (wire_put(socket, BED_BANNER, strlen(BED_BANNER)))
		return 1;
	if (wire_receive(socket, &h, words) || h.type != WIRE_COMMAND)
		return 1;
	words[h.size] = '\0';
	hang_if_asked();
	if (start_command(&s, words) || pthread_create(&input, NULL, pump_input, &s))
		return 1;
	if (pump_output(&s) || waitpid(s.command, &status, 0) < 0)
		return 1;
	status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	if (wire_send(socket, WIRE_STATUS, &status, sizeof(status)))
		return 1;
	/* closing with input unread would reset the connection: the client closes first
	 */
	(void)pthread_join(input, NULL);
	return 0;
}

static int listen_everywhere(void)
{
	struct addrinfo want = {
		.ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
	struct addrinfo *a = NULL;
	int fd, on = 1;

	if (getaddrinfo(NULL, BED_PORT, &want, &a))
		return -1;
	fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
			bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, 128))) {
		(void)close(fd);
		fd = -1;
	}
	freeaddrinfo(a);
	return fd;
}

/* Says that commands can come: to the other end of the fifo that 'bed up' reads. */
static int report_ready(const char *fifo)
{
	int fd = open(fifo, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "\n", 1) != 1)
		return -1;
	return close(fd);
}

int main(int argc, char **argv)
{
	int listening;

	if (getpid() != 1 || argc != 2) {
		(void)fprintf(stderr, "bed-init: is started by 'bed up', as process 1\n");
		return 2;
	}
	(void)signal(SIGCHLD, SIG_IGN); /* the kernel reaps what nobody waits for */
	(void)signal(SIGINT, SIG_DFL);  /* a shell's background jobs ignore these two; */
	(void)signal(SIGQUIT, SIG_DFL); /* commands of this node must not inherit that */
	listening = listen_everywhere();
	if (listening < 0) {
		perror("bed-init: cannot listen on port " BED_PORT);
		return 1;
	}
	if (report_ready(argv[1])) {
		perror("bed-init: cannot report");
		return 1;
	}
	for (;;) {
		int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0)
			continue;
		if (fork() == 0) {
			(void)close(listening);
			_exit(serve(fd));
		}
		(void)close(fd);
	}
}
