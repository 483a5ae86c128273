// SPDX-License-Identifier: GPL-2.0
/*
 * ringtest - stress the ring with threads and signals
 *
 * Threads are CPUs, each pinned to one. Signals are interrupts, at any instruction: three kinds,
 * each of which can interrupt the kinds below it. A timer raises the first kind periodically; its
 * handler sets the timer of the next kind to a moment later, which is probably still in the
 * handler. Now and then a writer also sends signals to itself between its reservation and its
 * commit, so that each run has all depths.
 *
 * Only notifications wake a sleeping reader. In the modes with bursts, all writers stop after a
 * few records until the reader sleeps: a missing notification shows then, because no later one
 * hides it.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/atomic.h>

#include "memory.h"
#include "options.h"
#include "torture.h"

/* Smallest and largest number of records of a writer and its signals in a round. */
#define ROUND_MIN	1000
#define ROUND_MAX	10000
/* Number of bursts in a round, in the modes with bursts. */
#define BURSTS		300
/* Largest number of records of a task in a burst. */
#define BURST		3
/* Approximate nanoseconds between two signals of the first kind. */
#define SIGNAL_PERIOD	100000
/* The test fails when the reader has read nothing for so many seconds. */
#define STUCK_SECONDS	60

/**
 * struct writer - a thread that writes
 * @thread: the thread
 * @index: number of the writer
 * @quota: number of records to write
 * @timers: timer of each kind of signal
 * @random: random numbers of the signals
 */
struct writer {
	pthread_t	thread ____cacheline_aligned_in_smp;
	unsigned int	index;
	u64		quota;
	timer_t		timers[LEVELS];
	u64		random;
};

static struct torture torture;
static struct writer writers[RINGTEST_CPUS];
static unsigned int signals;
static unsigned int nr_cpus;
static unsigned int writing;
static bool reader_sleeps;
/* Number of notifications, modulo 2^32: the futex on which the reader sleeps. */
static u32 notified;
/*
 * Number of notifications after which the reader found nothing to read, plus one; 0: the
 * reader is awake.
 */
static u64 asleep_after;
static pthread_barrier_t burst_over, burst_begins;

static __thread struct writer *self;
static __thread unsigned int open_records;

/*
 * Wait for another thread: try again at once some times, then sleep. With more threads than
 * CPUs, a thread that sleeps gets a CPU sooner than one that waits for its next time slice.
 */
static void rest(unsigned int *tries)
{
	const struct timespec moment = { .tv_nsec = 20000 };

	if (++*tries % 16 == 0)
		nanosleep(&moment, NULL);
}

static bool write_one(unsigned int level)
{
	unsigned int outer = open_records;
	bool written;

	/* Interrupts restore the value. */
	__atomic_store_n(&open_records, outer + 1, __ATOMIC_RELAXED);
	written = torture_write(&torture, self->index, level, outer);
	__atomic_store_n(&open_records, outer, __ATOMIC_RELAXED);
	return written;
}

static void set_timer(timer_t timer, long first, long period)
{
	const struct itimerspec when = {
		.it_value.tv_nsec = first,
		.it_interval.tv_nsec = period,
	};

	timer_settime(timer, 0, &when, NULL);
}

static int signal_of(unsigned int level)
{
	return SIGRTMIN + level;
}

static void interrupt(int signal)
{
	unsigned int level = signal - SIGRTMIN, records;
	int error = errno;
	u64 random;

	random = torture_hash(self->random + level);
	self->random = random;
	if (level < signals && random >> 63)
		set_timer(self->timers[level + 1], 1 + random % 8192, 0);
	for (records = 1 + (random >> 16) % 4; records; records--)
		write_one(level);
	errno = error;
}

/* Do nothing: a thread cannot observe when there was room. ringsim checks it. */
void torture_asks(struct torture_ring *ring, u32 len)
{
}

void torture_got(bool room)
{
}

