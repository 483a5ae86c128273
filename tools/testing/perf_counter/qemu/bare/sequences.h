/* SPDX-License-Identifier: GPL-2.0 */
/* Sequences, handlers, labels and data of the assembly that the C files use. */
#ifndef SEQUENCES_H
#define SEQUENCES_H

#include "bare.h"

void measure(void (*sequence)(void), u32 msr, u64 value);

void seq_empty(void);
void seq_nops(void);
void seq_loop(void);
void seq_rep_stos(void);
void seq_repe_cmps(void);
void seq_rep_none(void);
void seq_page_crossing(void);
void seq_mmio(void);
void seq_self_modifying(void);
void seq_memory(void);
void seq_branches(void);
void seq_fault_kernel(void);
void seq_iret_int(void);
void seq_sysret_syscall(void);
void seq_sysexit_sysenter(void);
void seq_far_ret_call(void);
void seq_fault_load(void);
void seq_fault_locked(void);
void seq_fault_divide(void);
void seq_fault_undefined(void);
void seq_fault_privileged(void);
void seq_fault_fetch(void);
void seq_single_step(void);
void seq_interrupt(void);
void seq_twice(void);
void seq_user_loop(void);
void seq_rdpmc(void);
void seq_rdpmc_user(void);
void seq_halt(void);
void seq_sti(void);
void seq_long_loop(void);
void seq_clock(void);

extern char measure_call[], measure_return[];
extern char leave_user[], handle_irq[], handle_fault_kernel[];
extern char user_loop_decl_end[], sysret_target[];
extern u32 sequence_arg, sequence_result;

extern char stubs[], trampoline[], trampoline_end[];
extern u32 trampoline_msr;
extern u64 trampoline_value;
extern u32 multiboot_info;
extern u64 gdt[];

#endif
