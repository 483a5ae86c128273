/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's atomic operations and barriers that kernel/perf_counter/ring/ring.c
 * uses, each as strong as the kernel promises and no stronger: what the kernel
 * calls relaxed is relaxed, and what it calls fully ordered has a full barrier on
 * both sides.
 *
 * ThreadSanitizer does not understand fences. In its build, a barrier that orders
 * loads turns the relaxed loads before it into acquire loads, and a barrier that
 * orders stores turns the next relaxed store into a release store. C gives fences
 * the same meaning (C11, 7.17.4).
 */
#ifndef _RINGTEST_LINUX_ATOMIC_H
#define _RINGTEST_LINUX_ATOMIC_H

#include <linux/compiler.h>
#include <linux/types.h>

typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t;

#ifdef __SANITIZE_THREAD__

#include <sanitizer/tsan_interface.h>

#define SHIM_LOADS		64

/**
 * struct shim_fences - accesses of a thread to which its next barrier applies
 * @nr: number of relaxed loads since the last barrier; only the last ones are kept
 * @loads: addresses of these loads
 * @release: true if a barrier makes the next relaxed store a release
 */
struct shim_fences {
	unsigned int	nr;
	const void	*loads[SHIM_LOADS];
	bool		release;
};

extern __thread struct shim_fences shim_fences;

static inline void shim_loaded(const void *at)
{
	shim_fences.loads[shim_fences.nr++ % SHIM_LOADS] = at;
}

static inline int shim_store_order(void)
{
	bool release = shim_fences.release;

	shim_fences.release = false;
	return release ? __ATOMIC_RELEASE : __ATOMIC_RELAXED;
}

/* Order earlier loads before all later accesses. */
static inline void smp_rmb(void)
{
	unsigned int i;

	for (i = 0; i < shim_fences.nr && i < SHIM_LOADS; i++)
		__tsan_acquire((void *)shim_fences.loads[i]);
	shim_fences.nr = 0;
}

/* Order earlier stores before the next store. */
static inline void smp_wmb(void)
{
	shim_fences.release = true;
}

static inline void shim_full_barrier(void)
{
	/* Order earlier loads. Pairs with the barrier that the comment of the ring's code names. */
	smp_rmb();
	/* Order earlier stores before the next one. Pairs with the same barrier. */
	smp_wmb();
}

/* Order all earlier accesses before all later ones. */
static inline void smp_mb(void)
{
	shim_full_barrier();
}

/* End the effect of the last barrier on stores. */
static inline void shim_plain_stores(void)
{
	shim_fences.release = false;
}

#else

static inline void shim_plain_stores(void)
{
}

static inline void shim_loaded(const void *at)
{
}

static inline int shim_store_order(void)
{
	return __ATOMIC_RELAXED;
}

/* Order earlier loads before later loads and stores, by C's acquire fence. */
static inline void smp_rmb(void)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* Order earlier stores before later stores. */
static inline void smp_wmb(void)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

/* Order all earlier accesses before all later ones. */
static inline void smp_mb(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/*
 * A full barrier beside an atomic read-modify-write operation, which is a full barrier
 * itself on x86.
 */
static inline void shim_full_barrier(void)
{
#ifdef __x86_64__
	barrier();
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

#endif

/* Barrier before an operation without an order of its own, see shim_full_barrier(). */
#define smp_mb__before_atomic()	shim_full_barrier()
/* Barrier after an operation without an order of its own, see shim_full_barrier(). */
#define smp_mb__after_atomic()	shim_full_barrier()

static inline s64 atomic64_read(const atomic64_t *v)
{
	shim_step(v, SHIM_LOAD);
	shim_loaded(v);
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline s64 atomic64_read_acquire(const atomic64_t *v)
{
	shim_step(v, SHIM_LOAD);
	return __atomic_load_n(&v->counter, __ATOMIC_ACQUIRE);
}

static inline void atomic64_inc(atomic64_t *v)
{
	shim_step(v, SHIM_EXCHANGE);
	__atomic_fetch_add(&v->counter, 1, __ATOMIC_RELAXED);
}

static inline void atomic64_xor(s64 bits, atomic64_t *v)
{
	shim_step(v, SHIM_EXCHANGE);
	/* The order argument of a builtin must be a constant. */
	if (shim_store_order() == __ATOMIC_RELEASE)
		__atomic_fetch_xor(&v->counter, bits, __ATOMIC_RELEASE);
	else
		__atomic_fetch_xor(&v->counter, bits, __ATOMIC_RELAXED);
	shim_loaded(v);
}

static inline bool try_cmpxchg64(u64 *at, u64 *old, u64 new)
{
	bool done;

	shim_step(at, SHIM_EXCHANGE);
	shim_full_barrier();
	done = __atomic_compare_exchange_n(at, old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
	if (done)
		shim_full_barrier();
	return done;
}

static inline bool atomic64_try_cmpxchg(atomic64_t *v, s64 *old, s64 new)
{
	return try_cmpxchg64((u64 *)&v->counter, (u64 *)old, new);
}

/*
 * Compare and exchange, atomic only for the calling thread and its signals. A relaxed atomic
 * operation replaces it where the architecture has none, or ThreadSanitizer would not see it.
 */
static inline bool shim_cmpxchg_local(u64 *at, u64 *old, u64 new)
{
	bool done;

	shim_step(at, SHIM_EXCHANGE);
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	__asm__ __volatile__("cmpxchgq %[new], %[at]"
			     : "=@ccz" (done), [at] "+m" (*at), "+a" (*old)
			     : [new] "r" (new)
			     : "memory");
#else
	if (shim_store_order() == __ATOMIC_RELEASE)
		done = __atomic_compare_exchange_n(at, old, new, false, __ATOMIC_RELEASE,
						   __ATOMIC_RELAXED);
	else
		done = __atomic_compare_exchange_n(at, old, new, false, __ATOMIC_RELAXED,
						   __ATOMIC_RELAXED);
	shim_loaded(at);
#endif
	return done;
}

/* @at and @old point to u64 or to s64. */
#define try_cmpxchg_local(at, old, new)	shim_cmpxchg_local((u64 *)(at), (u64 *)(old), new)

/* On every architecture these operations are atomic for a thread's own signals. */
#define CONFIG_ARCH_HAS_NMI_SAFE_THIS_CPU_OPS	1

#endif /* _RINGTEST_LINUX_ATOMIC_H */
