// SPDX-License-Identifier: GPL-2.0
/*
 * Measuring how long an operation keeps interrupts off and other tasks waiting, in two ways:
 *
 * - The emulated CPU records the length and the place of the longest stretch of instructions
 *   with interrupts off; ../qemu/README.rst describes the registers.
 * - A task of a real-time class, the watcher, repeatedly sleeps until a point in time. The
 *   operation runs at an ordinary priority, so the watcher is late by the time for which the
 *   kernel did not reschedule. The clock counts instructions (scripts/boot --icount).
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "limits.h"

/* The registers of the emulated CPU. */
#define MSR_IRQS_OFF_LONGEST	0x40000f10
#define MSR_IRQS_OFF_BEGIN	0x40000f11
#define MSR_IRQS_OFF_END	0x40000f12

/* Time for which the watcher sleeps at first, in nanoseconds, which are instructions. */
#define WATCH_PERIOD		100000

/**
 * struct watch - memory that the watcher and the measuring process share
 * @on: nonzero while the watcher measures; a futex
 * @longest: longest delay of the watcher since @on was set
 * @period: time for which the watcher sleeps, in nanoseconds
 */
static struct watch {
	uint32_t	on;
	uint64_t	longest;
	uint64_t	period;
} *watch;

static int msrs = -1;
static uint64_t began;
static uint64_t longest_call;

static uint64_t read_msr(uint32_t msr)
{
	uint64_t value;

	if (pread(msrs, &value, sizeof(value), msr) != sizeof(value))
		die("/dev/cpu/0/msr");
	return value;
}

uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static void futex(int op, uint32_t value)
{
	syscall(SYS_futex, &watch->on, op, value, NULL, NULL, 0);
}

/*
 * Sleep once, and note by how much the watcher is late. The period grows to a multiple of the
 * longest delay, because the operation would make no progress if switching to it and back took
 * longer than the watcher sleeps.
 */
static void watch_once(void)
{
	uint64_t due = now() + watch->period, at;
	struct timespec until = { due / 1000000000, due % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		;
	at = now();
	if (at - due > watch->longest)
		watch->longest = at - due;
	if (watch->period < 4 * watch->longest)
		watch->period = 4 * watch->longest;
}

static _Noreturn void watcher(void)
{
	struct sched_param param = { .sched_priority = 50 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("SCHED_FIFO");
	for (;;) {
		if (__atomic_load_n(&watch->on, __ATOMIC_ACQUIRE))
			watch_once();
		else
			futex(FUTEX_WAIT, 0);
	}
}

void measure_init(void)
{
	pid_t pid;

	msrs = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
	if (msrs < 0)
		die("/dev/cpu/0/msr");
	read_msr(MSR_IRQS_OFF_LONGEST);
	watch = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (watch == MAP_FAILED)
		die("mmap");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		watcher();
}

void measure_begin(void)
{
	watch->longest = 0;
	watch->period = WATCH_PERIOD;
	__atomic_store_n(&watch->on, 1, __ATOMIC_RELEASE);
	futex(FUTEX_WAKE, 1);
	read_msr(MSR_IRQS_OFF_LONGEST);
	began = now();
}

void measure_end(struct figures *figures)
{
	figures->sum = now() - began;
	figures->irqs_off = read_msr(MSR_IRQS_OFF_LONGEST);
	figures->begin = read_msr(MSR_IRQS_OFF_BEGIN);
	figures->end = read_msr(MSR_IRQS_OFF_END);
	__atomic_store_n(&watch->on, 0, __ATOMIC_RELEASE);
	figures->wait = watch->longest > longest_call ? watch->longest : longest_call;
}

/* Count a system call as a wait: no other task ran during its @insns instructions. */
void measure_as_wait(uint64_t insns)
{
	if (insns > longest_call)
		longest_call = insns;
}
