// SPDX-License-Identifier: GPL-2.0
/*
 * ringbench - measure the cost of the ring natively
 *
 * One thread, then two, four, up to as many as CPUs write records of 40 bytes as fast as they
 * can, into each arrangement of rings for some milliseconds, for many rounds. Ratios are relative
 * to the memcpy of the same round, and the result is the median of all rounds, so that other load
 * of the machine affects all arrangements alike. A writer's time is the time in which it ran. With
 * several writers, only turns count in which all ran nearly all the time.
 *
 * The reader discards published records without reading them, because reading would cost the
 * same in each arrangement, and take a CPU. A writer does this after every 256 records. With a
 * reader thread on a machine with two CPUs, the bench would measure context switches.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <linux/array_size.h>
#include <linux/atomic.h>
#include <linux/vmalloc.h>

#include "../../../../kernel/perf_counter/ring/ring.h"
#include "kernel_ring.h"
#include "memory.h"

/* Largest number of writers. */
#define WRITERS		32
/* Words of a record. */
#define WORDS		5
#define RECORD		(WORDS * 8)
/* Data pages for each writer; a ring of all has room for two writers. */
#define PAGES		256
/*
 * Records between two turns of the reader, and between two checks for the end of the turn.
 */
#define BATCH		256
/* Number of attempts to read a word that the other writer has not written. */
#define PATIENCE	10000
/* Part of a turn that a writer must have run. */
#define RUNNING		0.95

/**
 * struct bench_ring - a ring and the memory that it shares with its reader
 * @ring: the ring
 * @head: data_head; in the user page, head and tail are in one cache line
 * @tail: data_tail, see @head
 * @pages: pages of the data
 */
struct bench_ring {
	struct perf_counter_ring ring;
	u64		head ____cacheline_aligned_in_smp;
	u64		tail;
	struct page	**pages;
};

/**
 * struct writer - a thread that writes, and its results in this turn
 * @thread: the thread
 * @index: number of the writer
 * @ring: ring that the writer writes to
 * @event: event of perf_events with the ring that the writer writes to
 * @copy: circular buffer of the writer, for memcpy
 * @seq: number of records attempted since the start
 * @lost: number of records refused in this turn
 * @rate: records written per second of the writer's own time
 * @ran: part of the turn in which the writer ran
 */
struct writer {
	pthread_t	thread ____cacheline_aligned_in_smp;
	unsigned int	index;
	struct perf_counter_ring *ring;
	struct perf_event *event;
	void		*copy;
	u64		seq;
	u64		lost;
	double		rate;
	double		ran;
};

enum arrangement_rings {
	NO_RING,
	ONE_RING,
	RING_EACH,
};

/**
 * struct arrangement - a way to bring records from writers to a reader
 * @name: name in the table
 * @batch: function that writes BATCH records and returns how many found no room
 * @rings: number of rings
 * @local: true if only one CPU writes to each ring
 * @kernel: true for rings of perf_events
 */
struct arrangement {
	const char	*name;
	unsigned int	(*batch)(struct writer *writer);
	enum arrangement_rings rings;
	bool		local;
	bool		kernel;
};

static pthread_spinlock_t lock;

/* A sample: header, instruction, task, time, period. */
static __always_inline void fill(u64 *at, const struct writer *writer, u64 seq)
{
	at[0] = (u64)RECORD << 48 | 9;
	at[1] = 0x401000 + seq;
	at[2] = 0x100000001ULL * (1000 + writer->index);
	at[3] = seq;
	at[4] = 4000;
}

static __always_inline bool write_record(struct writer *writer)
{
	u64 pos;
	u64 *at = perf_counter_ring_reserve(writer->ring, RECORD, &pos);

	if (!at)
		return false;
	fill(at, writer, writer->seq);
	perf_counter_ring_commit(writer->ring, pos, RECORD);
	return true;
}

static unsigned int batch_ring(struct writer *writer)
{
	unsigned int i, lost = 0;

	for (i = 0; i < BATCH; i++, writer->seq++)
		lost += !write_record(writer);
	return lost;
}

