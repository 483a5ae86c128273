/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a test has to know of its architecture: names, numbers, instructions.
 */
#ifndef PC_ARCH_H
#define PC_ARCH_H

#include <linux/audit.h>
#include <sys/auxv.h>

#include "pc.h"

/* The largest page that a kernel has. */
#define PC_MAX_PAGE 65536

/* What a link register, where there is one, adds to a call chain of user code: behind the first. */
#ifdef __powerpc64__
#define PC_LINK_FRAMES 1
/*
 * Does what an NMI or a lock's owner has left for later happen some events after? It is up
 * to the decrementer, which an emulator's other thread has.
 */
#define PC_WORK_IS_LATE 1
#else
#define PC_LINK_FRAMES 0
#define PC_WORK_IS_LATE 0
#endif

#if defined(__x86_64__)
#define PC_AUDIT_ARCH AUDIT_ARCH_X86_64
/* The kernel's function of a system call. */
#define PC_CALL_SYMBOL(name) "__x64_sys_" name
/* A tracepoint of the timer's interrupt. */
#define PC_TIMER_EVENT "irq_vectors/local_timer_entry"
/* Is the heap executable with READ_IMPLIES_EXEC? */
#define PC_IMPLIES_EXEC_OF_HEAP 1
/* What a probe writes over the kernel's code; "" where nobody is told of that. */
#define PC_BREAKPOINT "\xcc"
/* How far behind a function's address a probe of it may be. */
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

/* Which POWER processor it is; 0 for none. */
static inline int pc_power(void)
{
#ifdef __powerpc64__
	const char *name = (const char *)getauxval(AT_BASE_PLATFORM);

	return name && !strncmp(name, "power", 5) ? atoi(name + 5) : 0;
#else
	return 0;
#endif
}

/* read() from within the caller, wherever the C library's is. */
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

	/* An error is in r3 as it is, and said in CR0.SO. */
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
