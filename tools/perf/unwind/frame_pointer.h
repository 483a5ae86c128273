/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Encoded addresses in .eh_frame.
 */
#ifndef PERF_UNWIND_FRAME_POINTER_H
#define PERF_UNWIND_FRAME_POINTER_H

#include "frame_bytes.h"

/**
 * frame_pointer_read() - Read an encoded address
 * @bytes: bytes that begin with the address
 * @encoding: DW_EH_PE_* of the address
 * @word: size of an address in bytes
 * @place: address of the first of @bytes, which some encodings are relative to
 * @addr: set to the address
 *
 * Return: False if the bytes end early, or if the encoding is one that linkers do not use for
 * functions.
 */
bool frame_pointer_read(struct frame_bytes *bytes, unsigned int encoding, unsigned int word,
			uint64_t place, uint64_t *addr);

/* Read a number in the format of @encoding, whatever it is relative to. */
bool frame_pointer_number(struct frame_bytes *bytes, unsigned int encoding, unsigned int word,
			  uint64_t *value);

#endif
