/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Definitions that the assembly and the C of the bare-metal test share: selectors, vectors,
 * addresses, and the layout of a trap's stack frame.
 */
#ifndef BARE_H
#define BARE_H

/* SYSCALL, SYSRET, SYSENTER and SYSEXIT need this order. */
#define KERNEL_CS	0x08
#define KERNEL_SS	0x10
#define USER_CS32	0x18
#define USER_SS		(0x20 | 3)
#define USER_CS		(0x28 | 3)
#define USER_SS2	(0x30 | 3)
#define TSS_SEL		0x38	/* 0x10 more for the second CPU */
#define GATE_SEL	(0x58 | 3)

#define VEC_NMI		2
#define VEC_GP		13
#define VEC_PF		14
#define VEC_PMI		0x40
#define VEC_IRQ		0x41
#define VEC_RETURN	0x80
#define NR_VECTORS	0x81

#define APIC		0xfee00000
#define APIC_EOI	(APIC + 0xb0)

#define TRAMPOLINE	0x8000
#define VEC_REAL	0x20	/* vector of an interrupt in real mode */
#define HOLE		0x3fe00000	/* 2 MB that are not mapped */
#define HIGH		0xffffff8000000000 /* second mapping of all memory */
#define NR_CPUS		2

#ifndef __ASSEMBLER__
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;

#define bool		_Bool
#define true		1
#define false		0

struct frame {
	u64 ax, cx, dx, bx, bp, si, di, r8, r9, r10, r11;
	u64 vector, error, ip, cs, flags, sp, ss;
};
#endif

#endif
