/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jitdump files: records that a program writes about the code that it generates.
 *
 *	header		magic, version, process
 *	records		each with its time: a function was loaded, with its name and
 *			code; it was moved; its source lines; ...
 *
 * The byte order is that of the writer. The program maps a page of the file as executable, so
 * that a recording has the path of the file. The layout is described in the kernel's
 * tools/perf/Documentation/jitdump-specification.txt.
 */
#ifndef PERF_SYMBOL_JITDUMP_H
#define PERF_SYMBOL_JITDUMP_H

#include <sys/stat.h>

#include "dso_set.h"

/**
 * struct jit_event - a function was loaded or moved
 * @time: time in ns, by CLOCK_MONOTONIC
 * @order: number of the event in the file
 * @moved: true if the function was at @old_addr before
 * @old_addr: address before the move
 * @addr: address after the event
 * @size: size in bytes; @addr + @size does not overflow
 * @offset: offset of the code in the file
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
 * struct jitdump - the contents of a file
 * @dso: the file; its functions are at the offsets of their code
 * @pid: process that wrote the file
 * @machine: architecture of the code, EM_*
 * @big: the code is in big-endian byte order
 * @untimed: true if times cannot be compared with those of the recording
 * @misplaced: true if the user has been warned that another process mapped the file
 * @events: events in the order of time
 * @nr: number of @events
 */
struct jitdump {
	struct dso *dso;
	uint32_t pid;
	uint16_t machine;
	bool big;
	bool untimed;
	bool misplaced;
	struct jit_event *events;
	size_t nr;
};

bool jitdump_is_name(const char *path);
int jitdump_open(const struct dso *dso, struct stat *st, struct error *err);
struct jitdump *jitdump_of(struct dso *dso, bool same_clock);
void jitdump_free(struct jitdump *dump);

#endif
