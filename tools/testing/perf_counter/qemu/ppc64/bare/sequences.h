/* SPDX-License-Identifier: GPL-2.0 */
/* The sequences of sequences.S, and the labels in them that the tests need. */
#ifndef SEQUENCES_H
#define SEQUENCES_H

#include "bare.h"

#define user_sequence(name) \
	void name(void); extern char name##_rfid[], name##_user[], name##_resume[]

void seq_empty(void);
void seq_nops(void);
void seq_loop(void);
void seq_self_modifying(void);
void seq_memory(void);
void seq_read(void);
void seq_icount(void);
void seq_run_latch(void);
user_sequence(seq_user);
user_sequence(seq_user_loop);
user_sequence(seq_load_fault);
user_sequence(seq_store_fault);
user_sequence(seq_illegal);
user_sequence(seq_privileged);
user_sequence(seq_trap);
user_sequence(seq_trap_always);
user_sequence(seq_fetch_fault);
user_sequence(seq_user_read);
user_sequence(seq_user_icount);
user_sequence(seq_branches);
extern char seq_user_sc[], seq_fetch_fault_bctr[];
extern char at_b_first[], at_bdnz[], at_bl[], at_b_second[], at_blr[], at_bctr[], at_5[];
extern char at_beq[], at_bctrl[], at_8[];
extern char measure_call[], measure_return[];
extern u64 scratch[32];

void enable_and_leave(void);
extern char enable_and_leave_pmi[];
u64 read_bhrb(u64 entry);
void clear_bhrb(void);

#endif
