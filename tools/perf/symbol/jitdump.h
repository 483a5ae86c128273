/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jitdump files: what a program writes about the code that it generates.
 *
 *	header		magic, version, which process
 *	records		each with its time: a function was loaded, with its name and
 *			code; it was moved; its source lines; ...
 *
 * In the byte order of whoever wrote it. The program maps a page of the file so
 * that it can be executed, which is how a recording tells where the file is. The
 * layout is described in the kernel's
 * tools/perf/Documentation/jitdump-specification.txt.
 */
#ifndef PERF_SYMBOL_JITDUMP_H
#define PERF_SYMBOL_JITDUMP_H

#include "dso_set.h"

/**
 * struct jit_event - a function was loaded, or moved
 * @time: when, ns, by CLOCK_MONOTONIC
 * @order: the number of the event in the file
 * @moved: it was at @old_addr before
 * @old_addr: its address before that
 * @addr: its address
 * @size: its size; @addr + @size does not overflow
 * @offset: of its code in the file
 */
struct jit_event {
	uint64_t time;
	uint32_t order;
	bool moved;
	uint64_t old_addr;
	uint64_t addr;
	uint64_t size;
	uint64_t offset;
};

/**
 * struct jitdump - what is in a file
 * @dso: the file; its functions are at the offsets of their code
 * @pid: of the process that wrote it
 * @untimed: the times cannot be compared with those of the recording
 * @misplaced: another process mapped it, which has been said
 * @events: in the order of time
 * @nr: number of @events
 */
struct jitdump {
	struct dso *dso;
	uint32_t pid;
	bool untimed;
	bool misplaced;
	struct jit_event *events;
	size_t nr;
};

bool jitdump_is_name(const char *path);
struct jitdump *jitdump_of(struct dso *dso, bool same_clock);
void jitdump_free(struct jitdump *dump);

#endif
