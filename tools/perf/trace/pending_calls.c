// SPDX-License-Identifier: GPL-2.0
/*
 * System calls between their start and their return.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fd_calls.h"
#include "pending_calls.h"

/**
 * struct caller - a thread that makes system calls
 * @node: node in the table, by @tid
 * @pid: process
 * @tid: thread
 * @arch: architecture of the latest call's number; 0: unknown
 * @is_new: true until a new thread returns from the call that created it
 * @in_call: true if @call has not returned
 * @call: current call
 */
struct caller {
	struct hash_node node;
	uint32_t pid;
	uint32_t tid;
	uint32_t arch;
	bool is_new;
	bool in_call;
	struct call call;
};

static struct caller *find_caller(struct calls *calls, uint32_t tid)
{
	struct hash_node *node;

	for (node = hash_table_first(&calls->threads, hash_number(tid)); node;
	     node = hash_table_next(node)) {
		struct caller *caller = hash_entry(node, struct caller, node);

		if (caller->tid == tid)
			return caller;
	}
	return NULL;
}

static struct caller *get_caller(struct calls *calls, uint32_t pid, uint32_t tid)
{
	struct caller *caller = find_caller(calls, tid);

	if (!caller) {
		caller = xcalloc(1, sizeof(*caller));
		caller->tid = tid;
		hash_table_add(&calls->threads, &caller->node, hash_number(tid));
	}
	caller->pid = pid;
	return caller;
}

static void finish(struct calls *calls, struct caller *caller)
{
	calls->done(calls->context, caller->pid, caller->tid, &caller->call);
	fd_calls_return(&calls->paths, caller->pid, &caller->call);
	call_free(&caller->call);
	caller->in_call = false;
}

/*
 * Return the architecture of a process without a recorded call, by its program. Return 0 if the
 * program is unreadable, or has 32 bits, for which there may be several architectures.
 */
static uint32_t arch_of_program(uint32_t pid)
{
	char *path = xasprintf("/proc/%u/exe", pid);
	int fd = open_linked_file(path);
	unsigned char ident[EI_NIDENT] = { 0 };
	bool is_64;

	free(path);
	if (fd < 0)
		return 0;
	is_64 = read(fd, ident, sizeof(ident)) == sizeof(ident) &&
		!memcmp(ident, ELFMAG, SELFMAG) && ident[EI_CLASS] == ELFCLASS64;
	close(fd);
	return is_64 ? syscalls_native_arch() : 0;
}

void calls_begin(struct calls *calls, uint32_t pid, uint32_t tid, struct call *call)
{
	struct caller *caller = get_caller(calls, pid, tid);

	/* The record of the earlier call's return was lost. */
	if (caller->in_call)
		finish(calls, caller);
	caller->call = *call;
	caller->arch = call->syscall->arch;
	caller->in_call = true;
	caller->is_new = false;
	fd_calls_begin(&calls->paths, pid, &caller->call);
}

/* Make a call from a return from @nr, because the start of the call was not recorded. */
static void return_only(struct calls *calls, struct caller *caller, long nr)
{
	if (!caller->arch)
		caller->arch = calls->arch ?: arch_of_program(caller->pid);
	memset(&caller->call, 0, sizeof(caller->call));
	caller->call.nr = nr;
	caller->call.cpu = -1;
	caller->call.syscall = caller->arch ? syscalls_get(&calls->table, caller->arch, nr) :
					      &calls->table.unknown;
}

void calls_return(struct calls *calls, uint32_t pid, uint32_t tid, long nr, int64_t ret,
		  uint64_t time)
{
	struct caller *caller = get_caller(calls, pid, tid);
	bool was_new = caller->is_new;

	caller->is_new = false;
	if (was_new && !caller->in_call)
		return;
	/* rt_sigreturn() returns with number -1. */
	if (caller->in_call && nr != -1 && caller->call.nr != nr)
		finish(calls, caller);
	if (!caller->in_call)
		return_only(calls, caller, nr);
	caller->call.ret = ret;
	caller->call.end = time;
	finish(calls, caller);
}

void calls_fork(struct calls *calls, uint32_t ppid, uint32_t ptid, uint32_t pid, uint32_t tid)
{
	const struct caller *parent = find_caller(calls, ptid);
	uint32_t arch = parent ? parent->arch : 0;
	struct caller *caller;

	fd_calls_fork(&calls->paths, ppid, parent && parent->in_call ? &parent->call : NULL, pid);
	caller = get_caller(calls, 0, tid);
	caller->arch = arch;
	caller->is_new = true;
}

void calls_expect_native(struct calls *calls, uint32_t tid)
{
	get_caller(calls, tid, tid)->arch = syscalls_native_arch();
}

static void forget(struct calls *calls, struct caller *caller)
{
	hash_table_remove(&calls->threads, &caller->node);
	free(caller);
}

void calls_exit(struct calls *calls, uint32_t pid, uint32_t tid)
{
	struct caller *caller = find_caller(calls, tid);

	if (caller) {
		caller->pid = pid;
		if (caller->in_call)
			finish(calls, caller);
		forget(calls, caller);
	}
	if (pid == tid)
		fd_paths_exit(&calls->paths, pid);
}

static int by_begin(const void *a, const void *b)
{
	const struct caller *one = hash_entry(*(struct hash_node **)a, struct caller, node);
	const struct caller *other = hash_entry(*(struct hash_node **)b, struct caller, node);

	return (one->call.begin > other->call.begin) - (one->call.begin < other->call.begin);
}

void calls_end(struct calls *calls)
{
	struct hash_node **nodes = hash_table_nodes(&calls->threads);
	size_t i, nr = calls->threads.nr;

	qsort(nodes, nr, sizeof(*nodes), by_begin);
	for (i = 0; i < nr; i++) {
		struct caller *caller = hash_entry(nodes[i], struct caller, node);

		if (caller->in_call)
			finish(calls, caller);
	}
	free(nodes);
}

static void free_caller(struct hash_node *node)
{
	struct caller *caller = hash_entry(node, struct caller, node);

	if (caller->in_call)
		call_free(&caller->call);
	free(caller);
}

void calls_free(struct calls *calls)
{
	hash_table_free_all(&calls->threads, free_caller);
	fd_paths_free(&calls->paths);
	syscalls_free(&calls->table);
}
