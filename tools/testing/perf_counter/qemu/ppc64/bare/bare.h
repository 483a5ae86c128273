/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Definitions that the assembly and the C of the bare-metal test share: registers, vectors,
 * and a page at an address that every instruction can reach without a register.
 */
#ifndef BARE_H
#define BARE_H

#define SPR_CTRLF	136
#define SPR_CTRLT	152
#define SPR_MMCR2	785
#define SPR_MMCRA	786
#define SPR_PMC1	787	/* and five more */
#define SPR_MMCR0	795
#define SPR_SIAR	796
#define SPR_SDAR	797
#define SPR_MMCR1	798
#define SPR_SIER	784
#define SPR_UPMC1	771
#define SPR_UPMC5	775
#define SPR_USIER	768
#define SPR_ACCESSES	984	/* of the emulator: mfspr, mtspr, mfbhrbe */
#define SPR_ICOUNT	987	/* of the emulator: instructions, with icount */

#define VEC_DSI		0x300
#define VEC_ISI		0x400
#define VEC_PROGRAM	0x700
#define VEC_DEC		0x900
#define VEC_SC		0xc00
#define VEC_PMI		0xf00
#define VEC_FU		0xf60
#define NR_VECTORS	0x100	/* one for each 32 bytes */

/* Instructions that a vector executes before its handler begins. */
#define VECTOR_INSNS	7
/* Instructions that leave_user() executes. */
#define LEAVE_INSNS	3

/* The shared page and its contents. */
#define SHARED		0x3000
#define RESUME		(SHARED + 0x000)	/* address to which leave_user() returns */
#define PMI_MMCR0	(SHARED + 0x008)	/* the PMI's handler writes this to MMCR0, ... */
#define PMI_RELOAD	(SHARED + 0x010)	/* ... and this to PMC1 */
#define PMI_COUNT	(SHARED + 0x018)	/* number of PMIs, and values at the last one */
#define PMI_SRR0	(SHARED + 0x020)
#define PMI_SRR1	(SHARED + 0x028)
#define PMI_SIAR	(SHARED + 0x030)
#define PMI_SDAR	(SHARED + 0x038)
#define PMI_SIER	(SHARED + 0x040)
#define PMI_FOUND	(SHARED + 0x048)	/* MMCR0 at the last PMI */
#define PMI_PMC1	(SHARED + 0x050)
#define SAVE		(SHARED + 0x080)
#define HANDLERS	(SHARED + 0x100)	/* NR_VECTORS addresses */

#define STACK		0x100000
#define STACK2		0xf0000		/* of the second CPU */
#define HOLE		0x200000	/* is not mapped in user mode */

#ifndef __ASSEMBLER__
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;

#define bool		_Bool
#define true		1
#define false		0

struct shared {
	u64 resume, pmi_mmcr0, pmi_reload, pmi_count;
	u64 srr0, srr1, siar, sdar, sier, mmcr0, pmc1;
};

#define shared		(*(struct shared *)SHARED)
#define handlers	((u64 *)HANDLERS)
#endif

#endif
