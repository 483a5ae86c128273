/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was recorded while what exists was read from /proc, and so may be known twice.
 */
#ifndef PERF_MEANWHILE_H
#define PERF_MEANWHILE_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "hash_table.h"

/**
 * struct meanwhile - what recorded records tell
 * @forks: threads that have come to be
 * @comms: names of threads
 * @maps: what was mapped, by process
 * @cgroups: control groups that have come to be
 */
struct meanwhile {
	struct hash_table forks;
	struct hash_table comms;
	struct hash_table maps;
	struct hash_table cgroups;
};

/* Note what a record of the kernel tells. */
void meanwhile_note(struct meanwhile *m, const struct perf_event_header *record);

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

void meanwhile_free(struct meanwhile *m);

#endif