void torture_midway(unsigned int writer, unsigned int level, u64 random)
{
	if (level < signals && self && random % 1024 == 0)
		pthread_kill(pthread_self(), signal_of(level + 1));
}

void torture_notify(void)
{
	if (!reader_sleeps)
		return;
	__atomic_add_fetch(&notified, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &notified, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/*
 * Sleep as poll() does: a notification after the check for records, or during it, is not
 * missed. Only a notification wakes the reader.
 */
static void sleep_until_readable(void)
{
	const struct timespec patience = { .tv_sec = STUCK_SECONDS };
	u32 seen;

	for (;;) {
		seen = __atomic_load_n(&notified, __ATOMIC_SEQ_CST);
		if (torture_readable(&torture) || !__atomic_load_n(&writing, __ATOMIC_ACQUIRE))
			break;
		__atomic_store_n(&asleep_after, seen + 1ULL, __ATOMIC_RELEASE);
		if (syscall(SYS_futex, &notified, FUTEX_WAIT_PRIVATE, seen, &patience, NULL, 0) &&
		    errno == ETIMEDOUT)
			torture_bad(&torture, "no notification for %d seconds", STUCK_SECONDS);
	}
	__atomic_store_n(&asleep_after, 0, __ATOMIC_RELEASE);
}

/*
 * Check, while no writer is active and the reader sleeps, that no record waits for a
 * notification.
 */
static void look_between_bursts(void)
{
	unsigned int tries = 0;

	while (__atomic_load_n(&asleep_after, __ATOMIC_ACQUIRE) !=
	       __atomic_load_n(&notified, __ATOMIC_SEQ_CST) + 1ULL)
		rest(&tries);
	torture_idle(&torture, true);
}

static void writer_signals(struct writer *writer)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID };
	unsigned int level;

	for (level = 1; level <= signals; level++) {
		event.sigev_signo = signal_of(level);
		/* Older C libraries do not have sigev_notify_thread_id. */
		event._sigev_un._tid = syscall(SYS_gettid);
		if (timer_create(CLOCK_MONOTONIC, &event, &writer->timers[level]))
			fail("no timer for a writer");
	}
	if (signals)
		set_timer(writer->timers[1], SIGNAL_PERIOD / 2 + writer->index * 1000,
			  SIGNAL_PERIOD + writer->random % SIGNAL_PERIOD);
}

static void set_blocked(int how)
{
	unsigned int level;
	sigset_t set;

	sigemptyset(&set);
	for (level = 1; level < LEVELS; level++)
		sigaddset(&set, signal_of(level));
	pthread_sigmask(how, &set, NULL);
}

static u64 attempts(unsigned int writer, bool lost_too)
{
	struct lane *lane = &torture.lanes[writer * LEVELS];
	unsigned int level;
	u64 sum = 0;

	for (level = 0; level < LEVELS; level++) {
		sum += __atomic_load_n(&lane[level].written, __ATOMIC_RELAXED);
		if (lost_too)
			sum += __atomic_load_n(&lane[level].lost, __ATOMIC_RELAXED);
	}
	return sum;
}

static void write_until_quota(struct writer *writer)
{
	unsigned int tries = 0;

	while (attempts(writer->index, torture.mode->hostile) < writer->quota) {
		if (!write_one(0) && !torture.mode->hostile)
			rest(&tries);
	}
}

static void write_bursts(struct writer *writer)
{
	unsigned int burst, records, tries = 0;

	for (burst = 0; burst < BURSTS; burst++) {
		records = torture_hash(writer->quota + burst) % (BURST + 1);
		while (records) {
			if (write_one(0))
				records--;
			else
				rest(&tries);
		}
		set_blocked(SIG_BLOCK);
		if (pthread_barrier_wait(&burst_over) == PTHREAD_BARRIER_SERIAL_THREAD)
			look_between_bursts();
		pthread_barrier_wait(&burst_begins);
		if (signals)
			set_blocked(SIG_UNBLOCK);
	}
}

