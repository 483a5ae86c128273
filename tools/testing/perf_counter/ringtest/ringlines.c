// SPDX-License-Identifier: GPL-2.0
/*
 * ringlines - count how often a cache line moves between CPUs for one record
 *
 * The ring, compiled with CPUs that take turns at every access (simulate.c), writes records of
 * 40 bytes into each arrangement of rings, with more CPUs than the machine has. The counts are
 * properties of the protocol and the layout; the time of a transfer only decides which CPUs
 * meet.
 *
 * The reader is an additional CPU, which reads the published records at intervals.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/atomic.h>
#include <linux/mm.h>

#include "../../../../kernel/perf_counter/ring/ring.h"
#include "memory.h"
#include "simulate.h"

#define RECORD		40
#define RECORDS		20000
#define PAGES		64
/* Time between two records of a writer at a low rate, in nanoseconds. */
#define IDLE		100000
/* Time between two reads of the reader, in nanoseconds. */
#define READER_WAIT	(20000 + 20 * idle)

/* Rough costs in nanoseconds: an exchange, a line from another CPU. */
static const struct sim_costs costs = { .exchange = 5, .transfer = 60 };

struct lines_ring {
	struct perf_counter_ring ring;
	u64		head ____cacheline_aligned_in_smp;
	u64		tail;
	struct page	**pages;
};

static struct lines_ring rings[SIM_CPUS];
static unsigned int nr_rings, writing, idle;

/* Access the cache lines of a record in the ring. */
static void touch(struct perf_counter_ring *ring, u64 pos, enum shim_access access)
{
	shim_step(ring->data + (pos & ring->mask), access);
	if (pos % 64 + RECORD > 64)
		shim_step(ring->data + ((pos + RECORD) & ring->mask), access);
}

static void writer_main(unsigned int cpu)
{
	struct perf_counter_ring *ring = &rings[cpu % nr_rings].ring;
	unsigned int i;
	u64 pos;

	for (i = 0; i < RECORDS; i++) {
		if (idle)
			sim_wait(sim_random() % (2 * idle));
		/* At a high rate all writers wait for the reader. */
		while (!perf_counter_ring_reserve(ring, RECORD, &pos))
			sim_wait(READER_WAIT);
		touch(ring, pos, SHIM_STORE);
		perf_counter_ring_commit(ring, pos, RECORD);
	}
	writing--;
}

static void reader_main(unsigned int cpu)
{
	struct lines_ring *lines;
	unsigned int i;
	u64 head;

	while (writing) {
		sim_wait(READER_WAIT);
		for (i = 0; i < nr_rings; i++) {
			lines = &rings[i];
			head = READ_ONCE(lines->head);
			for (; lines->tail != head; lines->tail += RECORD)
				touch(&lines->ring, lines->tail, SHIM_LOAD);
			shim_step(&lines->tail, SHIM_STORE);
		}
	}
}

/* Number of cache lines per record that the writers' CPUs and the reader's CPU got from others. */
struct result {
	double		writers;
	double		reader;
};

static struct result measure(unsigned int writers, unsigned int nr)
{
	struct result result = {};
	unsigned int i;

	nr_rings = nr;
	writing = writers;
	sim_reset(0, &costs);
	for (i = 0; i < nr; i++) {
		struct perf_counter_ring_config config = {
			.nr_pages = PAGES,
			.data_head = &rings[i].head,
			.data_tail = &rings[i].tail,
			.local = nr == writers,
		};

		memset(&rings[i], 0, sizeof(rings[i]));
		rings[i].pages = pages_alloc(PAGES);
		config.pages = rings[i].pages;
		if (perf_counter_ring_init(&rings[i].ring, &config))
			fail("no memory for a ring");
	}
	for (i = 0; i < writers; i++)
		sim_start(i, writer_main);
	sim_start(writers, reader_main);
	sim_run();
	for (i = 0; i < writers; i++)
		result.writers += sim_cpus[i].transfers / (double)(writers * RECORDS);
	result.reader = sim_cpus[writers].transfers / (double)(writers * RECORDS);
	for (i = 0; i < nr; i++) {
		perf_counter_ring_destroy(&rings[i].ring);
		pages_free(rings[i].pages);
	}
	return result;
}

/*
 * Print a row for each number of writers, with a column for each number of writers to a
 * ring.
 */
static void table(void)
{
	unsigned int writers, share;
	struct result result;

	printf("%-8s %18s %18s %18s %18s\n", "writers", "one ring", "one for 4", "one for 2",
	       "one for each");
	for (writers = 1; writers <= 16; writers *= 2) {
		printf("%-8u", writers);
		result = measure(writers, 1);
		printf(" %10.2f + %5.2f", result.writers, result.reader);
		for (share = 4; share; share /= 2) {
			if (share >= writers) {
				printf(" %18s", "");
				continue;
			}
			result = measure(writers, writers / share);
			printf(" %10.2f + %5.2f", result.writers, result.reader);
		}
		putchar('\n');
	}
}

/*
 * Check the expected result. With a ring for each CPU, little more than the record itself
 * moves, from the writer to the reader and back, 40 bytes of 64. With one ring for all,
 * head, commit map, user page and data come from other CPUs.
 */
static int check(void)
{
	struct result own = measure(8, 8), all = measure(8, 1);

	printf("8 writers, transfers per record: a ring for each %.2f, one ring %.2f\n",
	       own.writers, all.writers);
	return own.writers < 0.8 && all.writers > 4 ? 0 : 1;
}

static error_t option(int key, char *arg, struct argp_state *state)
{
	if (key != 'c')
		return ARGP_ERR_UNKNOWN;
	*(bool *)state->input = true;
	return 0;
}

static const struct argp_option options[] = {
	{ "check", 'c', NULL, 0, "No table: see whether rings of their own are worth it", 0 },
	{}
};

static const struct argp argp = {
	.options = options,
	.parser = option,
	.doc = "How often a line of the cache changes CPUs, for each record.",
};

int main(int argc, char **argv)
{
	bool only_check = false;

	argp_parse(&argp, argc, argv, 0, NULL, &only_check);
	if (only_check) {
		idle = IDLE;
		return check();
	}
	puts("As fast as they can, lines that writers + the reader get from others per record:");
	table();
	idle = IDLE;
	puts("\n100 us between two records of a writer:");
	table();
	return 0;
}
