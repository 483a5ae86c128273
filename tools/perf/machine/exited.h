/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads of a running machine that have exited. Samples of a thread may arrive until the end of
 * the round after the one with its EXIT record; then the thread is forgotten.
 */
#ifndef PERF_MACHINE_EXITED_H
#define PERF_MACHINE_EXITED_H

#include "util/util.h"
#include "thread.h"

/**
 * struct exited_threads - threads that are to be forgotten
 * @exited: threads that exited in the round before the last
 * @exiting: threads that exited since the last round
 */
struct exited_threads {
	struct int_list exited;
	struct int_list exiting;
};

/* Note that a thread has exited. */
void exited_threads_add(struct exited_threads *exited, struct thread_table *threads, uint32_t tid);

/* End a round: forget threads that exited two rounds ago. */
void exited_threads_round(struct exited_threads *exited, struct thread_table *threads);

void exited_threads_free(struct exited_threads *exited);

#endif
