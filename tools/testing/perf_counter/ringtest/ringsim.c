// SPDX-License-Identifier: GPL-2.0
/*
 * ringsim - stress the ring on simulated CPUs
 *
 * At every single access to shared memory other CPUs may continue, and interrupts may come, three
 * deep; ringtest does the same with threads and signals. A seed gives the same run on any
 * machine. See simulate.c.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/atomic.h>

#include "options.h"
#include "simulate.h"
#include "torture.h"

/* Records of each writer's task in a round. */
#define ROUND_RECORDS	200
/* Number of bursts in a round, in the modes with bursts. */
#define BURSTS		1000
/* Largest number of records of a task in a burst. */
#define BURST		2
/* A task that finds no room this often, while the reader has nothing to read, is stuck. */
#define STUCK		20000

/**
 * struct attempt - a writer that has asked for room
 * @ring: ring of the writer
 * @len: bytes that the writer has asked for
 * @was_full: true if at some moment the ring did not have this room
 */
struct attempt {
	struct torture_ring	*ring;
	u32			len;
	bool			was_full;
};

static struct torture torture;
static struct attempt attempts[SIM_CPUS][LEVELS];
static unsigned int nr_attempts[SIM_CPUS];
static unsigned int writing;
/* Number of writers that have written the current burst, and the number of this burst. */
static unsigned int burst_done, burst;
static unsigned int open_records[SIM_CPUS];
/* notified: a notification came since the reader last looked for records */
static bool reader_sleeps, reader_idle, reader_asleep, notified;

/*
 * Check that a record is lost only if there was no room for it at some moment since the
 * writer asked. Attempts are open at the same time on all CPUs, nested on each.
 */
static void observer(void)
{
	unsigned int cpu, i;
	u64 tail, head;

	for (cpu = 0; cpu < torture.nr_writers; cpu++) {
		for (i = 0; i < nr_attempts[cpu]; i++) {
			struct attempt *attempt = &attempts[cpu][i];
			struct perf_counter_ring *ring = &attempt->ring->ring;

			head = ring->head.counter;
			tail = torture.mode->backward ? -attempt->ring->tail : attempt->ring->tail;
			if (torture.mode->overwrite)
				tail = ring->published.counter;
			attempt->was_full |= head + attempt->len - tail > ring->size;
		}
	}
}

void torture_asks(struct torture_ring *ring, u32 len)
{
	unsigned int cpu = sim_this_cpu();

	attempts[cpu][nr_attempts[cpu]++] = (struct attempt){ .ring = ring, .len = len };
}

void torture_got(bool room)
{
	unsigned int cpu = sim_this_cpu();

	nr_attempts[cpu]--;
	if (!room && !attempts[cpu][nr_attempts[cpu]].was_full && !torture.mode->hostile)
		torture_bad(&torture, "writer %u lost a record though there was room", cpu);
}

void torture_midway(unsigned int writer, unsigned int level, u64 random)
{
}

void torture_notify(void)
{
	notified = true;
}

/* Check for a missing notification whenever no writer is active. */
static void look_when_idle(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < torture.nr_writers; cpu++) {
		if (open_records[cpu])
			return;
	}
	torture_idle(&torture, reader_asleep && !notified);
}

static bool write_one(unsigned int cpu, unsigned int level)
{
	bool written;

	open_records[cpu]++;
	written = torture_write(&torture, cpu, level, open_records[cpu] - 1);
	open_records[cpu]--;
	look_when_idle();
	return written;
}

static void interrupt(unsigned int cpu, unsigned int depth)
{
	write_one(cpu, depth);
}

/* Write a record of the task, and wait for room. */
static void task_writes(unsigned int cpu)
{
	unsigned int tries;

	for (tries = 0; !write_one(cpu, 0) && !torture.mode->hostile; tries++) {
		if (tries > STUCK && reader_idle)
			torture_bad(&torture, "writer %u finds no room any more", cpu);
		sim_wait(sim_random() % 64);
	}
}

/*
 * Begin the next burst together with all other writers, after the reader has gone to sleep.
 */
static void wait_for_burst(void)
{
	unsigned int now = burst;

	burst_done++;
	while (burst == now) {
		if (burst_done == torture.nr_writers && reader_asleep && !notified) {
			burst_done = 0;
			burst++;
		} else {
			sim_wait(1 + sim_random() % 64);
		}
	}
	sim_wait(sim_random() % 64);
}

static void writer_main(unsigned int cpu)
{
	unsigned int i, records;

	sim_cpus[cpu].enabled = true;
	for (i = 0; i < (torture.mode->bursts ? BURSTS : ROUND_RECORDS); i++) {
		if (torture.mode->bursts) {
			for (records = sim_random() % (BURST + 1); records; records--)
				task_writes(cpu);
			wait_for_burst();
			continue;
		}
		task_writes(cpu);
		if (sim_random() % 4 == 0)
			sim_wait(sim_random() % 256);
	}
	sim_cpus[cpu].enabled = false;
	writing--;
}

/*
 * Sleep as poll() does: a notification after the check for records, or during it, is not
 * missed. Only a notification wakes the reader.
 */
static void sleep_until_readable(void)
{
	for (;;) {
		notified = false;
		if (torture_readable(&torture) || !writing)
			return;
		reader_asleep = true;
		look_when_idle();
		reader_idle = true;
		while (!notified && writing)
			sim_wait(sim_random() % 512);
		reader_asleep = false;
	}
}

static void reader_main(unsigned int cpu)
{
	while (writing) {
		if (reader_sleeps)
			sleep_until_readable();
		/* A reader that is awake may look again before it goes to sleep. */
		do {
			reader_idle = !torture_read(&torture);
			sim_wait(sim_random() % 512);
		} while (reader_sleeps && sim_random() % 4 == 0);
	}
}

static void round_run(const struct mode *mode, u64 seed, const struct options *options)
{
	u64 random = torture_hash(seed + 1);
	const struct sim_costs costs = {
		.exchange = random % 8,
		.transfer = (random >> 8) % 64,
		.stall = random >> 16 & 1 ? 1U << (random >> 20) % 13 : 0,
	};
	unsigned int cpu;

	torture_begin(&torture, mode, seed, 1 + (random >> 32) % options->threads);
	sim_reset(seed, &costs);
	if (options->signals)
		sim_interrupts(interrupt, options->signals, 16U << (random >> 40) % 6);
	sim_observe(observer);
	writing = torture.nr_writers;
	/* Decide whether the reader sleeps until it is notified. */
	reader_sleeps = mode->bursts ||
			(!mode->overwrite && !mode->hostile && random >> 50 & 1);
	reader_asleep = false;
	notified = false;
	burst_done = 0;
	burst = 0;
	for (cpu = 0; cpu < torture.nr_writers; cpu++)
		sim_start(cpu, writer_main);
	sim_start(cpu, reader_main);
	sim_run();
	torture_end(&torture);
}

int main(int argc, char **argv)
{
	struct options options = { .threads = 4, .signals = LEVELS - 1, .records = 2000000 };

	options_parse(&options, argc, argv, "The ring's torture on simulated CPUs.");
	options_rounds(&options, &torture, round_run);
	return 0;
}
