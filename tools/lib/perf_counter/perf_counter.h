/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of the calling thread: a program opens sets of counters, and marks
 * regions of its code. Regions read the counters without a system call.
 *
 * The fast paths are inline functions of this header; all else is in
 * libperf_counter. libperf_counter(3) describes both.
 */
#ifndef PERF_COUNTER_H
#define PERF_COUNTER_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stddef.h>

#ifdef __has_include
#if __has_include("linux/perf_counter.h")
#include <linux/perf_counter.h>
#endif
#endif
/* Older kernel headers have the same structure under another name. */
#ifndef PERF_COUNTER_ATTR_SIZE_VER0
#define perf_counter_attr perf_event_attr
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The largest number of counters in a set. */
#define PC_MAX 16

/*
 * 1 if the architecture has an instruction that reads counters, else 0. A
 * program may define this as 0 on any architecture.
 */
#ifndef PC_HAS_REGISTERS
#ifdef __x86_64__
#define PC_HAS_REGISTERS 1
#elif defined(__i386__)
#define PC_HAS_REGISTERS 1
#elif defined(__powerpc64__)
#define PC_HAS_REGISTERS 1
#else
#define PC_HAS_REGISTERS 0
#endif
#endif

/* === Sets === */

struct pc_set;

/* The system call with which a set was opened. */
enum pc_interface {
	PC_PERF_COUNTER,	/* perf_counter_open() */
	PC_PERF_EVENTS		/* perf_event_open(): the kernel lacks perf_counter_open() */
};

/**
 * struct pc_values - counts and times of a set
 * @nr: number of counters
 * @enabled: time for which the counters were enabled, ns
 * @running: time for which the counters were on the PMU, ns
 * @count: counts, in the order of opening
 */
struct pc_values {
	__u64	nr;
	__u64	enabled;
	__u64	running;
	__u64	count[PC_MAX];
};

/**
 * pc_open() - open counters of the calling thread as one group
 * @events: names separated by commas: "instructions,cycles:uk"
 *
 * The counters start at once. They count only the calling thread, and only user
 * mode unless ":k" or ":uk" after the name says otherwise.
 *
 * Return: the set, or NULL with errno set and a reason in pc_error().
 */
struct pc_set *pc_open(const char *events);

/*
 * Open a set like pc_open_attrs(). @size is the size of an attr in the headers
 * of the caller.
 */
struct pc_set *pc_open_sized(const void *attrs, size_t size, unsigned int nr);

/**
 * pc_open_attrs() - open counters of the calling thread as one group
 * @attrs: attrs of the counters; size 0 means the whole structure. The library
 *	sets disabled and read_format; it refuses sampling and inherit
 * @nr: number of @attrs, at most PC_MAX
 *
 * Return: the set, or NULL with errno set and a reason in pc_error().
 */
static inline struct pc_set *pc_open_attrs(const struct perf_counter_attr *attrs, unsigned int nr)
{
	return pc_open_sized(attrs, sizeof(*attrs), nr);
}

/**
 * pc_open_shared() - open counters of the calling thread and of the threads that it starts
 * @events: names separated by commas: "instructions,cycles:uk"
 *
 * The set counts the calling thread, and all threads and processes that it or its descendants start
 * afterwards. pc_read() returns the sum. Each thread reads its own counts by pc_read_self(), and
 * measures regions with this set, so that one set is enough for a program of many threads. Needs
 * perf_counter_open(); perf_events cannot read the counts of one thread of a set.
 *
 * Return: the set, or NULL with errno set and a reason in pc_error().
 */
struct pc_set *pc_open_shared(const char *events);

/**
 * pc_close() - close and free a set
 * @set: set, or NULL; its regions must not be used afterwards
 */
void pc_close(struct pc_set *set);

/**
 * pc_read() - read all counts of a set since it was opened
 * @set: set; threads other than the owner may read it, too
 * @values: receives the counts and times, all of one moment
 *
 * Return: 0, or -1 with errno set and a reason in pc_error().
 */
int pc_read(struct pc_set *set, struct pc_values *values);

/**
 * pc_read_self() - read the counts of the calling thread
 * @set: set; other threads than the owner may read a set of pc_open_shared() only
 * @values: receives the counts and times, all of one moment
 *
 * Return: 0, or -1 with errno set and a reason in pc_error(); errno is ESRCH if the set does not
 * count the calling thread, because it was started before the set was opened.
 */
int pc_read_self(struct pc_set *set, struct pc_values *values);

/* Return the number of counters in the set. */
unsigned int pc_nr(const struct pc_set *set);
/* Return the name of counter @i, or NULL if the set has no such counter. */
const char *pc_name(const struct pc_set *set, unsigned int i);
/* Return the descriptor of counter @i, or -1 if the set has no such counter. */
int pc_fd(const struct pc_set *set, unsigned int i);

/* Return the system call with which the set was opened. */
enum pc_interface pc_interface(const struct pc_set *set);

/*
 * Return 1 if the set is read by register while it is on the PMU. Return 0 if
 * reading the set takes a system call, because one of its counters does not use
 * the PMU.
 */
