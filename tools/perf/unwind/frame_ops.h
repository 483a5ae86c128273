/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decodes the expressions of call frame information.
 */
#ifndef PERF_UNWIND_FRAME_OPS_H
#define PERF_UNWIND_FRAME_OPS_H

#include "call_frame.h"

/**
 * frame_ops_read() - Decode an expression
 * @rule: rule that gets the operations
 * @block: bytes of the expression
 * @size: number of @block
 * @word: size of an address in bytes
 * @with_cfa: true if the CFA is pushed before the first operation
 *
 * Return: False if the expression is damaged, has more than 64 operations, or has an operation that
 * compilers do not use in call frame information.
 */
bool frame_ops_read(struct frame_rule *rule, const uint8_t *block, size_t size, unsigned int word,
		    bool with_cfa);

#endif
