// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that end are forgotten, and those who come after them with the same
 * numbers are not.
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

int main(void)
{
	thread_set_comm(&table, thread_get(&table, 10, 10), "shell");
	thread_fork(&table, 11, 11, 10, 10, true);
	thread_fork(&table, 11, 12, 11, 11, true);
	check(threads() == 3 && processes() == 2, "a parent, a child, and a thread of it");

	thread_forget(&table, 12);
	check_number(threads(), 3, "who has not ended is not forgotten");
	thread_exit(&table, 11);
	check_string(thread_get(&table, 11, 11)->comm, "shell", "who has ended is still known");
	thread_forget(&table, 11);
	check(threads() == 2 && processes() == 2, "its process has a thread left");
	thread_exit(&table, 12);
	thread_forget(&table, 12);
	check(threads() == 1 && processes() == 1, "with the last one the process goes");

	thread_fork(&table, 20, 20, 10, 10, true);
	thread_exit(&table, 20);
	thread_fork(&table, 20, 20, 10, 10, true);
	thread_forget(&table, 20);
	check(threads() == 2 && processes() == 2, "one with the same number stays");

	/* What was a thread of one process is one of another, as the number was used again. */
	thread_get(&table, 30, 20);
	check_number(thread_get(&table, 30, 20)->process->nr_threads, 1, "it is in one process");
	check_number(thread_get(&table, 10, 10)->process->nr_threads, 1, "as others are");
	thread_exit(&table, 20);
	thread_forget(&table, 20);
	check_number(threads(), 1, "and can be forgotten");

	thread_exit(&table, 99);
	thread_forget(&table, 99);
	check_number(threads(), 1, "who was never known changes nothing");
	thread_table_free(&table);
	return unit_finish();
}