static unsigned int batch_locked(struct writer *writer)
{
	unsigned int i, lost = 0;

	for (i = 0; i < BATCH; i++, writer->seq++) {
		pthread_spin_lock(&lock);
		lost += !write_record(writer);
		pthread_spin_unlock(&lock);
	}
	return lost;
}

/* perf_events copies a record field by field; one copy of all fields costs less. */
static unsigned int batch_kernel(struct writer *writer)
{
	unsigned int i, lost = 0;
	u64 record[WORDS];

	for (i = 0; i < BATCH; i++, writer->seq++) {
		struct perf_output_handle handle;

		if (perf_output_begin(&handle, NULL, writer->event, RECORD)) {
			lost++;
			continue;
		}
		fill(record, writer, writer->seq);
		perf_output_copy(&handle, record, RECORD);
		perf_output_end(&handle);
	}
	return lost;
}

static unsigned int batch_copy(struct writer *writer)
{
	unsigned int i;
	u64 record[WORDS], at;

	for (i = 0; i < BATCH; i++, writer->seq++) {
		fill(record, writer, writer->seq);
		at = writer->seq * RECORD & (PAGES * PAGE_SIZE - 1);
		/* The ring's data are mapped twice, so the copy writes twice as well. */
		memcpy(writer->copy + at, record, RECORD);
		barrier();
	}
	return 0;
}

/*
 * Two writers pass a word to and fro instead of records, to measure the time that a cache line
 * takes from one CPU to the other and back. A writer that waits too long gives up, because the
 * other one's turn may be over.
 */
static unsigned int batch_to_and_fro(struct writer *writer)
{
	static u64 word __aligned(64);
	unsigned int i, spins;

	for (i = 0; i < BATCH; i++, writer->seq++) {
		for (spins = 0; (__atomic_load_n(&word, __ATOMIC_ACQUIRE) & 1) != writer->index;
		     spins++) {
			if (spins == PATIENCE) {
				writer->seq += BATCH - i;
				return BATCH - i;
			}
		}
		__atomic_store_n(&word, !writer->index, __ATOMIC_RELEASE);
	}
	return 0;
}

static const struct arrangement arrangements[] = {
	{ "memcpy into a buffer per thread",	batch_copy,	NO_RING,	false, false },
	{ "a ring per thread, local",		batch_ring,	RING_EACH,	true, false },
	{ "a ring per thread, not local",	batch_ring,	RING_EACH,	false, false },
	{ "a ring of perf_events per thread",	batch_kernel,	RING_EACH,	true, true },
	{ "one ring for all",			batch_ring,	ONE_RING,	false, false },
	{ "one local ring behind a spinlock",	batch_locked,	ONE_RING,	true, false },
	{ "one ring behind a spinlock",		batch_locked,	ONE_RING,	false, false },
	{ "(a word handed to and fro)",		batch_to_and_fro, NO_RING,	false, false },
};

#define NR_ARRANGEMENTS	ARRAY_SIZE(arrangements)

static unsigned int rounds = 101;
static const double turn_seconds = 0.004;
static bool realtime;

static const struct arrangement *arrangement;
static struct bench_ring rings[WRITERS];
static struct writer writers[WRITERS];
static unsigned int nr_writers;
static pthread_barrier_t together;

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* Set a real-time priority. The main thread has 2, the writers have 1. */
static void set_priority(int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param)) {
		fprintf(stderr, "ringbench: --realtime needs CAP_SYS_NICE: be root\n");
		exit(2);
	}
}

/* The first writer of a shared ring is its reader. */
static void read_ring(struct writer *writer)
{
	struct bench_ring *bench = (struct bench_ring *)writer->ring;
	u64 head;

	if (arrangement->kernel)
		kernel_ring_discard(writer->event);
	if (!bench || (writer->index && arrangement->rings == ONE_RING))
		return;
	head = __atomic_load_n(&bench->head, __ATOMIC_ACQUIRE);
	__atomic_store_n(&bench->tail, head, __ATOMIC_RELEASE);
}

/*
 * Write the ring twice before the measurement: the first access to a page can cost more than
 * all its records.
 */
