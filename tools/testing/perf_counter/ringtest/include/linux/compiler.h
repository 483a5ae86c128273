/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler's part of the kernel's headers, for kernel/perf_counter/ring/ring.c, and the
 * hook in every access to shared memory.
 *
 * shim_step() is called before each access. It is empty, except in ringsim (RINGTEST_STEPS),
 * where it lets other CPUs and interrupts continue.
 */
#ifndef _RINGTEST_LINUX_COMPILER_H
#define _RINGTEST_LINUX_COMPILER_H

/* The C library defines __always_inline. */
#include <sys/cdefs.h>

/* Only sparse knows address spaces. */
#ifdef __CHECKER__
#define __force			__attribute__((force))
#else
#define __force
#endif

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)

/* Every option is defined here, as 0 or 1. */
#define IS_ENABLED(CONFIG_OPTION)	(CONFIG_OPTION)

static inline void barrier(void)
{
	__asm__ __volatile__("" : : : "memory");
}

#define min(a, b) ({			\
	__typeof__(a) __a = (a);	\
	__typeof__(b) __b = (b);	\
	__a < __b ? __a : __b;		\
})

#define max(a, b) ({			\
	__typeof__(a) __a = (a);	\
	__typeof__(b) __b = (b);	\
	__a > __b ? __a : __b;		\
})

enum shim_access {
	SHIM_LOAD,
	SHIM_STORE,
	SHIM_EXCHANGE,
};

#ifdef RINGTEST_STEPS
void shim_step(const void *at, enum shim_access access);
#else
static inline void shim_step(const void *at, enum shim_access access)
{
}
#endif

/*
 * The kernel's READ_ONCE() orders stores that depend on the value. C does not have such an
 * order, so ThreadSanitizer gets an acquire.
 */
#ifdef __SANITIZE_THREAD__
#define SHIM_READ_ONCE		__ATOMIC_ACQUIRE
#else
#define SHIM_READ_ONCE		__ATOMIC_RELAXED
#endif

#define READ_ONCE(x) ({				\
	__typeof__(x) *__at = &(x);		\
	shim_step(__at, SHIM_LOAD);		\
	__atomic_load_n(__at, SHIM_READ_ONCE);	\
})

#endif /* _RINGTEST_LINUX_COMPILER_H */