int pc_reads_registers(const struct pc_set *set);

/*
 * Return the reason of the last failure in this thread, a line without newline;
 * "" after success.
 */
const char *pc_error(void);

/* === Values === */

/* Add @values to @sum, which is all zeros at first. */
void pc_add(struct pc_values *sum, const struct pc_values *values);

/*
 * Return counter @i, extrapolated to the time for which the set was enabled.
 * Return 0 if the set was never on the PMU, see values->running.
 */
__u64 pc_scaled(const struct pc_values *values, unsigned int i);

/* === Regions === */

/* A number of 64 bits in two registers. */
struct pc_pair {
	__u32	low;
	__u32	high;
};

/*
 * The values of one counter at the start and end of a region, and its register.
 */
struct pc_slot {
	struct pc_pair	at[2];
	__u32		pmc;
};

/**
 * struct pc_region - a piece of code whose events are counted
 *
 * The fields belong to the library. A region may be anywhere in memory and be
 * used any number of times; a recursive region needs one object for each level.
 *
 * @pages: user pages of the set, one after the other
 * @lock: sequence count of the first page for which @slot is valid; if @slot is
 *	not valid, an odd number, which the thread never reads from a page
 * @locks: sum of the sequence counts of all pages for which @slot is valid; an
 *	equal sum means equal counts, as they only grow
 * @nr: number of counters
 * @failed: errno if the region cannot be counted, else 0
 * @clock: time stamps of begin and end
 * @slot: registers and values of each counter
 * @mask: valid bits of the difference of two register values
 * @set: set of the region
 * @enabled: time for which the set was enabled, as in struct pc_values. If
 *	@lock is even, the time until @stamp. If @lock is odd, the time until
 *	the start of the region and, after its end, the time within the region
 * @running: time for which the set was on the PMU, at the same moments as
 *	@enabled
 * @stamp: time stamp
 * @offset: difference between the count and the register of each counter
 */
struct pc_region {
	const char	*pages;
	__u32		lock;
	__u32		locks;
	__u32		nr;
	__u32		failed;
	struct pc_pair	clock[2];
	struct pc_slot	slot[PC_MAX];
	__u64		mask;
	struct pc_set	*set;
	__u64		enabled;
	__u64		running;
	__u64		stamp;
	__u64		offset[PC_MAX];
};

/**
 * pc_region_init() - initialize a region
 * @region: region
 * @set: set of the thread that will use the region
 */
void pc_region_init(struct pc_region *region, struct pc_set *set);

/*
 * Slow paths of pc_begin() and pc_end(), taken if the registers that the region
 * remembers are not valid any more.
 */
void pc_begin_slow(struct pc_region *region);
void pc_end_slow(struct pc_region *region);

#if PC_HAS_REGISTERS

/* A barrier for the compiler: no memory access moves across it. */
static inline void pc_barrier(void)
{
	__asm__ volatile("" : : : "memory");
}

#ifdef __powerpc64__

/* The distance between two user pages in bytes. No page is larger than that. */
#define PC_PAGE_ROOM 65536
/*
 * Registers are unsigned: a register that has just overflowed holds a large
 * number until the interrupt comes.
 */
#define PC_REGISTERS_ARE_SIGNED 0

/* Load @from, in program order with the other accesses in this header. */
static inline __u32 pc_load(const __u32 *from)
{
	__u32 value;

	__asm__ volatile("lwz%U1%X1 %0, %1" : "=r" (value) : "m" (*from));
	return value;
}

static inline __u32 pc_load_and_add(const __u32 *from, __u32 value)
{
	return value + pc_load(from);
}

/* Read the timebase. */
static inline void pc_read_clock(struct pc_pair *to)
{
	__u64 value;

	__asm__ volatile("mfspr %0, 268" : "=r" (value));
	to->low = (__u32)value;
	to->high = (__u32)(value >> 32);
}

/*
 * Read performance monitor counter @pmc, where 0 means PMC1. The number of the
 * register is a part of the instruction, so branch on the lowest bits of @pmc,
 * which are in CR7. Each path has six instructions, so that an empty region
 * always has the same count.
 */
static inline void pc_read_pmc(__u32 pmc, struct pc_pair *to)
{
	__u64 value;

	__asm__ volatile("mtocrf 1, %1\n"
			 "	bt 29, 4f\n"
			 "	bt 30, 2f\n"
			 "	bt 31, 1f\n"
			 "	mfspr %0, 771\n"
			 "	b 6f\n"
			 "1:	mfspr %0, 772\n"
			 "	b 6f\n"
			 "2:	bt 31, 3f\n"
			 "	mfspr %0, 773\n"
			 "	b 6f\n"
			 "3:	mfspr %0, 774\n"
			 "	b 6f\n"
			 "4:	nop\n"
			 "	bt 31, 5f\n"
			 "	mfspr %0, 775\n"
			 "	b 6f\n"
			 "5:	mfspr %0, 776\n"
			 "	nop\n"
			 "6:"
			 : "=r" (value) : "r" (pmc) : "cr7");
	to->low = (__u32)value;
	to->high = 0;
}