static void warm_up(struct writer *writer)
{
	unsigned int i, nr_batches = 2 * PAGES * PAGE_SIZE / RECORD / BATCH;

	if (arrangement->rings == NO_RING)
		return;
	if (arrangement->rings == ONE_RING)
		nr_batches = 2 * nr_batches / nr_writers + 1;
	for (i = 0; i < nr_batches; i++) {
		arrangement->batch(writer);
		read_ring(writer);
	}
}

static void *writer_thread(void *arg)
{
	struct writer *writer = arg;
	double wall, own, now;
	cpu_set_t cpu;
	u64 first;

	CPU_ZERO(&cpu);
	CPU_SET(writer->index, &cpu);
	if (pthread_setaffinity_np(pthread_self(), sizeof(cpu), &cpu))
		fail("a thread cannot have a CPU of its own");
	if (realtime)
		set_priority(1);

	warm_up(writer);
	pthread_barrier_wait(&together);
	wall = seconds(CLOCK_MONOTONIC);
	own = seconds(CLOCK_THREAD_CPUTIME_ID);
	first = writer->seq;
	writer->lost = 0;
	/*
	 * The writer checks the time itself: with --realtime the main thread might not get
	 * the CPU to stop it.
	 */
	do {
		writer->lost += arrangement->batch(writer);
		read_ring(writer);
		now = seconds(CLOCK_MONOTONIC);
	} while (now < wall + turn_seconds);
	own = seconds(CLOCK_THREAD_CPUTIME_ID) - own;
	wall = now - wall;
	writer->rate = (writer->seq - first - writer->lost) / own;
	writer->ran = own / wall;
	return NULL;
}

static void ring_make(struct bench_ring *bench, unsigned int nr_pages)
{
	struct perf_counter_ring_config config = {
		.nr_pages = nr_pages,
		.data_head = &bench->head,
		.data_tail = &bench->tail,
		.local = arrangement->local,
	};

	memset(bench, 0, sizeof(*bench));
	bench->pages = pages_alloc(config.nr_pages);
	config.pages = bench->pages;
	if (perf_counter_ring_init(&bench->ring, &config))
		fail("no memory for a ring");
}

static void ring_unmake(struct bench_ring *bench)
{
	perf_counter_ring_destroy(&bench->ring);
	pages_free(bench->pages);
}

/* Make the rings of the arrangement for the first @nr writers. */
static void rings_make(unsigned int nr)
{
	unsigned int i;

	if (arrangement->rings == ONE_RING)
		ring_make(&rings[0], 2 * PAGES);
	for (i = 0; i < nr; i++) {
		writers[i].ring = arrangement->rings == ONE_RING ? &rings[0].ring : NULL;
		if (arrangement->rings != RING_EACH)
			continue;
		if (arrangement->kernel) {
			writers[i].event = kernel_ring_open(PAGES);
		} else {
			ring_make(&rings[i], PAGES);
			writers[i].ring = &rings[i].ring;
		}
	}
}

static void rings_unmake(unsigned int nr)
{
	unsigned int i;

	if (arrangement->rings == ONE_RING)
		ring_unmake(&rings[0]);
	for (i = 0; i < nr && arrangement->rings == RING_EACH; i++) {
		if (arrangement->kernel)
			kernel_ring_close(writers[i].event);
		else
			ring_unmake(&rings[i]);
	}
}

/*
 * Let @nr threads write for a while. Returns their records per second; 0 if they were
 * disturbed.
 */
static double turn(unsigned int nr, double *lost)
{
	const struct timespec turn_time = { .tv_nsec = turn_seconds * 1e9 };
	double rate = 0, ran = 1;
	unsigned int i;

	nr_writers = nr;
	rings_make(nr);
	*lost = 0;
	pthread_barrier_init(&together, NULL, nr + 1);
	for (i = 0; i < nr; i++) {
		if (pthread_create(&writers[i].thread, NULL, writer_thread, &writers[i]))
			fail("no thread for a writer");
	}
	pthread_barrier_wait(&together);
	for (i = 0; i < nr; i++) {
		pthread_join(writers[i].thread, NULL);
		rate += writers[i].rate;
		*lost += writers[i].lost;
		if (writers[i].ran < ran)
			ran = writers[i].ran;
	}
	pthread_barrier_destroy(&together);
	rings_unmake(nr);
	/* Leave half of the time to other tasks. */
	if (realtime)
		nanosleep(&turn_time, NULL);
	return nr == 1 || ran >= RUNNING ? rate : 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned int nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return nr ? values[nr / 2] : 0;
}

