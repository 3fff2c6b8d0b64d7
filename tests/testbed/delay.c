/* SPDX-License-Identifier: Apache-2.0 */
/* bed-delay: passes frames between two TAP devices, each a fixed time later. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
	FRAMES = 8192, /* held per direction; beyond it the device queues, then drops */
	FRAME_MAX = 2048
};

struct frame {
	int64_t due; /* ns, CLOCK_MONOTONIC */
	size_t size;
	char bytes[FRAME_MAX];
};

struct lane {
	int from, to;
	size_t first, count; /* the ring's oldest frame, and how many it holds */
	struct frame frames[FRAMES];
};

static int64_t now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* "2ms", "500us", "1.5s" -> ns; -1 for anything else. */
static int64_t parse_time(const char *text)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char *end;
	double v = strtod(text, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		double ns = v * units[i].ns;

		if (end > text && strcmp(end, units[i].unit) == 0 && ns > 0 && ns <= 10e9)
			return (int64_t)ns;
	}
	return -1;
}

static int open_tap(const char *name)
{
	struct ifreq r = {.ifr_flags = IFF_TAP | IFF_NO_PI};
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	(void)snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", name);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &r)) {
		(void)fprintf(stderr, "bed-delay: '%s': %s\n", name, strerror(errno));
		exit(1);
	}
	return fd;
}

/* Takes what has come; false when the device has failed. */
static bool take(struct lane *l, int64_t delay)
{
	while (l->count < FRAMES) {
		struct frame *f = &l->frames[(l->first + l->count) % FRAMES];
		ssize_t n = read(l->from, f->bytes, sizeof(f->bytes));

		if (n <= 0)
			return n < 0 && (errno == EAGAIN || errno == EINTR);
		f->size = (size_t)n;
		f->due = now() + delay;
		l->count++;
	}
	return true;
}

/* Gives what is due. A frame the other side does not take is lost, as on a wire. */
static void give(struct lane *l)
{
	while (l->count > 0 && l->frames[l->first].due <= now()) {
		struct frame *f = &l->frames[l->first];

		(void)!write(l->to, f->bytes, f->size);
		l->first = (l->first + 1) % FRAMES;
		l->count--;
	}
}

/*
 * A wire needs no processor: ahead of ranks that spin in their receive, who would add a
 * slice of theirs to each delay (seen: 10 ms instead of 4).
 */
static void go_first(void)
{
	const struct sched_param first = {.sched_priority = 1};

	if (sched_setscheduler(0, SCHED_FIFO, &first))
		(void)setpriority(PRIO_PROCESS, 0, -20);
}

/* Sleeps until a frame comes or is due. */
static void await(struct lane *lanes)
{
	struct pollfd p[2];
	struct timespec t;
	int64_t left = INT64_MAX;

	for (int i = 0; i < 2; i++) {
		struct lane *l = &lanes[i];

		p[i] = (struct pollfd){.fd = l->count < FRAMES ? l->from : -1,
				       .events = POLLIN};
		if (l->count > 0 && l->frames[l->first].due - now() < left)
			left = l->frames[l->first].due - now();
	}
	if (left < 0)
		left = 0;
	t.tv_sec = left / INT64_C(1000000000);
	t.tv_nsec = left % INT64_C(1000000000);
	(void)ppoll(p, 2, left == INT64_MAX ? NULL : &t, NULL);
}

int main(int argc, char **argv)
{
	static struct lane lanes[2];
	int64_t delay = argc == 4 ? parse_time(argv[1]) : -1;

	if (delay < 0) {
		(void)fprintf(stderr,
			      "usage: bed-delay TIME TAP TAP, TIME as 2ms, up to 10s\n");
		return 2;
	}
	(void)prctl(PR_SET_TIMERSLACK, 1UL);
	go_first();
	lanes[0].from = lanes[1].to = open_tap(argv[2]);
	lanes[1].from = lanes[0].to = open_tap(argv[3]);
	for (;;) {
		await(lanes);
		for (int i = 0; i < 2; i++) {
			if (!take(&lanes[i], delay))
				return 1;
			give(&lanes[i]);
		}
	}
}
