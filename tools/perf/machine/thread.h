/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads and processes at one time of the recording.
 */
#ifndef PERF_MACHINE_THREAD_H
#define PERF_MACHINE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/symbol.h"
#include "util/util.h"
#include "jit_code.h"
#include "copied_text.h"

/**
 * struct process - the common state of the threads of a process
 * @node: node in the table, by @pid
 * @pid: process
 * @maps: executable mappings
 * @unmapped: mappings that the current system call has removed, or NULL
 * @mapped_since: true if a mapping was added after the last one was removed: the next removal is
 *	of another system call
 * @copied_text: text that was unmapped last
 * @jit: generated code, by jitdump files
 * @nr_threads: number of threads
 * @version: number of this state of @maps and @unmapped; no other state has it
 */
struct process {
	struct hash_node node;
	uint32_t pid;
	struct map_set *maps;
	struct map_set *unmapped;
	bool mapped_since;
	struct copied_text copied_text;
	struct jit_code jit;
	size_t nr_threads;
	uint64_t version;
};

struct past_calls;

struct thread {
	struct hash_node node;		/* by tid */
	uint32_t tid;
	struct process *process;
	const char *comm;		/* name; interned, safe to print */
	bool comm_known;		/* false: @comm is made from @tid */
	bool exited;
	struct past_calls *calls;	/* calls of the last sample, or NULL */
};

/**
 * struct thread_table - all threads and processes
 * @threads: threads by tid
 * @processes: processes by pid
 * @comms: interned names
 */
struct thread_table {
	struct hash_table threads;
	struct hash_table processes;
	struct intern_table comms;
};

struct thread *thread_get(struct thread_table *table, uint32_t pid, uint32_t tid);
void thread_fork(struct thread_table *table, uint32_t pid, uint32_t tid, uint32_t ppid,
		 uint32_t ptid, bool with_maps);
void thread_exit(struct thread_table *table, uint32_t tid);
void thread_forget(struct thread_table *table, uint32_t tid);
void thread_forget_calls(struct thread *thread);
void thread_set_comm(struct thread_table *table, struct thread *thread, const char *comm);
void process_exec(struct process *process);
void process_in_user_mode(struct process *process);
const struct map *process_find_map(const struct process *process, uint64_t addr);
struct map *process_map(struct process *process, uint64_t start, uint64_t end, uint64_t pgoff,
			struct dso *dso);
void process_unmap(struct process *process, uint64_t start, uint64_t end);
void thread_table_free(struct thread_table *table);

#endif
