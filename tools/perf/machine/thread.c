// SPDX-License-Identifier: GPL-2.0
/*
 * Threads and processes at one time of the recording.
 *
 * A later thread or process may have the tid or pid of an earlier one. It replaces the earlier
 * one, which has no samples left.
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

/* Give the mappings of a process a new version: addresses may now lead to other code. */
static void renew_version(struct process *process)
{
	static uint64_t last;

	process->version = ++last;
}

static struct process *get_process(struct thread_table *table, uint32_t pid)
{
	struct process *process = find_process(table, pid);

	if (process)
		return process;
	process = xcalloc(1, sizeof(*process));
	process->pid = pid;
	process->maps = map_set_new();
	renew_version(process);
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

		/* The idle threads of all CPUs have tid 0, and no COMM record. */
	if (!thread->tid)
		snprintf(name, sizeof(name), "swapper");
	else
		snprintf(name, sizeof(name), ":%" PRId32, (int32_t)thread->tid);
	thread->comm = intern(&table->comms, name);
	thread->comm_known = false;
}

/**
 * thread_get() - Find a thread by tid, or add it
 * @table: threads
 * @pid: process that the thread belongs to now
 * @tid: thread
 *
 * Return: The thread; valid until a thread with this tid is forked.
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

/* Forget the calls of a thread that is replaced by another one, or runs another program. */
void thread_forget_calls(struct thread *thread)
{
	free(thread->calls);
	thread->calls = NULL;
}

/**
 * thread_set_comm() - Set the name of a thread
 * @table: threads
 * @thread: thread
 * @comm: name
 */
void thread_set_comm(struct thread_table *table, struct thread *thread, const char *comm)
{
	char *safe = escape_name(comm);

	thread->comm = intern(&table->comms, safe);
	thread->comm_known = true;
	free(safe);
}

/**
 * process_in_user_mode() - Drop unmapped mappings that samples in the kernel needed
 * @process: process of which a thread was seen in user mode
 *
 * The system call that unmapped the mappings has returned, so call chains no longer lead to them.
 */
void process_in_user_mode(struct process *process)
{
	if (!process->unmapped)
		return;
	map_set_free(process->unmapped);
	process->unmapped = NULL;
	renew_version(process);
}

/**
 * process_map() - Add a mapping
 * @process: process
 * @start: first address
 * @end: first address after the range; larger than @start
 * @pgoff: offset in the file in bytes
 * @dso: file
 *
 * Return: The mapping; the caller may set its @text.
 */
struct map *process_map(struct process *process, uint64_t start, uint64_t end, uint64_t pgoff,
			struct dso *dso)
{
	process->mapped_since = true;
	renew_version(process);
	return map_set_insert(process->maps, start, end, pgoff, dso);
}

/**
 * process_unmap() - Remove mappings of a range that is not mapped or not executable any more
 * @process: process
 * @start: first address
 * @end: first address after the range; larger than @start
 *
 * While the process is in the kernel, call chains of its samples continue at the system call in
 * user mode, which exec and exit unmap. So removed mappings are kept in @process->unmapped.
 */
void process_unmap(struct process *process, uint64_t start, uint64_t end)
{
	if (!map_set_has(process->maps, start, end))
		return;
	if (process->mapped_since)
		process_in_user_mode(process);
	process->mapped_since = false;
	if (!process->unmapped)
		process->unmapped = map_set_new();
	map_set_remove(process->maps, start, end, process->unmapped);
	renew_version(process);
}

/**
 * process_exec() - Remove all mappings of a process that executes another program
 * @process: process
 */
void process_exec(struct process *process)
{
	process_unmap(process, 0, UINT64_MAX);
	process->copied_text.dso = NULL;
	jit_code_free(&process->jit);
}

/**
 * process_find_map() - Find the mapping at an address, or the one just unmapped there
 * @process: process
 * @addr: address
 *
 * Generated code is in anonymous memory, so it is looked up first.
 *
 * Return: The mapping, or NULL.
 */
const struct map *process_find_map(const struct process *process, uint64_t addr)
{
	const struct map *map = jit_code_find(&process->jit, addr);

	if (!map)
		map = map_set_find(process->maps, addr);
	if (!map && process->unmapped)
		map = map_set_find(process->unmapped, addr);
	return map;
}

/*
 * Start a new process, with the mappings of its parent or none. An earlier process may have had its
 * pid.
 */
static void begin_process(struct process *process, const struct process *parent, bool with_maps)
{
	process_in_user_mode(process);
	process->copied_text.dso = NULL;
	jit_code_free(&process->jit);
	map_set_free(process->maps);
	process->maps = with_maps ? map_set_copy(parent->maps) : map_set_new();
	renew_version(process);
	if (!with_maps)
		return;
	jit_code_fork(&process->jit, &parent->jit);
	if (!parent->unmapped)
		process->version = parent->version;
}

/**
 * thread_fork() - Add a thread that was created
 * @table: threads
 * @pid: process of the thread
 * @tid: thread
 * @ppid: process of the parent
 * @ptid: parent
 * @with_maps: true if a new process inherits the mappings of its parent
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

/* Mark a thread that has exited; samples of the thread may follow. */
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
 * thread_forget() - Free a thread that has exited, and its process with its last thread
 * @table: threads
 * @tid: thread; a later thread with this tid stays
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