#else /* x86 */

#define PC_PAGE_ROOM 4096
#define PC_REGISTERS_ARE_SIGNED 1

static inline __u32 pc_load(const __u32 *from)
{
	__u32 value;

	__asm__ volatile("movl %1, %0" : "=r" (value) : "m" (*from));
	return value;
}

static inline __u32 pc_load_and_add(const __u32 *from, __u32 value)
{
	__asm__ volatile("addl %1, %0" : "+r" (value) : "m" (*from) : "cc");
	return value;
}

static inline void pc_read_clock(struct pc_pair *to)
{
	__u32 low, high;

	__asm__ volatile("rdtsc" : "=a" (low), "=d" (high));
	to->low = low;
	to->high = high;
}

static inline void pc_read_pmc(__u32 pmc, struct pc_pair *to)
{
	__u32 low, high;

	__asm__ volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (pmc));
	to->low = low;
	to->high = high;
}

#endif

/*
 * Return a pointer to the sequence count of user page @i. The count is odd
 * while the kernel changes the page.
 */
static inline const __u32 *pc_lock(const char *pages, unsigned int i)
{
	return (const __u32 *)(const void *)(pages + (size_t)i * PC_PAGE_ROOM +
					     offsetof(struct perf_event_mmap_page, lock));
}

/*
 * Read each counter and then the sequence count of its page, the first few
 * counters without a loop. Return the sum of the sequence counts. The kernel
 * writes pages with interrupts disabled on the CPU that runs this thread, or
 * while the thread does not run. So the thread sees each change as a whole.
 */
static inline __attribute((always_inline)) __u32 pc_read_slots(struct pc_region *region,
							       const char *pages, int end)
{
	struct pc_slot *slot = region->slot;
	__u32 locks;
	unsigned int i;

	pc_read_pmc(slot[0].pmc, &slot[0].at[end]);
	locks = pc_load(pc_lock(pages, 0));
	if (region->nr == 1)
		return locks;
	pc_read_pmc(slot[1].pmc, &slot[1].at[end]);
	locks = pc_load_and_add(pc_lock(pages, 1), locks);
	if (region->nr == 2)
		return locks;
	pc_read_pmc(slot[2].pmc, &slot[2].at[end]);
	locks = pc_load_and_add(pc_lock(pages, 2), locks);
	if (region->nr == 3)
		return locks;
	pc_read_pmc(slot[3].pmc, &slot[3].at[end]);
	locks = pc_load_and_add(pc_lock(pages, 3), locks);
	for (i = 4; i < region->nr; i++) {
		pc_read_pmc(slot[i].pmc, &slot[i].at[end]);
		locks = pc_load_and_add(pc_lock(pages, i), locks);
	}
	return locks;
}

/**
 * pc_begin() - begin a region
 * @region: region
 */
static inline void pc_begin(struct pc_region *region)
{
	const char *pages = region->pages;

	pc_barrier();
	/*
	 * Check the sequence count before a register is read: the register may
	 * belong to another counter now.
	 */
	if (__builtin_expect(pc_load(pc_lock(pages, 0)) != region->lock, 0))
		goto slow;
	pc_read_clock(&region->clock[0]);
	if (__builtin_expect(pc_read_slots(region, pages, 0) != region->locks, 0))
		goto slow;
	pc_barrier();
	return;
slow:
	pc_begin_slow(region);
}

/**
 * pc_end() - end a region
 * @region: region that has begun
 *
 * pc_count() and pc_result() return its counts until it begins again.
 */
static inline void pc_end(struct pc_region *region)
{
	const char *pages = region->pages;

	pc_barrier();
	if (__builtin_expect(pc_load(pc_lock(pages, 0)) != region->lock, 0))
		goto slow;
	pc_read_clock(&region->clock[1]);
	if (__builtin_expect(pc_read_slots(region, pages, 1) != region->locks, 0))
		goto slow;
	pc_barrier();
	return;
slow:
	pc_end_slow(region);
}

#else /* !PC_HAS_REGISTERS */

static inline void pc_begin(struct pc_region *region)
{
	pc_begin_slow(region);
}

static inline void pc_end(struct pc_region *region)
{
	pc_end_slow(region);
}

#endif

static inline __u64 pc_pair_value(const struct pc_pair *pair)
{
	return (__u64)pair->high << 32 | pair->low;
}

/**
 * pc_count() - return the count of a region
 * @region: region that has ended
 * @i: index of the counter in the set
 *
 * Return: the number of events while the counter was on the PMU.
 */
static inline __u64 pc_count(const struct pc_region *region, unsigned int i)
{
	const struct pc_slot *slot = &region->slot[i];

	return (pc_pair_value(&slot->at[1]) - pc_pair_value(&slot->at[0])) & region->mask;
}

/**
 * pc_result() - return all counts and the times of a region
 * @region: region that has ended
 * @values: receives the counts and times
 *
 * Return: 0, or -1 with errno set and a reason in pc_error().
 */
int pc_result(const struct pc_region *region, struct pc_values *values);

#ifdef __cplusplus
}
#endif

#endif /* PERF_COUNTER_H */
