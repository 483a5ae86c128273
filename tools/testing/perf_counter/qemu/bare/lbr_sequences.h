/* SPDX-License-Identifier: GPL-2.0 */
/* The sequences of lbr_sequences.S and their records, for the C. */
#ifndef LBR_SEQUENCES_H
#define LBR_SEQUENCES_H

#include "lbr.h"

#define SEQUENCE(name) \
	void name(void); \
	extern const struct branch name##_branches[]

SEQUENCE(lbr_kinds);
SEQUENCE(lbr_none);
SEQUENCE(lbr_high);
SEQUENCE(lbr_iret_int);
SEQUENCE(lbr_sysret_syscall);
SEQUENCE(lbr_sysexit_sysenter);
SEQUENCE(lbr_far_ret_call);
SEQUENCE(lbr_fault_load);
SEQUENCE(lbr_fault_call);
SEQUENCE(lbr_fault_ret);
SEQUENCE(lbr_fault_iret);
SEQUENCE(lbr_fault_fetch);
SEQUENCE(lbr_fault_int);
SEQUENCE(lbr_fault_divide);
SEQUENCE(lbr_fault_undefined);
SEQUENCE(lbr_interrupted);
SEQUENCE(lbr_single_step);
SEQUENCE(lbr_single_step_off);
SEQUENCE(lbr_stack);
SEQUENCE(lbr_stack_empty);
void lbr_loop(void);
void lbr_stack_deep(void);
extern char lbr_interrupt[], lbr_loop_branch[], lbr_loop_target[];
extern char lbr_stack_empty_call[], lbr_stack_empty_target[];
extern char lbr_stack_deep_call[], lbr_stack_deep_target[];

/* A branch of the second CPU in real mode, where addresses have segments: see start.S. */
struct real_branch {
	u64 what;
	u64 from_segment, from;
	u64 to_segment, to;
	u64 cycles;
};

extern const struct real_branch real_branches[];

#endif