/* Return true if the arrangement cannot be measured with @nr writers. */
static bool passes_by(const struct arrangement *a, unsigned int nr)
{
	return a->batch == batch_to_and_fro && nr != 2;
}

static void measure(unsigned int nr)
{
	static double rate[NR_ARRANGEMENTS], lost;
	double *rates[NR_ARRANGEMENTS], *ratios[NR_ARRANGEMENTS], total_lost[NR_ARRANGEMENTS] = {};
	unsigned int nr_rates[NR_ARRANGEMENTS] = {}, nr_ratios[NR_ARRANGEMENTS] = {};
	unsigned int i, round;

	for (i = 0; i < NR_ARRANGEMENTS; i++) {
		rates[i] = calloc(rounds, sizeof(double));
		ratios[i] = calloc(rounds, sizeof(double));
		if (!rates[i] || !ratios[i])
			fail("no memory for the figures");
	}
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < NR_ARRANGEMENTS; i++) {
			arrangement = &arrangements[i];
			if (passes_by(arrangement, nr))
				continue;
			rate[i] = turn(nr, &lost);
			total_lost[i] += lost;
			if (rate[i])
				rates[i][nr_rates[i]++] = rate[i];
			if (rate[i] && rate[0])
				ratios[i][nr_ratios[i]++] = rate[i] / rate[0];
		}
	}
	for (i = 0; i < NR_ARRANGEMENTS; i++) {
		if (passes_by(&arrangements[i], nr))
			continue;
		printf("%2u %-34s %11.1f %8.3f %8.0f %6u\n", nr, arrangements[i].name,
		       median(rates[i], nr_rates[i]) / 1e6,
		       median(ratios[i], nr_ratios[i]), total_lost[i], nr_ratios[i]);
		free(rates[i]);
		free(ratios[i]);
	}
}

static error_t option(int key, char *arg, struct argp_state *state)
{
	char *end;

	switch (key) {
	case 'r':
		rounds = strtoul(arg, &end, 10);
		if (*end || !rounds || rounds > 100000)
			argp_failure(state, 2, 0, "--rounds is from 1 to 100000, not '%s'", arg);
		return 0;
	case 'R':
		realtime = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_option options[] = {
	{ "rounds", 'r', "N", 0, "How often everything is measured (101)", 0 },
	{ "realtime", 'R', NULL, 0, "Above everything else on this machine, half of the time", 0 },
	{}
};

static const struct argp argp = {
	.options = options,
	.parser = option,
	.doc = "Records of 40 bytes per second, with 1, 2, 4 up to as many writers as CPUs.",
};

/* Make the buffers that @nr writers copy to. */
static void copies_make(unsigned int nr)
{
	unsigned int i, page;

	for (i = 0; i < nr; i++) {
		struct page **twice = calloc(2 * PAGES, sizeof(*twice));
		struct page **pages = pages_alloc(PAGES);

		writers[i].index = i;
		if (!twice)
			fail("no memory for the copies");
		for (page = 0; page < 2 * PAGES; page++)
			twice[page] = pages[page % PAGES];
		writers[i].copy = vmap(twice, 2 * PAGES, VM_MAP, PAGE_KERNEL);
		if (!writers[i].copy)
			fail("no memory for the copies");
	}
}

/* Return the number of CPUs that the program may use from CPU 0 on, at most @max. */
static unsigned int nr_cpus(unsigned int max)
{
	unsigned int nr = 0;
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		fail("the CPUs of the program are not known");
	while (nr < max && CPU_ISSET(nr, &cpus))
		nr++;
	return nr;
}

int main(int argc, char **argv)
{
	unsigned int nr, max;

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	max = nr_cpus(WRITERS);
	if (realtime)
		set_priority(2);
	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	copies_make(max);
	printf("%-37s %11s %8s %8s %6s\n", "writers and arrangement", "million/s", "ratio", "lost",
	       "rounds");
	for (nr = 1; nr < max; nr *= 2)
		measure(nr);
	measure(max);
	return 0;
}
