/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was recorded while what exists was read from /proc, and so may be known twice,
 * or not at all.
 */
#ifndef PERF_RECORD_PROC_RACE_H
#define PERF_RECORD_PROC_RACE_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "measure/measure.h"
#include "util/util.h"
#include "history.h"
#include "lineage.h"

/**
 * struct proc_race - what the kernel's records tell, and what /proc says
 * @attr: of one of the events, as the records of all end alike; set by the caller, the
 *	rest starts as zeros
 * @lineage: who has come to be
 * @recorded: names that threads have got, and what was mapped
 * @gone: what had been mapped before, and was unmapped, by process
 * @cgroups: control groups that have come to be
 * @read_maps: processes whose mappings /proc has said
 * @read_comms: threads whose names /proc has said
 * @children: processes that were listed as children
 * @written: what is written as being there from the beginning
 */
struct proc_race {
	const struct perf_event_attr *attr;
	struct lineage lineage;
	struct history recorded;
	struct hash_table gone;
	struct hash_table cgroups;
	struct hash_table read_maps;
	struct hash_table read_comms;
	struct hash_table children;
	struct history written;
};

/* Note what a record of the kernel tells. MUNMAP records may be as they are in a file. */
void proc_race_note(struct proc_race *race, const struct perf_event_header *record);

/* Note what /proc says, by a record that was made up from it. */
void proc_race_note_synthesized(struct proc_race *race,
				const struct perf_event_header *synthesized);

/*
 * May the name of a thread be that of its origin, and has /proc not said it yet? Not if
 * there is no record of its fork: that may come still.
 */
bool proc_race_inherits_name(const struct proc_race *race, uint32_t tid);

/**
 * proc_race_list_children() - whom /proc should be asked about as well
 * @race: what has been recorded, and said by /proc so far
 * @children: gets processes; each is listed once
 * @nameless: gets processes with threads that may have the name of somebody whose name is not
 *	known, and were not asked yet; as often as that is so
 *
 * They were forked since recording began by somebody who cannot be asked any more how it
 * was then: it has ended, or has another name now.
 */
void proc_race_list_children(struct proc_race *race, struct int_list *children,
			     struct int_list *nameless);

/**
 * proc_race_needs() - has a record that was made up from /proc to be written?
 * @race: all that has been recorded since before /proc was read
 * @synthesized: a FORK, COMM, MMAP, MMAP2, NAMESPACES or CGROUP record, with a time of 0; may
 *	become one of an ancestor
 *
 * A name or mapping that was recorded is there from then on, and a fork gives the child
 * what its parent has. So what a process has that was forked meanwhile, and neither it nor
 * an ancestor has a record of, is what its origin had from the beginning: that is what the
 * record says then. Nothing is written twice.
 *
 * Return: whether the record is to be written; if not, others say the same.
 */
bool proc_race_needs(struct proc_race *race, struct perf_event_header *synthesized);

/**
 * proc_race_each_unmapped() - what was mapped before, and /proc came too late to say
 * @race: what has been recorded, and is written of what /proc says
 * @fn: called with an MMAP record of time 0, until it fails
 * @context: passed to @fn
 *
 * Whoever was forked before it went has it still, and is known by its parent's mappings.
 *
 * Return: 0, or what @fn returned when it failed.
 */
int proc_race_each_unmapped(struct proc_race *race, ring_sink fn, void *context);

void proc_race_free(struct proc_race *race);

#endif
