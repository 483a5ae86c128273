/* SPDX-License-Identifier: GPL-2.0 */
/* The functions and labels of perf_pattern.S. */
#ifndef PERF_PATTERN_H
#define PERF_PATTERN_H

#include <stdint.h>

void pattern(uint64_t rounds);
void nested(uint64_t rounds);

extern char p_round[], p_call[], p_callee[], p_ret[], p_returned[], p_ind_call[],
	    p_ind_returned[], p_jmp[], p_jmp_to[], p_ind_jmp[], p_jumped[], p_jnz[];
extern char n_call[], n_middle[], n_middle_call[], n_inner[], n_leaf[], pattern_end[];

#endif
