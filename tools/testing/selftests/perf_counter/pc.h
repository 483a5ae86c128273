/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every test program here shares: opening and controlling a counter, and
 * reading it.
 *
 * The tests speak the ABI that perf_counter has in common with perf_events, so
 * that they can be held against both. PC_BACKEND=perf_event in the environment
 * sends every call to perf_event_open(); a test that passes there says what
 * programs rely on today. What only perf_counter does is skipped there with
 * SKIP(return, PC_OURS).
 */
#ifndef PC_H
#define PC_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <linux/perf_counter.h>

#include "kselftest_harness.h"

/*
 * Seconds that one test may take. Emulated machines with every kernel check
 * switched on are two orders of magnitude slower than real ones, and the limit
 * is there only to end what hangs. PC_TIMEOUT_SCALE multiplies it,
 * and divides the rounds of races.
 */
#define PC_TIMEOUT 120

/* By how much this machine is slower than others, from PC_TIMEOUT_SCALE. */
static inline int pc_slowness(void)
{
	const char *scale = getenv("PC_TIMEOUT_SCALE");
	int slowness = scale ? atoi(scale) : 1;

	return slowness > 0 ? slowness : 1;
}

/* How many rounds of a race there are in the time of @n on another machine. */
static inline int pc_rounds(int n)
{
	int rounds = n / pc_slowness();

	return rounds ? rounds : 1;
}

/* Kernels before 6.0 did not have it, and neither have their headers. */
#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST 0x10
#endif

static inline bool pc_on_perf_event(void)
{
	const char *backend = getenv("PC_BACKEND");

	return backend && !strcmp(backend, "perf_event");
}

/*
 * pc_open_raw() - open a counter from whatever bytes the test puts in an attr
 *
 * Returns a descriptor, or -1 with errno.
 */
static inline int pc_open_raw(void *attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	long nr = pc_on_perf_event() ? __NR_perf_event_open : __NR_perf_counter_open;

	return syscall(nr, attr, pid, cpu, group_fd, flags);
}

static inline int pc_open(struct perf_counter_attr *attr, pid_t pid, int cpu, int group_fd)
{
	return pc_open_raw(attr, pid, cpu, group_fd, PERF_COUNTER_FLAG_FD_CLOEXEC);
}

/* A software counter that is switched off until the test wants it. */
static inline struct perf_counter_attr pc_attr(__u64 config)
{
	struct perf_counter_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
	};

	return attr;
}

static inline int pc_open_self(__u64 config)
{
	struct perf_counter_attr attr = pc_attr(config);

	return pc_open(&attr, 0, -1, -1);
}

static inline int pc_enable(int fd)
{
	return ioctl(fd, PERF_COUNTER_IOC_ENABLE, 0);
}

static inline int pc_disable(int fd)
{
	return ioctl(fd, PERF_COUNTER_IOC_DISABLE, 0);
}

static inline int pc_reset(int fd)
{
	return ioctl(fd, PERF_COUNTER_IOC_RESET, 0);
}

static inline __u64 pc_id(int fd)
{
	__u64 id = 0;

	return ioctl(fd, PERF_COUNTER_IOC_ID, &id) ? 0 : id;
}

/* The value of a counter whose read_format is empty; all ones if read() fails. */
static inline __u64 pc_value(int fd)
{
	__u64 value;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : (~0ULL);
}

/* How many events of a descriptor were missed, as /proc/PID/fdinfo has it; all ones without. */
static inline __u64 pc_missed(int fd)
{
	unsigned long long missed = ~0ULL;
	char path[64], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "missed: %llu", &missed) == 1)
			break;
	if (f)
		fclose(f);
	return missed;
}

/* What read() returned, whatever the read_format: absent fields are zero. */
struct pc_values {
	__u64 nr;
	__u64 enabled;
	__u64 running;
	struct {
		__u64 value;
		__u64 id;
		__u64 lost;
	} v[16];
};

/* Bytes that read() returns for a group of nr counters, or for one counter. */
static inline size_t pc_read_size(__u64 format, int nr)
{
	int each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	int head = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		   !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING) + !!(format & PERF_FORMAT_GROUP);

	return sizeof(__u64) * (head + each * (format & PERF_FORMAT_GROUP ? nr : 1));
}

