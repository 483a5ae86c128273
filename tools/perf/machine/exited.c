// SPDX-License-Identifier: GPL-2.0
/* Threads of a running machine that have exited. */
#include "exited.h"

void exited_threads_add(struct exited_threads *exited, struct thread_table *threads, uint32_t tid)
{
	thread_exit(threads, tid);
	int_list_add(&exited->exiting, tid);
}

void exited_threads_round(struct exited_threads *exited, struct thread_table *threads)
{
	size_t i;

	for (i = 0; i < exited->exited.nr; i++)
		thread_forget(threads, exited->exited.values[i]);
	int_list_free(&exited->exited);
	exited->exited = exited->exiting;
	exited->exiting = (struct int_list){ 0 };
}

void exited_threads_free(struct exited_threads *exited)
{
	int_list_free(&exited->exited);
	int_list_free(&exited->exiting);
}
