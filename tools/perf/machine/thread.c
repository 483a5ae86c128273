// SPDX-License-Identifier: GPL-2.0
/*
 * Threads and processes, as they are at one point of the recording.
 *
 * A tid or pid may be used again later; the newer thread then takes the place
 * of the older one, whose samples have all been seen.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "thread.h"

static struct process *find_process(struct thread_table *table, uint32_t pid)
{
	struct hash_node *node = hash_table_first(&table->processes, hash_number(pid));

	return node ? hash_entry(node, struct process, node) : NULL;
}

static struct process *get_process(struct thread_table *table, uint32_t pid)
{
	struct process *process = find_process(table, pid);

	if (process)
		return process;
	process = xcalloc(1, sizeof(*process));
	process->pid = pid;
	process->maps = map_set_new();
	hash_table_add(&table->processes, &process->node, hash_number(pid));
	return process;
}

static struct thread *find_thread(struct thread_table *table, uint32_t tid)
{
	struct hash_node *node = hash_table_first(&table->threads, hash_number(tid));

	return node ? hash_entry(node, struct thread, node) : NULL;
}

static void join_process(struct thread *thread, struct process *process)
{
	if (thread->process)
		thread->process->nr_threads--;
	thread->process = process;
	process->nr_threads++;
}

static void name_after_tid(struct thread_table *table, struct thread *thread)
{
	char name[16];

	/* The idle threads of all CPUs have this tid, and never a COMM record. */
	if (!thread->tid)
		snprintf(name, sizeof(name), "swapper");
	else
		snprintf(name, sizeof(name), ":%" PRId32, (int32_t)thread->tid);
	thread->comm = intern(&table->comms, name);
	thread->comm_known = false;
}

/**
 * thread_get - a thread by its tid
 * @table: the threads
 * @pid: the process that it belongs to now
 * @tid: the thread
 *
 * Return: the thread, which is made up if nothing was known of it; valid until
 * a thread with this tid is forked.
 */
struct thread *thread_get(struct thread_table *table, uint32_t pid, uint32_t tid)
{
	struct thread *thread = find_thread(table, tid);

	if (!thread) {
		thread = xcalloc(1, sizeof(*thread));
		thread->tid = tid;
		join_process(thread, get_process(table, pid));
		name_after_tid(table, thread);
		hash_table_add(&table->threads, &thread->node, hash_number(tid));
	} else if (thread->process->pid != pid) {
		join_process(thread, get_process(table, pid));
	}
	return thread;
}

/* It is another thread, or runs another program: nothing is left of what it had called. */
void thread_forget_calls(struct thread *thread)
{
	free(thread->calls);
	thread->calls = NULL;
}

/**
 * thread_set_comm - a thread has a name now
 * @table: the threads
 * @thread: the thread
 * @comm: its name
 */
void thread_set_comm(struct thread_table *table, struct thread *thread, const char *comm)
{
	char *safe = escape_name(comm);

	thread->comm = intern(&table->comms, safe);
	thread->comm_known = true;
	free(safe);
}

/**
 * process_in_user_mode - one of its threads was seen there
 * @process: the process
 *
 * The system call that unmapped something is over, nothing refers to that any more.
 */
void process_in_user_mode(struct process *process)
{
	map_set_free(process->gone);
	process->gone = NULL;
}

/**
 * process_map - something was mapped
 * @process: the process
 * @start: first address
 * @end: behind the last address; larger than @start
 * @pgoff: offset in the file, in bytes
 * @dso: the file
 *
 * Return: the mapping, for its maker to complete.
 */
struct map *process_map(struct process *process, uint64_t start, uint64_t end, uint64_t pgoff,
			struct dso *dso)
{
	process->mapped_since = true;
	return map_set_insert(process->maps, start, end, pgoff, dso);
}

/**
 * process_unmap - something is mapped no more, or cannot be executed any more
 * @process: the process
 * @start: first address
 * @end: behind the last address; larger than @start
 *
 * As long as the process is in the kernel, the call chains of its samples go on to
 * where it called from, which is among what an exec or an exit unmaps.
 */
