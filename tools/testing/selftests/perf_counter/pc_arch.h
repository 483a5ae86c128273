/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The differences between architectures: names, numbers, instructions.
 */
#ifndef PC_ARCH_H
#define PC_ARCH_H

#include <linux/audit.h>
#include <sys/auxv.h>

#include "pc.h"

/* The size of the largest page of any architecture here, in bytes. */
#define PC_MAX_PAGE 65536

/*
 * The number of entries that the kernel inserts after the first entry of a user call chain: the
 * link register, which may hold the address in the caller.
 */
#ifdef __powerpc64__
#define PC_LINK_FRAMES 1
/*
 * True if irq_work handles some events late: on this machine the decrementer interrupt runs
 * irq_work, and another thread of the emulator drives the decrementer.
 */
#define PC_WORK_IS_LATE 1
#else
#define PC_LINK_FRAMES 0
#define PC_WORK_IS_LATE 0
#endif

#if defined(__x86_64__)
#define PC_AUDIT_ARCH AUDIT_ARCH_X86_64
/* The name of the kernel function that implements a system call. */
#define PC_CALL_SYMBOL(name) "__x64_sys_" name
/* A tracepoint in the timer interrupt. */
#define PC_TIMER_EVENT "irq_vectors/local_timer_entry"
/* True if READ_IMPLIES_EXEC makes the heap executable. */
#define PC_IMPLIES_EXEC_OF_HEAP 1
/* The instruction that a kprobe writes over code; "" if the kernel emits no TEXT_POKE for it. */
#define PC_BREAKPOINT "\xcc"
/* The largest distance between a function's address and a probe of the function, in bytes. */
#define PC_ENTRY_SIZE 0
#elif defined(__powerpc64__)
#define PC_AUDIT_ARCH AUDIT_ARCH_PPC64LE
#define PC_CALL_SYMBOL(name) "sys_" name
#define PC_TIMER_EVENT "powerpc/timer_interrupt_entry"
#define PC_IMPLIES_EXEC_OF_HEAP 0
#define PC_BREAKPOINT "\x08\x00\xe0\x7f"
#define PC_ENTRY_SIZE 8
#else
#define PC_AUDIT_ARCH 0
#define PC_CALL_SYMBOL(name) "__se_sys_" name
#define PC_TIMER_EVENT "timer/timer_expire_entry"
#define PC_IMPLIES_EXEC_OF_HEAP 0
#define PC_BREAKPOINT ""
#define PC_ENTRY_SIZE 0
#endif

/* The generation of a POWER processor; 0 on other processors. */
int pc_power(void);

/* Call read() by an instruction in the caller, not in the C library. */
static __always_inline long pc_read_here(int fd, void *to, long len)
{
#if defined(__x86_64__)
	long ret;

	asm volatile("syscall" : "=a" (ret)
		     : "0" (SYS_read), "D" (fd), "S" (to), "d" (len)
		     : "rcx", "r11", "memory");
	return ret;
#elif defined(__powerpc64__)
	register long nr asm("r0") = SYS_read;
	register long ret asm("r3") = fd;
	register void *buffer asm("r4") = to;
	register long size asm("r5") = len;

	/* CR0.SO is set if r3 is an errno. */
	asm volatile("sc\n\t"
		     "bns+ 1f\n\t"
		     "neg %1, %1\n"
		     "1:"
		     : "+r" (nr), "+r" (ret), "+r" (buffer), "+r" (size)
		     : : "memory", "cr0", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "ctr");
	return ret;
#else
	return read(fd, to, len);
#endif
}

#endif /* PC_ARCH_H */
