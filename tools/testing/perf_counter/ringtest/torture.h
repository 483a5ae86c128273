/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stress test of ringtest and ringsim: writers that are interrupted and write in the
 * interrupt, and readers that know the expected words. See torture.c.
 */
#ifndef _RINGTEST_TORTURE_H
#define _RINGTEST_TORTURE_H

#include <linux/cpumask.h>
#include <linux/mm.h>

#include "../../../../kernel/perf_counter/ring/ring.h"

/* Contexts of a CPU: its task, and nested interrupts. */
#define LEVELS		4
#define LANES		(RINGTEST_CPUS * LEVELS)

/**
 * struct mode - a way to use rings
 * @name: name for the command line
 * @what: short description
 * @each: true for a ring for each writer
 * @few: true for a ring for some writers each; without @each and @few, there is one for all
 * @local: true if only one writer, with its interrupts, writes to a ring
 * @overwrite: true without feedback; the reader takes snapshots
 * @backward: true if records are written from the end downward
 * @hostile: true if the reader writes any value anywhere
 * @bursts: true if the writers write in short bursts, after each of which the sleeping reader
 *	must have been woken if a notification is due
 */
struct mode {
	const char	*name;
	const char	*what;
	bool		each;
	bool		few;
	bool		local;
	bool		overwrite;
	bool		backward;
	bool		hostile;
	bool		bursts;
};

/**
 * struct lane - a context of a writer; a lane never interrupts itself
 * @written: number of records written, which is the number of the next one
 * @lost: number of records that found no room
 * @inside: number of records written that interrupted a record of the writer
 * @samples: number of records written that count towards wakeup_events
 * @last_sample: position of the end of the last record that counts towards wakeup_events
 */
struct lane {
	u64		written ____cacheline_aligned_in_smp;
	u64		lost;
	u64		inside;
	u64		samples;
	u64		last_sample;
};

/**
 * struct torture_ring - a ring and its reader
 * @ring: the ring
 * @head: data_head, shared with the reader as in a user page
 * @tail: data_tail, see @head
 * @reserved: data_reserved, see @head
 * @pages: pages of the data
 * @snapshot: memory for a copy of the data
 * @position: position up to which the reader has read
 * @mark: position of the last notification, when the reader last looked
 * @next: number of the next record of each lane
 * @seen: number of records that were read and are right
 * @samples: number of records in @seen that count towards wakeup_events
 * @accepted: bytes of the last snapshot that the reader accepted
 */
struct torture_ring {
	struct perf_counter_ring ring;
	u64		head ____cacheline_aligned_in_smp;
	u64		tail;
	u64		reserved ____cacheline_aligned_in_smp;
	struct page	**pages;
	u64		*snapshot;
	u64		position;
	u64		mark;
	u64		next[LANES];
	u64		seen;
	u64		samples;
	u64		accepted;
};

/**
 * struct torture - a round: rings, writers, a reader
 * @mode: use of the rings
 * @seed: seed that decides everything except the order of threads
 * @nr_writers: number of CPUs that write
 * @nr_rings: number of rings; writer i writes to ring i % @nr_rings
 * @most: slots of the largest record
 * @wakeup_events: number of samples for a notification
 * @sample_mask: mask of random bits, one less than the number of records of which one is a sample
 * @splices: true if the reader takes the published records, as splice() does, instead of
 *	those before data_head
 * @lanes: lanes of all writers
 * @rings: all rings
 */
struct torture {
	const struct mode *mode;
	u64		seed;
	unsigned int	nr_writers;
	unsigned int	nr_rings;
	u32		most;
	u32		wakeup_events;
	u32		sample_mask;
	bool		splices;
	struct lane	lanes[LANES];
	struct torture_ring rings[RINGTEST_CPUS];
};

extern const struct mode modes[];
extern const unsigned int nr_modes;

const struct mode *mode_find(const char *name);
void __noreturn __printf(2, 3) torture_bad(const struct torture *torture, const char *format, ...);
u64 torture_hash(u64 value);

void torture_begin(struct torture *torture, const struct mode *mode, u64 seed,
		   unsigned int nr_writers);
void torture_end(struct torture *torture);

bool torture_write(struct torture *torture, unsigned int writer, unsigned int level,
		   unsigned int outer);
bool torture_read(struct torture *torture);
bool torture_readable(struct torture *torture);
void torture_idle(const struct torture *torture, bool asleep);

/* Called when a writer is about to ask for room. */
void torture_asks(struct torture_ring *ring, u32 len);
/* Called when the writer has got this room, or has not. */
void torture_got(bool room);

/* Called between a writer's reservation and its commit. */
void torture_midway(unsigned int writer, unsigned int level, u64 random);
/* Called when the reader must be woken. */
void torture_notify(void);

#endif /* _RINGTEST_TORTURE_H */
