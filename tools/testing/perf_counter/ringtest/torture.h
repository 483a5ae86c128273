/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ringtest and ringsim do to rings: writers whose interrupts write as well,
 * and readers that know what they have to find. See torture.c.
 */
#ifndef _RINGTEST_TORTURE_H
#define _RINGTEST_TORTURE_H

#include <linux/cpumask.h>
#include <linux/mm.h>

#include "../../../../kernel/perf_counter/ring/ring.h"

/* Contexts of a CPU: its task, and what interrupts that, each the one before. */
#define LEVELS		4
#define LANES		(RINGTEST_CPUS * LEVELS)

/**
 * struct mode - a way to use rings
 * @name: for the command line
 * @what: in a few words
 * @each: a ring for each writer
 * @few: a ring for some writers each; without either, one for all
 * @local: one writer, and its interrupts, to a ring
 * @overwrite: no feedback; the reader takes snapshots
 * @backward: from the end downward
 * @hostile: the reader writes anything anywhere
 * @bursts: the writers write in short bursts, and after each of them the sleeping
 *	reader must have been woken if there is anything to wake it for
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
 * struct lane - one context of one writer, which never meets itself
 * @written: records; the next one's number
 * @lost: records that found no room
 * @inside: of @written, how many interrupted a record of the writer
 * @samples: of @written, how many were counted towards wakeup_events
 * @last_sample: where the last of these ends
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
 * @head: shared with the reader, as in a control page
 * @tail: see @head
 * @reserved: see @head
 * @pages: the data
 * @snapshot: room for a copy of the data
 * @position: up to where the reader has read
 * @mark: of the last notification, as last seen
 * @next: the record that comes next of each lane
 * @seen: records that were read and are true
 * @samples: of these, how many count towards wakeup_events
 * @accepted: bytes of the last snapshot that were
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
 * struct torture - one round: rings, writers, a reader
 * @mode: how
 * @seed: everything follows from it, but who is faster
 * @nr_writers: CPUs that write
 * @nr_rings: where to; writer i writes ring i % @nr_rings
 * @most: slots of the largest record
 * @wakeup_events: samples that a notification is asked for
 * @sample_mask: one of so many records, plus one, is a sample
 * @splices: the reader takes what is published, as splice() does, and not what
 *	data_head shows
 * @lanes: of all writers
 * @rings: of all
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

/* Called when a writer is about to ask for room, and when it got it or did not. */
void torture_asks(struct torture_ring *ring, u32 len);
void torture_got(bool room);

/* Called between a writer's reservation and its commit, and when the reader is to be woken. */
void torture_midway(unsigned int writer, unsigned int level, u64 random);
void torture_notify(void);

#endif /* _RINGTEST_TORTURE_H */
