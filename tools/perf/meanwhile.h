/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was recorded while what exists was read from /proc, and so may be known twice,
 * or not at all.
 */
#ifndef PERF_MEANWHILE_H
#define PERF_MEANWHILE_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "hash_table.h"
#include "ring.h"

/**
 * struct meanwhile - what recorded records tell
 * @forks: threads that have come to be
 * @comms: names of threads
 * @maps: what was mapped, by process
 * @gone: what had been mapped before, and was unmapped, by process
 * @written: what was written of what /proc says is mapped, by process
 * @cgroups: control groups that have come to be
 */
struct meanwhile {
	struct hash_table forks;
	struct hash_table comms;
	struct hash_table maps;
	struct hash_table gone;
	struct hash_table written;
	struct hash_table cgroups;
};

/* Note what a record of the kernel tells. MUNMAP records may be as they are in a file. */
void meanwhile_note(struct meanwhile *m, const struct perf_event_header *record);

/* Note that a record is written that was made up from /proc. */
void meanwhile_note_written(struct meanwhile *m, const struct perf_event_header *made_up);

/**
 * meanwhile_tells() - is a record that was made up from /proc superfluous?
 * @m: what has been recorded since before /proc was read
 * @made_up: a FORK, COMM, MMAP, MMAP2, NAMESPACES or CGROUP record
 *
 * A thread that has come to be has its parent's name, or a COMM record, and records of
 * its namespaces; a new process has its parent's mappings, and records of what it
 * mapped itself. A name or mapping that was recorded is there from then on.
 *
 * Return: whether the recorded ones say the same.
 */
bool meanwhile_tells(const struct meanwhile *m, const struct perf_event_header *made_up);

/**
 * meanwhile_each_gone() - what was mapped before, and /proc came too late to say
 * @m: what has been recorded, and written of what /proc says
 * @id_size: bytes at the end of each record that say whose it is
 * @fn: called with an MMAP record of time 0, until it fails
 * @context: passed to @fn
 *
 * Whoever was forked before it went has it still, and is known by its parent's mappings.
 *
 * Return: 0, or what @fn returned when it failed.
 */
int meanwhile_each_gone(const struct meanwhile *m, size_t id_size, ring_sink fn, void *context);

void meanwhile_free(struct meanwhile *m);

#endif
