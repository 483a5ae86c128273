/* SPDX-License-Identifier: GPL-2.0 */
/* The branch records of the machine, of any of the three designs. */
#ifndef LBR_H
#define LBR_H

/*
 * Parts of a record: the kind of branch, the mode of its target, and whether it began in
 * user mode.
 */
#define LBR_COND		0x01
#define LBR_JMP			0x02
#define LBR_IND_JMP		0x04
#define LBR_CALL		0x08
#define LBR_IND_CALL		0x10
#define LBR_RET			0x20
#define LBR_FAR			0x40
#define LBR_KINDS		0x7f
#define LBR_NUM_KINDS		7
#define LBR_KERNEL		0x100
#define LBR_USER		0x200
#define LBR_FROM_USER		0x400
#define LBR_CALL_STACK		0x800	/* call-stack mode, for lbr_prepare() only */

#ifndef __ASSEMBLER__
#include "machine.h"

#define MSR_LBR_SELECT		0x1c8
#define MSR_LBR_TOS		0x1c9
#define MSR_LBR_FROM		0x680
#define MSR_LBR_TO		0x6c0
#define MSR_LBR_INFO		0xdc0
#define MSR_ARCH_LBR_INFO	0x1200
#define MSR_ARCH_LBR_CTL	0x14ce
#define MSR_ARCH_LBR_DEPTH	0x14cf
#define MSR_ARCH_LBR_FROM	0x1500
#define MSR_ARCH_LBR_TO		0x1600
#define MSR_AMD_LBR_SELECT	0xc000010e
#define MSR_AMD_DBG_EXTN_CFG	0xc000010f
#define MSR_AMD_LBR_FROM	0xc0010300

#define DEBUGCTL_LBR		(1UL << 0)
#define DEBUGCTL_FREEZE_LBRS	(1UL << 11)
#define STATUS_LBR_FRZ		(1UL << 58)

enum lbr_type { LBR_NONE, LBR_ARCH, LBR_MODEL, LBR_AMD };

struct lbr {
	enum lbr_type type;
	int format;		/* from LBR_MODEL */
	int entries;
	bool cycles;		/* an INFO register has the cycles */
	bool cycles_in_to;	/* TO has the cycles above the address's 48 bits */
	bool select_erratum;	/* calls and returns are recorded only together with jumps */
	bool call_stack;
	bool streamlined;	/* a bit of the status freezes the records */
	u32 msr_switch;		/* the register that switches recording on */
	u64 on;			/* value of msr_switch; lbr_prepare() computes a part of it */
};

/* A record that was worked out by hand: see lbr_sequences.S. */
struct branch {
	u64 from, to;
	u64 what;
	u64 cycles;		/* cycles since the previous branch */
};

/* The registers of a record. */
struct lbr_entry {
	u64 from, to, info;
};

extern struct lbr lbr;

void lbr_detect(void);
/* Clear the entries, and choose the branches to record when recording is switched on. */
void lbr_prepare(u32 what);
/* Set the number of entries; only LBR_ARCH has this. */
void lbr_set_depth(int entries);
/* Read the ith entry, from the youngest on. */
struct lbr_entry lbr_read(int i);
/* Return the registers' values for a record; without the kernel's addresses, if @hide. */
struct lbr_entry lbr_entry_of(const struct branch *branch, bool hide);

/* Return the address in the value of a TO register, without its other bits. */
u64 lbr_target(u64 to);
/* Return the kinds that are recorded if @what is chosen, with the errata of the machine. */
u32 lbr_recorded(u32 what);

void test_lbr(void);
/* Test records on a machine that loses them in a sleep. */
void test_lbr_sleep(void);
/* Record one sequence again and again; returns the number of wrong records. */
int lbr_repeat(void);
/* Make the second CPU record its first branches, which are in real mode. */
void lbr_prepare_real_mode(void);
/* Return the number of wrong records of these branches. */
int lbr_wrong_in_real_mode(void);
void test_lbr_migration_begin(void);
void test_lbr_migration_end(void);
#endif

#endif
