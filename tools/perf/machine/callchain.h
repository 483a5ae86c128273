/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Resolves the call chain of a sample.
 */
#ifndef PERF_MACHINE_CALLCHAIN_H
#define PERF_MACHINE_CALLCHAIN_H

#include "state.h"

/**
 * struct callchain - the call chain of a sample
 * @frames: functions, the innermost first
 * @nr: number of @frames; 0 for a sample without a chain
 * @room: allocated number of @frames
 */
struct callchain {
	struct location *frames;
	size_t nr;
	size_t room;
};

/* Set @mode to the mode that a mark in a chain stands for. Return false if the mark is unknown. */
bool callchain_mode(uint64_t mark, enum cpu_mode *mode);
void callchain_resolve(struct callchain *chain, struct machine *machine, struct thread *thread,
		       const struct record *record);
bool callchain_unwind(struct callchain *chain, struct machine *machine,
		      const struct thread *thread, const struct record *record);
void callchain_of_branches(struct callchain *chain, struct machine *machine,
			   const struct thread *thread, const struct record *record);
void callchain_free(struct callchain *chain);

#endif