/* Takes apart what a read or a sample holds; returns the words it is long. */
static inline int pc_parse_values(const __u64 *words, __u64 format, struct pc_values *r)
{
	const __u64 *w = words;

	memset(r, 0, sizeof(*r));
	r->nr = 1;
	if (format & PERF_FORMAT_GROUP)
		r->nr = *w++;
	else
		r->v[0].value = *w++;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		r->enabled = *w++;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		r->running = *w++;
	if (r->nr > 16)
		return -1;
	for (int i = 0; i < (int)r->nr; i++) {
		if (format & PERF_FORMAT_GROUP)
			r->v[i].value = *w++;
		if (format & PERF_FORMAT_ID)
			r->v[i].id = *w++;
		if (format & PERF_FORMAT_LOST)
			r->v[i].lost = *w++;
	}
	return w - words;
}

/* Returns what read() returned. */
static inline ssize_t pc_read(int fd, __u64 format, struct pc_values *r)
{
	__u64 words[64];
	ssize_t n = read(fd, words, sizeof(words));

	if (n > 0)
		pc_parse_values(words, format, r);
	return n;
}

/* Writes @text to a file of the kernel's; returns 0, or the errno that it failed with. */
static inline int pc_write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC), err;
	ssize_t len = strlen(text);

	if (fd < 0)
		return errno;
	err = write(fd, text, len) == len ? 0 : errno;
	close(fd);
	return err;
}

/* The path of a sysctl that both subsystems have under a name of their own. */
static inline const char *pc_sysctl_path(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "/proc/sys/kernel/perf_%s_%s",
		 pc_on_perf_event() ? "event" : "counter", name);
	return path;
}

static inline long pc_sysctl_read(const char *name)
{
	FILE *f = fopen(pc_sysctl_path(name), "r");
	long value = LONG_MIN;

	if (!f)
		return LONG_MIN;
	if (fscanf(f, "%ld", &value) != 1)
		value = LONG_MIN;
	fclose(f);
	return value;
}

/* Returns 0, or the errno that the write failed with. */
static inline int pc_sysctl_write(const char *name, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld\n", value);
	return pc_write_text(pc_sysctl_path(name), text);
}

/* Why a test that asserts what perf_events does not do is skipped there. */
#define PC_OURS "only perf_counter does this"

/* Every test is a TEST_F: harness results are shared with forked tasks there. */
#define PC_TEST(fixture, name) TEST_F_TIMEOUT(fixture, name, PC_TIMEOUT)

/* A failing system call's errno belongs in the message of the assertion. */
#define ASSERT_OK(call)							\
	do {								\
		int __ret = (call);					\
									\
		ASSERT_EQ(0, __ret)					\
			TH_LOG("%s: %s", #call, strerror(errno));	\
	} while (0)

#define EXPECT_OK(call)							\
	do {								\
		int __ret = (call);					\
									\
		EXPECT_EQ(0, __ret)					\
			TH_LOG("%s: %s", #call, strerror(errno));	\
	} while (0)

#define ASSERT_FD(fd)							\
	do {								\
		int __fd = (fd);					\
									\
		ASSERT_LE(0, __fd)					\
			TH_LOG("%s: %s", #fd, strerror(errno));		\
	} while (0)

/* The call fails, and with this errno. */
#define EXPECT_ERRNO(err, call)						\
	do {								\
		int __want = (err);					\
									\
		errno = 0;						\
		EXPECT_EQ(-1, (int)(call));				\
		EXPECT_EQ(__want, errno)				\
			TH_LOG("%s: %s, expected %s", #call,		\
			       strerror(errno), strerror(__want));	\
	} while (0)

/*
 * main() of a test program. A kernel without the system call fails the whole
 * program: skipping would make a forgotten hook look like success.
 */
static inline int pc_main(int argc, char **argv)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	int fd = pc_open(&attr, 0, -1, -1);
	struct __fixture_metadata *f;
	struct __test_metadata *t;

	if (fd < 0) {
		printf("Bail out! cannot open a counter: %s; needs root and %s\n", strerror(errno),
		       "CONFIG_PERF_COUNTERS=y (or PC_BACKEND=perf_event)");
		return KSFT_FAIL;
	}
	close(fd);

	for (f = __fixture_list; f; f = f->next)
		for (t = f->tests; t; t = t->next)
			t->timeout *= pc_slowness();
	return test_harness_run(argc, argv);
}

#endif /* PC_H */
