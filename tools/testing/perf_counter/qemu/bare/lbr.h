/* SPDX-License-Identifier: GPL-2.0 */
/* The branch records of the machine, whichever they are. */
#ifndef LBR_H
#define LBR_H

/* What a record is of: a kind of branch, where it ends, and whether it began in user mode. */
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
#define LBR_CALL_STACK		0x800	/* for lbr_prepare() */

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
	int format;		/* of LBR_MODEL */
	int entries;
	bool cycles;		/* there is an INFO that has them */
	bool cycles_in_to;	/* above an address of 48 bits */
	bool select_erratum;	/* calls and returns need jumps that are recorded */
	bool call_stack;
	bool streamlined;	/* freezes by a bit of the status */
	u32 msr_switch;		/* records while this has ... */
	u64 on;			/* ... this value, of which lbr_prepare() makes a part */
};

/* One that was worked out: see lbr_sequences.S. */
struct branch {
	u64 from, to;
	u64 what;
	u64 cycles;		/* those since the one before */
};

/* One as the registers have it. */
struct lbr_entry {
	u64 from, to, info;
};

extern struct lbr lbr;

void lbr_detect(void);
/* No entries, and what is to be recorded, once it is switched on. */
void lbr_prepare(u32 what);
/* The number of entries: of LBR_ARCH only. */
void lbr_set_depth(int entries);
/* The ith, from the youngest on. */
struct lbr_entry lbr_read(int i);
/* What the registers have to have of it; without the kernel's addresses, if @hide. */
struct lbr_entry lbr_entry_of(const struct branch *branch, bool hide);

/* The address in a TO, without what else a record has there. */
u64 lbr_target(u64 to);
/* What is recorded where @what is to be, by the errata of the machine. */
u32 lbr_recorded(u32 what);

void test_lbr(void);
/* On a machine whose records do not survive a sleep. */
void test_lbr_sleep(void);
/* The same records again and again: how many were wrong. */
int lbr_repeat(void);
/* The second CPU is to record what it executes first; how much of that it has wrong. */
void lbr_prepare_real_mode(void);
int lbr_wrong_in_real_mode(void);
void test_lbr_migration_begin(void);
void test_lbr_migration_end(void);
#endif

#endif
