/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the code of a function: from its file, from the memory of the running kernel, or from a
 * jitdump file.
 */
#ifndef PERF_SYMBOL_CODE_H
#define PERF_SYMBOL_CODE_H

#include "dso_set.h"
#include "location.h"

/* Maximum size of the code that is read of a function, in bytes. */
#define CODE_SIZE_MAX (512 << 10)

/**
 * struct code - the code of a function
 * @bytes: code
 * @size: size of @bytes
 * @addr: address of the first byte: that of the file, of the running kernel, or of generated code
 * @machine: architecture, EM_*
 * @wide: code of a 64-bit program
 * @big: the code is in big-endian byte order
 * @cut: the function is larger than CODE_SIZE_MAX; only its start was read
 * @time: time in seconds when the file was last changed; 0: unknown
 */
struct code {
	uint8_t *bytes;
	size_t size;
	uint64_t addr;
	uint16_t machine;
	bool wide;
	bool big;
	bool cut;
	int64_t time;
};

/**
 * code_read() - Read the code of a function
 * @code: filled in; code_free() frees it
 * @at: location in the function, from a sample
 * @size: size of the function in bytes if its symbol has none, as for a BPF program; otherwise 0
 * @err: set to the reason, and the remedy, if the code is not read
 *
 * Return: 0, or -1 with @err set.
 */
int code_read(struct code *code, const struct location *at, uint64_t size, struct error *err);

/**
 * code_read_elf() - Read code of an ELF file or of /proc/kcore
 * @code: all zeros; filled in, code_free() frees it
 * @fd: descriptor of the file
 * @path: path of the file, for messages
 * @addr: address of the code, by the headers of the file
 * @size: size of the code in bytes; less is read where the section or segment ends
 * @err: set to the reason if the code is not read
 *
 * Return: 0, or -1 with @err set.
 */
int code_read_elf(struct code *code, int fd, const char *path, uint64_t addr, uint64_t size,
		  struct error *err);

/**
 * code_location() - Make the location of an instruction
 * @at: location in the function
 * @offset: offset of the instruction in the function
 *
 * Return: The location, for look-ups of its source line and its inlined functions.
 */
struct location code_location(const struct location *at, uint64_t offset);

void code_free(struct code *code);

#endif
