/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Evaluates rules of call frame information.
 */
#ifndef PERF_UNWIND_FRAME_VALUE_H
#define PERF_UNWIND_FRAME_VALUE_H

#include "stack_walk.h"

/**
 * frame_memory() - Read a word of the recorded stack
 * @unwind: frame that has the stack
 * @addr: address of the word
 * @value: set to the word
 *
 * Return: False if the word was not recorded.
 */
bool frame_memory(const struct unwind *unwind, uint64_t addr, uint64_t *value);

/**
 * frame_value() - Evaluate a rule
 * @unwind: frame that has the registers of the function
 * @rule: rule
 * @cfa: canonical frame address; unused by the rule for the CFA itself
 * @value: set to the value
 * @missed: set to the address of memory that was needed and not recorded, or 0; may be NULL
 *
 * Return: False if the rule needs an unknown register, memory that was not recorded, or an
 * operation that compilers do not use in call frame information.
 */
bool frame_value(const struct unwind *unwind, const struct frame_rule *rule, uint64_t cfa,
		 uint64_t *value, uint64_t *missed);

#endif
