// SPDX-License-Identifier: GPL-2.0
/*
 * ringtest - the ring's torture on this machine
 *
 * Threads are CPUs, each pinned to one. Signals are interrupts, at any instruction:
 * three kinds, of which each interrupts the ones before. The first comes by a
 * timer, every so often; its handler sets the next one's timer to strike a moment
 * later, which is likely to be in the handler still. And now and then a writer
 * sends one to itself between its reservation and its commit, so that each run has
 * all depths.
 *
 * A reader that sleeps is woken by notifications alone. In the modes with bursts, all
 * writers stop after every few records, until the reader sleeps: a notification that is
 * missing is seen then, and not covered up by the next one.
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

/* Records of a writer in a round, its signals' included, at least and at most. */
#define ROUND_MIN	1000
#define ROUND_MAX	10000
/* Bursts in a round, in the modes that have them, and records of a task in one, at most. */
#define BURSTS		300
#define BURST		3
/* Nanoseconds between two signals of the first kind, about. */
#define SIGNAL_PERIOD	100000
/* When nothing was read for so many seconds, all are stuck. */
#define STUCK_SECONDS	60

/**
 * struct writer - a thread that writes
 * @thread: it
 * @index: which one
 * @quota: records it is to write
 * @timers: for each kind of signal
 * @random: of its signals
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
/* Notifications so far, modulo 2^32: what the reader sleeps on. */
static u32 notified;
/* One more than the notifications after which the reader found nothing to read; 0: awake. */
static u64 asleep_after;
static pthread_barrier_t burst_over, burst_begins;

static __thread struct writer *self;
static __thread unsigned int open_records;

/*
 * Try again at once some times, to meet whoever is on another CPU, then sleep. Where
 * there are more threads than CPUs, who sleeps has one again sooner than who waits
 * for his next slice.
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

	/* Interrupts leave it as they found it. */
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

/* There is no telling from outside when there was room. */
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
 * Sleep as poll() does: a notification that comes after the look, or while it is taken,
 * is not missed. Nothing but a notification wakes the reader.
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

/* No writer is at work: once the reader sleeps, nothing it waits for may be there. */
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
		/* The C library's name for it is newer than some C libraries. */
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
	/* Where it may not choose, chance does as well. */
	pthread_setaffinity_np(pthread_self(), sizeof(cpu), &cpu);
	writer_signals(writer);
	if (signals)
		set_blocked(SIG_UNBLOCK);
	if (torture.mode->bursts)
		write_bursts(writer);
	else
		write_until_quota(writer);
	/* Every level has been there, even when no timer did it. */
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
		/* An awake one looks again before it goes to sleep, every other time. */
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
	/* Who takes snapshots is never told when: data_head is what it goes by. */
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
		/* Those above interrupt its handler. */
		sigaddset(&action.sa_mask, signal_of(level));
		if (sigaction(signal_of(level), &action, NULL))
			fail("no handler for a signal");
	}
	/* Of the reader, and of writers that are not ready. */
	set_blocked(SIG_BLOCK);
}

int main(int argc, char **argv)
{
	struct options options = { .threads = 4, .signals = LEVELS - 1, .records = 10000000 };

	options_parse(&options, argc, argv,
		      "The ring's torture: threads are CPUs, signals are interrupts.");
#ifdef __SANITIZE_THREAD__
	/* ThreadSanitizer puts signals off until nothing is going on. */
	options.signals = 0;
#endif
	signals = options.signals;
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	handle_signals();
	options_rounds(&options, &torture, round_run);
	return 0;
}
