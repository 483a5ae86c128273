/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The race between reading /proc and the kernel's records of the same time: facts may be
 * recorded twice, or not at all.
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
 * struct proc_race - the kernel's records, and the facts read from /proc
 * @attr: attr of any event, because the ids at the end of records are the same for all events; set
 *	by the caller; all other fields start as zeros
 * @lineage: recorded forks and exits
 * @recorded: recorded names and mappings
 * @unmapped: mappings from before the recording that were unmapped, by process
 * @cgroups: recorded control groups
 * @read_maps: processes whose mappings were read from /proc
 * @read_comms: threads whose names were read from /proc
 * @children: processes that proc_race_list_children() has returned
 * @written: names and mappings that were written as existing from the beginning
 */
struct proc_race {
	const struct perf_event_attr *attr;
	struct lineage lineage;
	struct history recorded;
	struct hash_table unmapped;
	struct hash_table cgroups;
	struct hash_table read_maps;
	struct hash_table read_comms;
	struct hash_table children;
	struct history written;
};

/* Note a record of the kernel. MUNMAP records may have the form that they have in files. */
void proc_race_note(struct proc_race *race, const struct perf_event_header *record);

/* Note a record that was synthesized from /proc. */
void proc_race_note_synthesized(struct proc_race *race,
				const struct perf_event_header *synthesized);

/*
 * Return true if a thread may have inherited its name from its origin, and its name has not been
 * read from /proc. Return false before the record of its fork has been read.
 */
bool proc_race_inherits_name(const struct proc_race *race, uint32_t tid);

/**
 * proc_race_list_children() - list further processes to read from /proc
 * @race: kernel's records and facts from /proc so far
 * @children: receives processes; each is listed only once
 * @nameless: receives processes that have threads whose names are neither read nor known otherwise;
 *	a process is listed again until these names are known
 *
 * These processes were forked since recording began by a task that can no longer be read as it
 * was then: it has exited or has another name now.
 */
void proc_race_list_children(struct proc_race *race, struct int_list *children,
			     struct int_list *nameless);

/**
 * proc_race_needs() - test whether a synthesized record must be written
 * @race: all records of the kernel since before /proc was read
 * @synthesized: FORK, COMM, MMAP, MMAP2, NAMESPACES or CGROUP record with a time of 0; may be
 *	changed to a record of an ancestor
 *
 * A recorded name or mapping exists from its record on, and a fork copies the names and mappings of
 * the parent. If a child has a name or mapping without a record for the child or an ancestor, its
 * origin had it from the beginning. @synthesized is then changed to a record of the origin. No fact
 * is written twice.
 *
 * Return: true if the record must be written; false if other records say the same.
 */
bool proc_race_needs(struct proc_race *race, struct perf_event_header *synthesized);

/**
 * proc_race_each_unmapped() - call a function for mappings that were unmapped before /proc was
 *	read
 * @race: kernel's records, and records written from /proc
 * @fn: function that is called with an MMAP record of time 0 until it fails
 * @context: argument of @fn
 *
 * Children that were forked before the unmapping still have the mapping, and inherit it from
 * the parent's record.
 *
 * Return: 0, or the error of @fn.
 */
int proc_race_each_unmapped(struct proc_race *race, ring_sink fn, void *context);

void proc_race_free(struct proc_race *race);

#endif
