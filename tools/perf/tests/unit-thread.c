// SPDX-License-Identifier: GPL-2.0
/*
 * Exited threads are forgotten; threads that reuse their tids are kept.
 */
#include "machine/thread.h"
#include "unit.h"

static struct thread_table table;

static size_t threads(void)
{
	return table.threads.nr;
}

static size_t processes(void)
{
	return table.processes.nr;
}

/* A version names one state of the mappings. */
static void test_versions(void)
{
	struct process *parent = thread_get(&table, 40, 40)->process, *child;
	uint64_t version = parent->version;
	struct dso dso = { 0 };

	process_map(parent, 0x1000, 0x2000, 0, &dso);
	check(parent->version != version, "a mapping makes a new version");
	version = parent->version;
	process_in_user_mode(parent);
	check_number(parent->version, version, "return to user mode changes nothing");
	thread_fork(&table, 41, 41, 40, 40, true);
	child = thread_get(&table, 41, 41)->process;
	check_number(child->version, version, "a child has the version of its parent");
	process_unmap(child, 0x1000, 0x1800);
	check(child->version != version && parent->version == version,
	      "unmapping makes a new version, for the child alone");
	thread_fork(&table, 42, 42, 41, 41, true);
	check(thread_get(&table, 42, 42)->process->version != child->version,
	      "a child does not have what its parent has just unmapped");
	version = child->version;
	process_in_user_mode(child);
	check(child->version != version, "return to user mode drops what was unmapped");
	process_unmap(child, 0x8000, 0x9000);
	version = child->version;
	process_exec(child);
	check(child->version != version, "exec makes a new version");
	version = child->version;
	thread_fork(&table, 41, 41, 40, 40, false);
	check(child->version != version && child->version != parent->version,
	      "another process with the same pid has another version");
	thread_table_free(&table);
	table = (struct thread_table){ 0 };
}

int main(void)
{
	test_versions();
	thread_set_comm(&table, thread_get(&table, 10, 10), "shell");
	thread_fork(&table, 11, 11, 10, 10, true);
	thread_fork(&table, 11, 12, 11, 11, true);
	check(threads() == 3 && processes() == 2, "a parent, a child and its thread are known");

	thread_forget(&table, 12);
	check_number(threads(), 3, "a running thread is not forgotten");
	thread_exit(&table, 11);
	check_string(thread_get(&table, 11, 11)->comm, "shell", "an exited thread is still known");
	thread_forget(&table, 11);
	check(threads() == 2 && processes() == 2, "a process with a thread is kept");
	thread_exit(&table, 12);
	thread_forget(&table, 12);
	check(threads() == 1 && processes() == 1, "a process without threads is forgotten");

	thread_fork(&table, 20, 20, 10, 10, true);
	thread_exit(&table, 20);
	thread_fork(&table, 20, 20, 10, 10, true);
	thread_forget(&table, 20);
	check(threads() == 2 && processes() == 2, "a thread with a reused tid is kept");

	/* The tid of a thread is reused in another process. */
	thread_get(&table, 30, 20);
	check_number(thread_get(&table, 30, 20)->process->nr_threads, 1,
		     "the thread is in its new process");
	check_number(thread_get(&table, 10, 10)->process->nr_threads, 1,
		     "the thread is not in its former process");
	thread_exit(&table, 20);
	thread_forget(&table, 20);
	check_number(threads(), 1, "the thread can be forgotten");

	thread_exit(&table, 99);
	thread_forget(&table, 99);
	check_number(threads(), 1, "forgetting an unknown thread changes nothing");
	thread_table_free(&table);
	return unit_finish();
}
