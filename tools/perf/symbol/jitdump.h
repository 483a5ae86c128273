/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jitdump files: records that a program writes about the code that it generates.
 *
 *	header		magic, version, process
 *	records		each with its time: a function was loaded, with its name and
 *			code; it was moved; its source lines; ...
 *
 * A record with unwinding tables stands before the record of its function.
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

/* Maximum size of the unwinding tables of a function in bytes. Writers make some 100 bytes. */
#define JIT_UNWINDING_MAX 65536

/**
 * struct jit_unwinding - the unwinding tables of a function
 * @code: offset of the code in the file
 * @code_size: size of the code in bytes
 * @addr: address of the code when it was loaded, which the tables refer to
 * @offset: offset of the call frame information in the file
 * @size: size of the call frame information in bytes, at most JIT_UNWINDING_MAX; 0 if the sizes in
 *	its record are impossible, or too large
 */
struct jit_unwinding {
	uint64_t code;
	uint64_t code_size;
	uint64_t addr;
	uint64_t offset;
	uint32_t size;
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
 * @unwindings: unwinding tables, in the order of their code in the file
 * @nr_unwindings: number of @unwindings
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
	struct jit_unwinding *unwindings;
	size_t nr_unwindings;
};

bool jitdump_is_name(const char *path);
int jitdump_open(const struct dso *dso, struct stat *st, struct error *err);
struct jitdump *jitdump_of(struct dso *dso, bool same_clock);
const struct jit_unwinding *jitdump_unwinding(const struct jitdump *dump, uint64_t code);
void jitdump_free(struct jitdump *dump);

#endif
