/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of call frame information: registers of a caller, and expressions.
 */
#ifndef PERF_UNWIND_FRAME_VALUE_H
#define PERF_UNWIND_FRAME_VALUE_H

#include "stack_walk.h"

/**
 * frame_memory() - read a word of the recorded stack
 * @unwind: has the stack
 * @addr: address of the word
 * @value: gets it
 *
 * Return: false when it was not recorded.
 */
bool frame_memory(const struct unwind *unwind, uint64_t addr, uint64_t *value);

/**
 * frame_value() - follow a rule
 * @unwind: has the registers of the function
 * @rule: the rule
 * @cfa: canonical frame address; not used by the rule that finds it
 * @value: gets the value
 * @missed: gets the address of memory that is needed and was not recorded, or 0; NULL: unwanted
 *
 * Return: false when the rule needs a register or memory that is not known, or an operation
 * that no compiler uses here.
 */
bool frame_value(const struct unwind *unwind, const struct frame_rule *rule, uint64_t cfa,
		 uint64_t *value, uint64_t *missed);

#endif
