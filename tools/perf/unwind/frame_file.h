/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the sections of an ELF file that have call frame information.
 *
 * The file may belong to another user, who may damage it or shorten it at any time. So its bytes
 * are copied, never mapped, and the sizes that it claims have limits.
 */
#ifndef PERF_UNWIND_FRAME_FILE_H
#define PERF_UNWIND_FRAME_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Maximum size of a section in bytes. Those of the largest web browsers have 40 MB. */
#define FRAME_SECTION_MAX (256UL << 20)

/**
 * struct frame_section - the contents of a section
 * @bytes: copy of the contents, or NULL
 * @size: number of @bytes
 * @addr: address of the first byte according to the file
 */
struct frame_section {
	uint8_t *bytes;
	size_t size;
	uint64_t addr;
};

/**
 * struct frame_file - parts of an ELF file that unwinding needs
 * @machine: EM_* number of the architecture
 * @word: size of an address in bytes
 * @entry: address where execution of the file starts, or 0
 * @eh_frame: section .eh_frame, or what the program header of the type PT_GNU_EH_FRAME leads to
 * @debug_frame: section .debug_frame, if it is not compressed
 */
struct frame_file {
	unsigned int machine;
	unsigned int word;
	uint64_t entry;
	struct frame_section eh_frame;
	struct frame_section debug_frame;
};

/**
 * frame_file_read() - Read the call frame information of a file
 * @file: filled in; without sections if the file cannot be read or is big-endian
 * @path: path of the file
 */
void frame_file_read(struct frame_file *file, const char *path);

void frame_file_free(struct frame_file *file);

#endif