static void *writer_thread(void *arg)
{
	struct writer *writer = arg;
	unsigned int level;
	cpu_set_t cpu;

	self = writer;
	CPU_ZERO(&cpu);
	CPU_SET(writer->index % nr_cpus, &cpu);
	/* Without the right to choose a CPU, the kernel's choice is good enough. */
	pthread_setaffinity_np(pthread_self(), sizeof(cpu), &cpu);
	writer_signals(writer);
	if (signals)
		set_blocked(SIG_UNBLOCK);
	if (torture.mode->bursts)
		write_bursts(writer);
	else
		write_until_quota(writer);
	/* Raise every level once, even if no timer did. */
	for (level = 1; level <= signals; level++)
		pthread_kill(pthread_self(), signal_of(level));
	for (level = 1; level <= signals; level++)
		timer_delete(writer->timers[level]);
	set_blocked(SIG_BLOCK);
	__atomic_sub_fetch(&writing, 1, __ATOMIC_RELEASE);
	torture_notify();
	return NULL;
}

static void reader(void)
{
	time_t since = time(NULL), now;
	unsigned int tries = 0;
	bool busy;

	while (__atomic_load_n(&writing, __ATOMIC_ACQUIRE)) {
		if (reader_sleeps)
			sleep_until_readable();
		busy = torture_read(&torture);
		now = time(NULL);
		if (busy)
			since = now;
		else if (now - since > STUCK_SECONDS)
			torture_bad(&torture, "nothing was written for %d seconds", STUCK_SECONDS);
		/*
		 * Every other time, a reader that is awake looks again before it goes to
		 * sleep.
		 */
		if (reader_sleeps && ++tries % 2)
			torture_read(&torture);
		else if (!reader_sleeps && !busy)
			rest(&tries);
	}
}

static void round_run(const struct mode *mode, u64 seed, const struct options *options)
{
	u64 random = torture_hash(seed + 1);
	unsigned int i;

	torture_begin(&torture, mode, seed, 1 + (random >> 32) % options->threads);
	writing = torture.nr_writers;
	/* A reader of snapshots gets no notifications: it reads data_head. */
	reader_sleeps = mode->bursts || (!mode->overwrite && !mode->hostile && random & 1);
	notified = 0;
	asleep_after = 0;
	pthread_barrier_init(&burst_over, NULL, torture.nr_writers);
	pthread_barrier_init(&burst_begins, NULL, torture.nr_writers);
	for (i = 0; i < torture.nr_writers; i++) {
		writers[i].index = i;
		writers[i].quota = ROUND_MIN + torture_hash(random + i) % (ROUND_MAX - ROUND_MIN);
		writers[i].random = random + i;
		if (pthread_create(&writers[i].thread, NULL, writer_thread, &writers[i]))
			fail("no thread for a writer");
	}
	reader();
	for (i = 0; i < torture.nr_writers; i++)
		pthread_join(writers[i].thread, NULL);
	pthread_barrier_destroy(&burst_over);
	pthread_barrier_destroy(&burst_begins);
	torture_end(&torture);
}

static void handle_signals(void)
{
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
	unsigned int level;

	for (level = 1; level < LEVELS; level++) {
		/* Higher levels interrupt the handler of this one. */
		sigaddset(&action.sa_mask, signal_of(level));
		if (sigaction(signal_of(level), &action, NULL))
			fail("no handler for a signal");
	}
	/* Block the signals in the reader, and in writers that are not ready. */
	set_blocked(SIG_BLOCK);
}

int main(int argc, char **argv)
{
	struct options options = { .threads = 4, .signals = LEVELS - 1, .records = 10000000 };

	options_parse(&options, argc, argv,
		      "The ring's torture: threads are CPUs, signals are interrupts.");
#ifdef __SANITIZE_THREAD__
	/* ThreadSanitizer delays signals until the thread makes a call. */
	options.signals = 0;
#endif
	signals = options.signals;
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	handle_signals();
	options_rounds(&options, &torture, round_run);
	return 0;
}