void process_unmap(struct process *process, uint64_t start, uint64_t end)
{
	if (!map_set_has(process->maps, start, end))
		return;
	if (process->mapped_since)
		process_in_user_mode(process);
	process->mapped_since = false;
	if (!process->gone)
		process->gone = map_set_new();
	map_set_remove(process->maps, start, end, process->gone);
}

/**
 * process_exec - the process becomes another program
 * @process: the process
 *
 * Nothing of its address space is left, if it was not told already that this is so.
 */
void process_exec(struct process *process)
{
	process_unmap(process, 0, UINT64_MAX);
	process->copied_text.dso = NULL;
	jit_code_free(&process->jit);
}

/**
 * process_find_map - what is or was just now mapped at an address
 * @process: the process
 * @addr: the address
 *
 * Generated code comes first: it is where anonymous memory is mapped.
 *
 * Return: the mapping, or NULL.
 */
const struct map *process_find_map(const struct process *process, uint64_t addr)
{
	const struct map *map = jit_code_find(&process->jit, addr);

	if (!map)
		map = map_set_find(process->maps, addr);
	if (!map && process->gone)
		map = map_set_find(process->gone, addr);
	return map;
}

/* It has, or has not, what its parent has; of a process before it nothing is left. */
static void begin_process(struct process *process, const struct process *parent, bool with_maps)
{
	process_in_user_mode(process);
	process->copied_text.dso = NULL;
	jit_code_free(&process->jit);
	map_set_free(process->maps);
	process->maps = with_maps ? map_set_copy(parent->maps) : map_set_new();
	if (with_maps)
		jit_code_fork(&process->jit, &parent->jit);
}

/**
 * thread_fork - a thread has come to be
 * @table: the threads
 * @pid: its process
 * @tid: the thread
 * @ppid: the process of its parent
 * @ptid: the parent
 * @with_maps: a new process starts with its parent's address space
 */
void thread_fork(struct thread_table *table, uint32_t pid, uint32_t tid, uint32_t ppid,
		 uint32_t ptid, bool with_maps)
{
	struct thread *parent = thread_get(table, ppid, ptid);
	struct thread *thread = thread_get(table, pid, tid);

	if (thread == parent)
		return;
	thread->exited = false;
	thread_forget_calls(thread);
	if (pid != ppid)
		begin_process(thread->process, parent->process, with_maps);
	if (parent->comm_known) {
		thread->comm = parent->comm;
		thread->comm_known = true;
	} else {
		name_after_tid(table, thread);
	}
}

/* A thread has ended; there may be samples of it still. */
void thread_exit(struct thread_table *table, uint32_t tid)
{
	struct thread *thread = find_thread(table, tid);

	if (thread)
		thread->exited = true;
}

static void free_thread(struct hash_node *node)
{
	struct thread *thread = hash_entry(node, struct thread, node);

	free(thread->calls);
	free(thread);
}

static void free_process(struct hash_node *node)
{
	struct process *process = hash_entry(node, struct process, node);

	process_in_user_mode(process);
	jit_code_free(&process->jit);
	map_set_free(process->maps);
	free(process);
}

/**
 * thread_forget - drop a thread that has ended, and its process with the last one
 * @table: the threads
 * @tid: the thread; if another one has its tid now, that one stays
 */
void thread_forget(struct thread_table *table, uint32_t tid)
{
	struct thread *thread = find_thread(table, tid);

	if (!thread || !thread->exited)
		return;
	if (!--thread->process->nr_threads) {
		hash_table_remove(&table->processes, &thread->process->node);
		free_process(&thread->process->node);
	}
	hash_table_remove(&table->threads, &thread->node);
	free_thread(&thread->node);
}

void thread_table_free(struct thread_table *table)
{
	hash_table_free_all(&table->threads, free_thread);
	hash_table_free_all(&table->processes, free_process);
	intern_free(&table->comms);
}
