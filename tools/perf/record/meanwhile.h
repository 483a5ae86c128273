/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was recorded while what exists was read from /proc, and so may be known twice,
 * or not at all.
 */
#ifndef PERF_RECORD_MEANWHILE_H
#define PERF_RECORD_MEANWHILE_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "measure/measure.h"
#include "util/util.h"
#include "history.h"
#include "lineage.h"

/**
 * struct meanwhile - what the kernel's records tell, and what /proc says
 * @attr: of one of the events, as the records of all end alike; set by the caller, the
 *	rest starts as zeros
 * @lineage: who has come to be
 * @recorded: names that threads have got, and what was mapped
 * @gone: what had been mapped before, and was unmapped, by process
 * @cgroups: control groups that have come to be
 * @read_maps: processes whose mappings /proc has said
 * @read_comms: threads whose names /proc has said
 * @heirs: processes that were listed as heirs
 * @written: what is written as being there from the beginning
 */
struct meanwhile {
	const struct perf_event_attr *attr;
	struct lineage lineage;
	struct history recorded;
	struct hash_table gone;
	struct hash_table cgroups;
	struct hash_table read_maps;
	struct hash_table read_comms;
	struct hash_table heirs;
	struct history written;
};

/* Note what a record of the kernel tells. MUNMAP records may be as they are in a file. */
void meanwhile_note(struct meanwhile *m, const struct perf_event_header *record);

/* Note what /proc says, by a record that was made up from it. */
void meanwhile_note_made_up(struct meanwhile *m, const struct perf_event_header *made_up);

/*
 * May the name of a thread be that of its origin, and has /proc not said it yet? Not if
 * there is no record of its fork: that may come still.
 */
bool meanwhile_may_name(const struct meanwhile *m, uint32_t tid);

/**
 * meanwhile_list_heirs() - whom /proc should be asked about as well
 * @m: what has been recorded, and said by /proc so far
 * @heirs: gets processes; each is listed once
 * @nameless: gets processes with threads that may have the name of somebody whose name is not
 *	known, and were not asked yet; as often as that is so
 *
 * They were forked since recording began by somebody who cannot be asked any more how it
 * was then: it has ended, or has another name now.
 */
void meanwhile_list_heirs(struct meanwhile *m, struct int_list *heirs, struct int_list *nameless);

/**
 * meanwhile_needs() - has a record that was made up from /proc to be written?
 * @m: all that has been recorded since before /proc was read
 * @made_up: a FORK, COMM, MMAP, MMAP2, NAMESPACES or CGROUP record, with a time of 0; may
 *	become one of an ancestor
 *
 * A name or mapping that was recorded is there from then on, and a fork gives the child
 * what its parent has. So what a process has that was forked meanwhile, and neither it nor
 * an ancestor has a record of, is what its origin had from the beginning: that is what the
 * record says then. Nothing is written twice.
 *
 * Return: whether the record is to be written; if not, others say the same.
 */
bool meanwhile_needs(struct meanwhile *m, struct perf_event_header *made_up);

/**
 * meanwhile_each_gone() - what was mapped before, and /proc came too late to say
 * @m: what has been recorded, and is written of what /proc says
 * @fn: called with an MMAP record of time 0, until it fails
 * @context: passed to @fn
 *
 * Whoever was forked before it went has it still, and is known by its parent's mappings.
 *
 * Return: 0, or what @fn returned when it failed.
 */
int meanwhile_each_gone(struct meanwhile *m, ring_sink fn, void *context);

void meanwhile_free(struct meanwhile *m);

#endif
