/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads and processes, as they are at one point of the recording.
 */
#ifndef PERF_THREAD_H
#define PERF_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "hash_table.h"
#include "map.h"

/* What the threads of a process share. */
struct process {
	struct hash_node node;		/* by pid */
	uint32_t pid;
	struct map_set *maps;
	struct map_set *maps_before_exec;	/* or NULL */
	size_t nr_threads;
};

struct thread {
	struct hash_node node;		/* by tid */
	uint32_t tid;
	struct process *process;
	const char *comm;		/* interned, safe to print */
	bool comm_known;		/* false: @comm is made up from the tid */
	bool exited;
};

/**
 * struct thread_table - all threads and processes
 * @threads: by tid
 * @processes: by pid
 * @comms: every comm once, so that equal ones are the same pointer
 */
struct thread_table {
	struct hash_table threads;
	struct hash_table processes;
	struct hash_table comms;
};

struct thread *thread_get(struct thread_table *table, uint32_t pid, uint32_t tid);
void thread_fork(struct thread_table *table, uint32_t pid, uint32_t tid, uint32_t ppid,
		 uint32_t ptid, bool with_maps);
void thread_exit(struct thread_table *table, uint32_t tid);
void thread_forget(struct thread_table *table, uint32_t tid);
void thread_set_comm(struct thread_table *table, struct thread *thread, const char *comm);
void process_exec(struct process *process);
void process_exec_done(struct process *process);
const struct map *process_find_map(const struct process *process, uint64_t addr);
void process_map(struct process *process, uint64_t start, uint64_t end, uint64_t pgoff,
		 struct dso *dso);
void thread_table_free(struct thread_table *table);

#endif
